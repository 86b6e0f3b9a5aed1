//! Clocks as hostile GUIs send them: empty, negative, absurd. And the vectors of the time manager through `budget`.

use crate::common::engine::{Engine, PATIENCE, alone, assert_legal};
use astragal::bots::BotKind;
use astragal::time::{ClockState, bottom};
use serde::Deserialize;
use std::time::{Duration, Instant};

const ORDINARY: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PPN",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 bnr",
    "4k3/pppppppp/8/8/8/8/8/4K3 b - - 0 1 ppp",
    "8/PPPPPPPP/8/k7/8/8/8/7K w - - 0 4294967295 PPP",
    "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb",
];

/// Fifteen queens a side: no roll has more outcomes. In the first no turn captures the king; in the others many do.
const QUEENS: [&str; 4] = [
    "kqqq1Q1Q/qqqqQ1Q1/qqqq1Q1Q/qqqqQ1Q1/Q1Q1Q1Q1/1Q1Q1Q2/8/7K w - - 0 1 QQQ",
    "kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK b - - 0 1 qqq",
    "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1 QQQ",
    "kqqqqqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQQQQK b - - 0 1 qqq",
];

/// Clocks that leave no time to think.
const NO_TIME: [&str; 15] = [
    "wtime -9223372036854775808 btime -9223372036854775808",
    "wtime -99999999999999999999 btime -99999999999999999999",
    "btime -1 wtime -1",
    "wtime 0 btime 0",
    "wtime 1 btime 1 movestogo 0",
    "wtime 1 btime 1 movestogo 1",
    "wtime 0 btime 0 movestogo 4294967296",
    "wtime 1 btime 1 movestogo 99999999999999999999",
    "wtime 0 btime 0 winc 60000 binc 60000",
    "winc 9223372036854775807 binc 99999999999999999999 wtime 1 btime 1",
    "wtime 1 btime 1 winc -5 binc -9223372036854775808 wdelay -1 bdelay 99999999999999999999",
    "movetime 0",
    "movetime -1",
    "movetime -9223372036854775808 wtime 9223372036854775807 btime 9223372036854775807",
    "movetime 1 wtime 0 btime 0",
];

/// Clocks that leave 20 ms at most, with the default overhead.
const LITTLE_TIME: [&str; 6] = [
    "wtime 50 btime 50 winc 60000 binc 60000",
    "wtime 30 btime 30 movestogo 99999999999999999999",
    "wtime 50 btime 50 movestogo 0",
    "btime 60 wtime 60 movestogo 1 wdelay 5000 bdelay 5000",
    "movetime 20",
    "movetime 60",
];

/// How long the answer to that `go` takes.
fn answer_time(engine: &mut Engine, dfen: &str, go: &str) -> Duration {
    engine.send(&format!("position dfen {dfen}"));
    assert!(engine.sync().is_empty(), "{dfen}");
    let asked = Instant::now();
    engine.send(&format!("go {go}"));
    let answer = engine.expect("bestmove");
    assert_legal(dfen, &answer.text, go);
    answer.at - asked
}

const AT_ONCE: Duration = Duration::from_millis(100);

/// Has the bot answer to every clock in every position, each within `limit`, and says how long it took.
fn answer_all(bot: &str, positions: &[&str], clocks: &[&str], limit: Duration) {
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Bot value {bot}"));
    let mut times = Vec::new();
    for dfen in positions {
        for go in clocks {
            let mut took = answer_time(&mut engine, dfen, go);
            if took > limit {
                // The machine may have had something else to do.
                took = took.min(answer_time(&mut engine, dfen, go));
            }
            assert!(took <= limit, "{bot}, {dfen}, go {go}: {took:?}");
            times.push(took);
        }
    }
    assert!(engine.quit().is_empty());
    times.sort();
    println!("{bot}: median {:.1?}, worst {:.1?}", times[times.len() / 2], times[times.len() - 1]);
}

#[test]
fn without_time_the_answer_comes_at_once() {
    let _alone = alone();
    for bot in BotKind::ALL {
        answer_all(bot.id(), &ORDINARY, &NO_TIME, AT_ONCE);
    }
    answer_all("expectimax", &ORDINARY, &LITTLE_TIME, AT_ONCE);
}

#[test]
fn without_time_the_answer_comes_at_once_among_thirty_queens() {
    let _alone = alone();
    for bot in ["expectimax", "monte-carlo"] {
        answer_all(bot, &QUEENS, &NO_TIME, AT_ONCE);
    }
}

#[test]
fn among_thirty_queens_every_bot_answers_however_little_time_there_is() {
    let _alone = alone();
    // Bots that cannot be interrupted list all outcomes first, and the others rank what they have listed; there is no
    // bound to hold them to.
    for bot in ["expectimax", "monte-carlo", "greedy"] {
        answer_all(bot, &QUEENS, &LITTLE_TIME, Duration::MAX);
    }
}

#[test]
fn absurdly_long_clocks_are_clocks() {
    let _alone = alone();
    let mut engine = Engine::start();
    let long_search = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R";
    for side in ["w KQkq - 0 1 NBQ", "b KQkq - 0 1 bnq"] {
        let dfen = format!("{long_search} {side}");
        for go in [
            "wtime 9223372036854775807 btime 9223372036854775807",
            "wtime 9223372036854775808 btime 99999999999999999999999999",
            "wtime 9223372036854775807 btime 9223372036854775807 winc 9223372036854775807 binc 9223372036854775807",
            "wtime 9223372036854775807 btime 9223372036854775807 movestogo 1",
            "wdelay 9223372036854775807 bdelay 9223372036854775807 wtime 9223372036854775807 btime 9223372036854775807",
            "movetime 9223372036854775807",
            "movetime 99999999999999999999999999",
            // The clock of the other side is none of ours.
            if side.starts_with('w') { "btime 0" } else { "wtime 0" },
        ] {
            engine.send(&format!("position dfen {dfen}\ngo {go}"));
            engine.no_answer_for(Duration::from_millis(30), go);
            engine.send("stop");
            assert_legal(&dfen, &engine.expect("bestmove").text, go);
        }
    }
    assert!(engine.quit().is_empty());
}

/// A row of the vectors; see the tests of the time manager.
#[derive(Deserialize)]
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
}

impl Row {
    /// Whether a position can say it: only `hyatt-v1` looks at the book, which the session does not have, and a DFEN
    /// has no move 0, which only `legacy-linear-v1` tells from move 1.
    fn can_be_said(&self) -> bool {
        let without_book = self.out_of_book == self.move_number.saturating_sub(1);
        (without_book || self.policy != "hyatt-v1") && (self.move_number > 0 || self.policy != "legacy-linear-v1")
    }
}

#[test]
fn budgets_are_those_of_the_vectors() {
    let _alone = alone();
    let rows: Vec<Row> = serde_json::from_str(include_str!("../vectors/time.json")).expect("rows of this shape");
    let rows: Vec<Row> = rows.into_iter().filter(Row::can_be_said).collect();
    assert!(rows.len() >= 380, "only {} rows", rows.len());
    let mut engine = Engine::start();
    for (overhead, side) in [(50, 'w'), (150, 'w'), (50, 'b'), (150, 'b')] {
        engine.send(&format!("setoption name Move Overhead value {overhead}"));
        for row in &rows {
            let Row { policy, remaining, increment, delay, move_number, .. } = row;
            let to_go = row.moves_to_go.map(|turns| format!(" movestogo {turns}")).unwrap_or_default();
            engine.send(&format!(
                "setoption name TimePolicy value {policy}\nposition dfen 4k3/8/8/8/8/8/8/4K3 {side} - - 0 {move_number}\n\
                 budget {side}time {remaining} {side}inc {increment} {side}delay {delay}{to_go}"
            ));
        }
        for (index, row) in rows.iter().enumerate() {
            let Row { policy, target, hard_cap, .. } = row;
            let deadline = if overhead == 50 { row.budget_50 } else { row.budget_150 };
            // At the bottom of the clock less may be spent than the formula says.
            let clock = ClockState {
                remaining_ms: row.remaining,
                increment_ms: row.increment,
                delay_ms: row.delay,
                ..ClockState::default()
            };
            let deadline = deadline.min(bottom(&clock, overhead).unwrap_or(u64::MAX));
            let line = engine.next(PATIENCE).expect("an answer to each budget").text;
            let want = format!("budget policy {policy} target {target} hardcap {hard_cap} deadline {deadline}");
            assert_eq!(line, want, "row {index} for {side}");
        }
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn a_budget_without_a_clock_is_an_error() {
    let _alone = alone();
    let mut engine = Engine::start();
    for budget in ["budget", "budget btime 1000", "budget wtime x", "budget depth 3"] {
        let lines = engine.ask(budget, "info string");
        assert!(lines[0].starts_with("info string error budget: "), "{lines:?}");
    }
    for (budget, want) in [
        ("budget movetime 1000", "budget policy empirical-v1 target 1000 hardcap 1000 deadline 950"),
        ("budget movetime 100", "budget policy empirical-v1 target 100 hardcap 100 deadline 90"),
        ("budget wtime 99", "budget policy empirical-v1 target 20 hardcap 20 deadline 0"),
        ("budget wtime 99 winc 3", "budget policy empirical-v1 target 20 hardcap 20 deadline 20"),
        ("budget wtime 55 winc 3", "budget policy empirical-v1 target 20 hardcap 20 deadline 5"),
        ("budget movetime -5 btime 7", "budget policy empirical-v1 target 0 hardcap 0 deadline 0"),
    ] {
        assert_eq!(engine.ask(budget, "budget"), [want]);
    }
    assert!(engine.quit().is_empty());
}
