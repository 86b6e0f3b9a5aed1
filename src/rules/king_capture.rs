//! Which rolls let the side to move capture the king, or a queen: the quarry.
//!
//! More dice never take a capture away, so the question is asked by growing sub-multisets: one die, two, three.
//!
//! - One die: an attack on the quarry's square.
//! - Two dice: the first micro-move prepares the second. Either the piece that will capture moves (or is promoted) to
//!   where it attacks the quarry, or the only piece between it and an own slider steps off the line. Both are looked
//!   up without making a move. (En passant takes two pieces off two lines at once; it is rare, and is played.)
//! - Three dice, asked only where no two of them suffice: the first micro-move must change something for the other two.
//!   Mostly it can do so only by bringing its own piece one step nearer, which is again looked up. Where it may do more
//!   (it leaves a line to the quarry or a way of another piece, takes a piece that shields the quarry, or puts a slider
//!   behind a shield), it is made and the two-dice question is asked again.

use super::{Roll, RollSet, castling_moves, destinations, micro_moves};
use crate::board::{Bitboard, Color, MicroMove, PieceType, Position, Square, attacks};

const SLIDERS: [PieceType; 3] = [PieceType::Bishop, PieceType::Rook, PieceType::Queen];

/// The rolls for which some sequence of micro-moves captures the king; exact.
pub fn winning_rolls(position: &Position) -> RollSet {
    let mut won = RollSet::EMPTY;
    hunt_down(position, position.king(!position.side()), &mut won);
    won
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
fn hunt_down(position: &Position, quarry: Square, won: &mut RollSet) {
    let hunt = Hunt::new(position, quarry);
    *won = won.union(hunt.with_one());
    hunt.with_two(won);
    if *won != RollSet::ALL {
        if hunt.en_passant_may_come() {
            with_three_by_making_all(position, quarry, won)
        } else {
            hunt.with_three(won)
        }
        with_castling(position, quarry, won);
    }
}

/// The three-dice question by making every first micro-move, castling aside.
fn with_three_by_making_all(position: &Position, quarry: Square, won: &mut RollSet) {
    for first in PieceType::ALL {
        // A die that captures the quarry at once is among these, so none of the others does.
        if !won.includes(RollSet::holding(first)) {
            micro_moves(position, first, |mv| {
                if !position.takes_king(mv) {
                    ask_again(position, quarry, first, mv, won);
                }
            });
        }
    }
}

/// Makes a micro-move and asks the two-dice question.
fn ask_again(position: &Position, quarry: Square, first: PieceType, mv: MicroMove, won: &mut RollSet) {
    let after = position.after(first, mv);
    Hunt::new(&after, quarry).pairs(&mut |a, b| won.insert(Roll::of([first, a, b])));
}

/// Castling uses two dice; the third may capture.
fn with_castling(position: &Position, quarry: Square, won: &mut RollSet) {
    castling_moves(position, |mv| {
        let after = position.after(PieceType::King, mv);
        let hunt = Hunt::new(&after, quarry);
        for last in PieceType::ALL.into_iter().filter(|&last| hunt.attackers(last).any()) {
            won.insert(Roll::of([PieceType::King, PieceType::Rook, last]));
        }
    });
}

/// A position looked at from the square of the piece to be captured.
struct Hunt<'a> {
    position: &'a Position,
    us: Color,
    quarry: Square,
    /// Where a micro-move prepares nothing: it captures the quarry, or the king, which ends the game.
    ends: Bitboard,
    occupied: Bitboard,
    /// What a bishop and a rook would see from the quarry's square.
    diagonal: Bitboard,
    straight: Bitboard,
}

impl<'a> Hunt<'a> {
    #[inline]
    fn new(position: &'a Position, quarry: Square) -> Self {
        let us = position.side();
        let ends = Bitboard::of(quarry) | position.pieces(!us, PieceType::King);
        let occupied = position.occupied();
        let diagonal = attacks::bishop(quarry, occupied);
        let straight = attacks::rook(quarry, occupied);
        Self { position, us, quarry, ends, occupied, diagonal, straight }
    }

    /// The squares from which an own piece of that type attacks the quarry.
    #[inline]
    fn attack_squares(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Pawn => attacks::pawn(!self.us, self.quarry),
            PieceType::Knight => attacks::knight(self.quarry),
            PieceType::Bishop => self.diagonal,
            PieceType::Rook => self.straight,
            PieceType::Queen => self.diagonal | self.straight,
            PieceType::King => attacks::king(self.quarry),
        }
    }

    /// The same once the piece on `from` has left. Only one that the quarry's square sees can change anything.
    #[inline]
    fn attack_squares_without(&self, kind: PieceType, from: Square) -> Bitboard {
        if (self.diagonal | self.straight).has(from) {
            attacks::of(kind, !self.us, self.quarry, self.occupied ^ Bitboard::of(from))
        } else {
            self.attack_squares(kind)
        }
    }

    /// The own pieces of that type that can take the quarry now.
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

    /// Calls `found` with pairs of dice that capture the quarry, until all such pairs have been named.
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

    /// The piece that will capture moves (or is promoted) to where it attacks the quarry.
    #[inline]
    fn by_moving_into_reach(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        for kind in PieceType::ALL {
            for from in self.position.pieces(self.us, kind) {
                let to = destinations(self.position, kind, from) & !self.ends;
                self.landing(kind, from, to, |lands_as| found(kind, lands_as));
            }
        }
    }

    /// Calls `found` with each type as which the piece on `from`, once it has gone to one of the squares `to`, attacks
    /// the quarry.
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

    /// The only piece between the quarry and an own slider steps off the line.
    #[inline]
    fn by_opening_a_line(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        let own = self.position.color(self.us);
        for kind in SLIDERS {
            // Sliders seen through exactly one piece.
            for slider in self.position.pieces(self.us, kind)
                & attacks::of(kind, self.us, self.quarry, self.occupied ^ (self.attack_squares(kind) & own))
                & !self.attack_squares(kind)
            {
                let line = attacks::between(self.quarry, slider);
                let blocker = line & self.occupied;
                if !blocker.is_single() {
                    continue;
                }
                let from = blocker.first();
                let Some(blocking) = self.position.kind_at(from) else { continue };
                if (destinations(self.position, blocking, from) & !line & !self.ends).any() {
                    found(blocking, kind);
                }
            }
        }
    }

    fn by_en_passant(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        for target in self.position.enemy_targets() {
            for from in attacks::pawn(!self.us, target) & self.position.pieces(self.us, PieceType::Pawn) {
                let after = self.position.after(PieceType::Pawn, MicroMove::new(from, target));
                let hunt = Hunt::new(&after, self.quarry);
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
        let behind = attacks::queen(self.quarry, self.occupied ^ (seen & self.occupied)) & !seen;
        for kind in PieceType::ALL {
            if won.includes(RollSet::holding(kind)) {
                continue;
            }
            for from in self.position.pieces(self.us, kind) {
                let to = destinations(self.position, kind, from) & !self.ends;
                // A piece that leaves one of the first two places on a line to the quarry, or the way of another piece.
                let must_make = (seen | behind).has(from) || self.gives_way(from);
                for to in to {
                    if kind == PieceType::Pawn && Bitboard::LAST_RANKS.has(to) {
                        for promoted in PieceType::PROMOTIONS {
                            ask_again(self.position, self.quarry, kind, MicroMove::promoting(from, to, promoted), won);
                        }
                    } else if must_make || shields.has(to) || (behind.has(to) && SLIDERS.contains(&kind)) {
                        ask_again(self.position, self.quarry, kind, MicroMove::new(from, to), won);
                    } else {
                        self.two_steps(kind, from, to, won);
                    }
                }
            }
        }
    }

    /// Whether the piece on `from`, by leaving, could let another own piece reach a square from which it attacks the
    /// quarry, promote, or step off a line to the quarry.
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

    /// The piece on `from` goes to `to` (which opens nothing for others), from there to where it attacks the quarry, and
    /// captures.
    #[inline]
    fn two_steps(&self, kind: PieceType, from: Square, to: Square, won: &mut RollSet) {
        let occupied = (self.occupied ^ Bitboard::of(from)) & !Bitboard::of(to);
        if kind == PieceType::Pawn {
            let after = self.position.after(kind, MicroMove::new(from, to));
            let second = destinations(&after, kind, to) & !self.ends;
            let hunt = Hunt::new(&after, self.quarry);
            hunt.landing(kind, to, second, |lands_as| won.insert(Roll::of([kind, kind, lands_as])));
            return;
        }
        let own = self.position.color(self.us) ^ Bitboard::of(from);
        let second = attacks::of(kind, self.us, to, occupied) & !own & !self.ends;
        // Neither `from` nor `to` lies where the quarry's square sees it, or the move would have been made, except that
        // a piece may stand on an empty square of a line; leaving it again changes nothing.
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

    fn by_making_all(position: &Position, quarry: PieceType) -> RollSet {
        let mut won = RollSet::EMPTY;
        for quarry in position.pieces(!position.side(), quarry) {
            let hunt = Hunt::new(position, quarry);
            won = won.union(hunt.with_one());
            hunt.with_two(&mut won);
            with_three_by_making_all(position, quarry, &mut won);
            with_castling(position, quarry, &mut won);
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
                assert_eq!(winning_rolls(&position), by_making_all(&position, PieceType::King), "{position}");
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
