//! What a search reports while it runs.

use crate::eval::{Equity, Score};
use crate::rules::{Roll, Turn};

/// One of the best turns found so far.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Info {
    /// Turns looked ahead in full, own one included.
    pub depth: u32,
    /// The most turns looked ahead anywhere.
    pub seldepth: u32,
    /// 1 for the best turn, 2 for the next …
    pub multipv: usize,
    /// What the turn is worth to the side to move.
    pub score: Score,
    /// Positions evaluated so far.
    pub nodes: u64,
    /// How full the transposition table is, in thousandths, if there is one.
    pub hashfull: Option<u32>,
    /// The turn; `None` when a chance node is analysed.
    pub turn: Option<Turn>,
}

impl Info {
    /// The line for a turn that captures the king.
    pub const fn king_capture(turn: Turn) -> Self {
        let score = Score::KingCapture;
        Self { depth: 1, seldepth: 1, multipv: 1, score, nodes: 0, hashfull: None, turn: Some(turn) }
    }
}

/// How wide a search of candidates really was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Width {
    /// Legal turns, every order of micro-moves counted.
    pub turns: u64,
    /// Distinct outcomes among them.
    pub outcomes: usize,
    /// Candidates selected for the search.
    pub selected: usize,
    /// Those searched to the end.
    pub completed: usize,
    /// Those cut or never begun.
    pub abandoned: usize,
    /// Whether no candidate was completed, so that the answer is the pre-ranker's first.
    pub fell_back: bool,
}

/// What one of the 56 rolls of a position before its roll is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RollInfo {
    /// The roll.
    pub roll: Roll,
    /// Turns looked ahead, that of the roll included.
    pub depth: u32,
    /// What the roll is worth to the side that rolls.
    pub score: Score,
    /// Its best turn; [`Turn::PASS`] if it has none.
    pub turn: Turn,
}

/// The state of a rollout.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RolloutInfo {
    /// The turn that is rolled out; `None` if it is the position before the roll.
    pub turn: Option<Turn>,
    /// Games played, at least 1.
    pub games: u32,
    /// The mean result less the luck of the dice, for the side to move.
    pub equity: Equity,
    /// The standard error of `equity`; infinite after one game.
    pub error: f64,
    /// The mean result as it came.
    pub plain: Equity,
    /// The standard error of `plain`; infinite after one game.
    pub plain_error: f64,
}

/// Something a search has to say.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A turn and its score.
    Info(Info),
    /// The candidate looked at now.
    Current {
        /// Turns looked ahead.
        depth: u32,
        /// The candidate.
        turn: Turn,
        /// Its number in the order of search, from 1.
        number: usize,
        /// Positions evaluated so far.
        nodes: u64,
    },
    /// One of the 56 rolls. All of a depth come together, in dice order, and then a line for the position.
    Roll(RollInfo),
    /// A turn or position that is rolled out.
    Rollout(RolloutInfo),
    /// How wide the search was, once at its end.
    Width(Width),
    /// The turn is from the opening book.
    Book {
        /// The turn.
        turn: Turn,
        /// Its weight in the book.
        weight: u32,
        /// How many entries there were to choose from.
        entries: usize,
    },
    /// A remark for people, one line.
    Note(String),
}
