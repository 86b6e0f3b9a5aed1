//! The page as a person sees it: squares, buttons, words; clicks and keys are real ones.

use crate::server::{Folder, Server};
use crate::webdriver::Browser;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::time::Duration;

/// What a test looks at, all of one moment. A page that is being loaded shows nothing.
const LOOK: &str = "(() => {
    const names = (selector) => [...document.querySelectorAll(selector)].map((cell) => cell.dataset.square);
    const there = (name) => document.querySelector(`[data-action=${name}]`) !== null;
    const notice = document.getElementById('notice');
    return {
        state: document.getElementById('table')?.dataset.state ?? '',
        side: document.getElementById('table')?.dataset.side ?? '',
        status: document.querySelector('.status')?.textContent ?? '',
        notice: notice?.hidden === false ? notice.textContent : '',
        movable: names('.cell.movable'),
        targets: names('.cell.target'),
        pieces: Object.fromEntries([...document.querySelectorAll('.cell')].map((cell) =>
            [cell.dataset.square, cell.getAttribute('aria-label').split(', ')[1]]).filter(([, piece]) => piece !== 'empty')),
        dice: [...document.querySelectorAll('.tray .dice > .die')].map((die) => die.getAttribute('aria-label')),
        promotions: [...document.querySelectorAll('[data-promotion]')].map((button) => button.dataset.promotion),
        turns: [...document.querySelectorAll('.turn')].map((turn) => turn.lastChild.textContent),
        roll: there('roll'), undo: there('undo'), play: there('play'),
    };
})()";

/// What is seen.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Look {
    /// `roll`, `turn`, `over`; nothing where no game is.
    pub state: String,
    /// `w` or `b`.
    pub side: String,
    pub status: String,
    pub notice: String,
    /// Squares whose pieces can move, and those where the selected one can go.
    pub movable: BTreeSet<String>,
    pub targets: BTreeSet<String>,
    /// By square, such as `white king`.
    pub pieces: std::collections::BTreeMap<String, String>,
    /// Such as `pawn, used`.
    pub dice: Vec<String>,
    /// What a pawn can become, if that is asked.
    pub promotions: Vec<String>,
    /// The list of turns.
    pub turns: Vec<String>,
    pub roll: bool,
    pub undo: bool,
    pub play: bool,
}

impl Look {
    /// What stands on a square; nothing on an empty one.
    pub fn on(&self, square: &str) -> &str {
        self.pieces.get(square).map_or("", String::as_str)
    }

    pub fn movable(&self) -> Vec<&str> {
        self.movable.iter().map(String::as_str).collect()
    }

    pub fn targets(&self) -> Vec<&str> {
        self.targets.iter().map(String::as_str).collect()
    }
}

/// A browser with the board's page.
pub struct Screen {
    browser: Browser,
    host: String,
}

impl Deref for Screen {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        &self.browser
    }
}

impl Screen {
    /// Opens the page, where nothing moves unless a test wants it.
    pub fn open(server: &Server) -> Self {
        Self::at(server, "")
    }

    /// Opens it at a game.
    pub fn at(server: &Server, game: &str) -> Self {
        let browser = Browser::start(&["performance"]);
        browser.size(1100, 1000);
        browser.prefer(&[("prefers-reduced-motion", "reduce")]);
        browser.open(&format!("{}#{game}", server.url));
        browser.wait("document.querySelector('[data-menu=new]')");
        Self { browser, host: server.host.clone() }
    }

    /// Begins a game of two people who type their dice, at a position, opens it, and chooses these dice.
    pub fn typed(&self, server: &Server, opening: &str, dice: &str) -> Look {
        let game = server.page().new_game(json!({"dice": {"source": "typed"}, "opening": opening}));
        self.open(&format!("{}#{game}", server.url));
        self.until("the game", |look| look.state == "roll" && look.turns.is_empty());
        self.roll(dice)
    }

    pub fn look(&self) -> Look {
        serde_json::from_value(self.value(LOOK)).expect("what is seen")
    }

    /// Waits until the page looks like this.
    pub fn until(&self, what: &str, is_it: impl Fn(&Look) -> bool) -> Look {
        let until = std::time::Instant::now() + crate::webdriver::PATIENCE;
        loop {
            let look = self.look();
            if is_it(&look) {
                return look;
            }
            assert!(std::time::Instant::now() < until, "{what} does not come: {look:#?}");
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// The middle of what can be clicked on, in the window; none if it is not there or something covers it.
    pub fn middle(&self, selector: &str) -> Option<(f64, f64)> {
        let point = self.value(&format!(
            "(() => {{
                const found = document.querySelector({selector:?});
                if (!found || found.disabled) return null;
                const seen = () => {{
                    const box = found.getBoundingClientRect();
                    return [box.left + box.width / 2, box.top + box.height / 2];
                }};
                let [x, y] = seen();
                if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) found.scrollIntoView({{block: 'center'}});
                [x, y] = seen();
                const top = document.elementFromPoint(x, y);
                return top && (found.contains(top) || top.contains(found)) ? [x, y] : null;
            }})()"
        ));
        serde_json::from_value(point).expect("a point or none")
    }

    /// Clicks on something as soon as it is there.
    pub fn click(&self, selector: &str) {
        let until = std::time::Instant::now() + crate::webdriver::PATIENCE;
        loop {
            if self.middle(selector).is_some() && self.click_on(selector) {
                return;
            }
            assert!(std::time::Instant::now() < until, "nothing to click on: {selector}: {:#?}", self.look());
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Chooses from a list. Its window is the system's, so the driver clicks in it as it knows how.
    pub fn choose(&self, list: &str, value: &str) {
        self.wait(&format!("document.querySelector({list:?})"));
        let option = json!({"using": "css selector", "value": format!("{list} option[value=\"{value}\"]")});
        let found = self.post("/element", &option);
        let id = found.as_object().and_then(|found| found.values().next()).and_then(Value::as_str).expect("an element");
        self.post(&format!("/element/{id}/click"), &json!({}));
        assert_eq!(self.value(&format!("document.querySelector({list:?}).value")), value);
    }

    pub fn square(&self, square: &str) {
        self.click(&format!("[data-square={square}]"));
    }

    /// Plays micro-moves by clicks on the squares of each, and waits for each to be seen.
    pub fn play(&self, moves: &[&str]) {
        for text in moves {
            let before = self.until(text, |look| look.movable.contains(&text[..2]));
            self.square(&text[..2]);
            self.until(text, |look| look.targets.contains(&text[2..4]));
            self.square(&text[2..4]);
            self.until(text, |look| look.pieces != before.pieces || !look.promotions.is_empty());
        }
    }

    /// Drags a piece from one square to another.
    pub fn drag_piece(&self, from: &str, to: &str) {
        self.drag_by("mouse", from, to);
    }

    /// Drags a piece by `mouse` or `touch`.
    pub fn drag_by(&self, kind: &str, from: &str, to: &str) {
        self.drag_slowly(kind, from, to, Duration::ZERO);
    }

    /// The same with pauses on the way and over the square.
    pub fn drag_slowly(&self, kind: &str, from: &str, to: &str, pause: Duration) {
        let middle = |square: &str| self.middle(&format!("[data-square={square}]")).expect("the board is in view");
        let (from, to) = (middle(from), middle(to));
        let half = (f64::midpoint(from.0, to.0), f64::midpoint(from.1, to.1));
        self.point_slowly(kind, &[from, half, to], pause);
    }

    /// Chooses the dice that were thrown.
    pub fn roll(&self, dice: &str) -> Look {
        let before = self.look().turns.len();
        for die in dice.chars() {
            self.click(&format!("[data-die={die}]"));
        }
        // An engine may have played already when somebody looks.
        self.until("the dice", |look| look.turns.len() > before)
    }

    /// Presses a button that ends a game, and presses it again when it asks.
    pub fn end_by(&self, tool: &str) {
        self.click(&format!("[data-tool={tool}]"));
        self.click(&format!("[data-tool={tool}].sure"));
    }

    /// Presses Tab until the focus is where it is wanted.
    pub fn tab_to(&self, selector: &str) {
        let is_there = format!("document.activeElement.matches({selector:?})");
        for _ in 0..80 {
            if self.value(&is_there) == json!(true) {
                return;
            }
            self.press(&["tab"]);
        }
        panic!("the tab key does not come to {selector}");
    }

    /// Nothing was refused, nothing broke, and nothing was asked of anybody but the server.
    pub fn assert_quiet(&self) {
        let console = self.log("browser");
        assert!(console.is_empty(), "{console:#?}");
        let mut asked = 0;
        for entry in self.log("performance") {
            let entry: Value = serde_json::from_str(entry["message"].as_str().expect("a text")).expect("JSON");
            let parameters = &entry["message"]["params"];
            let url = match entry["message"]["method"].as_str() {
                Some("Network.requestWillBeSent") => &parameters["request"]["url"],
                Some("Network.webSocketCreated") => &parameters["url"],
                _ => continue,
            };
            let url = url.as_str().expect("a text");
            let (scheme, rest) = url.split_once(':').expect("a scheme");
            let own = rest.strip_prefix("//").and_then(|rest| rest.strip_prefix(self.host.as_str()));
            let is_own = own.is_some_and(|path| path.is_empty() || path.starts_with('/'));
            assert!(is_own || ["data", "blob"].contains(&scheme), "asked for {url}");
            asked += 1;
        }
        assert!(asked > 5, "the log of requests is not kept");
    }
}

/// A server, and its folder that goes with it.
pub fn server() -> (Server, Folder) {
    let folder = Folder::new();
    (Server::start(&folder), folder)
}
