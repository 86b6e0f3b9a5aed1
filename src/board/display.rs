//! The board drawn for people.

use super::{Position, Square};
use std::fmt;

/// Draws a position: eight ranks from the top, files and ranks named at the edge.
pub struct Diagram<'a>(&'a Position);

impl Position {
    /// The board drawn in ten lines of text, White's pieces in upper case.
    pub const fn diagram(&self) -> Diagram<'_> {
        Diagram(self)
    }
}

impl fmt::Display for Diagram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..8).rev() {
            write!(f, "{} ", rank + 1)?;
            for file in 0..8 {
                let letter = match self.0.piece_at(Square::at(file, rank)) {
                    Some((color, kind)) => color.cased(kind.letter()),
                    None => '.',
                };
                write!(f, " {letter}")?;
            }
            writeln!(f)?;
        }
        write!(f, "\n   a b c d e f g h")
    }
}
