//! Luck: what a roll was worth beyond the mean of all rolls, by one fixed evaluator.
//!
//! The value of a roll is that of its best outcome: 1 if it captures the king, else the best static evaluation of a
//! position it leads to (see [`RollReplies`](crate::eval::RollReplies)). The evaluator knows nothing of the players,
//! and the mean is taken over all 56 weighted rolls of the same position; so the luck of a fair roll has a mean of exactly
//! zero whoever plays, and its sum over a game is a control variate.

use crate::board::{Color, Position};
use crate::eval::ReplyFinder;
use crate::record::{Game, LINEAR_EVALUATION, ReplayError, replay};
use crate::rules::Roll;

/// Measures luck; keeps its buffers from one position to the next.
#[derive(Default)]
pub struct LuckMeter {
    finder: ReplyFinder,
}

impl LuckMeter {
    /// A meter with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// The luck of the side to move in throwing that roll: between −2 and 2, and usually within 0.5.
    pub fn luck(&mut self, position: &Position, thrown: Roll) -> f64 {
        self.finder.find(position).luck(thrown)
    }

    /// Writes the luck of every roll into a game, from White's view.
    ///
    /// # Errors
    /// The game cannot have been played so; nothing is written then.
    pub fn measure(&mut self, game: &mut Game) -> Result<(), ReplayError> {
        let mut lucks = Vec::with_capacity(game.plies.len());
        replay(game, |_, rolled, _| {
            // A roll of a record that is played over has three dice.
            let luck = Roll::from_dice(rolled.dice).map(|roll| self.luck(&rolled.position, roll));
            lucks.push(luck.map(|luck| if rolled.position.side() == Color::White { luck } else { -luck }));
        })?;
        game.plies.iter_mut().zip(lucks).for_each(|(ply, luck)| ply.luck = luck);
        game.luck_by = Some(LINEAR_EVALUATION.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};

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
}
