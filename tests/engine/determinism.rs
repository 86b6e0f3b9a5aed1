//! Untimed searches are the same to the byte from run to run, options hold from the next search on, and the commands
//! that look at a position write what other programs read.

use crate::common::engine::{Engine, PATIENCE, timeless};
use astragal::board::Rolled;
use astragal::rules::{count_deep, winning_rolls};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Everything that comes up to the line that begins with `last`.
fn output(engine: &mut Engine, commands: &str, last: &str) -> Vec<String> {
    engine.ask(commands, last).iter().map(|line| timeless(line)).collect()
}

const SEARCHED: [&str; 7] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 bnr",
    "4k3/8/8/2p1p3/1P1P1P2/8/8/4K3 w - c6e6 0 30 PPK",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 PPR",
    "4k3/8/8/8/8/8/pppppppp/R3K2R b - - 0 1 ppp",
    "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb",
    "r2qkb1r/ppp2ppp/2np1n2/4p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 2 6 -",
];

fn search_everything() -> Vec<String> {
    let mut engine = Engine::start();
    let mut lines = output(&mut engine, "uci", "uciok");
    for bot in ["expectimax", "greedy"] {
        for (multi_pv, wdl) in [(3, true), (1, false)] {
            engine.send(&format!("setoption name Bot value {bot}\nsetoption name MultiPV value {multi_pv}"));
            engine.send(&format!("setoption name UCI_ShowWDL value {wdl}\nsetoption name Seed value 9"));
            for dfen in SEARCHED {
                for limit in ["depth 1", "depth 2 nodes 30000", "nodes 0", "nodes 1", "nodes 777", "nodes 60000"] {
                    engine.send(&format!("position dfen {dfen}"));
                    lines.extend(output(&mut engine, &format!("go {limit}"), "bestmove "));
                }
            }
        }
    }
    assert!(engine.quit().is_empty());
    lines
}

#[test]
fn with_limits_but_no_clock_the_output_is_the_same_to_the_byte() {
    let first = search_everything();
    assert!(first.iter().any(|line| line.contains(" multipv 3 ") && line.contains(" wdl ")));
    assert!(first.iter().any(|line| line.contains(" time ?") && line.contains(" nps ?")));
    assert!(first.iter().any(|line| line.contains("depth 2")));
    assert_eq!(search_everything(), first);
}

#[test]
fn a_search_does_not_depend_on_those_before_it() {
    let mut used = Engine::start();
    for dfen in SEARCHED {
        let search = format!("position dfen {dfen}\ngo nodes 20000");
        let fresh = output(&mut Engine::start(), &search, "bestmove ");
        assert_eq!(output(&mut used, &search, "bestmove "), fresh, "{dfen}");
        assert_eq!(output(&mut used, &format!("ucinewgame\n{search}"), "bestmove "), fresh, "{dfen}");
    }
}

#[test]
fn the_seed_chooses_among_equals_and_nothing_else_does() {
    let answers = |seed: u32| {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Bot value greedy\nsetoption name Seed value {seed}"));
        output(&mut engine, "position startpos dice PNB\ngo", "bestmove ")
    };
    let all: Vec<_> = (0..8).map(answers).collect();
    assert!(all.iter().any(|answer| *answer != all[0]), "all seeds give {all:?}");
    assert_eq!((0..8).map(answers).collect::<Vec<_>>(), all);
}

#[test]
fn the_bench_counts_the_same_nodes_every_time() {
    let nodes = |mut engine: Engine| {
        let line = engine.expect("bench ").text;
        let words: Vec<&str> = line.split(' ').collect();
        assert!(matches!(words[..], ["bench", "nodes", _, "time", _, "nps", _]), "{line}");
        words[2].parse::<u64>().expect("a number of nodes")
    };
    let mut session = Engine::start();
    session.send("setoption name Bot value greedy\nsetoption name Seed value 5\nbench");
    let first = nodes(session);
    assert!(first > 100_000, "{first}");
    assert_eq!(nodes(Engine::with_arguments(&["bench"])), first);
}

#[test]
fn an_option_set_during_a_search_holds_from_the_next_one_on() {
    let mut engine = Engine::start();
    engine.send(&format!("position dfen {}\ngo infinite", SEARCHED[1]));
    engine.expect("info depth 2");
    engine
        .send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true\nsetoption name Bot value greedy");
    engine.sync();
    let running = output(&mut engine, "stop", "bestmove ");
    assert!(running.iter().all(|line| !line.contains(" wdl ") && !line.contains(" multipv 3 ")), "{running:?}");
    let next = output(&mut engine, "go depth 1", "bestmove ");
    assert!(next.len() == 2 && next[0].contains(" wdl "), "greedy reports one line: {next:?}");
    let next = output(&mut engine, "setoption name Bot value expectimax\ngo depth 1", "bestmove ");
    let lines: Vec<bool> = (1..=4).map(|n| next.iter().any(|line| line.contains(&format!(" multipv {n} ")))).collect();
    assert_eq!(lines, [true, true, true, false], "{next:?}");
    assert!(engine.quit().is_empty());
}

#[test]
fn option_names_are_found_whatever_their_blanks_and_bad_values_change_nothing() {
    let mut engine = Engine::start();
    let deadline = |engine: &mut Engine, set: &str| {
        engine.send(set);
        let lines = engine.ask("budget wtime 60000", "budget ");
        let last = lines.last().and_then(|line| line.rsplit(' ').next()).and_then(|word| word.parse::<u64>().ok());
        (last.expect("the deadline is the last word"), lines.len() - 1)
    };
    let (with_50, _) = deadline(&mut engine, "");
    for (set, overhead, errors) in [
        ("setoption name Move Overhead value 30", 30, 0),
        ("  setoption   name \t MOVE   overhead  value  40  ", 40, 0),
        ("setoption name Move Overhead value", 40, 1),
        ("setoption name Move Overhead", 40, 1),
        ("setoption name MoveOverhead value 10", 40, 1),
        ("setoption name Move Overhead value 1 0", 40, 1),
        ("setoption name Move Overhead value -1", 40, 1),
        ("setoption name value 10", 40, 1),
        ("setoption value 10 name Move Overhead", 40, 1),
        ("setoption name", 40, 1),
        ("setoption", 40, 1),
        ("setoption name move overhead value 0", 0, 0),
    ] {
        assert_eq!(deadline(&mut engine, set), (with_50 + 50 - overhead, errors), "{set}");
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn every_option_takes_its_default() {
    let mut engine = Engine::start();
    let lines = engine.ask("uci", "uciok");
    assert!(lines[0].starts_with("id name Astragal ") && lines[1].starts_with("id author "), "{lines:?}");
    let options = &lines[2..lines.len() - 1];
    for line in options {
        let declared = line.strip_prefix("option name ").and_then(|line| line.split_once(" type "));
        let (name, kind) = declared.unwrap_or_else(|| panic!("{line}"));
        let words: Vec<&str> = kind.split(' ').collect();
        assert!(["check", "spin", "combo", "string"].contains(&words[0]) && words[1] == "default", "{line}");
        engine.send(&format!("setoption name {name} value {}", words[2]));
        assert!(engine.sync().is_empty(), "{line}");
    }
    assert!(options.len() >= 9, "{options:?}");
    assert!(engine.quit().is_empty());
}

fn vectors<T: DeserializeOwned>(text: &str) -> Vec<T> {
    serde_json::from_str(text).expect("cases of this shape")
}

#[derive(Deserialize)]
struct TurnsCase {
    dfen: String,
    turns: usize,
    distinct: usize,
    king_captures: usize,
    sha256: String,
}

#[test]
fn perft_of_a_roll_lists_the_turns_of_the_vectors() {
    let cases: Vec<TurnsCase> = vectors(include_str!("../vectors/turns.json"));
    let mut engine = Engine::start();
    for TurnsCase { dfen, .. } in &cases {
        engine.send(&format!("position dfen {dfen}\nperft"));
    }
    for TurnsCase { dfen, turns, distinct, king_captures, sha256 } in cases {
        let mut lines: Vec<String> = engine.until("perft ").into_iter().map(|line| line.text).collect();
        let total = format!("perft turns {turns} outcomes {distinct} captures {king_captures}");
        assert_eq!(lines.pop(), Some(total), "{dfen}");
        let listed: Vec<&str> =
            lines.iter().map(|line| line.strip_prefix("turn ").unwrap_or_else(|| panic!("{line}"))).collect();
        assert_eq!(listed.len(), turns, "{dfen}");
        assert!(listed.is_sorted(), "{dfen}");
        let hash: String = Sha256::digest(listed.join("\n")).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, sha256, "{dfen}");
    }
    assert!(engine.quit().is_empty());
}

#[derive(Deserialize)]
struct ChanceCase {
    dfen: String,
    turns: u64,
    distinct: u64,
    rolls: BTreeMap<String, (u64, u64)>,
}

#[test]
fn perft_without_dice_lists_the_rolls_of_the_vectors_in_dice_order() {
    let faces = ["P", "N", "B", "R", "Q", "K"];
    let with_two = |a: usize, b: usize| (b..6).map(move |c| [faces[a], faces[b], faces[c]].concat());
    let rolls: Vec<String> = (0..6).flat_map(|a| (a..6).flat_map(move |b| with_two(a, b))).collect();
    assert_eq!(rolls.len(), 56);
    let mut engine = Engine::start();
    for case in vectors::<ChanceCase>(include_str!("../vectors/chance.json")) {
        let lines = engine.ask(&format!("position dfen {}\nperft", case.dfen), "perft ");
        let weight = winning_rolls(&Rolled::from_dfen(&case.dfen).expect("a sound vector").position).weight();
        let mut want: Vec<String> = rolls
            .iter()
            .map(|roll| format!("roll {roll} turns {} outcomes {}", case.rolls[roll].0, case.rolls[roll].1))
            .collect();
        want.push(format!("perft turns {} outcomes {} capture {weight}/216", case.turns, case.distinct));
        assert_eq!(lines, want, "{}", case.dfen);
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn deeper_perft_counts_the_last_turns() {
    let mut engine = Engine::start();
    for dfen in
        ["4k3/8/8/8/8/8/P7/4K3 w - - 0 1 PPK", "8/8/8/4k3/8/8/8/4K3 w - - 99 1 -", "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb"]
    {
        let count = count_deep(&Rolled::from_dfen(dfen).expect("a sound position"), 2, &mut || true).total;
        let want =
            format!("perft depth 2 turns {} outcomes {} captures {}", count.turns, count.outcomes, count.captures);
        assert_eq!(engine.ask(&format!("position dfen {dfen}\nperft 2"), "perft "), [want], "{dfen}");
    }
    for depth in ["0", "-1", "x", "1.5", "99999999999"] {
        let lines = engine.ask(&format!("perft {depth}"), "info string");
        assert!(lines[0].starts_with("info string error perft: "), "{lines:?}");
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn no_depth_of_perft_exhausts_the_stack() {
    // Two passes after one another are as deep as perft can go without end: nothing moves, so no game is ever drawn.
    for depth in ["64", "1000", "100000", "4294967295"] {
        let mut engine = Engine::start();
        engine.send(&format!("position dfen k7/8/8/8/8/8/8/K7 w - - 0 1 -\nperft {depth}\ngo depth 1"));
        let seen = engine.sync();
        std::thread::sleep(std::time::Duration::from_millis(100));
        if !seen.iter().any(|line| line.text.starts_with("bestmove ")) {
            engine.send("stop");
            engine.expect("bestmove ");
        }
        drop(engine.quit());
    }
}

#[derive(Deserialize)]
struct KingCaptureCase {
    dfen: String,
    weight: u32,
}

#[test]
fn kcp_gives_the_weights_of_the_vectors() {
    let cases: Vec<KingCaptureCase> = vectors(include_str!("../vectors/kcp.json"));
    let mut engine = Engine::start();
    for KingCaptureCase { dfen, .. } in &cases {
        engine.send(&format!("position dfen {dfen}\nkcp"));
    }
    for KingCaptureCase { dfen, weight } in cases {
        let line = engine.next(PATIENCE).expect("an answer to each kcp").text;
        assert_eq!(line, format!("kcp {weight}/216 {:.6}", f64::from(weight) / 216.0), "{dfen}");
    }
    assert!(engine.quit().is_empty());
}

#[derive(Deserialize)]
struct GoodDfen {
    dfen: String,
    canonical: String,
    why: String,
}

#[test]
fn d_draws_the_board_and_ends_with_the_canonical_dfen() {
    let mut engine = Engine::start();
    let board = [
        "8  r n b q k b n r",
        "7  p p p p p p p p",
        "6  . . . . . . . .",
        "5  . . . . . . . .",
        "4  . . . . P . . .",
        "3  . . . . . . . .",
        "2  P P P P . P P P",
        "1  R N B Q K B N R",
        "",
        "   a b c d e f g h",
        "",
        "dfen rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 pnk",
    ];
    assert_eq!(engine.ask("position startpos moves e2e4 dice KNP\nd", "dfen "), board);
    for GoodDfen { dfen, canonical, why } in vectors(include_str!("../vectors/good_dfen.json")) {
        let lines = engine.ask(&format!("position dfen {dfen}\nd"), "dfen ");
        assert_eq!(lines.last(), Some(&format!("dfen {canonical}")), "{why}");
        assert_eq!(lines.len(), board.len(), "{why}");
    }
    assert!(engine.quit().is_empty());
}
