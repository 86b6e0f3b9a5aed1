//! A game that runs: its file, its dice, its clocks, what may be done next.

use crate::clock::Clocks;
use crate::control::Control;
use crate::fail::Fail;
use crate::steps::steps;
use crate::store::{Aside, Left, Store};
use crate::views::{game_of, played};
use crate::wire::{ClocksView, Dice, GameView, Player, PlyView, Said, Source, State, Summary};
use astragal::board::{Color, Dice as Faces, Rolled};
use astragal::record::{
    DiceSource, EndKind, EndRecord, Game, Ply, RunningGame, ScoreRecord, Seat, Start, WholeWrites, letters, seeded_roll,
};
use astragal::rules::{Roll, Turn, TurnEnd, apply_roll};
use std::time::{Duration, Instant};

/// More plies than a game has that anybody wants to play on.
const MOST_PLIES: usize = 4000;

/// How a turn left the game.
#[derive(Clone, PartialEq, Debug)]
pub enum After {
    /// It goes on.
    GoesOn,
    /// It is over, with White's points.
    Over(f64, EndRecord),
}

/// A running game.
pub struct LiveGame {
    file: RunningGame<WholeWrites>,
    aside: Aside,
    clocks: Clocks,
    first: Color,
    /// Since when the clock of this turn runs; it waits for the first page after a restart.
    since: Option<Instant>,
    plies: Vec<PlyView>,
    notes: Vec<String>,
}

/// What a game begins with.
pub struct Wish {
    /// White and Black.
    pub players: [Player; 2],
    /// Their controls.
    pub controls: [Control; 2],
    /// The dice.
    pub dice: Dice,
    /// The seed, where there is one.
    pub seed: u64,
    /// The first position.
    pub opening: Rolled,
    /// What it is called.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub started_ms: u64,
}

impl LiveGame {
    /// Begins a game.
    ///
    /// # Errors
    /// It cannot be kept.
    pub fn begin(store: &Store, wish: Wish) -> Result<Self, Fail> {
        let Wish { players, controls, dice, seed, opening, id, started_ms } = wish;
        let seat = |side: usize| Seat { name: players[side].name.clone(), control: controls[side].to_string() };
        let mut start = Start::new(&id, [seat(0), seat(1)], &opening.to_string());
        start.started_ms = Some(started_ms);
        if dice.source != Source::Typed {
            start.dice = DiceSource::Seed { seed, pair: 0 };
        }
        let aside = Aside { players, dice: dice.source };
        let file = store.begin_game(start, &aside)?;
        let first = opening.position.side();
        let clocks = Clocks::new(controls);
        Ok(Self { file, aside, clocks, first, since: None, plies: Vec::new(), notes: Vec::new() })
    }

    /// Goes on with a game of an earlier server. Its clock stands until a page opens it.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn restore(store: &Store, left: Left) -> Result<Self, Fail> {
        let Left { recovered, aside } = left;
        let start = recovered.start().clone();
        let mut notes = Vec::new();
        if recovered.problem().is_some() {
            notes.push("The end of the game's file was torn: what came last is lost.".to_owned());
        }
        let aside = aside.unwrap_or_else(|| {
            let player = |seat: &Seat| Player { name: seat.name.clone(), ..Player::default() };
            let seeded = matches!(start.dice, DiceSource::Seed { pair: 0, .. });
            let dice = if seeded { Source::Seed } else { Source::Typed };
            Aside { players: start.seats.each_ref().map(player), dice }
        });
        let controls = start.seats.each_ref().map(|seat| Control::parse(&seat.control));
        if controls.contains(&None) {
            notes.push("A time control could not be read: that player has no clock any more.".to_owned());
        }
        let controls = controls.map(Option::unwrap_or_default);
        let first = Rolled::from_dfen(&start.opening).map_or(Color::White, |at| at.position.side());
        let (clocks, whole) = Clocks::after(controls, first, recovered.plies());
        if !whole {
            notes.push("The file does not tell of every clock: they could not be restored exactly.".to_owned());
        }
        let file = store.go_on(recovered)?;
        let mut game = Self { file, aside, clocks, first, since: None, plies: Vec::new(), notes };
        game.view_plies()?;
        Ok(game)
    }

    fn view_plies(&mut self) -> Result<(), Fail> {
        let (plies, _) =
            played(&self.file.start().opening, self.file.plies()).map_err(|error| Fail::new("record", error))?;
        self.plies = plies;
        Ok(())
    }

    /// What it is called.
    pub fn id(&self) -> &str {
        &self.file.start().id
    }

    fn here(&self) -> &Rolled {
        self.file.position()
    }

    /// Whose turn it is.
    pub fn side(&self) -> Color {
        self.here().position.side()
    }

    fn is_rolled(&self) -> bool {
        self.file.plies().last().is_some_and(|last| last.turn.is_none())
    }

    /// The number of the ply that is next or under way, from 1.
    pub fn ply(&self) -> usize {
        self.file.plies().len() + usize::from(!self.is_rolled())
    }

    fn expect(&self, ply: usize, rolled: bool) -> Result<(), Fail> {
        let (here, is_rolled) = (self.ply(), self.is_rolled());
        if ply != here || rolled != is_rolled {
            let waits = if is_rolled { "turn" } else { "roll" };
            return Err(Fail::stale(format!("the game waits for the {waits} of ply {here}")));
        }
        Ok(())
    }

    /// Whether a game of an earlier server had in truth ended.
    pub fn settled(&self) -> After {
        let Some(last) = self.file.plies().last() else { return After::GoesOn };
        if last.turn.is_some() && !self.here().dice.is_empty() {
            return captured(self.side());
        }
        if last.turn.is_some() && self.here().position.is_drawn() {
            return After::Over(0.5, EndRecord::new(EndKind::HalfmoveClock));
        }
        After::GoesOn
    }

    /// Throws the dice: the server's, or those that people say.
    ///
    /// # Errors
    /// It is not time for it, or the dice are none.
    pub fn roll(&mut self, ply: usize, said: Option<&str>) -> Result<(String, String), Fail> {
        self.expect(ply, false)?;
        let wrong = |what: &str| Err(Fail::new("dice", what));
        let (roll, thrown) = match (&self.file.start().dice, self.aside.dice, said) {
            (DiceSource::Seed { seed, pair }, Source::Server | Source::Seed, None) => {
                let roll = seeded_roll(*seed, *pair, ply as u64 - 1);
                (roll, None)
            }
            (_, Source::Server | Source::Seed, Some(_)) => return wrong("the server throws the dice of this game"),
            (_, _, None) => return wrong("the dice of this game are typed in"),
            (_, _, Some(text)) => {
                let text: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
                let faces = Faces::parse(&text).map_err(|error| Fail::new("dice", error))?;
                let Some(roll) = Roll::from_dice(faces) else { return wrong("a roll has three dice") };
                (roll, Some(text.to_ascii_uppercase()))
            }
        };
        let text = roll.to_string();
        let next = Ply { roll: text.clone(), thrown: thrown.clone(), ..Ply::default() };
        self.write(next)?;
        self.since = Some(Instant::now());
        Ok((text, thrown.unwrap_or_else(|| letters(roll.faces()))))
    }

    fn write(&mut self, ply: Ply) -> Result<(), Fail> {
        if !self.is_rolled() && self.file.plies().len() >= MOST_PLIES {
            return Err(Fail::bad(format!("a game has at most {MOST_PLIES} plies here")));
        }
        let before = match self.is_rolled() {
            true => *self.here(),
            false => Rolled { position: self.here().position, dice: Faces::parse(&ply.roll).unwrap_or_default() },
        };
        let was_rolled = self.is_rolled();
        self.file.write(ply.clone()).map_err(|error| Fail::new("disk", error))?;
        if was_rolled {
            self.plies.pop();
        }
        let after = (ply.turn.is_some() && self.here().dice.is_empty()).then(|| *self.here());
        self.plies.push(PlyView::of(&ply, &before, after.as_ref()));
        Ok(())
    }

    fn used(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Plays a turn.
    ///
    /// # Errors
    /// It is not time for it, it is not legal, or it cannot be kept.
    pub fn turn(&mut self, ply: usize, text: &str, said: Option<Said>) -> Result<After, Fail> {
        self.expect(ply, true)?;
        let turn: Turn = text.parse().map_err(|error| Fail::new("illegal", error))?;
        let end = apply_roll(self.here(), turn).map_err(|error| Fail::new("illegal", error))?;
        let side = self.side();
        let used = self.used();
        let used_ms = u64::try_from(used.as_millis()).unwrap_or(u64::MAX);
        let is_timed = self.clocks.limit_ms(side).is_some();
        let mut clocks = self.clocks;
        let Ok(clock_left_ms) = clocks.spend(side, used_ms) else { return Ok(flagged(side)) };
        let said = said.unwrap_or_default();
        let score = said.mate.map(ScoreRecord::Mate).or(said.cp.map(ScoreRecord::Cp));
        let Some(rolled) = self.file.plies().last().cloned() else { return Err(Fail::stale("there is no roll")) };
        self.write(Ply {
            turn: Some(turn.to_string()),
            passed: turn.is_empty(),
            score,
            depth: said.depth,
            nodes: said.nodes,
            time_ms: is_timed.then_some(used.as_micros() as f64 / 1000.0),
            engine_time_ms: said.time_ms.filter(|_| is_timed),
            clock_left_ms,
            ..rolled
        })?;
        self.clocks = clocks;
        self.since = None;
        Ok(match end {
            TurnEnd::KingCaptured => captured(side),
            TurnEnd::Position(position) if position.is_drawn() => {
                After::Over(0.5, EndRecord::new(EndKind::HalfmoveClock))
            }
            TurnEnd::Position(_) => After::GoesOn,
        })
    }

    /// Goes back to the roll of a ply.
    ///
    /// # Errors
    /// There is no such ply to go back to, or it cannot be kept.
    pub fn take_back(&mut self, store: &Store, ply: usize) -> Result<(), Fail> {
        let plies = self.file.plies();
        if ply == 0 || ply > plies.len() || (ply == plies.len() && self.is_rolled()) {
            return Err(Fail::stale("there is no turn of that ply to take back"));
        }
        let mut kept = plies[..ply].to_vec();
        if let Some(last) = kept.last_mut() {
            *last = Ply { roll: last.roll.clone(), thrown: last.thrown.clone(), ..Ply::default() };
        }
        self.file = store.rewrite(self.file.start(), &kept)?;
        (self.clocks, _) = Clocks::after(self.clocks.controls(), self.first, &kept);
        self.since = Some(Instant::now());
        self.view_plies()
    }

    /// A page looks at it: a clock that waited for that runs.
    pub fn wake(&mut self) {
        if self.is_rolled() && self.since.is_none() {
            self.since = Some(Instant::now());
        }
    }

    /// When the flag of this turn falls; none if nothing is timed or nothing runs.
    pub fn flag_at(&self) -> Option<Instant> {
        let limit = self.clocks.limit_ms(self.side()).filter(|_| self.is_rolled())?;
        // What counts is that more than the limit has passed.
        self.since?.checked_add(Duration::from_millis(limit.saturating_add(1)))
    }

    /// Whether it has fallen.
    pub fn flag(&self) -> After {
        match self.flag_at() {
            Some(at) if at <= Instant::now() => flagged(self.side()),
            _ => After::GoesOn,
        }
    }

    /// Ends it. Returns the game for the journal.
    ///
    /// # Errors
    /// Its end cannot be written, and its last turn does not say it: it goes on.
    pub fn end(&mut self, result: f64, end: EndRecord) -> Result<Game, Fail> {
        match self.file.end(result, end.clone()) {
            Ok(game) => Ok(game),
            // The next start of the server would see it, too.
            Err(_) if self.settled() != After::GoesOn => Ok(self.file.end_as(result, end)),
            Err(error) => Err(Fail::new("disk", error)),
        }
    }

    /// Its players, as pages see them.
    pub const fn players(&self) -> &[Player; 2] {
        &self.aside.players
    }

    /// As a record that goes so far.
    pub fn record(&self) -> Game {
        let start = self.file.start();
        game_of(start, self.file.plies(), self.here(), 0.5, EndRecord::new(EndKind::Aborted))
    }

    /// In a list.
    pub fn summary(&self) -> Summary {
        Summary {
            id: self.id().to_owned(),
            names: self.aside.players.each_ref().map(|player| player.name.clone()),
            state: if self.is_rolled() { State::Turn } else { State::Roll },
            plies: self.file.plies().len(),
            side: self.side().into(),
            position: self.here().to_string(),
            started_ms: self.file.start().started_ms,
            end: None,
        }
    }

    /// As pages see it.
    pub fn view(&self) -> GameView {
        let used_ms = u64::try_from(self.used().as_millis()).unwrap_or(u64::MAX);
        let side = self.side();
        let left = |of: Color| self.clocks.left_ms(of, if of == side && self.is_rolled() { used_ms } else { 0 });
        let runs = self.is_rolled() && self.since.is_some() && self.clocks.limit_ms(side).is_some();
        let seed = match &self.file.start().dice {
            DiceSource::Seed { seed, .. } if self.aside.dice == Source::Seed => Some(*seed),
            _ => None,
        };
        GameView {
            id: Some(self.id().to_owned()),
            players: self.aside.players.clone(),
            controls: self.clocks.controls(),
            dice: Dice { source: self.aside.dice, seed },
            opening: self.file.start().opening.clone(),
            started_ms: self.file.start().started_ms,
            plies: self.plies.clone(),
            ply: self.ply(),
            state: if self.is_rolled() { State::Turn } else { State::Roll },
            side: side.into(),
            position: self.here().to_string(),
            steps: if self.is_rolled() { steps(self.here(), &[]).ok() } else { None },
            clocks: ClocksView {
                left_ms: Color::ALL.map(left),
                turns_to_go: Color::ALL.map(|of| self.clocks.turns_to_go(of)),
                running: runs.then(|| side.into()),
            },
            end: None,
            notes: self.notes.clone(),
        }
    }
}

fn white_points(winner: Color) -> f64 {
    if winner == Color::White { 1.0 } else { 0.0 }
}

/// The end by a side that has captured the king.
fn captured(side: Color) -> After {
    let end = EndRecord { player: Some(side.index()), ..EndRecord::new(EndKind::KingCapture) };
    After::Over(white_points(side), end)
}

/// The end by a side whose flag fell.
fn flagged(side: Color) -> After {
    lost(side, EndKind::Time)
}

/// The end by a side that has lost in that way.
pub fn lost(side: Color, kind: EndKind) -> After {
    After::Over(white_points(!side), EndRecord { player: Some(side.index()), ..EndRecord::new(kind) })
}
