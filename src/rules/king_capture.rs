//! Which rolls let the side to move capture the king.
//!
//! More dice never take a capture away, so the question is asked by growing sub-multisets: one die, two, three. A
//! capture with one die is an attack on the king's square. With two, the first micro-move prepares the second; it can
//! do so only in a few ways, which are looked up without making moves. Three dice are needed only where no two of
//! them suffice: each first micro-move is made and the two-dice question asked again.

use super::{Roll, RollSet, castling_moves, destinations, micro_moves};
use crate::board::{Bitboard, MicroMove, PieceType, Position, Square, attacks};

/// The rolls for which some sequence of micro-moves captures the king; exact.
pub fn winning_rolls(position: &Position) -> RollSet {
    let here = KingHunt::new(position);
    let mut won = here.with_one();
    here.with_two(&mut won);
    if won == RollSet::ALL {
        return won;
    }
    with_three(position, &mut won);
    won
}

/// The pieces of the side to move that attack the enemy king now, each able to capture it with one die.
pub fn king_attackers(position: &Position) -> Bitboard {
    let hunt = KingHunt::new(position);
    PieceType::ALL.into_iter().fold(Bitboard::EMPTY, |all, kind| all | hunt.attackers(kind))
}

fn with_three(position: &Position, won: &mut RollSet) {
    for first in PieceType::ALL {
        if won.includes(RollSet::holding(first)) {
            continue;
        }
        micro_moves(position, first, |mv| {
            if position.takes_king(mv) {
                return;
            }
            let after = position.after(first, mv);
            let mut pairs = PairSet::default();
            KingHunt::new(&after).pairs(&mut pairs);
            pairs.for_each(|a, b| won.insert(Roll::of([first, a, b])));
        });
    }
    castling_moves(position, |mv| {
        let after = position.after(PieceType::King, mv);
        for last in PieceType::ALL {
            if KingHunt::new(&after).attackers(last).any() {
                won.insert(Roll::of([PieceType::King, PieceType::Rook, last]));
            }
        }
    });
}

/// Ordered pairs of faces, the preparing die and the capturing one, a bit each.
#[derive(Default)]
struct PairSet(u64);

impl PairSet {
    fn insert(&mut self, first: PieceType, second: PieceType) {
        self.0 |= 1 << (first.index() * 8 + second.index());
    }

    fn for_each(&self, mut visit: impl FnMut(PieceType, PieceType)) {
        for bit in Bitboard(self.0) {
            visit(PieceType::ALL[bit.rank() as usize], PieceType::ALL[bit.file() as usize]);
        }
    }
}

/// A position looked at from the square of the king to be captured.
struct KingHunt<'a> {
    position: &'a Position,
    king: Square,
}

impl<'a> KingHunt<'a> {
    fn new(position: &'a Position) -> Self {
        Self { position, king: position.king(!position.side()) }
    }

    /// The squares from which a piece of that type of the mover would attack the king, with this occupancy.
    fn attack_squares(&self, kind: PieceType, occupied: Bitboard) -> Bitboard {
        attacks::of(kind, !self.position.side(), self.king, occupied)
    }

    /// The mover's pieces of that type that can take the king now.
    fn attackers(&self, kind: PieceType) -> Bitboard {
        self.attack_squares(kind, self.position.occupied()) & self.position.pieces(self.position.side(), kind)
    }

    fn with_one(&self) -> RollSet {
        PieceType::ALL
            .into_iter()
            .filter(|&kind| self.attackers(kind).any())
            .fold(RollSet::EMPTY, |won, kind| won.union(RollSet::holding(kind)))
    }

    fn with_two(&self, won: &mut RollSet) {
        let mut pairs = PairSet::default();
        self.pairs(&mut pairs);
        pairs.for_each(|a, b| *won = won.union(RollSet::holding_both(a, b)));
    }

    /// The pairs of dice of which the first prepares a capture by the second. Pairs of which one die alone captures
    /// may be left out.
    fn pairs(&self, pairs: &mut PairSet) {
        for kind in PieceType::ALL {
            if self.attackers(kind).any() {
                // One die suffices; every pair with it is a pair too.
                PieceType::ALL.into_iter().for_each(|other| pairs.insert(kind, other));
            }
        }
        self.by_moving_into_reach(pairs);
        self.by_opening_a_line(pairs);
        self.by_en_passant(pairs);
    }

    /// The piece that will capture moves (or is promoted) to where it attacks the king.
    fn by_moving_into_reach(&self, pairs: &mut PairSet) {
        let us = self.position.side();
        let occupied = self.position.occupied();
        let king = Bitboard::of(self.king);
        for kind in PieceType::ALL {
            for from in self.position.pieces(us, kind) {
                let to = destinations(self.position, kind, from) & !king;
                let without = occupied ^ Bitboard::of(from);
                if (to & self.attack_squares(kind, without)).any() {
                    pairs.insert(kind, kind);
                }
                if kind == PieceType::Pawn && (to & Bitboard::LAST_RANKS).any() {
                    for promoted in PieceType::PROMOTIONS {
                        if (to & Bitboard::LAST_RANKS & self.attack_squares(promoted, without)).any() {
                            pairs.insert(kind, promoted);
                        }
                    }
                }
            }
        }
    }

    /// The only piece between the king and an own slider steps off the line.
    fn by_opening_a_line(&self, pairs: &mut PairSet) {
        let us = self.position.side();
        let own = self.position.color(us);
        let occupied = self.position.occupied();
        for kind in [PieceType::Bishop, PieceType::Rook, PieceType::Queen] {
            for slider in self.position.pieces(us, kind) & self.attack_squares(kind, Bitboard::EMPTY) {
                let line = attacks::between(self.king, slider);
                let blocker = line & occupied & own;
                if !blocker.is_single() || (line & occupied) != blocker {
                    continue;
                }
                let from = blocker.first();
                let Some(blocking) = self.position.kind_at(from) else {
                    continue;
                };
                if (destinations(self.position, blocking, from) & !line & !Bitboard::of(self.king)).any() {
                    pairs.insert(blocking, kind);
                }
            }
        }
    }

    /// En passant takes two pieces off two lines at once; it is rare, so it is simply played.
    fn by_en_passant(&self, pairs: &mut PairSet) {
        let us = self.position.side();
        for target in self.position.enemy_targets() {
            for from in attacks::pawn(!us, target) & self.position.pieces(us, PieceType::Pawn) {
                let after = self.position.after(PieceType::Pawn, MicroMove::new(from, target));
                let hunt = KingHunt::new(&after);
                for kind in PieceType::ALL {
                    if hunt.attackers(kind).any() {
                        pairs.insert(PieceType::Pawn, kind);
                    }
                }
            }
        }
    }
}
