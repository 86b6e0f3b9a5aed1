//! Cheap scores of a position at the end of a turn, in centipawns, from the view of the side that has just moved: what
//! the instant bots play by, and what the candidates of a search are ordered by.

use super::material_balance;
use crate::board::{Color, PieceType, Position, attacks};
use crate::rules::king_attackers;

/// What it costs, in centipawns, when the own king stands attacked at the end of the turn.
const KING_ATTACKED: i32 = -2000;

/// Centipawns for each rank that a pawn has advanced.
const PAWN_RANK: i32 = 15;

/// Centipawns for each own attacker of each square around the enemy king.
const ATTACKED_SQUARE: i32 = 25;

/// Centipawns that are paid (8 − Chebyshev distance to the enemy king) times for a piece of that type.
const fn nearness(kind: PieceType) -> i32 {
    match kind {
        PieceType::Knight | PieceType::Bishop => 15,
        PieceType::Rook => 25,
        PieceType::Queen => 40,
        PieceType::Pawn | PieceType::King => 0,
    }
}

/// The mover's material less the opponent's, in centipawns, in a position where the opponent is to move.
pub fn greedy_score(position: &Position) -> i32 {
    -material_balance(position)
}

/// [`greedy_score`], less 2000 when the mover's king stands attacked.
pub fn greedy_v2_score(position: &Position) -> i32 {
    let penalty = if king_attackers(position).any() { KING_ATTACKED } else { 0 };
    greedy_score(position) + penalty
}

/// [`greedy_v2_score`], plus advanced pawns, pieces near the enemy king, and attacks on the squares around it. The
/// mover is the side not to move.
pub fn aggressive_score(position: &Position) -> i32 {
    let us = !position.side();
    let king = position.king(!us);
    let around = attacks::king(king);
    let occupied = position.occupied();
    let mut score = greedy_v2_score(position);
    for kind in PieceType::ALL {
        for square in position.pieces(us, kind) {
            score += nearness(kind) * (8 - i32::from(square.distance(king)));
            score += ATTACKED_SQUARE * (attacks::of(kind, us, square, occupied) & around).count() as i32;
            if kind == PieceType::Pawn {
                let advanced = if us == Color::White { square.rank() - 1 } else { 6 - square.rank() };
                score += PAWN_RANK * i32::from(advanced);
            }
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;

    fn score(dfen: &str) -> i32 {
        aggressive_score(&Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{error}")).position)
    }

    #[test]
    fn terms_add_up_by_hand() {
        // White has moved. A knight on f3 is 5 king steps from h8 and attacks nothing around it.
        assert_eq!(score("7k/8/8/8/8/5N2/8/K7 b - - 0 1"), 300 + 15 * (8 - 5));
        // A rook on g1: 7 steps from h8; it attacks g7 and g8 of g7, g8, h7. Its king is not attacked.
        assert_eq!(score("7k/8/8/8/8/8/8/K5R1 b - - 0 1"), 500 + 25 + 25 * 2);
        // A pawn on its sixth rank has advanced four ranks and attacks g7.
        assert_eq!(score("7k/8/5P2/8/8/8/8/K7 b - - 0 1"), 100 + 15 * 4 + 25);
        // The own king attacked by the queen on a8.
        assert_eq!(score("q6k/8/8/8/8/8/8/K7 b - - 0 1"), -900 - 2000);
    }
}
