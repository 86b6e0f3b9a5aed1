//! The double agrees with the platform: to every recorded request it gives the same status and the same shape of body.

use crate::double::lobby::{ANONYMOUS_TOKEN, RIVAL_TOKEN, STRANGER_TOKEN};
use crate::double::webhook::client;
use crate::double::{Double, TOKEN, Trouble, game};
use crate::play::fischer;
use crate::recordings::{exchange_files, exchanges};
use crate::running::until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Whether two bodies have the same shape: the same keys and kinds of values. What one server leaves null is no difference, nor
/// are a list without elements, the names of turns, or the kind of a time control.
fn differs(recorded: &Value, ours: &Value, at: &str) -> Option<String> {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    match (recorded, ours) {
        // At the top, nothing is nothing.
        (Value::Null, _) | (_, Value::Null) if !at.is_empty() => None,
        (Value::Object(recorded), Value::Object(ours)) => {
            if ["/legalMoves", "/timeControl"].iter().any(|end| at.ends_with(end)) {
                return None;
            }
            let keys = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            if keys(recorded) != keys(ours) {
                return Some(format!("{at}: {:?} and {:?}", keys(recorded), keys(ours)));
            }
            recorded.iter().find_map(|(key, value)| differs(value, &ours[key], &format!("{at}/{key}")))
        }
        (Value::Array(recorded), Value::Array(ours)) => {
            let (first, other) = (recorded.first()?, ours.first()?);
            differs(first, other, &format!("{at}/0"))
        }
        (one, other) if kind(one) == kind(other) => None,
        (one, other) => Some(format!("{at}: {one} and {other}")),
    }
}

struct Replay {
    double: Double,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
    /// Recorded ids and secrets, and those of the double.
    names: BTreeMap<String, String>,
    count: usize,
}

impl Replay {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self {
            double: Double::start(67, Trouble::default()),
            client: client(),
            runtime,
            names: BTreeMap::new(),
            count: 0,
        }
    }

    fn call(&self, method: &str, path: &str, body: Option<String>, token: Option<&str>) -> (u16, Value) {
        let url = format!("{}{path}", self.double.address);
        let method = method.parse().expect("a method");
        let mut request = self.client.request(method, url).header("user-agent", "astragal-bridge/test");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        self.runtime.block_on(async {
            let answered = request.send().await.expect("an answer");
            let status = answered.status().as_u16();
            let body = answered.bytes().await.expect("a body");
            let text = String::from_utf8_lossy(&body).into_owned();
            let plain = if text.is_empty() { Value::Null } else { Value::String(text.clone()) };
            (status, serde_json::from_str(&text).unwrap_or(plain))
        })
    }

    fn check(&mut self, file: &str, exchange: &Value, token: Option<&str>) -> Value {
        let (request, name) = (&exchange["request"], exchange["name"].as_str().expect("a name"));
        let mut path = request["path"].as_str().expect("a path").to_owned();
        for (recorded, ours) in &self.names {
            path = path.replace(recorded, ours);
        }
        let text = request["body_text"].as_str().map(str::to_owned);
        let body = text.or_else(|| request.get("body").map(Value::to_string));
        let token = if request.get("authorization") == Some(&Value::Null) { None } else { token };
        let (status, ours) = self.call(request["method"].as_str().expect("a method"), &path, body, token);
        assert_eq!(json!(status), exchange["status"], "{file}: {name}: {ours}");
        let difference = differs(&exchange["body"], &ours, "");
        assert!(difference.is_none(), "{file}: {name}: {difference:?}");
        self.count += 1;
        ours
    }

    fn begin(&mut self, recorded: &str, control: &Value) -> String {
        let id = self.double.lock().begin_as(control, false, true);
        self.names.insert(recorded.to_owned(), id.clone());
        id
    }

    fn wait_for_dice(&self, id: &str) {
        let has_dice = || self.double.lock().games.get(id).is_some_and(|game| game.dice.is_some());
        until(Duration::from_secs(10), "the first roll", has_dice);
    }

    fn end(&self, id: &str, over: game::Over) {
        self.double.lock().games.get_mut(id).expect("it goes on").finish(over);
        until(Duration::from_secs(5), "it is put away", || self.double.lock().histories.contains_key(id));
    }
}

const FIRST: &str = "abd71990-51aa-49bd-b51f-ce5fe2c2a274";

#[test]
fn the_double_answers_as_the_platform_did() {
    let mut replay = Replay::new();
    let tokens = |name: &str| match name {
        "anonymous" | "join anonymous" | "account anonymous" | "rotate anonymous" => ANONYMOUS_TOKEN,
        "list of the challenged" | "decline" | "accept declined" | "accept" | "accept taken" | "not your turn" => {
            RIVAL_TOKEN
        }
        "stranger" => STRANGER_TOKEN,
        _ => TOKEN,
    };
    let seconds = |initial: f64| fischer(initial, 1.0);
    replay.double.lock().sleeps = true;
    // The game of most recordings, with its own dice: the server's seed was revealed at its end.
    let history = exchanges("games.json").into_iter().find(|exchange| exchange["name"] == "history").expect("recorded");
    let seed = history["body"]["fairness"]["seed"].as_str().expect("a seed").to_owned();
    let rival = history["body"]["fairness"]["clientSeeds"]["black"].as_str().expect("a seed").to_owned();
    replay.double.lock().next_seed = Some(seed);
    let first = replay.begin(FIRST, &seconds(60.0));
    replay.double.lock().games.get_mut(&first).expect("it goes on").seeds[1] = Some(rival);
    for exchange in exchanges("seed.json") {
        replay.check("seed.json", &exchange, Some(TOKEN));
    }
    replay.wait_for_dice(&first);
    let over = game::Over { result: 1, termination: "KingCaptured", word: "king_captured" };
    for exchange in exchanges("games.json") {
        match exchange["name"].as_str().expect("a name") {
            "snapshot when over" => break,
            _ => replay.check("games.json", &exchange, Some(TOKEN)),
        };
    }
    for exchange in exchanges("move.json").into_iter().chain(exchanges("draw.json")) {
        let name = exchange["name"].as_str().expect("a name").to_owned();
        match name.as_str() {
            "game over" => replay.end(&first, over),
            "resign" => drop(replay.begin("462a6d77-aaa0-465b-bd10-6866baf8d67d", &seconds(60.0))),
            _ => {}
        }
        replay.check("move.json and draw.json", &exchange, Some(tokens(&name)));
    }
    let lost = replay.begin("2120c23e-c66d-42f8-aa2a-25e8038aad8a", &json!({"SuddenDeath": {"initialSeconds": 60}}));
    replay.double.lock().games.get_mut(&lost).expect("it goes on").seeds[0] = Some("0123456789abcdef".to_owned());
    replay.wait_for_dice(&lost);
    replay.end(&lost, game::Over { result: -1, termination: "Timeout", word: "timeout" });
    let all = exchanges("games.json");
    for exchange in all.iter().skip_while(|exchange| exchange["name"] != "snapshot when over") {
        replay.check("games.json", exchange, Some(TOKEN));
    }
    for (file, id) in [
        ("recovery.json", "8da61d43-63dd-422c-8212-ae296213345f"),
        ("ladder-games.json", "1b9f3a66-94bb-4626-a6b7-77607fe2f2db"),
    ] {
        let game = replay.begin(id, &seconds(60.0));
        replay.double.lock().games.get_mut(&game).expect("it goes on").seeds[0] = Some("0123456789abcdef".to_owned());
        replay.wait_for_dice(&game);
        for exchange in exchanges(file) {
            replay.check(file, &exchange, Some(TOKEN));
        }
    }
    for exchange in exchanges("challenges.json") {
        let name = exchange["name"].as_str().expect("a name").to_owned();
        let more = json!({"team": "knights", "name": "rival", "timeControl": seconds(60.0)}).to_string();
        match name.as_str() {
            // One that was not recorded came before.
            "accept" => drop(replay.call("POST", "/bot/challenge", Some(more), Some(TOKEN))),
            "too many pending" => {
                while replay.double.lock().challenged().len() < 10 {
                    replay.call("POST", "/bot/challenge", Some(more.clone()), Some(TOKEN));
                }
            }
            _ => {}
        }
        replay.check("challenges.json", &exchange, Some(tokens(&name)));
    }
    for exchange in exchanges("seeks.json") {
        let name = exchange["name"].as_str().expect("a name").to_owned();
        if name == "too many" {
            while replay.double.lock().open_seeks().len() < 3 {
                replay.call("POST", "/bot/seeks", Some("{}".to_owned()), Some(TOKEN));
            }
        }
        let ours = replay.check("seeks.json", &exchange, Some(tokens(&name)));
        if let (Some(recorded), Some(ours)) = (exchange["body"]["secret"].as_str(), ours["secret"].as_str()) {
            let encoded = ours.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
            replay.names.insert(recorded.to_owned(), encoded);
        }
    }
    for file in ["capacity.json", "ladder.json", "standings.json", "webhook.json"] {
        for exchange in exchanges(file) {
            replay.check(file, &exchange, Some(tokens(exchange["name"].as_str().expect("a name"))));
        }
    }
    // The recording's server took addresses of its own machine here.
    replay.double.lock().lobby.takes_loopback = true;
    for exchange in exchanges("webhook-registered.json") {
        replay.check("webhook-registered.json", &exchange, Some(TOKEN));
    }
    let mut token = TOKEN.to_owned();
    for exchange in exchanges("identity.json") {
        let name = exchange["name"].as_str().expect("a name").to_owned();
        let used = match name.as_str() {
            "account with the old token" => TOKEN,
            "account" => token.as_str(),
            other => tokens(other),
        };
        let ours = replay.check("identity.json", &exchange, Some(used));
        if name == "rotate" {
            token = ours["token"].as_str().expect("a token").to_owned();
        }
    }
    let recorded: usize = exchange_files().iter().map(|file| exchanges(file).len()).sum();
    assert_eq!(replay.count, recorded, "every request was sent");
    replay.double.end();
}
