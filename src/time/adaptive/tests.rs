use super::*;

/// A search that has seen nothing but this.
fn seen(set: impl FnOnce(&mut SearchStats)) -> SearchStats {
    let mut seen = SearchStats::default();
    set(&mut seen);
    seen
}

fn assert_close(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() < 1e-9, "{what}: {got} is not {want}");
}

#[test]
fn each_thing_seen_has_its_factor() {
    let rows: [(&str, SearchStats, f64); 27] = [
        ("nothing", SearchStats::default(), 1.0),
        ("no change", seen(|seen| seen.best_changes = Some(0.0)), 0.8),
        ("one change", seen(|seen| seen.best_changes = Some(1.0)), 1.15),
        ("half a change", seen(|seen| seen.best_changes = Some(0.5)), 0.975),
        ("two changes", seen(|seen| seen.best_changes = Some(2.0)), 1.5),
        ("beyond", seen(|seen| seen.best_changes = Some(9.0)), 1.5),
        ("less than none", seen(|seen| seen.best_changes = Some(-9.0)), 0.8),
        ("falling", seen(|seen| seen.score_drop = 0.1), 1.4),
        ("falling deep", seen(|seen| seen.score_drop = 0.15), 1.6),
        ("falling for good", seen(|seen| seen.score_drop = 2.0), 1.6),
        ("rising", seen(|seen| seen.score_drop = -0.025), 0.9),
        ("rising high", seen(|seen| seen.score_drop = -2.0), 0.9),
        ("swinging", seen(|seen| seen.score_swing = 0.1), 1.1),
        ("swinging wildly", seen(|seen| seen.score_swing = 1.0), 1.2),
        ("no effort", seen(|seen| seen.effort_share = Some(0.0)), 1.2),
        ("half the effort", seen(|seen| seen.effort_share = Some(0.5)), 1.0),
        ("all effort", seen(|seen| seen.effort_share = Some(1.0)), 0.8),
        ("more than all", seen(|seen| seen.effort_share = Some(7.0)), 0.8),
        ("ahead", seen(|seen| seen.lead = 0.04), 0.75),
        ("far ahead", seen(|seen| seen.lead = 0.08), 0.5),
        ("all but won", seen(|seen| seen.lead = 2.0), 0.5),
        ("surprising", seen(|seen| seen.surprise = 0.05), 1.15),
        ("very surprising", seen(|seen| seen.surprise = 0.5), 1.3),
        (
            "easy in every way",
            SearchStats {
                best_changes: Some(0.0),
                score_drop: -1.0,
                effort_share: Some(1.0),
                lead: 1.0,
                ..SearchStats::default()
            },
            FACTOR_RANGE.0,
        ),
        (
            "hard in every way",
            SearchStats {
                best_changes: Some(2.0),
                score_drop: 1.0,
                score_swing: 1.0,
                effort_share: Some(0.0),
                surprise: 1.0,
                ..SearchStats::default()
            },
            FACTOR_RANGE.1,
        ),
        (
            "a new best turn that looked bad, while the score falls",
            SearchStats { best_changes: Some(1.0), score_drop: 0.05, surprise: 0.05, ..SearchStats::default() },
            1.15 * 1.2 * 1.15,
        ),
        (
            "no numbers",
            SearchStats {
                best_changes: Some(f64::NAN),
                score_drop: f64::NAN,
                score_swing: f64::NAN,
                effort_share: Some(f64::NAN),
                lead: f64::NAN,
                surprise: f64::NAN,
                next_cost: Some(f64::NAN),
                ..SearchStats::default()
            },
            1.0,
        ),
    ];
    for (what, seen, want) in rows {
        assert_close(factor(&seen), want, what);
    }
}

/// Sets one field of what was seen.
type Set = fn(&mut SearchStats, f64);

#[test]
fn what_makes_a_turn_harder_never_takes_time_away() {
    let harder: [(&str, f64, Set); 6] = [
        ("changes", 1.0, |seen, x| seen.best_changes = Some(x)),
        ("drop", 1.0, |seen, x| seen.score_drop = x),
        ("swing", 1.0, |seen, x| seen.score_swing = x),
        ("surprise", 1.0, |seen, x| seen.surprise = x),
        ("share", -1.0, |seen, x| seen.effort_share = Some(x)),
        ("lead", -1.0, |seen, x| seen.lead = x),
    ];
    for (what, sign, set) in harder {
        let at = |step: i32| {
            let mut seen = SearchStats::default();
            set(&mut seen, sign * f64::from(step) / 100.0);
            factor(&seen)
        };
        for step in -300..300 {
            assert!(at(step) <= at(step + 1), "{what} at {step}");
        }
        assert!(at(-300) < at(300), "{what} has no effect");
    }
}

/// Numbers of every kind.
const NUMBERS: [f64; 10] = [f64::NEG_INFINITY, -2.0, -0.05, 0.0, 1e-300, 0.05, 0.5, 2.0, f64::INFINITY, f64::NAN];

const TIMES: [u64; 9] = [0, 1, 19, 20, 21, 150, 5000, 1 << 53, u64::MAX];

fn all_kinds(mut visit: impl FnMut(SearchStats)) {
    for a in NUMBERS {
        for b in NUMBERS {
            for checkpoint in [Checkpoint::Iteration, Checkpoint::Candidate] {
                visit(SearchStats {
                    checkpoint,
                    best_changes: Some(a),
                    score_drop: b,
                    next_cost: Some(a),
                    ..SearchStats::default()
                });
                visit(SearchStats {
                    checkpoint,
                    score_swing: a,
                    effort_share: Some(b),
                    next_cost: Some(b),
                    ..SearchStats::default()
                });
                visit(SearchStats { checkpoint, lead: a, surprise: b, ..SearchStats::default() });
            }
        }
    }
}

#[test]
fn the_scaled_bound_stays_within_its_limits_whatever_was_seen() {
    all_kinds(|seen| {
        assert!((FACTOR_RANGE.0..=FACTOR_RANGE.1).contains(&factor(&seen)), "{seen:?}");
        for soft in TIMES {
            for hard in TIMES {
                let scaled = scaled_soft_ms(soft, hard, &seen);
                assert!(scaled <= hard, "{soft} {hard} {seen:?}");
                assert!(scaled >= MIN_THINK.min(hard), "{soft} {hard} {seen:?}");
            }
        }
    });
}

#[test]
fn a_falling_score_buys_more_but_never_beyond_the_hard_bound() {
    let falling = seen(|seen| seen.score_drop = 0.15);
    assert_eq!(scaled_soft_ms(1000, 5000, &SearchStats::default()), 1000);
    assert_eq!(scaled_soft_ms(1000, 5000, &falling), 1600);
    assert_eq!(scaled_soft_ms(1000, 1100, &falling), 1100);
    assert_eq!(scaled_soft_ms(10, 1100, &falling), MIN_THINK);
}

#[test]
fn enough_is_told_by_the_scaled_bound_and_by_what_comes_next() {
    // Elapsed, searched, what was seen, whether it is enough.
    let rows: [(f64, f64, SearchStats, bool); 13] = [
        (0.0, 0.0, SearchStats::default(), false),
        (499.0, 499.0, SearchStats::default(), false),
        (500.0, 500.0, SearchStats::default(), true),
        (999.0, 999.0, seen(|seen| seen.checkpoint = Checkpoint::Candidate), false),
        (1000.0, 1000.0, seen(|seen| seen.checkpoint = Checkpoint::Candidate), true),
        // 100 ms so far, and the next iteration tells something before or after 1000.
        (100.0, 100.0, seen(|seen| seen.next_cost = Some(8.9)), false),
        (100.0, 100.0, seen(|seen| seen.next_cost = Some(9.1)), true),
        // Within an iteration it does not matter what the next one costs.
        (
            100.0,
            100.0,
            SearchStats { checkpoint: Checkpoint::Candidate, next_cost: Some(99.0), ..SearchStats::default() },
            false,
        ),
        // After a long ponder the same share of all work takes longer.
        (100.0, 5000.0, seen(|seen| seen.next_cost = Some(0.19)), true),
        (100.0, 5000.0, seen(|seen| seen.next_cost = Some(0.17)), false),
        (100.0, 100.0, seen(|seen| seen.next_cost = Some(f64::NAN)), false),
        (100.0, 100.0, seen(|seen| seen.next_cost = Some(-5.0)), false),
        (100.0, 100.0, seen(|seen| seen.next_cost = Some(f64::INFINITY)), true),
    ];
    for (number, (elapsed_ms, searched_ms, seen, want)) in rows.into_iter().enumerate() {
        let times = Times { elapsed_ms, searched_ms, soft_ms: 1000, hard_ms: 3000 };
        assert_eq!(is_enough(&times, &seen), want, "row {number}");
    }
}

#[test]
fn an_iteration_that_comes_to_nothing_does_not_run_to_the_hard_bound() {
    let falling = |checkpoint| SearchStats { checkpoint, score_drop: 0.15, ..SearchStats::default() };
    assert_eq!(stop_by_ms(1000, 5000, &falling(Checkpoint::Iteration)), 1600);
    assert_eq!(stop_by_ms(1000, 5000, &falling(Checkpoint::Candidate)), 5000);
    all_kinds(|seen| assert!(stop_by_ms(1000, 5000, &seen) <= 5000, "{seen:?}"));
}

#[test]
fn at_the_hard_bound_it_is_enough_whatever_was_seen() {
    all_kinds(|seen| {
        for soft_ms in TIMES {
            for hard_ms in TIMES {
                let elapsed_ms = hard_ms as f64;
                let times = Times { elapsed_ms, searched_ms: elapsed_ms, soft_ms, hard_ms };
                assert!(is_enough(&times, &seen), "{times:?} {seen:?}");
            }
        }
    });
}

#[test]
fn more_time_gone_never_makes_it_less_than_enough() {
    all_kinds(|seen| {
        let at = |ms: u32| {
            let elapsed_ms = f64::from(ms);
            is_enough(&Times { elapsed_ms, searched_ms: elapsed_ms, soft_ms: 300, hard_ms: 900 }, &seen)
        };
        for ms in (0..1000).step_by(50) {
            assert!(!at(ms) || at(ms + 50), "{ms} {seen:?}");
        }
    });
}
