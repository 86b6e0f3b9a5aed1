//! The two clocks of a game: pure arithmetic on measured times, no clock read.
//!
//! The flag is judged first, the increment credited after: a turn that takes more than the clock held is lost on time
//! whatever it would have earned.

use super::control::{ClockControl, Control};
use crate::board::Color;
use std::time::Duration;

/// The clocks under a control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    /// Those of White and Black.
    controls: [Control; 2],
    /// Forgiven below zero.
    margin: Duration,
    sides: [Side; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Side {
    left: Duration,
    turns_to_go: Option<u32>,
}

impl Side {
    /// Own turns are counted, and the time of the next control is added after its last.
    fn count_turn(&mut self, clock: ClockControl) {
        let Some(turns) = &mut self.turns_to_go else { return };
        *turns = turns.saturating_sub(1);
        if *turns == 0 {
            self.left += clock.base;
            self.turns_to_go = clock.turns;
        }
    }
}

/// What `go` or a webhook tells of the clocks, in whole milliseconds, rounded down and never negative. An opponent who
/// has no clock is told as if it had the mover's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockView {
    /// What White and Black have left.
    pub left_ms: [u64; 2],
    /// The increments of White and Black.
    pub increment_ms: [u64; 2],
    /// The delays of White and Black.
    pub delay_ms: [u64; 2],
    /// The mover's turns to the next control.
    pub turns_to_go: Option<u32>,
}

/// What a turn did to the mover's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    /// What it stands at now in milliseconds, the increment credited; none without a clock.
    Within(Option<i64>),
    /// It has run out, by this many milliseconds.
    Flagged {
        /// How far below zero.
        over_ms: u64,
    },
}

impl GameClock {
    /// Clocks at the start of a game in which both sides have the same control.
    pub fn new(control: Control, margin: Duration) -> Self {
        Self::with([control; 2], margin)
    }

    /// Clocks at the start of a game under the controls of White and Black.
    pub fn with(controls: [Control; 2], margin: Duration) -> Self {
        let side = |control| match control {
            Control::Clock(ClockControl { base, turns, .. }) => Side { left: base, turns_to_go: turns },
            _ => Side::default(),
        };
        Self { controls, margin, sides: controls.map(side) }
    }

    /// What the mover is told; none if it has no clock.
    pub fn view(&self, mover: Color) -> Option<ClockView> {
        let own = mover.index();
        let Control::Clock(clock) = self.controls[own] else { return None };
        let (left_ms, increment_ms, delay_ms) =
            (millis(self.sides[own].left), millis(clock.increment), millis(clock.delay));
        let turns_to_go = self.sides[own].turns_to_go;
        let mut view =
            ClockView { left_ms: [left_ms; 2], increment_ms: [increment_ms; 2], delay_ms: [delay_ms; 2], turns_to_go };
        let other = 1 - own;
        if let Control::Clock(clock) = self.controls[other] {
            view.left_ms[other] = millis(self.sides[other].left);
            view.increment_ms[other] = millis(clock.increment);
            view.delay_ms[other] = millis(clock.delay);
        }
        Some(view)
    }

    /// How long the mover may take from now before its flag falls, the margin included; none if nothing is timed.
    pub fn flag_after(&self, mover: Color) -> Option<Duration> {
        match self.controls[mover.index()] {
            Control::Clock(clock) => Some(self.sides[mover.index()].left + clock.delay + self.margin),
            Control::MoveTime(time) => Some(time + self.margin),
            _ => None,
        }
    }

    /// What a side has left when its turn has lasted so long; none if nothing is timed. Never negative.
    pub fn left(&self, side: Color, used: Duration) -> Option<Duration> {
        match self.controls[side.index()] {
            Control::Clock(clock) => {
                Some(self.sides[side.index()].left.saturating_sub(used.saturating_sub(clock.delay)))
            }
            Control::MoveTime(time) => Some(time.saturating_sub(used)),
            _ => None,
        }
    }

    /// A side's own turns to the next control; none if there is no such control.
    pub const fn turns_to_go(&self, side: Color) -> Option<u32> {
        self.sides[side.index()].turns_to_go
    }

    /// Goes on over a turn of a record that says what its player had left then; where it says nothing, no time is taken.
    /// Whether it says what it should.
    pub fn follow(&mut self, mover: Color, left_ms: Option<i64>) -> bool {
        let Control::Clock(clock) = self.controls[mover.index()] else { return true };
        let side = &mut self.sides[mover.index()];
        side.count_turn(clock);
        let left = left_ms.and_then(|left| u64::try_from(left).ok());
        if let Some(left) = left {
            side.left = Duration::from_millis(left);
        }
        left.is_some()
    }

    /// Books the time a turn took.
    pub fn spend(&mut self, mover: Color, took: Duration) -> Spent {
        let margin = self.margin;
        let over = |used: Duration, had: Duration| {
            (used > had + margin).then(|| Spent::Flagged { over_ms: (used - had).as_micros().div_ceil(1000) as u64 })
        };
        match self.controls[mover.index()] {
            Control::MoveTime(time) => over(took, time).unwrap_or(Spent::Within(None)),
            Control::Clock(clock) => {
                let side = &mut self.sides[mover.index()];
                let used = took.saturating_sub(clock.delay);
                if let Some(flagged) = over(used, side.left) {
                    return flagged;
                }
                side.left = side.left.saturating_sub(used) + clock.increment;
                side.count_turn(clock);
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
    fn each_side_has_its_own_control() {
        let controls = ["60+1", "10+0d2"].map(|text| text.parse().expect(text));
        let mut clock = GameClock::with(controls, Duration::ZERO);
        let view =
            ClockView { left_ms: [60_000, 10_000], increment_ms: [1000, 0], delay_ms: [0, 2000], turns_to_go: None };
        assert_eq!((clock.view(White), clock.view(Black)), (Some(view), Some(view)));
        assert_eq!(clock.spend(White, ms(20_000)), Spent::Within(Some(41_000)));
        assert_eq!(clock.spend(Black, ms(12_001)), Spent::Flagged { over_ms: 1 });

        let controls = ["10+0.5", "depth=2"].map(|text| text.parse().expect(text));
        let mut clock = GameClock::with(controls, Duration::ZERO);
        assert_eq!(clock.spend(Black, ms(100_000)), Spent::Within(None));
        assert_eq!(clock.spend(White, ms(1500)), Spent::Within(Some(9000)));
        let view = clock.view(White).expect("a clock");
        assert_eq!((view.left_ms, view.increment_ms), ([9000; 2], [500; 2]), "as if the opponent had the same");
        assert_eq!((clock.view(Black), clock.flag_after(Black)), (None, None));
    }

    #[test]
    fn what_is_told_is_rounded_down() {
        let mut clock = clock("1+0", 0);
        assert_eq!(clock.spend(White, Duration::from_micros(999_500)), Spent::Within(Some(0)));
        assert_eq!(clock.view(White).map(|view| view.left_ms[0]), Some(0));
    }
}
