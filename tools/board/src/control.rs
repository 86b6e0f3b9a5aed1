//! Time controls as pages say them; records have the library's texts.

use crate::fail::Fail;
use astragal::record;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A day, in milliseconds: longer times are mistakes.
const LONGEST_MS: u64 = 86_400_000;

/// What bounds a player's thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Control {
    /// Nothing.
    #[default]
    None,
    /// So much for every turn.
    MoveTime {
        /// Milliseconds.
        ms: u64,
    },
    /// A clock.
    Clock {
        /// To begin with, and again after every `turns` turns; in milliseconds, like the other times.
        base_ms: u64,
        /// Credited after each turn.
        #[serde(default)]
        increment_ms: u64,
        /// Of what a turn takes, so much is not taken off the clock.
        #[serde(default)]
        delay_ms: u64,
        /// Own turns until `base_ms` is added again; never if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turns: Option<u32>,
    },
}

impl Control {
    /// Checks that the times make sense.
    ///
    /// # Errors
    /// No time at all, more than a day, or no turns to the next control.
    pub fn check(&self) -> Result<(), Fail> {
        let sound = match *self {
            Self::None => true,
            Self::MoveTime { ms } => (1..=LONGEST_MS).contains(&ms),
            Self::Clock { base_ms, increment_ms, delay_ms, turns } => {
                (1..=LONGEST_MS).contains(&base_ms)
                    && increment_ms <= LONGEST_MS
                    && delay_ms <= LONGEST_MS
                    && turns != Some(0)
            }
        };
        if sound { Ok(()) } else { Err(Fail::bad("a time control has at least 1 ms and at most a day")) }
    }

    /// Reads the text of a record.
    pub fn parse(text: &str) -> Option<Self> {
        let control = match text.parse().ok()? {
            record::Control::Untimed => Self::None,
            record::Control::MoveTime(time) => Self::MoveTime { ms: millis(time) },
            record::Control::Clock(record::ClockControl { base, increment, delay, turns }) => {
                Self::Clock { base_ms: millis(base), increment_ms: millis(increment), delay_ms: millis(delay), turns }
            }
            record::Control::Depth(_) | record::Control::Nodes(_) => return None,
        };
        control.check().ok().map(|()| control)
    }

    /// As records have it.
    pub const fn of_record(self) -> record::Control {
        match self {
            Self::None => record::Control::Untimed,
            Self::MoveTime { ms } => record::Control::MoveTime(Duration::from_millis(ms)),
            Self::Clock { base_ms, increment_ms, delay_ms, turns } => record::Control::Clock(record::ClockControl {
                base: Duration::from_millis(base_ms),
                increment: Duration::from_millis(increment_ms),
                delay: Duration::from_millis(delay_ms),
                turns,
            }),
        }
    }
}

/// The times of records are whole milliseconds.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The text in a record: `60+0.6`, `40/60+0d2`, `st=5`, `untimed`.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of_record().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_there_and_back() {
        for text in ["untimed", "st=0.2", "300+3", "0.05+0", "40/5400+30d2.5", "60+0d2"] {
            assert_eq!(Control::parse(text).map(|control| control.to_string()).as_deref(), Some(text));
        }
        for text in ["", "0+1", "-1", "60+", "0/60", "st=0", "depth=2", "1.2345", "1e3", "9999999", "60d1d2", "NaN"] {
            assert_eq!(Control::parse(text), None, "{text}");
        }
    }
}
