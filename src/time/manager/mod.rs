//! From a clock to a budget: the envelope that no policy gets round.
//!
//! Pure arithmetic, total on any input. It reads no clock and knows of no deadline; the caller adds the budget to
//! the instant at which the turn began.

use super::{ClockState, TimePolicy};

/// Milliseconds that are never spent, so that latency alone cannot flag the clock.
pub const RESERVE_FLOOR: u64 = 300;

/// Part of the clock that is never spent: on a long clock the reserve grows with it.
pub const RESERVE_FRACTION: f64 = 0.05;

/// Part of the clock that one turn may spend at most: a misjudged turn must not cost the game.
pub const MAX_FRACTION: f64 = 0.20;

/// Milliseconds that a turn gets at least: some thinking, never a zero budget.
pub const MIN_THINK: u64 = 20;

/// Milliseconds of spendable time at which, and below which, surviving matters more than the turn.
pub const PANIC_THRESHOLD: u64 = 2000;

/// Milliseconds that a turn gets at most in a panic, to spread the rest over several turns.
pub const PANIC_BUDGET: u64 = 200;

/// What a turn deserves, before the caller's overhead is taken off.
///
/// A time manager's answer always has `MIN_THINK <= target_ms <= hard_cap_ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeBudget {
    /// The soft bound, in milliseconds: what the turn should take.
    pub target_ms: u64,
    /// The hard bound, in milliseconds: what the turn may take when the search finds it worth while.
    pub hard_cap_ms: u64,
}

impl TimeBudget {
    /// Milliseconds to think so that the answer has arrived when the budget is spent.
    ///
    /// `overhead_ms` is what only the caller can know: about 50 in process or over a pipe, about 150 across a network
    /// hop. The answer is at least [`MIN_THINK`], but never more than half of `remaining_ms`, which is 0 on an empty
    /// clock: with next to nothing left, even the least thinking would flag.
    pub fn less_overhead(&self, remaining_ms: i64, overhead_ms: u64) -> u64 {
        less_overhead(self.target_ms.min(self.hard_cap_ms), remaining_ms, overhead_ms)
    }
}

/// A bound of a budget less the overhead: at least [`MIN_THINK`], but never more than half of `remaining_ms`.
pub(super) fn less_overhead(bound_ms: u64, remaining_ms: i64, overhead_ms: u64) -> u64 {
    bound_ms.saturating_sub(overhead_ms).max(MIN_THINK).min(non_negative(remaining_ms) / 2)
}

/// Divides a clock among the turns that its policy expects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TimeManager {
    /// How the turns still to come are estimated.
    pub policy: TimePolicy,
}

impl TimeManager {
    /// A manager that estimates by `policy`.
    pub const fn new(policy: TimePolicy) -> Self {
        Self { policy }
    }

    /// The soft and the hard bound of the turn that starts with this clock. Negative times count as zero.
    pub fn budget(&self, clock: &ClockState) -> TimeBudget {
        let remaining = non_negative(clock.remaining_ms);
        let reserve = RESERVE_FLOOR.max(share(RESERVE_FRACTION, remaining));
        let spendable = remaining.saturating_sub(reserve);

        let horizon = self.policy.horizon(clock);
        let turns = at_least_one(clock.moves_to_go.map_or(horizon.turns_to_go, f64::from));
        let from_increment = share(horizon.increment_share, non_negative(clock.increment_ms));
        let from_clock = floor(horizon.weight * spendable as f64 / turns);
        let raw = from_increment.saturating_add(from_clock);

        let hard_cap = MIN_THINK.max(share(MAX_FRACTION, remaining));
        let mut target = raw.max(MIN_THINK).min(hard_cap);
        if spendable <= PANIC_THRESHOLD {
            target = target.clamp(MIN_THINK, PANIC_BUDGET);
        }

        // A delay clock gives this back, so it comes on top of both bounds, the cap and the panic included. Half of
        // the spendable time stays as safety, in case the delay is not what the caller believes.
        let free = non_negative(clock.delay_ms).min(spendable / 2);
        TimeBudget { target_ms: target.saturating_add(free), hard_cap_ms: hard_cap.saturating_add(free) }
    }

    /// Milliseconds to think on this clock: its [`budget`](Self::budget)
    /// [less the overhead](TimeBudget::less_overhead).
    pub fn budget_ms(&self, clock: &ClockState, overhead_ms: u64) -> u64 {
        self.budget(clock).less_overhead(clock.remaining_ms, overhead_ms)
    }
}

/// Milliseconds to think when the turn has a fixed time of its own and no clock: that time less the overhead, at
/// least [`MIN_THINK`].
///
/// A time below twice [`MIN_THINK`] is halved whatever the overhead, as it would be at the end of a clock; a
/// negative one is 0. Above that nothing is halved: the time is this turn's alone, there is none to keep for later.
pub fn fixed_time_ms(movetime_ms: i64, overhead_ms: u64) -> u64 {
    let movetime = non_negative(movetime_ms);
    if movetime < 2 * MIN_THINK {
        return movetime / 2;
    }
    movetime.saturating_sub(overhead_ms).max(MIN_THINK)
}

/// A negative time is an empty clock, not an error.
fn non_negative(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0)
}

/// Whole milliseconds of a part of a time.
fn share(fraction: f64, ms: u64) -> u64 {
    floor(fraction * ms as f64)
}

/// The floor of a time. The conversion cuts towards zero, which is the floor of what is not negative; it saturates,
/// and takes NaN and negative numbers as 0.
fn floor(ms: f64) -> u64 {
    ms as u64
}

/// No division by fewer turns than the one to be played; nonsense counts as that one.
fn at_least_one(turns: f64) -> f64 {
    if turns.is_finite() { turns.max(1.0) } else { 1.0 }
}

#[cfg(test)]
mod tests;
