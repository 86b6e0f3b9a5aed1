//! Luck: what a roll was worth beyond the mean of all rolls, by one fixed evaluator.
//!
//! The value of a roll is that of its best outcome: 1 if it captures the king, else the best static evaluation of a
//! position it leads to. The evaluator knows nothing of the players, and the mean is taken over all 56 weighted rolls
//! of the same position; so the luck of a fair roll has a mean of exactly zero whoever plays, and its sum over a game
//! is a control variate.

use astragal::board::Position;
use astragal::eval::{Equity, evaluate, evaluate_quietly, with_king_capture};
use astragal::rules::{ChanceNode, Roll, RollSet, winning_rolls};

/// Measures luck; keeps its buffers from one position to the next.
#[derive(Default)]
pub struct LuckMeter {
    node: ChanceNode,
    leaves: Vec<(i32, Position)>,
}

impl LuckMeter {
    /// A meter with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The luck of the side to move in throwing that roll: between −2 and 2, and usually within 0.5.
    pub fn luck(&mut self, position: &Position, thrown: Roll) -> f64 {
        let winning = winning_rolls(position);
        self.node.expand(position, winning.complement());
        let (mut sum, mut of_thrown) = (0.0, 0.0);
        for roll in Roll::all() {
            let value = self.value(winning, roll);
            sum += f64::from(roll.weight()) * value;
            if roll == thrown {
                of_thrown = value;
            }
        }
        of_thrown - sum / f64::from(Roll::TOTAL_WEIGHT)
    }

    /// The value of the best outcome of a roll to the mover.
    fn value(&mut self, winning: RollSet, roll: Roll) -> f64 {
        if winning.has(roll) {
            return 1.0;
        }
        let Self { node, leaves } = self;
        leaves.clear();
        let mut drawn = false;
        let count = node.visit(roll, |leaf| {
            let position = leaf.position();
            if position.is_drawn() {
                drawn = true;
            } else {
                leaves.push((evaluate_quietly(&position), position));
            }
        });
        if count == 0 {
            return node.passed().map_or(0.0, |passed| -evaluate(&passed).value());
        }
        // The opponent's equity, to be as small as possible. It is never below its quiet part, so the leaves are
        // looked at from the smallest quiet part up, until none that follows can be smaller.
        leaves.sort_unstable_by_key(|&(quiet, position)| (quiet, position.key()));
        let mut least = if drawn { 0.0 } else { f64::INFINITY };
        for (quiet, position) in leaves {
            let quiet = Equity::from_centipawns(*quiet);
            if quiet.value() >= least {
                break;
            }
            least = least.min(with_king_capture(quiet, position).value());
        }
        -least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::{Rolled, STARTPOS};
    use astragal::rules::outcomes;

    const POSITIONS: [&str; 4] = [
        STARTPOS,
        "r1bqk2r/pp2bppp/2n2n2/3pp3/4P3/2NP1N2/PPP1BPPP/R1BQ1RK1 b kq - 2 7 -",
        "8/5k2/1p2p3/4P3/5K2/5R2/8/2r5 w - - 0 45 -",
        "4k3/8/8/8/8/8/8/4K2R b K - 60 50 -",
    ];

    #[test]
    fn the_mean_over_all_rolls_is_zero() {
        let mut meter = LuckMeter::new();
        for dfen in POSITIONS {
            let position = Rolled::from_dfen(dfen).expect(dfen).position;
            let lucks: Vec<(u32, f64)> = Roll::all().map(|roll| (roll.weight(), meter.luck(&position, roll))).collect();
            let mean: f64 = lucks.iter().map(|&(weight, luck)| f64::from(weight) * luck).sum();
            assert!(mean.abs() < 1e-10, "{dfen}: {mean}");
            let most = lucks.iter().map(|&(_, luck)| luck.abs()).fold(0.0, f64::max);
            // A bare king far from everything is almost as well off with any roll.
            let all_alike = dfen == POSITIONS[3];
            assert_eq!(most < 0.05, all_alike, "{dfen}: {most}");
        }
    }

    #[test]
    fn the_value_of_a_roll_is_that_of_its_best_outcome() {
        let mut meter = LuckMeter::new();
        for dfen in POSITIONS {
            let position = Rolled::from_dfen(dfen).expect(dfen).position;
            let winning = winning_rolls(&position);
            meter.node.expand(&position, winning.complement());
            for roll in Roll::all() {
                let found = outcomes(&Rolled { position, dice: roll.dice() });
                let slow = match found.king_capture {
                    Some(_) => 1.0,
                    None => {
                        let values = found.distinct.iter().map(|outcome| -evaluate(&outcome.position).value());
                        values.fold(f64::NEG_INFINITY, f64::max)
                    }
                };
                assert_eq!(meter.value(winning, roll), slow, "{dfen} {roll}");
            }
        }
    }
}
