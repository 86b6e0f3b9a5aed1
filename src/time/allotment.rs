//! What one turn may spend: from a clock or a fixed time, the overhead and the use of time to the bounds of a search.
//!
//! This is the one place where a budget becomes a deadline. Pure arithmetic; whoever keeps the clock (the session, the
//! arena) adds the bounds to the instant at which the turn began.

use super::{Bounds, ClockState, TimeBudget, TimeManager, TimePolicy, TimeUse};

/// The latency to reckon with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// Milliseconds that a turn costs beyond the thinking.
    pub ms: u64,
    /// Whether it was measured. One that was only set is a guess, of which a fixed time gives up no more than a tenth.
    pub measured: bool,
}

impl Overhead {
    /// An overhead that somebody has set.
    pub const fn set(ms: u64) -> Self {
        Self { ms, measured: false }
    }

    /// The part of it that is kept back from a turn with a fixed time of its own.
    const fn of_move_time(self, movetime_ms: i64) -> u64 {
        let tenth = if movetime_ms > 0 { movetime_ms.unsigned_abs() / 10 } else { 0 };
        if self.measured || self.ms < tenth { self.ms } else { tenth }
    }
}

/// How a player deals with time, the same for all of its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRules {
    /// How a clock is shared out over the turns.
    pub policy: TimePolicy,
    /// What is made of a turn's share.
    pub time_use: TimeUse,
    /// The latency to reckon with.
    pub overhead: Overhead,
}

/// What a turn may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allotment {
    /// The budget whose deadline is the earlier one.
    pub budget: TimeBudget,
    /// When the search may and when it must end.
    pub bounds: Bounds,
}

impl TimeRules {
    /// The allotment of a turn by its clock, by a fixed time in milliseconds, or by whichever of the two ends first;
    /// `None` if there is neither.
    pub fn allot(&self, clock: Option<&ClockState>, movetime_ms: Option<i64>) -> Option<Allotment> {
        let by_clock = clock.map(|clock| {
            let budget = TimeManager::new(self.policy).budget(clock);
            Allotment { budget, bounds: Bounds::of_clock(&budget, clock, self.overhead.ms, self.time_use) }
        });
        let by_move_time = movetime_ms.map(|ms| {
            let whole = u64::try_from(ms).unwrap_or(0);
            let budget = TimeBudget { target_ms: whole, hard_cap_ms: whole };
            Allotment { budget, bounds: Bounds::of_move_time(ms, self.overhead.of_move_time(ms)) }
        });
        by_clock.into_iter().chain(by_move_time).reduce(|clock, move_time| {
            let earlier = if move_time.bounds.deadline_ms < clock.bounds.deadline_ms { move_time } else { clock };
            Allotment { bounds: clock.bounds.and(move_time.bounds), ..earlier }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(overhead: Overhead) -> TimeRules {
        TimeRules { policy: TimePolicy::default(), time_use: TimeUse::Fixed, overhead }
    }

    fn deadline(rules: TimeRules, clock: Option<&ClockState>, movetime_ms: Option<i64>) -> Option<u64> {
        rules.allot(clock, movetime_ms).map(|allotment| allotment.bounds.deadline_ms)
    }

    #[test]
    fn without_any_time_there_is_no_allotment() {
        assert_eq!(rules(Overhead::set(50)).allot(None, None), None);
    }

    #[test]
    fn a_fixed_time_keeps_the_overhead_or_a_tenth_unless_it_was_measured() {
        let guessed = |ms, movetime| deadline(rules(Overhead::set(ms)), None, Some(movetime));
        let measured = |ms, movetime| deadline(rules(Overhead { ms, measured: true }), None, Some(movetime));
        for (overhead, movetime, by_guess, by_measure) in [
            (50, 100, 90, 50),
            (50, 499, 450, 449),
            (50, 500, 450, 450),
            (50, 1000, 950, 950),
            (0, 100, 100, 100),
            (60_000, 1000, 900, 20),
            (50, 39, 19, 19),
            (50, 40, 36, 20),
            (50, 0, 0, 0),
            (50, -5, 0, 0),
            (u64::MAX, i64::MIN, 0, 0),
        ] {
            assert_eq!(guessed(overhead, movetime), Some(by_guess), "{overhead} of {movetime}, guessed");
            assert_eq!(measured(overhead, movetime), Some(by_measure), "{overhead} of {movetime}, measured");
        }
        assert_eq!(guessed(u64::MAX, i64::MAX), Some(i64::MAX.unsigned_abs() - i64::MAX.unsigned_abs() / 10));
    }

    #[test]
    fn of_a_clock_and_a_fixed_time_the_earlier_counts() {
        let clock = ClockState { remaining_ms: 60_000, move_number: 5, ..ClockState::default() };
        let rules = rules(Overhead::set(50));
        for (movetime, target) in [(1000, 1000), (100_000, 10_418)] {
            let both = rules.allot(Some(&clock), Some(movetime)).expect("there is time");
            assert_eq!(both.budget.target_ms, target, "{movetime}");
        }
        assert_eq!(deadline(rules, Some(&clock), Some(100)), Some(90));
        assert_eq!(deadline(rules, Some(&clock), Some(100_000)), deadline(rules, Some(&clock), None));
    }

    /// Latencies in milliseconds of a pipe on a busy machine: mostly a fraction of one, now and then much more.
    fn latency(turn: u32) -> f64 {
        let hiccup = if turn % 97 == 50 { 8.0 } else { 0.0 };
        0.1 + 0.2 * f64::from(turn.wrapping_mul(2_654_435_761) % 100) / 100.0 + hiccup
    }

    /// Plays 300 turns on a clock of this control, in milliseconds: what is left after each.
    fn clocks(base: f64, increment: i64, delay: i64, time_use: TimeUse, policy: TimePolicy) -> Vec<f64> {
        let rules = TimeRules { policy, time_use, overhead: Overhead::set(50) };
        let mut left = base;
        let mut after = Vec::new();
        for turn in 1..=300 {
            let clock = ClockState {
                remaining_ms: left as i64,
                increment_ms: increment,
                delay_ms: delay,
                move_number: turn,
                moves_to_go: None,
                turns_out_of_book: turn - 1,
            };
            let allotted = rules.allot(Some(&clock), None).expect("there is a clock");
            let used = allotted.bounds.deadline_ms as f64 + latency(turn);
            assert!(used < left + delay as f64, "turn {turn}: {left} ms left, {used} used");
            left = left - (used - delay as f64).max(0.0) + increment as f64;
            after.push(left);
        }
        after
    }

    #[test]
    fn no_game_of_300_turns_is_lost_on_time() {
        for time_use in TimeUse::ALL {
            for policy in TimePolicy::ALL {
                for (base, increment) in [(300.0, 3), (100.0, 1), (1000.0, 0), (3000.0, 20)] {
                    for delay in [0, 2, 100] {
                        let after = clocks(base, increment, delay, time_use, policy);
                        assert!(after.iter().all(|&left| left > 0.0));
                    }
                }
            }
        }
    }

    #[test]
    fn with_an_increment_the_clock_stays_above_the_overhead_but_for_latency() {
        for (base, increment) in [(300.0, 3), (100.0, 1), (3000.0, 20)] {
            let lowest = clocks(base, increment, 0, TimeUse::Fixed, TimePolicy::EmpiricalV1)
                .into_iter()
                .fold(f64::INFINITY, f64::min);
            // The overhead of 50 less one hiccup.
            assert!(lowest > 41.0, "{base}+{increment}: {lowest}");
        }
    }
}
