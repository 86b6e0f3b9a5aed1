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

/// The sum of all weights for what that colour attacks, in centipawns.
#[inline]
pub(super) fn threats(position: &Position, color: Color) -> i32 {
    let to_roll = color == position.side();
    let (hits, mobility) = (&HITS[usize::from(!to_roll)], &MOBILITY[usize::from(!to_roll)]);
    let occupied = position.occupied();
    let enemy = position.color(!color);
    let mut sum = 0;
    for kind in 0..6 {
        let squares = attacked(position, color, PieceType::ALL[kind], occupied);
        sum += i32::from(mobility[kind]) * squares.count() as i32;
        let hit = squares & enemy;
        if hit.is_empty() {
            continue;
        }
        // That the side to roll attacks the king is known exactly elsewhere; its weight is 0.
        for (weight, victim) in hits[kind].iter().zip(PieceType::ALL) {
            sum += i32::from(*weight) * (hit & position.kind(victim)).count() as i32;
        }
    }
    sum
}
