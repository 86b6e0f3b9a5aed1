//! Micro-moves by die.

use crate::board::{Bitboard, CastlingSide, Color, MicroMove, PieceType, Position, Square, attacks};

/// Where the piece of type `kind` of the side to move on that square can go in one micro-move, castling aside.
/// The enemy king's square is among them if it can be taken.
#[inline]
pub fn destinations(position: &Position, kind: PieceType, from: Square) -> Bitboard {
    destinations_among(position, kind, from, position.occupied())
}

/// [`destinations`] as if the squares of `occupied`, and no others, were in the way.
#[inline]
pub(super) fn destinations_among(position: &Position, kind: PieceType, from: Square, occupied: Bitboard) -> Bitboard {
    let us = position.side();
    if kind == PieceType::Pawn {
        let takes = attacks::pawn(us, from) & (position.color(!us) | position.enemy_targets());
        return takes | pawn_pushes(us, from, !occupied);
    }
    attacks::of(kind, us, from, occupied) & !position.color(us)
}

#[inline]
fn pawn_pushes(us: Color, from: Square, empty: Bitboard) -> Bitboard {
    let pawn = Bitboard::of(from);
    match us {
        Color::White => {
            let one = pawn.up() & empty;
            one | (one & Bitboard::rank(2)).up() & empty
        }
        Color::Black => {
            let one = pawn.down() & empty;
            one | (one & Bitboard::rank(5)).down() & empty
        }
    }
}

/// Calls `visit` with every micro-move that a die of that face allows, castling aside, captures of the king included.
#[inline]
pub fn micro_moves(position: &Position, die: PieceType, mut visit: impl FnMut(MicroMove)) {
    let us = position.side();
    let king = Bitboard::of(position.king(!us));
    for from in position.pieces(us, die) {
        let to = destinations(position, die, from);
        if die == PieceType::Pawn {
            // A pawn that takes the king on its last rank does not promote.
            let promotes = to & Bitboard::LAST_RANKS & !king;
            for to in promotes {
                PieceType::PROMOTIONS.into_iter().for_each(|kind| visit(MicroMove::promoting(from, to, kind)));
            }
            (to & !promotes).for_each(|to| visit(MicroMove::new(from, to)));
        } else {
            to.for_each(|to| visit(MicroMove::new(from, to)));
        }
    }
}

/// Calls `visit` with the micro-moves of a piece of type `kind` to those squares, none of them the enemy king's, as
/// long as it says so; returns whether it went to the end.
#[inline]
pub(super) fn moves_to(kind: PieceType, from: Square, to: Bitboard, mut visit: impl FnMut(MicroMove) -> bool) -> bool {
    let mut plain = to;
    if kind == PieceType::Pawn {
        plain = to & !Bitboard::LAST_RANKS;
        for to in to & Bitboard::LAST_RANKS {
            if !PieceType::PROMOTIONS.into_iter().all(|kind| visit(MicroMove::promoting(from, to, kind))) {
                return false;
            }
        }
    }
    plain.into_iter().all(|to| visit(MicroMove::new(from, to)))
}

/// Calls `visit` with every castling that is possible; each takes a K die and an R die together.
#[inline]
pub fn castling_moves(position: &Position, mut visit: impl FnMut(MicroMove)) {
    let rights = position.castling();
    if rights.index() == 0 {
        return;
    }
    for side in CastlingSide::of(position.side()) {
        if rights.has(side) && (side.between & position.occupied()).is_empty() {
            visit(MicroMove::new(side.king_from, side.king_to));
        }
    }
}
