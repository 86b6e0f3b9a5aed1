//! Every end of a game, brought about by an engine double that misbehaves on command.

mod common;

use arena::record::{EndKind, Game};
use common::{count, double, fail, folder, read, run, succeed};

/// Plays a double that misbehaves so against a sound one; returns the games. The double is player 0.
fn against(how: &str, control: &[&str]) -> Vec<Game> {
    let journal = folder().join("games.jsonl");
    let player = format!("cmd:{} {how}", double());
    let path = journal.display().to_string();
    let mut arguments = vec!["match", &player, "builtin:greedy", "--games", "4", "--no-luck", "--grace", "0.3"];
    arguments.extend(["--journal", &path]);
    arguments.extend(control);
    let text = succeed(&arguments);
    assert!(text.contains("4 games"), "{text}");
    let (_, games) = read(&journal);
    assert_eq!(games.len(), 4, "{how}");
    games
}

/// All games were lost so, through the double.
fn all_lost(games: &[Game], kind: EndKind) {
    for game in games {
        assert_eq!((game.end.kind, game.end.player), (kind, Some(0)), "{:?}", game.end);
        assert_eq!(game.result, if game.white == 0 { 0.0 } else { 1.0 });
        assert_eq!(game.plies.last().and_then(|ply| ply.turn.as_ref()), None);
    }
}

const UNTIMED: &[&str] = &["--untimed", "--stall-timeout", "0.3"];
const TIMED: &[&str] = &["--tc", "st=0.25"];

#[test]
fn crashes_are_counted_with_their_last_words_and_the_engine_is_restarted() {
    let games = against("crash 2", UNTIMED);
    all_lost(&games, EndKind::Crash);
    for game in &games {
        assert!(game.end.last_lines.iter().any(|line| line == "stderr: thread 'main' panicked: a bad day"));
        assert!(game.end.last_lines.iter().any(|line| line.starts_with("bestmove")), "{:?}", game.end.last_lines);
        assert!(game.end.detail.contains("exit status: 3"), "{}", game.end.detail);
    }
    all_lost(&against("close", UNTIMED), EndKind::Crash);
    all_lost(&against("crash-with-child", UNTIMED), EndKind::Crash);
}

#[test]
fn stalls_are_found_out_with_and_without_a_clock() {
    all_lost(&against("stall", UNTIMED), EndKind::Stall);
    all_lost(&against("ignore-stop", UNTIMED), EndKind::Stall);
    let games = against("stall", TIMED);
    all_lost(&games, EndKind::Stall);
    assert!(games.iter().all(|game| game.plies.last().and_then(|ply| ply.time_ms) >= Some(500.0)));
    all_lost(&against("ignore-stop", TIMED), EndKind::Stall);
}

#[test]
fn late_answers_lose_on_time() {
    let games = against("late 2", TIMED);
    // The double goes on living, so it is late but once.
    assert_eq!(count(&games, EndKind::Time, Some(0)), 1, "{games:?}");
    let clock = against("late", &["--tc", "0.3+5"]);
    assert_eq!(count(&clock, EndKind::Time, Some(0)), 1, "the increment comes too late");
    let late = clock.iter().find(|game| game.end.kind == EndKind::Time).expect("one is late");
    assert!(late.plies.last().is_some_and(|ply| ply.clock_left_ms < Some(0)), "{:?}", late.plies.last());
    let forgiven = against("late", &["--tc", "0.3+5", "--margin", "5000"]);
    assert_eq!(count(&forgiven, EndKind::Time, Some(0)), 0);
    let delay = against("late", &["--tc", "0.3+0d5"]);
    assert_eq!(count(&delay, EndKind::Time, Some(0)), 0);
}

#[test]
fn who_is_to_ponder_does_so_between_its_turns_and_nobody_else() {
    let games = against("ponderer?Ponder=true", &["--tc", "20+0.2"]);
    assert!(games.iter().all(|game| game.end.kind == EndKind::KingCapture), "{games:?}");
    assert!(games.iter().any(|game| game.plies.len() > 8), "no game in which there was time to ponder: {games:?}");
    // Without the option it is not told to, and this double does not forgive that.
    all_lost(&against("ponderer", &["--tc", "20+0.2"]), EndKind::Crash);
}

#[test]
fn whether_to_ponder_is_said_by_true_or_false_alone() {
    for value in ["yes", "1", "on", "", "true&Ponder=x", "x&ponder=true"] {
        let player = format!("cmd:{} honest?Ponder={value}", double());
        let text = fail(2, &["match", &player, "builtin:greedy", "--untimed", "--games", "2", "--no-luck"]);
        assert!(text.contains("option 'Ponder'") && text.contains("is not true or false"), "{value}: {text}");
        assert!(!text.contains("played"), "{value}: {text}");
    }
    let games = against("ponderer?ponder=TRUE", &["--tc", "20+0.2"]);
    assert!(games.iter().all(|game| game.end.kind == EndKind::KingCapture), "{games:?}");
    against("honest?Ponder=False", UNTIMED);
}

#[test]
fn illegal_answers_lose() {
    for how in ["illegal 2", "unreadable 2", "pass 2"] {
        let games = against(how, UNTIMED);
        assert_eq!(count(&games, EndKind::IllegalTurn, Some(0)), 1, "{how}: the engine lives on");
        let lost = games.iter().find(|game| game.end.kind == EndKind::IllegalTurn).expect("one is lost");
        assert!(!lost.end.detail.is_empty());
    }
}

#[test]
fn floods_and_unasked_answers_break_the_protocol() {
    all_lost(&against("flood", UNTIMED), EndKind::Protocol);
    // The opponent takes its time, so that the second answer is there before the next question.
    let (journal, twice, slow) = (folder().join("games.jsonl"), double() + " twice", double() + " slow");
    let path = journal.display().to_string();
    let players = [format!("cmd:{twice}"), format!("cmd:{slow}")];
    succeed(&["match", &players[0], &players[1], "--games", "2", "--untimed", "--journal", &path]);
    all_lost(&read(&journal).1, EndKind::Protocol);
    // Much information is no flood, and a long line is only long.
    for how in ["chatty", "long-line"] {
        let games = against(how, &["--untimed"]);
        assert!(games.iter().all(|game| game.end.kind == EndKind::KingCapture), "{how}: {:?}", games[0].end);
    }
}

#[test]
fn resignations_and_agreed_draws() {
    let games = against("resign 3", UNTIMED);
    assert_eq!(count(&games, EndKind::Resignation, Some(0)), 1);
    let journal = folder().join("games.jsonl");
    let player = format!("cmd:{} draw", double());
    let path = journal.display().to_string();
    succeed(&["match", &player, &player, "--games", "2", "--untimed", "--journal", &path]);
    let (_, games) = read(&journal);
    assert_eq!(count(&games, EndKind::AgreedDraw, None), 2, "{games:?}");
    assert!(games.iter().all(|game| game.result == 0.5));
    let alone = against("draw", UNTIMED);
    assert_eq!(count(&alone, EndKind::AgreedDraw, None), 0, "it takes two");
}

#[test]
fn the_halfmove_clock_and_adjudication_draw() {
    let folder = folder();
    let openings = folder.join("openings.txt");
    std::fs::write(&openings, "\u{feff}# two kings\n4k3/8/8/8/8/8/8/4K3 b - - 98 80\n").expect("a file");
    let openings = openings.display().to_string();
    let play = |name: &str, more: &[&str]| {
        let journal = folder.join(name);
        let path = journal.display().to_string();
        let mut arguments = vec!["match", "builtin:greedy", "builtin:greedy", "--games", "2", "--untimed"];
        arguments.extend(["--openings", &openings, "--journal", &path]);
        arguments.extend(more);
        succeed(&arguments);
        read(&journal).1
    };
    let games = play("clock.jsonl", &[]);
    assert_eq!(count(&games, EndKind::HalfmoveClock, None), 2, "{games:?}");
    assert!(games[0].plies.iter().all(|ply| ply.luck.is_some()));
    let adjudicated = play("rule.jsonl", &["--adjudicate-draw", "1,10,1"]);
    assert!(count(&adjudicated, EndKind::Adjudicated, None) + count(&adjudicated, EndKind::HalfmoveClock, None) == 2);
}

#[test]
fn engines_that_cannot_begin_are_told_before_any_game() {
    let player = |how: &str| format!("cmd:{} {how}", double());
    let refuse = |spec: &str| {
        let spec = if spec.contains(':') { spec.to_owned() } else { player(spec) };
        fail(2, &["match", "builtin:greedy", &spec, "--untimed", "--games", "2", "--handshake-timeout", "0.5"])
    };
    assert!(refuse("die-at-start").contains("cannot find my network"));
    assert!(refuse("mute").contains("no answer to uci"));
    assert!(refuse("cmd:/no/such/engine").contains("cannot be started"));
    assert!(refuse("honest?Level=10").contains("from 0 to 9"));
    assert!(refuse("honest?Style=Angry").contains("Calm, Very Wild"));
    assert!(refuse("honest?Contempt=1").contains("no option 'Contempt'"));
    assert!(refuse("builtin:greedy?Seed=x").contains("whole number"));
    assert!(refuse("builtin:nobody").contains("is not one of expectimax,"));
    assert!(refuse("webhook:http://127.0.0.1:9/?secret=x").contains("needs a clock"));
    // One that starts but is never ready loses by it.
    let output = run(&[
        "match",
        &player("never-ready"),
        "builtin:greedy",
        "--untimed",
        "--games",
        "2",
        "--handshake-timeout",
        "0.3",
    ]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("stall"));
}

#[test]
fn an_engine_that_cannot_be_started_again_loses_its_games() {
    let folder = folder();
    let journal = folder.join("games.jsonl");
    let (path, pids) = (journal.display().to_string(), folder.join("pids").display().to_string());
    let player = format!("cmd:{} die-at-third-start --pids {pids}", double());
    let crash = format!("cmd:{} crash 3", double());
    succeed(&["match", &player, &crash, "--games", "2", "--untimed", "--journal", &path, "--concurrency", "1"]);
    let (_, games) = read(&journal);
    assert_eq!(games.len(), 2);
    fail(1, &["match", &crash, "builtin:greedy", "--games", "10", "--untimed", "--no-recover"]);
}

/// An engine that tries to take the terminal over, in every way it has.
#[test]
fn what_engines_write_moves_no_cursor() {
    let folder = folder();
    let path = |name: &str| folder.join(name).display().to_string();
    let (journal, json, html) = (path("games.jsonl"), path("report.json"), path("page.html"));
    let players = ["hostile 2", "hostile-crash 1"].map(|how| format!("cmd:{} {how}", double()));
    let event = ["match", &players[0], &players[1], "--tc", "5+0.1", "--games", "4", "--journal", &journal];
    let output = run(&[&event[..], &["--json", &json, "--html", &html]].concat());
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let mut shown = vec![text(&output.stdout), text(&output.stderr)];
    assert!(shown[0].contains("Ev\\u{1b}[31mil"), "{shown:?}");
    assert!(shown[1].contains("illegal-turn: '\\u{1b}]0;") || shown[1].contains("crash"), "{shown:?}");
    shown.extend([&json, &html].map(|path| std::fs::read_to_string(path).expect("a report")));
    for command in [&["stats"][..], &["games"], &["clocks"], &["replay", "--game", "1"], &["replay", "--game", "2"]] {
        shown.push(succeed(&[command, &[&journal]].concat()));
    }
    shown.push(fail(1, &["check", "--patience", "0.3", &players[1]]));
    // What cannot begin is told as well, and an argument that is none.
    shown.push(fail(2, &["match", &players[0], "cmd:/no/such\u{1b}[1m", "--untimed"]));
    shown.push(fail(2, &["match", &format!("{}?Level=\u{1b}[1m", players[0]), "builtin:greedy", "--untimed"]));
    shown.push(fail(2, &["replay", "/no/such\u{9b}1m", "--game", "1"]));
    shown.push(fail(2, &["stats", "--sprt", "\u{1b}[1m", "x"]));
    for text in shown {
        let bad = text.chars().find(|&letter| letter != '\n' && (letter.is_control() || letter == '\u{202e}'));
        assert_eq!(bad, None, "{text}");
    }
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&json).expect("a report")).expect("JSON");
    assert_eq!(report["players"][0]["player"]["name"], "Ev\u{1b}[31mil\u{202e}\u{9b}2J");
}

#[test]
fn options_and_policies_are_in_the_header_and_in_the_report() {
    let journal = folder().join("games.jsonl");
    let path = journal.display().to_string();
    let player = format!("cmd:{} honest?Style=very wild&level=3", double());
    let text = succeed(&[
        "match",
        &player,
        "builtin:greedy",
        "--games",
        "2",
        "--tc",
        "5+0.1",
        "--journal",
        &path,
        "--a-time-policy",
        "basic-v1",
        "--b-time-policy",
        "hyatt-v1",
    ]);
    let (header, games) = read(&journal);
    let [double, greedy] = header.players.as_slice() else { panic!("two players") };
    assert_eq!((double.name.as_str(), double.version.as_deref()), ("Double", Some("1.0")));
    assert_eq!((double.time_policy.as_str(), greedy.time_policy.as_str()), ("basic-v1", "hyatt-v1"));
    assert_eq!(double.options.get("Style").map(String::as_str), Some("Very Wild"));
    assert_eq!(double.options.get("Level").map(String::as_str), Some("3"));
    assert!(text.contains("basic-v1") && text.contains("hyatt-v1") && text.contains("this box"), "{text}");
    assert!(header.timed && header.concurrency.is_some());
    assert!(games.iter().flat_map(|game| &game.plies).any(|ply| ply.time_ms.is_some()));
    let shown = succeed(&["replay", &path, "--game", "2"]);
    assert!(shown.contains("White: B greedy"), "{shown}");
}
