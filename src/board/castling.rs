//! Castling: rights, and the squares it concerns.

use super::{Bitboard, Color, Square};
use std::fmt;

/// One of the four castlings: which king, and in which direction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CastlingSide {
    /// Whose castling it is.
    pub color: Color,
    /// The letter in DFEN field 3.
    pub letter: u8,
    /// Where the king starts.
    pub king_from: Square,
    /// Where the king ends.
    pub king_to: Square,
    /// Where the rook starts.
    pub rook_from: Square,
    /// Where the rook ends.
    pub rook_to: Square,
    /// The squares that must be empty.
    pub between: Bitboard,
    bit: u8,
}

impl CastlingSide {
    /// All four, in the order of DFEN field 3: K Q k q.
    pub const ALL: [Self; 4] = [
        Self::new(Color::White, b'K', 0, true),
        Self::new(Color::White, b'Q', 1, false),
        Self::new(Color::Black, b'k', 2, true),
        Self::new(Color::Black, b'q', 3, false),
    ];

    const fn new(color: Color, letter: u8, number: u8, kingside: bool) -> Self {
        let rank = match color {
            Color::White => 0,
            Color::Black => 7,
        };
        let (king_to, rook_from, rook_to, between) =
            if kingside { (6, 7, 5, 0b0110_0000) } else { (2, 0, 3, 0b0000_1110) };
        Self {
            color,
            letter,
            king_from: Square::at(4, rank),
            king_to: Square::at(king_to, rank),
            rook_from: Square::at(rook_from, rank),
            rook_to: Square::at(rook_to, rank),
            between: Bitboard(between << (8 * rank)),
            bit: 1 << number,
        }
    }

    /// The two castlings of a colour, kingside first.
    #[inline]
    pub fn of(color: Color) -> &'static [Self] {
        static SIDES: [CastlingSide; 4] = CastlingSide::ALL;
        match color {
            Color::White => &SIDES[..2],
            Color::Black => &SIDES[2..],
        }
    }
}

/// Which castlings are still allowed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct CastlingRights(u8);

/// For each square, the rights that survive when a piece leaves it or lands on it.
static SURVIVING: [u8; 64] = {
    let mut table = [0b1111; 64];
    let mut i = 0;
    while i < 4 {
        let side = CastlingSide::ALL[i];
        table[side.king_from.index()] &= !side.bit;
        table[side.rook_from.index()] &= !side.bit;
        i += 1;
    }
    table
};

impl CastlingRights {
    /// Whether this castling is still allowed.
    #[inline]
    pub const fn has(self, side: &CastlingSide) -> bool {
        self.0 & side.bit != 0
    }

    /// Allows this castling.
    pub const fn add(&mut self, side: &CastlingSide) {
        self.0 |= side.bit;
    }

    /// What is left of the rights once a piece has moved from one of these squares to the other.
    #[inline]
    pub fn after(self, from: Square, to: Square) -> Self {
        Self(self.0 & SURVIVING[from.index()] & SURVIVING[to.index()])
    }

    /// A number 0..=15 that stands for this set of rights.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The rights with the colours exchanged.
    pub const fn flip_colors(self) -> Self {
        Self((self.0 & 3) << 2 | self.0 >> 2)
    }
}

impl fmt::Display for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0 {
            return f.write_str("-");
        }
        for side in CastlingSide::ALL.iter().filter(|side| self.has(side)) {
            write!(f, "{}", side.letter as char)?;
        }
        Ok(())
    }
}
