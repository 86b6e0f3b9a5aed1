//! Time controls as the platform writes them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// How much time a game gives. Seconds may be anything: the server does not check them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// No clock; the server still ends a turn after 120 s.
    Unlimited,
    /// So much for all turns.
    SuddenDeath {
        /// Seconds at the start.
        initial: i64,
    },
    /// So much at the start, and an increment after each turn.
    Fischer {
        /// Seconds at the start.
        initial: i64,
        /// Seconds credited after each turn.
        increment: i64,
    },
    /// So much for every turn.
    PerMove {
        /// Seconds a turn.
        seconds: i64,
    },
    /// One that this bridge does not know, by its name.
    Unknown(String),
}

impl TimeControl {
    /// The name of its kind in settings.
    pub fn kind(&self) -> &str {
        match self {
            Self::Unlimited => "unlimited",
            Self::SuddenDeath { .. } => "sudden-death",
            Self::Fischer { .. } => "fischer",
            Self::PerMove { .. } => "per-move",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Seconds at the start, or of a turn; none without a clock.
    pub const fn initial(&self) -> Option<i64> {
        match self {
            Self::SuddenDeath { initial } | Self::Fischer { initial, .. } => Some(*initial),
            Self::PerMove { seconds } => Some(*seconds),
            Self::Unlimited | Self::Unknown(_) => None,
        }
    }

    /// Seconds credited after each turn.
    pub const fn increment(&self) -> i64 {
        match self {
            Self::Fischer { increment, .. } => *increment,
            _ => 0,
        }
    }

    fn of_value(value: &Value) -> Self {
        let Some((name, body)) = value.as_object().and_then(|object| object.iter().next()) else {
            return Self::Unknown("?".to_owned());
        };
        let number = |key: &str| {
            let field = body.get(key)?;
            // A fraction is rounded down: less time than there is harms nobody.
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            field.as_i64().or_else(|| field.as_f64().map(|seconds| seconds.floor() as i64))
        };
        let read = match name.as_str() {
            "Unlimited" => Some(Self::Unlimited),
            "SuddenDeath" => number("initialSeconds").map(|initial| Self::SuddenDeath { initial }),
            "Fischer" => number("initialSeconds")
                .map(|initial| Self::Fischer { initial, increment: number("incrementSeconds").unwrap_or(0) }),
            "PerMove" => number("secondsPerMove").map(|seconds| Self::PerMove { seconds }),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unknown(name.chars().take(40).collect()))
    }
}

impl<'de> Deserialize<'de> for TimeControl {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Value::deserialize(from).map(|value| Self::of_value(&value))
    }
}

impl Serialize for TimeControl {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let value = match self {
            Self::Unlimited => json!({"Unlimited": {}}),
            Self::SuddenDeath { initial } => json!({"SuddenDeath": {"initialSeconds": initial}}),
            Self::Fischer { initial, increment } => {
                json!({"Fischer": {"initialSeconds": initial, "incrementSeconds": increment}})
            }
            Self::PerMove { seconds } => json!({"PerMove": {"secondsPerMove": seconds}}),
            Self::Unknown(name) => json!({name: {}}),
        };
        value.serialize(to)
    }
}

/// `300+3`, `300`, `5/turn`, `unlimited`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::SuddenDeath { initial } => write!(f, "{initial}"),
            Self::Fischer { initial, increment } => write!(f, "{initial}+{increment}"),
            Self::PerMove { seconds } => write!(f, "{seconds}/turn"),
            Self::Unknown(name) => write!(f, "unknown ({})", name.escape_default()),
        }
    }
}

/// The same texts.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || {
            let text: String = text.chars().take(40).collect();
            format!("'{}' is no time control; write 300+3, 300, 5/turn or unlimited", text.escape_default())
        };
        let number = |part: &str| part.parse::<u32>().map(i64::from).map_err(|_| bad());
        if text == "unlimited" {
            Ok(Self::Unlimited)
        } else if let Some((initial, increment)) = text.split_once('+') {
            Ok(Self::Fischer { initial: number(initial)?, increment: number(increment)? })
        } else if let Some(seconds) = text.strip_suffix("/turn") {
            Ok(Self::PerMove { seconds: number(seconds)? })
        } else {
            Ok(Self::SuddenDeath { initial: number(text)? })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_platform_writes_is_read_and_written() {
        for (text, shown) in [
            (r#"{"Unlimited":{}}"#, "unlimited"),
            (r#"{"SuddenDeath":{"initialSeconds":4}}"#, "4"),
            (r#"{"Fischer":{"incrementSeconds":1,"initialSeconds":-1}}"#, "-1+1"),
            (r#"{"PerMove":{"secondsPerMove":2}}"#, "2/turn"),
        ] {
            let control: TimeControl = serde_json::from_str(text).expect(text);
            assert_eq!(control.to_string(), shown);
            let back: TimeControl = serde_json::from_value(serde_json::to_value(&control).expect("JSON")).expect("it");
            assert_eq!(back, control);
        }
        for text in [r#"{"Hourglass":{"x":1}}"#, "{}", "null", "7", r#"{"Fischer":{}}"#] {
            let control: TimeControl = serde_json::from_str(text).expect(text);
            assert_eq!(control.kind(), "unknown", "{text}");
        }
        for text in ["300+3", "300", "5/turn", "unlimited"] {
            assert_eq!(text.parse::<TimeControl>().map(|control| control.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "x", "-1", "3+", "/turn"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }
}
