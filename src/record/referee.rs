//! A game being played by the rules: dice by a seed, passes, clocks, and how it ends.
//!
//! The referee knows nothing of who answers and how: callers ask the players, and say what they answered and how long that
//! took.

use super::dice::{DiceSource, seeded_roll};
use super::game::{EndKind, EndRecord, Game, Ply, ScoreRecord, Seat};
use super::{Control, GameClock, Spent};
use crate::board::{Color, Dice, Position, Rolled};
use crate::rules::{Turn, TurnEnd, apply_roll, first_legal_turn};
use std::time::Duration;

/// The most rolls of a game: only positions in which nothing can move get near.
const MOST_ROLLS: usize = 20_000;

/// What a game is before its first roll. See [`Game`] for its numbers.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Its number in the event.
    pub number: u64,
    /// The number of its pair: with the seed it makes the dice.
    pub pair: u64,
    /// Which half of the pair.
    pub half: u8,
    /// White and Black by their places among the players of the event.
    pub players: [usize; 2],
    /// Their names.
    pub names: [String; 2],
    /// What bounds them.
    pub controls: [Control; 2],
    /// Forgiven below zero on a clock.
    pub margin: Duration,
    /// When it began, in milliseconds since 1970, if it is one of an event in which time decides anything: its times are
    /// written down then.
    pub started_ms: Option<u64>,
    /// The seed of the dice.
    pub seed: u64,
    /// The starting position.
    pub opening: Position,
}

/// What a player said of its search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Said {
    /// What the best turn is worth.
    pub score: Option<ScoreRecord>,
    /// Turns looked ahead.
    pub depth: Option<u32>,
    /// Positions evaluated.
    pub nodes: Option<u64>,
    /// Its own measure of time, in milliseconds.
    pub time_ms: Option<u64>,
}

/// How a game is over.
#[derive(Clone, PartialEq, Debug)]
pub struct Ending {
    /// White's points.
    pub result: f64,
    /// How it ended.
    pub kind: EndKind,
    /// Who brought it about; none for draws and adjudications.
    pub through: Option<Color>,
    /// What exactly, for people.
    pub detail: String,
}

impl Ending {
    /// A loss of that side.
    pub fn lost(loser: Color, kind: EndKind, detail: String) -> Self {
        let result = if loser == Color::White { 0.0 } else { 1.0 };
        Self { result, kind, through: Some(loser), detail }
    }

    /// A draw.
    pub fn drawn(kind: EndKind, detail: String) -> Self {
        Self { result: 0.5, kind, through: None, detail }
    }
}

/// A game being played.
///
/// # Examples
/// Two players who play the first turn that there is, each in a second:
/// ```
/// use astragal::board::{Position, Rolled, STARTPOS};
/// use astragal::record::{Control, Referee, Said, Setting, replay};
/// use astragal::rules::first_legal_turn;
/// use std::time::Duration;
///
/// let control: Control = "600+1".parse()?;
/// let mut referee = Referee::new(Setting {
///     number: 0,
///     pair: 0,
///     half: 0,
///     players: [0, 1],
///     names: ["one", "other"].map(str::to_owned),
///     controls: [control; 2],
///     margin: Duration::ZERO,
///     started_ms: Some(0),
///     seed: 1,
///     opening: Rolled::from_dfen(STARTPOS)?.position,
/// });
/// let ending = loop {
///     if let Some(ending) = referee.throw() {
///         break ending;
///     }
///     let turn = first_legal_turn(referee.position());
///     if let Some(ending) = referee.answer(Ok(turn), Said::default(), Duration::from_secs(1)) {
///         break ending;
///     }
/// };
/// let game = referee.game(ending);
/// assert!(replay(&game, |_, _, _| ()).is_ok() && game.dice.check(&game).is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Referee {
    setting: Setting,
    clock: GameClock,
    here: Rolled,
    plies: Vec<Ply>,
}

impl Referee {
    /// Before the first roll.
    pub fn new(setting: Setting) -> Self {
        let clock = GameClock::with(setting.controls, setting.margin);
        let here = Rolled { position: setting.opening, dice: Dice::NONE };
        Self { setting, clock, here, plies: Vec::new() }
    }

    /// Throws the dice of the next ply, and of those after it while nothing can move: then nobody is asked, and the clocks
    /// stand still. The end of the game if it is too long; else somebody is to answer.
    pub fn throw(&mut self) -> Option<Ending> {
        while self.here.dice.is_empty() {
            let Setting { seed, pair, .. } = self.setting;
            let roll = seeded_roll(seed, pair, self.plies.len() as u64);
            self.plies.push(Ply { roll: roll.to_string(), ..Ply::default() });
            self.here.dice = roll.dice();
            if self.plies.len() > MOST_ROLLS {
                return Some(Ending::drawn(EndKind::Adjudicated, format!("no end after {MOST_ROLLS} rolls")));
            }
            if first_legal_turn(&self.here) == Turn::PASS {
                self.pass();
            }
        }
        None
    }

    fn pass(&mut self) {
        let side = self.here.position.side();
        if let Some(ply) = self.plies.last_mut() {
            ply.turn = Some(Turn::PASS.to_string());
            ply.passed = true;
            ply.clock_left_ms = self.clock.view(side).map(|view| view.left_ms[side.index()] as i64);
        }
        self.here = Rolled { position: self.here.position.end_turn(), dice: Dice::NONE };
    }

    /// Where the game is: with its dice when somebody is to answer, without them after an answer.
    pub const fn position(&self) -> &Rolled {
        &self.here
    }

    /// The clocks.
    pub const fn clock(&self) -> &GameClock {
        &self.clock
    }

    /// Books what the player to move said, and what it took; where that is no answer to judge, the caller knows the end.
    pub fn book(&mut self, said: Said, took: Duration) -> Spent {
        let spent = self.clock.spend(self.here.position.side(), took);
        if let Some(ply) = self.plies.last_mut() {
            (ply.score, ply.depth, ply.nodes) = (said.score, said.depth, said.nodes);
            if self.setting.started_ms.is_some() {
                ply.time_ms = Some(took.as_micros() as f64 / 1000.0);
                ply.engine_time_ms = said.time_ms;
                ply.clock_left_ms = match spent {
                    Spent::Within(left) => left,
                    Spent::Flagged { over_ms } => Some(-(over_ms as i64)),
                };
            }
        }
        spent
    }

    /// Judges what the player to move answered: a turn, or how it loses instead, such as by
    /// [`Resignation`](EndKind::Resignation) or with a text that is no turn. The flag is judged first, whatever the answer
    /// is. The end of the game, if this is it.
    pub fn answer(&mut self, turn: Result<Turn, (EndKind, String)>, said: Said, took: Duration) -> Option<Ending> {
        let side = self.here.position.side();
        if let Spent::Flagged { over_ms } = self.book(said, took) {
            return Some(Ending::lost(side, EndKind::Time, format!("{over_ms} ms too late")));
        }
        let turn = match turn {
            Ok(turn) => turn,
            Err((kind, detail)) => return Some(Ending::lost(side, kind, detail)),
        };
        let end = match apply_roll(&self.here, turn) {
            Ok(end) => end,
            Err(error) => {
                let detail = format!("{turn} at {}: {error}", self.here);
                return Some(Ending::lost(side, EndKind::IllegalTurn, detail));
            }
        };
        if let Some(ply) = self.plies.last_mut() {
            ply.turn = Some(turn.to_string());
        }
        match end {
            TurnEnd::KingCaptured => {
                let won = Ending::lost(!side, EndKind::KingCapture, String::new());
                Some(Ending { through: Some(side), ..won })
            }
            TurnEnd::Position(next) => {
                self.here = Rolled { position: next, dice: Dice::NONE };
                next.is_drawn().then(|| Ending::drawn(EndKind::HalfmoveClock, String::new()))
            }
        }
    }

    /// The game with this end, its luck not measured.
    pub fn game(self, ending: Ending) -> Game {
        let Setting { number, pair, half, players: [white, black], names, controls, started_ms, seed, opening, .. } =
            self.setting;
        let Ending { result, kind, through, detail } = ending;
        let player = through.map(|side| [white, black][side.index()]);
        let [one, other] = names;
        let seat = |name, control: Control| Seat { name, control: control.to_string() };
        Game {
            number,
            pair,
            half,
            id: None,
            white,
            black,
            seats: [seat(one, controls[0]), seat(other, controls[1])],
            started_ms,
            dice: DiceSource::Seed { seed, pair },
            luck_by: None,
            opening: opening.to_string(),
            plies: self.plies,
            result,
            end: EndRecord { kind, player, detail, last_lines: Vec::new() },
            final_dfen: self.here.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTPOS;
    use crate::record::replay;

    fn referee(opening: &str, control: &str, margin: u64) -> Referee {
        let control: Control = control.parse().expect(control);
        Referee::new(Setting {
            number: 5,
            pair: 2,
            half: 1,
            players: [1, 0],
            names: ["b", "a"].map(str::to_owned),
            controls: [control; 2],
            margin: Duration::from_millis(margin),
            started_ms: control.is_timed().then_some(77),
            seed: 7,
            opening: Rolled::from_dfen(opening).expect(opening).position,
        })
    }

    fn first(referee: &Referee) -> Result<Turn, (EndKind, String)> {
        Ok(first_legal_turn(referee.position()))
    }

    /// Plays first turns, each of so many milliseconds, to the end.
    fn played(mut referee: Referee, ms: u64) -> Game {
        loop {
            if let Some(ending) = referee.throw() {
                return referee.game(ending);
            }
            let turn = first(&referee);
            if let Some(ending) = referee.answer(turn, Said::default(), Duration::from_millis(ms)) {
                return referee.game(ending);
            }
        }
    }

    #[test]
    fn untimed_games_hold_no_times_and_their_dice_are_those_of_the_pair() {
        let game = played(referee(STARTPOS, "untimed", 0), 1000);
        assert_eq!((game.number, game.pair, game.half, game.white, game.black), (5, 2, 1, 1, 0));
        assert_eq!(game.dice, DiceSource::Seed { seed: 7, pair: 2 });
        assert!(game.dice.check(&game).is_ok() && replay(&game, |_, _, _| ()).is_ok());
        assert!(game.plies.iter().all(|ply| ply.time_ms.is_none() && ply.clock_left_ms.is_none()));
        assert!(matches!(game.end.kind, EndKind::KingCapture | EndKind::HalfmoveClock));
    }

    #[test]
    fn a_clock_runs_down_and_its_flag_is_judged_before_the_answer() {
        let game = played(referee(STARTPOS, "10+1", 0), 3000);
        assert_eq!(
            (game.end.kind, game.end.detail.as_str(), game.started_ms),
            (EndKind::Time, "1000 ms too late", Some(77))
        );
        let left: Vec<_> = game.plies.iter().filter(|ply| !ply.passed).map(|ply| ply.clock_left_ms).collect();
        // 10 − 3 + 1, 6, 4, 2, and then 3 of 2.
        assert_eq!(left[..4], [Some(8000), Some(8000), Some(6000), Some(6000)], "{left:?}");
        assert_eq!(left.last(), Some(&Some(-1000)));
        assert_eq!(game.plies.last().and_then(|ply| ply.turn.clone()), None);

        for turn in [Ok(Turn::PASS), Err((EndKind::Resignation, String::new()))] {
            let mut late = referee(STARTPOS, "1+0", 10);
            assert_eq!(late.throw(), None);
            let ending = late.answer(turn.clone(), Said::default(), Duration::from_millis(1011)).expect("it is over");
            assert_eq!((ending.kind, ending.detail.as_str()), (EndKind::Time, "11 ms too late"));
            let mut margin = referee(STARTPOS, "1+0", 10);
            assert_eq!(margin.throw(), None);
            let ending = margin.answer(turn, Said::default(), Duration::from_millis(1010)).expect("it is over");
            assert_ne!(ending.kind, EndKind::Time);
        }
    }

    #[test]
    fn passes_cost_no_time_and_ask_nobody() {
        // Only kings: a roll without a king is a pass.
        let game = played(referee("4k3/8/8/8/8/8/8/4K3 w - - 0 1 -", "100+0", 0), 10);
        let passes: Vec<_> = game.plies.iter().filter(|ply| ply.passed).collect();
        assert!(!passes.is_empty() && passes.iter().all(|ply| ply.time_ms.is_none() && ply.clock_left_ms.is_some()));
        let asked = game.plies.iter().filter(|ply| !ply.passed).count() as i64;
        let lefts = game.plies.iter().rev().filter_map(|ply| ply.clock_left_ms).take(2).sum::<i64>();
        assert!(lefts >= 200_000 - 10 * asked, "{lefts} after {asked}");
    }

    #[test]
    fn every_way_to_lose_is_told() {
        let lost = |turn| {
            let mut referee = referee(STARTPOS, "untimed", 0);
            assert_eq!(referee.throw(), None);
            let is_white = referee.position().position.side() == Color::White;
            let ending = referee.answer(turn, Said::default(), Duration::ZERO).expect("it is over");
            let game = referee.game(ending);
            let expected = if is_white { (0.0, Some(1)) } else { (1.0, Some(0)) };
            assert_eq!((game.result, game.end.player), expected, "White's place is 1");
            assert_eq!(game.plies.last().and_then(|ply| ply.turn.clone()), None);
            (game.end.kind, game.end.detail)
        };
        let (kind, detail) = lost(Ok("a1a8".parse().expect("a turn")));
        assert!(kind == EndKind::IllegalTurn && detail.starts_with("a1a8 at rnbq"), "{detail}");
        assert_eq!(lost(Err((EndKind::Resignation, String::new()))), (EndKind::Resignation, String::new()));
        assert_eq!(lost(Err((EndKind::IllegalTurn, "x".to_owned()))), (EndKind::IllegalTurn, "x".to_owned()));
    }

    #[test]
    fn a_king_is_captured_by_whoever_moves_and_fifty_moves_are_a_draw() {
        let mut game = referee("4k3/8/8/8/8/8/8/4K2R w - - 0 1 -", "untimed", 0);
        game.here.dice = Dice::parse("RRR").expect("dice");
        game.plies.push(Ply { roll: "RRR".to_owned(), ..Ply::default() });
        let turn = "h1h8,h8e8".parse().expect("a turn");
        let ending = game.answer(Ok(turn), Said::default(), Duration::ZERO).expect("it is over");
        assert_eq!((ending.result, ending.kind, ending.through), (1.0, EndKind::KingCapture, Some(Color::White)));
        assert_eq!(game.game(ending).final_dfen, "4k3/8/8/8/8/8/8/4K2R w - - 0 1 RRR");

        let mut game = referee("4k3/8/8/8/8/8/8/4K2R w - - 99 60 -", "untimed", 0);
        game.here.dice = Dice::parse("RRR").expect("dice");
        game.plies.push(Ply { roll: "RRR".to_owned(), ..Ply::default() });
        let turn = "h1h2,h2h3,h3h4".parse().expect("a turn");
        let ending = game.answer(Ok(turn), Said::default(), Duration::ZERO).expect("it is over");
        assert_eq!(ending, Ending::drawn(EndKind::HalfmoveClock, String::new()));
    }
}
