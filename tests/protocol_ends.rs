//! How searches end, and how the program does: an answer held back until it is let out, `stop` right after `go`, and
//! `quit`, the end of input and a closed output in the middle of anything.

mod common;

use common::engine::{Engine, PATIENCE, alone, assert_legal};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A search of this takes seconds if nothing ends it.
const LONG: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ";

/// Positions where the answer is there at once, and one where it is not.
const HELD: [(&str, &str); 6] = [
    (LONG, "a long search"),
    ("k7/8/8/8/8/P7/8/K7 w - - 0 1 PNB", "one outcome"),
    ("k7/8/8/8/8/8/8/K7 b - - 0 1 pnb", "a pass"),
    ("k7/8/8/8/8/8/8/K6R w - - 0 1 RRR", "a capture of the king"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -", "no dice"),
    ("k7/8/8/8/8/8/8/K7 b - - 0 1 -", "no dice, few pieces"),
];

#[test]
fn an_answer_is_held_back_until_it_is_let_out() {
    let _alone = alone();
    const SILENCE: Duration = Duration::from_millis(40);
    let mut engine = Engine::start();
    for bot in ["expectimax", "greedy"] {
        engine.send(&format!("setoption name Bot value {bot}"));
        for (dfen, kind) in HELD {
            for (go, letting_out) in [
                ("go infinite", "stop"),
                ("go infinite depth 1", "stop"),
                ("go infinite nodes 1 movetime 0", "stop"),
                ("go ponder", "stop"),
                ("go ponder depth 1", "ponderhit"),
                ("go ponder movetime 0", "ponderhit"),
                ("go wtime 0 btime 0 ponder", "ponderhit"),
                ("go movetime 1 infinite ponder", "stop"),
            ] {
                let what = format!("{bot}, {kind}, {go}");
                engine.send(&format!("position dfen {dfen}\n{go}"));
                engine.no_answer_for(SILENCE, &what);
                if go.contains("infinite") {
                    // Nothing was pondered on, or there is no end to it all the same.
                    engine.send("ponderhit");
                }
                let others = engine.sync();
                assert!(others.iter().all(|line| line.text.starts_with("info ")), "{what}: {others:?}");
                engine.send(letting_out);
                assert_legal(dfen, &engine.expect("bestmove").text, &what);
            }
        }
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn a_ponderhit_starts_the_clock_and_a_second_one_changes_nothing() {
    let _alone = alone();
    let mut engine = Engine::start();
    engine.send(&format!("ponderhit\nstop\nposition dfen {LONG}\ngo ponder movetime 300\nponderhit\nponderhit"));
    assert_legal(LONG, &engine.expect("bestmove").text, "ponderhit twice");
    engine.send("ponderhit\nstop");
    assert!(engine.sync().is_empty(), "nothing is left to answer");
    assert!(engine.quit().is_empty());
}

#[test]
fn a_stop_right_after_go_is_answered_with_a_legal_turn() {
    let _alone = alone();
    let mut engine = Engine::start();
    let mut times = Vec::new();
    for number in 0..400 {
        let (dfen, kind) = HELD[number % HELD.len()];
        let go = ["go infinite", "go movetime 60000", "go ponder", "go", "go depth 2"][number % 5];
        engine.send(&format!("position dfen {dfen}\n{go}"));
        let stopped = Instant::now();
        engine.send("stop");
        let answer = engine.expect("bestmove");
        assert_legal(dfen, &answer.text, &format!("{go}, {kind}"));
        times.push(answer.at - stopped);
    }
    times.sort();
    println!("stop to bestmove: median {:.2?}, worst {:.2?}", times[200], times[399]);
    assert!(engine.quit().is_empty());
}

#[test]
fn a_go_ends_the_search_before_it() {
    let _alone = alone();
    const SEARCHES: usize = 20;
    let mut engine = Engine::start();
    let started = Instant::now();
    engine.send(&format!("position dfen {LONG}\n{}stop", "go\ngo infinite\n".repeat(SEARCHES / 2)));
    for _ in 0..SEARCHES {
        assert_legal(LONG, &engine.expect("bestmove").text, "one go after the other");
        // Each of them takes many seconds if it goes on to its end.
        assert!(started.elapsed() < PATIENCE);
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn a_stop_ends_countings_and_benches_too() {
    let _alone = alone();
    let mut engine = Engine::start();
    engine.send("bench\nperft 4\nposition startpos dice PNB\nperft 5\nstop\ngo depth 1");
    let lines: Vec<String> = engine.until("bestmove").into_iter().map(|line| line.text).collect();
    assert!(!lines.iter().any(|line| line.starts_with("bench ") || line.starts_with("perft ")), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "info string perft stopped").count(), 2, "{lines:?}");
    // What is ordered after the stop is done.
    engine.send("perft 1");
    assert_eq!(engine.expect("perft").text, "perft turns 340 outcomes 124 captures 0");
    assert!(engine.quit().is_empty());
}

#[test]
fn a_script_that_closes_its_end_at_once_is_answered() {
    let _alone = alone();
    let mut engine = Engine::start();
    engine.send_bytes(b"uci\nposition startpos dice PNB\ngo depth 1\nisready\nperft");
    engine.close_input();
    engine.expect("uciok");
    let rest: Vec<String> = engine.until("perft turns").into_iter().map(|line| line.text).collect();
    assert!(rest.iter().any(|line| line == "readyok"));
    assert_eq!(rest.iter().filter(|line| line.starts_with("bestmove ")).count(), 1);
    assert_eq!(engine.ended(PATIENCE).and_then(|status| status.code()), Some(0));
}

/// Its turns fill megabytes.
const GREAT_ROLL: &str = "kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 QQQ";

/// What the engine is in the middle of, and the commands that lead there.
const BUSY: [(&str, &str); 10] = [
    ("nothing", ""),
    ("go infinite", "go infinite"),
    ("a timed search", "go wtime 9000000 btime 9000000"),
    ("a search without limits", "go"),
    ("a rollout", "go rollout infinite"),
    ("all rolls", "position startpos\ngo rolls infinite"),
    ("a go ponder held back", "position dfen k7/8/8/8/8/8/8/K7 b - - 0 1 pnb\ngo ponder"),
    ("perft", "perft 4"),
    ("the turns of a great roll", "position dfen kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 QQQ\nperft"),
    ("bench", "bench"),
];

/// Ends the engine by `end` in the middle of each of those, and checks how it goes.
fn end_by(end: fn(&mut Engine) -> Instant, name: &str) {
    let _alone = alone();
    let mut worst = Duration::ZERO;
    for (busy, commands) in BUSY {
        for delay in [0, 0, 5, 30, 100] {
            let mut engine = Engine::start();
            engine.send(&format!("isready\nposition dfen {LONG}\n{commands}"));
            engine.expect("readyok");
            sleep(Duration::from_millis(delay));
            let told = end(&mut engine);
            let status = engine.ended(PATIENCE);
            let took = told.elapsed();
            worst = worst.max(took);
            assert_eq!(status.and_then(|status| status.code()), Some(0), "{name} in the middle of {busy}: {status:?}");
            assert!(took <= Duration::from_millis(500), "{name} in the middle of {busy} took {took:?}");
        }
    }
    println!("{name}: gone after {worst:.2?} at worst");
}

#[test]
fn quit_ends_the_program_at_once() {
    let quit = |engine: &mut Engine| {
        let now = Instant::now();
        engine.send("quit");
        now
    };
    end_by(quit, "quit");
}

#[test]
fn quit_ends_a_program_whose_output_nobody_takes() {
    let _alone = alone();
    let mut engine = Engine::start();
    engine.pause_reading(true);
    // Far more than a pipe holds: the search thread is stuck in the middle of it.
    engine.send(&format!("position dfen {GREAT_ROLL}\nperft"));
    sleep(Duration::from_millis(200));
    let told = Instant::now();
    engine.send("quit");
    let status = engine.ended(PATIENCE);
    let took = told.elapsed();
    engine.pause_reading(false);
    assert_eq!(status.and_then(|status| status.code()), Some(0));
    assert!(took <= Duration::from_millis(500), "{took:?}");
}

#[test]
fn the_end_of_input_ends_the_program() {
    let close = |engine: &mut Engine| {
        let now = Instant::now();
        engine.close_input();
        now
    };
    end_by(close, "the end of input");
}

#[test]
fn a_closed_output_ends_the_program_quietly() {
    let close = |engine: &mut Engine| {
        engine.close_output();
        Instant::now()
    };
    end_by(close, "a closed output");
}

#[test]
fn a_line_that_input_ends_in_the_middle_of_counts() {
    let _alone = alone();
    let mut engine = Engine::start();
    engine.send_bytes(b"isready");
    engine.close_input();
    engine.expect("readyok");
    assert_eq!(engine.ended(PATIENCE).and_then(|status| status.code()), Some(0));
}
