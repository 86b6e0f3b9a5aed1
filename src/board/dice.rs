//! Dice: a multiset of up to three piece types.

use super::PieceType;
use std::fmt;
use thiserror::Error;

/// A multiset of at most three dice: those of a roll, or those still to be played in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dice {
    /// Two bits a face: how many dice show it.
    counts: u16,
}

/// Why a text is not a multiset of dice.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum DiceError {
    /// A letter that is no face.
    #[error("'{}' is not a die face (P N B R Q K)", .0.escape_default())]
    Face(char),
    /// More than three.
    #[error("at most 3 dice, not {0}")]
    TooMany(usize),
}

impl Dice {
    /// The most dice there can be.
    pub const MOST: usize = 3;

    /// No dice.
    pub const NONE: Self = Self { counts: 0 };

    /// These dice.
    ///
    /// # Errors
    /// More than three.
    pub fn new(faces: &[PieceType]) -> Result<Self, DiceError> {
        if faces.len() > Self::MOST {
            return Err(DiceError::TooMany(faces.len()));
        }
        Ok(faces.iter().fold(Self::NONE, |dice, &face| dice.with(face)))
    }

    /// Reads dice from letters in any order and either case; `-` is no dice.
    ///
    /// # Errors
    /// A letter that is no face, or more than three letters.
    pub fn parse(text: &str) -> Result<Self, DiceError> {
        if text == "-" {
            return Ok(Self::NONE);
        }
        let mut faces = Vec::with_capacity(Self::MOST);
        for letter in text.chars() {
            let face = u8::try_from(letter).ok().and_then(PieceType::from_letter);
            faces.push(face.ok_or(DiceError::Face(letter))?);
        }
        Self::new(&faces)
    }

    /// One die more of this face. A fourth die is not counted.
    #[must_use]
    pub const fn with(self, face: PieceType) -> Self {
        if self.len() == Self::MOST { self } else { Self { counts: self.counts + (1 << (2 * face.index())) } }
    }

    /// One die less of this face, or `None` if none shows it.
    #[must_use]
    pub const fn without(self, face: PieceType) -> Option<Self> {
        if self.has(face) { Some(Self { counts: self.counts - (1 << (2 * face.index())) }) } else { None }
    }

    /// How many dice show this face, 0..=3.
    pub const fn count(self, face: PieceType) -> usize {
        (self.counts >> (2 * face.index()) & 3) as usize
    }

    /// Whether a die shows this face.
    pub const fn has(self, face: PieceType) -> bool {
        self.count(face) != 0
    }

    /// How many dice there are, 0..=3.
    pub const fn len(self) -> usize {
        let pairs = (self.counts & 0x333) + (self.counts >> 2 & 0x333);
        ((pairs & 0xF) + (pairs >> 4 & 0xF) + (pairs >> 8 & 0xF)) as usize
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.counts == 0
    }

    /// The distinct faces shown, in the order P N B R Q K.
    pub fn faces(self) -> impl Iterator<Item = PieceType> {
        PieceType::ALL.into_iter().filter(move |&face| self.has(face))
    }

    /// Every die, in the order P N B R Q K, equal faces repeated.
    pub fn iter(self) -> impl Iterator<Item = PieceType> {
        self.faces().flat_map(move |face| std::iter::repeat_n(face, self.count(face)))
    }
}

/// Upper-case letters in the order P N B R Q K; `-` for no dice.
impl fmt::Display for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("-");
        }
        self.iter().try_for_each(|face| write!(f, "{}", face.letter()))
    }
}

impl fmt::Debug for Dice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_any_order_and_case_and_writes_the_canonical_one() {
        for (text, canonical) in [("BNP", "PNB"), ("kQr", "RQK"), ("pkp", "PPK"), ("n", "N"), ("-", "-"), ("", "-")] {
            assert_eq!(Dice::parse(text).map(|dice| dice.to_string()), Ok(canonical.to_string()));
        }
        assert_eq!(Dice::parse("PNBR"), Err(DiceError::TooMany(4)));
        assert_eq!(Dice::parse("PXB"), Err(DiceError::Face('X')));
        assert_eq!(Dice::parse("Pé"), Err(DiceError::Face('é')));
    }

    #[test]
    fn counts_and_takes_away() {
        let dice = Dice::parse("PPK").expect("sound");
        assert_eq!((dice.len(), dice.count(PieceType::Pawn), dice.count(PieceType::King)), (3, 2, 1));
        assert_eq!(dice.without(PieceType::Pawn).map(Dice::len), Some(2));
        assert_eq!(dice.without(PieceType::Rook), None);
        for face in PieceType::ALL {
            assert_eq!(Dice::NONE.with(face).with(face).with(face).len(), 3);
            assert_eq!(dice.with(face), dice, "a fourth die is not counted");
        }
    }
}
