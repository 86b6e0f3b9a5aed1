//! `go rolls` and `go rollout` over pipes: the form of their lines, `stop` at any moment, and other words beside them.

use crate::common::engine::{Engine, PATIENCE, alone, assert_legal};
use astragal::rules::Roll;
use std::thread::sleep;
use std::time::Duration;

/// With and without dice, large and small, won and stuck.
const POSITIONS: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ",
    "kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 QQQ",
    "kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 -",
    "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb",
    "k7/8/8/8/8/8/8/K6R w - - 0 1 RRR",
    "k7/8/8/8/8/8/8/K7 b - - 0 1 -",
];

/// The words of a line, in pairs of a name and a value, after the first `skip`.
fn fields(line: &str, skip: usize) -> Vec<(&str, &str)> {
    let words: Vec<&str> = line.split(' ').skip(skip).collect();
    words.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default())).collect()
}

#[test]
fn the_lines_of_rolls_have_their_form() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true\nposition startpos moves e2e4\ngo depth 2 rolls");
    let lines = engine.until("bestmove");
    assert_eq!(lines.last().map(|line| line.text.as_str()), Some("bestmove 0000"));
    let mut rolls = Roll::all().chain(Roll::all());
    let mut sum = 0;
    for line in &lines[..lines.len() - 1] {
        let Some(rest) = line.text.strip_prefix("info string roll ") else {
            assert!(line.text.starts_with("info depth "), "{}", line.text);
            assert_eq!(std::mem::take(&mut sum), Roll::TOTAL_WEIGHT);
            continue;
        };
        let roll = rolls.next().expect("two tables");
        let words: Vec<&str> = rest.split(' ').collect();
        let [name, "weight", weight, "depth", "1" | "2", "score", "cp" | "mate", _, "wdl", _, _, _, "pv", _] =
            words[..]
        else {
            panic!("{rest}");
        };
        assert_eq!((name, weight), (roll.to_string().as_str(), roll.weight().to_string().as_str()));
        sum += roll.weight();
    }
    assert_eq!(lines.len(), 2 * (56 + 1) + 1);
    assert!(engine.quit().is_empty());
}

#[test]
fn the_lines_of_rollouts_have_their_form() {
    let mut engine = Engine::start();
    // Games end when they are over, long before 200 turns: with a draw here, after one turn.
    let lines = engine.ask("position fen 7k/8/8/8/8/8/8/K7 w - - 97 60\ngo rollout games 8 turns 200", "bestmove ");
    let seldepth = lines.iter().find_map(|line| line.strip_prefix("info depth 1 seldepth ")?.split(' ').next());
    assert!(
        seldepth.and_then(|word| word.parse().ok()).is_some_and(|depth: u32| (1..100).contains(&depth)),
        "{lines:?}"
    );
    engine.send("setoption name MultiPV value 2\nposition startpos dice NRQ\ngo rollout games 8 turns 2 rolls");
    let lines = engine.until("bestmove");
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let [first, second, best, next, answer] = texts[..] else { panic!("{texts:?}") };
    for line in [first, second] {
        assert!(line.starts_with("info string rollout turn "), "{line}");
        let fields = fields(line, 3);
        let names: Vec<&str> = fields.iter().map(|field| field.0).collect();
        assert_eq!(names, ["turn", "games", "equity", "se", "plain", "plainse"], "{line}");
        assert!(fields[1].1 == "8" && fields[2].1.starts_with(['+', '-']), "{line}");
        assert!(fields[2..].iter().all(|field| field.1.parse::<f64>().is_ok_and(|value| value.abs() <= 2.0)), "{line}");
    }
    let turn = fields(first, 3)[0].1;
    assert_eq!(answer, format!("bestmove {turn}"));
    assert!(best.starts_with("info depth 1 seldepth 3 multipv 1 ") && best.ends_with(&format!(" pv {turn}")), "{best}");
    assert!(next.starts_with("info depth 1 seldepth 3 multipv 2 "), "{next}");
    assert!(engine.quit().is_empty());
}

#[test]
fn an_analysis_that_is_stopped_answers_at_once_and_legally() {
    let _alone = alone();
    let mut engine = Engine::start();
    let mut worst = Duration::ZERO;
    engine.send("setoption name Threads value 2");
    for dfen in POSITIONS {
        for go in
            ["go rolls infinite", "go rollout infinite", "go ponder rollout turns 400", "go rolls rollout infinite"]
        {
            for delay in [0, 2, 40] {
                engine.send(&format!("position dfen {dfen}\n{go}"));
                sleep(Duration::from_millis(delay));
                let stopped = std::time::Instant::now();
                engine.send("stop");
                let lines = engine.until("bestmove");
                let answer = lines.last().expect("until ends with it");
                worst = worst.max(answer.at - stopped);
                let table = lines.iter().filter(|line| line.text.starts_with("info string roll ")).count();
                assert!(table.is_multiple_of(Roll::COUNT), "{dfen}: {go}: {table} lines");
                if dfen.ends_with('-') {
                    assert_eq!(answer.text, "bestmove 0000", "{dfen}: {go}");
                } else {
                    assert_legal(dfen, &answer.text, go);
                }
            }
        }
    }
    println!("stop to bestmove: {worst:.2?} at worst");
    assert!(worst < PATIENCE / 30, "{worst:?}");
    assert!(engine.quit().is_empty());
}

#[test]
fn limits_end_an_analysis_and_its_answer_is_held_where_it_must_be() {
    let _alone = alone();
    let mut engine = Engine::start();
    for go in
        ["go rolls movetime 60", "go rollout movetime 60", "go rollout wtime 2000 btime 2000", "go rollout nodes 1"]
    {
        engine.send(&format!("position startpos\n{go}"));
        assert_eq!(engine.expect("bestmove").text, "bestmove 0000", "{go}");
    }
    for (go, games) in [("go rollout games 3 turns 0 infinite", 3), ("go rollout games 0 turns 1 ponder", 1)] {
        engine.send(go);
        engine.expect(&format!("info string rollout games {games} "));
        engine.no_answer_for(Duration::from_millis(40), go);
        engine.send("stop");
        engine.expect("bestmove 0000");
    }
    assert!(engine.quit().is_empty());
}
