//! `greedy-v2`: material, and a fine for a king left attacked.

use super::greedy::greedy_score;
use crate::board::Position;
use crate::rules::king_attackers;

/// What it costs, in centipawns, when the own king stands attacked at the end of the turn.
const KING_ATTACKED: i32 = -2000;

/// [`greedy_score`], less 2000 when the mover's king stands attacked.
pub fn greedy_v2_score(position: &Position) -> i32 {
    let fine = if king_attackers(position).any() { KING_ATTACKED } else { 0 };
    greedy_score(position) + fine
}
