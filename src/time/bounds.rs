//! The two bounds of a turn: when a search may stop, and when it must.
//!
//! Pure arithmetic. How a soft bound is scaled by what the search sees is not told here.

use super::manager::{fixed_time_ms, less_overhead};
use super::{ClockState, MIN_THINK, TimeBudget};

/// What is made of a budget. The ids are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TimeUse {
    /// `fixed`: the target is the deadline.
    #[default]
    Fixed,
    /// `adaptive`: the target is a soft bound that what the search sees makes longer or shorter; the hard cap is the
    /// deadline.
    Adaptive,
}

ids! { TimeUse, UnknownTimeUse, "use of time": Fixed = "fixed", Adaptive = "adaptive" }

/// When a turn's search may and when it must end, in milliseconds from the start of its clock; the overhead is taken
/// off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The soft bound, before it is scaled; `None` if the search is to use all that it has. At most the deadline.
    pub soft_ms: Option<u64>,
    /// The hard bound.
    pub deadline_ms: u64,
}

impl Bounds {
    /// The bounds of a turn that has this budget on this clock.
    ///
    /// With less than twice the overhead left even [`MIN_THINK`] may be too much: see [`bottom`].
    pub fn of_clock(budget: &TimeBudget, clock: &ClockState, overhead_ms: u64, time_use: TimeUse) -> Self {
        let most = bottom(clock, overhead_ms).unwrap_or(u64::MAX);
        let target = budget.less_overhead(clock.remaining_ms, overhead_ms).min(most);
        match time_use {
            TimeUse::Fixed => Self { soft_ms: None, deadline_ms: target },
            TimeUse::Adaptive => {
                let deadline_ms = less_overhead(budget.hard_cap_ms, clock.remaining_ms, overhead_ms).min(most);
                // With no more than the least there is nothing to save.
                Self { soft_ms: (deadline_ms > MIN_THINK).then_some(target), deadline_ms }
            }
        }
    }

    /// The bounds of a turn that has a fixed time of its own: it is there to be used, so there is no soft bound.
    pub fn of_move_time(movetime_ms: i64, overhead_ms: u64) -> Self {
        Self { soft_ms: None, deadline_ms: fixed_time_ms(movetime_ms, overhead_ms) }
    }

    /// Both limits at once: the earlier deadline, and the soft bound if it comes before that.
    pub fn and(self, other: Self) -> Self {
        let deadline_ms = self.deadline_ms.min(other.deadline_ms);
        let own = self.soft_ms.filter(|&soft| soft < other.deadline_ms);
        let others = other.soft_ms.filter(|&soft| soft < self.deadline_ms);
        Self { soft_ms: own.into_iter().chain(others).min(), deadline_ms }
    }
}

/// The most milliseconds to think at the bottom of the clock, where less than twice the overhead is left; `None` above
/// it.
///
/// As long as every turn gives something back (an increment or a delay), only what lies above one overhead is spent, so
/// that the clock never sinks below that by choice. Where nothing is given back there is no thinking at all: what is left
/// is for the latency of the turns to come.
pub fn bottom(clock: &ClockState, overhead_ms: u64) -> Option<u64> {
    let remaining = u64::try_from(clock.remaining_ms).unwrap_or(0);
    if remaining >= overhead_ms.saturating_mul(2) {
        return None;
    }
    let gives_back = clock.increment_ms > 0 || clock.delay_ms > 0;
    Some(if gives_back { remaining.saturating_sub(overhead_ms) } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::{MAX_FRACTION, TimeManager, TimePolicy};

    fn bounds(clock: &ClockState, overhead: u64, time_use: TimeUse) -> Bounds {
        Bounds::of_clock(&TimeManager::default().budget(clock), clock, overhead, time_use)
    }

    fn clock(remaining_ms: i64) -> ClockState {
        ClockState { remaining_ms, move_number: 5, ..ClockState::default() }
    }

    #[test]
    fn names_are_found_in_any_case() {
        for time_use in TimeUse::ALL {
            assert_eq!(time_use.id().to_uppercase().parse(), Ok(time_use));
            assert_eq!(time_use.to_string(), time_use.id());
        }
        let error = "adaptively".parse::<TimeUse>().expect_err("no such use").to_string();
        assert!(error.contains("adaptively") && error.contains("fixed, adaptive"), "{error}");
    }

    #[test]
    fn adaptive_has_the_target_as_soft_and_the_cap_as_hard_bound() {
        // Remaining, overhead; what fixed stops at, the soft and the hard bound of adaptive.
        let rows = [
            (60_000, 50, 10_368, 10_368, 11_950),
            (10_000, 50, 1686, 1686, 1950),
            (1000, 50, 77, 77, 150),
            (400, 0, 20, 20, 80),
            (100, 50, 20, 20, 20),
            // The bottom: nothing is given back.
            (99, 50, 0, 0, 0),
        ];
        for (remaining, overhead, fixed, soft, hard) in rows {
            let by = |time_use| bounds(&clock(remaining), overhead, time_use);
            assert_eq!(by(TimeUse::Fixed), Bounds { soft_ms: None, deadline_ms: fixed }, "{remaining}");
            let adaptive = by(TimeUse::Adaptive);
            assert_eq!((adaptive.soft_ms.unwrap_or(soft), adaptive.deadline_ms), (soft, hard), "{remaining}");
        }
    }

    #[test]
    fn no_bound_is_beyond_what_is_left_whatever_the_clock() {
        let numbers = [i64::MIN, -1, 0, 1, 19, 20, 39, 40, 41, 100, 2000, 60_000, 86_400_000, i64::MAX];
        for remaining_ms in numbers {
            for delay_ms in [0, 2000, i64::MAX] {
                for moves_to_go in [None, Some(0), Some(1), Some(40)] {
                    for overhead in [0, 50, u64::MAX] {
                        for policy in TimePolicy::ALL {
                            let clock = ClockState { moves_to_go, delay_ms, ..clock(remaining_ms) };
                            let budget = TimeManager::new(policy).budget(&clock);
                            let by = |time_use| Bounds::of_clock(&budget, &clock, overhead, time_use);
                            let (fixed, adaptive) = (by(TimeUse::Fixed), by(TimeUse::Adaptive));
                            let left = u64::try_from(remaining_ms).unwrap_or(0);
                            assert!(adaptive.deadline_ms <= left / 2, "{clock:?}");
                            let least = MIN_THINK.min(left / 2).min(bottom(&clock, overhead).unwrap_or(u64::MAX));
                            assert!(adaptive.deadline_ms >= least && fixed.deadline_ms >= least, "{clock:?}");
                            assert!(fixed.deadline_ms <= adaptive.deadline_ms, "{clock:?}");
                            assert!(adaptive.soft_ms.is_none_or(|soft| soft == fixed.deadline_ms), "{clock:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn at_the_bottom_of_the_clock_only_what_is_given_back_is_spent() {
        // Left, increment, delay, overhead; the deadline.
        let rows = [
            (100, 3, 0, 50, 20),
            (99, 3, 0, 50, 20),
            (69, 3, 0, 50, 19),
            (52, 3, 0, 50, 2),
            (50, 3, 0, 50, 0),
            (3, 3, 0, 50, 0),
            (0, 3, 0, 50, 0),
            (60, 0, 5, 50, 10),
            (60, -1, -1, 50, 0),
            (99, 0, 0, 50, 0),
            (100, 0, 0, 50, 20),
            (30, 0, 0, 0, 15),
            (i64::MIN, 3, 0, u64::MAX, 0),
        ];
        for (remaining_ms, increment_ms, delay_ms, overhead, deadline) in rows {
            let clock = ClockState { increment_ms, delay_ms, ..clock(remaining_ms) };
            for time_use in TimeUse::ALL {
                assert_eq!(bounds(&clock, overhead, time_use).deadline_ms, deadline, "{clock:?} {overhead}");
            }
        }
    }

    #[test]
    fn the_last_turn_before_a_control_keeps_something_for_the_one_after_it() {
        for remaining in [1000, 5000, 60_000, 3_600_000] {
            for turns in [0, 1] {
                let clock = ClockState { moves_to_go: Some(turns), ..clock(remaining) };
                let most = MAX_FRACTION * remaining as f64;
                for time_use in TimeUse::ALL {
                    let deadline = bounds(&clock, 0, time_use).deadline_ms;
                    assert!(deadline as f64 <= most, "{remaining}: {deadline}");
                    assert!(deadline as f64 > 0.15 * most, "{remaining}: {deadline} is nothing");
                }
            }
        }
    }

    #[test]
    fn a_delay_is_used_for_it_would_be_lost() {
        for time_use in TimeUse::ALL {
            let without = bounds(&clock(60_000), 50, time_use);
            let with = bounds(&ClockState { delay_ms: 2000, ..clock(60_000) }, 50, time_use);
            assert_eq!(with.deadline_ms, without.deadline_ms + 2000);
            assert_eq!(with.soft_ms, without.soft_ms.map(|soft| soft + 2000));
        }
    }

    #[test]
    fn of_several_limits_the_earliest_counts() {
        let both = Bounds { soft_ms: Some(100), deadline_ms: 300 };
        let fixed = |deadline_ms| Bounds { soft_ms: None, deadline_ms };
        for (move_time, soft_ms, deadline_ms) in
            [(50, None, 50), (100, None, 100), (101, Some(100), 101), (300, Some(100), 300), (900, Some(100), 300)]
        {
            let want = Bounds { soft_ms, deadline_ms };
            assert_eq!((both.and(fixed(move_time)), fixed(move_time).and(both)), (want, want), "{move_time}");
        }
        assert_eq!(fixed(7).and(fixed(5)), fixed(5));
        assert_eq!(Bounds::of_move_time(1000, 50), fixed(950));
        assert_eq!(Bounds::of_move_time(-1, 50), fixed(0));
    }
}
