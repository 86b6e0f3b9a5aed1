//! Time controls as pages say them, and as records do: the arena's texts.

use crate::fail::Fail;
use serde::{Deserialize, Serialize};
use std::fmt;

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
        let control = match text.split_once('=') {
            Some(("st", value)) => Self::MoveTime { ms: millis(value)? },
            Some(_) => return None,
            None if text == "untimed" => Self::None,
            None => {
                let (turns, rest) = match text.split_once('/') {
                    Some((turns, rest)) => (Some(turns.parse().ok()?), rest),
                    None => (None, text),
                };
                let (rest, delay_ms) = match rest.split_once('d') {
                    Some((rest, delay)) => (rest, millis(delay)?),
                    None => (rest, 0),
                };
                let (base, increment_ms) = match rest.split_once('+') {
                    Some((base, increment)) => (base, millis(increment)?),
                    None => (rest, 0),
                };
                Self::Clock { base_ms: millis(base)?, increment_ms, delay_ms, turns }
            }
        };
        control.check().ok().map(|()| control)
    }
}

/// Seconds with at most three decimals.
fn millis(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 6 || decimals.len() > 3 || !digits(whole) || !digits(decimals) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let thousandths: u64 = format!("{decimals:0<3}").parse().ok()?;
    Some(whole * 1000 + thousandths)
}

/// The text in a record: `60+0.6`, `40/60+0d2`, `st=5`, `untimed`.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        match *self {
            Self::None => f.write_str("untimed"),
            Self::MoveTime { ms } => write!(f, "st={}", seconds(ms)),
            Self::Clock { base_ms, increment_ms, delay_ms, turns } => {
                if let Some(turns) = turns {
                    write!(f, "{turns}/")?;
                }
                write!(f, "{}+{}", seconds(base_ms), seconds(increment_ms))?;
                if delay_ms > 0 {
                    write!(f, "d{}", seconds(delay_ms))?;
                }
                Ok(())
            }
        }
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
