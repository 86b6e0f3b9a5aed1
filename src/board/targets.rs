//! En passant targets: where they lie, whose they are, and when they die.

use super::{Bitboard, Color, Square};

/// The rank that a colour's double steps leave their targets on.
#[inline]
pub(super) const fn rank_of(owner: Color) -> Bitboard {
    match owner {
        Color::White => Bitboard::rank(2),
        Color::Black => Bitboard::rank(5),
    }
}

/// The square of the pawn whose double step left this target.
#[inline]
pub(super) const fn pawn_of(target: Square) -> Square {
    if target.rank() < 4 { Square::at(target.file(), 3) } else { Square::at(target.file(), 4) }
}

/// The square where the pawn whose double step left this target began.
#[inline]
pub(super) const fn start_of(target: Square) -> Square {
    if target.rank() < 4 { Square::at(target.file(), 1) } else { Square::at(target.file(), 6) }
}

/// The targets that die when pieces leave, land on or are taken from the `touched` squares: those touched
/// themselves, and those whose pawn is.
#[inline]
pub(super) const fn dead(touched: Bitboard) -> Bitboard {
    Bitboard(touched.0 | (touched.0 & Bitboard::rank(3).0) >> 8 | (touched.0 & Bitboard::rank(4).0) << 8)
}
