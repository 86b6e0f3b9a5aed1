//! What the evaluation adds up for a position: for each weight how often it counts. A slow double of
//! `evaluate_quietly`; a test holds them together.

use super::layout::{
    DIAGONAL, ENEMY_KING, HITS, MOBILITY, OWN_KING, PLACES, SQUARE, STRAIGHT, TEMPO, near_file, relative, seen_by,
};
use astragal::board::{Bitboard, Color, PieceType, Position, attacks};

/// A weight's index and how often it counts for the side to roll; negative if for the other.
pub type Feature = (u16, f32);

fn attacked(position: &Position, color: Color, kind: PieceType) -> Bitboard {
    let squares = position.pieces(color, kind);
    squares.fold(Bitboard::EMPTY, |all, square| all | attacks::of(kind, color, square, position.occupied()))
}

/// Fills `found` with the weights that make up the value of a position: by ascending index, each once, none 0 times.
pub fn features(position: &Position, found: &mut Vec<Feature>) {
    found.clear();
    let mut add = |index: usize, count: f32| found.push((index as u16, count));
    add(TEMPO, 1.0);
    for (other, color) in [position.side(), !position.side()].into_iter().enumerate() {
        let sign = if other == 0 { 1.0 } else { -1.0 };
        let king = position.king(color);
        let (own_king, enemy_king) = (seen_by(color, king), seen_by(color, position.king(!color)));
        for (number, kind) in PieceType::ALL.into_iter().enumerate() {
            for square in position.pieces(color, kind) {
                let square = seen_by(color, square);
                add(SQUARE + 32 * number + near_file(square), sign);
                if kind != PieceType::King {
                    add(ENEMY_KING + PLACES * number + relative(square, enemy_king), sign);
                    add(OWN_KING + PLACES * number + relative(square, own_king), sign);
                }
            }
            let squares = attacked(position, color, kind);
            add(MOBILITY + 6 * other + number, sign * squares.count() as f32);
            for (victim, prey) in PieceType::ALL.into_iter().enumerate() {
                // That the side to roll attacks the king is known exactly already.
                if other == 1 || prey != PieceType::King {
                    let hits = (squares & position.pieces(!color, prey)).count();
                    add(HITS + 36 * other + 6 * number + victim, sign * hits as f32);
                }
            }
        }
        let occupied = position.occupied();
        add(DIAGONAL + attacks::bishop(king, occupied).count() as usize, sign);
        add(STRAIGHT + attacks::rook(king, occupied).count() as usize, sign);
    }
    found.sort_unstable_by_key(|&(index, _)| index);
    found.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    found.retain(|&(_, count)| count != 0.0);
}
