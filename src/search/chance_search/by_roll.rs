//! What each of the 56 rolls is worth by itself, one turn deep.

use super::ChanceSearch;
use crate::board::Position;
use crate::rules::{Roll, RollSet, Turn, winning_rolls};
use crate::search::effort::Effort;
use crate::search::plies::Ply;
use crate::time::StopCheck;

/// The best turn of every roll by the evaluation of the position after it, from the view of the side that rolls.
#[derive(Clone, Debug)]
pub(crate) struct ByRoll {
    /// The rolls that capture the king. They are worth 1, and have no turn here.
    pub won: RollSet,
    /// The mean of the values by weight.
    pub mean: f64,
    values: [f64; Roll::COUNT],
    turns: [Turn; Roll::COUNT],
}

impl ByRoll {
    /// What a roll is worth, in −1..=1.
    pub(crate) fn value(&self, roll: Roll) -> f64 {
        self.values[roll.index()]
    }

    /// The best turn of a roll that does not capture the king.
    pub(crate) fn turn(&self, roll: Roll) -> Turn {
        self.turns[roll.index()]
    }
}

impl ChanceSearch {
    /// All rolls of a position that is no draw; `None` if the effort is spent before.
    pub(crate) fn by_roll<S: StopCheck>(&mut self, position: &Position, effort: &Effort<'_, S>) -> Option<ByRoll> {
        let won = winning_rolls(position);
        // The buffers of depth 0, which a search from here does not need.
        let mut ply = self.take_ply(0);
        let found = self.fill(&mut ply, position, won, effort);
        self.plies[0] = ply;
        found
    }

    fn fill<S: StopCheck>(
        &mut self,
        ply: &mut Ply,
        position: &Position,
        won: RollSet,
        effort: &Effort<'_, S>,
    ) -> Option<ByRoll> {
        if !ply.node.expand_while(position, won.complement(), || !effort.is_spent()) {
            return None;
        }
        let mut by_roll = ByRoll { won, mean: 0.0, values: [1.0; Roll::COUNT], turns: [Turn::PASS; Roll::COUNT] };
        let mut sum = 0.0;
        for roll in Roll::all() {
            if !won.has(roll) {
                let (value, turn) = self.best_leaf(ply, roll, f64::INFINITY, effort)?;
                (by_roll.values[roll.index()], by_roll.turns[roll.index()]) = (value, turn);
            }
            sum += f64::from(roll.weight()) * by_roll.values[roll.index()];
        }
        by_roll.mean = sum / f64::from(Roll::TOTAL_WEIGHT);
        Some(by_roll)
    }
}
