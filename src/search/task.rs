//! What a bot is asked.

use crate::board::Rolled;
use crate::rules::Turn;
use smallvec::SmallVec;

/// Where a search ends by itself. Without limits it ends at a depth of its own (see each bot).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Turns to look ahead, own one included, from 1; 0 counts as 1.
    pub depth: Option<u32>,
    /// Positions to evaluate. The search stops at the first dice roll after so many.
    pub nodes: Option<u64>,
}

/// What is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Pick a turn, or without dice value the position; a limit of its own ends it if the task has none.
    #[default]
    Decide,
    /// The same until somebody says that it is enough.
    Analyse,
    /// Without dice: value each of the 56 rolls by itself. With dice it is the same as deciding or analysing.
    EachRoll {
        /// Whether somebody is going to say when it is enough.
        until_stopped: bool,
    },
    /// Think on the opponent's time, until told to stop. Such a search has no deadline, yet it is a part of the game: it
    /// uses and keeps what is learned in it, as searches under a deadline do. All others without a deadline begin from
    /// nothing, so that they repeat themselves.
    Ponder,
}

impl Mode {
    /// Whether somebody is going to say when it is enough, so that no default limits the search.
    pub const fn is_until_stopped(self) -> bool {
        matches!(self, Self::Analyse | Self::Ponder | Self::EachRoll { until_stopped: true })
    }
}

/// The turns that a search is restricted to: mostly none, seldom more than a few.
pub type SearchMoves = SmallVec<[Turn; 4]>;

/// A question to a bot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Task {
    /// The position and the dice to play. Without dice the chance node itself is analysed.
    pub rolled: Rolled,
    /// Where to end.
    pub limits: Limits,
    /// The only turns to think about; all legal ones if empty.
    pub search_moves: SearchMoves,
    /// How many of the best turns to report, at least 1.
    pub multi_pv: usize,
    /// What is asked for.
    pub mode: Mode,
}

impl Task {
    /// Whether what a turn is worth is asked for, so that even an only turn is to be searched; with a clock, which then
    /// runs for nothing, it never is.
    pub const fn asks_for_a_value(&self) -> bool {
        self.limits.depth.is_some()
            || self.limits.nodes.is_some()
            || matches!(self.mode, Mode::Analyse | Mode::EachRoll { until_stopped: true })
    }

    /// The question what to play here, without limits.
    pub const fn new(rolled: Rolled) -> Self {
        Self {
            rolled,
            limits: Limits { depth: None, nodes: None },
            search_moves: SearchMoves::new_const(),
            multi_pv: 1,
            mode: Mode::Decide,
        }
    }
}
