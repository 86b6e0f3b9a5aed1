//! A game of the double: rules, dice, clocks, events.

use astragal::board::{Dice, PieceType, Position, Rolled, STARTPOS};
use astragal::rules::{Turn, TurnEnd, apply_roll, first_legal_turn, legal_turns};
use bridge::engine::instant_turn;
use bridge::fair::{FairDice, commitment};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

pub const US: &str = "dragons astragal";
pub const THEM: &str = "knights rival";

/// How long the double waits for the client's seed, as the platform does. It comes sooner, and then the game begins.
const SEED_WAIT: Duration = Duration::from_secs(5);

/// How it ended: 1, 0 or −1 for White, the word of the stream and that of the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    pub result: i64,
    pub termination: &'static str,
    pub word: &'static str,
}

pub struct Game {
    pub id: String,
    pub control: Value,
    pub client_is_white: bool,
    pub rated: bool,
    pub version: i64,
    pub position: Position,
    pub dice: Option<Dice>,
    thrown: [u8; 3],
    pub turns: Vec<Value>,
    pub clocks: [i64; 2],
    pub clock_from: Instant,
    pub over: Option<Over>,
    pub events: broadcast::Sender<String>,
    pub server_seed: String,
    pub seeds: [Option<String>; 2],
    began: Instant,
    /// When the opponent moves, or a pass is played.
    next: Option<Instant>,
    rng: ChaCha8Rng,
    /// The position with dice of the last turn of the client that was taken, and whether its verdict went out.
    pub taken: Option<(String, bool)>,
    pub resigned: bool,
    pub draw_offered_by_them: bool,
    pub wants_draw_offer: bool,
    /// What the opponent takes for a turn at most, beyond a few milliseconds.
    pub pace_ms: u32,
    /// Whether it never moves.
    pub sleeps: bool,
    /// Draw offers of the client's that were delivered.
    pub offers: u32,
}

fn seconds(control: &Value, key: &str) -> i64 {
    let body = control.as_object().and_then(|object| object.values().next());
    // Tests play with small times: fractions are allowed here.
    (body.and_then(|body| body[key].as_f64()).unwrap_or(0.0) * 1000.0) as i64
}

impl Game {
    pub fn new(id: &str, control: Value, client_is_white: bool, rated: bool, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        let initial = seconds(&control, "initialSeconds").max(seconds(&control, "secondsPerMove"));
        Self {
            id: id.to_owned(),
            control,
            client_is_white,
            rated,
            version: 0,
            position: Rolled::from_dfen(STARTPOS).expect("the start").position,
            dice: None,
            thrown: [0; 3],
            turns: Vec::new(),
            clocks: [initial; 2],
            clock_from: Instant::now(),
            over: None,
            events: broadcast::channel(256).0,
            server_seed: hex::encode(bytes),
            seeds: [None, None],
            began: Instant::now(),
            next: None,
            rng,
            taken: None,
            resigned: false,
            draw_offered_by_them: false,
            wants_draw_offer: false,
            pace_ms: 0,
            sleeps: false,
            offers: 0,
        }
    }

    fn active(&self) -> usize {
        self.position.side().index()
    }

    pub fn client(&self) -> usize {
        usize::from(!self.client_is_white)
    }

    pub fn seat(index: usize) -> &'static str {
        ["White", "Black"][index]
    }

    pub fn is_clients_turn(&self) -> bool {
        self.active() == self.client() && self.dice.is_some()
    }

    fn is_timed(&self) -> bool {
        self.control.get("Unlimited").is_none()
    }

    pub fn rolled(&self) -> Rolled {
        Rolled { position: self.position, dice: self.dice.unwrap_or_default() }
    }

    pub fn dfen(&self) -> String {
        let text = self.rolled().to_string();
        // Six fields without dice, as the platform writes it.
        text.strip_suffix(" -").filter(|_| self.dice.is_none()).map_or(text.clone(), str::to_owned)
    }

    fn seeds(&self) -> [String; 2] {
        let ids = if self.client_is_white {
            ["bot:team:dragons:astragal", "bot:team:knights:rival"]
        } else {
            ["bot:team:knights:rival", "bot:team:dragons:astragal"]
        };
        [0, 1].map(|side| self.seeds[side].clone().unwrap_or_else(|| ids[side].to_owned()))
    }

    fn fair(&self) -> FairDice {
        let [white, black] = self.seeds();
        FairDice::new(&self.server_seed, &white, &black).expect("sound seeds")
    }

    pub fn emit(&mut self, name: &str, mut body: Value) {
        self.version += 1;
        body["v"] = json!(self.version);
        let mut line = Map::new();
        line.insert(name.to_owned(), body);
        let _ = self.events.send(Value::Object(line).to_string());
    }

    pub fn clocks_now(&self, lag_ms: i64) -> Value {
        if !self.is_timed() {
            return Value::Null;
        }
        let mut clocks = self.clocks;
        if self.dice.is_some() || self.draw_offered_by_them {
            clocks[self.active()] -= i64::try_from(self.clock_from.elapsed().as_millis()).expect("short") - lag_ms;
        }
        json!({"white": clocks[0], "black": clocks[1]})
    }

    pub fn tree(&self) -> Value {
        if self.dice.is_none() {
            return Value::Null;
        }
        let turns = legal_turns(&self.rolled());
        if turns.len() > 1000 { Value::Null } else { tree_of(&turns) }
    }

    /// Time goes on.
    pub fn advance(&mut self) {
        if self.over.is_some() {
            return;
        }
        let now = Instant::now();
        if self.dice.is_none() && !self.draw_offered_by_them {
            if self.turns.is_empty() && self.began.elapsed() < SEED_WAIT && self.seeds[self.client()].is_none() {
                return;
            }
            return self.roll();
        }
        if self.is_timed() && !self.is_pass() {
            let side = self.active();
            let used = i64::try_from(self.clock_from.elapsed().as_millis()).expect("short");
            if self.clocks[side] - used <= 0 {
                self.clocks[side] = 0;
                let result = if side == 0 { -1 } else { 1 };
                return self.finish(Over { result, termination: "Timeout", word: "timeout" });
            }
        }
        if self.next.is_some_and(|at| at <= now) && (!self.sleeps || self.is_pass()) {
            self.next = None;
            let turn = if self.is_pass() {
                Turn::PASS
            } else if self.rng.next_u32().is_multiple_of(4) {
                let turns = legal_turns(&self.rolled());
                turns[self.rng.next_u32() as usize % turns.len()]
            } else {
                instant_turn(&self.rolled())
            };
            self.play(turn);
        }
    }

    fn is_pass(&self) -> bool {
        self.dice.is_some() && first_legal_turn(&self.rolled()).is_empty()
    }

    fn roll(&mut self) {
        self.thrown = self.fair().roll(self.turns.len() as u64);
        let faces = self.thrown.map(|face| PieceType::ALL[usize::from(face) - 1]);
        self.dice = Some(Dice::new(&faces).expect("three"));
        self.clock_from = Instant::now();
        if self.active() != self.client() || self.is_pass() {
            let wait = u64::from(self.rng.next_u32() % (8 + self.pace_ms));
            self.next = Some(self.clock_from + Duration::from_millis(wait));
        }
        let body = json!({
            "seat": Self::seat(self.active()), "dice": self.thrown, "dfen": self.dfen(), "clocks": self.clocks_now(0),
            "legalMoves": self.tree(),
        });
        self.emit("DiceRolled", body);
    }

    /// Plays a legal turn of the side to move.
    pub fn play(&mut self, turn: Turn) {
        let (side, rolled) = (self.active(), self.rolled());
        let end = apply_roll(&rolled, turn).expect("a legal turn");
        if self.is_timed() && !turn.is_empty() {
            let used = i64::try_from(self.clock_from.elapsed().as_millis()).expect("short");
            self.clocks[side] += seconds(&self.control, "incrementSeconds") - used;
            if self.control.get("PerMove").is_some() {
                self.clocks[side] = seconds(&self.control, "secondsPerMove");
            }
        }
        self.dice = None;
        let moves: Vec<String> = turn.moves().iter().map(ToString::to_string).collect();
        let fen_after = match end {
            TurnEnd::Position(position) => {
                self.position = position;
                self.dfen()
            }
            // Not worked out in full: nobody reads more of it than that it is there.
            TurnEnd::KingCaptured => {
                Rolled { position: rolled.position, dice: Dice::NONE }.to_string().replace(" -", "")
            }
        };
        self.turns.push(json!({
            "turnNumber": self.turns.len() + 1, "activeColor": Self::seat(side), "dice": self.thrown, "moves": moves,
            "fenAfter": fen_after,
        }));
        self.emit("TurnPlayed", json!({"seat": Self::seat(side), "moves": moves, "fenAfter": fen_after}));
        let result = if side == 0 { 1 } else { -1 };
        if end == TurnEnd::KingCaptured {
            self.finish(Over { result, termination: "KingCaptured", word: "king_captured" });
        } else if self.position.is_drawn() {
            self.finish(Over { result: 0, termination: "Draw", word: "draw_agreement" });
        } else if self.wants_draw_offer && side != self.client() {
            self.wants_draw_offer = false;
            self.draw_offered_by_them = true;
            self.clock_from = Instant::now();
            self.emit("DrawOffered", json!({"by": Self::seat(side)}));
        }
    }

    pub fn finish(&mut self, over: Over) {
        self.over = Some(over);
    }

    pub fn tell_end(&mut self) {
        let Some(over) = self.over else { return };
        let [white, black] = self.seeds();
        let result = match over.result {
            0 => json!({"Draw": {}}),
            1 => json!({"Win": {"side": "White"}}),
            _ => json!({"Win": {"side": "Black"}}),
        };
        let body = json!({
            "over": {"result": result, "termination": over.termination}, "seed": self.server_seed,
            "clientSeeds": {"white": white, "black": black},
        });
        self.emit("GameEnded", body);
    }

    pub fn players(&self) -> Value {
        let (white, black) = if self.client_is_white { (US, THEM) } else { (THEM, US) };
        json!({"white": {"kind": "Bot", "name": white}, "black": {"kind": "Bot", "name": black}})
    }

    pub fn commit(&self) -> String {
        commitment(&hex::decode(&self.server_seed).expect("hex"))
    }

    pub fn history(&self) -> Option<Value> {
        let over = self.over?;
        let [white, black] = self.seeds();
        Some(json!({
            "gameId": self.id, "players": self.players(), "rated": self.rated, "timeControl": self.control,
            "result": over.result, "termination": over.word, "finishedAt": "2026-12-01T04:15:37.614721Z",
            "initialDfen": STARTPOS.trim_end_matches(" -"), "turns": self.turns,
            "fairness": {
                "commit": self.commit(), "seed": self.server_seed, "clientSeeds": {"white": white, "black": black},
            },
        }))
    }

    pub fn state(&self, lag_ms: i64) -> Value {
        let mut state = json!({
            "version": self.version, "dfen": self.dfen(), "activeSeat": Self::seat(self.active()),
            "dicePending": self.dice.is_some(), "status": {"Active": {}}, "timeControl": self.control,
            "clocks": self.clocks_now(lag_ms), "commit": self.commit(), "seed": null, "clientSeeds": null,
            "legalMoves": self.tree(), "players": self.players(),
        });
        if self.draw_offered_by_them {
            state["drawOffer"] = json!({"pending": true});
        }
        state
    }
}

/// A tree of these turns.
pub fn tree_of(turns: &[Turn]) -> Value {
    let mut tree = Map::new();
    for turn in turns {
        let mut at = &mut tree;
        for mv in turn.moves() {
            let next = at.entry(mv.to_string()).or_insert_with(|| json!({}));
            at = next.as_object_mut().expect("an object");
        }
    }
    Value::Object(tree)
}
