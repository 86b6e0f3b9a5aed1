//! The rules that a page can get wrong, as messages. What is right is worked out by hand, from docs/rules.md.

use crate::server::{Folder, Page, Server};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn steps(page: &mut Page, dfen: &str, played: &[&str]) -> Value {
    page.ask(json!({"type": "steps", "dfen": dfen, "played": played}))
}

fn moves(answer: &Value) -> BTreeSet<&str> {
    answer["steps"].as_array().expect("steps").iter().map(|step| step["move"].as_str().expect("a text")).collect()
}

fn step<'a>(answer: &'a Value, text: &str) -> &'a Value {
    answer["steps"].as_array().expect("steps").iter().find(|step| step["move"] == text).expect(text)
}

#[test]
fn steps_follow_the_rules() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let page = &mut server.page();

    // As many dice as possible: only the b-pawn lets the bishop out, so the h-pawn may not have the P.
    let longest = "6k1/8/8/8/8/8/1P5P/B3K3 w - - 0 1 PBN";
    let answer = steps(page, longest, &[]);
    assert_eq!(moves(&answer), BTreeSet::from(["b2b3", "b2b4"]));
    assert_eq!(answer["useless"], "N");
    let answer = steps(page, longest, &["b2b3"]);
    assert_eq!(moves(&answer), BTreeSet::from(["a1b2", "a1c3", "a1d4", "a1e5", "a1f6", "a1g7", "a1h8"]));
    assert_eq!((&answer["complete"], &answer["used"], &answer["left"]), (&json!(false), &json!("P"), &json!("NB")));
    let refused = json!({"type": "steps", "dfen": longest, "played": ["h2h3"]});
    assert_eq!(page.try_ask(refused), Err("illegal".to_owned()));

    // Castling takes both dice.
    let answer = steps(page, "4k3/8/8/8/8/8/8/4K2R w K - 0 1 RKP", &[]);
    assert_eq!((&step(&answer, "e1g1")["dice"], &step(&answer, "e1g1")["rook"]), (&json!("RK"), &json!("h1")));
    let answer = steps(page, "4k3/8/8/8/8/8/8/4K2R w K - 0 1 RKP", &["e1g1"]);
    assert_eq!((&answer["complete"], &answer["after"]), (&json!(true), &json!("4k3/8/8/8/8/8/8/5RK1 b - - 1 1 -")));
    assert!(!moves(&steps(page, "4k3/8/8/8/8/8/8/4K2R w K - 0 1 PKK", &[])).contains("e1g1"));

    // A pawn that gets there in the same turn can still take in passing.
    let passing = "4k3/8/8/2p5/3P4/8/8/4K3 w - c6 0 1 PPN";
    let answer = steps(page, passing, &["d4d5"]);
    assert_eq!(step(&answer, "d5c6")["en_passant"], "c5");
    let answer = steps(page, passing, &["d4d5", "d5c6"]);
    assert_eq!(answer["after"], "4k3/8/2P5/8/8/8/8/4K3 b - - 0 1 -");

    // A new piece moves on with its own die; one that no die is left for may not be chosen.
    let promotion = "7k/P7/8/8/8/8/8/K7 w - - 0 1 PQN";
    assert_eq!(moves(&steps(page, promotion, &[])), BTreeSet::from(["a7a8q", "a7a8n"]));
    let answer = steps(page, promotion, &["a7a8q"]);
    assert_eq!((&step(&answer, "a8h8")["king"], &answer["complete"]), (&json!(true), &json!(false)));
    assert_eq!(steps(page, promotion, &["a7a8q", "a8h8"])["end"], "king-capture");

    // A pass has its reason.
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 RQK";
    let answer = steps(page, start, &[]);
    assert_eq!(
        (&answer["pass"], &answer["turn"], &answer["useless"]),
        (&json!("no_move"), &json!("0000"), &json!("RQK"))
    );

    let answer = page.ask(json!({"type": "position", "dfen": "4k3/8/8/8/8/8/8/4K3 w KQ e3 5 9 bnp"}));
    assert_eq!((&answer["dfen"], &answer["dice"]), (&json!("4k3/8/8/8/8/8/8/4K3 w - - 5 9 PNB"), &json!("PNB")));
    assert_eq!(page.try_ask(json!({"type": "position", "dfen": "8 w - -"})), Err("dfen".to_owned()));
}

#[test]
fn games_end_as_the_rules_say() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let page = &mut server.page();
    let typed = |opening: &str| json!({"dice": {"source": "typed"}, "opening": opening});

    let game = page.new_game(typed("7k/8/8/8/8/8/8/K6R w - - 0 1"));
    page.play(&game, 1, "krk", "h1h8");
    let over = page.game("the end", |game| game["state"] == "over");
    let end = json!({"kind": "king-capture", "result": 1.0, "winner": "w", "detail": ""});
    assert_eq!((&over["end"], &over["plies"][0]["after"]), (&end, &json!(null)));

    // The turn counts three micro-moves without a capture.
    let game = page.new_game(typed("7k/8/8/8/8/8/8/K7 w - - 97 80"));
    page.play(&game, 1, "KKK", "a1a2,a2a3,a3a4");
    let over = page.game("the end", |game| game["state"] == "over");
    assert_eq!((&over["end"]["kind"], &over["end"]["result"]), (&json!("halfmove-clock"), &json!(0.5)));

    let game = page.new_game(typed("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"));
    page.ask(json!({"type": "roll", "game": game, "ply": 1, "dice": "PNB"}));
    let turn = |turn: &str| json!({"type": "turn", "game": game, "ply": 1, "turn": turn});
    for bad in ["e2e4", "0000", "e2e5", "e2e4,f1c4", "a1a3", "hello", ""] {
        assert_eq!(page.try_ask(turn(bad)), Err("illegal".to_owned()), "{bad}");
    }
    page.ask(turn("e2e4,g1f3,f1c4"));
    assert_eq!(page.try_ask(turn("e2e4,g1f3,f1c4")), Err("stale".to_owned()), "once");
    page.play(&game, 2, "RQK", "0000");
    let passed = page.game("the pass", |game| game["ply"] == 3);
    assert_eq!((&passed["plies"][1]["passed"], &passed["side"]), (&json!(true), &json!("w")));
    page.ask(json!({"type": "resign", "game": game, "side": "w"}));
    let over = page.game("the end", |game| game["state"] == "over");
    assert_eq!((&over["end"]["kind"], &over["end"]["winner"]), (&json!("resignation"), &json!("b")));
    assert_eq!(page.try_ask(json!({"type": "abort", "game": game})), Err("stale".to_owned()));
}
