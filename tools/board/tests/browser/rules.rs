//! Each rule that a page can get wrong. What is right is worked out by hand, from docs/rules.md.

use crate::screen::{Screen, server};
use std::time::{Duration, Instant};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn only_what_is_part_of_a_longest_turn_lights_up() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    // Only the b-pawn lets the bishop out, so the h-pawn may not have the die; no knight is there.
    let look = screen.typed(&server, "6k1/8/8/8/8/8/1P5P/B3K3 w - - 0 1", "PBN");
    assert_eq!(look.movable(), ["b2"]);
    assert_eq!(look.dice, ["pawn", "knight, cannot be used", "bishop"]);
    screen.square("h2");
    assert!(screen.look().targets.is_empty());
    screen.square("b2");
    let look = screen.until("the pawn's squares", |look| !look.targets.is_empty());
    assert_eq!(look.targets(), ["b3", "b4"]);
    // What cannot be played is said, and not played.
    screen.press(&["h2"]);
    screen.click("#typed");
    screen.press(&["h2h3", "enter"]);
    screen.wait("document.getElementById('spoken').textContent.includes('h2h3 cannot be played')");
    screen.play(&["b2b4"]);
    let look = screen.until("the bishop", |look| look.movable() == ["a1"]);
    assert_eq!(look.dice, ["pawn, used", "knight, cannot be used", "bishop"]);
    assert!(look.undo && !look.play);
    // Within the turn all can be undone, by button and by key.
    screen.click("[data-action=undo]");
    let look = screen.until("the beginning", |look| look.movable() == ["b2"]);
    assert!(!look.undo && look.on("b2") == "white pawn" && look.on("b4").is_empty(), "{look:#?}");
    screen.play(&["b2b3"]);
    screen.press(&["backspace"]);
    screen.until("the beginning", |look| look.movable() == ["b2"]);
    // The turn is sent when nothing is left to choose.
    screen.play(&["b2b3", "a1h8"]);
    let look = screen.until("the other side", |look| look.state == "roll");
    assert_eq!((look.side.as_str(), look.turns.as_slice()), ("b", ["b2b3 a1h8".to_owned()].as_slice()));

    // A die that can only take the king need not be used: one says when the turn is over.
    screen.typed(&server, "8/8/8/8/8/8/k7/RK5N w - - 0 1", "NRN");
    screen.play(&["h1g3", "g3h1"]);
    let look = screen.until("the end of the turn", |look| look.play);
    assert_eq!(look.movable(), ["a1"]);
    screen.click("[data-action=play]");
    let look = screen.until("the other side", |look| look.state == "roll");
    assert_eq!(look.turns, ["h1g3 g3h1"]);
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn castling_takes_two_dice_and_is_shown_by_king_or_rook() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let castled = |from: &str, to: &str, drag: bool| {
        screen.typed(&server, castle, "KNR");
        if drag {
            screen.drag_piece(from, to);
        } else {
            screen.play(&[&format!("{from}{to}")]);
        }
        let look = screen.until("the other side", |look| look.state == "roll");
        (look.on("g1").to_owned(), look.on("f1").to_owned(), look.on("c1").to_owned(), look.turns[0].clone())
    };
    let short = ["white king", "white rook", "", "e1g1"].map(str::to_owned).into();
    assert_eq!(castled("e1", "g1", false), short);
    assert_eq!(castled("e1", "h1", false), short);
    assert_eq!(castled("h1", "e1", false), short);
    assert_eq!(castled("e1", "g1", true), short);
    assert_eq!(castled("h1", "e1", true), short);
    let long = ["", "", "white king", "e1c1"].map(str::to_owned).into();
    assert_eq!(castled("a1", "e1", true), long);

    // Not without a die for the rook; and a drag to nowhere puts the piece back.
    let look = screen.typed(&server, castle, "KKN");
    assert_eq!(look.movable(), ["e1"]);
    screen.square("e1");
    let look = screen.until("the king's squares", |look| !look.targets.is_empty());
    assert_eq!(look.targets(), ["d1", "d2", "e2", "f1", "f2"]);
    screen.drag_piece("e1", "e5");
    let look = screen.look();
    assert_eq!((look.on("e1"), look.on("e5"), look.undo), ("white king", "", false));

    // Both dice are used, and the third still has its move.
    screen.typed(&server, "r3k2r/8/8/8/8/8/P7/R3K2R w KQkq - 0 1", "KPR");
    screen.play(&["e1g1"]);
    let look = screen.until("the pawn", |look| look.movable() == ["a2"]);
    assert_eq!(look.dice, ["pawn", "rook, used", "king, used"]);

    // Black's, from the board turned round.
    screen.click("[data-menu=flip]");
    screen.play(&["a2a4"]);
    screen.until("the other side", |look| look.state == "roll");
    screen.roll("NRK");
    screen.play(&["e8c8"]);
    let look = screen.until("the end of the turn", |look| look.state == "roll");
    assert_eq!((look.on("c8"), look.on("d8"), look.on("a8")), ("black king", "black rook", ""));
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn pawns_take_in_passing_in_mid_turn_and_what_they_become_moves_on() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.typed(&server, "4k3/8/8/2p5/3P4/8/8/4K3 w - c6 0 1", "PPN");
    screen.play(&["d4d5"]);
    screen.square("d5");
    let look = screen.until("the pawn's squares", |look| !look.targets.is_empty());
    assert_eq!(look.targets(), ["c6", "d6"]);
    screen.square("c6");
    let look = screen.until("the other side", |look| look.state == "roll");
    assert_eq!((look.on("c6"), look.on("c5"), look.turns[0].as_str()), ("white pawn", "", "d4d5 d5c6"));

    // Only pieces that a die is left for may be chosen: a longer turn is there.
    let look = screen.typed(&server, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "NQP");
    assert_eq!(look.movable(), ["a7"]);
    screen.play(&["a7a8"]);
    let look = screen.until("the choice", |look| !look.promotions.is_empty());
    assert_eq!(look.promotions, ["q", "n"]);
    // It can be left without choosing.
    screen.press(&["escape"]);
    let look = screen.until("no choice", |look| look.promotions.is_empty());
    assert_eq!((look.on("a7"), look.undo), ("white pawn", false));
    screen.play(&["a7a8"]);
    screen.click("[data-promotion=n]");
    let look = screen.until("the knight", |look| look.on("a8") == "white knight");
    assert_eq!((look.movable(), look.on("a7")), (vec!["a8"], ""));
    screen.click("[data-action=undo]");
    screen.until("the pawn", |look| look.on("a7") == "white pawn" && look.on("a8").is_empty());
    screen.play(&["a7a8"]);
    screen.press(&["n"]);
    screen.play(&["a8b6"]);
    let look = screen.until("the other side", |look| look.state == "roll");
    assert_eq!((look.on("b6"), look.turns[0].as_str()), ("white knight", "a7a8n a8b6"));

    // The new queen takes the king at once.
    screen.typed(&server, "7k/P7/8/8/8/8/8/K7 w - - 0 1", "NQP");
    screen.play(&["a7a8"]);
    screen.click("[data-promotion=q]");
    screen.play(&["a8h8"]);
    let look = screen.until("the end", |look| look.state == "over");
    assert_eq!((look.on("h8"), look.on("a8")), ("white queen", ""));
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_pass_has_its_reason_and_games_end_as_they_must() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    // A pass is shown for a while, and then played by itself.
    screen.prefer(&[("prefers-reduced-motion", "no-preference")]);
    let look = screen.typed(&server, START, "QRK");
    assert_eq!(look.status, "No piece of these dice can move: pass");
    assert_eq!(look.dice, ["rook, cannot be used", "queen, cannot be used", "king, cannot be used"]);
    assert!(look.movable.is_empty() && !look.undo);
    let look = screen.until("the other side", |look| look.state == "roll");
    assert_eq!((look.side.as_str(), look.turns.as_slice()), ("b", ["pass".to_owned()].as_slice()));
    assert_eq!(look.status, "Bob rolls the dice");
    screen.wait("document.getElementById('spoken').textContent === 'Ann passes: no piece can move.'");
    screen.prefer(&[("prefers-reduced-motion", "reduce")]);

    // Who can take the king does not need all dice for it.
    let look = screen.typed(&server, "7k/8/8/8/8/8/8/K6R w - - 0 1", "KRK");
    assert_eq!(look.movable(), ["a1", "h1"]);
    screen.square("h1");
    screen.until("the rook's squares", |look| look.targets.contains("h8"));
    screen.wait("document.querySelector('.ring.king')");
    screen.square("h8");
    let look = screen.until("the end", |look| look.state == "over");
    assert_eq!(look.status, "Ann wins: the king was captured");
    assert_eq!((look.on("h8"), look.movable.len(), look.turns[0].as_str()), ("white rook", 0, "h1h8"));
    screen.wait("document.getElementById('spoken').textContent.endsWith('. Ann wins: the king was captured')");

    screen.typed(&server, "7k/8/8/8/8/8/8/K7 w - - 97 80", "KKK");
    screen.play(&["a1a2", "a2a3", "a3a4"]);
    let look = screen.until("the end", |look| look.state == "over");
    assert_eq!(look.status, "Draw: a hundred moves without a capture or a pawn move");
    assert_eq!(look.on("a4"), "white king");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn nothing_is_lost_or_mixed_up_if_one_is_faster_than_the_server() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.typed(&server, START, "PPN");
    screen.value(
        "(() => { const { send } = WebSocket.prototype;
            const answered = (event) => {
                if (!JSON.parse(event.data).ok?.played) return;
                window.answered?.();
                window.answered = null;
            };
            WebSocket.prototype.send = function (text) {
                this.addEventListener('message', answered);
                setTimeout(() => send.call(this, text), 150);
            }; })()",
    );
    // The second move is that of a piece which is not there yet.
    screen.press(&["e2e4e4e5g1f3"]);
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!(look.turns, ["e2e4 e4e5 g1f3"]);
    screen.roll("PPN");
    screen.press(&["e7e6", "backspace", "d7d5d5d4b8c6"]);
    let look = screen.until("the other side", |look| look.side == "w");
    assert_eq!(look.turns[1], "d7d5 d5d4 b8c6");
    // A move that is on its way is not taken back.
    screen.roll("PPN");
    screen.play(&["a2a3", "h2h3"]);
    screen.square("f3");
    screen.until("the knight's squares", |look| look.targets.contains("g1"));
    screen.square("g1");
    screen.value("document.querySelector('[data-action=undo]')?.click()");
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!((look.turns[2].as_str(), look.notice.as_str()), ("a2a3 h2h3 f3g1", ""));
    // Nor are moves by hand lost.
    screen.roll("PPN");
    for (from, to) in [("a7", "a6"), ("h7", "h6"), ("g8", "f6")] {
        screen.drag_piece(from, to);
    }
    let look = screen.until("the other side", |look| look.side == "w");
    assert_eq!(look.turns[3], "a7a6 h7h6 g8f6");
    // What the server says of the first move comes while the second piece is in the hand, and does not take it out of it.
    screen.roll("PPN");
    screen.drag_piece("b2", "b3");
    screen.drag_slowly("mouse", "c2", "c3", Duration::from_millis(600));
    screen.drag_piece("g1", "f3");
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!(look.turns[4], "b2b3 c2c3 g1f3");
    // A move in the moment when the server has answered does not go before one that has waited for that.
    screen.roll("PPN");
    screen.value(
        "(() => {
            const click = (...squares) => squares.forEach((square) => document.querySelector(`[data-square=${square}]`).click());
            window.answered = () => click('c6', 'a5');
            click('b7', 'b6', 'g7', 'g6');
        })()",
    );
    let look = screen.until("the other side", |look| look.side == "w");
    assert_eq!(look.turns[5], "b7b6 g7g6 c6a5");
    screen.assert_quiet();
}

#[test]
#[ignore = "needs chromium and chromium-driver"]
fn a_finger_plays_on_a_small_screen() {
    let (server, _folder) = server();
    let screen = Screen::open(&server);
    screen.size(360, 700);
    let tap = |selector: &str| {
        screen.wait(&format!("document.querySelector({selector:?})"));
        screen.point("touch", &[screen.middle(selector).expect("it can be touched")]);
    };
    screen.typed(&server, START, "PPN");
    tap("[data-square=e2]");
    screen.until("the pawn's squares", |look| look.targets() == ["e3", "e4"]);
    tap("[data-square=e4]");
    screen.until("the pawn", |look| look.on("e4") == "white pawn");
    let scrolled = screen.value("scrollY");
    screen.drag_by("touch", "g1", "f3");
    screen.until("the knight", |look| look.on("f3") == "white knight");
    assert_eq!(screen.value("scrollY"), scrolled, "the page stays where it is");
    // On a busy machine the browser now and then makes no click of a tap that the page has seen go down and up; a person taps again.
    let mut taps = 0;
    while screen.look().on("g1") != "white knight" {
        assert!(taps < 5, "nothing is taken back: {:#?}", screen.look());
        taps += 1;
        tap("[data-action=undo]");
        let until = Instant::now() + Duration::from_secs(3);
        while screen.look().on("g1") != "white knight" && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    screen.drag_by("touch", "g1", "h3");
    screen.drag_by("touch", "d2", "d4");
    let look = screen.until("the other side", |look| look.side == "b");
    assert_eq!(look.turns, ["e2e4 g1h3 d2d4"]);
    screen.assert_quiet();
}
