//! Where pieces stand: on the board, from the own king, from the enemy king; and how open the kings are.
//!
//! The weights are fitted to the results of games (see `tools/train`). They come as small tables of
//! places relative to kings, and are unfolded here by the king's square, so that a piece costs two look-ups.

use super::geometry::{PLACES, relative, seen_by};
use super::weights::{DIAGONAL, ENEMY_KING, OWN_KING, SQUARE, STRAIGHT};
use crate::board::{Bitboard, Color, PieceType, Position, Square, attacks};

/// `[king's square][type][square]`, all seen from the side of the piece's owner.
type ByKing = [[[i16; 64]; 5]; 64];

const fn unfold(places: &[[i16; PLACES]; 5], squares: Option<&[[i16; 64]; 6]>) -> ByKing {
    let mut table = [[[0; 64]; 5]; 64];
    let mut king = 0;
    while king < 64 {
        let mut kind = 0;
        while kind < 5 {
            let mut square = 0;
            while square < 64 {
                table[king][kind][square] = places[kind][relative(square, king)];
                if let Some(squares) = squares {
                    table[king][kind][square] += squares[kind][square];
                }
                square += 1;
            }
            kind += 1;
        }
        king += 1;
    }
    table
}

static BY_OWN_KING: ByKing = unfold(&OWN_KING, Some(&SQUARE));
static BY_ENEMY_KING: ByKing = unfold(&ENEMY_KING, None);

/// The weight of one piece other than a king, in centipawns: as seen from its own king (material included), and from the
/// enemy king.
#[inline]
pub(super) fn piece_worth(position: &Position, color: Color, kind: PieceType, square: Square) -> [i32; 2] {
    let square = seen_by(color, square);
    let weight =
        |table: &ByKing, king: Color| i32::from(table[seen_by(color, position.king(king))][kind.index()][square]);
    [weight(&BY_OWN_KING, color), weight(&BY_ENEMY_KING, !color)]
}

/// The weights of a colour's pieces by a king on that square, in centipawns.
#[inline]
fn worth_by(table: &ByKing, position: &Position, color: Color, king: Square) -> i32 {
    let table = &table[seen_by(color, king)];
    let mut sum = 0;
    for (weights, kind) in table.iter().zip(PieceType::ALL) {
        let pieces = position.pieces(color, kind);
        let pieces: Bitboard = if color == Color::White { pieces } else { pieces.flip_ranks() };
        for square in pieces {
            sum += i32::from(weights[square.index()]);
        }
    }
    sum
}

/// The sum of the weights of a colour's pieces as seen from its own king, material and the king itself included, in
/// centipawns.
#[inline]
pub(super) fn own_king_worth(position: &Position, color: Color) -> i32 {
    let king = position.king(color);
    worth_by(&BY_OWN_KING, position, color, king) + i32::from(SQUARE[PieceType::King.index()][seen_by(color, king)])
}

/// The sum of the weights of a colour's pieces as seen from the enemy king, in centipawns.
#[inline]
pub(super) fn enemy_king_worth(position: &Position, color: Color) -> i32 {
    worth_by(&BY_ENEMY_KING, position, color, position.king(!color))
}

/// How open a king is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Openness {
    /// The squares seen from the king's, up to and including the first piece on each line.
    pub squares: Bitboard,
    /// The weight, in centipawns.
    pub worth: i32,
}

impl Openness {
    #[inline]
    pub(super) fn of(position: &Position, color: Color) -> Self {
        let (king, occupied) = (position.king(color), position.occupied());
        let (diagonal, straight) = (attacks::bishop(king, occupied), attacks::rook(king, occupied));
        let worth = i32::from(DIAGONAL[diagonal.count() as usize]) + i32::from(STRAIGHT[straight.count() as usize]);
        Self { squares: diagonal | straight, worth }
    }
}
