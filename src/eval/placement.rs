//! Where pieces stand: on the board, from the own king, from the enemy king; and how open the kings are.
//!
//! The weights are fitted to the results of games (see `tools/tune`). They come as small tables of
//! places relative to kings, and are unfolded here by the king's square, so that a piece costs two look-ups.

use super::threats::threats;
use super::weights::{DIAGONAL, ENEMY_KING, OWN_KING, SQUARE, STRAIGHT, TEMPO};
use crate::board::{Bitboard, Color, PieceType, Position, Square, attacks};

/// `[king's square][type][square]`, all seen from the side of the piece's owner.
type ByKing = [[[i16; 64]; 5]; 64];

/// The place of a square as seen from a king's, 0..120: 8 × (7 + ranks ahead) + files away.
const fn relative(square: usize, king: usize) -> usize {
    let (square, king) = (Square::new(square as u8), Square::new(king as u8));
    let ranks = 7 + square.rank() as usize - king.rank() as usize;
    8 * ranks + square.file().abs_diff(king.file()) as usize
}

const fn unfold(places: &[[i16; 120]; 5], squares: Option<&[[i16; 64]; 6]>) -> ByKing {
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

/// The square or set as the owner of the pieces sees it: its own first rank below.
#[inline]
fn seen_by(color: Color, square: Square) -> usize {
    if color == Color::White { square.index() } else { square.flip_ranks().index() }
}

/// The sum of all weights for that colour's pieces, material included, in centipawns.
#[inline]
fn placement(position: &Position, color: Color) -> i32 {
    let king = position.king(color);
    let own = &BY_OWN_KING[seen_by(color, king)];
    let enemy = &BY_ENEMY_KING[seen_by(color, position.king(!color))];
    let mut sum = i32::from(SQUARE[PieceType::King.index()][seen_by(color, king)]);
    for kind in 0..5 {
        let pieces = position.pieces(color, PieceType::ALL[kind]);
        let pieces: Bitboard = if color == Color::White { pieces } else { pieces.flip_ranks() };
        for square in pieces {
            sum += i32::from(own[kind][square.index()]) + i32::from(enemy[kind][square.index()]);
        }
    }
    let occupied = position.occupied();
    let diagonal = attacks::bishop(king, occupied).count() as usize;
    let straight = attacks::rook(king, occupied).count() as usize;
    sum + i32::from(DIAGONAL[diagonal]) + i32::from(STRAIGHT[straight])
}

/// What a position is worth to the side to move without the chance to capture the king at once, in centipawns.
#[inline]
pub fn evaluate_quietly(position: &Position) -> i32 {
    let worth = |color| placement(position, color) + threats(position, color);
    worth(position.side()) - worth(!position.side()) + TEMPO
}
