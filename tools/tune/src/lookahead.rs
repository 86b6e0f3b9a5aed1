//! What a position is worth when the evaluation looks one turn further: the mean over all rolls of the best turn.

use astragal::board::Position;
use astragal::eval::{Equity, evaluate_quietly, with_king_capture, with_king_capture_below};
use astragal::rules::{ChanceNode, Roll, winning_rolls};

/// Looks at the best turn of every roll; keeps its buffers from one position to the next.
#[derive(Default)]
pub struct Lookahead {
    node: ChanceNode,
    replies: Vec<Reply>,
}

/// A position after a turn, and what it is worth to its side to roll without the chance to capture the king.
#[derive(Clone, Copy)]
struct Reply {
    quiet: f64,
    position: Position,
}

/// What a position was found to be worth.
pub struct Sight {
    /// The weight, of 216, of the rolls that capture the king.
    pub captures: u32,
    /// The mean of what the best turns are worth to the side to roll; 1 for a capture of the king.
    pub value: f64,
    /// By roll the position after the best turn; none after a capture of the king.
    pub best: [Option<Position>; Roll::COUNT],
}

impl Lookahead {
    /// Finds the best turn of every roll by the evaluation.
    pub fn look(&mut self, position: &Position) -> Sight {
        let won = winning_rolls(position);
        self.node.expand(position, won.complement());
        let mut sight = Sight { captures: won.weight(), value: f64::from(won.weight()), best: [None; Roll::COUNT] };
        for roll in Roll::all().filter(|&roll| !won.has(roll)) {
            self.list_replies(roll);
            if let Some((value, reply)) = self.best_reply() {
                sight.value -= f64::from(roll.weight()) * value;
                sight.best[roll.index()] = Some(reply);
            }
        }
        sight.value /= f64::from(Roll::TOTAL_WEIGHT);
        sight
    }

    fn list_replies(&mut self, roll: Roll) {
        let Self { node, replies } = self;
        replies.clear();
        node.visit(roll, |leaf| replies.push(Reply::to(leaf.position())));
        if replies.is_empty() {
            replies.extend(node.passed().map(Reply::to));
        }
    }

    /// The reply worth the least to the side that is then to roll, and how much. The chance to capture the king only
    /// adds to a value, so it is asked for in the order of the values without it, as long as it can matter.
    fn best_reply(&mut self) -> Option<(f64, Position)> {
        let first = *self.replies.iter().min_by(|a, b| a.quiet.total_cmp(&b.quiet))?;
        let mut best = (first.value_below(f64::INFINITY)?, first.position);
        self.replies.retain(|reply| reply.quiet < best.0);
        self.replies.sort_unstable_by(|a, b| a.quiet.total_cmp(&b.quiet));
        for reply in &self.replies {
            if reply.quiet >= best.0 {
                break;
            }
            if let Some(value) = reply.value_below(best.0).filter(|&value| value < best.0) {
                best = (value, reply.position);
            }
        }
        Some(best)
    }
}

impl Reply {
    fn to(position: Position) -> Self {
        let quiet =
            if position.is_drawn() { Equity::DRAWN } else { Equity::from_centipawns(evaluate_quietly(&position)) };
        Self { quiet: quiet.value(), position }
    }

    /// What the position is worth if that is less than `limit`; else perhaps `None`.
    fn value_below(&self, limit: f64) -> Option<f64> {
        if self.position.is_drawn() {
            return Some(self.quiet);
        }
        let quiet = Equity::new(self.quiet);
        if limit > 1.0 {
            return Some(with_king_capture(quiet, &self.position).value());
        }
        with_king_capture_below(quiet, &self.position, limit).map(Equity::value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::Rolled;
    use astragal::eval::evaluate;
    use astragal::rules::outcomes;

    /// The definition: every outcome of every roll evaluated.
    fn slowly(position: Position) -> f64 {
        let best = |roll: Roll| {
            let found = outcomes(&Rolled { position, dice: roll.dice() });
            if found.king_capture.is_some() {
                return 1.0;
            }
            let values = found.distinct.iter().map(|outcome| {
                let next = &outcome.position;
                if next.is_drawn() { 0.0 } else { -evaluate(next).value() }
            });
            values.fold(-1.0, f64::max)
        };
        let sum: f64 = Roll::all().map(|roll| f64::from(roll.weight()) * best(roll)).sum();
        sum / f64::from(Roll::TOTAL_WEIGHT)
    }

    #[test]
    fn the_value_is_the_mean_of_the_best_turns() {
        let mut lookahead = Lookahead::default();
        for dfen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 -",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 -",
            "4k3/8/8/8/8/8/8/4K2R w - - 97 80 -",
            "7k/8/8/8/8/8/8/K7 b - - 0 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{error}")).position;
            let sight = lookahead.look(&position);
            assert!((sight.value - slowly(position)).abs() < 1e-12, "{dfen}: {}", sight.value);
            assert_eq!(sight.captures, winning_rolls(&position).weight(), "{dfen}");
            let known = sight.best.iter().zip(Roll::all()).filter(|(best, _)| best.is_none());
            assert_eq!(known.map(|(_, roll)| roll.weight()).sum::<u32>(), sight.captures, "{dfen}");
        }
    }
}
