//! Games: dice, clocks, several pages, what is kept.

use crate::server::{Folder, Server, command};
use astragal::board::Rolled;
use astragal::record::seeded_roll;
use astragal::rules::first_legal_turn;
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

fn some_turn(game: &Value) -> String {
    let rolled = Rolled::from_dfen(game["position"].as_str().expect("a DFEN")).expect("sound");
    first_legal_turn(&rolled).to_string()
}

#[test]
fn two_pages_follow_a_game_and_one_drives() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let (mut one, mut two) = (server.page(), server.page());
    let id = one.new_game(json!({"dice": {"source": "seed", "seed": 7}}));
    two.expect("the list", |told| told["type"] == "listed" && told["game"]["id"] == id.as_str());
    two.ask(json!({"type": "open", "game": id}));
    let told = two.expect("the game", |told| told["type"] == "game");
    assert_eq!((&told["driver"], &told["game"]["dice"]["seed"]), (&json!(false), &json!(7)));
    let rolled = two.ask(json!({"type": "roll", "game": id, "ply": 1}));
    assert_eq!(rolled["roll"], seeded_roll(7, 0, 0).to_string());
    let told = one.expect("the roll", |told| told["type"] == "game" && told["game"]["state"] == "turn");
    assert_eq!(told["driver"], true);
    assert!(told["game"]["steps"]["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    let stale = json!({"type": "roll", "game": id, "ply": 1});
    assert_eq!(one.try_ask(stale), Err("stale".to_owned()), "the other page was faster");
    drop(one);
    two.expect("the wheel", |told| told["type"] == "game" && told["driver"] == true);
    let mut three = server.page();
    three.ask(json!({"type": "open", "game": id}));
    three.ask(json!({"type": "drive", "game": id}));
    two.expect("the loss of the wheel", |told| told["type"] == "game" && told["driver"] == false);
    assert_eq!(three.try_ask(json!({"type": "open", "game": "no-such"})), Err("unknown".to_owned()));
}

#[test]
fn turns_are_taken_back_to_the_same_roll() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let mut page = server.page();
    let id = page.new_game(json!({"dice": {"source": "typed"}, "controls": [
        {"kind": "clock", "base_ms": 600_000, "increment_ms": 5000}, {"kind": "none"}]}));
    page.play(&id, 1, "BPN", "e2e4,g1f3,f1c4");
    page.play(&id, 2, "PPP", "a7a6,b7b6,c7c6");
    page.ask(json!({"type": "take_back", "game": id, "ply": 1}));
    let back = page.game("the way back", |game| game["ply"] == 1 && game["state"] == "turn");
    assert_eq!((&back["plies"][0]["roll"], &back["plies"][0]["turn"]), (&json!("PNB"), &json!(null)));
    assert_eq!(back["clocks"]["running"], "w");
    assert!(back["clocks"]["left_ms"][0].as_u64().is_some_and(|left| left <= 600_000 && left > 500_000));
    page.ask(json!({"type": "turn", "game": id, "ply": 1, "turn": "e2e4,g1f3,f1b5"}));
    assert_eq!(page.try_ask(json!({"type": "take_back", "game": id, "ply": 5})), Err("stale".to_owned()));
    let text =
        page.ask(json!({"type": "record", "game": id, "form": "text"}))["text"].as_str().expect("a text").to_owned();
    assert!(text.contains("f1b5") && text.contains('*'), "{text}");
}

#[test]
fn flags_fall_by_themselves() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let mut page = server.page();
    let short = json!([{"kind": "clock", "base_ms": 150}, {"kind": "none"}]);
    let id = page.new_game(json!({"controls": short}));
    std::thread::sleep(Duration::from_millis(300));
    page.ask(json!({"type": "roll", "game": id, "ply": 1}));
    let told = page.game("the roll", |game| game["state"] == "turn");
    assert_eq!(told["clocks"]["running"], "w", "the time before the roll is nobody's");
    let over = page.game("the flag", |game| game["state"] == "over");
    assert_eq!((&over["end"]["kind"], &over["end"]["winner"]), (&json!("time"), &json!("b")));
    assert_eq!(over["clocks"], json!({"left_ms": [0, null], "turns_to_go": [null, null], "running": null}));
    assert_eq!(over["dice"]["source"], "seed", "the seed of the server's dice is told now");
    // A turn in time gets its increment.
    let id = page.new_game(json!({"controls": [{"kind": "clock", "base_ms": 60_000, "increment_ms": 1000}, {"kind": "movetime", "ms": 200}]}));
    page.ask(json!({"type": "roll", "game": id, "ply": 1}));
    let told = page.game("the roll", |game| game["state"] == "turn");
    page.ask(json!({"type": "turn", "game": id, "ply": 1, "turn": some_turn(&told)}));
    let told = page.game("the turn", |game| game["ply"] == 2);
    assert!(told["plies"][0]["clock_ms"].as_u64().is_some_and(|left| left > 30_000 && left <= 61_000), "{told}");
    page.ask(json!({"type": "roll", "game": id, "ply": 2}));
    let over = page.game("the flag", |game| game["state"] == "over");
    assert_eq!((&over["end"]["kind"], &over["end"]["winner"]), (&json!("time"), &json!("w")));
    assert_eq!(over["clocks"]["left_ms"], json!([over["plies"][0]["clock_ms"], 0]));
}

#[test]
fn a_killed_server_loses_at_most_the_turn_in_play() {
    let folder = Folder::new();
    let mut server = Server::start(&folder);
    let mut page = server.page();
    let ask = json!({"type": "new", "dice": {"source": "seed", "seed": 3},
        "players": [{"kind": "human", "name": "Ann"}, {"kind": "engine", "name": "E", "program": "astragal", "options": {"Bot": "greedy"}}],
        "controls": [{"kind": "clock", "base_ms": 300_000}, {"kind": "clock", "base_ms": 300_000, "delay_ms": 1000}]});
    let id = page.ask(ask)["game"].as_str().expect("an id").to_owned();
    let mut before = json!(null);
    for ply in 1..=3 {
        page.ask(json!({"type": "roll", "game": id, "ply": ply}));
        before = page.game("the roll", |game| game["state"] == "turn" && game["ply"] == ply);
        if ply < 3 {
            page.ask(json!({"type": "turn", "game": id, "ply": ply, "turn": some_turn(&before)}));
        }
    }
    server.kill();
    // Half a line, as a kill in the middle of a write leaves it.
    let file = folder.files(".game.jsonl").pop().expect("the game's file");
    let mut file = std::fs::OpenOptions::new().append(true).open(file).expect("ours");
    file.write_all(b"{\"type\":\"ply\",\"num").expect("it can be written");
    drop(file);

    let server = Server::start(&folder);
    let mut page = server.page();
    let hello = page.expect("the list", |told| told["type"] == "hello");
    assert_eq!((&hello["games"][0]["id"], &hello["games"][0]["state"]), (&json!(id), &json!("turn")));
    page.ask(json!({"type": "open", "game": id}));
    let after = page.game("the game", |_| true);
    for field in ["players", "controls", "plies", "position", "state", "ply", "dice", "steps"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert!(after["notes"][0].as_str().is_some_and(|note| note.contains("torn")), "{after}");
    assert_eq!(after["clocks"]["running"], "w");
    let left = |game: &Value| game["clocks"]["left_ms"][0].as_u64().expect("a clock");
    assert!(left(&after) + 2000 >= left(&before), "the turn in play begins anew");
    // It goes on to its end, and is then in the journal, after another restart, too.
    page.ask(json!({"type": "turn", "game": id, "ply": 3, "turn": some_turn(&after)}));
    page.ask(json!({"type": "draw", "game": id}));
    page.game("the end", |game| game["end"]["kind"] == "agreed-draw");
    assert_eq!((folder.files(".game.jsonl").len(), folder.files(".players.json").len()), (0, 0));
    drop((page, server));
    let server = Server::start(&folder);
    let mut page = server.page();
    let list = page.ask(json!({"type": "games", "count": 5}));
    assert_eq!((&list["games"][0]["id"], &list["more"]), (&json!(id), &json!(false)));
    page.ask(json!({"type": "open", "game": id}));
    let told = page.game("the game", |_| true);
    assert_eq!((&told["state"], told["plies"].as_array().map(Vec::len)), (&json!("over"), Some(3)));
    let mut games = Vec::new();
    astragal::record::read(&folder.path().join("games.jsonl"), |game| games.push(game)).expect("a journal");
    games[0].dice.check(&games[0]).expect("the dice are those of the seed");
}

#[test]
fn records_are_read_and_games_reviewed() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let mut page = server.page();
    let text = "[White \"<b>A\"]\n[DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n\n1. RKK h1h8 1-0\n";
    let parsed = page.ask(json!({"type": "parse", "text": text}));
    assert_eq!((&parsed["form"], &parsed["games"][0]["end"]["winner"]), (&json!("text"), &json!("w")));
    assert_eq!(page.try_ask(json!({"type": "parse", "text": "hello"})), Err("record".to_owned()));
    let line = json!({"names": ["<b>A", "B"], "plies": [
        {"roll": "PNB", "turn": "e2e4,g1f3,f1c4"}, {"roll": "RQK", "turn": "0000"}, {"roll": "PNB", "turn": null}]});
    let written = page.ask(json!({"type": "record", "form": "journal", "line": line}));
    let again = page.ask(json!({"type": "parse", "text": written["text"]}));
    assert_eq!(again["games"][0]["plies"].as_array().map(Vec::len), Some(3));
    let mut fallen = line.clone();
    (fallen["result"], fallen["end"]) = (json!(0), json!("time"));
    let written = page.ask(json!({"type": "record", "form": "text", "line": fallen}));
    let again = page.ask(json!({"type": "parse", "text": written["text"]}));
    assert_eq!((&again["games"][0]["end"]["kind"], &again["games"][0]["end"]["winner"]), (&json!("time"), &json!("b")));
    fallen["result"] = json!(0.5);
    assert_eq!(page.try_ask(json!({"type": "record", "form": "text", "line": fallen})), Err("bad".to_owned()));
    let asked = page.ask(json!({"type": "review", "line": line, "depth": 1}));
    assert_eq!(asked["of"], 3);
    let done = page.expect("the review", |told| told["type"] == "reviewed");
    assert_eq!(done["game"]["turns"].as_array().map(Vec::len), Some(3));
    let path = done["html"].as_str().expect("an address");
    let response = server.http(&format!("GET {path} HTTP/1.1\r\nHost: {}", server.host));
    assert!(response.starts_with("HTTP/1.1 200") && response.contains("attachment") && response.contains("sandbox"));
    assert!(response.contains("&lt;b&gt;A") && !response.contains("<b>A"));
    page.ask(json!({"type": "review", "line": line, "depth": 1, "html": false}));
    let done = page.expect("the review", |told| told["type"] == "reviewed");
    assert_eq!((&done["html"], done["game"]["turns"].as_array().map(Vec::len)), (&json!(null), Some(3)));
    let bad = json!({"type": "review", "line": {"names": ["A", "B"], "plies": [{"roll": "PNB", "turn": "e2e5"}]}});
    assert_eq!(page.try_ask(bad), Err("illegal".to_owned()));
}

#[test]
fn a_folder_and_a_port_are_used_by_one_board() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let said = |command: &mut std::process::Command| {
        let output = command.output().expect("it starts");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert!(said(&mut command(&folder, &[])).contains("another board uses"));
    let other = Folder::new();
    let port = server.host.rsplit(':').next().expect("a port").to_owned();
    let mut busy = std::process::Command::new(env!("CARGO_BIN_EXE_board"));
    let busy = said(busy.args(["--port", &port, "--games"]).arg(other.path()));
    assert!(busy.contains(&format!("port {port} is in use")) && busy.lines().count() == 1, "{busy}");
}

/// A disk that is full for a while costs what could not be kept then, and nothing that is kept later.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_of_and_nothing_is_lost_when_there_is_room_again() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let folder = Folder::new();
    let board = command(&folder, &[]);
    // A file that is as long as it may be is as a full disk, if the signal that says so is not heard.
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(board.get_program()).args(board.get_args());
    let mut server = Server::from(shell);
    let pid = Pid::from_raw(server.pid().try_into().expect("a number"));
    let limit = |bytes: Option<u64>| {
        prlimit(pid, Resource::Fsize, Rlimit { current: bytes, maximum: None }).expect("ours");
    };
    let mut page = server.page();
    let dice = json!({"dice": {"source": "typed"}, "opening": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"});
    let (one, two) = (page.new_game(dice.clone()), page.new_game(dice));
    page.play(&one, 1, "PPP", "0000");
    page.ask(json!({"type": "roll", "game": one, "ply": 2, "dice": "PPP"}));
    let length = |id: &str| {
        let file = folder.path().join(format!("{id}.game.jsonl"));
        std::fs::metadata(file).expect("it is there").len()
    };
    // A part of a line would fit.
    limit(Some(length(&one) + 10));
    let turn = json!({"type": "turn", "game": one, "ply": 2, "turn": "0000"});
    for _ in 0..2 {
        assert_eq!(page.try_ask(turn.clone()), Err("disk".to_owned()), "the turn is not played, and can be again");
    }
    assert_eq!(page.try_ask(json!({"type": "resign", "game": one, "side": "b"})), Err("disk".to_owned()));
    limit(None);
    page.ask(turn);
    page.ask(json!({"type": "roll", "game": one, "ply": 3, "dice": "KKK"}));

    // The journal is full in the middle of a game's line, and then takes another one. Those whose end was told are not lost.
    let kept = || std::fs::metadata(folder.path().join("games.jsonl")).expect("it is there").len();
    let before = kept();
    limit(Some(before.max(length(&two) + 200) + 10));
    page.ask(json!({"type": "resign", "game": two, "side": "w"}));
    let told = page.game("the end", |game| game["state"] == "over");
    assert!(
        told["notes"][0].as_str().is_some_and(|note| note.starts_with("The game could not be put into the journal"))
    );
    assert_eq!(kept(), before, "nothing of its line is there");
    limit(None);
    let three = page.new_game(json!({}));
    page.ask(json!({"type": "resign", "game": three, "side": "b"}));
    server.kill();
    let server = Server::start(&folder);
    let hello = server.page().expect("the list", |told| told["type"] == "hello");
    let games = hello["games"].as_array().expect("games");
    let mut found: Vec<_> = games.iter().map(|game| [&game["id"], &game["state"], &game["plies"]]).collect();
    found.sort_by_key(|game| game[0].to_string());
    let expected = [
        [json!(one), json!("turn"), json!(3)],
        [json!(two), json!("over"), json!(0)],
        [json!(three), json!("over"), json!(0)],
    ];
    let mut expected: Vec<_> = expected.iter().map(|game| game.each_ref()).collect();
    expected.sort_by_key(|game| game[0].to_string());
    assert_eq!(found, expected);
}
