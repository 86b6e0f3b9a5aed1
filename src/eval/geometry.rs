//! Where a piece stands, in the terms that the weights of the evaluation are told in: as its owner sees the board, and as
//! seen from a king. `tools/train` fits the weights in the same terms.

use crate::board::{Color, Square};

/// Places relative to a king.
pub const PLACES: usize = 120;

/// The index of a square as the owner of a piece sees it: its own first rank below.
#[inline]
pub fn seen_by(color: Color, square: Square) -> usize {
    if color == Color::White { square.index() } else { square.flip_ranks().index() }
}

/// The place of a square as seen from a king's, 0..[`PLACES`]: 8 × (7 + ranks ahead) + files away. Both squares are indices
/// 0..64 as one side sees them.
pub const fn relative(square: usize, king: usize) -> usize {
    (7 + square / 8 - king / 8) * 8 + (square % 8).abs_diff(king % 8)
}

/// A square with its file counted from the nearer edge, 0..32: left and right are worth the same.
pub const fn near_file(square: usize) -> usize {
    let file = square % 8;
    square / 8 * 4 + if file < 4 { file } else { 7 - file }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_distinct_up_to_left_and_right() {
        let mut seen = [false; PLACES];
        for square in 0..64 {
            for king in 0..64 {
                let place = relative(square, king);
                let mirrored = |square: usize| square / 8 * 8 + 7 - square % 8;
                assert_eq!(place, relative(mirrored(square), mirrored(king)));
                assert_eq!(place / 8 + king / 8, 7 + square / 8);
                seen[place] = true;
            }
        }
        assert!(seen.iter().all(|&seen| seen));
        assert!((0..64).all(|square| near_file(square) < 32 && near_file(square) == near_file(square / 8 * 8 + 7 - square % 8)));
    }
}
