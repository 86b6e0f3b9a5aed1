//! Material in centipawns.

use crate::board::{Color, PieceType, Position};

/// The value of a piece in centipawns: 100, 300, 300, 500, 900 for P N B R Q; a king has none.
#[inline]
pub const fn piece_value(kind: PieceType) -> i32 {
    match kind {
        PieceType::Pawn => 100,
        PieceType::Knight | PieceType::Bishop => 300,
        PieceType::Rook => 500,
        PieceType::Queen => 900,
        PieceType::King => 0,
    }
}

/// The sum of that colour's pieces, in centipawns.
#[inline]
pub fn material(position: &Position, color: Color) -> i32 {
    PieceType::ALL.into_iter().map(|kind| piece_value(kind) * position.pieces(color, kind).count() as i32).sum()
}

/// The mover's material less the opponent's, in centipawns.
#[inline]
pub fn material_balance(position: &Position) -> i32 {
    material(position, position.side()) - material(position, !position.side())
}
