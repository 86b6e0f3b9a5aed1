//! What is not play: reviews, lines, positions that are set up, records that come and go.

use crate::screen::{Screen, server};
use crate::server::Server;
use crate::webdriver::PATIENCE;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Instant;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -";

/// White leaves a king standing, and takes it a turn later.
fn missed(server: &Server) -> String {
    let mut page = server.page();
    let game = page.new_game(json!({"dice": {"source": "typed"}, "opening": "7k/8/8/8/8/8/8/K6R w - - 0 1"}));
    page.play(&game, 1, "RNN", "h1h2");
    page.play(&game, 2, "KNN", "h8h7");
    page.play(&game, 3, "RNN", "h2h7");
    game
}

impl Screen {
    fn text(&self, selector: &str) -> String {
        let text = self.wait(&format!("document.querySelector({selector:?})?.textContent"));
        text.as_str().expect("a text").to_owned()
    }

    /// Writes into a field as if somebody had, but all at once.
    fn write(&self, selector: &str, words: &str) {
        self.value(&format!(
            "(() => {{ const field = document.querySelector({selector:?}); field.focus(); field.value = {};
                field.dispatchEvent(new Event('input', {{bubbles: true}}));
                field.dispatchEvent(new Event('change', {{bubbles: true}})); }})()",
            json!(words)
        ));
    }

    fn paste(&self, words: &str) {
        self.click("[data-menu=paste]");
        self.write("[name=paste]", words);
        self.click("[data-action=open]");
    }

    /// What stands in a field once it is this.
    fn has(&self, selector: &str, value: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let now = self.value(&format!("document.querySelector({selector:?})?.value"));
            if now == json!(value) {
                return;
            }
            assert!(Instant::now() < until, "{selector} is {now}, not {value}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Has what the browser saves put into a folder.
    fn save_into(&self, folder: &Path) {
        std::fs::create_dir_all(folder).expect("it can be made");
        self.emulate("Browser.setDownloadBehavior", &json!({"behavior": "allow", "downloadPath": folder}));
    }
}

/// A file that is there in the end, and whole.
fn saved(path: &Path) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if !text.is_empty() => return text,
            _ => assert!(Instant::now() < until, "{} does not come", path.display()),
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_game_that_is_over_is_reviewed_and_the_review_saved() {
    let (mut server, folder) = server();
    let game = missed(&server);
    let screen = Screen::at(&server, &game);
    screen.click("[data-tool=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    assert!(screen.text(".review").starts_with("Ann won. Ann was "), "{}", screen.text(".review"));
    let mistake = screen.text("[data-mistake='1']");
    assert!(mistake.contains("h1h2 ??K"), "{mistake}");

    // The position before the turn, with what was played and what would have been best.
    screen.click("[data-mistake='1']");
    let look = screen.until("the turn", |look| look.on("h1") == "white rook");
    assert_eq!(look.on("h8"), "black king");
    assert!(screen.text(".review-turn").contains("best h1h8, the king could be taken"));
    let arrows =
        || screen.value("['played', 'best'].map((kind) => document.querySelectorAll(`.pointer.${kind}`).length)");
    assert_eq!(arrows(), json!([1, 1]));
    // They turn with the board.
    let end = || screen.value("document.querySelector('.pointer.best').getAttribute('y2') < 160");
    assert_eq!(end(), json!(true));
    screen.click("[data-menu=flip]");
    assert_eq!(end(), json!(false));
    screen.click("[data-menu=flip]");
    screen.press(&["right"]);
    screen.until("the next turn", |look| look.on("h2") == "white rook" && look.on("h8") == "black king");
    screen.press(&["right"]);
    screen.until("the last turn", |look| look.on("h2") == "white rook" && look.on("h7") == "black king");
    screen.press(&["right"]);
    screen.until("the end", |look| look.on("h7") == "white rook");
    assert_eq!(arrows(), json!([0, 0]));
    screen.press(&["home"]);
    screen.until("the first position", |look| look.status == "before the first turn");
    // A click on the curve, in the middle of its last third.
    let box_of = screen.value("(({x, y, width, height}) => [x + 0.7 * width, y + height / 2])(document.querySelector('.curve').getBoundingClientRect())");
    let point: (f64, f64) = serde_json::from_value(box_of).expect("a point");
    screen.drag(&[point]);
    screen.until("the last turn", |look| look.on("h7") == "black king");

    let place = folder.path().join("saved");
    screen.save_into(&place);
    screen.click("[data-action=save-review]");
    let html = saved(&place.join("dice-chess-review.html"));
    assert!(html.starts_with("<!") && html.contains("</html>"), "{}", &html[..html.len().min(200)]);
    screen.assert_quiet();

    // Without a server there is a word in its place.
    server.kill();
    screen.choose("[name=depth]", "1");
    screen.click("[data-action=review]");
    assert!(screen.text(".review .problem").contains("connection"));
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_review_shows_how_far_it_is_and_can_be_stopped() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.paste(include_str!("../../../../tests/records/histories.json"));
    screen.click("[data-found='0']");
    screen.click("[data-tool=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    // So deep it takes long enough to be seen.
    screen.choose("[name=depth]", "3");
    screen.click("[data-action=review]");
    screen.wait("document.querySelector('.review progress')?.value > 0");
    assert!(screen.text(".review").contains(" of 19 turns"));
    screen.click("[data-action=stop-review]");
    assert_eq!(screen.text(".review .problem"), "The review was stopped.");
    // The server goes on with the next one.
    screen.choose("[name=depth]", "1");
    screen.click("[data-action=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn what_would_have_been_is_played_out_beside_the_game() {
    let (server, _folder) = server();
    let game = missed(&server);
    let screen = Screen::at(&server, &game);
    screen.until("the game", |look| look.state == "over");
    screen.press(&["left", "left", "w"]);
    // The roll that was thrown there, to be played otherwise.
    let look = screen.until("the line", |look| look.state == "turn");
    assert_eq!((look.turns.as_slice(), look.dice[1].as_str()), (["…".to_owned()].as_slice(), "knight, cannot be used"));
    assert!(look.targets.is_empty() && look.movable() == ["h1"]);
    screen.play(&["h1h5"]);
    screen.until("Black's roll", |look| look.state == "roll" && look.side == "b");
    screen.roll("KKK");
    screen.click("[data-tool=other-dice]");
    screen.until("Black's roll again", |look| look.state == "roll" && look.turns == ["h1h5"]);
    screen.roll("PPK");
    screen.play(&["h8g8"]);
    screen.until("White's roll", |look| look.turns == ["h1h5", "h8g8"]);

    // A line of the line, from its first turn, and the way back from both.
    screen.press(&[",", "w"]);
    screen.until("the second line", |look| look.state == "turn" && look.turns == ["…"]);
    screen.press(&["escape"]);
    screen.until("the first line", |look| look.turns == ["h1h5", "h8g8"]);
    screen.press(&["escape"]);
    screen.until("the game", |look| look.turns == ["h1h2", "h8h7", "h2h7"]);
    let name = screen.text("[data-tool=line-0]");
    assert_eq!(name, "What if: 1. h1h5");
    screen.click("[data-tool=line-0]");
    screen.until("the first line", |look| look.turns == ["h1h5", "h8g8"]);

    // It can be saved and reviewed like a game, and the game knows nothing of it.
    screen.click("[data-tool=save]");
    let record = screen.wait("document.querySelector('[name=record]')?.value");
    let record = record.as_str().expect("a text");
    assert!(record.contains("h1h5") && record.contains("h8g8") && !record.contains("h2h7"), "{record}");
    screen.press(&["escape"]);
    screen.click("[data-tool=review]");
    screen.wait("document.querySelector('[data-action=save-review]')");
    // From what was brought there is a way back, too, by a key or by the list of games; and it is still there.
    for back in ["key", "list"] {
        screen.paste("4k3/8/8/8/8/8/8/4K2R w K - 0 1 krp");
        screen.until("the position", |look| look.on("e8") == "black king");
        if back == "key" {
            screen.press(&["escape"]);
        } else {
            screen.click("[data-menu=games]");
            screen.click("[data-game]");
        }
        screen.until("the game", |look| look.turns == ["h1h2", "h8h7", "h2h7"]);
    }
    assert_eq!(screen.value("document.querySelectorAll('[data-tool^=line-]').length"), json!(3));
    let mut page = server.page();
    page.ask(json!({"type": "open", "game": game}));
    let told = page.game("the game", |_| true);
    assert_eq!((&told["state"], &told["plies"][0]["turn"]), (&json!("over"), &json!("h1h2")));
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn positions_are_set_up() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    let dfen = ".dialog [name=dfen]";
    let square = |square: &str| screen.click(&format!(".editor [data-square={square}]"));
    screen.click("[data-menu=edit]");
    screen.has(dfen, START);
    screen.click("[data-action=editor-clear]");
    screen.has(dfen, "8/8/8/8/8/8/8/8 w - - 0 1 -");
    assert_eq!(screen.text(".editor .problem"), "placement: White must have exactly one king, not 0");
    assert_eq!(screen.value("document.querySelector('[data-action=editor-play]').disabled"), json!(true));

    // Pieces are put by clicks, by drags from beside the board, and carried about; two clicks take one away again.
    screen.click("[data-piece=K]");
    square("e1");
    square("d4");
    square("d4");
    screen.click("[data-piece=k]");
    square("e8");
    let middle = |selector: &str| -> (f64, f64) {
        let point = screen.value(&format!(
            "(({{x, y, width, height}}) => [x + width / 2, y + height / 2])(document.querySelector({selector:?}).getBoundingClientRect())"
        ));
        serde_json::from_value(point).expect("a point")
    };
    let on = |name: &str| middle(&format!(".editor [data-square={name}]"));
    screen.drag(&[middle("[data-piece=R]"), on("d5"), on("h1")]);
    screen.drag(&[middle("[data-piece=p]"), on("d6"), on("c6")]);
    screen.click(".editor [data-tool=move]");
    screen.drag(&[on("c6"), on("c5"), on("c5")]);
    screen.has(dfen, "4k3/8/8/2p5/8/8/8/4K2R w - - 0 1 -");
    // What the position cannot have is left out, and said.
    screen.click("[name=right-K]");
    screen.click("[name=right-Q]");
    screen.write("[name=targets]", "c6 e6");
    screen.wait("document.querySelector('.editor .form > .soft').textContent.endsWith('Q, e6')");
    screen.choose("[name=side]", "b");
    screen.choose("[name=side]", "w");
    for die in ["P", "R", "K", "K"] {
        if screen.value(&format!("document.querySelector('.editor [data-die={die}]').disabled")) == json!(false) {
            screen.click(&format!(".editor [data-die={die}]"));
        }
    }
    screen.click("[data-action=editor-analyse]");
    let look = screen.until("the line", |look| look.state == "turn");
    assert!(look.movable.contains("e1") && look.movable.contains("h1"), "{look:#?}");
    assert_eq!(look.dice.len(), 3);
    screen.wait("document.querySelectorAll('.best li').length > 1");

    // By the DFEN alone; errors are the server's; a game begins there.
    screen.click("[data-menu=edit]");
    screen.has(dfen, "4k3/8/8/2p5/8/8/8/4K2R w K c6 0 1 PRK");
    screen.write(dfen, "4k3/8/8 w - -");
    assert_eq!(
        screen.wait("document.querySelector('.editor .problem').textContent"),
        "placement: must have 8 ranks, not 3"
    );
    screen.write(dfen, "4k3/8/8/2p5/8/8/8/4K2R b K - 3 7 pp");
    screen.has("[name=fullmove]", "7");
    screen.click("[data-action=editor-play]");
    screen.choose("fieldset:nth-of-type(2) [name=kind]", "human");
    screen.click("[data-action=begin]");
    screen.until("the game", |look| look.state == "roll" && look.side == "b");
    let mut page = server.page();
    let hello = page.expect("the hello", |told| told["type"] == "hello");
    assert_eq!(hello["games"][0]["position"], "4k3/8/8/2p5/8/8/8/4K2R b K - 3 7 -");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn records_are_brought_and_taken_away() {
    let (server, folder) = server();
    let screen = Screen::open(&server);
    screen.paste("hello");
    assert!(
        screen
            .wait("document.querySelector('dialog .problem').textContent")
            .as_str()
            .is_some_and(|text| text.contains("hello"))
    );
    screen.press(&["escape"]);

    // A journal keeps how a game ended, and so does what is made of it.
    let ended = "[White \"A\"]\n[Black \"B <i>\"]\n[Result \"0-1\"]\n[End \"time\"]\n[EndBy \"white\"]\n\n1. PNB e2e4,g1f3,f1c4 rqk 0000 0-1\n";
    let other = "\n[White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. PPP a2a3,b2b3,c2c3 *\n";
    screen.paste(&format!("{ended}{other}"));
    screen.wait("document.querySelectorAll('[data-found]').length === 2");
    screen.click("[data-found='0']");
    let look = screen.until("the record", |look| look.state == "over");
    assert_eq!((look.status.as_str(), look.turns.len()), ("B <i> wins: out of time", 2));
    screen.click("[data-tool=save]");
    screen.has(".dialog [name=dfen]", "rnbqkbnr/pppppppp/8/8/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 2 2 -");
    screen.choose("[name=form]", "journal");
    let journal = screen.wait(
        "/^{/.test(document.querySelector('[name=record]').value) && document.querySelector('[name=record]').value",
    );
    let lines: Vec<Value> =
        journal.as_str().expect("a text").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().any(|line| line["end"]["kind"] == "time"), "{lines:#?}");
    let place = folder.path().join("saved");
    screen.save_into(&place);
    screen.click("[data-action=download]");
    assert_eq!(Some(saved(&place.join("dice-chess.jsonl")).as_str()), journal.as_str());
    screen.press(&["escape"]);

    // An unfinished game goes on from where it was broken off.
    screen.paste(other);
    screen.until("the record", |look| look.state == "over" && look.turns.len() == 1);
    screen.click("[data-tool=what-if]");
    screen.until("Black's roll", |look| look.state == "roll" && look.side == "b");
    // A position, with its dice.
    screen.paste("4k3/8/8/8/8/8/8/4K2R w K - 0 1 krp");
    let look = screen.until("the position", |look| look.state == "turn");
    assert_eq!(look.movable(), ["e1", "h1"]);
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn luck_and_losses_so_far_are_told_while_a_game_runs() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.click("[name=analysis]");
    screen.typed(&server, "7k/8/8/8/8/8/8/K6R w - - 0 1", "RNN");
    let account =
        || screen.value("[...document.querySelectorAll('.account tbody tr')].map((row) => row.innerText.split('\\t'))");
    let until = |what: &str, is_it: &dyn Fn(&Value) -> bool| {
        let until = Instant::now() + PATIENCE;
        while !is_it(&account()) {
            assert!(Instant::now() < until, "{what} does not come: {}", account());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    };
    // A roll that takes the king is luck; nothing is lost yet.
    until("White's luck", &|told| told[0][0] == "Ann" && told[0][1].as_str().is_some_and(|luck| luck.starts_with('+')));
    assert_eq!((&account()[0][2], &account()[1][1]), (&json!("0.0"), &json!("0.0")));
    // Not to take it is a loss.
    screen.play(&["h1h2"]);
    screen.until("the other side", |look| look.side == "b");
    until("White's loss", &|told| told[0][2].as_str().is_some_and(|lost| lost.starts_with('\u{2212}')));
    // It is not told to those who do not want it.
    screen.click("[name=analysis]");
    assert_eq!(account(), json!([]));
    screen.assert_quiet();
}
