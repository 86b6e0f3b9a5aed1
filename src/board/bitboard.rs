//! Sets of squares, one bit a square.

use super::Square;
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares: bit `n` stands for the square with number `n`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Ranks 1 and 8, where a pawn promotes.
    pub const LAST_RANKS: Self = Self(0xFF00_0000_0000_00FF);
    /// The a-file.
    pub const FILE_A: Self = Self(0x0101_0101_0101_0101);
    /// The h-file.
    pub const FILE_H: Self = Self(0x8080_8080_8080_8080);

    /// The set of this one square.
    #[inline]
    pub const fn of(square: Square) -> Self {
        Self(1 << square.index())
    }

    /// All squares of a rank, 0..=7 (rank 1 is 0).
    #[inline]
    pub const fn rank(rank: u8) -> Self {
        Self(0xFF << (8 * (rank & 7)))
    }

    /// Whether the square is in the set.
    #[inline]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some square is in the set.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// How many squares are in the set, 0..=64.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether exactly one square is in the set.
    #[inline]
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// The square with the lowest number; a1 for the empty set.
    #[inline]
    pub const fn first(self) -> Square {
        Square::new(self.0.trailing_zeros() as u8)
    }

    /// The set turned upside down: rank 1 and rank 8 change places, and so on.
    #[inline]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }

    /// The set moved one rank up the board (towards rank 8); what leaves the board is gone.
    #[inline]
    pub const fn up(self) -> Self {
        Self(self.0 << 8)
    }

    /// The set moved one rank down the board (towards rank 1).
    #[inline]
    pub const fn down(self) -> Self {
        Self(self.0 >> 8)
    }

    /// The squares one file to the left or to the right of a square in the set.
    #[inline]
    pub const fn beside(self) -> Self {
        Self(((self.0 & !Self::FILE_A.0) >> 1) | ((self.0 & !Self::FILE_H.0) << 1))
    }
}

impl Iterator for Bitboard {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = self.first();
        self.0 &= self.0 - 1;
        Some(square)
    }
}

macro_rules! binary {
    ($($operator:ident $function:ident $assign:ident $assigning:ident $symbol:tt;)*) => {$(
        impl $operator for Bitboard {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                Self(self.0 $symbol other.0)
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $assigning(&mut self, other: Self) {
                *self = *self $symbol other;
            }
        }
    )*};
}

binary! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
