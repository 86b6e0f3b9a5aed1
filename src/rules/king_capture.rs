//! Which rolls let the side to move capture the king.
//!
//! More dice never take a capture away, so the question is asked by growing sub-multisets: one die, two, three.
//!
//! - One die: an attack on the king's square.
//! - Two dice: the first micro-move prepares the second. Either the piece that will capture moves (or is promoted) to
//!   where it attacks the king, or the only piece between the king and an own slider steps off the line. Both are
//!   looked up without making a move. (En passant takes two pieces off two lines at once; it is rare, and is played.)
//! - Three dice, asked only where no two of them suffice: the first micro-move must change something for the other two.
//!   Mostly it can do so only by bringing its own piece one step nearer, which is again looked up. Where it may do more
//!   (it leaves a line to the king or a way of another piece, takes a piece that shields the king, or puts a slider
//!   behind a shield), it is made and the two-dice question is asked again.

use super::{Roll, RollSet, castling_moves, destinations, micro_moves};
use crate::board::{Bitboard, Color, MicroMove, PieceType, Position, Square, attacks};

const SLIDERS: [PieceType; 3] = [PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// The rolls for which some sequence of micro-moves captures the king; exact.
pub fn winning_rolls(position: &Position) -> RollSet {
    let hunt = KingHunt::new(position);
    let mut won = hunt.with_one();
    hunt.with_two(&mut won);
    if won != RollSet::ALL {
        if hunt.en_passant_may_come() {
            with_three_by_making_all(position, &mut won)
        } else {
            hunt.with_three(&mut won)
        }
        with_castling(position, &mut won);
    }
    won
}

/// The pieces of the side to move that attack the enemy king now, each able to capture it with one die.
pub fn king_attackers(position: &Position) -> Bitboard {
    let hunt = KingHunt::new(position);
    PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |all, kind| all | hunt.attackers(kind))
}

/// The three-dice question by making every first micro-move, castling aside.
fn with_three_by_making_all(position: &Position, won: &mut RollSet) {
    for first in PieceType::ALL {
        if !won.includes(RollSet::holding(first)) {
            micro_moves(position, first, |mv| {
                if !position.takes_king(mv) {
                    ask_again(position, first, mv, won);
                }
            });
        }
    }
}

/// Makes a micro-move and asks the two-dice question.
fn ask_again(position: &Position, first: PieceType, mv: MicroMove, won: &mut RollSet) {
    let after = position.after(first, mv);
    KingHunt::new(&after).pairs(&mut |a, b| won.insert(Roll::of([first, a, b])));
}

/// Castling uses two dice; the third may capture.
fn with_castling(position: &Position, won: &mut RollSet) {
    castling_moves(position, |mv| {
        let after = position.after(PieceType::King, mv);
        let hunt = KingHunt::new(&after);
        for last in PieceType::ALL.into_iter().filter(|&last| hunt.attackers(last).any()) {
            won.insert(Roll::of([PieceType::King, PieceType::Rook, last]));
        }
    });
}

/// A position looked at from the square of the king to be captured.
struct KingHunt<'a> {
    position: &'a Position,
    us: Color,
    king: Square,
    occupied: Bitboard,
    /// What a bishop and a rook would see from the king's square.
    diagonal: Bitboard,
    straight: Bitboard,
}

impl<'a> KingHunt<'a> {
    #[inline]
    fn new(position: &'a Position) -> Self {
        let us = position.side();
        let king = position.king(!us);
        let occupied = position.occupied();
        let diagonal = attacks::bishop(king, occupied);
        let straight = attacks::rook(king, occupied);
        Self { position, us, king, occupied, diagonal, straight }
    }

    /// The squares from which an own piece of that type attacks the king.
    #[inline]
    fn attack_squares(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Pawn => attacks::pawn(!self.us, self.king),
            PieceType::Knight => attacks::knight(self.king),
            PieceType::Bishop => self.diagonal,
            PieceType::Rook => self.straight,
            PieceType::Queen => self.diagonal | self.straight,
            PieceType::King => attacks::king(self.king),
        }
    }

    /// The same once the piece on `from` has left. Only one that the king's square sees can change anything.
    #[inline]
    fn attack_squares_without(&self, kind: PieceType, from: Square) -> Bitboard {
        if (self.diagonal | self.straight).has(from) {
            attacks::of(kind, !self.us, self.king, self.occupied ^ Bitboard::of(from))
        } else {
            self.attack_squares(kind)
        }
    }

    /// The own pieces of that type that can take the king now.
    #[inline]
    fn attackers(&self, kind: PieceType) -> Bitboard {
        self.attack_squares(kind) & self.position.pieces(self.us, kind)
    }

    fn with_one(&self) -> RollSet {
        let able = PieceType::ALL.into_iter().filter(|&kind| self.attackers(kind).any());
        able.fold(RollSet::EMPTY, |won, kind| won.union(RollSet::holding(kind)))
    }

    fn with_two(&self, won: &mut RollSet) {
        self.pairs(&mut |a, b| *won = won.union(RollSet::holding_both(a, b)));
    }

    /// Calls `found` with pairs of dice that capture the king, until all such pairs have been named.
    #[inline]
    fn pairs(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        for kind in PieceType::ALL {
            if self.attackers(kind).any() {
                // One die suffices; every pair with it is a pair too.
                PieceType::ALL.into_iter().for_each(|other| found(kind, other));
            }
        }
        self.by_moving_into_reach(found);
        self.by_opening_a_line(found);
        self.by_en_passant(found);
    }

    /// The piece that will capture moves (or is promoted) to where it attacks the king.
    #[inline]
    fn by_moving_into_reach(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        let king = Bitboard::of(self.king);
        for kind in PieceType::ALL {
            for from in self.position.pieces(self.us, kind) {
                let to = destinations(self.position, kind, from) & !king;
                self.landing(kind, from, to, |lands_as| found(kind, lands_as));
            }
        }
    }

    /// Calls `found` with each type as which the piece on `from`, once it has gone to one of the squares `to`, attacks
    /// the king.
    #[inline]
    fn landing(&self, kind: PieceType, from: Square, to: Bitboard, mut found: impl FnMut(PieceType)) {
        if (to & self.attack_squares_without(kind, from)).any() {
            found(kind);
        }
        let last = to & Bitboard::LAST_RANKS;
        if kind == PieceType::Pawn && last.any() {
            for promoted in PieceType::PROMOTIONS {
                if (last & self.attack_squares_without(promoted, from)).any() {
                    found(promoted);
                }
            }
        }
    }

    /// The only piece between the king and an own slider steps off the line.
    #[inline]
    fn by_opening_a_line(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        let own = self.position.color(self.us);
        for kind in SLIDERS {
            // Sliders seen through exactly one piece.
            for slider in self.position.pieces(self.us, kind)
                & attacks::of(kind, self.us, self.king, self.occupied ^ (self.attack_squares(kind) & own))
                & !self.attack_squares(kind)
            {
                let line = attacks::between(self.king, slider);
                let blocker = line & self.occupied;
                if !blocker.is_single() {
                    continue;
                }
                let from = blocker.first();
                let Some(blocking) = self.position.kind_at(from) else { continue };
                if (destinations(self.position, blocking, from) & !line & !Bitboard::of(self.king)).any() {
                    found(blocking, kind);
                }
            }
        }
    }

    fn by_en_passant(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        for target in self.position.enemy_targets() {
            for from in attacks::pawn(!self.us, target) & self.position.pieces(self.us, PieceType::Pawn) {
                let after = self.position.after(PieceType::Pawn, MicroMove::new(from, target));
                let hunt = KingHunt::new(&after);
                for kind in PieceType::ALL.into_iter().filter(|&kind| hunt.attackers(kind).any()) {
                    found(PieceType::Pawn, kind);
                }
            }
        }
    }

    /// Whether an own pawn could take en passant with the first or the second die.
    fn en_passant_may_come(&self) -> bool {
        let targets = self.position.enemy_targets();
        if targets.is_empty() {
            return false;
        }
        let pawns = self.position.pieces(self.us, PieceType::Pawn);
        let back = |set: Bitboard| if self.us == Color::White { set.down() } else { set.up() };
        let beside = back(targets).beside();
        let near = beside | back(beside | beside.beside());
        (pawns & near).any()
    }

    /// The three-dice question, castling and en passant aside.
    fn with_three(&self, won: &mut RollSet) {
        let seen = self.diagonal | self.straight;
        let shields = seen & self.position.color(!self.us);
        let behind = attacks::queen(self.king, self.occupied ^ (seen & self.occupied)) & !seen;
        for kind in PieceType::ALL {
            if won.includes(RollSet::holding(kind)) {
                continue;
            }
            for from in self.position.pieces(self.us, kind) {
                let to = destinations(self.position, kind, from);
                // A piece that leaves one of the first two places on a line to the king, or the way of another piece.
                let must_make = (seen | behind).has(from) || self.gives_way(from);
                for to in to {
                    if kind == PieceType::Pawn && Bitboard::LAST_RANKS.has(to) {
                        for promoted in PieceType::PROMOTIONS {
                            ask_again(self.position, kind, MicroMove::promoting(from, to, promoted), won);
                        }
                    } else if must_make || shields.has(to) || (behind.has(to) && SLIDERS.contains(&kind)) {
                        ask_again(self.position, kind, MicroMove::new(from, to), won);
                    } else {
                        self.two_steps(kind, from, to, won);
                    }
                }
            }
        }
    }

    /// Whether the piece on `from`, by leaving, could let another own piece reach a square from which it attacks the king,
    /// promote, or step off a line to the king.
    fn gives_way(&self, from: Square) -> bool {
        let vacated = self.occupied ^ Bitboard::of(from);
        let own = self.position.color(self.us);
        let shields = own & (self.diagonal | self.straight);
        for kind in [PieceType::Knight, PieceType::King] {
            let near = attacks::of(kind, self.us, from, vacated) & self.position.pieces(self.us, kind);
            if (near & shields).any() || (near.any() && self.attack_squares(kind).has(from)) {
                return true;
            }
        }
        for kind in SLIDERS {
            for slider in attacks::of(kind, self.us, from, vacated) & self.position.pieces(self.us, kind) {
                let reached = attacks::of(kind, self.us, slider, vacated) & !(own ^ Bitboard::of(from));
                let new = reached & !destinations(self.position, kind, slider);
                if shields.has(slider) || (new & self.attack_squares(kind)).any() {
                    return true;
                }
            }
        }
        // A pawn that stood behind goes one or two squares on.
        let place = Bitboard::of(from);
        let (ahead, one, two) = match self.us {
            Color::White => (place | place.up(), place.down(), place.down().down()),
            Color::Black => (place | place.down(), place.up(), place.up().up()),
        };
        let pawns = self.position.pieces(self.us, PieceType::Pawn) & (one | two);
        (pawns & shields).any()
            || (pawns.any() && (ahead & (self.attack_squares(PieceType::Pawn) | Bitboard::LAST_RANKS)).any())
    }

    /// The piece on `from` goes to `to` (which opens nothing for others), from there to where it attacks the king, and
    /// captures.
    #[inline]
    fn two_steps(&self, kind: PieceType, from: Square, to: Square, won: &mut RollSet) {
        let occupied = (self.occupied ^ Bitboard::of(from)) & !Bitboard::of(to);
        if kind == PieceType::Pawn {
            let after = self.position.after(kind, MicroMove::new(from, to));
            let second = destinations(&after, kind, to);
            let hunt = KingHunt::new(&after);
            hunt.landing(kind, to, second, |lands_as| won.insert(Roll::of([kind, kind, lands_as])));
            return;
        }
        let own = self.position.color(self.us) ^ Bitboard::of(from);
        let second = attacks::of(kind, self.us, to, occupied) & !own;
        // Neither `from` nor `to` lies where the king's square sees it, or the move would have been made, except that a
        // piece may stand on an empty square of a line; leaving it again changes nothing.
        if (second & self.attack_squares(kind)).any() {
            won.insert(Roll::of([kind; 3]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use crate::rules::outcomes;
    use crate::search::{below, decision_rng};

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

    fn by_making_all(position: &Position) -> RollSet {
        let hunt = KingHunt::new(position);
        let mut won = hunt.with_one();
        hunt.with_two(&mut won);
        with_three_by_making_all(position, &mut won);
        with_castling(position, &mut won);
        won
    }

    #[test]
    fn looking_up_equals_making_every_move() {
        let base = Rolled::from_dfen(crate::board::STARTPOS).expect("sound");
        let mut tried = 0;
        for seed in 0..40_000 {
            if let Some(position) = scattered(seed, &base) {
                tried += 1;
                assert_eq!(winning_rolls(&position), by_making_all(&position), "{position}");
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
