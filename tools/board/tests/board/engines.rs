//! Engines: lines through the server, and the end of them.

use crate::server::{Folder, PATIENCE, Page, Server};
#[cfg(target_os = "linux")]
use crate::server::{children, is_running, kill};
use astragal::board::Rolled;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What a page does: starts an engine and makes it ready.
fn start(page: &mut Page, options: &[(&str, &str)]) -> u64 {
    let engine = page.ask(json!({"type": "engine_start", "program": "astragal"}))["engine"].as_u64().expect("a number");
    send(page, engine, "uci");
    line(page, engine, "uciok");
    for (name, value) in options {
        send(page, engine, &format!("setoption name {name} value {value}"));
    }
    send(page, engine, "ucinewgame\nisready");
    line(page, engine, "readyok");
    engine
}

fn send(page: &mut Page, engine: u64, line: &str) {
    page.ask(json!({"type": "engine", "engine": engine, "line": line}));
}

/// The next line of an engine that begins so.
fn line(page: &mut Page, engine: u64, begin: &str) -> String {
    let is_it = |told: &Value| {
        told["type"] == "engine"
            && told["engine"] == engine
            && told["line"].as_str().is_some_and(|line| line.starts_with(begin))
    };
    page.expect(begin, is_it)["line"].as_str().expect("a text").to_owned()
}

/// Plays a game on with an engine for both sides, by the lines of the protocol, up to its end or that ply.
fn drive(page: &mut Page, engine: u64, game: &str, plies: usize) -> Value {
    page.ask(json!({"type": "open", "game": game}));
    let mut here = page.game("the game", |_| true);
    while here["state"] != "over" && here["ply"].as_u64().is_some_and(|ply| ply as usize <= plies) {
        let ply = here["ply"].clone();
        if here["state"] == "roll" {
            page.ask(json!({"type": "roll", "game": game, "ply": ply}));
            here = page.game("the roll", |game| game["state"] == "turn" && game["ply"] == ply);
        }
        send(page, engine, &format!("position dfen {}\ngo depth 1", here["position"].as_str().expect("a DFEN")));
        let answer = line(page, engine, "bestmove ");
        let turn = answer.split(' ').nth(1).expect("a turn");
        page.ask(json!({"type": "turn", "game": game, "ply": ply, "turn": turn, "said": {"depth": 1}}));
        here = page.game("the turn", |game| game["state"] == "over" || game["ply"] != ply);
    }
    here
}

#[test]
#[cfg(target_os = "linux")]
fn a_game_goes_on_after_its_engine_was_killed() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let page = &mut server.page();
    let game = page.new_game(json!({"dice": {"source": "seed", "seed": 11}}));
    let engine = start(page, &[("Bot", "greedy")]);
    let here = drive(page, engine, &game, 2);
    assert_eq!(here["ply"], 3);
    let [pid] = children(server.pid())[..] else { panic!("one engine runs") };
    kill(pid);
    let gone = page.expect("the message", |told| told["type"] == "engine_gone");
    assert_eq!(gone["engine"], engine);
    assert!(gone["message"].as_str().is_some_and(|message| message.contains("signal: 9")), "{gone}");
    let late = json!({"type": "engine", "engine": engine, "line": "go"});
    assert_eq!(page.try_ask(late), Err("unknown".to_owned()));
    let engine = start(page, &[("Bot", "greedy")]);
    let over = drive(page, engine, &game, usize::MAX);
    assert_eq!(over["state"], "over");
    assert!(
        ["king-capture", "halfmove-clock"].contains(&over["end"]["kind"].as_str().expect("a kind")),
        "{}",
        over["end"]
    );
    for ply in over["plies"].as_array().expect("plies") {
        Rolled::from_dfen(ply["before"].as_str().expect("a DFEN")).expect("sound");
    }
    // Another page may not write to it.
    let other = json!({"type": "engine", "engine": engine, "line": "quit"});
    assert_eq!(server.page().try_ask(other), Err("unknown".to_owned()));
    page.ask(json!({"type": "engine_end", "engine": engine}));
    page.expect("the end", |told| told["type"] == "engine_gone" && told["engine"] == engine);
}

#[test]
#[cfg(target_os = "linux")]
fn engines_end_with_their_page_and_with_the_server_whatever_ends_it() {
    let gone = |pids: &[i32]| {
        let until = Instant::now() + PATIENCE;
        while pids.iter().any(|&pid| is_running(pid)) {
            assert!(Instant::now() < until, "an engine has outlived what started it");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let folder = Folder::new();
    for signal in ["page", "-KILL", "-TERM", "-INT"] {
        let mut server = Server::start(&folder);
        let mut page = server.page();
        for _ in 0..2 {
            let engine = start(&mut page, &[]);
            send(&mut page, engine, "position startpos\ngo infinite");
            line(&mut page, engine, "info depth 1");
        }
        let pids = children(server.pid());
        assert_eq!(pids.len(), 2);
        match signal {
            "page" => {
                drop(page);
                gone(&pids);
                continue;
            }
            "-KILL" => server.kill(),
            signal => {
                let sent = std::process::Command::new("kill").args([signal, &server.pid().to_string()]).status();
                assert!(sent.expect("kill is there").success());
                assert!(server.wait().success(), "{signal}");
            }
        }
        gone(&pids);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn engines_that_do_not_read_end_with_the_server_whatever_ends_it() {
    let folder = Folder::new();
    let deaf = "deaf=sh -c 'trap : TERM HUP; echo here; while :; do sleep 1; done'";
    for signal in ["-KILL", "-TERM"] {
        let mut server = Server::with(&folder, &["--engine", deaf]);
        let mut page = server.page();
        let engine = page.ask(json!({"type": "engine_start", "program": "deaf"}))["engine"].as_u64().expect("a number");
        line(&mut page, engine, "here");
        let pids = children(server.pid());
        assert_eq!(pids.len(), 2, "the engine and its guard");
        let sent = std::process::Command::new("kill").args([signal, &server.pid().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        server.wait();
        let until = Instant::now() + PATIENCE;
        while pids.iter().any(|&pid| is_running(pid)) {
            assert!(Instant::now() < until, "{signal}: an engine has outlived what started it");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn programs_that_cannot_be_started_and_too_many_are_told() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--engine", "none=/no/such/program"]);
    let mut page = server.page();
    let hello = page.expect("a hello", |told| told["type"] == "hello");
    assert_eq!(hello["programs"], json!([{"program": "none", "command": "/no/such/program"}]));
    assert_eq!(page.try_ask(json!({"type": "engine_start", "program": "none"})), Err("engine".to_owned()));
    assert_eq!(page.try_ask(json!({"type": "engine_start", "program": "other"})), Err("unknown".to_owned()));
    drop((page, server));
    let server = Server::start(&folder);
    let mut page = server.page();
    for _ in 0..4 {
        page.ask(json!({"type": "engine_start", "program": "astragal"}));
    }
    assert_eq!(page.try_ask(json!({"type": "engine_start", "program": "astragal"})), Err("too_many".to_owned()));
}

#[test]
#[cfg(unix)]
fn nothing_is_told_of_a_number_before_the_reply_that_has_it() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--engine", "short=true"]);
    let mut page = server.page();
    page.expect("a hello", |told| told["type"] == "hello");
    let line = json!({"names": ["A", "B"], "opening": "7k/8/8/8/8/8/8/K6R w - - 0 1",
        "plies": [{"roll": "RNN", "turn": "h1h5"}]});
    for round in 1..=40 {
        let asks = [
            (json!({"type": "engine_start", "program": "short"}), "engine_gone"),
            (json!({"type": "review", "depth": 1, "line": line, "html": false}), "reviewed"),
        ];
        for (mut ask, last) in asks {
            ask["id"] = json!(round);
            page.socket.send(tungstenite::Message::text(ask.to_string())).expect("the server reads");
            let first = page.hear().expect("an answer");
            assert_eq!((&first["type"], first["error"].is_null()), (&json!("reply"), true), "{first}");
            page.expect(last, |told| told["type"] == last);
        }
    }
}
