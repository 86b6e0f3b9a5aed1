//! The exact probability that the next roll captures the king.

use crate::board::Position;
use crate::rules::{Roll, RollSet, winning_rolls};

/// The probability, 0..=1, that the side to move can capture the king with its next roll; exact.
#[inline]
pub fn king_capture_probability(position: &Position) -> f64 {
    probability(winning_rolls(position))
}

/// The probability, 0..=1, that the next roll is one of these.
#[inline]
pub(super) fn probability(rolls: RollSet) -> f64 {
    f64::from(rolls.weight()) / f64::from(Roll::TOTAL_WEIGHT)
}
