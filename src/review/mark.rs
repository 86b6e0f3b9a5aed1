//! Marks: names for how much a turn has lost.

use std::fmt;

/// What a turn is called that lost much.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// `?!`
    Doubtful,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

/// From which loss on, in equity, a turn has which mark: those of gnubg, and the only table of them.
pub const MARKS: [(Mark, f64); 3] = [(Mark::Doubtful, 0.03), (Mark::Mistake, 0.06), (Mark::Blunder, 0.12)];

impl Mark {
    /// All marks, the mildest first.
    pub const ALL: [Self; 3] = [Self::Doubtful, Self::Mistake, Self::Blunder];

    /// The mark of a loss, if it has one.
    ///
    /// # Examples
    /// ```
    /// use astragal::review::Mark;
    ///
    /// assert_eq!([0.029, 0.03, 0.06, 0.12].map(Mark::of), [
    ///     None,
    ///     Some(Mark::Doubtful),
    ///     Some(Mark::Mistake),
    ///     Some(Mark::Blunder),
    /// ]);
    /// ```
    pub fn of(loss: f64) -> Option<Self> {
        MARKS.iter().rev().find(|&&(_, from)| loss >= from).map(|&(mark, _)| mark)
    }

    /// How far a loss is from the nearest border between two marks.
    pub fn distance(loss: f64) -> f64 {
        MARKS.iter().map(|(_, from)| (loss - from).abs()).fold(f64::INFINITY, f64::min)
    }

    /// Its signs.
    pub const fn signs(self) -> &'static str {
        match self {
            Self::Doubtful => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Doubtful => "doubtful",
            Self::Mistake => "mistake",
            Self::Blunder => "blunder",
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.signs())
    }
}
