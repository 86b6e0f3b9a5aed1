//! Input of all kinds: odd blanks, endless lines, bytes that are no text, positions and options that are wrong. Nothing
//! makes the engine panic, hang or forget what it was told before.

use crate::common::engine::{Engine, Line, PATIENCE, timeless};
use astragal::rules::below;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::Deserialize;
use std::time::Duration;

const MEGABYTE: usize = 1 << 20;

/// Lines of input may have so many bytes, their newline included.
const LONGEST_LINE: usize = 4 << 20;

/// The answers to a line that must be answered at once, if at all.
fn answers(engine: &mut Engine, line: &[u8]) -> Vec<String> {
    engine.send_bytes(line);
    engine.send_bytes(b"\n");
    engine.sync().into_iter().map(|line| line.text).collect()
}

fn position_in_force(engine: &mut Engine) -> String {
    let lines = engine.ask("d", "dfen ");
    lines.last().and_then(|line| line.strip_prefix("dfen ")).expect("the last line of d").to_owned()
}

#[test]
fn blanks_and_line_ends_of_all_kinds_are_the_same() {
    let plain = "uci\nsetoption name Move Overhead value 30\nposition startpos moves e2e4 dice nbq\nd\n\
                 budget btime 60000\ngo depth 1 movestogo 3\nisready\n";
    let spoilt = [
        plain.replace('\n', "\r\n"),
        plain.replace(' ', "\t"),
        plain.replace(' ', " \t  ").replace('\n', "  \t\n"),
        plain.replace('\n', "\n\n \n\r\n\t\n"),
        format!("\n\r\n{}", plain.replace('\n', "\n \t")),
        plain.replace('\n', "\r\r\n"),
    ];
    let run = |script: &str| {
        let mut engine = Engine::start();
        engine.send_bytes(script.as_bytes());
        // The two may come in either order.
        let mut lines = engine.until("readyok");
        if !lines.iter().any(|line| line.text.starts_with("bestmove")) {
            lines.extend(engine.until("bestmove"));
        }
        lines.extend(engine.quit());
        let texts = lines.iter().map(|line| timeless(&line.text));
        texts.filter(|line| line != "readyok").collect::<Vec<_>>()
    };
    let want = run(plain);
    assert!(want.iter().any(|line| line.starts_with("budget policy")) && want.len() > 20, "{want:?}");
    for script in spoilt {
        assert_eq!(run(&script), want, "{script:?}");
    }
}

#[test]
fn lines_of_a_megabyte_are_answered_in_a_line() {
    let long = |unit: &str| unit.repeat(MEGABYTE / unit.len());
    let mut engine = Engine::start();
    engine.send("position startpos dice PNB");
    let before = position_in_force(&mut engine);
    for (start, rest) in [
        ("", long("x")),
        ("", long("x ")),
        ("", long("é")),
        ("debug ", long("on ")),
        ("position ", long("x")),
        ("position ", long("startpos ")),
        ("position startpos ", long("x ")),
        ("position startpos dice ", long("P")),
        ("position startpos moves ", long("x")),
        ("position startpos moves ", long("x ")),
        ("position startpos moves ", long("e2e4,")),
        ("position startpos moves ", long(":")),
        ("position startpos moves ", long("g1f3 g8f6 f3g1 f6g8 ") + "e2e5"),
        ("position dfen ", long("x")),
        ("position dfen ", long("8/")),
        ("position dfen ", long("- ")),
        ("position fen ", long("1") + " w - - 0 1"),
        ("position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 ", long("1")),
        ("setoption ", long("x ")),
        ("setoption name ", long("x") + " value y"),
        ("setoption name ", long("x ")),
        ("setoption name ", long("name ") + "value " + &long("value ")),
        ("setoption name Bot value ", long("x")),
        ("setoption name Seed value ", long("1")),
        ("setoption name UCI_ShowWDL value ", long("true ")),
        ("perft ", long("1")),
        ("budget ", long("movestogo 1 ")),
    ] {
        let lines = answers(&mut engine, format!("{start}{rest}").as_bytes());
        let start = format!("{start}{}", rest.chars().take(20).collect::<String>());
        let expected = usize::from(!start.starts_with("debug"));
        assert_eq!(lines.len(), expected, "{start}: {:?}", lines.first());
        for line in lines {
            assert!(line.starts_with("info string ") && line.len() < 300, "{start}: {}: {line:.300}", line.len());
        }
    }
    assert_eq!(position_in_force(&mut engine), before);
    assert!(engine.quit().is_empty());
}

#[test]
fn a_game_of_a_megabyte_is_played() {
    let mut engine = Engine::start();
    let rounds = MEGABYTE / "g1f3 g8f6 f3g1 f6g8 ".len();
    let game = "g1f3 g8f6 f3g1 f6g8 ".repeat(rounds);
    assert!(answers(&mut engine, format!("position startpos moves {game}dice PNB").as_bytes()).is_empty());
    let want = format!("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - {} {} PNB", 4 * rounds, 2 * rounds + 1);
    assert_eq!(position_in_force(&mut engine), want);
    engine.send("go depth 1");
    engine.expect("bestmove ");
    assert!(engine.quit().is_empty());
}

#[test]
fn a_go_of_a_megabyte_is_answered() {
    let mut engine = Engine::start();
    // Many queens, and far more turns than a megabyte holds; every one of them is legal.
    engine.send("position dfen kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 QQQ\nperft");
    let turns: Vec<String> = engine.until("perft turns").into_iter().map(|line| line.text).collect();
    let turns = turns.iter().filter_map(|line| line.strip_prefix("turn "));
    let searched: Vec<&str> = turns.take(MEGABYTE / "a1a2,a1a2,a1a2 ".len()).collect();
    assert!(searched.len() > 60_000);
    let list = searched.join(" ");
    for go in [format!("searchmoves {list} movetime 0"), format!("depth 1 searchmoves {list}")] {
        engine.send(&format!("go {go}"));
        let answer = engine.expect("bestmove ").text;
        assert!(answer.strip_prefix("bestmove ").is_some_and(|turn| searched.contains(&turn)), "{answer}");
    }
    for words in ["wtime 1 ", "depth ", "x ", "infinite ", "searchmoves "] {
        engine.send(&format!("go {}\nstop", words.repeat(MEGABYTE / words.len())));
        engine.expect("bestmove ");
    }
    engine.send(&format!("go movetime {}\nstop", "9".repeat(MEGABYTE)));
    engine.expect("bestmove ");
    assert!(engine.quit().is_empty());
}

#[test]
fn longer_lines_than_that_are_skipped_whole() {
    let mut engine = Engine::start();
    for (bytes, filler) in
        [LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, 9 * MEGABYTE].into_iter().zip("xx  ".chars())
    {
        let lines = answers(&mut engine, filler.to_string().repeat(bytes).as_bytes());
        let want = match bytes {
            _ if bytes >= LONGEST_LINE => format!("info string error line: {} bytes are too many, skipped", bytes + 1),
            _ => format!("info string unknown command '{}'", "x".repeat(40)),
        };
        assert_eq!(lines, [want], "{bytes}");
    }
    // The tail of a line is no line.
    let lines = answers(&mut engine, format!("{}quit", " ".repeat(LONGEST_LINE)).as_bytes());
    assert!(lines.len() == 1 && lines[0].starts_with("info string error line: "), "{lines:?}");
    // The last line may have no end.
    engine.send_bytes("x".repeat(LONGEST_LINE).as_bytes());
    engine.close_input();
    engine.expect("info string error line: 4194304 bytes");
    assert_eq!(engine.ended(PATIENCE).and_then(|status| status.code()), Some(0));
}

#[test]
fn bytes_that_are_no_text_do_no_harm() {
    let mut engine = Engine::start();
    for (line, words) in [
        (&b"isready\0"[..], "unknown command"),
        (b"\0", "unknown command"),
        (b"\0isready", "unknown command"),
        (b"\xff\xfe\xfd", "unknown command"),
        (b"\xef\xbb\xbfisready", "unknown command"),
        (b"\xc2\xa0isready", "unknown command"),
        (b"\x1b[2Jisready", "unknown command"),
        (b"position startpos moves \xff\xfe", "error moves: "),
        (b"position startpos moves e2e4,\xc3", "error moves: "),
        (b"position startpos dice \0\0\0", "error dice: "),
        (b"position dfen \xc3\x28/8/8/8/8/8/8/8 w - - 0 1", "error placement: "),
        (b"position \0startpos", "error position: "),
        (b"setoption name \xff\0\x07 value \xfe", "error option "),
        (b"setoption name Bot value \xff\0\x1b", "error option Bot: "),
        (b"perft \0", "error perft: "),
    ] {
        let lines = answers(&mut engine, line);
        let what = String::from_utf8_lossy(line);
        assert!(lines.len() == 1 && lines[0].starts_with(&format!("info string {words}")), "{what:?}: {lines:?}");
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn a_byte_order_mark_before_the_first_line_is_skipped() {
    let mut engine = Engine::start();
    assert!(answers(&mut engine, b"\xef\xbb\xbfposition startpos dice PNB").is_empty());
    assert!(position_in_force(&mut engine).ends_with(" PNB"));
    assert_eq!(answers(&mut engine, b"\xef\xbb\xbfd").len(), 1, "later it is text like any other");
    assert!(engine.quit().is_empty());
}

#[test]
fn turns_that_cannot_be_searched_are_told() {
    let mut engine = Engine::start();
    engine.send("position startpos dice PNB");
    let told = |engine: &mut Engine, go: &str| {
        let lines = engine.ask(go, "bestmove ");
        let errors: Vec<String> = lines.iter().filter(|line| line.contains(" error ")).cloned().collect();
        assert!(errors.iter().all(|line| line.starts_with("info string error searchmoves: ")), "{errors:?}");
        (errors.len(), lines.last().cloned().unwrap_or_default())
    };
    let only = "b1c3,e2e4,f1b5";
    assert_eq!(told(&mut engine, &format!("go depth 1 searchmoves {only}")), (0, format!("bestmove {only}")));
    assert_eq!(told(&mut engine, &format!("go depth 1 searchmoves e2e5 {only} g1f3")), (2, format!("bestmove {only}")));
    let unrestricted = told(&mut engine, "go depth 1").1;
    assert_eq!(told(&mut engine, "go depth 1 searchmoves e2e5"), (2, unrestricted));
    assert_eq!(told(&mut engine, "position startpos\ngo depth 1 searchmoves e2e4"), (1, "bestmove 0000".to_owned()));
    assert!(engine.quit().is_empty());
}

#[test]
fn a_go_after_a_refused_position_says_what_it_is_about() {
    let mut engine = Engine::start();
    engine.send("position startpos dice RQK\nposition startpos dice X");
    let refused = |engine: &mut Engine, commands: &str| {
        let lines = engine.ask(commands, "bestmove ");
        lines.into_iter().filter(|line| line.starts_with("info string the last position ")).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        let lines = refused(&mut engine, "go depth 1");
        assert!(lines.len() == 1 && lines[0].ends_with(" w KQkq - 0 1 RQK"), "{lines:?}");
    }
    assert!(refused(&mut engine, "position startpos dice RQK\ngo depth 1").is_empty());
    assert!(engine.quit().is_empty());
}

#[test]
fn an_only_turn_is_searched_if_its_value_is_asked_for() {
    let mut engine = Engine::start();
    let depth = |engine: &mut Engine, go: &str| {
        let lines = engine.ask(go, "bestmove ");
        let depth = |line: &String| line.strip_prefix("info depth ")?.split(' ').next()?.parse::<u32>().ok();
        lines.iter().filter_map(depth).max().unwrap_or(0)
    };
    // One turn of many, and a pass.
    for position in ["startpos dice PNB", "startpos dice RQK"] {
        engine.send(&format!("position {position}"));
        let only = if position.ends_with("PNB") { " searchmoves b1c3,e2e4,f1b5" } else { "" };
        assert_eq!(depth(&mut engine, &format!("go depth 2{only}")), 2, "{position}");
        assert_eq!(depth(&mut engine, &format!("go nodes 30000{only}")), 2, "{position}");
        assert_eq!(depth(&mut engine, &format!("go{only}")), 1, "{position}");
        assert_eq!(depth(&mut engine, &format!("go movetime 60000{only}")), 1, "{position}");
        assert_eq!(depth(&mut engine, &format!("go wtime 600000{only}")), 1, "{position}");
        engine.send(&format!("go infinite{only}"));
        engine.expect("info depth 2 ");
        engine.send("stop");
        engine.expect("bestmove ");
    }
    engine.send("setoption name Bot value monte-carlo\nsetoption name Rollouts value 8");
    let lines = engine.ask("go depth 1", "bestmove ");
    assert!(lines.iter().any(|line| line.contains(" score cp ")), "{lines:?}");
    assert!(engine.quit().is_empty());
}

#[test]
fn a_certain_draw_is_told_from_even_chances() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let wdl = |engine: &mut Engine, commands: &str| {
        let lines = engine.ask(commands, "bestmove ");
        let all: Vec<String> = lines
            .iter()
            .filter_map(|line| line.split_once(" wdl "))
            .map(|(_, rest)| rest.split(" nodes").next().unwrap_or("").to_owned())
            .collect();
        all
    };
    // Whatever is played, the half-move clock stands at 100.
    for go in ["go depth 2", "go rollout games 8 turns 2"] {
        let all = wdl(&mut engine, &format!("position fen 7k/8/8/8/8/8/8/K7 w - - 99 60 dice KRQ\n{go}"));
        assert!(!all.is_empty() && all.iter().all(|wdl| wdl == "0 1000 0"), "{go}: {all:?}");
    }
    // Even, and a long way from the end.
    let all = wdl(&mut engine, "position fen 7k/8/8/8/8/8/8/K7 w - - 0 1\ngo depth 2");
    assert!(!all.is_empty() && all.iter().all(|wdl| wdl.contains(" 0 ") && wdl != "0 1000 0"), "{all:?}");
    assert!(engine.quit().is_empty());
}

#[test]
fn the_name_of_a_missing_book_is_text_whatever_is_in_it() {
    let mut engine = Engine::start();
    engine.send("position startpos dice PNB\nsetoption name OwnBook value true");
    for name in [&b"no/such/\x07\x1b[2J\0book"[..], b"no/such/\xff\xfe", "x".repeat(MEGABYTE).as_bytes()] {
        engine.send_bytes(&[b"setoption name BookFile value ", name, b"\ngo depth 1\n"].concat());
        let lines = engine.until("bestmove ");
        assert!(lines[0].text.starts_with("info string error book "), "{:.300}", lines[0].text);
    }
    assert!(engine.quit().is_empty());
}

/// Commands to spoil. None takes long once it is stopped, and none ends the session.
const COMMANDS: [&str; 18] = [
    "uci",
    "isready",
    "ucinewgame",
    "setoption name Move Overhead value 50",
    "setoption name Bot value greedy",
    "setoption name MultiPV value 3",
    "position startpos moves e2e4,g1f3 NP:g8f6,e7e5 dice QKR",
    "position dfen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ",
    "position fen 4k3/8/8/2p1p3/1P1P1P2/8/8/4K3 w - c6e6 0 30 dice PPK",
    "go movetime 5 wtime 10 btime 10",
    "go ponder depth 2 searchmoves e2e4 0000 e1g1",
    "go rolls depth 1 movetime 5",
    "go rollout games 216 turns 3 movetime 5",
    "stop",
    "ponderhit",
    "d",
    "kcp",
    "budget wtime 1000 winc 10 wdelay 5 movestogo 3",
];

fn spoil(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut number = |n: usize| below(rng, n as u64) as usize;
    let mut line = COMMANDS[number(COMMANDS.len())].as_bytes().to_vec();
    for _ in 0..number(4) {
        let at = number(line.len().max(1));
        match number(5) {
            0 => line[at] = number(256) as u8,
            1 => line.insert(at, b" \t\0-9,:/"[number(8)]),
            2 if line.len() > 1 => _ = line.remove(at),
            3 => line.truncate(at + 1),
            _ => line.extend_from_within(at..),
        }
    }
    // It stays one line.
    line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    line
}

#[test]
fn spoilt_commands_do_no_harm() {
    let mut engine = Engine::start();
    let mut rng = ChaCha8Rng::seed_from_u64(77);
    let mut asked = 0;
    let mut lines = Vec::new();
    for number in 0..5000 {
        let line = if number % 10 == 0 {
            let mut noise = vec![0; below(&mut rng, 200) as usize];
            rng.fill_bytes(&mut noise);
            noise.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect()
        } else {
            spoil(&mut rng)
        };
        let first = String::from_utf8_lossy(&line).split_ascii_whitespace().next().map(str::to_owned);
        asked += usize::from(first.as_deref() == Some("go"));
        engine.send_bytes(&line);
        engine.send_bytes(b"\n");
        if number % 100 == 0 {
            lines.extend(engine.sync());
        }
    }
    engine.send("stop\nsetoption name Bot value greedy\nposition startpos\ngo depth 1");
    let answered = |lines: &[Line]| lines.iter().filter(|line| line.text.starts_with("bestmove ")).count();
    while answered(&lines) < asked + 1 {
        lines.push(engine.next(PATIENCE).expect("an answer to each go"));
    }
    assert!(asked > 300, "{asked}");
    let rest = engine.quit();
    assert_eq!(answered(&rest), 0, "{rest:?}");
}

#[derive(Deserialize)]
struct BadDfen {
    dfen: String,
    field: String,
    why: String,
}

#[test]
fn a_bad_position_is_an_error_that_names_the_field_and_the_one_before_stays() {
    let mut engine = Engine::start();
    engine.send("position startpos moves e2e4,g1f3 dice nbk");
    let before = position_in_force(&mut engine);
    assert_eq!(before, "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq e3 1 1 nbk");
    let vectors: Vec<BadDfen> =
        serde_json::from_str(include_str!("../vectors/bad_dfen.json")).expect("cases of this shape");
    let vectors = vectors.into_iter().map(|case| (format!("dfen {}", case.dfen), case.field, case.why));
    let others = [
        ("", "position"),
        ("e2e4", "position"),
        ("moves e2e4", "position"),
        ("startpos e2e4", "position"),
        ("startpos dice PNB moves e2e4", "position"),
        ("startpos dice PNB dice PNB", "position"),
        ("startpos dice", "dice"),
        ("startpos dice PNBR", "dice"),
        ("startpos dice moves", "dice"),
        ("startpos moves e2e5", "moves"),
        ("startpos moves e2e4 e2e4", "moves"),
        ("startpos moves e2e4,d2d4,c2c4,b2b4", "moves"),
        ("startpos moves KKK:e2e4", "moves"),
        ("startpos moves PNB:e2e4", "moves"),
        ("startpos moves PNB:0000", "moves"),
        ("startpos moves -:e2e4", "moves"),
        ("startpos moves e2e4 dice PNBR", "dice"),
        ("fen 8/8/8/3kK3/8/8/8/8 w - - 0 1 moves e5d5", "moves"),
        ("fen 8/8/8/3kK3/8/8/8/8 w - - 0 1 moves e5d5 dice PNB", "moves"),
    ];
    let others = others.map(|(text, field)| (text.to_owned(), field.to_owned(), String::new()));
    for (text, field, why) in vectors.chain(others) {
        let lines = answers(&mut engine, format!("position {text}").as_bytes());
        let start = format!("info string error {field}: ");
        assert!(lines.len() == 1 && lines[0].starts_with(&start), "{text}: {why}: {lines:?}");
        assert_eq!(position_in_force(&mut engine), before, "{text}");
    }
    assert!(engine.quit().is_empty());
}

#[test]
fn a_search_goes_on_through_a_bad_position_and_errors() {
    let mut engine = Engine::start();
    engine.send("position startpos dice NNN\ngo infinite\nposition dfen x\nposition startpos dice PPP");
    engine.send("setoption name Threads value 0\nperft x\nnonsense");
    engine.no_answer_for(Duration::from_millis(20), "a search through errors");
    engine.send("stop");
    let answer = engine.expect("bestmove ").text;
    assert!(answer.contains("b1") || answer.contains("g1"), "a turn of the position that it was asked for: {answer}");
    assert!(position_in_force(&mut engine).ends_with(" PPP"));
    assert!(engine.quit().is_empty());
}
