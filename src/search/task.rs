//! What a bot is asked.

use crate::board::Rolled;
use crate::rules::Turn;

/// Where a search ends by itself. Without limits it ends when it can learn no more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Turns to look ahead, own one included, from 1; 0 counts as 1.
    pub depth: Option<u32>,
    /// Positions to evaluate. The search stops at the first dice roll after so many.
    pub nodes: Option<u64>,
}

/// A question to a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The position and the dice to play. Without dice the chance node itself is analysed.
    pub rolled: Rolled,
    /// Where to end.
    pub limits: Limits,
    /// The only turns to think about; all legal ones if empty.
    pub search_moves: Vec<Turn>,
    /// How many of the best turns to report, at least 1.
    pub multi_pv: usize,
    /// Whether somebody is going to say when it is enough, so that no default limits the search.
    pub until_stopped: bool,
    /// Whether to look at each of the 56 rolls by itself when there are no dice.
    pub each_roll: bool,
    /// Whether this is thought about on the opponent's time. Such a search has no deadline, yet it is a part of the game:
    /// it uses and keeps what is learned in it, as searches under a deadline do. All others without a deadline begin
    /// from nothing, so that they repeat themselves.
    pub ponder: bool,
}

impl Task {
    /// The question what to play here, without limits.
    pub const fn new(rolled: Rolled) -> Self {
        Self {
            rolled,
            limits: Limits { depth: None, nodes: None },
            search_moves: Vec::new(),
            multi_pv: 1,
            until_stopped: false,
            each_roll: false,
            ponder: false,
        }
    }
}
