//! HTTP bots by the public contract: signed posts, one attempt each, the whole remaining clock to answer.
//!
//! A bot is told its whole remaining clock and shares it out itself. A request that fails in any way is a loss on time.

use super::{Answer, Ask, GameStart, InfoLine, Patience, Player, seat};
use crate::cancel::Cancel;
use crate::control::{ClockControl, Control};
use crate::ends::{Failed, Failure};
use crate::record::{PlayerKind, PlayerRecord};
use crate::spec::Spec;
use astragal::board::Rolled;
use astragal::rules::{Turn, legal_turns};
use astragal_client::Action;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::Sha256;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use ureq::Agent;

/// The longest answer that is read.
const LONGEST_ANSWER: u64 = 1 << 20;

/// How often a wait looks whether it is still wanted.
const SLICE: Duration = Duration::from_millis(50);

/// An HTTP bot.
#[derive(Clone)]
pub struct Webhook {
    url: String,
    secret: String,
    agent: Agent,
    game: String,
    cancel: Cancel,
}

impl Webhook {
    /// Asks the bot to prove that it is one; `Err` says what is wrong.
    pub(super) fn inspect(
        spec: &Spec,
        url: &str,
        secret: &str,
        control: &Control,
        patience: Patience,
        cancel: &Cancel,
    ) -> Result<PlayerRecord, String> {
        if !matches!(control, Control::Clock(ClockControl { delay: Duration::ZERO, turns: None, .. })) {
            return Err(format!("a webhook needs a clock such as --tc 60+0.6, not {control}"));
        }
        let webhook = Self::new(url.to_owned(), secret.to_owned(), cancel.clone());
        let nonce = nonce();
        let body = json!({"type": "verification", "nonce": nonce}).to_string();
        let answer = webhook.post(&body, patience.handshake).map_err(|error| format!("verification: {error}"))?;
        if answer.get("nonce").and_then(Value::as_str) != Some(nonce.as_str()) {
            return Err("verification: the answer does not hold the nonce that was sent".to_owned());
        }
        let uri: ureq::http::Uri = url.parse().map_err(|error| format!("the URL: {error}"))?;
        Ok(PlayerRecord {
            spec: spec.to_string(),
            name: uri.authority().map_or_else(|| url.to_owned(), ToString::to_string),
            version: None,
            kind: PlayerKind::WebhookManaged,
            time_policy: "webhook-managed".to_owned(),
            options: std::collections::BTreeMap::new(),
            control: None,
        })
    }

    /// A bot that was verified.
    pub(super) fn new(url: String, secret: String, cancel: Cancel) -> Self {
        // Redirects would make a second request of one attempt.
        let config = Agent::config_builder().http_status_as_error(true).max_redirects(0).build();
        Self { url, secret, agent: config.into(), game: String::new(), cancel }
    }

    /// Posts a body with its signature; the answer must be 200 with JSON.
    fn post(&self, body: &str, patience: Duration) -> Result<Value, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let timestamp = now.as_secs().to_string();
        let request = self
            .agent
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("X-DiceChess-Signature", signature(&self.secret, &timestamp, body))
            .header("X-DiceChess-Timestamp", timestamp)
            .config()
            // 0 would be refused; the flag has fallen then anyway.
            .timeout_global(Some(patience.max(Duration::from_millis(1))))
            .build();
        let mut response = request.send(body).map_err(|error| error.to_string())?;
        if response.status().as_u16() != 200 {
            return Err(format!("answered {} instead of 200", response.status()));
        }
        let text = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_string();
        let text = text.map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| format!("the answer is not JSON: {error}"))
    }

    /// Posts on a thread of its own, which is left behind when the arena is told to stop: a bot may take minutes.
    fn post_until_cancelled(&self, body: String, patience: Duration) -> Result<Value, Failure> {
        let (bring, brought) = channel();
        let webhook = self.clone();
        thread::spawn(move || bring.send(webhook.post(&body, patience)));
        while !self.cancel.is_raised() {
            match brought.recv_timeout(SLICE) {
                Ok(answer) => return answer.map_err(Failure::Time),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Failure::Time("the request failed".to_owned())),
            }
        }
        Err(Failure::Cancelled)
    }

    fn ask(&self, ask: &Ask<'_>) -> Result<Action, Failure> {
        let patience = ask.flag_after.unwrap_or(Duration::from_secs(60));
        let answer = self.post_until_cancelled(your_turn(&self.game, ask).to_string(), patience)?;
        read_moves(&answer).map_err(|what| Failure::Time(what.to_owned()))
    }
}

/// The turn in an answer.
fn read_moves(answer: &Value) -> Result<Action, &'static str> {
    let moves = answer.get("moves").and_then(Value::as_array).ok_or("the answer has no list 'moves'")?;
    let words: Option<Vec<&str>> = moves.iter().map(Value::as_str).collect();
    let text = words.ok_or("'moves' holds something else than texts")?.join(",");
    Ok(match text.parse::<Turn>() {
        Ok(turn) => Action::Play(turn),
        Err(error) => Action::Unreadable(format!("'{}': {error}", text.chars().take(60).collect::<String>())),
    })
}

/// The hexadecimal HMAC-SHA256 of `timestamp.body` under the secret.
fn signature(secret: &str, timestamp: &str, body: &str) -> String {
    // HMAC takes keys of any length, so there is no error to tell.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body.as_bytes());
    hex::encode(mac.finalize().into_bytes())
}

/// Something the bot cannot have known. It need not be unpredictable, only new.
fn nonce() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    signature("nonce", &now.as_nanos().to_string(), &std::process::id().to_string()).chars().take(32).collect()
}

/// The body of a turn's post.
fn your_turn(game: &str, ask: &Ask<'_>) -> Value {
    let side = seat(ask.rolled.position.side());
    let view = ask.clock.unwrap_or_default();
    let (initial, increment) = match ask.control {
        Control::Clock(clock) => (clock.base.as_secs_f64(), clock.increment.as_secs_f64()),
        _ => (0.0, 0.0),
    };
    json!({
        "type": "yourTurn",
        "gameId": game,
        "seat": side,
        "state": {
            "dfen": ask.rolled.to_string(),
            "activeSeat": side,
            "dicePending": true,
            "clocks": {"white": view.left_ms[0], "black": view.left_ms[1]},
            "timeControl": {"Fischer": {"initialSeconds": plain(initial), "incrementSeconds": plain(increment)}},
            "legalMoves": move_tree(ask.rolled),
        },
    })
}

/// A number without decimals where it has none.
fn plain(seconds: f64) -> Value {
    if seconds.fract() == 0.0 { json!(seconds as u64) } else { json!(seconds) }
}

/// The legal turns as a tree of their micro-moves, with an empty object where a turn is complete.
fn move_tree(rolled: &Rolled) -> Value {
    let mut tree = Map::new();
    for turn in legal_turns(rolled) {
        let mut node = &mut tree;
        for mv in turn.moves() {
            let next = node.entry(mv.to_string()).or_insert_with(|| Value::Object(Map::new()));
            // Only objects are ever put in.
            let Value::Object(next) = next else { break };
            node = next;
        }
    }
    Value::Object(tree)
}

impl Player for Webhook {
    fn new_game(&mut self, start: &GameStart) -> Result<(), Failure> {
        self.game = format!("arena-{}-{}", start.seed, start.number);
        Ok(())
    }

    fn choose(&mut self, ask: &Ask<'_>) -> Result<Answer, Failed> {
        let began = Instant::now();
        let asked = self.ask(ask);
        let took = began.elapsed();
        match asked {
            Ok(action) => Ok(Answer { action, offers_draw: false, info: InfoLine::default(), took }),
            Err(failure) => Err(Failed { failure, took }),
        }
    }

    fn quit(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_what_others_compute() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac secret
        assert_eq!(
            signature("secret", "1700000000", "{}"),
            "b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163"
        );
    }

    #[test]
    fn the_tree_holds_every_legal_turn_and_no_other() {
        let rolled = Rolled::from_dfen("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1 PRK").expect("a position");
        fn count(node: &Value) -> usize {
            let children = node.as_object().expect("an object");
            if children.is_empty() { 1 } else { children.values().map(count).sum() }
        }
        assert_eq!(count(&move_tree(&rolled)), legal_turns(&rolled).len());
    }
}
