//! What goes wrong, or on at the same time: reloads, ends of servers and engines, two pages, clocks.

use crate::screen::{Screen, server};
use crate::server::{Folder, PATIENCE, Server, children, kill};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A game of Ann against the built-in engine, begun by a page that has gone.
fn against_engine(server: &Server, options: &Value, go: &str) -> String {
    let engine = json!({"kind": "engine", "name": "Robot", "program": "astragal", "options": options, "go": go});
    let players = json!([{"kind": "human", "name": "Ann"}, engine]);
    server.page().new_game(json!({"players": players, "dice": {"source": "typed"}}))
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_reload_and_an_end_of_the_server_lose_at_most_the_turn_in_play() {
    let (mut server, folder) = server();
    let game = server.page().new_game(json!({"dice": {"source": "typed"}}));
    let screen = Screen::at(&server, &game);
    let first = screen.roll("NPP");
    screen.play(&["e2e4"]);
    screen.post("/refresh", &json!({}));
    let look = screen.until("the game", |look| look.state == "turn");
    assert_eq!((&look.dice, &look.movable, look.undo), (&first.dice, &first.movable, false));
    screen.play(&["g1f3", "d2d4", "e2e4"]);
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!(look.turns, ["g1f3 d2d4 e2e4"]);
    screen.assert_quiet();

    screen.roll("BPQ");
    screen.play(&["e7e5"]);
    server.kill();
    screen.until("the message", |look| look.notice.starts_with("The connection to the board is lost."));
    let server = Server::again(&folder, &server.host);
    let look = screen.until("the connection", |look| look.notice.is_empty());
    assert_eq!(look.turns[0], "g1f3 d2d4 e2e4");
    // The roll stands, and so does what was played of the turn: the page has not forgotten it.
    assert_eq!(look.dice, ["pawn, used", "bishop", "queen"]);
    screen.play(&["d8h4", "f8b4"]);
    let look = screen.until("the other side", |look| look.side == "w");
    assert_eq!(look.turns[1], "e7e5 d8h4 f8b4");
    drop(server);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn what_the_server_notes_of_a_game_is_shown() {
    let (mut server, folder) = server();
    let game = server.page().new_game(json!({"dice": {"source": "typed"}}));
    server.kill();
    let file = folder.files(".game.jsonl").pop().expect("the game's file");
    let mut file = std::fs::OpenOptions::new().append(true).open(file).expect("ours");
    std::io::Write::write_all(&mut file, b"{\"type\":\"ply\",\"num").expect("it can be written");
    let server = Server::start(&folder);
    let screen = Screen::at(&server, &game);
    screen.until("the game", |look| look.state == "roll");
    // An address that is none is told of, and the page goes on.
    screen.value("void (location.hash = '#%')");
    screen.until("the message", |look| look.notice.starts_with("no such game"));
    screen.open(&format!("{}?again#%", server.url));
    screen.until("the message", |look| look.notice.starts_with("no such game"));
    screen.open(&format!("{}?again#{game}", server.url));
    screen.until("the game", |look| look.state == "roll");
    let notes = screen.value("[...document.querySelectorAll('#side .note')].map((note) => note.textContent)");
    assert_eq!(notes, json!(["The end of the game's file was torn: what came last is lost."]));
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_game_goes_on_after_its_engine_was_killed() {
    let (server, _folder) = server();
    let screen = Screen::at(&server, &against_engine(&server, &json!({}), "movetime 2000"));
    screen.until("the game", |look| look.state == "roll");
    screen.roll("NPP");
    screen.play(&["e2e4", "d2d4", "g1f3"]);
    screen.until("the engine's dice", |look| look.side == "b");
    screen.roll("BPQ");
    screen.until("the engine", |look| look.status == "Robot is thinking" && !children(server.pid()).is_empty());
    let [pid] = children(server.pid())[..] else { panic!("one engine runs") };
    kill(pid);
    let look = screen.until("the message", |look| !look.notice.is_empty());
    assert!(
        look.notice.starts_with("The engine of Robot has stopped: ") && look.notice.contains("signal: 9"),
        "{look:?}"
    );
    screen.click("[data-action=again]");
    let look = screen.until("the engine's turn", |look| look.side == "w");
    assert_eq!((look.notice.as_str(), look.turns.len()), ("", 2));

    // One that ends while it is not asked is missed when it is.
    let [pid] = children(server.pid())[..] else { panic!("one engine runs") };
    kill(pid);
    screen.until("the message", |look| !look.notice.is_empty());
    screen.click("[data-action=again]");
    let look = screen.roll("NPP");
    assert_eq!(look.notice, "");
    screen.play(&["b1c3", "a2a3", "h2h3"]);
    screen.until("the engine's dice", |look| look.side == "b");
    screen.roll("NPP");
    let look = screen.until("the engine's turn", |look| look.side == "w");
    assert_eq!((look.notice.as_str(), look.turns.len()), ("", 4));

    // One resigns when one likes, and the engine ends with the game.
    screen.roll("RRR");
    // With capitals, as when Caps Lock is on.
    screen.press(&["a1a2", "A2A1", "h1h2"]);
    screen.until("the engine's dice", |look| look.side == "b");
    screen.roll("NPP");
    screen.until("the engine", |look| look.status == "Robot is thinking");
    screen.end_by("resign");
    let look = screen.until("the end", |look| look.state == "over");
    assert_eq!((look.status.as_str(), look.notice.as_str()), ("Robot wins: resignation", ""));
    let until = Instant::now() + PATIENCE;
    while !children(server.pid()).is_empty() {
        assert!(Instant::now() < until, "the engine thinks on");
        std::thread::sleep(Duration::from_millis(20));
    }
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn two_pages_show_one_game_and_one_drives_its_engine() {
    let (server, _folder) = server();
    let game = against_engine(&server, &json!({"Bot": "greedy"}), "depth 1");
    let first = Screen::at(&server, &game);
    first.until("the game", |look| look.state == "roll");
    let second = Screen::at(&server, &game);
    second.until("the game", |look| look.state == "roll");
    // What one does the other sees; both can play for people.
    first.roll("NPP");
    second.play(&["e2e4"]);
    let look = first.look();
    assert_eq!((look.on("e4"), look.undo), ("", false), "a turn is its page's until it is sent");
    second.play(&["d2d4", "g1f3"]);
    let look = first.until("the turn", |look| look.side == "b");
    assert_eq!((look.on("e4"), look.turns.as_slice()), ("white pawn", ["e2e4 d2d4 g1f3".to_owned()].as_slice()));
    // One page asks the engine, not both.
    second.roll("BPQ");
    for screen in [&first, &second] {
        let look = screen.until("the engine's turn", |look| look.side == "w");
        assert_eq!((look.turns.len(), look.notice.as_str()), (2, ""));
        let spoken = screen.value("document.getElementById('spoken').textContent");
        let spoken = spoken.as_str().expect("a text");
        assert!(spoken.starts_with("Robot rolled pawn, bishop, queen. Robot played "), "{spoken}");
    }
    assert_eq!(children(server.pid()).len(), 1);
    first.assert_quiet();
    // When it goes, the other takes it over.
    drop(first);
    second.roll("PPP");
    second.play(&["a2a3", "a3a4", "a4a5"]);
    second.until("the engine's dice", |look| look.side == "b" && look.state == "roll");
    second.roll("NNN");
    let look = second.until("the engine's turn", |look| look.side == "w");
    assert_eq!((look.turns.len(), look.notice.as_str()), (4, ""));
    second.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn clocks_run_and_fall() {
    let (server, _folder) = server();
    let clock = |base: u32| json!({"kind": "clock", "base_ms": base});
    let controls = json!([clock(4000), clock(600_000)]);
    let game = server.page().new_game(json!({"dice": {"source": "typed"}, "controls": controls}));
    let screen = Screen::at(&server, &game);
    screen.until("the game", |look| look.state == "roll");
    // Not before the roll.
    let shown =
        || ["w", "b"].map(|side| screen.value(&format!("document.querySelector('[data-clock={side}]').textContent")));
    assert_eq!(shown(), ["0:04.0", "10:00"]);
    screen.roll("NPP");
    screen.play(&["e2e4"]);
    screen.until("a clock that runs", |_| shown()[0] != "0:04.0");
    let look = screen.until("the fall", |look| look.state == "over");
    assert_eq!(look.status, "Bob wins: out of time");
    assert_eq!(shown(), ["0:00.0", "10:00"]);
    assert!(look.movable.is_empty() && !look.undo && !look.play, "{look:?}");

    let each = json!({"kind": "movetime", "ms": 2500});
    let game = server.page().new_game(json!({"dice": {"source": "typed"}, "controls": [each, each]}));
    screen.open(&format!("{}#{game}", server.url));
    screen.until("the game", |look| look.state == "roll");
    screen.roll("RQK");
    screen.until("the pass", |look| look.side == "b");
    assert_eq!(shown()[1], "0:02.5");
    screen.roll("PPP");
    let look = screen.until("the fall", |look| look.state == "over");
    assert_eq!(look.status, "Ann wins: out of time");
    screen.assert_quiet();
}

/// Speaks the protocol, and plays what nobody may.
const CHEAT: &str = r#"cheat=sh -c 'while read word rest; do case $word in
    uci) echo id name Cheat; echo uciok;; isready) echo readyok;; go) echo bestmove a1h8;; quit) exit;; esac; done'"#;

/// Knows nothing of what the protocol adds, and plays its first turn never, the others at once.
const SLOW: &str = r#"slow=sh -c 'while read word rest; do case $word in
    uci) echo id name Slow; echo uciok;; isready) echo readyok;; go) [ -e "$0" ] && echo bestmove e2e4,e4e5,g1f3 || : > "$0";;
    quit) exit;; esac; done' "#;

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn there_is_a_way_on_without_the_answer_of_an_engine() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path()).expect("it can be made");
    let slow = format!("{SLOW}'{}'", folder.path().join("asked").display());
    let server = Server::with(&folder, &["--engine", &slow]);
    let engine = json!({"kind": "engine", "name": "Robot", "program": "slow", "go": "movetime 100"});
    let players = json!([engine, {"kind": "human", "name": "Ann"}]);
    let game = server.page().new_game(json!({"players": players, "dice": {"source": "typed"}}));
    let screen = Screen::at(&server, &game);
    screen.until("the game", |look| look.state == "roll");
    screen.roll("NPP");
    let look = screen.until("the message", |look| !look.notice.is_empty());
    assert!(look.notice.starts_with("Robot has not played in time."), "{}", look.notice);
    screen.click("[data-action=again]");
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!((look.notice.as_str(), look.turns.as_slice()), ("", ["e2e4 e4e5 g1f3".to_owned()].as_slice()));
    assert_eq!(children(server.pid()).len(), 2, "one engine and its guard: the one that did not answer has ended");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn an_engine_that_says_nothing_keeps_nobody_from_a_game() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--engine", "deaf=sleep 100"]);
    let screen = Screen::open(&server);
    screen.click("[data-menu=new]");
    screen.until("that it is asked", |look| look.notice.starts_with("deaf is asked what it can do"));
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    let look = screen.look();
    assert!(look.notice.starts_with("deaf does not answer as an engine does"), "{}", look.notice);
    screen.click("[data-action=begin]");
    screen.until("the game", |look| look.roll);
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn answers_of_an_engine_go_to_who_asked_first() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    let answers = screen.promised(
        "import('/engine.js').then(async ({ Engine }) => {
            let hear;
            const sent = [];
            const engine = new Engine({ send: (line) => sent.push(line), on: (heard) => (hear = heard) });
            const asked = Promise.all([engine.danger('dfen a'), engine.danger('dfen b')]);
            ['kcp 27/216 0.125', 'kcp 54/216 0.25'].forEach((line) => hear(line));
            const known = await asked;
            // Of one that does not know the question there is an end of the wait.
            const other = await engine.danger('dfen c');
            return [sent, known, other, await engine.danger('dfen d'), sent.length];
        })",
    );
    let sent = ["position dfen a", "kcp", "position dfen b", "kcp", "position dfen c", "kcp"];
    assert_eq!(answers, json!([sent, [0.125, 0.25], null, null, 6]));
}

/// Says things of its turn that nobody can make anything of.
const ODD: &str = r#"odd=sh -c 'while read word rest; do case $word in
    uci) echo id name Odd; echo uciok;; isready) echo readyok;;
    go) echo info depth 2.5 multipv 1 score cp 7 nodes -3 pv e2e4; echo info depth x score cp 1e999 pv e2e4;
        echo info depth 99999999999 multipv 1 score cp 5 nodes 1e30 pv e2e4; echo bestmove e2e4,e4e5,g1f3;;
    quit) exit;; esac; done'"#;

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn engines_that_play_wrongly_or_end_at_once_are_told_of() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--engine", CHEAT, "--engine", ODD, "--engine", "short=true"]);
    let against = |program: &str| {
        let engine = json!({"kind": "engine", "name": "Robot", "program": program, "go": "depth 1"});
        let players = json!([engine, {"kind": "human", "name": "Ann"}]);
        server.page().new_game(json!({"players": players, "dice": {"source": "typed"}}))
    };
    let screen = Screen::at(&server, &against("cheat"));
    screen.until("the game", |look| look.state == "roll");
    screen.roll("NPP");
    let look = screen.until("the message", |look| !look.notice.is_empty());
    assert!(look.notice.starts_with("The engine of Robot wants to play a1h8: "), "{}", look.notice);
    assert_eq!((look.state.as_str(), look.turns.len()), ("turn", 1));
    screen.click("[data-action=again]");
    screen.until("the same", |look| look.notice.starts_with("The engine of Robot wants to play a1h8: "));

    // What it says of its turn is not passed on if it makes no sense: the server would send the page away for it.
    screen.open(&format!("{}?odd#{}", server.url, against("odd")));
    screen.until("the game", |look| look.state == "roll");
    screen.roll("NPP");
    screen.until("the other side", |look| look.side == "b" && look.turns == ["e2e4 e4e5 g1f3"]);
    assert_eq!(screen.look().notice, "");

    screen.open(&format!("{}#{}", server.url, against("short")));
    screen.until("the other game", |look| look.state == "roll");
    screen.roll("NPP");
    let look = screen.until("the message", |look| look.notice.starts_with("The engine of Robot has stopped: "));
    assert!(look.notice.contains("Start it again"), "{}", look.notice);
    // A new game can be begun all the same, with those that can be started, which need have no options.
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    let kinds = screen.value("[...document.querySelectorAll('[name=kind]')[0].options].map((one) => one.textContent)");
    assert_eq!(kinds, json!(["A person", "cheat", "odd"]));
    screen.assert_quiet();
}
