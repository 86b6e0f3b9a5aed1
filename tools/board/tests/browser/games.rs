//! Whole games against an engine.

use crate::screen::{Look, Screen, server};
use crate::server::Server;
use serde_json::json;

/// Numbers that look random and are the same in each run.
struct Choices(u64);

impl Choices {
    fn of<'a>(&mut self, from: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from[(self.0 >> 33) as usize % from.len()]
    }
}

/// The server tells the same of the game as the page showed, and it was played by both.
fn assert_told(server: &Server, look: &Look) {
    let mut page = server.page();
    let hello = page.expect("the hello", |message| message["type"] == "hello");
    page.ask(json!({"type": "open", "game": hello["games"][0]["id"]}));
    let game = page.game("the game", |_| true);
    assert_eq!(game["state"], "over");
    let turns: Vec<String> = game["plies"].as_array().expect("plies").iter().map(|ply| shown(&ply["turn"])).collect();
    assert_eq!(turns, look.turns);
    assert!(turns.len() >= 2, "{turns:?}");
    let names = [&game["players"][0]["name"], &game["players"][1]["name"]].map(|name| name.as_str().expect("a text"));
    assert!(names[1].contains("greedy"), "{names:?}");
    let winner = if game["end"]["winner"] == "w" { names[0] } else { names[1] };
    assert_eq!(game["end"]["kind"], "king-capture");
    assert_eq!(look.status, format!("{winner} wins: the king was captured"));
}

fn shown(turn: &serde_json::Value) -> String {
    let turn = turn.as_str().expect("a game that is over has no open turn");
    if turn == "0000" { "pass".to_owned() } else { turn.replace(',', " ") }
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_whole_game_by_clicks_alone() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.click("[data-action=begin-first]");
    screen.choose("fieldset:nth-of-type(2) [name=level]", "bot:greedy");
    screen.choose("[name=source]", "seed");
    screen.click("[data-action=begin]");
    let mut choices = Choices(1);
    let mut look = screen.until("the game", |look| look.roll);
    while look.state != "over" {
        assert_eq!(look.notice, "");
        if look.roll {
            screen.click("[data-action=roll]");
        } else if let [first, ..] = look.promotions.as_slice() {
            screen.click(&format!("[data-promotion={first}]"));
        } else if !look.targets.is_empty() {
            screen.square(choices.of(&look.targets()));
        } else if !look.movable.is_empty() {
            screen.square(choices.of(&look.movable()));
        }
        // Something comes of it, or of what the engine does.
        let before = look;
        look = screen.until("something new", |look| *look != before);
    }
    assert_told(&server, &look);
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_whole_game_by_keyboard_alone() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.tab_to("[data-menu=new]");
    screen.press(&["enter"]);
    screen.wait("document.querySelector('dialog')");
    screen.tab_to("fieldset:nth-of-type(2) [name=level]");
    screen.press(&["greedy"]);
    screen.tab_to("[name=source]");
    screen.press(&["by a seed"]);
    screen.tab_to("[data-action=begin]");
    screen.press(&["enter"]);
    let mut choices = Choices(2);
    let mut look = screen.until("the game", |look| look.roll);
    screen.tab_to("[data-action=roll]");
    let mut moves = 0;
    while look.state != "over" {
        assert_eq!(look.notice, "");
        if look.roll {
            // By the button where the focus has come to it by itself, or by its key.
            let on_it = screen.value("document.activeElement.matches('[data-action=roll]')") == json!(true);
            screen.press(&[if on_it { "enter" } else { "r" }]);
        } else if !look.promotions.is_empty() {
            screen.press(&[&look.promotions[0]]);
        } else if look.movable.is_empty() {
            // The engine's turn.
        } else if moves % 2 == 0 {
            moves += 1;
            let from = choices.of(&look.movable());
            screen.press(&[from]);
            let look = screen.until("the piece's squares", |look| !look.targets.is_empty());
            screen.press(&[choices.of(&look.targets())]);
        } else {
            moves += 1;
            walk(&screen, choices.of(&look.movable()));
            let look = screen.until("the piece's squares", |look| !look.targets.is_empty());
            walk(&screen, choices.of(&look.targets()));
        }
        let before = look;
        look = screen.until("something new", |look| *look != before);
    }
    assert!(moves > 2);
    assert_told(&server, &look);
    screen.assert_quiet();
}

/// Goes to a square by the arrows, and presses Enter.
fn walk(screen: &Screen, to: &str) {
    screen.tab_to(".cell");
    let at = screen.value("document.activeElement.dataset.square");
    let at = at.as_str().expect("a square");
    let place = |square: &str, index: usize| i32::from(square.as_bytes()[index]);
    let mut keys = Vec::new();
    for (index, [back, on]) in [["left", "right"], ["down", "up"]].iter().enumerate() {
        let steps = place(to, index) - place(at, index);
        let key = if steps < 0 { back } else { on };
        keys.extend(std::iter::repeat_n(*key, steps.unsigned_abs() as usize));
    }
    keys.push("enter");
    screen.press(&keys);
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn two_engines_play_a_game_by_themselves() {
    let (server, _folder) = server();
    let engine = |bot: &str| json!({"kind": "engine", "name": bot, "program": "astragal", "options": {"Bot": bot}, "go": "depth 1"});
    let players = json!([engine("random"), engine("greedy")]);
    let game = server.page().new_game(json!({"players": players, "dice": {"source": "seed", "seed": 3}}));
    let screen = Screen::at(&server, &game);
    let look = screen.until("the end", |look| look.state == "over");
    assert!(!look.roll && look.notice.is_empty(), "{look:?}");
    assert_told(&server, &look);
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn engines_that_play_each_other_can_be_told_apart_and_stopped() {
    let folder = crate::server::Folder::new();
    // The same program twice.
    let engine = |name: &str| format!("{name}={} engine-session", env!("CARGO_BIN_EXE_board"));
    let server = Server::with(&folder, &["--engine", &engine("first"), "--engine", &engine("second")]);
    let screen = Screen::open(&server);
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    screen.choose("fieldset:nth-of-type(1) [name=kind]", "engine:0");
    screen.choose("fieldset:nth-of-type(2) [name=kind]", "engine:1");
    screen.choose("fieldset:nth-of-type(2) [name=level]", "bot:random");
    screen.value("void (document.querySelector('[name=think]').value = 600)");
    screen.click("[data-action=begin]");
    let names = "[...document.querySelectorAll('.strip .name')].map((name) => name.textContent)";
    screen.wait("document.querySelector('.strip .name')");
    assert_eq!(screen.value(names), json!(["second, random", "first, Full strength"]));
    screen.until("the first one's thoughts", |look| look.status == "first, Full strength is thinking");
    // One press asks, and is forgotten if no other one comes.
    screen.click("[data-tool=stop]");
    assert_eq!(screen.value("document.querySelector('[data-tool=stop]').textContent"), "Stop the game: sure?");
    assert_ne!(screen.look().state, "over");
    screen.wait("!document.querySelector('[data-tool=stop].sure')");
    screen.end_by("stop");
    let look = screen.until("the end", |look| look.state == "over");
    assert_eq!((look.status.as_str(), look.notice.as_str()), ("Over: the game was stopped", ""));
    screen.assert_quiet();
}
