//! Keys of many positions at once: those in which a turn ends after one micro-move more.

use super::{Bitboard, CastlingRights, CastlingSide, Color, MicroMove, PieceType, Position, Square, targets, zobrist};

/// What the keys after all micro-moves of a position have in common. The keys are those that
/// [`Position::key_after`] gives.
#[derive(Clone, Copy, Debug)]
pub struct EndKeys<'a> {
    position: &'a Position,
    end: u64,
    /// Leaving these squares costs an own target, which is left to [`Position::key_after`].
    delicate_from: Bitboard,
    /// Landing on these may cost a target or a right to castle: likewise.
    delicate_to: Bitboard,
}

/// The same for the micro-moves of one piece.
#[derive(Clone, Copy, Debug)]
pub struct EndKeysFrom<'a> {
    position: &'a Position,
    kind: PieceType,
    left: u64,
    delicate: Bitboard,
}

impl<'a> EndKeys<'a> {
    /// The keys of the positions one micro-move after this one.
    #[inline]
    pub fn of(position: &'a Position) -> Self {
        let own_targets = position.targets() & targets::rank_of(position.side());
        let pawns = match position.side() {
            Color::White => own_targets.up(),
            Color::Black => own_targets.down(),
        };
        let homes = if position.castling() == CastlingRights::default() { Bitboard::EMPTY } else { HOMES };
        Self {
            position,
            end: position.key_at_end(),
            delicate_from: own_targets | pawns,
            delicate_to: own_targets | homes,
        }
    }

    /// Those after the micro-moves of a piece of type `kind` on that square, castling aside.
    #[inline]
    pub fn from(&self, kind: PieceType, from: Square) -> EndKeysFrom<'a> {
        let Self { position, end, delicate_from, delicate_to } = *self;
        let mut left = end ^ zobrist::piece(position.side(), kind, from);
        let rights = position.castling();
        if HOMES.has(from) {
            left ^= zobrist::castling(rights) ^ zobrist::castling(rights.after(from, from));
        }
        let delicate = if delicate_from.has(from) { !Bitboard::EMPTY } else { delicate_to };
        EndKeysFrom { position, kind, left, delicate }
    }
}

impl EndKeysFrom<'_> {
    /// The key after a micro-move to that square, by a piece that is no pawn.
    #[inline]
    pub fn piece_to(&self, mv: MicroMove) -> u64 {
        let to = mv.to();
        if self.delicate.has(to) {
            return self.position.key_after(self.kind, mv);
        }
        self.landed(self.kind, to)
    }

    /// The key after a pawn's micro-move.
    #[inline]
    pub fn pawn_to(&self, mv: MicroMove) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        if self.delicate.has(to) {
            return self.position.key_after(PieceType::Pawn, mv);
        }
        let key = self.landed(mv.promotion().unwrap_or(PieceType::Pawn), to);
        if from.file() != to.file() {
            let takes_far = !self.position.occupied().has(to);
            if takes_far {
                return key ^ zobrist::piece(!self.position.side(), PieceType::Pawn, targets::pawn_of(to));
            }
        } else if from.rank().abs_diff(to.rank()) == 2 {
            return key ^ zobrist::target(Square::at(from.file(), (from.rank() + to.rank()) / 2));
        }
        key
    }

    #[inline]
    fn landed(&self, lands_as: PieceType, to: Square) -> u64 {
        let us = self.position.side();
        let key = self.left ^ zobrist::piece(us, lands_as, to);
        if self.position.color(!us).has(to)
            && let Some(taken) = self.position.kind_at(to)
        {
            return key ^ zobrist::piece(!us, taken, to);
        }
        key
    }
}

/// Where kings and rooks that have never moved stand.
const HOMES: Bitboard = {
    let mut homes = 0;
    let mut i = 0;
    while i < 4 {
        homes |= 1 << CastlingSide::ALL[i].king_from.index() | 1 << CastlingSide::ALL[i].rook_from.index();
        i += 1;
    }
    Bitboard(homes)
};
