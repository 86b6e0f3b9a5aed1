//! The two clocks of a game: pure arithmetic on measured times, no clock read.
//!
//! The flag is judged first, the increment credited after: a turn that takes more than the clock held is lost on time
//! whatever it would have earned.

use crate::control::{ClockControl, Control};
use astragal::board::Color;
use std::time::Duration;

/// The clocks under a control.
#[derive(Clone, Debug)]
pub struct GameClock {
    control: Control,
    /// Forgiven below zero.
    margin: Duration,
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    left: Duration,
    turns_to_go: Option<u32>,
}

/// What `go` or a webhook tells of a clock, in whole milliseconds, rounded down and never negative.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockView {
    /// What White and Black have left.
    pub left_ms: [u64; 2],
    /// The increment of both.
    pub increment_ms: u64,
    /// The delay of both.
    pub delay_ms: u64,
    /// The mover's turns to the next control.
    pub turns_to_go: Option<u32>,
}

/// What a turn did to the mover's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    /// It stands at so many milliseconds now, the increment credited; none without a clock.
    Within(Option<i64>),
    /// It has run out by so many milliseconds.
    Flagged {
        /// How far below zero.
        over_ms: u64,
    },
}

impl GameClock {
    /// Clocks at the start of a game.
    pub fn new(control: Control, margin: Duration) -> Self {
        let side = match control {
            Control::Clock(clock) => Side { left: clock.base, turns_to_go: clock.turns },
            _ => Side::default(),
        };
        Self { control, margin, sides: [side; 2] }
    }

    /// What bounds the players.
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// What the mover is told; none without clocks.
    pub fn view(&self, mover: Color) -> Option<ClockView> {
        let Control::Clock(ClockControl { increment, delay, .. }) = self.control else { return None };
        Some(ClockView {
            left_ms: self.sides.map(|side| millis(side.left)),
            increment_ms: millis(increment),
            delay_ms: millis(delay),
            turns_to_go: self.sides[mover.index()].turns_to_go,
        })
    }

    /// How long the mover may take from now before its flag falls, the margin included; none if nothing is timed.
    pub fn flag_after(&self, mover: Color) -> Option<Duration> {
        match self.control {
            Control::Clock(clock) => Some(self.sides[mover.index()].left + clock.delay + self.margin),
            Control::MoveTime(time) => Some(time + self.margin),
            _ => None,
        }
    }

    /// Books the time a turn took.
    pub fn spend(&mut self, mover: Color, took: Duration) -> Spent {
        let margin = self.margin;
        let over = |used: Duration, had: Duration| {
            (used > had + margin).then(|| Spent::Flagged { over_ms: (used - had).as_micros().div_ceil(1000) as u64 })
        };
        match self.control {
            Control::MoveTime(time) => over(took, time).unwrap_or(Spent::Within(None)),
            Control::Clock(clock) => {
                let side = &mut self.sides[mover.index()];
                let used = took.saturating_sub(clock.delay);
                if let Some(flagged) = over(used, side.left) {
                    return flagged;
                }
                side.left = side.left.saturating_sub(used) + clock.increment;
                if let Some(turns) = &mut side.turns_to_go {
                    *turns -= 1;
                    if *turns == 0 {
                        side.left += clock.base;
                        side.turns_to_go = clock.turns;
                    }
                }
                Spent::Within(Some(millis(side.left) as i64))
            }
            _ => Spent::Within(None),
        }
    }
}

/// Whole milliseconds, rounded down; controls are at most a day, so they fit.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn clock(control: &str, margin: u64) -> GameClock {
        GameClock::new(control.parse().expect(control), ms(margin))
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_flag_is_judged_before_the_increment_is_credited() {
        let mut clock = clock("1+5", 0);
        assert_eq!(clock.spend(White, ms(1000)), Spent::Within(Some(5000)), "exactly all of it is not too much");
        assert_eq!(clock.spend(Black, ms(1001)), Spent::Flagged { over_ms: 1 });
        assert_eq!(clock.spend(White, Duration::from_micros(5_000_001)), Spent::Flagged { over_ms: 1 });
    }

    #[test]
    fn the_margin_forgives_but_gives_nothing() {
        let mut clock = clock("1+0", 50);
        assert_eq!(clock.flag_after(White), Some(ms(1050)));
        assert_eq!(clock.spend(White, ms(1050)), Spent::Within(Some(0)));
        assert_eq!(clock.view(White).map(|view| view.left_ms), Some([0, 1000]));
        assert_eq!(clock.spend(White, ms(50)), Spent::Within(Some(0)));
        assert_eq!(clock.spend(White, ms(51)), Spent::Flagged { over_ms: 51 });
    }

    #[test]
    fn a_delay_is_given_back_and_not_saved_up() {
        let mut clock = clock("10+0d2", 0);
        assert_eq!(clock.spend(White, ms(500)), Spent::Within(Some(10_000)));
        assert_eq!(clock.spend(White, ms(2500)), Spent::Within(Some(9500)));
        assert_eq!(clock.flag_after(White), Some(ms(11_500)));
        assert_eq!(clock.spend(White, ms(11_501)), Spent::Flagged { over_ms: 1 });
    }

    #[test]
    fn a_cyclic_control_adds_its_time_after_its_turns() {
        let mut clock = clock("2/10+1", 0);
        assert_eq!(clock.view(White).and_then(|view| view.turns_to_go), Some(2));
        assert_eq!(clock.spend(White, ms(4000)), Spent::Within(Some(7000)));
        assert_eq!(clock.view(White).and_then(|view| view.turns_to_go), Some(1));
        assert_eq!(clock.view(Black).and_then(|view| view.turns_to_go), Some(2));
        assert_eq!(clock.spend(White, ms(4000)), Spent::Within(Some(14_000)));
        assert_eq!(clock.view(White).and_then(|view| view.turns_to_go), Some(2));
    }

    #[test]
    fn a_time_a_turn_has_no_memory_and_untimed_games_no_flag() {
        let mut fixed = clock("st=0.2", 10);
        assert_eq!(fixed.spend(White, ms(210)), Spent::Within(None));
        assert_eq!(fixed.spend(White, ms(211)), Spent::Flagged { over_ms: 11 });
        assert_eq!(fixed.view(White), None);
        let mut untimed = clock("untimed", 0);
        assert_eq!(untimed.spend(White, ms(1_000_000)), Spent::Within(None));
        assert_eq!(untimed.flag_after(White), None);
    }

    #[test]
    fn what_is_told_is_rounded_down() {
        let mut clock = clock("1+0", 0);
        assert_eq!(clock.spend(White, Duration::from_micros(999_500)), Spent::Within(Some(0)));
        assert_eq!(clock.view(White).map(|view| view.left_ms[0]), Some(0));
    }
}
