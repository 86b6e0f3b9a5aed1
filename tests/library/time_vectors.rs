//! Every row of the time vectors, to the millisecond.

use astragal::time::{ClockState, TimeManager, TimePolicy};
use serde::Deserialize;

const VECTORS: &str = include_str!("../vectors/time.json");

/// A clock, a policy, and what they must give. Times are in milliseconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    policy: String,
    remaining: i64,
    increment: i64,
    delay: i64,
    move_number: u32,
    moves_to_go: Option<u32>,
    out_of_book: u32,
    target: u64,
    hard_cap: u64,
    budget_50: u64,
    budget_150: u64,
    /// Says where a row comes from; read only when it is printed with the row that failed.
    #[allow(dead_code)]
    note: Option<String>,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(VECTORS).expect("the vectors are rows of this shape")
}

#[test]
fn every_row_gives_the_expected_budget() {
    let mut failures = Vec::new();
    for (index, row) in rows().iter().enumerate() {
        let policy: TimePolicy = row.policy.parse().expect("the vectors name known policies");
        let manager = TimeManager::new(policy);
        let clock = ClockState {
            remaining_ms: row.remaining,
            increment_ms: row.increment,
            delay_ms: row.delay,
            move_number: row.move_number,
            moves_to_go: row.moves_to_go,
            turns_out_of_book: row.out_of_book,
        };
        let budget = manager.budget(&clock);
        let got = (budget.target_ms, budget.hard_cap_ms, manager.budget_ms(&clock, 50), manager.budget_ms(&clock, 150));
        let want = (row.target, row.hard_cap, row.budget_50, row.budget_150);
        if got != want {
            failures.push(format!("row {index}: got {got:?}, want {want:?}: {row:?}"));
        }
    }
    assert!(failures.is_empty(), "{} rows differ:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_vectors_are_all_there() {
    let rows = rows();
    assert!(rows.len() >= 400, "only {} rows", rows.len());
    for policy in TimePolicy::ALL {
        assert!(rows.iter().any(|row| row.policy == policy.id()), "no row for {policy}");
    }
}
