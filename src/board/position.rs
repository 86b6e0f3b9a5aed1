//! Positions, and what one micro-move does to them (copy-make).

use super::{Bitboard, CastlingRights, CastlingSide, Color, Dice, MicroMove, PieceType, Square, targets, zobrist};
use std::array::from_fn;

/// A position without dice, perhaps in the middle of a turn. It always has exactly one king a side.
///
/// Equality compares everything, the two counters too; [`Position::key`] leaves the counters out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    kinds: [Bitboard; 6],
    colors: [Bitboard; 2],
    key: u64,
    targets: Bitboard,
    castling: CastlingRights,
    side: Color,
    halfmove: u32,
    fullmove: u32,
}

/// A position together with the dice still to be played (none if no roll has been made).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rolled {
    /// The position.
    pub position: Position,
    /// The dice to play, at most three.
    pub dice: Dice,
}

/// The parts that the DFEN reader has checked and a position is built from.
pub(super) struct Parts {
    pub kinds: [Bitboard; 6],
    pub colors: [Bitboard; 2],
    pub targets: Bitboard,
    pub castling: CastlingRights,
    pub side: Color,
    pub halfmove: u32,
    pub fullmove: u32,
}

impl Position {
    pub(super) fn from_parts(parts: Parts) -> Self {
        let Parts { kinds, colors, targets, castling, side, halfmove, fullmove } = parts;
        let mut position = Self { kinds, colors, key: 0, targets, castling, side, halfmove, fullmove };
        position.key = position.key_from_scratch();
        position
    }

    /// The pieces of that type, of both colours.
    #[inline]
    pub const fn kind(&self, kind: PieceType) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of that colour.
    #[inline]
    pub const fn color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// The pieces of that colour and type.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceType) -> Bitboard {
        self.kind(kind) & self.color(color)
    }

    /// All squares with a piece on them.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Where that colour's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, PieceType::King).first()
    }

    /// The side to move.
    #[inline]
    pub const fn side(&self) -> Color {
        self.side
    }

    /// The castlings still allowed.
    #[inline]
    pub const fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// All living en passant targets: those the opponent left in the turn before, and in mid-turn the mover's own.
    #[inline]
    pub const fn targets(&self) -> Bitboard {
        self.targets
    }

    /// The targets that the side to move may take.
    #[inline]
    pub fn enemy_targets(&self) -> Bitboard {
        self.targets & targets::rank_of(!self.side)
    }

    /// Micro-moves since the last capture or pawn move.
    #[inline]
    pub const fn halfmove(&self) -> u32 {
        self.halfmove
    }

    /// The number of the move, from 1; it goes up after Black's turn.
    #[inline]
    pub const fn fullmove(&self) -> u32 {
        self.fullmove
    }

    /// The half-move clock at which the game is drawn.
    pub const DRAWN_AT: u32 = 100;

    /// The half-move clock from which on the game can be drawn within that many turns: below it positions of equal keys
    /// are worth the same on a look that far ahead.
    pub const fn clock_matters_from(turns: u32) -> u32 {
        Self::DRAWN_AT.saturating_sub(Dice::MOST as u32 * turns)
    }

    /// Whether the game is drawn because the half-move clock stands at 100 or more (looked at when a turn ends).
    #[inline]
    pub const fn is_drawn(&self) -> bool {
        self.halfmove >= Self::DRAWN_AT
    }

    /// The 64-bit key of placement, side, castling and living targets. The counters are not in it.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The key computed anew from the parts; always equal to [`Position::key`].
    pub fn key_from_scratch(&self) -> u64 {
        let mut key = zobrist::castling(self.castling);
        for color in Color::ALL {
            for kind in PieceType::ALL {
                for square in self.pieces(color, kind) {
                    key ^= zobrist::piece(color, kind, square);
                }
            }
        }
        for target in self.targets {
            key ^= zobrist::target(target);
        }
        if self.side == Color::Black {
            key ^= zobrist::black_to_move();
        }
        key
    }

    /// The type of the piece on that square.
    #[inline]
    pub fn kind_at(&self, square: Square) -> Option<PieceType> {
        PieceType::ALL.into_iter().find(|&kind| self.kind(kind).has(square))
    }

    /// The colour and type of the piece on that square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<(Color, PieceType)> {
        let color = if self.colors[0].has(square) { Color::White } else { Color::Black };
        self.kind_at(square).map(|kind| (color, kind))
    }

    /// Whether that micro-move of the side to move takes the enemy king.
    #[inline]
    pub fn takes_king(&self, mv: MicroMove) -> bool {
        mv.to() == self.king(!self.side)
    }

    /// The position after a micro-move of a piece of type `kind`; the turn goes on.
    ///
    /// The move must be one that [`crate::rules::micro_moves`] gives for this position, and must not take the king:
    /// a position without a king does not exist. Nothing is checked here.
    #[inline]
    #[must_use]
    pub fn after(&self, kind: PieceType, mv: MicroMove) -> Self {
        let mut next = *self;
        next.play(kind, mv);
        next
    }

    #[inline]
    fn play(&mut self, kind: PieceType, mv: MicroMove) {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side;
        let lands_as = mv.promotion().unwrap_or(kind);
        let mut touched = Bitboard::of(from) | Bitboard::of(to);
        self.halfmove = self.halfmove.saturating_add(1);
        if self.colors[(!us).index()].has(to) {
            self.take(to);
        } else if kind == PieceType::Pawn && from.file() != to.file() {
            let taken = targets::pawn_of(to);
            self.take(taken);
            touched |= Bitboard::of(taken);
        }
        self.shift(us, kind, from, lands_as, to);
        if kind == PieceType::Pawn {
            self.halfmove = 0;
        } else if kind == PieceType::King
            && from.file().abs_diff(to.file()) == 2
            && let Some(side) = CastlingSide::of(us).iter().find(|side| side.king_to == to)
        {
            self.shift(us, PieceType::Rook, side.rook_from, PieceType::Rook, side.rook_to);
        }
        if self.castling.index() != 0 {
            let rights = self.castling.after(from, to);
            self.key ^= zobrist::castling(self.castling) ^ zobrist::castling(rights);
            self.castling = rights;
        }
        if self.targets.any() {
            self.drop_targets(targets::dead(touched));
        }
        if kind == PieceType::Pawn && from.rank().abs_diff(to.rank()) == 2 {
            let target = Square::at(from.file(), (from.rank() + to.rank()) / 2);
            self.targets |= Bitboard::of(target);
            self.key ^= zobrist::target(target);
        }
    }

    /// Takes the enemy piece off that square.
    #[inline]
    fn take(&mut self, square: Square) {
        let them = !self.side;
        if let Some(kind) = self.kind_at(square) {
            self.kinds[kind.index()] ^= Bitboard::of(square);
            self.colors[them.index()] ^= Bitboard::of(square);
            self.key ^= zobrist::piece(them, kind, square);
            self.halfmove = 0;
        }
    }

    #[inline]
    fn shift(&mut self, color: Color, kind: PieceType, from: Square, lands_as: PieceType, to: Square) {
        self.kinds[kind.index()] ^= Bitboard::of(from);
        self.kinds[lands_as.index()] ^= Bitboard::of(to);
        self.colors[color.index()] ^= Bitboard::of(from) | Bitboard::of(to);
        self.key ^= zobrist::piece(color, kind, from) ^ zobrist::piece(color, lands_as, to);
    }

    #[inline]
    fn drop_targets(&mut self, dead: Bitboard) {
        for target in self.targets & dead {
            self.key ^= zobrist::target(target);
        }
        self.targets &= !dead;
    }

    /// The position after the turn has ended here: the other side is to move, and the targets that were there for the
    /// mover to take have expired.
    #[inline]
    #[must_use]
    pub fn end_turn(&self) -> Self {
        let mut next = *self;
        next.finish_turn();
        next
    }

    /// `self.after(kind, mv).end_turn()` without a position in between; the same conditions hold.
    #[inline]
    #[must_use]
    pub fn after_last(&self, kind: PieceType, mv: MicroMove) -> Self {
        let mut next = *self;
        next.play(kind, mv);
        next.finish_turn();
        next
    }

    /// [`Position::after_last`] where the key of what comes out is known already.
    #[inline]
    #[must_use]
    pub(crate) fn after_last_of_key(&self, kind: PieceType, mv: MicroMove, key: u64) -> Self {
        let (from, to) = (mv.from(), mv.to());
        if kind == PieceType::Pawn || (kind == PieceType::King && from.file().abs_diff(to.file()) == 2) {
            return self.after_last(kind, mv);
        }
        // Whether something is taken is hard to foresee, so no branch depends on it; and every part is written once, as the
        // processor waits when what was written in small is read at large.
        let (us, them) = (self.side.index(), (!self.side).index());
        let (there, touched) = (Bitboard::of(to), Bitboard::of(from) | Bitboard::of(to));
        let moved = |is_it: bool| if is_it { touched } else { Bitboard::EMPTY };
        let next = Self {
            kinds: from_fn(|number| self.kinds[number] & !there ^ moved(number == kind.index())),
            colors: from_fn(|number| self.colors[number] & !there ^ moved(number == us)),
            key,
            targets: self.targets & !targets::rank_of(!self.side) & !targets::dead(touched),
            castling: self.castling.after(from, to),
            side: !self.side,
            halfmove: if self.colors[them].has(to) { 0 } else { self.halfmove.saturating_add(1) },
            fullmove: self.fullmove.saturating_add(self.side as u32),
        };
        debug_assert_eq!(next, self.after_last(kind, mv));
        next
    }

    #[inline]
    fn finish_turn(&mut self) {
        self.drop_targets(self.enemy_targets());
        self.fullmove = self.fullmove.saturating_add(self.side as u32);
        self.side = !self.side;
        self.key ^= zobrist::black_to_move();
    }

    /// The key of `self.after(kind, mv).end_turn()`, without making the position; the same conditions hold.
    #[inline]
    pub fn key_after(&self, kind: PieceType, mv: MicroMove) -> u64 {
        let (from, to) = (mv.from(), mv.to());
        let us = self.side;
        let own_targets = self.targets & targets::rank_of(us);
        let special = (kind == PieceType::Pawn && from.file() == to.file() && from.rank().abs_diff(to.rank()) == 2)
            || (kind == PieceType::King && from.file().abs_diff(to.file()) == 2)
            || own_targets.any();
        if special {
            return self.after(kind, mv).key_at_end();
        }
        let lands_as = mv.promotion().unwrap_or(kind);
        let mut key = self.key_at_end() ^ zobrist::piece(us, kind, from) ^ zobrist::piece(us, lands_as, to);
        if self.colors[(!us).index()].has(to) {
            if let Some(taken) = self.kind_at(to) {
                key ^= zobrist::piece(!us, taken, to);
            }
        } else if kind == PieceType::Pawn && from.file() != to.file() {
            key ^= zobrist::piece(!us, PieceType::Pawn, targets::pawn_of(to));
        }
        if self.castling.index() != 0 {
            key ^= zobrist::castling(self.castling) ^ zobrist::castling(self.castling.after(from, to));
        }
        key
    }

    /// The key that [`Position::end_turn`] leads to, without making the position.
    #[inline]
    pub fn key_at_end(&self) -> u64 {
        let mut key = self.key ^ zobrist::black_to_move();
        for target in self.enemy_targets() {
            key ^= zobrist::target(target);
        }
        key
    }

    /// The same position with the colours exchanged and the board turned upside down.
    #[must_use]
    pub fn flip_colors(&self) -> Self {
        Self::from_parts(Parts {
            kinds: self.kinds.map(Bitboard::flip_ranks),
            colors: [self.colors[1].flip_ranks(), self.colors[0].flip_ranks()],
            targets: self.targets.flip_ranks(),
            castling: self.castling.flip_colors(),
            side: !self.side,
            halfmove: self.halfmove,
            fullmove: self.fullmove,
        })
    }
}
