//! How candidates are ranked before they are searched.

use crate::board::Position;
use crate::eval::network::{Network, SHIPPED};
use crate::eval::{BuiltinEvaluator, Equity, aggressive_score, evaluate, evaluate_by, evaluate_quietly};

/// What orders candidates before they are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PreRanker {
    /// By material, activity and the opponent's exact chance to capture the king.
    #[default]
    Full,
    /// The same, corrected by the network.
    Network,
    /// By material and activity.
    Quiet,
    /// By the score of the `aggressive` bot.
    Aggressive,
}

impl PreRanker {
    /// What the position after a turn is worth to the side that made it; the network is the one in the program.
    pub fn value(self, position: &Position) -> Equity {
        self.value_by(&SHIPPED, position)
    }

    /// The same by another network.
    pub(super) fn value_by(self, network: &Network, position: &Position) -> Equity {
        if position.is_drawn() {
            return Equity::DRAWN;
        }
        match self {
            Self::Full => -evaluate(position),
            Self::Network => -evaluate_by(network, position),
            Self::Quiet => -Equity::from_centipawns(evaluate_quietly(position)),
            Self::Aggressive => Equity::from_centipawns(aggressive_score(position)),
        }
    }
}

ids! {
    PreRanker, UnknownPreRanker, "pre-ranker":
    Full = BuiltinEvaluator::Full.id(),
    Network = BuiltinEvaluator::Network.id(),
    Quiet = BuiltinEvaluator::Quiet.id(),
    Aggressive = "aggressive",
}
