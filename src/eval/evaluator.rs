//! The trait behind which every static evaluation stands, and the built-in ones.

use super::king_capture::probability;
use super::network::{Network, NetworkEvaluator, SHIPPED};
use super::{Accumulator, Equity, material_balance};
use crate::board::Position;
use crate::rules::{Roll, RollSet, winning_rolls, winning_rolls_below};
use std::sync::Arc;

/// Says what positions before a roll are worth to the side to move; dice are no part of the question.
pub trait Evaluator: Send {
    /// Appends the value of each position, in order. Draws by the half-move clock are the caller's business.
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>);

    /// Whether the exact chance to capture the king with the next roll has yet to be added to the values (by
    /// [`with_king_capture`]).
    fn lacks_king_capture(&self) -> bool;

    /// The same evaluator for another thread.
    fn for_another_thread(&self) -> Box<dyn Evaluator>;
}

/// The value of a position whose evaluation without the chance to capture the king is `quiet`. Never below `quiet`, so
/// a caller that looks for the smallest value need not ask for positions above what it has.
#[inline]
pub fn with_king_capture(quiet: Equity, position: &Position) -> Equity {
    mixed(quiet.value(), winning_rolls(position))
}

/// The same if it is below `limit`; else perhaps `None`, which costs less.
pub fn with_king_capture_below(quiet: Equity, position: &Position, limit: f64) -> Option<Equity> {
    let quiet = quiet.value();
    // The chance from which on the value is no smaller than the limit; a little more, so that rounding is on the safe
    // side.
    let chance = (limit - quiet) / (1.0 - quiet) + 1e-9;
    // The conversion saturates and takes what is no number as 0, with which nothing is computed: so is a quiet value
    // of 1, which no chance makes better.
    let weight = (chance * f64::from(Roll::TOTAL_WEIGHT)).ceil() as u32;
    winning_rolls_below(position, weight).map(|won| mixed(quiet, won))
}

/// What an evaluator says of a position with the chance to capture the king, in −1..=1; a draw by the half-move clock is
/// 0. `values` is a buffer.
#[inline]
pub(crate) fn full_value(evaluator: &mut dyn Evaluator, position: &Position, values: &mut Vec<Equity>) -> f64 {
    if position.is_drawn() {
        return 0.0;
    }
    values.clear();
    evaluator.evaluate(std::slice::from_ref(position), values);
    let quiet = values.first().copied().unwrap_or_default();
    if evaluator.lacks_king_capture() { with_king_capture(quiet, position).value() } else { quiet.value() }
}

/// The king is captured with these rolls; with all others the position is worth `quiet`.
#[inline]
fn mixed(quiet: f64, won: RollSet) -> Equity {
    let captures = probability(won);
    Equity::new(captures + (1.0 - captures) * quiet)
}

/// The evaluations that need no model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BuiltinEvaluator {
    /// Material, placement and the exact chance to capture the king.
    #[default]
    Full,
    /// Material and placement.
    Quiet,
    /// Material alone.
    Material,
    /// `Full`, corrected by the network that is part of the program.
    Network,
}

impl BuiltinEvaluator {
    /// The evaluator of that name.
    pub fn evaluator(self) -> Box<dyn Evaluator> {
        self.evaluator_by(&SHIPPED)
    }

    /// The same, with this network for `Network`.
    pub fn evaluator_by(self, network: &Arc<Network>) -> Box<dyn Evaluator> {
        match self {
            Self::Network => Box::new(NetworkEvaluator::new(network.clone())),
            Self::Full | Self::Quiet | Self::Material => Box::new(StaticEvaluator { kind: self, last: None }),
        }
    }
}

/// Evaluates by sums of weights; positions that differ little from the one before take little time.
#[derive(Clone, Debug)]
struct StaticEvaluator {
    kind: BuiltinEvaluator,
    last: Option<Accumulator>,
}

impl StaticEvaluator {
    #[inline]
    fn centipawns(&mut self, position: &Position) -> i32 {
        if self.kind == BuiltinEvaluator::Material {
            return material_balance(position);
        }
        match &mut self.last {
            Some(last) => {
                last.update(position);
                last.value()
            }
            none => none.insert(Accumulator::new(position)).value(),
        }
    }
}

impl Evaluator for StaticEvaluator {
    #[inline]
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) {
        Equity::extend_from_centipawns(values, positions, |position| self.centipawns(position));
    }

    #[inline]
    fn lacks_king_capture(&self) -> bool {
        self.kind == BuiltinEvaluator::Full
    }

    fn for_another_thread(&self) -> Box<dyn Evaluator> {
        Box::new(self.clone())
    }
}

ids! {
    BuiltinEvaluator, UnknownEvaluator, "evaluation": Full = "full", Quiet = "quiet", Material = "material",
    Network = "network",
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;

    #[test]
    fn a_value_below_the_limit_is_exact_and_none_is_at_least_the_limit() {
        for dfen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1 -",
            "QQQQkQQQ/8/8/8/8/8/8/K7 w - - 0 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{error}")).position;
            for quiet in [-1.0, -0.3, 0.0, 0.9, 1.0].map(Equity::new) {
                let full = with_king_capture(quiet, &position);
                for limit in
                    [-1.0, quiet.value(), full.value() - 1e-6, full.value(), full.value() + 1e-6, 0.5, 1.0, 2.0]
                {
                    match with_king_capture_below(quiet, &position, limit) {
                        Some(value) => assert_eq!(value, full, "{dfen} {quiet:?} {limit}"),
                        None => assert!(full.value() >= limit, "{dfen} {quiet:?} {limit}: {full:?}"),
                    }
                }
            }
        }
    }
}
