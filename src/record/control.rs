//! Time controls: their texts, and what of them a mover is told.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// What bounds the players' thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Control {
    /// Nothing: every player decides for itself when it has thought enough.
    #[default]
    Untimed,
    /// A clock each.
    Clock(ClockControl),
    /// So much time for every turn.
    MoveTime(Duration),
    /// The number of turns to look ahead.
    Depth(u32),
    /// The number of positions to evaluate a turn.
    Nodes(u64),
}

/// A clock: sudden death, with increment, delay or both, and perhaps cyclic.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockControl {
    /// The time to begin with, and added again after every `turns` turns.
    pub base: Duration,
    /// Credited after each turn.
    pub increment: Duration,
    /// Of what a turn uses, so much is not taken off the clock.
    pub delay: Duration,
    /// Own turns until `base` is added again; none if it never is.
    pub turns: Option<u32>,
}

/// A text is no time control.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{}' is no time control; say 60+0.6, 40/60, 60+0d2 (delay), st=0.2, depth=2 or nodes=10000 (times in seconds)",
    .0.escape_default()
)]
pub struct ControlError(pub String);

/// A day: longer times are mistakes.
const LONGEST: f64 = 86_400.0;

impl Control {
    /// Whether wall-clock time decides anything.
    pub const fn is_timed(&self) -> bool {
        matches!(self, Self::Clock(_) | Self::MoveTime(_))
    }
}

/// Seconds with at most three decimals, so that every time is a whole number of milliseconds.
fn seconds(text: &str) -> Option<Duration> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let number: f64 = text.parse().ok()?;
    (plain && decimals <= 3 && number <= LONGEST).then(|| Duration::from_millis((number * 1000.0).round() as u64))
}

fn clock(text: &str) -> Option<ClockControl> {
    let (turns, rest) = match text.split_once('/') {
        Some((turns, rest)) => (Some(turns.parse().ok().filter(|&turns| turns > 0)?), rest),
        None => (None, text),
    };
    let (rest, delay) = match rest.split_once('d') {
        Some((rest, delay)) => (rest, seconds(delay)?),
        None => (rest, Duration::ZERO),
    };
    let (base, increment) = match rest.split_once('+') {
        Some((base, increment)) => (base, seconds(increment)?),
        None => (rest, Duration::ZERO),
    };
    let base = seconds(base).filter(|base| !base.is_zero())?;
    Some(ClockControl { base, increment, delay, turns })
}

impl FromStr for Control {
    type Err = ControlError;

    fn from_str(text: &str) -> Result<Self, ControlError> {
        let read = match text.split_once('=') {
            Some(("st", value)) => seconds(value).filter(|time| !time.is_zero()).map(Self::MoveTime),
            Some(("depth", value)) => value.parse().ok().filter(|&depth| depth > 0).map(Self::Depth),
            Some(("nodes", value)) => value.parse().ok().filter(|&nodes| nodes > 0).map(Self::Nodes),
            Some(_) => None,
            None if text == "untimed" => Some(Self::Untimed),
            None => clock(text).map(Self::Clock),
        };
        read.ok_or_else(|| ControlError(text.chars().take(40).collect()))
    }
}

/// The canonical text, which reads back as the same control.
impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untimed => f.write_str("untimed"),
            Self::MoveTime(time) => write!(f, "st={}", time.as_secs_f64()),
            Self::Depth(depth) => write!(f, "depth={depth}"),
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Clock(clock) => {
                if let Some(turns) = clock.turns {
                    write!(f, "{turns}/")?;
                }
                write!(f, "{}+{}", clock.base.as_secs_f64(), clock.increment.as_secs_f64())?;
                if !clock.delay.is_zero() {
                    write!(f, "d{}", clock.delay.as_secs_f64())?;
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
    fn every_form_is_read_and_written_canonically() {
        for (text, canonical) in [
            ("60+0.6", "60+0.6"),
            ("60", "60+0"),
            ("40/60", "40/60+0"),
            ("40/60+1", "40/60+1"),
            ("60+0d2", "60+0d2"),
            ("60d2.5", "60+0d2.5"),
            ("0.05", "0.05+0"),
            ("st=0.2", "st=0.2"),
            ("depth=2", "depth=2"),
            ("nodes=10000", "nodes=10000"),
            ("untimed", "untimed"),
        ] {
            let control: Control = text.parse().expect(text);
            assert_eq!(control.to_string(), canonical);
            assert_eq!(canonical.parse(), Ok(control));
        }
        let delay: Control = "60+0d2".parse().expect("a delay");
        let clock = ClockControl { base: Duration::from_secs(60), delay: Duration::from_secs(2), ..Default::default() };
        assert_eq!(delay, Control::Clock(clock));
    }

    #[test]
    fn everything_else_is_an_error() {
        for text in [
            "", "0", "0+1", "-1", "60+", "+1", "/60", "0/60", "60+-1", "1e3", "inf", "NaN", "60+0.6s", "st=0", "st=",
            "depth=0", "depth=x", "nodes=-1", "60d", "60d1d2", "99999999", "1.2345", "x=1", "60 + 1", ".",
        ] {
            assert!(text.parse::<Control>().is_err(), "{text}");
        }
    }
}
