//! Turns: the micro-moves a player makes on one roll.

use crate::board::{Dice, MicroMove, MicroMoveError, Square};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The text of a turn without micro-moves.
const PASS: &str = "0000";

const NO_MOVE: MicroMove = MicroMove::new(Square::new(0), Square::new(0));

/// A sequence of at most three micro-moves; the empty one is a pass.
///
/// Of two turns the one with fewer micro-moves comes first, then the one that is first in ASCII order: the first of
/// all turns to one outcome is the one that stands for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Turn {
    moves: [MicroMove; Dice::MOST],
    len: u8,
}

/// Why a text is not a turn.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TurnTextError {
    /// A part that is no micro-move.
    #[error(transparent)]
    MicroMove(#[from] MicroMoveError),
    /// More than three micro-moves.
    #[error("a turn has at most 3 micro-moves, not {0}")]
    TooLong(usize),
}

impl Turn {
    /// The turn without micro-moves.
    pub const PASS: Self = Self { moves: [NO_MOVE; Dice::MOST], len: 0 };

    /// The micro-moves in order.
    #[inline]
    pub fn moves(&self) -> &[MicroMove] {
        &self.moves[..self.len()]
    }

    /// The [bits](MicroMove::bits) of the micro-moves in order; 0 where there is none.
    #[inline]
    pub const fn bits(&self) -> [u16; Dice::MOST] {
        let [first, second, third] = self.moves;
        [first.bits(), second.bits(), third.bits()]
    }

    /// How many micro-moves there are, 0..=3.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether it is a pass.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// This turn with one micro-move more. A fourth is not added.
    #[inline]
    #[must_use]
    pub const fn then(mut self, mv: MicroMove) -> Self {
        if (self.len as usize) < Dice::MOST {
            self.moves[self.len as usize] = mv;
            self.len += 1;
        }
        self
    }

    /// The same turn seen with the board turned upside down.
    #[must_use]
    pub fn flip_ranks(&self) -> Self {
        self.moves().iter().fold(Self::PASS, |turn, mv| turn.then(mv.flip_ranks()))
    }
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        self.len.cmp(&other.len).then_with(|| self.moves().cmp(other.moves()))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromStr for Turn {
    type Err = TurnTextError;

    fn from_str(text: &str) -> Result<Self, TurnTextError> {
        if text == PASS {
            return Ok(Self::PASS);
        }
        let count = text.split(',').count();
        if count > Dice::MOST {
            return Err(TurnTextError::TooLong(count));
        }
        text.split(',').try_fold(Self::PASS, |turn, part| Ok(turn.then(MicroMove::parse(part)?)))
    }
}

/// Micro-moves joined by commas, without blanks; a pass is `0000`.
impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.moves().split_first() else {
            return f.write_str(PASS);
        };
        write!(f, "{first}")?;
        rest.iter().try_for_each(|mv| write!(f, ",{mv}"))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_there_and_back() {
        for text in ["0000", "e2e4", "e2e4,g1f3", "a7a8q,a8a1,e1g1"] {
            assert_eq!(text.parse::<Turn>().map(|turn| turn.to_string()), Ok(text.to_string()));
        }
        for text in ["", "e2e4,", "e2e4,,g1f3", "e2e4,0000", "a,b,c,d", "e2e4 g1f3"] {
            assert!(text.parse::<Turn>().is_err(), "{text}");
        }
    }

    #[test]
    fn fewer_micro_moves_come_first_then_ascii() {
        let order = ["0000", "h7h8", "a1a2,h1h2", "a1a3,a1a2", "a7a8n,a1a2", "a7a8q,a1a2", "a1a2,a1a2,a1a2"];
        let turns: Vec<Turn> = order.iter().filter_map(|text| text.parse().ok()).collect();
        assert_eq!(turns.len(), order.len());
        assert!(turns.is_sorted());
    }
}
