//! Which rolls let the side to move capture the king, or a queen: the target.
//!
//! More dice never take a capture away, so the question is asked by growing sub-multisets: one die, two, three.
//!
//! - One die: an attack on the target's square.
//! - Two dice: the first micro-move prepares the second. Either the piece that will capture moves (or is promoted) to
//!   where it attacks the target, or the only piece between it and an own slider steps off the line. Both are looked
//!   up without making a move. (En passant takes two pieces off two lines at once; it is rare, and is played.)
//! - Three dice, asked only where no two of them suffice: the first micro-move must change something for the other two.
//!   Mostly it can do so only by bringing its own piece one step nearer, which is again looked up. Where it may do more
//!   (it leaves a line to the target or a way of another piece, takes a piece that shields the target, or puts a slider
//!   behind a shield), it is made and the two-dice question is asked again.

mod hunt;
mod three_dice;

use super::{Roll, RollSet, castling_moves};
use crate::board::{Bitboard, PieceType, Position, Square};
use hunt::Hunt;

const SLIDERS: [PieceType; 3] = [PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// The rolls for which some sequence of micro-moves captures the king; exact.
pub fn winning_rolls(position: &Position) -> RollSet {
    let mut won = RollSet::EMPTY;
    hunt_down(position, position.king(!position.side()), &mut won);
    won
}

/// The same rolls if they weigh less than `limit` of 216; else perhaps `None`, which costs less.
pub fn winning_rolls_below(position: &Position, limit: u32) -> Option<RollSet> {
    let mut won = RollSet::EMPTY;
    let hunt = Hunt::new(position, position.king(!position.side()));
    hunt.with_up_to_two(&mut won);
    if won.weight() >= limit {
        return None;
    }
    hunt.with_more(&mut won);
    Some(won)
}

/// The rolls for which some sequence of micro-moves captures an enemy queen; exact, and none if there is no queen.
/// Whether the turn can then use as many dice as the rules demand is not asked: as with the king, a roll counts if its
/// dice allow the capture.
pub fn queen_winning_rolls(position: &Position) -> RollSet {
    let mut won = RollSet::EMPTY;
    for queen in position.pieces(!position.side(), PieceType::Queen) {
        hunt_down(position, queen, &mut won);
    }
    won
}

/// The pieces of the side to move that attack the enemy king now, each able to capture it with one die.
pub fn king_attackers(position: &Position) -> Bitboard {
    let hunt = Hunt::new(position, position.king(!position.side()));
    PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |all, kind| all | hunt.attackers(kind))
}

/// Adds the rolls that capture the king or the queen on that square.
#[inline]
fn hunt_down(position: &Position, target: Square, won: &mut RollSet) {
    let hunt = Hunt::new(position, target);
    hunt.with_up_to_two(won);
    hunt.with_more(won);
}

impl Hunt<'_> {
    #[inline]
    fn with_up_to_two(&self, won: &mut RollSet) {
        *won = won.union(self.with_one());
        self.with_two(won);
    }

    /// What only three dice can do, once it is known what two can.
    #[inline]
    fn with_more(&self, won: &mut RollSet) {
        if *won != RollSet::ALL {
            self.with_three(won);
            with_castling(self.position, self.target, won);
        }
    }
}

/// Castling uses two dice; the third may capture.
fn with_castling(position: &Position, target: Square, won: &mut RollSet) {
    castling_moves(position, |mv| {
        let after = position.after(PieceType::King, mv);
        let hunt = Hunt::new(&after, target);
        for last in PieceType::ALL.into_iter().filter(|&last| hunt.attackers(last).any()) {
            won.insert(Roll::of([PieceType::King, PieceType::Rook, last]));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::three_dice::by_making_all_first;
    use super::*;
    use crate::board::Rolled;
    use crate::rules::outcomes;
    use crate::rules::{below, decision_rng};

    /// A position of random pieces, or none if they break the rules for positions.
    fn scattered(seed: u64, base: &Rolled) -> Option<Position> {
        let mut rng = decision_rng(seed, base);
        let mut board = [b'.'; 64];
        let count = 2 + below(&mut rng, 20);
        let letters = b"PPPNBRQpppnbrqPNBRQ";
        for _ in 0..count {
            board[below(&mut rng, 64) as usize] = letters[below(&mut rng, letters.len() as u64) as usize];
        }
        board[below(&mut rng, 64) as usize] = b'K';
        board[below(&mut rng, 64) as usize] = b'k';
        let rows: Vec<String> = board
            .chunks(8)
            .map(|row| row.iter().map(|&piece| if piece == b'.' { '1' } else { piece as char }).collect::<String>())
            .map(|row| merge_digits(&row))
            .collect();
        let side = if seed.is_multiple_of(2) { "w" } else { "b" };
        Rolled::from_dfen(&format!("{} {side} - - 0 1 -", rows.join("/"))).ok().map(|rolled| rolled.position)
    }

    fn merge_digits(row: &str) -> String {
        let mut merged = String::new();
        let mut empty = 0;
        for letter in row.chars().chain(['/']) {
            if letter == '1' {
                empty += 1;
                continue;
            }
            if empty > 0 {
                merged.push_str(&empty.to_string());
                empty = 0;
            }
            if letter != '/' {
                merged.push(letter);
            }
        }
        merged
    }

    fn by_making_all(position: &Position, target: PieceType) -> RollSet {
        let mut won = RollSet::EMPTY;
        for target in position.pieces(!position.side(), target) {
            let hunt = Hunt::new(position, target);
            won = won.union(hunt.with_one());
            hunt.with_two(&mut won);
            by_making_all_first(position, target, &mut won);
            with_castling(position, target, &mut won);
        }
        won
    }

    #[test]
    fn looking_up_equals_making_every_move() {
        let base = Rolled::from_dfen(crate::board::STARTPOS).expect("sound");
        let mut tried = 0;
        for seed in 0..40_000 {
            if let Some(position) = scattered(seed, &base) {
                tried += 1;
                let won = winning_rolls(&position);
                assert_eq!(won, by_making_all(&position, PieceType::King), "{position}");
                assert_eq!(winning_rolls_below(&position, won.weight() + 1), Some(won), "{position}");
                for limit in [0, won.weight() / 2, won.weight()] {
                    assert!(winning_rolls_below(&position, limit).is_none_or(|found| found == won), "{position}");
                }
                assert_eq!(winning_rolls_below(&position, 0), None);
                assert_eq!(queen_winning_rolls(&position), by_making_all(&position, PieceType::Queen), "{position}");
            }
        }
        assert!(tried > 5_000, "{tried}");
    }

    #[test]
    fn winning_rolls_are_those_with_a_turn_that_captures_the_king() {
        let base = Rolled::from_dfen(crate::board::STARTPOS).expect("sound");
        for position in (0..1200).filter_map(|seed| scattered(seed, &base)) {
            let won = winning_rolls(&position);
            for roll in Roll::all() {
                let captures = outcomes(&Rolled { position, dice: roll.dice() }).king_capture.is_some();
                assert_eq!(won.has(roll), captures, "{position} {roll}");
            }
        }
    }
}
