//! Micro-moves: one piece's move, packed in 16 bits.

use super::{PieceType, Square};
use std::fmt;
use thiserror::Error;

/// One piece's move: from, to and what a pawn becomes. Castling is the king's move by two files.
///
/// Micro-moves are ordered as their texts are in ASCII.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MicroMove(u16);

/// Why a text is not a micro-move.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{}' is not a micro-move such as e2e4 or e7e8q", .0.escape_default())]
pub struct MicroMoveError(pub String);

impl MicroMove {
    /// A move without promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// A pawn's move to its last rank, there to become `kind`.
    #[inline]
    pub const fn promoting(from: Square, to: Square, kind: PieceType) -> Self {
        Self(Self::new(from, to).0 | (kind.index() as u16) << 12)
    }

    /// The 16 bits: from in the lowest six, to in the next six, and above them what a pawn becomes, 1 to 4 for N, B, R and Q,
    /// or 0.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Where the piece starts.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0 & 63) as u8)
    }

    /// Where the piece ends.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0 >> 6 & 63) as u8)
    }

    /// What the pawn becomes, if it does.
    #[inline]
    pub const fn promotion(self) -> Option<PieceType> {
        // The pawn's index 0 marks a move without promotion.
        match self.0 >> 12 {
            0 => None,
            kind => Some(PieceType::ALL[kind as usize]),
        }
    }

    /// The same move seen with the board turned upside down.
    pub const fn flip_ranks(self) -> Self {
        Self(self.0 ^ (56 | 56 << 6))
    }

    /// Reads `e2e4` or `e7e8q`.
    ///
    /// # Errors
    /// Anything else, upper case included.
    pub fn parse(text: &str) -> Result<Self, MicroMoveError> {
        let error = || MicroMoveError(text.chars().take(20).collect());
        let (&[a, b, c, d], rest) = text.as_bytes().split_first_chunk().ok_or_else(error)?;
        let from = Square::parse(a, b).ok_or_else(error)?;
        let to = Square::parse(c, d).ok_or_else(error)?;
        match rest {
            [] => Ok(Self::new(from, to)),
            &[letter @ (b'q' | b'r' | b'b' | b'n')] => {
                let kind = PieceType::from_letter(letter).ok_or_else(error)?;
                Ok(Self::promoting(from, to, kind))
            }
            _ => Err(error()),
        }
    }

    /// A number that grows with the text in ASCII order.
    #[inline]
    const fn text_rank(self) -> u32 {
        const fn by_file(square: Square) -> u32 {
            (square.file() as u32) << 3 | square.rank() as u32
        }
        let letter = match self.promotion() {
            None => 0,
            Some(kind) => kind.letter() as u32,
        };
        by_file(self.from()) << 14 | by_file(self.to()) << 8 | letter
    }
}

impl Ord for MicroMove {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text_rank().cmp(&other.text_rank())
    }
}

impl PartialOrd for MicroMove {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for MicroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promotion() {
            Some(kind) => write!(f, "{}", kind.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for MicroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_there_and_back() {
        for text in ["e2e4", "a1h8", "e7e8q", "a2b1n", "e1g1"] {
            assert_eq!(MicroMove::parse(text).map(|mv| mv.to_string()), Ok(text.to_string()));
        }
        for text in ["", "e2", "e2e9", "i2e4", "e7e8k", "e7e8Q", "e2e4qq", "0000", "e2e4é", "ée2e"] {
            assert!(MicroMove::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_that_of_the_texts() {
        let mut moves: Vec<MicroMove> = Vec::new();
        for from in Square::all().step_by(5) {
            for to in Square::all().step_by(3) {
                moves.push(MicroMove::new(from, to));
                moves.extend(PieceType::PROMOTIONS.map(|kind| MicroMove::promoting(from, to, kind)));
            }
        }
        for &a in &moves {
            for &b in &moves {
                assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()), "{a} {b}");
            }
        }
    }
}
