//! Joins the clocks that are sent and the answers that were written, so that the overhead can be learned from them.

use super::go::Go;
use crate::board::Position;
use crate::time::{OverheadEstimator, SentClock};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// What the clocks of this game have told of the overhead.
#[derive(Debug, Default)]
pub(super) struct MeasuredOverhead {
    estimator: OverheadEstimator,
    last: Option<Asked>,
}

/// A turn that was asked for with a clock.
#[derive(Debug)]
struct Asked {
    clock: SentClock,
    at: Instant,
    /// When it was answered.
    answered: Arc<OnceLock<Instant>>,
}

impl MeasuredOverhead {
    /// A `go` has come: what its clock says of the turn before.
    pub(super) fn hear(&mut self, go: &Go, position: &Position) {
        let Some(clock) = sent(go, position) else { return };
        if let Some(Asked { clock: before, at, answered }) = self.last.take()
            && let Some(answered) = answered.get()
        {
            let used = answered.saturating_duration_since(at).as_millis();
            self.estimator.observe(&before, u64::try_from(used).unwrap_or(u64::MAX), &clock);
        }
    }

    /// That `go`, read at that time, will be answered by a turn on its clock. `answered` tells when.
    pub(super) fn ask(&mut self, go: &Go, position: &Position, at: Instant, answered: &Arc<OnceLock<Instant>>) {
        // A search that is held back is not on the clock from its beginning to its end.
        let held = go.infinite || go.ponder;
        self.last =
            sent(go, position).filter(|_| !held).map(|clock| Asked { clock, at, answered: Arc::clone(answered) });
    }

    /// The overhead in milliseconds, if enough turns were observed.
    pub(super) fn estimate_ms(&self) -> Option<u64> {
        self.estimator.estimate_ms()
    }
}

/// The clock of the side to move, if it is sent.
fn sent(go: &Go, position: &Position) -> Option<SentClock> {
    let side = position.side().index();
    go.time[side].map(|remaining_ms| SentClock {
        side,
        move_number: position.fullmove(),
        remaining_ms,
        increment_ms: go.increment[side],
        delay_ms: go.delay[side],
        moves_to_go: go.moves_to_go,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use std::time::Duration;

    fn position(text: &str) -> Position {
        let rolled = Rolled::from_dfen(&format!("4k3/8/8/8/8/8/8/4K3 {text} -"));
        rolled.unwrap_or_else(|error| panic!("{text}: {error}")).position
    }

    /// Six turns of 100 ms each that cost 130 ms on the clock; `change` may spoil them.
    fn six_turns(change: impl Fn(u32, &mut Go)) -> Option<u64> {
        let mut measured = MeasuredOverhead::default();
        let start = Instant::now();
        for turn in 1..=6 {
            let mut go = Go { time: [Some(10_000 - 130 * i64::from(turn)), Some(7)], ..Go::default() };
            change(turn, &mut go);
            let (position, at) = (position(&format!("w - - 0 {turn}")), start + Duration::from_secs(turn.into()));
            measured.hear(&go, &position);
            let answered = Arc::new(OnceLock::new());
            measured.ask(&go, &position, at, &answered);
            answered.set(at + Duration::from_millis(100)).expect("it is answered once");
        }
        measured.estimate_ms()
    }

    #[test]
    fn the_way_of_the_answer_is_learned_from_the_clock() {
        assert_eq!(six_turns(|_, _| ()), Some(32));
    }

    #[test]
    fn turns_that_are_not_on_a_clock_tell_nothing() {
        assert_eq!(six_turns(|turn, go| go.ponder = turn % 2 == 0), None);
        assert_eq!(six_turns(|_, go| go.infinite = true), None);
        assert_eq!(six_turns(|_, go| go.time[0] = None), None);
        assert_eq!(six_turns(|turn, go| go.time[0] = Some(i64::from(turn) * 5000)), None);
    }

    #[test]
    fn an_answer_that_has_not_come_tells_nothing() {
        let mut measured = MeasuredOverhead::default();
        for turn in 1..=9 {
            let go = Go { time: [Some(10_000 - 130 * i64::from(turn)), None], ..Go::default() };
            let position = position(&format!("w - - 0 {turn}"));
            measured.hear(&go, &position);
            measured.ask(&go, &position, Instant::now(), &Arc::new(OnceLock::new()));
        }
        assert_eq!(measured.estimate_ms(), None);
    }
}
