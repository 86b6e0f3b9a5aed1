//! The exact probability that the next roll captures the king.

use crate::board::Position;
use crate::rules::{Roll, winning_rolls};

/// The probability, 0..=1, that the side to move can capture the king with its next roll; exact.
#[inline]
pub fn king_capture_probability(position: &Position) -> f64 {
    f64::from(winning_rolls(position).weight()) / f64::from(Roll::TOTAL_WEIGHT)
}
