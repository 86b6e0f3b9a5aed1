//! `greedy`: the best material balance at the end of the turn.

use crate::board::Position;
use crate::eval::material_balance;

/// The mover's material less the opponent's, in centipawns, in a position where the opponent is to move.
pub fn greedy_score(position: &Position) -> i32 {
    -material_balance(position)
}
