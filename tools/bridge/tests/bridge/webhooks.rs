//! Webhook mode: whole games, and deliveries of people who wish us ill.

use crate::double::webhook::{Target, client, post};
use crate::double::{Double, Trouble, game};
use crate::play::{INSTANT, assert_all_kept, assert_not_lost_by_the_bridge, concurrency, fischer, play_games};
use crate::running::{Bridge, program, until};
use bridge::api::Tree;
use bridge::sign::{proof, signature};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SECRET: &str = "ba449f956ad4c3506aa0a1a42bbea139dea2ce7080b245ba81373f329ff02e71";

/// A bridge in webhook mode and where it listens; more of the table `webhook`, and more tables.
fn start(double: &Double, more: &str, tables: &str) -> (Bridge, Target, u16) {
    let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let top = format!("mode = \"webhook\"\n{}", concurrency(4));
    let hook = format!("[webhook]\nlisten = \"127.0.0.1:{port}\"\nsecret_file = \"hook\"\n{more}\n{tables}");
    let mut bridge = Bridge::new(double, &top, &hook);
    let file = bridge.folder.join("hook");
    std::fs::write(&file, SECRET).expect("ours");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("ours");
    bridge.start();
    until(Duration::from_secs(20), "it listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    (bridge, Target { url: format!("http://127.0.0.1:{port}/hook"), secret: SECRET.to_owned() }, port)
}

/// An engine that notes what it hears in the file `heard`.
fn noting() -> String {
    let line = format!("tee -a heard | {} engine", program());
    format!("[engine]\ncommand = [\"sh\", \"-c\", {line:?}]\n[engine.options]\nBot = \"greedy-v2\"")
}

/// How many turns the engine was asked for.
fn asked(bridge: &Bridge) -> usize {
    let text = std::fs::read_to_string(bridge.folder.join("heard")).unwrap_or_default();
    text.lines().filter(|line| line.starts_with("go")).count()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

fn state(number: u64) -> Value {
    let mut game = game::Game::new("game", fischer(60.0, 1.0), true, true, number);
    game.seeds[0] = Some("0123456789abcdef".to_owned());
    while game.dice.is_none() || game.tree() == json!({}) {
        game.advance();
    }
    game.state(0)
}

fn your_turn(id: &str, state: &Value) -> String {
    json!({"type": "yourTurn", "gameId": id, "seat": "White", "state": state}).to_string()
}

fn is_legal(state: &Value, answer: &Value) -> bool {
    let tree: Option<Tree> = serde_json::from_value(state["legalMoves"].clone()).expect("a tree");
    let moves: Vec<String> = serde_json::from_value(answer["moves"].clone()).unwrap_or_default();
    tree.is_none_or(|tree| tree.holds(moves.iter().map(String::as_str))) && !moves.is_empty()
}

/// Sends bytes as they are; the status of the answer, if there is one.
fn raw(port: u16, text: &[u8], wait: Duration) -> Option<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    stream.set_read_timeout(Some(wait)).expect("a timeout");
    let _ = stream.write_all(text);
    let mut buffer = [0; 256];
    let length = stream.read(&mut buffer).ok()?;
    String::from_utf8_lossy(&buffer[..length]).split(' ').nth(1)?.parse().ok()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

#[test]
fn games_are_played_by_deliveries_whatever_happens_to_them() {
    let trouble = Trouble { twice: 200, cut_after: 60, ..Trouble::default() };
    let double = Double::start(47, trouble);
    let (mut bridge, target, _) = start(&double, "", INSTANT);
    double.lock().webhook = Some(target);
    play_games(&double, &mut bridge, 4, 2, &fischer(6.0, 0.2), |_, _| ());
    assert_not_lost_by_the_bridge(&double);
    let offences = double.lock().offences;
    assert_eq!((offences.refused_deliveries, offences.failed_deliveries, offences.different_answers), (0, 0, 0));
    assert!(double.lock().deliveries >= 4, "at least one a game");
    assert!(!double.lock().requests.iter().any(|request| request.ends_with("/move")), "turns go by deliveries only");
    assert_all_kept(&double, &bridge);
    bridge.signal("-TERM");
    assert_eq!(bridge.wait(Duration::from_secs(10)), Some(0), "{}", bridge.log());
    assert!(!bridge.log().contains(SECRET) && !bridge.log().contains("ALARM"), "{}", bridge.log());
    double.end();
}

#[test]
fn wrong_deliveries_are_refused_and_no_turn_is_computed_for_them() {
    let double = Double::start(53, Trouble::default());
    let (bridge, target, port) = start(&double, "body_limit = 20000", &noting());
    until(Duration::from_secs(20), "the check of the engine", || asked(&bridge) == 1);
    let state = state(1);
    let body = your_turn("game-1", &state);
    let send = |stamp: &str, signed: &str, body: &str, path: &str, more: &str| {
        let length = body.len();
        let text = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\nx-dicechess-timestamp: {stamp}\r\n\
             x-dicechess-signature: {signed}\r\n{more}connection: close\r\n\r\n{body}"
        );
        raw(port, text.as_bytes(), Duration::from_secs(5))
    };
    let stamp = now().to_string();
    let good = |stamp: &str| signature(SECRET, stamp, body.as_bytes());
    let twice = format!("x-dicechess-signature: {}\r\n", good(&stamp));
    let huge = "x".repeat(20_001);
    for (name, status, expected) in [
        ("a wrong key", send(&stamp, &signature("other", &stamp, body.as_bytes()), &body, "/hook", ""), 401),
        ("no signature", send(&stamp, "", &body, "/hook", ""), 401),
        ("another body", send(&stamp, &good(&stamp), &body.replace("game-1", "game-2"), "/hook", ""), 401),
        ("capitals", send(&stamp, &good(&stamp).to_uppercase(), &body, "/hook", ""), 401),
        ("an old stamp", send(&(now() - 310).to_string(), &good(&(now() - 310).to_string()), &body, "/hook", ""), 401),
        (
            "a stamp to come",
            send(&(now() + 310).to_string(), &good(&(now() + 310).to_string()), &body, "/hook", ""),
            401,
        ),
        ("a zero before it", send(&format!("0{stamp}"), &good(&format!("0{stamp}")), &body, "/hook", ""), 401),
        ("a signature twice", send(&stamp, &good(&stamp), &body, "/hook", &twice), 401),
        (
            "a stamp twice",
            send(&stamp, &good(&stamp), &body, "/hook", &format!("x-dicechess-timestamp: {stamp}\r\n")),
            401,
        ),
        ("a huge body", send(&stamp, &signature(SECRET, &stamp, huge.as_bytes()), &huge, "/hook", ""), 413),
        ("a wrong path", send(&stamp, &good(&stamp), &body, "/hook/x", ""), 404),
        ("no HTTP", raw(port, b"hello\r\n\r\n", Duration::from_secs(5)), 400),
        ("another method", raw(port, b"GET /hook HTTP/1.1\r\nhost: x\r\n\r\n", Duration::from_secs(5)), 405),
        ("health", raw(port, b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n", Duration::from_secs(5)), 200),
    ] {
        assert_eq!(status, Some(expected), "{name}");
    }
    // A slow sender is not waited for (10 s, scaled).
    let began = Instant::now();
    let head = format!(
        "POST /hook HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\nx-dicechess-timestamp: {stamp}\r\n\
         x-dicechess-signature: {}\r\n\r\n{{",
        good(&stamp)
    );
    assert_eq!(raw(port, head.as_bytes(), Duration::from_secs(8)), Some(408));
    assert!(began.elapsed() < Duration::from_secs(8));
    assert_eq!(asked(&bridge), 1, "no turn was computed");
    assert!(!double.lock().requests.iter().any(|request| request.contains("game-")), "no game was taken up");
    // The right one is answered, and a replay of it costs nothing and says the same.
    runtime().block_on(async {
        let client = client();
        let (status, first) = post(&client, &target, &body).await.expect("an answer");
        assert!(status == 200 && is_legal(&state, &first), "{first}");
        assert_eq!(asked(&bridge), 2);
        for _ in 0..3 {
            assert_eq!(post(&client, &target, &body).await, Some((200, first.clone())));
        }
        assert_eq!(asked(&bridge), 2, "one piece of work");
        // Ten of the same at once are one piece of work, too.
        let body = your_turn("game-3", &state);
        let ten = (0..10).map(|_| {
            let (client, target, body) = (client.clone(), target.clone(), body.clone());
            tokio::spawn(async move { post(&client, &target, &body).await })
        });
        let mut answers = Vec::new();
        for one in ten.collect::<Vec<_>>() {
            answers.push(one.await.expect("no panic").expect("an answer"));
        }
        assert!(answers.iter().all(|answer| *answer == answers[0] && answer.0 == 200), "{answers:?}");
        assert_eq!(asked(&bridge), 3);
        // Ten games at once are ten.
        let ten = (0..10).map(|number| {
            let (client, target, body) = (client.clone(), target.clone(), your_turn(&format!("many-{number}"), &state));
            tokio::spawn(async move { post(&client, &target, &body).await })
        });
        for one in ten.collect::<Vec<_>>() {
            let (status, answer) = one.await.expect("no panic").expect("an answer");
            assert!(status == 200 && is_legal(&state, &answer), "{status} {answer}");
        }
        assert_eq!(asked(&bridge), 13);
    });
    assert!(!bridge.log().contains(SECRET) && !bridge.log().contains("panic"), "{}", bridge.log());
    double.end();
}

#[test]
fn what_is_signed_is_never_answered_by_4xx() {
    let double = Double::start(59, Trouble::default());
    let (bridge, target, _) = start(&double, "", INSTANT);
    let state = state(2);
    let with = |key: &str, value: Value| {
        let mut state = state.clone();
        state[key] = value;
        state
    };
    let nonce = "e37db5df957de5b924b5e3eae964178f";
    let version_2 = json!({
        "type": "verification", "version": 2, "bot": {"team": "dragons", "name": "astragal"}, "setupId": "s", "revision": 1,
        "nonce": nonce,
    })
    .to_string();
    let offer = with("drawOffer", json!({"pending": true}));
    let cases = [
        (json!({"type": "verification", "nonce": nonce}).to_string(), 200, json!({"nonce": nonce})),
        (version_2.clone(), 200, json!({"nonce": nonce, "proof": proof(SECRET, version_2.as_bytes())})),
        (json!({"type": "verification", "version": 3, "nonce": nonce}).to_string(), 503, Value::Null),
        (
            json!({"type": "doubleOpportunity", "decisionId": 7}).to_string(),
            200,
            json!({"decisionId": 7, "offerDouble": false}),
        ),
        (
            json!({"type": "doubleDecision", "decisionId": "x"}).to_string(),
            200,
            json!({"decisionId": "x", "acceptDouble": false}),
        ),
        (
            json!({"type": "drawDecision", "gameId": "g", "seat": "White", "state": offer}).to_string(),
            200,
            json!({"acceptDraw": false}),
        ),
        (json!({"type": "fireworks", "gameId": "g"}).to_string(), 200, json!({})),
        (json!({"type": "yourTurn"}).to_string(), 503, Value::Null),
        (your_turn("../x", &state), 503, Value::Null),
        (your_turn("g", &Value::Null), 503, Value::Null),
        // A position that is none, and nothing else to go by; a position without dice: an empty turn would be final.
        (your_turn("g1", &json!({"dfen": "x", "activeSeat": "White", "dicePending": true})), 503, Value::Null),
        (
            your_turn(
                "g2",
                &json!({"dfen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "activeSeat": "White"}),
            ),
            503,
            Value::Null,
        ),
        ("{".to_owned(), 503, Value::Null),
        ("[[[[".repeat(2000), 503, Value::Null),
    ];
    runtime().block_on(async {
        let client = client();
        for (body, status, answer) in cases {
            let told: String = body.chars().take(80).collect();
            assert_eq!(post(&client, &target, &body).await, Some((status, answer)), "{told}");
        }
        // What has failed is worked out anew when it comes again, here with a state that can be played.
        let mut again = state.clone();
        again["version"] = json!(0);
        let (status, answer) = post(&client, &target, &your_turn("g1", &again)).await.expect("an answer");
        assert!(status == 200 && is_legal(&state, &answer), "{status} {answer}");
        // A position that our rules do not know is played by the server's tree.
        let foreign =
            json!({"version": 9, "dfen": "x", "activeSeat": "White", "dicePending": true, "legalMoves": {"a2a3": {}}});
        let (status, answer) = post(&client, &target, &your_turn("g3", &foreign)).await.expect("an answer");
        assert_eq!((status, &answer["moves"]), (200, &json!(["a2a3"])));
    });
    assert!(!bridge.log().contains("panic"), "{}", bridge.log());
    double.end();
}

#[test]
fn an_engine_that_hangs_costs_no_delivery() {
    let double = Double::start(61, Trouble::default());
    let line = format!("{} engine | grep --line-buffered -v bestmove", program());
    let engine = format!("[engine]\ncommand = [\"sh\", \"-c\", {line:?}]");
    let (bridge, target, _) = start(&double, "host_timeout_ms = 2000", &engine);
    let state = state(3);
    runtime().block_on(async {
        let began = Instant::now();
        let (status, answer) = post(&client(), &target, &your_turn("g", &state)).await.expect("an answer");
        assert!(status == 200 && is_legal(&state, &answer), "{status} {answer}");
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    });
    assert!(bridge.log().contains("the instant bot"), "{}", bridge.log());
    double.end();
}
