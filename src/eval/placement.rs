//! A little activity: pieces near the enemy king, pawns on their way, pieces off their first rank.

use crate::board::{Bitboard, Color, PieceType, Position, Square};

/// `NEAR[distance − 1][square]`: the squares at most so many king steps away, for 1..=4 steps.
static NEAR: [[u64; 64]; 4] = {
    let mut near = [[0; 64]; 4];
    let mut steps = 0;
    while steps < 4 {
        let mut from = 0;
        while from < 64 {
            let mut to = 0;
            while to < 64 {
                if Square::new(from as u8).distance(Square::new(to as u8)) as usize <= steps + 1 {
                    near[steps][from] |= 1 << to;
                }
                to += 1;
            }
            from += 1;
        }
        steps += 1;
    }
    near
};

/// Centipawns for a piece of each type for every ring around the enemy king that it stands within.
const NEAR_KING: [i32; 6] = [3, 10, 8, 10, 18, 0];

/// Centipawns for a pawn on its own second to seventh rank: a pawn die alone comes up with 91 of 216 throws.
const PAWN_ON_RANK: [i32; 8] = [0, 0, 2, 6, 14, 30, 60, 0];

/// Centipawns for a knight or a bishop that has left its first rank.
const DEVELOPED: i32 = 8;

/// That colour's activity, in centipawns; about 0 to a few hundred.
#[inline]
pub fn activity(position: &Position, color: Color) -> i32 {
    let own = position.color(color);
    let king = position.king(!color).index();
    let near = |steps: usize| Bitboard(NEAR[steps - 1][king]) & own;
    let (one, two, three, four) = (near(1), near(2), near(3), near(4));
    let within = |kind: PieceType| {
        let pieces = position.kind(kind);
        let rings =
            (one & pieces).count() + (two & pieces).count() + (three & pieces).count() + (four & pieces).count();
        NEAR_KING[kind.index()] * rings as i32
    };
    let mut sum = within(PieceType::Pawn)
        + within(PieceType::Knight)
        + within(PieceType::Bishop)
        + within(PieceType::Rook)
        + within(PieceType::Queen);
    let pawns = position.pieces(color, PieceType::Pawn);
    let pawns = if color == Color::White { pawns } else { pawns.flip_ranks() };
    for rank in 2..7 {
        sum += PAWN_ON_RANK[rank as usize] * (pawns & Bitboard::rank(rank)).count() as i32;
    }
    let first_rank = Bitboard::rank(if color == Color::White { 0 } else { 7 });
    let minors = (position.kind(PieceType::Knight) | position.kind(PieceType::Bishop)) & own;
    sum + DEVELOPED * (minors & !first_rank).count() as i32
}
