//! How long the engine may think.

use crate::api::{ClocksMs, Seat, TimeControl};
use std::time::Duration;

/// The most that any turn may take on the server, with a clock or without.
pub const TURN_CAP: Duration = Duration::from_secs(120);

/// Less than this is not worth asking an engine for.
const SHORTEST: Duration = Duration::from_millis(30);

/// An engine that is told to stop answers sooner than this, or not at all.
const MOST_GRACE: Duration = Duration::from_secs(5);

/// A turn of a game that lacks its clocks: a guess on the safe side.
const BLIND: Duration = Duration::from_millis(1000);

/// What the engine is told, and when the bridge loses its patience.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineTime {
    /// By its clock: what is left and the increment, of White and Black in milliseconds; the engine subtracts the overhead.
    Clock {
        /// What is left.
        left_ms: [u64; 2],
        /// The increment.
        increment_ms: [u64; 2],
        /// What the engine is to subtract.
        overhead: Duration,
        /// From now on: when it is told to stop.
        patience: Duration,
        /// How long it then has to answer.
        grace: Duration,
    },
    /// A fixed time, from which the overhead is subtracted already.
    Fixed {
        /// For the turn.
        time: Duration,
        /// From now on: when it is told to stop.
        patience: Duration,
        /// How long it then has to answer.
        grace: Duration,
    },
    /// No time for an engine: the instant bot plays.
    Instant,
}

/// What is left on our clock, counting from now: the clock when it was read less the time since. Without a clock the cap of
/// a turn stands in for it.
pub fn left_of(control: &TimeControl, clocks: Option<ClocksMs>, seat: Seat, age: Duration) -> Duration {
    let told = clocks.map(|clocks| Duration::from_millis(u64::try_from(clocks.of(seat)).unwrap_or(0)));
    let all = match control {
        TimeControl::Unlimited => TURN_CAP,
        TimeControl::PerMove { seconds } => {
            told.unwrap_or_else(|| Duration::from_secs(u64::try_from(*seconds).unwrap_or(0)))
        }
        TimeControl::Unknown(_) => told.unwrap_or(TURN_CAP),
        TimeControl::SuddenDeath { .. } | TimeControl::Fischer { .. } => told.unwrap_or(BLIND),
    };
    all.min(TURN_CAP.max(told.unwrap_or_default())).saturating_sub(age)
}

/// How long the engine may think. `age` is the time since the clocks were read, `overhead` what is lost on the way, and
/// `unlimited` how long a turn without a clock is to take.
pub fn engine_time(
    control: &TimeControl,
    clocks: Option<ClocksMs>,
    seat: Seat,
    age: Duration,
    overhead: Duration,
    unlimited: Duration,
) -> EngineTime {
    let left = left_of(control, clocks, seat, age);
    // A learned overhead beyond a quarter of the clock would leave nothing to think with.
    let overhead = overhead.min(left / 4);
    let usable = left.saturating_sub(overhead);
    if usable < SHORTEST {
        return EngineTime::Instant;
    }
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    match (control, clocks) {
        (TimeControl::SuddenDeath { .. } | TimeControl::Fischer { .. }, Some(clocks)) => {
            let mut left_ms = [clocks.white, clocks.black].map(|clock| u64::try_from(clock).unwrap_or(0));
            left_ms[seat.index()] = ms(left);
            let increment = u64::try_from(control.increment()).unwrap_or(0).saturating_mul(1000);
            // No turn may take longer than the cap, however much is on the clock.
            let patience = (usable * 3 / 5).min(TURN_CAP.saturating_sub(age) * 4 / 5);
            let grace = (left / 10).min(MOST_GRACE);
            EngineTime::Clock { left_ms, increment_ms: [increment; 2], overhead, patience, grace }
        }
        _ => {
            let usable = usable.min(TURN_CAP.saturating_sub(age) * 19 / 20);
            let most = match control {
                TimeControl::Unlimited => unlimited.min(usable * 4 / 5),
                TimeControl::PerMove { .. } => usable * 9 / 10,
                _ => BLIND.min(usable / 2),
            };
            let time = most.max(Duration::from_millis(10));
            let slack = usable.saturating_sub(time);
            EngineTime::Fixed { time, patience: time + slack / 4, grace: (slack / 2).min(MOST_GRACE) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const FISCHER: TimeControl = TimeControl::Fischer { initial: 60, increment: 1 };
    const CLOCKS: ClocksMs = ClocksMs { white: 60_000, black: 5_000 };

    #[test]
    fn the_clock_is_less_the_age_and_the_overhead_is_the_engines() {
        let time = engine_time(&FISCHER, Some(CLOCKS), Seat::White, 700 * MS, 150 * MS, 5000 * MS);
        let EngineTime::Clock { left_ms, increment_ms, overhead, patience, grace } = time else { panic!("{time:?}") };
        assert_eq!((left_ms, increment_ms, overhead), ([59_300, 5_000], [1000; 2], 150 * MS));
        assert!(patience + grace < 59_300 * MS * 3 / 4, "time is left for a fallback");
        let time = engine_time(&FISCHER, Some(CLOCKS), Seat::Black, 700 * MS, 150 * MS, 5000 * MS);
        assert!(matches!(time, EngineTime::Clock { left_ms: [60_000, 4_300], .. }), "{time:?}");
    }

    #[test]
    fn whatever_the_clock_an_answer_comes_before_its_end() {
        let controls = [
            FISCHER,
            TimeControl::SuddenDeath { initial: 1 },
            TimeControl::PerMove { seconds: 2 },
            TimeControl::Unlimited,
            TimeControl::Unknown("Hourglass".to_owned()),
        ];
        for control in &controls {
            for clock in [i64::MIN, -5, 0, 1, 20, 100, 900, 2000, 60_000, 10_000_000, i64::MAX] {
                for age in [0, 10, 1000, 100_000] {
                    for overhead in [0, 150, 5000] {
                        let clocks = Some(ClocksMs { white: clock, black: clock });
                        let clocks = if *control == TimeControl::Unlimited { None } else { clocks };
                        let (age, overhead) = (age * MS, overhead * MS);
                        let left = left_of(control, clocks, Seat::White, age);
                        let time = engine_time(control, clocks, Seat::White, age, overhead, 5000 * MS);
                        let (EngineTime::Clock { patience, grace, overhead, .. }
                        | EngineTime::Fixed { patience, grace, time: overhead }) = time
                        else {
                            continue;
                        };
                        assert!(patience + grace < left, "{control:?} {clock} {age:?} {overhead:?}: {time:?}");
                        assert!(patience + grace < TURN_CAP, "{time:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn fixed_times_are_less_the_overhead_once() {
        let clocks = Some(ClocksMs { white: 2000, black: 2000 });
        let control = TimeControl::PerMove { seconds: 2 };
        let time = engine_time(&control, clocks, Seat::White, 100 * MS, 150 * MS, 5000 * MS);
        assert!(matches!(time, EngineTime::Fixed { time, .. } if time == 1575 * MS), "{time:?}");
        let time = engine_time(&TimeControl::Unlimited, None, Seat::White, 100 * MS, 150 * MS, 5000 * MS);
        assert!(matches!(time, EngineTime::Fixed { time, .. } if time == 5000 * MS), "{time:?}");
    }
}
