//! The measured overhead: what a turn costs on the clock beyond the time that was used for it.
//!
//! Pure arithmetic on what a clock was at two turns in a row. Nonsense is harmless: what cannot be an overhead is not
//! counted.

use std::collections::VecDeque;

/// Turns that are remembered. The way of an answer changes with the load of the machine or the network; older turns say
/// little about now.
const REMEMBERED: usize = 16;

/// Turns that must have been observed before there is an estimate: fewer may all be lucky.
pub const OBSERVED_AT_LEAST: usize = 4;

/// Of so many turns the one that took longest does not count: a single hiccup shall not cost time for many turns.
const ONE_OUTLIER_IN: usize = 10;

/// Milliseconds on top of what was seen, for clocks are told in whole milliseconds, rounded as everybody likes.
const ROUNDING: u64 = 2;

/// The least estimate, in milliseconds: no way is free, whatever a clock says.
pub const OVERHEAD_FLOOR: u64 = 10;

/// Milliseconds beyond which a difference is no overhead, but a clock that was set anew.
const MOST_OVERHEAD: i64 = 5000;

/// A clock as it was sent with a turn, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentClock {
    /// Whose clock: 0 or 1.
    pub side: usize,
    /// The full-move number of the turn.
    pub move_number: u32,
    /// Time left.
    pub remaining_ms: i64,
    /// Credited after the turn.
    pub increment_ms: i64,
    /// Given back of what the turn uses.
    pub delay_ms: i64,
    /// Own turns until the next control, if the control is cyclic.
    pub moves_to_go: Option<u32>,
}

/// Learns the overhead from the clocks that are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverheadEstimator {
    overheads: VecDeque<u64>,
}

impl OverheadEstimator {
    /// Takes two clocks sent with own turns in a row, and the milliseconds used for the first of them, by own account.
    pub fn observe(&mut self, before: &SentClock, used_ms: u64, now: &SentClock) {
        let Some(overhead) = overhead(before, used_ms, now) else { return };
        if self.overheads.len() == REMEMBERED {
            self.overheads.pop_front();
        }
        self.overheads.push_back(overhead);
    }

    /// The overhead to reckon with, in milliseconds: more than nearly all that were observed lately, and at least
    /// [`OVERHEAD_FLOOR`]; `None` before [`OBSERVED_AT_LEAST`] turns.
    pub fn estimate_ms(&self) -> Option<u64> {
        if self.overheads.len() < OBSERVED_AT_LEAST {
            return None;
        }
        let mut sorted: Vec<u64> = self.overheads.iter().copied().collect();
        sorted.sort_unstable();
        let largest = sorted.len() - 1 - sorted.len() / ONE_OUTLIER_IN;
        sorted.get(largest).map(|&overhead| overhead.saturating_add(ROUNDING).max(OVERHEAD_FLOOR))
    }
}

/// What the turn cost beyond the time used for it; `None` if the clocks do not tell.
fn overhead(before: &SentClock, used_ms: u64, now: &SentClock) -> Option<u64> {
    let next = before.side == now.side && before.move_number.checked_add(1) == Some(now.move_number);
    let same_control = before.increment_ms == now.increment_ms && before.delay_ms == now.delay_ms;
    // At a control time is added; how much is not told.
    let in_period = match (before.moves_to_go, now.moves_to_go) {
        (None, None) => true,
        (Some(before), Some(now)) => now < before,
        _ => false,
    };
    if !next || !same_control || !in_period || before.remaining_ms <= 0 {
        return None;
    }
    let used = i64::try_from(used_ms).unwrap_or(i64::MAX);
    let delay = before.delay_ms.max(0);
    let lost = before.remaining_ms.saturating_add(before.increment_ms.max(0)).saturating_sub(now.remaining_ms);
    if delay > 0 && lost <= 0 {
        // The delay has given everything back: it hides what the overhead was.
        return None;
    }
    let overhead = lost.saturating_add(delay).saturating_sub(used);
    u64::try_from(overhead).ok().filter(|_| overhead <= MOST_OVERHEAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: SentClock =
        SentClock { side: 0, move_number: 5, remaining_ms: 60_000, increment_ms: 600, delay_ms: 0, moves_to_go: None };

    fn next(remaining_ms: i64) -> SentClock {
        SentClock { move_number: 6, remaining_ms, ..CLOCK }
    }

    #[test]
    fn the_overhead_is_what_the_clock_lost_beyond_the_time_used() {
        let delay = |clock: SentClock| SentClock { increment_ms: 0, delay_ms: 2000, ..clock };
        let cyclic = |clock: SentClock, turns| SentClock { moves_to_go: Some(turns), ..clock };
        // The clock before, the time used, the clock now, the overhead.
        let rows = [
            ("nothing lost", CLOCK, 1000, next(59_600), Some(0)),
            ("30 ms lost", CLOCK, 1000, next(59_570), Some(30)),
            ("more left than there can be", CLOCK, 1000, next(59_700), None),
            ("a clock that went up", CLOCK, 0, next(90_000), None),
            ("a clock set to something else", CLOCK, 0, next(30_000), None),
            ("the largest there is", CLOCK, 0, next(55_600), Some(5000)),
            ("the other side's", CLOCK, 0, SentClock { side: 1, ..next(60_500) }, None),
            ("the same turn again", CLOCK, 0, SentClock { move_number: 5, ..next(60_500) }, None),
            ("a turn was left out", CLOCK, 0, SentClock { move_number: 7, ..next(60_500) }, None),
            ("an increment that changed", CLOCK, 0, SentClock { increment_ms: 0, ..next(59_990) }, None),
            ("a delay not used up", delay(CLOCK), 1900, delay(next(60_000)), None),
            ("a delay used up", delay(CLOCK), 3000, delay(next(58_960)), Some(40)),
            ("within the period", cyclic(CLOCK, 7), 1000, cyclic(next(59_590), 6), Some(10)),
            ("a control", cyclic(CLOCK, 1), 1000, cyclic(next(59_590), 40), None),
            ("after the last control", cyclic(CLOCK, 1), 1000, next(59_590), None),
            ("an empty clock", SentClock { remaining_ms: -5, ..CLOCK }, 0, next(-10), None),
            ("more used than there was", CLOCK, u64::MAX, next(5), None),
        ];
        for (what, before, used, now, want) in rows {
            assert_eq!(overhead(&before, used, &now), want, "{what}");
        }
    }

    #[test]
    fn absurd_numbers_are_numbers() {
        let absurd = [i64::MIN, -1, 0, 1, i64::MAX];
        for a in absurd {
            for b in absurd {
                let before = SentClock { remaining_ms: a, increment_ms: b, delay_ms: b, ..CLOCK };
                let now = SentClock { move_number: 6, remaining_ms: b, ..before };
                for used in [0, 1, u64::MAX] {
                    assert!(overhead(&before, used, &now).is_none_or(|overhead| overhead <= 5000));
                }
            }
        }
        let last = SentClock { move_number: u32::MAX, ..CLOCK };
        assert_eq!(overhead(&last, 0, &SentClock { move_number: 0, ..CLOCK }), None);
    }

    /// What is estimated after these overheads.
    fn estimate(overheads: &[i64]) -> Option<u64> {
        let mut estimator = OverheadEstimator::default();
        for overhead in overheads {
            estimator.observe(&CLOCK, 1000, &next(59_600 - overhead));
        }
        estimator.estimate_ms()
    }

    #[test]
    fn the_estimate_is_high_but_not_the_one_outlier() {
        let rows: [(&[i64], Option<u64>); 8] = [
            (&[], None),
            (&[30, 30, 30], None),
            (&[30, 30, 30, 30], Some(32)),
            (&[0, 0, 0, 0], Some(OVERHEAD_FLOOR)),
            (&[1, 2, 3, 80], Some(82)),
            (&[5000, 30, 31, 32, 33, 34, 35, 36, 37, 38], Some(40)),
            (&[5000, 4000, 31, 32, 33, 34, 35, 36, 37, 38], Some(4002)),
            // Nonsense is not counted among the turns.
            (&[-5, 60_000, 30, 30, 30], None),
        ];
        for (overheads, want) in rows {
            assert_eq!(estimate(overheads), want, "{overheads:?}");
        }
    }

    #[test]
    fn what_is_long_past_is_forgotten() {
        let overheads: Vec<i64> = [400; 16].into_iter().chain([20; 15]).collect();
        assert_eq!(estimate(&overheads), Some(22), "one of 400 is left, and it is the outlier");
        assert_eq!(estimate(&overheads[..30]), Some(402), "two of 400 are left");
    }
}
