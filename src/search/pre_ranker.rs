//! How candidates are ranked before they are searched.

use crate::board::Position;
use crate::eval::{Equity, aggressive_score, evaluate, evaluate_quietly};
use std::str::FromStr;

/// What orders candidates before they are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PreRanker {
    /// By material, activity and the opponent's exact chance to capture the king.
    #[default]
    Full,
    /// By material and activity.
    Quiet,
    /// By the score of the `aggressive` bot.
    Aggressive,
}

impl PreRanker {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Quiet, Self::Aggressive];

    /// Its stable name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quiet => "quiet",
            Self::Aggressive => "aggressive",
        }
    }

    /// What the position after a turn is worth to the side that made it.
    pub fn value(self, position: &Position) -> Equity {
        if position.is_drawn() {
            return Equity::DRAWN;
        }
        match self {
            Self::Full => -evaluate(position),
            Self::Quiet => -Equity::from_centipawns(evaluate_quietly(position)),
            Self::Aggressive => Equity::from_centipawns(aggressive_score(position)),
        }
    }
}

impl FromStr for PreRanker {
    type Err = UnknownPreRanker;

    fn from_str(text: &str) -> Result<Self, UnknownPreRanker> {
        Self::ALL.into_iter().find(|ranker| ranker.id().eq_ignore_ascii_case(text)).ok_or(UnknownPreRanker)
    }
}

/// There is no pre-ranker of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no such pre-ranker; there are full, quiet and aggressive")]
pub struct UnknownPreRanker;
