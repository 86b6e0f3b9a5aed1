//! The HTTP bot against a real server on loopback that checks the signature over the raw body.

mod common;

use arena::record::{EndKind, PlayerKind};
use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use common::{count, fail, folder, read, succeed};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

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
    /// It is served until this is dropped.
    _runtime: tokio::runtime::Runtime,
}

fn header<'a>(headers: &'a HeaderMap, name: &'static str) -> &'a str {
    headers.get(name).unwrap_or_else(|| panic!("no header {name}")).to_str().expect("ASCII")
}

fn serve(manner: Manner) -> Bot {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).expect("a port");
    let url = format!("http://{}/bot", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let turns = Arc::clone(&asked);
    let routes = Router::new()
        .route("/bot", post(move |headers, body| async move { respond(manner, &turns, &headers, &body).await }));
    runtime.spawn(async move { axum::serve(listener, routes).await });
    Bot { url, asked, _runtime: runtime }
}

async fn respond(manner: Manner, turns: &AtomicUsize, headers: &HeaderMap, body: &Bytes) -> Response {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("any key");
    mac.update(header(headers, "X-DiceChess-Timestamp").as_bytes());
    mac.update(b".");
    mac.update(body);
    let signature = header(headers, "X-DiceChess-Signature");
    if !hex::decode(signature).is_ok_and(|bytes| mac.verify_slice(&bytes).is_ok()) {
        return (StatusCode::UNAUTHORIZED, "bad signature").into_response();
    }
    let asked: Value = serde_json::from_slice(body).expect("JSON");
    if asked["type"] == "verification" {
        let nonce = if manner == Manner::WrongNonce { json!("guess") } else { asked["nonce"].clone() };
        return json!({"nonce": nonce}).to_string().into_response();
    }
    turns.fetch_add(1, Ordering::SeqCst);
    let answer = play(&asked, manner);
    match manner {
        Manner::Fails => (StatusCode::SERVICE_UNAVAILABLE, answer).into_response(),
        Manner::Sleeps => {
            tokio::time::sleep(Duration::from_secs(7)).await;
            answer.into_response()
        }
        _ => answer.into_response(),
    }
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
