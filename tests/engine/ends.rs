//! How searches end, and how the program does: an answer held back until it is let out, `stop` right after `go`, and
//! `quit`, the end of input and a closed output in the middle of anything.

use crate::common::engine::{Engine, PATIENCE, alone, assert_legal};
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
fn after_the_end_of_input_what_was_ordered_is_done() {
    let _alone = alone();
    // Work without a clock, under a clock, and of every kind; what comes last.
    for (commands, last, least_ms) in [
        ("position startpos dice PNB\ngo depth 2", "bestmove ", 0),
        ("position startpos dice PNB\ngo nodes 50000", "bestmove ", 0),
        ("position startpos dice PNB\ngo movetime 700", "bestmove ", 500),
        ("position startpos dice PNB\ngo wtime 3500 movestogo 1", "bestmove ", 500),
        ("position startpos\ngo rolls depth 1", "bestmove 0000", 0),
        ("position startpos\ngo rollout games 8 turns 2", "bestmove 0000", 0),
        ("perft 2", "perft depth 2 turns ", 0),
        ("bench", "bench nodes ", 0),
        ("go infinite\nposition startpos dice PNB\ngo depth 2\nperft 1", "perft turns 340 ", 0),
        ("setoption name Bot value greedy\nisready", "readyok", 0),
        // Nobody could end these any more.
        ("position startpos dice PNB\ngo infinite", "bestmove ", 0),
        ("position startpos dice PNB\ngo ponder wtime 60000", "bestmove ", 0),
    ] {
        let mut engine = Engine::start();
        engine.send_bytes(commands.as_bytes());
        let sent = Instant::now();
        engine.close_input();
        let lines = engine.until(last);
        assert!(!lines.iter().any(|line| line.text.contains("stopped")), "{commands}: {lines:?}");
        if commands.contains("depth 2") || commands.contains("nodes 50000") {
            assert!(lines.iter().any(|line| line.text.contains(" depth 2 ")), "{commands}: {lines:?}");
        }
        assert!(sent.elapsed() >= Duration::from_millis(least_ms), "{commands}: {:?}", sent.elapsed());
        assert_eq!(engine.ended(PATIENCE).and_then(|status| status.code()), Some(0), "{commands}");
    }
}

#[test]
fn readyok_means_that_nothing_is_left_to_prepare() {
    let _alone = alone();
    // A book that takes some time to read.
    let path = std::env::temp_dir().join(format!("astragal-slow-book-{}.tsv", std::process::id()));
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP\te2e4,f1c4,g1f3\t1\n";
    let rank = |file: usize, king: char| format!("{}{king}{}", "1".repeat(file), "1".repeat(7 - file));
    let compact = |rank: String| (2..8).rev().fold(rank, |rank, run| rank.replace(&"1".repeat(run), &run.to_string()));
    let mut text = line.to_owned();
    for place in 0..64 {
        let (white, black) = (compact(rank(place / 8, 'K')), compact(rank(place % 8, 'k')));
        let line = format!("8/8/{black}/8/8/8/{white}/8 w - - KKK\te1e2,e2e3,e3e4\n");
        text.push_str(&line.repeat(1000));
    }
    for place in 0..64 {
        let (white, black) = (compact(rank(place / 8, 'K')), compact(rank(place % 8, 'k')));
        let line = format!("8/{black}/8/8/8/8/8/{white} w - - KKK\te1e2,e2e3,e3e4\n");
        text.push_str(&line.repeat(1000));
    }
    std::fs::write(&path, text).expect("a file can be written");
    let set = format!("setoption name OwnBook value true\nsetoption name BookFile value {}", path.display());
    let mut engine = Engine::start();
    engine.sync();
    let asked = Instant::now();
    engine.send(&format!("{set}\nposition startpos dice PNB\nisready"));
    let ready = engine.expect("readyok").at - asked;
    assert!(ready > Duration::from_millis(20), "reading the book takes longer than {ready:?}");
    let asked = Instant::now();
    engine.send("go");
    let lines = engine.until("bestmove ");
    assert!(lines[0].text.starts_with("info string book turn "), "{lines:?}");
    assert!(lines[lines.len() - 1].at - asked < ready / 2, "{:?} after {ready:?}", asked.elapsed());
    assert!(engine.quit().is_empty());

    // A stop does not wait for it, nor does a deadline, nor the end.
    let dfen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";
    for go in ["go infinite\nstop", "go movetime 4"] {
        let mut engine = Engine::start();
        engine.sync();
        let asked = Instant::now();
        engine.send(&format!("{set}\nposition dfen {dfen}\nisready\n{go}"));
        let lines = engine.until("bestmove ");
        assert_legal(dfen, &lines[lines.len() - 1].text, go);
        assert!(lines[lines.len() - 1].at - asked < ready * 3 / 4, "{go}: {:?} of {ready:?}", asked.elapsed());
        let asked = Instant::now();
        assert!(engine.quit().iter().all(|line| line.text == "readyok"));
        assert!(asked.elapsed() < Duration::from_millis(500));
    }
    std::fs::remove_file(&path).expect("it was written");
}

#[test]
fn a_large_table_is_there_and_cleared_at_once() {
    let _alone = alone();
    const LARGE: u64 = 1024;
    let mut engine = Engine::start();
    let lines = engine.ask(&format!("setoption name Hash value {LARGE}\nisready"), "readyok");
    if lines.len() > 1 {
        // A machine without so much memory says so.
        assert!(lines[0].starts_with("info string error option Hash: "), "{lines:?}");
        return;
    }
    let started = Instant::now();
    for number in 0..1000 {
        engine.send(&format!("setoption name Hash value {}\nucinewgame", LARGE - number % 2));
    }
    engine.send("position startpos dice PNB\ngo nodes 300");
    engine.expect("bestmove ");
    for _ in 0..100 {
        engine.send("ucinewgame\ngo nodes 300");
        engine.expect("bestmove ");
    }
    // To write all of it once takes most of a second.
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert!(engine.quit().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn more_memory_than_there_is_is_refused_and_the_game_goes_on() {
    let _alone = alone();
    // By the shell: so much address space, in kibibytes.
    let mut engine = Engine::under_limit("ulimit -v 600000");
    for hash in [700, 65_536] {
        let lines = engine.ask(&format!("setoption name Hash value {hash}\nisready"), "readyok");
        assert_eq!(lines.len(), 2, "{hash}: {lines:?}");
        assert!(lines[0].starts_with("info string error option Hash: "), "{lines:?}");
        assert!(lines[0].contains(&format!("{hash} MiB")) && lines[0].contains("free"), "{lines:?}");
    }
    let lines = engine.ask("setoption name Hash value 32\nposition startpos dice PNB\ngo depth 2", "bestmove ");
    assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
    assert!(engine.quit().is_empty());
    // Without a limit, more than any machine of today has.
    let mut engine = Engine::start();
    let lines = engine.ask("setoption name Hash value 65536\nposition startpos dice PNB\ngo depth 1", "bestmove ");
    println!("{}", lines[0]);
    assert!(engine.quit().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_do_not_start_are_told_once_and_missed_by_nobody() {
    let _alone = alone();
    // Each thread wants two mebibytes of stack and some more for what it allocates.
    let mut engine = Engine::under_limit("ulimit -v 1200000");
    engine.send("setoption name Threads value 256\nsetoption name Hash value 1\nposition startpos dice PNB");
    let mut told = 0;
    for go in ["go depth 2", "go depth 2", "go rollout games 8 turns 1", "go nodes 100000"] {
        let lines = engine.ask(go, "bestmove ");
        told += lines.iter().filter(|line| line.starts_with("info string error option Threads: ")).count();
    }
    let lines = engine.ask("position startpos\ngo rolls depth 1", "bestmove ");
    assert_eq!(lines.iter().filter(|line| line.starts_with("info string roll ")).count(), 56);
    assert_eq!(told, 1);
    let alone = {
        let mut engine = Engine::start();
        engine.ask("position startpos dice PNB\ngo depth 2", "bestmove ").pop()
    };
    assert_eq!(engine.ask("position startpos dice PNB\ngo depth 2", "bestmove ").pop(), alone);
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
fn end_by(end: fn(&mut Engine) -> Instant, name: &str, busy: &[(&str, &str)]) {
    let _alone = alone();
    let mut worst = Duration::ZERO;
    for (busy, commands) in busy {
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
    end_by(quit, "quit", &BUSY);
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
fn the_end_of_input_ends_what_nothing_else_could() {
    let close = |engine: &mut Engine| {
        let now = Instant::now();
        engine.close_input();
        now
    };
    // Other work is done first.
    let endless: Vec<_> = BUSY
        .into_iter()
        .filter(|(busy, go)| *busy == "nothing" || go.contains("infinite") || go.contains("ponder"))
        .collect();
    assert_eq!(endless.len(), 5);
    end_by(close, "the end of input", &endless);
}

#[test]
fn a_closed_output_ends_the_program_quietly() {
    let close = |engine: &mut Engine| {
        engine.close_output();
        Instant::now()
    };
    end_by(close, "a closed output", &BUSY);
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
