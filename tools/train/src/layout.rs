//! Where each group of weights begins in the vector of all weights, and which entry a piece has in it.

pub use astragal::eval::geometry::{PLACES, near_file, relative, seen_by};

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

/// Numbers of squares that can be seen on diagonals, 0 included.
pub const DIAGONALS: usize = 14;
/// Numbers of squares that can be seen on a rank and a file, 0 included.
pub const STRAIGHTS: usize = 15;

/// The number of centipawns ahead that is worth an equity of 1/√2, as in the engine. Weights are in this unit in the fit.
pub const CENTIPAWN_SCALE: f64 = 1000.0;
