//! From what a search has seen to how long it should go on: the scaled soft bound, and whether a search has had enough.
//!
//! Pure arithmetic, total on any input. It reads no clock and knows neither search nor board: what there is to know
//! comes in a [`SearchStats`]. The soft bound is multiplied by one factor for each thing seen; a factor of 1 is "as planned".

use super::{Checkpoint, MIN_THINK, SearchStats};

/// The least and the most that all factors together may come to. Even an easy turn gets a third of its time, for scores
/// of one or two iterations are no proof. Upwards one turn may take what was meant for two and a half; the hard cap
/// usually ends it before that.
pub const FACTOR_RANGE: (f64, f64) = (0.35, 2.5);

/// The factor while the best turn has never changed, and what each change adds. A stable choice seldom changes with
/// more time; one that has just changed (1 change) gets more than was planned.
const STABLE: f64 = 0.8;
const BY_CHANGE: f64 = 0.35;
const MOST_CHANGES: f64 = 2.0;

/// What a fall of the score by 1 adds, and the falls that count: 0.15 is trouble (a pawn is about 0.1), and one that is
/// larger is not more trouble but less hope. A rise saves a little.
const BY_DROP: f64 = 4.0;
const DROP_RANGE: (f64, f64) = (-0.025, 0.15);

/// What a swing of the score by 1 adds, up to a swing of 0.2: the values are not to be relied on yet. It weighs less
/// than a fall, which is a swing as well.
const BY_SWING: f64 = 1.0;
const MOST_SWING: f64 = 0.2;

/// The factors when none and when all of the effort was under the best turn. Where all others are refuted at a glance
/// nearly all of it is; where many rivals needed a long look, little.
const NO_EFFORT: f64 = 1.2;
const ALL_EFFORT: f64 = 0.8;

/// What being ahead by 1 takes away, and the lead at which no more is taken: at 0.08 the factor is 0.5. Beyond the
/// threshold of deep iterations (0.05) no other turn is looked at any more.
const BY_LEAD: f64 = 6.25;
const MOST_LEAD: f64 = 0.08;

/// What a new best turn adds that looked worse by 1 before, up to 0.1: it looked bad for a reason, and what refutes it
/// may be one iteration deeper.
const BY_SURPRISE: f64 = 3.0;
const MOST_SURPRISE: f64 = 0.1;

/// The share of the scaled soft bound after which no iteration is begun: each costs many times all before it, so one
/// begun in the second half would hardly get anywhere.
pub const LATEST_BEGIN: f64 = 0.5;

/// The time of a turn, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Times {
    /// Since the turn's clock began to run.
    pub elapsed_ms: f64,
    /// Since the search began: more than that where the search pondered first.
    pub searched_ms: f64,
    /// The soft bound, not scaled.
    pub soft_ms: u64,
    /// The hard bound.
    pub hard_ms: u64,
}

/// By how much the soft bound is to be multiplied, in [`FACTOR_RANGE`].
pub fn factor(seen: &SearchStats) -> f64 {
    let stability = match seen.best_changes {
        Some(changes) if !changes.is_nan() => STABLE + BY_CHANGE * changes.clamp(0.0, MOST_CHANGES),
        _ => 1.0,
    };
    let falling = 1.0 + BY_DROP * within(seen.score_drop, DROP_RANGE);
    let swinging = 1.0 + BY_SWING * within(seen.score_swing, (0.0, MOST_SWING));
    let effort = match seen.effort_share {
        Some(share) if !share.is_nan() => NO_EFFORT + (ALL_EFFORT - NO_EFFORT) * share.clamp(0.0, 1.0),
        _ => 1.0,
    };
    let lead = 1.0 - BY_LEAD * within(seen.lead, (0.0, MOST_LEAD));
    let surprise = 1.0 + BY_SURPRISE * within(seen.surprise, (0.0, MOST_SURPRISE));
    (stability * falling * swinging * effort * lead * surprise).clamp(FACTOR_RANGE.0, FACTOR_RANGE.1)
}

/// The soft bound scaled by what was seen: at least [`MIN_THINK`], never beyond the hard bound.
pub fn scaled_soft_ms(soft_ms: u64, hard_ms: u64, seen: &SearchStats) -> u64 {
    // The conversion saturates, and no factor is NaN or negative.
    let scaled = (soft_ms as f64 * factor(seen)) as u64;
    scaled.max(MIN_THINK).min(hard_ms)
}

/// Whether the search has seen enough: its scaled soft bound is over, or what it is about to begin will not be done in
/// time.
pub fn is_enough(times: &Times, seen: &SearchStats) -> bool {
    let soft = scaled_soft_ms(times.soft_ms, times.hard_ms, seen) as f64;
    match seen.checkpoint {
        Checkpoint::Candidate => times.elapsed_ms >= soft,
        Checkpoint::Iteration => {
            let cost = seen.next_cost.filter(|cost| *cost > 0.0).unwrap_or(0.0);
            times.elapsed_ms >= LATEST_BEGIN * soft || times.elapsed_ms + cost * times.searched_ms.max(0.0) > soft
        }
    }
}

/// When a search that had not had enough must stop, in milliseconds from the start of its clock: with nothing complete of
/// its next iteration, by the scaled soft bound, for nothing would be lost; else by the hard bound.
pub fn stop_by_ms(soft_ms: u64, hard_ms: u64, seen: &SearchStats) -> u64 {
    match seen.checkpoint {
        Checkpoint::Iteration => scaled_soft_ms(soft_ms, hard_ms, seen),
        Checkpoint::Candidate => hard_ms,
    }
}

/// The number brought into a range; NaN is nothing seen, 0.
fn within(number: f64, (low, high): (f64, f64)) -> f64 {
    if number.is_nan() { 0.0 } else { number.clamp(low, high) }
}

#[cfg(test)]
mod tests;
