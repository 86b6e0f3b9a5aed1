//! Three dice: what the first micro-move can change for the other two.

use super::SLIDERS;
use super::hunt::Hunt;
use crate::board::{Bitboard, Color, MicroMove, PieceType, Position, Square, attacks};
use crate::rules::{Roll, RollSet, destinations, micro_moves};

/// The three-dice question by making every first micro-move, castling aside.
pub(super) fn by_making_all_first(position: &Position, target: Square, won: &mut RollSet) {
    for first in PieceType::ALL {
        // A die that captures the target at once is among these, so none of the others does.
        if !won.includes(RollSet::holding(first)) {
            micro_moves(position, first, |mv| {
                if !position.takes_king(mv) {
                    ask_again(position, target, first, mv, won);
                }
            });
        }
    }
}

/// Makes a micro-move and asks the two-dice question.
fn ask_again(position: &Position, target: Square, first: PieceType, mv: MicroMove, won: &mut RollSet) {
    let after = position.after(first, mv);
    Hunt::new(&after, target).pairs(&mut |a, b| won.insert(Roll::of([first, a, b])));
}

impl Hunt<'_> {
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

    /// The three-dice question, castling aside.
    pub(super) fn with_three(&self, won: &mut RollSet) {
        if self.en_passant_may_come() {
            by_making_all_first(self.position, self.target, won);
        } else {
            self.with_three_looked_up(won);
        }
    }

    /// The three-dice question, castling and en passant aside.
    fn with_three_looked_up(&self, won: &mut RollSet) {
        let seen = self.diagonal | self.straight;
        let shields = seen & self.position.color(!self.us);
        let behind = attacks::queen(self.target, self.occupied ^ (seen & self.occupied)) & !seen;
        for kind in PieceType::ALL {
            if won.includes(RollSet::holding(kind)) {
                continue;
            }
            for from in self.position.pieces(self.us, kind) {
                let to = destinations(self.position, kind, from) & !self.ends;
                // A piece that leaves one of the first two places on a line to the target, or the way of another piece.
                let must_make = (seen | behind).has(from) || self.gives_way(from);
                for to in to {
                    if kind == PieceType::Pawn && Bitboard::LAST_RANKS.has(to) {
                        for promoted in PieceType::PROMOTIONS {
                            ask_again(self.position, self.target, kind, MicroMove::promoting(from, to, promoted), won);
                        }
                    } else if must_make || shields.has(to) || (behind.has(to) && SLIDERS.contains(&kind)) {
                        ask_again(self.position, self.target, kind, MicroMove::new(from, to), won);
                    } else {
                        self.two_steps(kind, from, to, won);
                    }
                }
            }
        }
    }

    /// Whether the piece on `from`, by leaving, could let another own piece reach a square from which it attacks the
    /// target, promote, or step off a line to the target.
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

    /// The piece on `from` goes to `to` (which opens nothing for others), from there to where it attacks the target,
    /// and captures.
    #[inline]
    fn two_steps(&self, kind: PieceType, from: Square, to: Square, won: &mut RollSet) {
        let occupied = (self.occupied ^ Bitboard::of(from)) & !Bitboard::of(to);
        if kind == PieceType::Pawn {
            let after = self.position.after(kind, MicroMove::new(from, to));
            let second = destinations(&after, kind, to) & !self.ends;
            let hunt = Hunt::new(&after, self.target);
            hunt.landing(kind, to, second, |lands_as| won.insert(Roll::of([kind, kind, lands_as])));
            return;
        }
        let own = self.position.color(self.us) ^ Bitboard::of(from);
        let second = attacks::of(kind, self.us, to, occupied) & !own & !self.ends;
        // Neither `from` nor `to` lies where the target's square sees it, or the move would have been made, except that
        // a piece may stand on an empty square of a line; leaving it again changes nothing.
        if (second & self.attack_squares(kind)).any() {
            won.insert(Roll::of([kind; 3]));
        }
    }
}
