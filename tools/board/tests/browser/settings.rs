//! What the user has wished for holds and is kept; levels are options of engines.

use crate::screen::{Screen, server};
use crate::server::{Folder, Server};
use crate::webdriver::PATIENCE;
use serde_json::json;
use std::time::Instant;

fn is_shown(screen: &Screen, selector: &str) -> bool {
    screen.value(&format!("document.querySelector({selector:?})?.checkVisibility() ?? false")) == json!(true)
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn settings_hold_and_are_kept() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    let settings = ["autoRoll", "autoForced", "confirm", "motion", "serious"];
    let boxes = || screen.value("[...document.querySelectorAll('dialog [type=checkbox]')].map((box) => box.checked)");
    screen.click("[data-menu=settings]");
    assert_eq!(boxes(), json!([false, false, false, true, false]), "nothing happens by itself at first");
    for name in settings {
        screen.click(&format!("[name={name}]"));
    }
    screen.choose("[name=theme]", "dark");
    screen.open(&format!("{}?again", server.url));
    screen.click("[data-menu=settings]");
    assert_eq!(boxes(), json!([true, true, true, false, true]));
    let root = screen.value("({...document.documentElement.dataset})");
    assert_eq!(root, json!({"theme": "dark", "motion": "off"}));
    screen.click("[name=confirm]");
    screen.press(&["escape"]);

    // Dice are rolled, and a turn without a choice is played.
    let mut page = server.page();
    let forced = page.new_game(json!({"dice": {"source": "typed"}, "opening": "7k/8/8/p7/8/P7/8/K7 w - - 0 1"}));
    let rolls = page.new_game(json!({"dice": {"source": "seed", "seed": 3}}));
    // It drives its games while it is there.
    drop(page);
    screen.open(&format!("{}?#{forced}", server.url));
    for die in "NNP".chars() {
        screen.click(&format!("[data-die={die}]"));
    }
    screen.until("the forced turn", |look| look.turns == ["a3a4"] && look.side == "b");
    screen.open(&format!("{}?1#{rolls}", server.url));
    screen.until("the roll", |look| look.state == "turn");
    // Nothing helps while the game runs; all does when it is over.
    let helps = ["[name=analysis]", "[data-tool=what-if]"];
    assert!(helps.iter().all(|help| !is_shown(&screen, help)));
    screen.end_by("resign");
    screen.until("the end", |look| look.state == "over");
    assert!(helps.iter().all(|help| is_shown(&screen, help)));
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn numbers_that_no_game_can_have_are_told_of_where_they_stand() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog [data-action=begin]')");
    screen.choose("[name=source]", "seed");
    let problem = |field: &str, value: &str| {
        screen.value(&format!("void (document.querySelector('[name={field}]').value = {value:?})"));
        screen.click("[data-action=begin]");
        screen.value("document.querySelector('dialog .problem').textContent")
    };
    assert_eq!(problem("seed", "-1"), "Seed: a whole number from 0 to 9007199254740991");
    assert_eq!(problem("seed", "1.5"), "Seed: a whole number from 0 to 9007199254740991");
    screen.value("void (document.querySelector('[name=seed]').value = 3)");
    assert_eq!(problem("think", "-1"), "Seconds an engine thinks without a clock: a number from 0.01 to 600");
    screen.value("void (document.querySelector('[name=think]').value = 0.25)");
    screen.choose("[name=control]", "clock");
    assert_eq!(problem("minutes", "-5"), "Minutes: a number from 0.01 to 1440");
    assert_eq!(problem("minutes", ""), "Minutes: a number from 0.01 to 1440");
    screen.value("void (document.querySelector('[name=minutes]').value = 2)");
    assert_eq!(problem("turns", "1e12"), "Turns until the time is added again: a whole number from 1 to 1000");
    assert_eq!(problem("turns", "-1"), "Turns until the time is added again: a whole number from 1 to 1000");
    screen.value("void (document.querySelector('[name=turns]').value = '')");
    // What is wrong in a field that is not wanted does not matter, nor does a name of spaces.
    screen.value("void (document.querySelector('[name=seconds]').value = -1)");
    screen.value("void (document.querySelector('[name=name]').value = '  ')");
    screen.click("[data-action=begin]");
    let look = screen.until("the game", |look| look.roll);
    assert_eq!((look.status.as_str(), look.notice.as_str()), ("White rolls the dice", ""));
    // The game is what the window said.
    let mut page = server.page();
    let id = screen.value("location.hash.slice(1)");
    page.ask(json!({"type": "open", "game": id}));
    let game = page.game("the game", |_| true);
    let clock = json!({"kind": "clock", "base_ms": 120_000, "increment_ms": 3000, "delay_ms": 0});
    assert_eq!((&game["controls"], &game["dice"]), (&json!([clock, clock]), &json!({"source": "seed", "seed": 3})));
    assert_eq!(game["players"][1]["go"], "movetime 250");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_complete_turn_waits_where_one_wants_to_be_asked() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.click("[data-menu=settings]");
    screen.click("[name=confirm]");
    screen.press(&["escape"]);
    screen.typed(&server, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "PPN");
    screen.play(&["e2e4", "d2d4", "g1f3"]);
    let look = screen.until("the question", |look| look.play);
    assert_eq!((look.side.as_str(), look.turns[0].as_str(), look.undo), ("w", "…", true));
    screen.press(&["backspace"]);
    screen.until("the knight", |look| look.on("g1") == "white knight" && !look.play);
    screen.play(&["g1h3"]);
    screen.until("the question", |look| look.play);
    screen.press(&["s"]);
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!(look.turns, ["e2e4 d2d4 g1h3"]);
    screen.assert_quiet();
}

/// Plays one turn, at once.
#[cfg(unix)]
const ONE_TURN: &str = r#"one=sh -c 'while read word rest; do case $word in
    uci) echo id name One; echo uciok;; isready) echo readyok;; go) echo bestmove e2e4,e4e5,g1f3;; quit) exit;; esac; done'"#;

#[cfg(unix)]
#[test]
#[ignore = "needs chromium and chromium-driver"]
fn turns_are_shown_step_by_step_and_dice_roll_where_things_may_move() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--engine", ONE_TURN]);
    let engine = json!({"kind": "engine", "name": "Robot", "program": "one"});
    let players = json!([engine, {"kind": "human", "name": "Ann"}]);
    for moves in [true, false] {
        let game = server.page().new_game(json!({"players": players, "dice": {"source": "typed"}}));
        let screen = Screen::open(&server);
        screen.prefer(&[("prefers-reduced-motion", if moves { "no-preference" } else { "reduce" })]);
        screen.value(&format!("void (location.hash = {:?})", format!("#{game}")));
        screen.until("the game", |look| look.state == "roll");
        screen.value(
            "(() => {
                window.seen = [];
                const e4 = document.querySelector('[data-square=e4]');
                new MutationObserver(() => window.seen.push(e4.getAttribute('aria-label')))
                    .observe(e4, { attributes: true });
            })()",
        );
        screen.roll("NPP");
        let look = screen.until("the whole turn", |look| look.side == "b" && look.on("f3") == "white knight");
        assert_eq!((look.on("e4"), look.on("e5")), ("", "white pawn"));
        let seen: Vec<String> = serde_json::from_value(screen.value("window.seen")).expect("texts");
        assert_eq!(seen.iter().any(|label| label == "e4, white pawn"), moves, "{seen:?}");
        // A pass is seen before it is played, and dice roll.
        screen.value(
            "(() => {
                window.rolled = 0;
                window.said = [];
                const tray = document.querySelector('.tray');
                new MutationObserver(() => {
                    window.rolled = Math.max(window.rolled, tray.querySelectorAll('.die.thrown').length);
                    window.said.push(tray.querySelector('.status').textContent);
                }).observe(tray, { subtree: true, childList: true, attributes: true });
            })()",
        );
        screen.roll("QRK");
        screen.until("the pass", |look| look.turns == ["e2e4 e4e5 g1f3", "pass"]);
        assert_eq!(screen.value("window.rolled"), json!(if moves { 3 } else { 0 }));
        assert_eq!(screen.value("window.said.includes('No piece of these dice can move: pass')"), json!(true));
        screen.assert_quiet();
    }
}

/// An engine that writes down what it is told.
#[cfg(unix)]
#[test]
#[ignore = "needs chromium and chromium-driver"]
fn levels_are_options_that_the_engine_has() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path()).expect("it can be made");
    let script = |name: &str, options: &[&str]| {
        let declared: String = options.iter().map(|option| format!("echo 'option name {option}'; ")).collect();
        let (log, path) = (folder.path().join(format!("{name}.log")), folder.path().join(name));
        let text = format!(
            "while read -r line; do printf '%s\\n' \"$line\" >> '{}'; case \"$line\" in
            uci) echo 'id name {name}'; {declared}echo uciok;; isready) echo readyok;; quit) exit;; esac; done\n",
            log.display()
        );
        std::fs::write(&path, text).expect("it can be written");
        (format!("{name}=sh '{}'", path.display()), log)
    };
    let elo = [
        "UCI_LimitStrength type check default false",
        "UCI_Elo type spin default 2000 min 1580 max 2000",
        "MeanLoss type spin default 0 min 0 max 200",
    ];
    let (rated, log) = script("rated", &elo);
    let (plain, _) = script("plain", &["Hash type spin default 1 min 1 max 2"]);
    let (odd, _) =
        script("odd", &["UCI_LimitStrength type check default false", "UCI_Elo type spin default 900 min 600 max 900"]);
    let server = Server::with(&folder, &["--engine", &rated, "--engine", &plain, "--engine", &odd]);
    let screen = Screen::open(&server);
    screen.click("[data-menu=new]");
    screen.wait("document.querySelector('dialog')");
    let seat = "fieldset:nth-of-type(1)";
    let levels = |engine: &str| {
        screen.choose(&format!("{seat} [name=kind]"), engine);
        screen.value(&format!("[...document.querySelectorAll('{seat} [name=level] option')].map((one) => one.value)"))
    };
    assert_eq!(levels("engine:1"), json!(["full"]));
    assert_eq!(levels("engine:2"), json!(["elo:600", "elo:700", "elo:800", "elo:900", "full"]));
    assert_eq!(levels("engine:0"), json!(["easiest", "easy", "medium", "hard", "full"]));
    screen.choose(&format!("{seat} [name=level]"), "easy");
    screen.choose("[name=source]", "seed");
    screen.choose("[name=control]", "clock");
    let _ = std::fs::remove_file(&log);
    screen.click("[data-action=begin]");
    let until = Instant::now() + PATIENCE;
    let told = loop {
        let told = std::fs::read_to_string(&log).unwrap_or_default();
        if told.contains("\ngo ") {
            break told;
        }
        assert!(Instant::now() < until, "the engine is not asked: {told}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let options: Vec<&str> = told.lines().filter(|line| line.starts_with("setoption")).collect();
    assert_eq!(options, ["setoption name UCI_LimitStrength value true", "setoption name UCI_Elo value 1740"]);
    // Its clock runs already.
    let go: Vec<&str> = told.lines().find(|line| line.starts_with("go ")).expect("a search").split(' ').collect();
    let ["go", "wtime", own, "winc", "3000", "btime", "300000", "binc", "3000"] = go[..] else { panic!("{go:?}") };
    assert!(own.parse().is_ok_and(|own| (200_000..=300_000).contains(&own)), "{own}");
}
