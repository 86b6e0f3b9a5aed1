//! What the page shows of a position, where it is known what must be shown.

use crate::screen::{Screen, server};
use serde_json::{Value, json};

/// What is seen of the analysis.
fn analysis(screen: &Screen) -> Value {
    screen.wait("document.querySelector('.best li')?.textContent.includes('h1h8')");
    screen.value(
        "(() => {
            const texts = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
            const rolls = [...document.querySelectorAll('.triangle .roll')];
            const [words, danger] = texts('.analysis > p');
            return {
                words, danger,
                best: texts('.best li span').slice(0, 2),
                high: rolls.filter((roll) => roll.classList.contains('high')).map((roll) => roll.textContent),
                low: rolls.filter((roll) => roll.classList.contains('low')).map((roll) => roll.textContent),
                thrown: texts('.roll.thrown'),
                told: document.querySelector('.roll.thrown').getAttribute('aria-label'),
                bar: document.querySelector('.chance-white').style.getPropertyValue('--chance'),
                said: document.querySelector('.chance').getAttribute('aria-label'),
                arrows: document.querySelectorAll('.pointer.best').length,
            };
        })()",
    )
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn analysis_says_what_is_known_of_a_position() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.click("[name=analysis]");
    // A rook looks at a king that has nothing but itself: 91 throws of 216 have a rook.
    for (opening, side, other, last) in [
        ("7k/8/8/8/8/8/8/K6R w - - 0 1", "White", "Black", "1"),
        ("7K/8/8/8/8/8/8/k6r b - - 0 1", "Black", "White", "0"),
    ] {
        screen.typed(&server, opening, "NRN");
        let seen = analysis(&screen);
        let danger = format!("{side}'s next roll captures the king: 42 % · {other}'s next roll captures the king: 0 %");
        assert_eq!(seen["danger"], danger);
        assert_eq!(seen["best"], json!(["h1h8", "100 %"]));
        assert_eq!((&seen["bar"], &seen["arrows"]), (&json!(last), &json!(1)));
        let sure = if last == "1" { "100 % after the roll" } else { "0 % after the roll" };
        for field in ["words", "said"] {
            assert!(seen[field].as_str().is_some_and(|words| words.ends_with(sure)), "{seen:#}");
        }
        let before = seen["words"].as_str().and_then(|words| words.strip_prefix("White ")?.split(' ').next());
        let before: i32 = before.and_then(|number| number.parse().ok()).expect("a number");
        assert_eq!(before > 50, side == "White", "{seen:#}");
        // The rolls with a rook are better than the mean, the others worse.
        let rolls = |kind: &str| -> Vec<String> { serde_json::from_value(seen[kind].clone()).expect("texts") };
        let (high, low) = (rolls("high"), rolls("low"));
        assert_eq!((high.len(), low.len()), (21, 35), "{seen:#}");
        assert!(high.iter().all(|roll| roll.contains('R')) && !low.iter().any(|roll| roll.contains('R')), "{seen:#}");
        assert_eq!(seen["thrown"], json!(["NNR"]));
        assert!(seen["told"].as_str().is_some_and(|told| told.starts_with("NNR: +") && told.ends_with(", h1h8")));
    }
    // Where there is more to choose from, the best turn has its chance, and others what they lose against it, however deep the
    // engine has come.
    screen.typed(&server, "7k/8/8/8/8/P7/8/K7 w - - 0 1", "KNN");
    screen.wait("document.querySelectorAll('.best li').length === 3");
    for _ in 0..15 {
        let told = "[...document.querySelectorAll('.best li')].map((one) => one.lastChild.textContent)";
        let told: Vec<String> = serde_json::from_value(screen.value(told)).expect("texts");
        assert!(told[0].ends_with(" %") && !told[0].starts_with("100"), "{told:?}");
        let lost = told[1..].iter().map(|loss| loss.replace('−', "-").parse::<f64>());
        let lost: Vec<f64> = lost.collect::<Result<_, _>>().expect("numbers");
        assert!(lost.iter().all(|&loss| loss <= 0.0 && loss > -30.0), "{told:?}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    // The bar stands as the board does.
    let turned = || screen.value("document.querySelector('.chance').classList.contains('flipped')");
    assert_eq!(turned(), json!(false));
    screen.click("[data-menu=flip]");
    assert_eq!(turned(), json!(true));
    // Nothing of it is shown when it is not wanted.
    screen.click("[name=analysis]");
    let shown = ".analysis, .chance, .pointer";
    assert_eq!(
        screen
            .value(&format!("[...document.querySelectorAll('{shown}')].filter((one) => one.checkVisibility()).length")),
        json!(0)
    );
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn an_engine_is_seen_thinking() {
    let (server, _folder) = server();
    let engine = json!({"kind": "engine", "name": "Robot", "program": "astragal", "go": "movetime 3000"});
    let players = json!([engine, {"kind": "human", "name": "Ann"}]);
    let game = server.page().new_game(json!({"players": players, "dice": {"source": "typed"}}));
    let screen = Screen::at(&server, &game);
    screen.click("[name=analysis]");
    screen.until("the game", |look| look.state == "roll");
    screen.roll("NPP");
    screen.wait("/^The engine: [+−]?\\d+\\.\\d, [a-h1-8 ]{14} \\(\\d+\\)$/.test(document.querySelector('.analysis > p:last-child').textContent)");
    assert_eq!(screen.look().status, "Robot is thinking");
    screen.until("its turn", |look| look.side == "b");
    screen.assert_quiet();
}
