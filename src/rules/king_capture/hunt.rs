//! One die and two dice: a position looked at from the square of the piece to be captured.

use super::SLIDERS;
use crate::board::{Bitboard, Color, MicroMove, PieceType, Position, Square, attacks};
use crate::rules::{RollSet, destinations};

/// A position looked at from the square of the piece to be captured.
pub(super) struct Hunt<'a> {
    pub(super) position: &'a Position,
    pub(super) us: Color,
    pub(super) target: Square,
    /// Where a micro-move prepares nothing: it captures the target, or the king, which ends the game.
    pub(super) ends: Bitboard,
    pub(super) occupied: Bitboard,
    /// What a bishop and a rook would see from the target's square.
    pub(super) diagonal: Bitboard,
    pub(super) straight: Bitboard,
}

impl<'a> Hunt<'a> {
    #[inline]
    pub(super) fn new(position: &'a Position, target: Square) -> Self {
        let us = position.side();
        let ends = Bitboard::of(target) | position.pieces(!us, PieceType::King);
        let occupied = position.occupied();
        let diagonal = attacks::bishop(target, occupied);
        let straight = attacks::rook(target, occupied);
        Self { position, us, target, ends, occupied, diagonal, straight }
    }

    /// The squares from which an own piece of that type attacks the target.
    #[inline]
    pub(super) fn attack_squares(&self, kind: PieceType) -> Bitboard {
        match kind {
            PieceType::Pawn => attacks::pawn(!self.us, self.target),
            PieceType::Knight => attacks::knight(self.target),
            PieceType::Bishop => self.diagonal,
            PieceType::Rook => self.straight,
            PieceType::Queen => self.diagonal | self.straight,
            PieceType::King => attacks::king(self.target),
        }
    }

    /// The same once the piece on `from` has left. Only one that the target's square sees can change anything.
    #[inline]
    pub(super) fn attack_squares_without(&self, kind: PieceType, from: Square) -> Bitboard {
        if (self.diagonal | self.straight).has(from) {
            attacks::of(kind, !self.us, self.target, self.occupied ^ Bitboard::of(from))
        } else {
            self.attack_squares(kind)
        }
    }

    /// The own pieces of that type that can take the target now.
    #[inline]
    pub(super) fn attackers(&self, kind: PieceType) -> Bitboard {
        self.attack_squares(kind) & self.position.pieces(self.us, kind)
    }

    pub(super) fn with_one(&self) -> RollSet {
        let able = PieceType::ALL.into_iter().filter(|&kind| self.attackers(kind).any());
        able.fold(RollSet::EMPTY, |won, kind| won.union(RollSet::holding(kind)))
    }

    pub(super) fn with_two(&self, won: &mut RollSet) {
        self.pairs(&mut |a, b| *won = won.union(RollSet::holding_both(a, b)));
    }

    /// Calls `found` with pairs of dice that capture the target, until all such pairs have been named.
    #[inline]
    pub(super) fn pairs(&self, found: &mut impl FnMut(PieceType, PieceType)) {
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

    /// The piece that will capture moves (or is promoted) to where it attacks the target.
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
    /// the target.
    #[inline]
    pub(super) fn landing(&self, kind: PieceType, from: Square, to: Bitboard, mut found: impl FnMut(PieceType)) {
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

    /// The only piece between the target and an own slider steps off the line.
    #[inline]
    fn by_opening_a_line(&self, found: &mut impl FnMut(PieceType, PieceType)) {
        let own = self.position.color(self.us);
        for kind in SLIDERS {
            // Sliders seen through exactly one piece.
            for slider in self.position.pieces(self.us, kind)
                & attacks::of(kind, self.us, self.target, self.occupied ^ (self.attack_squares(kind) & own))
                & !self.attack_squares(kind)
            {
                let line = attacks::between(self.target, slider);
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
        for passed in self.position.enemy_targets() {
            for from in attacks::pawn(!self.us, passed) & self.position.pieces(self.us, PieceType::Pawn) {
                let after = self.position.after(PieceType::Pawn, MicroMove::new(from, passed));
                let hunt = Hunt::new(&after, self.target);
                for kind in PieceType::ALL.into_iter().filter(|&kind| hunt.attackers(kind).any()) {
                    found(PieceType::Pawn, kind);
                }
            }
        }
    }
}
