//! Where each group of weights begins in the vector of all weights, and which entry a piece has in it.

use astragal::board::{Color, Square};

/// By type and square, left and right alike; material is in it.
pub const SQUARE: usize = 0;
/// By type but the king, ranks and files away from the enemy king.
pub const ENEMY_KING: usize = SQUARE + 6 * 32;
/// The same from the own king.
pub const OWN_KING: usize = ENEMY_KING + 5 * PLACES;
/// By the number of squares seen from the own king's on diagonals.
pub const DIAGONAL: usize = OWN_KING + 5 * PLACES;
/// By the number of squares seen from the own king's on its rank and file.
pub const STRAIGHT: usize = DIAGONAL + DIAGONALS;
/// By whose attack (the side to roll, the other), attacker and attacked piece.
pub const HITS: usize = STRAIGHT + STRAIGHTS;
/// By whose, and type: a square attacked.
pub const MOBILITY: usize = HITS + 2 * 36;
/// The right to roll next.
pub const TEMPO: usize = MOBILITY + 2 * 6;
/// All of them.
pub const WEIGHTS: usize = TEMPO + 1;

/// Places relative to a king.
pub const PLACES: usize = 120;
/// Numbers of squares that can be seen on diagonals, 0 included.
pub const DIAGONALS: usize = 14;
/// Numbers of squares that can be seen on a rank and a file, 0 included.
pub const STRAIGHTS: usize = 15;

/// So many centipawns ahead are worth an equity of 1/√2, as in the engine. Weights are in this unit in the fit.
pub const CENTIPAWN_SCALE: f64 = 1000.0;

/// The index of a square as the owner of a piece sees it: its own first rank below.
pub fn seen_by(color: Color, square: Square) -> usize {
    if color == Color::White { square.index() } else { square.flip_ranks().index() }
}

/// A square with its file counted from the nearer edge, 0..32.
pub fn near_file(square: usize) -> usize {
    square / 8 * 4 + (square % 8).min(7 - square % 8)
}

/// The place of a square as seen from a king's, 0..120.
pub fn relative(square: usize, king: usize) -> usize {
    (7 + square / 8 - king / 8) * 8 + (square % 8).abs_diff(king % 8)
}
