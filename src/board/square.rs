//! Squares of the board, a1 = 0, b1 = 1, … h8 = 63.

use std::fmt;

/// A square, numbered rank by rank from White's left corner: a1 is 0, h1 is 7, h8 is 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with this number; the number is taken modulo 64.
    #[inline]
    pub const fn new(index: u8) -> Self {
        Self(index & 63)
    }

    /// The square on this file and rank, each 0..=7 (a = 0, rank 1 = 0), taken modulo 8.
    #[inline]
    pub const fn at(file: u8, rank: u8) -> Self {
        Self((file & 7) | ((rank & 7) << 3))
    }

    /// Its number, 0..=63.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// Its file, 0 (a) to 7 (h).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Its rank, 0 (rank 1) to 7 (rank 8).
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The square of the same file seen from the other side of the board: a1 and a8 change places.
    #[inline]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0 ^ 56)
    }

    /// The square named like `e4`, or `None` if the two bytes name none.
    pub const fn parse(file: u8, rank: u8) -> Option<Self> {
        match (file, rank) {
            (b'a'..=b'h', b'1'..=b'8') => Some(Self::at(file - b'a', rank - b'1')),
            _ => None,
        }
    }

    /// All 64 squares from a1 to h8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }

    /// How many king steps apart two squares are (the larger of the file and the rank distance), 0..=7.
    #[inline]
    pub const fn distance(self, other: Self) -> u8 {
        let files = self.file().abs_diff(other.file());
        let ranks = self.rank().abs_diff(other.rank());
        if files > ranks { files } else { ranks }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, (b'1' + self.rank()) as char)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
