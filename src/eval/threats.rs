//! What each side attacks: the pieces that a single die could take, and how far each type of piece reaches.
//!
//! A roll shows a given type in 91 of 216 throws, so a piece attacked by the side to roll is half lost already. What
//! counts is whether a die of a type can take it, not how many pieces of that type can: so whole sets are looked at.

use super::weights::{HITS, MOBILITY};
use crate::board::{Bitboard, Color, PieceType, Position, attacks};

/// The squares that the pieces of one type and colour attack.
#[inline]
fn attacked(position: &Position, color: Color, kind: PieceType, occupied: Bitboard) -> Bitboard {
    let pieces = position.pieces(color, kind);
    match kind {
        PieceType::Pawn => {
            let ahead = if color == Color::White { pieces.up() } else { pieces.down() };
            ahead.beside()
        }
        _ => pieces.fold(Bitboard::EMPTY, |all, square| all | attacks::of(kind, color, square, occupied)),
    }
}

/// What the pieces of one type and colour attack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threat {
    /// The squares, up to and including the first piece on each line.
    pub squares: Bitboard,
    /// The sum of the weights, in centipawns.
    pub worth: i32,
}

impl Threat {
    #[inline]
    pub(super) fn of(position: &Position, color: Color, kind: PieceType) -> Self {
        let of_whom = usize::from(color != position.side());
        let squares = attacked(position, color, kind, position.occupied());
        let mut worth = i32::from(MOBILITY[of_whom][kind.index()]) * squares.count() as i32;
        let hit = squares & position.color(!color);
        if hit.any() {
            // That the side to roll attacks the king is known exactly elsewhere; its weight is 0.
            for (weight, victim) in HITS[of_whom][kind.index()].iter().zip(PieceType::ALL) {
                worth += i32::from(*weight) * (hit & position.kind(victim)).count() as i32;
            }
        }
        Self { squares, worth }
    }
}
