//! Who is let in, and what becomes of pages that misbehave.

use crate::server::{Folder, Server};
use serde_json::json;
use std::io::Write;
use tungstenite::Message;

#[test]
fn other_names_and_other_sites_are_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let own = server.host.clone();
    let port = own.rsplit(':').next().expect("a port");
    let get = |path: &str, host: &str, more: &str| {
        let response = server.http(&format!("GET {path} HTTP/1.1\r\nHost: {host}{more}"));
        response.split(' ').nth(1).expect("a status").to_owned()
    };
    assert_eq!(get("/", &own, ""), "200");
    assert_eq!(get("/", &format!("localhost:{port}"), ""), "200");
    assert_eq!(get("/", &format!("rebound.example:{port}"), ""), "421");
    assert_eq!(get("/", &format!("{own}\r\nHost: {own}"), ""), "421");
    assert_eq!(get("/", &own, "\r\nOrigin: http://evil.example"), "403");
    assert_eq!(get("/nothing.js", &own, ""), "404");
    assert_eq!(get("/../Cargo.toml", &own, ""), "404");
    assert_eq!(get("/%2e%2e/Cargo.toml", &own, ""), "404");
    let response = server.http(&format!("GET / HTTP/1.1\r\nHost: {own}")).to_ascii_lowercase();
    assert!(response.contains("script-src 'self'") && !response.contains("unsafe-inline"), "{response}");
    assert!(response.contains("x-content-type-options: nosniff") && response.contains("text/html"));
    assert!(server.http(&format!("GET /pieces.svg HTTP/1.1\r\nHost: {own}")).contains("id=\"wK\""));

    let refused = |name: &'static str, value: &str| server.try_page(&[(name, value)]).err();
    assert_eq!(refused("origin", "http://evil.example"), Some(403));
    assert_eq!(refused("origin", "null"), Some(403));
    assert_eq!(refused("origin", ""), Some(403), "a browser always says");
    assert_eq!(refused("origin", &format!("http://{own}.evil.example")), Some(403));
    assert_eq!(refused("host", &format!("rebound.example:{port}")), Some(421));
    assert!(server.try_page(&[]).is_ok());
}

#[test]
fn strangers_need_the_token() {
    let folder = Folder::new();
    let server = Server::with(&folder, &["--listen", "0.0.0.0"]);
    let token = server.url.split("?token=").nth(1).expect("a token").to_owned();
    let own = &server.host;
    let get = |path: &str| server.http(&format!("GET {path} HTTP/1.1\r\nHost: {own}"));
    assert!(get("/").starts_with("HTTP/1.1 403") && get("/?token=0").starts_with("HTTP/1.1 403"));
    assert_eq!(server.try_page(&[]).err(), Some(403));
    let response = get(&format!("/?token={token}")).to_ascii_lowercase();
    assert!(response.starts_with("http/1.1 303") && response.contains("httponly; samesite=strict"), "{response}");
    let cookie =
        response.split("set-cookie: ").nth(1).and_then(|rest| rest.split(';').next()).expect("a cookie").to_owned();
    assert!(server.try_page(&[("cookie", &cookie)]).is_ok());
    assert_eq!(server.try_page(&[("cookie", &format!("{cookie}0"))]).err(), Some(403));
}

#[test]
fn garbage_is_told_and_dropped() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    for text in [
        "",
        "hello",
        "[]",
        "{}",
        "{\"id\":1}",
        "{\"id\":1,\"type\":\"explode\"}",
        "{\"id\":-1,\"type\":\"games\"}",
        "{\"id\":1,\"type\":\"position\",\"dfen\":5}",
        "{\"id\":1,\"type\":\"position\",\"dfen\":\"x\",\"more\":1}",
        &"[".repeat(100_000),
    ] {
        let mut page = server.page();
        page.socket.send(Message::text(text)).expect("it reads");
        let bye = page.expect("the end", |told| told["type"] == "bye");
        assert_eq!(bye["code"], "garbage", "{text}");
        assert!(page.hear().is_none());
    }
    let mut page = server.page();
    page.socket.send(Message::binary(vec![0, 159, 146])).expect("it reads");
    assert_eq!(page.expect("the end", |told| told["type"] == "bye")["code"], "garbage");
    // No WebSocket any more, but bytes.
    let mut page = server.page();
    page.socket.get_mut().write_all(&[0xff; 64]).expect("it reads");
    while page.hear().is_some() {}
    // A message that is too long.
    let mut page = server.page();
    let _ = page.socket.send(Message::text("x".repeat((2 << 20) + 1)));
    while page.hear().is_some() {}
    assert_eq!(server.page().ask(json!({"type": "games", "count": 1}))["more"], false, "others are served");
}

#[test]
fn floods_too_many_pages_and_too_many_games_are_refused() {
    let folder = Folder::new();
    let server = Server::start(&folder);
    let mut page = server.page();
    for number in 0..2000 {
        let ask = json!({"id": number, "type": "games", "count": 0}).to_string();
        if page.socket.send(Message::text(ask)).is_err() {
            break;
        }
    }
    // The word may be lost where the connection breaks under what is still sent; the end is not.
    let mut answered = 0;
    while let Some(told) = page.hear() {
        answered += usize::from(told["type"] == "reply");
        assert!(told["type"] != "bye" || told["code"] == "flood");
    }
    assert!(answered < 1000, "{answered}");

    let mut page = server.page();
    for _ in 0..32 {
        page.new_game(json!({}));
    }
    let ask = json!({"type": "new", "players": [{"kind": "human", "name": "A"}, {"kind": "human", "name": "B"}]});
    assert_eq!(page.try_ask(ask), Err("too_many".to_owned()));
    for bad in [
        json!({"type": "new", "players": [{"kind": "human", "name": "\u{202e}"}, {"kind": "human", "name": "B"}]}),
        json!({"type": "new", "players": [{"kind": "human", "name": "A"}, {"kind": "human", "name": "B"}],
            "controls": [{"kind": "clock", "base_ms": 0}, {"kind": "none"}]}),
        json!({"type": "new", "players": [{"kind": "human", "name": "A"}, {"kind": "human", "name": "B"}], "dice": {"source": "seed"}}),
    ] {
        assert_eq!(page.try_ask(bad), Err("bad".to_owned()));
    }
    let mut pages: Vec<_> = (0..15).map(|_| server.page()).collect();
    pages.iter_mut().for_each(|page| drop(page.expect("a hello", |told| told["type"] == "hello")));
    let mut last = server.page();
    assert_eq!(last.hear().expect("a word")["code"], "pages");
}
