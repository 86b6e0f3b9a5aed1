//! What the vectors do not cover: the ends of the types, and what must hold of every budget.

use super::*;

/// Ascending, dense where the rules have an edge, and to both ends of the type.
const TIMES: [i64; 31] = [
    i64::MIN,
    i64::MIN + 1,
    -(1 << 53),
    -1,
    0,
    1,
    19,
    20,
    39,
    40,
    99,
    100,
    101,
    299,
    300,
    301,
    999,
    1000,
    2299,
    2300,
    2301,
    5999,
    6000,
    60_000,
    7_200_000,
    i32::MAX as i64,
    1 << 40,
    1 << 53,
    1 << 62,
    i64::MAX - 1,
    i64::MAX,
];
const COUNTS: [u32; 8] = [0, 1, 2, 10, 40, 1000, u32::MAX - 1, u32::MAX];
const OVERHEADS: [u64; 7] = [0, 1, 50, 150, 1 << 40, u64::MAX - 1, u64::MAX];

/// Calls `check` with every policy and every clock of the grid but its remaining time, which the callers walk.
fn for_each_setting(mut check: impl FnMut(TimeManager, ClockState)) {
    let times = [i64::MIN, -1, 0, 1, 100, 10_000, 1 << 53, i64::MAX];
    let moves_to_go = [None, Some(0), Some(1), Some(40), Some(u32::MAX)];
    for policy in TimePolicy::ALL {
        for increment_ms in times {
            for delay_ms in times {
                for moves_to_go in moves_to_go {
                    for count in COUNTS {
                        let clock = ClockState {
                            remaining_ms: 0,
                            increment_ms,
                            delay_ms,
                            move_number: count,
                            moves_to_go,
                            turns_out_of_book: count,
                        };
                        check(TimeManager::new(policy), clock);
                    }
                }
            }
        }
    }
}

fn sudden_death(remaining_ms: i64, move_number: u32) -> ClockState {
    ClockState { remaining_ms, move_number, turns_out_of_book: move_number.saturating_sub(1), ..ClockState::default() }
}

#[test]
fn the_envelope_holds_on_any_input() {
    for_each_setting(|manager, clock| {
        for remaining_ms in TIMES {
            let clock = ClockState { remaining_ms, ..clock };
            let budget = manager.budget(&clock);
            assert!(budget.target_ms >= MIN_THINK, "{manager:?} {clock:?} {budget:?}");
            assert!(budget.target_ms <= budget.hard_cap_ms, "{manager:?} {clock:?} {budget:?}");
            for overhead in OVERHEADS {
                let ms = manager.budget_ms(&clock, overhead);
                let half = remaining_ms.max(0).unsigned_abs() / 2;
                assert!(ms <= half, "{manager:?} {clock:?} {overhead} {ms}");
                assert!(ms >= MIN_THINK.min(half), "{manager:?} {clock:?} {overhead} {ms}");
                assert!(ms <= budget.target_ms, "{manager:?} {clock:?} {overhead} {ms}");
            }
        }
    });
}

#[test]
fn more_time_left_never_means_a_smaller_budget() {
    for_each_setting(|manager, clock| {
        let mut before = (0, 0, 0);
        for remaining_ms in TIMES {
            let clock = ClockState { remaining_ms, ..clock };
            let budget = manager.budget(&clock);
            let now = (budget.target_ms, budget.hard_cap_ms, manager.budget_ms(&clock, 50));
            let grown = now.0 >= before.0 && now.1 >= before.1 && now.2 >= before.2;
            assert!(grown, "{manager:?} {clock:?} {before:?} {now:?}");
            before = now;
        }
    });
}

#[test]
fn more_increment_or_delay_never_means_a_smaller_budget() {
    for policy in TimePolicy::ALL {
        let manager = TimeManager::new(policy);
        for remaining_ms in TIMES {
            let clock = sudden_death(remaining_ms, 9);
            for pair in TIMES.windows(2) {
                let increment = |increment_ms| manager.budget(&ClockState { increment_ms, ..clock }).target_ms;
                assert!(increment(pair[0]) <= increment(pair[1]), "{policy} {clock:?} {pair:?}");
                let delay = |delay_ms| manager.budget(&ClockState { delay_ms, ..clock });
                let (less, more) = (delay(pair[0]), delay(pair[1]));
                assert!(less.target_ms <= more.target_ms, "{policy} {clock:?} {pair:?}");
                assert!(less.hard_cap_ms <= more.hard_cap_ms, "{policy} {clock:?} {pair:?}");
            }
        }
    }
}

#[test]
fn more_turns_to_go_or_more_overhead_never_mean_a_larger_budget() {
    for policy in TimePolicy::ALL {
        let manager = TimeManager::new(policy);
        for remaining_ms in TIMES {
            let clock = sudden_death(remaining_ms, 9);
            for pair in COUNTS.windows(2) {
                let target = |n| manager.budget(&ClockState { moves_to_go: Some(n), ..clock }).target_ms;
                assert!(target(pair[0]) >= target(pair[1]), "{policy} {clock:?} {pair:?}");
            }
            for pair in OVERHEADS.windows(2) {
                let ms = |overhead| manager.budget_ms(&clock, overhead);
                assert!(ms(pair[0]) >= ms(pair[1]), "{policy} {clock:?} {pair:?}");
            }
        }
    }
}

#[test]
fn no_increment_lifts_the_hard_cap() {
    for policy in TimePolicy::ALL {
        let clock = ClockState { increment_ms: i64::MAX, ..sudden_death(60_000, 1) };
        let budget = TimeManager::new(policy).budget(&clock);
        assert_eq!(budget, TimeBudget { target_ms: 12_000, hard_cap_ms: 12_000 });
    }
}

#[test]
fn panic_begins_at_its_threshold() {
    // One turn to go, so that only the cap and the panic bound the target.
    let target = |remaining_ms| {
        let clock = ClockState { moves_to_go: Some(1), ..sudden_death(remaining_ms, 1) };
        TimeManager::default().budget(&clock).target_ms
    };
    assert_eq!(target(2300), 200);
    assert_eq!(target(2301), 460);
}

#[test]
fn a_delay_comes_on_top_of_both_bounds_and_of_the_panic() {
    let budget = |delay_ms| {
        let clock = ClockState { delay_ms, moves_to_go: Some(1), ..sudden_death(1300, 1) };
        TimeManager::default().budget(&clock)
    };
    assert_eq!(budget(0), TimeBudget { target_ms: 200, hard_cap_ms: 260 });
    assert_eq!(budget(100), TimeBudget { target_ms: 300, hard_cap_ms: 360 });
    assert_eq!(budget(i64::MAX), TimeBudget { target_ms: 700, hard_cap_ms: 760 });
}

#[test]
fn negative_times_count_as_zero() {
    for policy in TimePolicy::ALL {
        let manager = TimeManager::new(policy);
        for remaining_ms in TIMES {
            let zero = sudden_death(remaining_ms.max(0), 5);
            for negative in [i64::MIN, -1] {
                let clock = ClockState { increment_ms: negative, delay_ms: negative, ..sudden_death(remaining_ms, 5) };
                assert_eq!(manager.budget(&clock), manager.budget(&zero), "{policy} {clock:?}");
            }
        }
    }
}

#[test]
fn turns_that_are_no_number_count_as_one() {
    for nonsense in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -3.0, 0.0, 0.99] {
        assert_eq!(at_least_one(nonsense), 1.0);
    }
    assert_eq!(at_least_one(1.5), 1.5);
}

#[test]
fn overhead_is_taken_off_the_smaller_bound() {
    let budget = TimeBudget { target_ms: 900, hard_cap_ms: 500 };
    assert_eq!(budget.less_overhead(60_000, 50), 450);
    assert_eq!(budget.less_overhead(60_000, 490), MIN_THINK);
    assert_eq!(budget.less_overhead(60_000, u64::MAX), MIN_THINK);
    assert_eq!(budget.less_overhead(39, 0), 19);
    assert_eq!(budget.less_overhead(1, 0), 0);
    assert_eq!(budget.less_overhead(i64::MIN, 0), 0);
}

#[test]
fn a_fixed_time_is_spent_but_for_the_overhead() {
    assert_eq!(fixed_time_ms(1000, 0), 1000);
    assert_eq!(fixed_time_ms(1000, 50), 950);
    assert_eq!(fixed_time_ms(100, 90), MIN_THINK);
    assert_eq!(fixed_time_ms(40, u64::MAX), MIN_THINK);
    assert_eq!(fixed_time_ms(39, 0), 19);
    assert_eq!(fixed_time_ms(39, 50), 19);
    assert_eq!(fixed_time_ms(1, 0), 0);
    assert_eq!(fixed_time_ms(0, 0), 0);
    assert_eq!(fixed_time_ms(i64::MIN, u64::MAX), 0);
    assert_eq!(fixed_time_ms(i64::MAX, 0), i64::MAX.unsigned_abs());
}

#[test]
fn a_fixed_time_is_never_overspent_and_never_shrinks() {
    for overhead in OVERHEADS {
        let mut before = 0;
        for movetime in TIMES {
            let ms = fixed_time_ms(movetime, overhead);
            assert!(ms <= movetime.max(0).unsigned_abs(), "{movetime} {overhead} {ms}");
            assert!(ms >= before, "{movetime} {overhead} {ms}");
            before = ms;
        }
    }
}
