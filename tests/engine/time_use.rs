//! The time of a turn over pipes: forced turns, several limits at once, the two bounds, pondering, the measured overhead.

use crate::common::engine::{Engine, alone, assert_legal};
use std::time::{Duration, Instant};

/// A position with far more to search than there is time for.
const LONG: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ";

/// One outcome; a pass; a capture of the king.
const FORCED: [&str; 3] =
    ["k7/8/8/8/8/P7/8/K7 w - - 0 1 PNB", "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb", "k7/8/8/8/8/8/8/K6R w - - 0 1 RRR"];

const BUDGETED: [&str; 5] = ["expectimax", "monte-carlo", "onnx-expectimax", "onnx-eval", "book"];

const USES: [&str; 2] = ["fixed", "adaptive"];

/// Far below any of the budgets that are not to be used up, and far above what an answer at once takes.
const QUICK: Duration = Duration::from_secs(2);

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An engine with these options.
fn engine(options: &[(&str, &str)]) -> Engine {
    let mut engine = Engine::start();
    for (name, value) in options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    engine
}

/// How long the answer to that `go` takes.
fn answer_time(engine: &mut Engine, dfen: &str, go: &str) -> Duration {
    engine.send(&format!("position dfen {dfen}"));
    engine.sync();
    let asked = Instant::now();
    engine.send(&format!("go {go}"));
    let answer = engine.expect("bestmove");
    assert_legal(dfen, &answer.text, go);
    answer.at - asked
}

#[test]
fn a_forced_turn_is_answered_at_once_however_much_time_there_is() {
    let _alone = alone();
    for time_use in USES {
        let mut engine = engine(&[("TimeUse", time_use)]);
        for bot in BUDGETED {
            engine.send(&format!("setoption name Bot value {bot}"));
            for dfen in FORCED {
                for go in ["wtime 600000 btime 600000", "movetime 60000"] {
                    let took = answer_time(&mut engine, dfen, go);
                    assert!(took < QUICK, "{bot}, {time_use}, {dfen}, go {go}: {took:?}");
                }
            }
        }
        engine.quit();
    }
}

#[test]
fn of_several_limits_the_one_reached_first_ends_the_search() {
    let _alone = alone();
    // A limit that is reached at once beside all others that are not, and the pairs.
    let long = ["wtime 3600000 btime 3600000", "movetime 600000", "depth 15", "nodes 99999999999"];
    let short = ["wtime 600 btime 600", "movetime 100", "depth 1", "nodes 500"];
    for time_use in USES {
        let mut engine = engine(&[("TimeUse", time_use)]);
        for (place, first) in short.iter().enumerate() {
            let others: Vec<&str> = (0..4).filter(|&other| other != place).map(|other| long[other]).collect();
            let pairs = others.iter().map(|other| format!("{other} {first}"));
            for go in pairs.chain([format!("{} {first}", others.join(" ")), format!("{first} {}", others.join(" "))]) {
                let took = answer_time(&mut engine, LONG, &go);
                assert!(took < QUICK, "{time_use}, go {go}: {took:?}");
            }
        }
        engine.quit();
    }
}

#[test]
fn a_fixed_time_is_used_in_either_way() {
    let _alone = alone();
    for time_use in USES {
        let mut engine = engine(&[("TimeUse", time_use), ("Move Overhead", "0")]);
        for go in ["movetime 300", "movetime 300 wtime 3600000 btime 3600000"] {
            let took = answer_time(&mut engine, LONG, go);
            assert!(took >= ms(290), "{time_use}, go {go}: {took:?}");
        }
        engine.quit();
    }
}

#[test]
fn adaptive_use_is_bounded_by_the_hard_cap_and_tells_its_soft_bound() {
    let _alone = alone();
    let mut engine = engine(&[("Move Overhead", "0")]);
    engine.send(&format!("position dfen {LONG}"));
    let clock = "wtime 3000 btime 3000";
    let fixed = engine.ask(&format!("budget {clock}"), "budget");
    assert_eq!(fixed, ["budget policy empirical-v1 target 359 hardcap 600 deadline 359"]);
    engine.send("setoption name TimeUse value adaptive");
    let adaptive = engine.ask(&format!("budget {clock}"), "budget");
    assert_eq!(adaptive, ["budget policy empirical-v1 target 359 hardcap 600 deadline 600 soft 359"]);
    assert_eq!(
        engine.ask(&format!("budget {clock} movetime 300"), "budget"),
        ["budget policy empirical-v1 target 300 hardcap 300 deadline 300"]
    );
    for (bot, threads) in BUDGETED.map(|bot| (bot, 1)).into_iter().chain([("expectimax", 2)]) {
        engine.send(&format!("setoption name Bot value {bot}\nsetoption name Threads value {threads}"));
        let best = (0..3).map(|_| answer_time(&mut engine, LONG, clock)).min().unwrap_or_default();
        assert!(best < ms(600 + 100), "{bot}, {threads} threads: {best:?}");
    }
    engine.quit();
}

#[test]
fn rollouts_go_on_to_the_soft_bound_and_not_to_the_hard_cap() {
    let _alone = alone();
    let mut engine = engine(&[("Move Overhead", "0"), ("Bot", "monte-carlo"), ("TimeUse", "adaptive")]);
    // The soft bound is 1895 ms, the hard cap 3000; a lead can take half of the soft bound away at most.
    let took = answer_time(&mut engine, LONG, "wtime 15000 btime 15000");
    assert!(took >= ms(900) && took < ms(2600), "{took:?}");
    engine.quit();
}

#[test]
fn the_last_turn_before_a_control_leaves_time_for_the_one_after_it() {
    let _alone = alone();
    for time_use in USES {
        let mut engine = engine(&[("TimeUse", time_use)]);
        for turns in [0, 1] {
            let took = answer_time(&mut engine, LONG, &format!("wtime 2000 btime 2000 movestogo {turns}"));
            assert!(took < ms(400 + 300), "{time_use}, movestogo {turns}: {took:?}");
        }
        engine.quit();
    }
}

#[test]
fn a_ponderhit_without_dice_lets_go_at_once() {
    let _alone = alone();
    let without = LONG.replace("NBQ", "-");
    let mut engine = engine(&[]);
    engine.send(&format!("position dfen {without}\ngo ponder wtime 3600000 btime 3600000"));
    engine.no_answer_for(ms(100), "it ponders");
    let hit = Instant::now();
    engine.send("ponderhit");
    let answer = engine.expect("bestmove");
    assert_eq!(answer.text, "bestmove 0000");
    assert!(answer.at - hit < QUICK);
    // So the turn may follow without a stop.
    let took = answer_time(&mut engine, LONG, "movetime 100");
    assert!(took < QUICK, "{took:?}");
    engine.quit();
}

#[test]
fn a_ponderhit_starts_both_bounds() {
    let _alone = alone();
    let mut engine = engine(&[("TimeUse", "adaptive"), ("Move Overhead", "0")]);
    engine.send(&format!("position dfen {LONG}\ngo ponder wtime 3000 btime 3000"));
    engine.no_answer_for(ms(1000), "it ponders");
    let hit = Instant::now();
    engine.send("ponderhit");
    let answer = engine.expect("bestmove");
    assert_legal(LONG, &answer.text, "ponderhit");
    assert!(answer.at - hit < ms(600 + 200), "{:?}", answer.at - hit);
    engine.quit();
}

/// The nodes of a search of two plies under a clock.
fn nodes_to_depth_2(engine: &mut Engine, dfen: &str) -> u64 {
    engine.send(&format!("position dfen {dfen}\ngo movetime 60000 depth 2"));
    let lines = engine.until("bestmove");
    let line = lines.iter().rev().find(|line| line.text.starts_with("info depth 2 ")).expect("a line of depth 2");
    let mut words = line.text.split(' ').skip_while(|&word| word != "nodes");
    words.nth(1).and_then(|nodes| nodes.parse().ok()).expect("a number of nodes")
}

#[test]
fn what_was_pondered_on_is_known_to_the_next_turn_and_to_no_analysis() {
    let _alone = alone();
    let small = "4k3/p7/8/8/8/8/7P/4K3 w - - 0 30 PKN";
    let mut engine = engine(&[]);
    let fresh = nodes_to_depth_2(&mut engine, small);
    for (ponder, kept) in [("go ponder depth 2", true), ("go depth 2", false), ("go infinite ponder depth 2", false)] {
        engine.send(&format!("ucinewgame\nposition dfen {small}\n{ponder}"));
        if ponder != "go depth 2" {
            engine.no_answer_for(ms(300), ponder);
            engine.send("stop");
        }
        engine.expect("bestmove");
        // Whatever an analysis learned is there as well; only what came before it is forgotten.
        assert!(nodes_to_depth_2(&mut engine, small) < fresh, "{ponder}");
        engine.send(&format!("position dfen {LONG}\n{}", ponder.replace("depth 2", "depth 1")));
        engine.send("stop");
        engine.expect("bestmove");
        assert_eq!(nodes_to_depth_2(&mut engine, small) < fresh, kept, "{ponder}, and another one after it");
    }
    engine.quit();
}

#[test]
fn the_overhead_is_learned_from_the_clock_when_it_is_wanted() {
    let _alone = alone();
    let mut engine = engine(&[]);
    // Each turn costs 400 ms on the clock, hardly any of them by its search.
    let play = |engine: &mut Engine, turns: i64| {
        for turn in 1..=turns {
            let dfen = format!("4k3/p7/8/8/8/8/7P/4K3 w - - 0 {turn} PKN");
            engine.send(&format!("position dfen {dfen}\ngo depth 1 wtime {} btime 1", 60_000 - 400 * turn));
            engine.expect("bestmove");
        }
    };
    let overhead = |engine: &mut Engine| {
        engine.send("position startpos");
        let line = engine.ask("budget wtime 60000", "budget").pop().expect("the line that was waited for");
        let number = |word| {
            let mut words = line.split(' ').skip_while(|&other| other != word);
            words.nth(1).and_then(|ms| ms.parse::<u64>().ok()).expect("a number")
        };
        number("target") - number("deadline")
    };
    play(&mut engine, 6);
    assert_eq!(overhead(&mut engine), 50, "it is not wanted");
    engine.send("setoption name Auto Overhead value true");
    let mut learned = overhead(&mut engine);
    // A search during which the machine stands still leaves no difference to learn from, and two are too many: once more.
    for _ in 0..2 {
        if learned < 200 {
            engine.send("ucinewgame");
            play(&mut engine, 6);
            learned = overhead(&mut engine);
        }
    }
    assert!((200..=402).contains(&learned), "{learned}");
    engine.send("ucinewgame");
    assert_eq!(overhead(&mut engine), 50, "another game");
    play(&mut engine, 4);
    assert_eq!(overhead(&mut engine), 50, "three differences are too few");
    engine.quit();
}
