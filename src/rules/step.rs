//! A position in the middle of a turn, and which micro-moves are worth making there.
//!
//! Most sequences are permutations of each other. Where the move just made and the next one could change places without
//! either noticing, the other order leads to the same position; if that order has been looked at before, this one need
//! not be. Two moves of different pieces notice each other only if the second lands on, or goes through, a square that
//! the first has left or passed over. (They cannot want the same square, and what they take stays there to be taken.)
//!
//! Of two dice the higher face must be looked at as the last one first, and of two moves with the same die the one from
//! the lower square as the first one.

use super::Turn;
use super::moves::destinations_among;
use crate::board::{Bitboard, Color, MicroMove, PieceType, Position, Square, attacks};
use std::cmp::Ordering;

/// A position in the middle of a turn, and a sequence of micro-moves that leads there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub position: Position,
    pub turn: Turn,
    /// The squares that the last micro-move left or passed over: what lands there could not have been played before.
    order_dependent: Bitboard,
    /// Where the last micro-move came from and where it went.
    from: Bitboard,
    to: Bitboard,
    /// The die that the last micro-move used; for castling one of the two.
    pub die: PieceType,
}

impl Step {
    /// The beginning of a turn.
    pub fn first(position: &Position) -> Self {
        Self {
            position: *position,
            turn: Turn::PASS,
            order_dependent: !Bitboard::EMPTY,
            from: Bitboard::EMPTY,
            to: Bitboard::EMPTY,
            die: PieceType::Pawn,
        }
    }

    /// The step after one micro-move more.
    #[inline]
    pub fn then(&self, die: PieceType, mv: MicroMove) -> Self {
        let (from, to) = (Bitboard::of(mv.from()), Bitboard::of(mv.to()));
        let position = self.position.after(die, mv);
        // Castling moves two pieces and en passant empties a third square: no order is given up after these.
        let takes_far =
            die == PieceType::Pawn && mv.from().file() != mv.to().file() && !self.position.occupied().has(mv.to());
        let castles = die == PieceType::King && mv.from().file().abs_diff(mv.to().file()) == 2;
        let order_dependent =
            if takes_far || castles { !Bitboard::EMPTY } else { from | attacks::between(mv.from(), mv.to()) };
        Self { position, turn: self.turn.then(mv), order_dependent, from, to, die }
    }

    /// Calls `visit` with each piece that a die of that face moves and where it can go, as long as it says so; without
    /// captures of the king, and without moves that have been looked at as played before the last one. Returns whether
    /// it went to the end.
    #[inline]
    pub fn moves(&self, die: PieceType, mut visit: impl FnMut(Square, Bitboard) -> bool) -> bool {
        let position = &self.position;
        let us = position.side();
        let occupied = position.occupied();
        let no_king = !position.pieces(!us, PieceType::King);
        // The pieces whose moves have been looked at as played before.
        let known = match self.die.cmp(&die) {
            Ordering::Less => Bitboard::EMPTY,
            Ordering::Equal => Bitboard(self.from.0.wrapping_sub(1)),
            Ordering::Greater => !Bitboard::EMPTY,
        } & !self.to;
        let mut pieces = position.pieces(us, die);
        if (pieces & known).any() {
            pieces &= !known | self.may_land_late(die, occupied);
        }
        for from in pieces {
            let mut to = destinations_among(position, die, from, occupied) & no_king;
            if known.has(from) {
                if (to & self.order_dependent).is_empty() {
                    continue;
                }
                to &= self.order_dependent | !destinations_among(position, die, from, occupied | self.from);
            }
            if to.any() && !visit(from, to) {
                return false;
            }
        }
        true
    }

    /// Where pieces of that type must stand to land on one of the order-dependent squares or pass through one; perhaps more.
    #[inline]
    fn may_land_late(&self, kind: PieceType, occupied: Bitboard) -> Bitboard {
        let us = self.position.side();
        if kind == PieceType::Pawn {
            if (self.order_dependent & self.position.enemy_targets()).any() {
                return !Bitboard::EMPTY;
            }
            let one = if us == Color::White { self.order_dependent.down() } else { self.order_dependent.up() };
            let two = if us == Color::White { one.down() } else { one.up() };
            one | two
        } else if self.order_dependent == self.from {
            attacks::of(kind, us, self.from.first(), occupied)
        } else {
            !Bitboard::EMPTY
        }
    }
}
