//! The HTTP bot against a real server on loopback that checks the signature over the raw body.

mod common;

use arena::record::{EndKind, PlayerKind};
use common::{count, fail, folder, read, succeed};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;
use tiny_http::{Response, Server};

const SECRET: &str = "a secret & more";

/// What a bot does beyond playing well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Sound,
    WrongNonce,
    Fails,
    Sleeps,
    Talks,
    PlaysIllegally,
}

struct Bot {
    url: String,
    asked: Arc<AtomicUsize>,
    server: Arc<Server>,
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.server.unblock();
    }
}

fn header(request: &tiny_http::Request, name: &'static str) -> String {
    let found = request.headers().iter().find(|header| header.field.equiv(name));
    found.map_or_else(|| panic!("no header {name}"), |header| header.value.to_string())
}

fn serve(manner: Manner) -> Bot {
    let server = Arc::new(Server::http("127.0.0.1:0").expect("a port"));
    let url = format!("http://{}/bot", server.server_addr());
    let asked = Arc::new(AtomicUsize::new(0));
    let (at_work, turns) = (Arc::clone(&server), Arc::clone(&asked));
    thread::spawn(move || {
        for mut request in at_work.incoming_requests() {
            let mut body = Vec::new();
            request.as_reader().read_to_end(&mut body).expect("a body");
            let timestamp = header(&request, "X-DiceChess-Timestamp");
            let signature = header(&request, "X-DiceChess-Signature");
            let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("any key");
            mac.update(timestamp.as_bytes());
            mac.update(b".");
            mac.update(&body);
            let sound = hex::decode(signature).is_ok_and(|bytes| mac.verify_slice(&bytes).is_ok());
            if !sound || request.method() != &tiny_http::Method::Post {
                let _ = request.respond(Response::from_string("bad signature").with_status_code(401));
                continue;
            }
            let asked: Value = serde_json::from_slice(&body).expect("JSON");
            let answer = if asked["type"] == "verification" {
                let nonce = if manner == Manner::WrongNonce { json!("guess") } else { asked["nonce"].clone() };
                json!({"nonce": nonce}).to_string()
            } else {
                turns.fetch_add(1, Ordering::SeqCst);
                play(&asked, manner)
            };
            let code = if manner == Manner::Fails && asked["type"] == "yourTurn" { 503 } else { 200 };
            let _ = request.respond(Response::from_string(answer).with_status_code(code));
        }
    });
    Bot { url, asked, server }
}

/// Walks down the tree to the first complete turn.
fn play(asked: &Value, manner: Manner) -> String {
    assert_eq!(asked["type"], "yourTurn");
    let state = &asked["state"];
    assert_eq!(state["activeSeat"], asked["seat"]);
    assert_eq!(state["dicePending"], true);
    let dfen = state["dfen"].as_str().expect("a DFEN");
    let side = if asked["seat"] == "White" { " w " } else { " b " };
    assert!(dfen.contains(side) && !dfen.ends_with('-'), "{dfen}");
    assert!(state["clocks"]["white"].as_u64() > Some(0) && state["clocks"]["black"].as_u64() > Some(0));
    assert_eq!(state["timeControl"], json!({"Fischer": {"initialSeconds": 5, "incrementSeconds": 0.1}}));
    assert!(asked["gameId"].as_str().is_some_and(|id| !id.is_empty()));
    let mut moves = Vec::new();
    let mut node = state["legalMoves"].as_object().expect("a tree");
    assert!(!node.is_empty(), "a forced pass is never sent");
    while let Some((mv, next)) = node.iter().next() {
        moves.push(mv.clone());
        node = next.as_object().expect("a tree");
    }
    match manner {
        Manner::Sleeps => thread::sleep(Duration::from_secs(7)),
        Manner::Talks => return "my move is e2e4".to_owned(),
        Manner::PlaysIllegally => return json!({"moves": ["a1a1"]}).to_string(),
        _ => {}
    }
    json!({"moves": moves}).to_string()
}

fn spec(bot: &Bot) -> String {
    format!("webhook:{}?secret=a secret %26 more", bot.url)
}

fn games(manner: Manner, number: &str) -> (Bot, Vec<arena::record::Game>, arena::record::Header, String) {
    let bot = serve(manner);
    let journal = folder().join("games.jsonl");
    let path = journal.display().to_string();
    let arguments = ["match", &spec(&bot), "builtin:greedy", "--tc", "5+0.1", "--games", number, "--journal", &path];
    let text = succeed(&arguments);
    assert!(!std::fs::read_to_string(&journal).expect("a journal").contains("a secret"), "the secret is kept");
    let (header, games) = read(&journal);
    (bot, games, header, text)
}

#[test]
fn a_sound_bot_plays_whole_games_over_http() {
    let (bot, games, header, text) = games(Manner::Sound, "4");
    assert!(games.iter().all(|game| game.end.kind == EndKind::KingCapture), "{games:?}");
    let plies = games.iter().flat_map(|game| {
        let black = game.black == 0;
        game.plies.iter().enumerate().filter(move |(number, _)| (number % 2 == 1) == black).map(|(_, ply)| ply)
    });
    let turns = plies.filter(|ply| !ply.passed).count();
    assert_eq!(bot.asked.load(Ordering::SeqCst), turns, "one request a turn, none for a pass");
    assert_eq!(header.players[0].kind, PlayerKind::WebhookManaged);
    assert!(text.contains("webhook-managed"), "{text}");
}

#[test]
fn what_is_wrong_with_a_spec_is_told_without_its_secret() {
    for url in ["https://127.0.0.1:9/", "ftp://127.0.0.1/"] {
        let text = fail(2, &["match", &format!("webhook:{url}?secret=hush"), "builtin:greedy", "--tc", "60"]);
        assert!(text.contains("http://") && !text.contains("hush"), "{text}");
    }
}

#[test]
fn without_the_nonce_no_match_begins() {
    let bot = serve(Manner::WrongNonce);
    let text = fail(2, &["match", &spec(&bot), "builtin:greedy", "--tc", "5+0.1", "--games", "2"]);
    assert!(text.contains("nonce"), "{text}");
    let bot = serve(Manner::Sound);
    let wrong = format!("webhook:{}?secret=other", bot.url);
    let text = fail(2, &["match", &wrong, "builtin:greedy", "--tc", "5+0.1", "--games", "2"]);
    assert!(text.contains("401"), "{text}");
    assert_eq!(bot.asked.load(Ordering::SeqCst), 0);
}

#[test]
fn any_failure_is_a_loss_on_time_after_one_attempt() {
    for manner in [Manner::Fails, Manner::Talks] {
        let (bot, games, ..) = games(manner, "2");
        assert_eq!(count(&games, EndKind::Time, Some(0)), 2, "{games:?}");
        assert_eq!(bot.asked.load(Ordering::SeqCst), 2, "one attempt a game");
    }
    let (_, slept, ..) = games(Manner::Sleeps, "2");
    assert_eq!(count(&slept, EndKind::Time, Some(0)), 2);
    let (_, illegal, ..) = games(Manner::PlaysIllegally, "2");
    assert_eq!(count(&illegal, EndKind::IllegalTurn, Some(0)), 2);
}
