//! The stop signal: how a search learns that its time is over.
//!
//! The only clock reads of the room are here. Nothing here knows how the deadline came about, nor how what a search has
//! seen is weighed.

use super::adaptive::{Times, is_enough, stop_by_ms};
use super::{Bounds, SearchStats};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The state of a raised signal.
const RAISED: u64 = 0;

/// The state of a signal without a deadline.
const NO_DEADLINE: u64 = u64::MAX;

/// The latest deadline that a signal can hold, some 584 years after it was made.
const LAST: u64 = NO_DEADLINE - 1;

/// Something a search asks, at the grain of its smallest piece of work, whether to stop.
///
/// Searches are generic over it, so that an untimed one, which asks [`Never`], has the question compiled out.
pub trait StopCheck {
    /// Whether [`is_enough`](Self::is_enough) can ever say yes: if not, a search need not watch itself.
    const LISTENS: bool = false;

    /// Whether to stop now. Once this has been true, a search must not go on.
    fn should_stop(&self) -> bool;

    /// Whether what the search has seen so far is enough, so that it had better end. To be asked when an iteration or a
    /// candidate is complete, not more often. Once this has been true, so is [`should_stop`](Self::should_stop), for
    /// every thread that asks.
    fn is_enough(&self, _seen: &SearchStats) -> bool {
        false
    }
}

/// Asks a search to stop: at once when it is raised, or by itself when its deadline comes.
///
/// One signal serves one search. Whoever gives the order and whoever polls share it by reference; the search stops at
/// its deadline even when nobody is there to raise the signal, or wakes too late to do so. The signal never goes
/// back from raised to not raised.
///
/// Everything is in one word, so that a poll is one load, and no two halves can be seen apart. Relaxed ordering is
/// enough: the word carries no other data with it.
#[derive(Debug)]
pub struct StopSignal {
    base: Instant,
    /// [`RAISED`], [`NO_DEADLINE`], or 1 + the nanoseconds from `base` to the deadline. The 1 keeps a deadline at or
    /// before `base` apart from a raised signal, and such a deadline has passed whatever the clock's resolution.
    state: AtomicU64,
    /// The soft bound, once there is one. It is looked at so seldom that it need not share the word.
    soft: OnceLock<Soft>,
}

/// A soft bound with what it is judged by.
#[derive(Clone, Copy, Debug)]
struct Soft {
    /// When the turn's clock began to run.
    from: Instant,
    soft_ms: u64,
    hard_ms: u64,
}

impl StopSignal {
    /// A signal that is not raised and has no deadline.
    pub fn new() -> Self {
        Self { base: Instant::now(), state: AtomicU64::new(NO_DEADLINE), soft: OnceLock::new() }
    }

    /// A signal that counts as raised from `deadline` on: at once if that is in the past.
    pub fn with_deadline(deadline: Instant) -> Self {
        let base = Instant::now();
        Self { base, state: AtomicU64::new(encode(base, deadline)), soft: OnceLock::new() }
    }

    /// A signal with the bounds of a turn whose clock began to run at `from`.
    pub fn with_bounds(from: Instant, bounds: Bounds) -> Self {
        let signal = Self::new();
        signal.set_bounds(from, bounds);
        signal
    }

    /// Gives the signal the bounds of a turn whose clock began to run at `from`: the deadline as
    /// [`set_deadline`](Self::set_deadline) does, and the soft bound unless it has one already. Beyond the range of the
    /// clock there is no deadline.
    pub fn set_bounds(&self, from: Instant, bounds: Bounds) {
        if let Some(soft_ms) = bounds.soft_ms {
            // The first one stays: a turn's clock is started once.
            let _ = self.soft.set(Soft { from, soft_ms, hard_ms: bounds.deadline_ms });
        }
        if let Some(deadline) = from.checked_add(Duration::from_millis(bounds.deadline_ms)) {
            self.set_deadline(deadline);
        }
    }

    /// Raises the signal for good, whatever its deadline.
    pub fn raise(&self) {
        self.state.store(RAISED, Ordering::Relaxed);
    }

    /// Gives the signal a deadline, or another one, earlier or later.
    ///
    /// Without effect on a signal that is raised or whose deadline has passed: a stop, once given, is never taken
    /// back.
    pub fn set_deadline(&self, deadline: Instant) {
        let next = encode(self.base, deadline);
        let mut current = self.state.load(Ordering::Relaxed);
        // A plain store could overwrite a `raise` that comes between the load and the store.
        while !self.is_over(current) {
            match self.state.compare_exchange_weak(current, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(seen) => current = seen,
            }
        }
    }

    /// Whether the signal was raised or its deadline has come. One load, and a clock read only if there is a deadline.
    #[inline]
    pub fn is_raised(&self) -> bool {
        self.is_over(self.state.load(Ordering::Relaxed))
    }

    /// The deadline, also when it has passed. `None` if there is none, or if the signal was raised by hand, which
    /// makes the deadline moot.
    ///
    /// A deadline from before the signal was made comes back as the instant at which it was made.
    pub fn deadline(&self) -> Option<Instant> {
        match self.state.load(Ordering::Relaxed) {
            RAISED | NO_DEADLINE => None,
            // What the platform's clock cannot hold will not come: no deadline.
            state => self.base.checked_add(Duration::from_nanos(state - 1)),
        }
    }

    #[inline]
    fn is_over(&self, state: u64) -> bool {
        match state {
            RAISED => true,
            NO_DEADLINE => false,
            state => self.base.elapsed().as_nanos() >= u128::from(state - 1),
        }
    }
}

impl Default for StopSignal {
    /// The same as [`StopSignal::new`].
    fn default() -> Self {
        Self::new()
    }
}

impl StopCheck for StopSignal {
    const LISTENS: bool = true;

    #[inline]
    fn should_stop(&self) -> bool {
        self.is_raised()
    }

    /// Judges by the soft bound, if there is one, and raises the signal if it is enough; if not, the deadline is moved to
    /// where the search must stop if it does not ask again.
    fn is_enough(&self, seen: &SearchStats) -> bool {
        let Some(Soft { from, soft_ms, hard_ms }) = self.soft.get().copied() else { return false };
        let now = Instant::now();
        let since = |start: Instant| now.saturating_duration_since(start).as_secs_f64() * 1000.0;
        // The search may have begun before its clock (pondering) or after it (it had to wait).
        let (elapsed_ms, searched_ms) = (since(from), since(self.base.min(from)));
        let enough = is_enough(&Times { elapsed_ms, searched_ms, soft_ms, hard_ms }, seen);
        if enough {
            self.raise();
        } else if let Some(deadline) = from.checked_add(Duration::from_millis(stop_by_ms(soft_ms, hard_ms, seen))) {
            self.set_deadline(deadline);
        }
        enough
    }
}

/// The check of an untimed search: never stop. It has no size, and its answer is a constant to the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Never;

impl StopCheck for Never {
    #[inline(always)]
    fn should_stop(&self) -> bool {
        false
    }
}

/// The state that stands for `deadline`: never [`RAISED`] and never [`NO_DEADLINE`].
fn encode(base: Instant, deadline: Instant) -> u64 {
    let nanos = deadline.saturating_duration_since(base).as_nanos();
    u64::try_from(nanos).unwrap_or(LAST).saturating_add(1).min(LAST)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::time::Checkpoint;

    const HOUR: Duration = Duration::from_secs(3600);

    fn in_an_hour() -> Instant {
        Instant::now() + HOUR
    }

    /// Before any signal of the test is made. Subtracting could leave the range of a clock that began at boot.
    fn just_now() -> Instant {
        Instant::now()
    }

    #[test]
    fn a_new_signal_is_silent_until_raised() {
        for signal in [StopSignal::new(), StopSignal::default()] {
            assert!(!signal.is_raised());
            assert!(!signal.should_stop());
            assert_eq!(signal.deadline(), None);
            signal.raise();
            assert!(signal.is_raised());
            assert!(signal.should_stop());
            signal.raise();
            assert!(signal.is_raised());
        }
    }

    #[test]
    fn a_future_deadline_is_kept_and_does_not_stop_yet() {
        let deadline = in_an_hour();
        let made_with = StopSignal::with_deadline(deadline);
        let set_later = StopSignal::new();
        set_later.set_deadline(deadline);
        for signal in [made_with, set_later] {
            assert!(!signal.is_raised());
            assert_eq!(signal.deadline(), Some(deadline));
        }
    }

    #[test]
    fn a_past_deadline_counts_as_raised() {
        let past = just_now();
        let made_with = StopSignal::with_deadline(past);
        assert!(made_with.is_raised());
        let set_later = StopSignal::new();
        set_later.set_deadline(past);
        assert!(set_later.is_raised());
        assert!(set_later.deadline().is_some());
    }

    #[test]
    fn a_deadline_at_the_very_base_counts_as_raised_on_any_clock() {
        let signal = StopSignal::new();
        signal.set_deadline(signal.base);
        assert!(signal.is_raised());
        assert_eq!(signal.deadline(), Some(signal.base));
    }

    #[test]
    fn raising_wins_over_a_deadline() {
        let signal = StopSignal::with_deadline(in_an_hour());
        signal.raise();
        assert!(signal.is_raised());
        assert_eq!(signal.deadline(), None);
        signal.set_deadline(in_an_hour());
        assert!(signal.is_raised());
        assert_eq!(signal.deadline(), None);
    }

    #[test]
    fn a_deadline_that_has_passed_is_not_put_off() {
        let signal = StopSignal::with_deadline(just_now());
        signal.set_deadline(in_an_hour());
        assert!(signal.is_raised());
    }

    #[test]
    fn a_deadline_to_come_may_be_moved_both_ways() {
        let (sooner, later) = (in_an_hour(), in_an_hour() + HOUR);
        let signal = StopSignal::with_deadline(sooner);
        signal.set_deadline(later);
        assert_eq!(signal.deadline(), Some(later));
        signal.set_deadline(sooner);
        assert_eq!(signal.deadline(), Some(sooner));
        assert!(!signal.is_raised());
    }

    #[test]
    fn no_deadline_is_taken_for_a_raise_or_for_none() {
        let base = Instant::now();
        let centuries = Duration::from_secs(600 * 366 * 86_400);
        assert_eq!(encode(base, base), 1);
        assert_eq!(encode(base, base + Duration::from_nanos(1)), 2);
        for nanos in [LAST - 2, LAST - 1, LAST, u64::MAX] {
            if let Some(deadline) = base.checked_add(Duration::from_nanos(nanos)) {
                assert_eq!(encode(base, deadline), nanos.saturating_add(1).min(LAST));
            }
        }
        if let Some(deadline) = base.checked_add(centuries) {
            assert_eq!(encode(base, deadline), LAST);
            assert!(!StopSignal::with_deadline(deadline).is_raised());
        }
    }

    #[test]
    fn a_raise_is_not_lost_among_deadlines_set_by_another_thread() {
        for _ in 0..200 {
            let signal = StopSignal::with_deadline(in_an_hour());
            let (setting, done) = (AtomicBool::new(false), AtomicBool::new(false));
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        signal.set_deadline(in_an_hour());
                        setting.store(true, Ordering::Relaxed);
                    }
                });
                while !setting.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                signal.raise();
                done.store(true, Ordering::Relaxed);
            });
            assert!(signal.is_raised());
        }
    }

    const BOUNDS: Bounds = Bounds { soft_ms: Some(1000), deadline_ms: 3_600_000 };

    #[test]
    fn without_a_soft_bound_nothing_is_ever_enough() {
        let untimed = StopSignal::new();
        let timed = StopSignal::with_bounds(Instant::now(), Bounds { soft_ms: None, ..BOUNDS });
        for signal in [untimed, timed] {
            assert!(!signal.is_enough(&SearchStats { lead: 2.0, next_cost: Some(1e300), ..SearchStats::default() }));
            assert!(!signal.should_stop());
        }
    }

    #[test]
    fn enough_raises_the_signal() {
        let signal = StopSignal::with_bounds(Instant::now(), BOUNDS);
        assert!(signal.deadline().is_some());
        assert!(!signal.is_enough(&SearchStats::default()) && !signal.should_stop());
        assert!(signal.is_enough(&SearchStats { next_cost: Some(f64::INFINITY), ..SearchStats::default() }));
        assert!(signal.should_stop() && signal.deadline().is_none());
    }

    #[test]
    fn the_deadline_is_near_until_something_of_an_iteration_is_complete() {
        let from = Instant::now();
        let signal = StopSignal::with_bounds(from, BOUNDS);
        let left = |signal: &StopSignal| signal.deadline().map(|deadline| deadline.saturating_duration_since(from));
        assert_eq!(left(&signal), Some(HOUR));
        for (checkpoint, want) in [
            (Checkpoint::Iteration, Duration::from_secs(1)),
            (Checkpoint::Candidate, HOUR),
            (Checkpoint::Iteration, HOUR / 3600),
        ] {
            assert!(!signal.is_enough(&SearchStats { checkpoint, ..SearchStats::default() }));
            assert_eq!(left(&signal), Some(want), "{checkpoint:?}");
        }
    }

    #[test]
    fn the_soft_bound_counts_from_the_start_of_the_clock() {
        let Some(earlier) = Instant::now().checked_sub(Duration::from_secs(2)) else { return };
        assert!(StopSignal::with_bounds(earlier, BOUNDS).is_enough(&SearchStats::default()));
        // A ponder that went on for long has used no time of its own.
        let pondered = StopSignal { base: earlier, ..StopSignal::new() };
        pondered.set_bounds(Instant::now(), BOUNDS);
        assert!(!pondered.is_enough(&SearchStats::default()));
    }

    #[test]
    fn a_clock_beyond_all_range_is_no_deadline() {
        let endless = Bounds { soft_ms: Some(u64::MAX), deadline_ms: u64::MAX };
        let signal = StopSignal::with_bounds(Instant::now(), endless);
        assert!(!signal.should_stop() && !signal.is_enough(&SearchStats::default()));
    }

    #[test]
    fn never_never_stops_and_has_no_size() {
        assert!(!Never.should_stop());
        assert!(!Never::LISTENS && !Never.is_enough(&SearchStats::default()));
        assert_eq!(size_of::<Never>(), 0);
    }
}
