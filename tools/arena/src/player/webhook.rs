//! HTTP bots by the public contract: signed posts, one attempt each, the whole remaining clock to answer.
//!
//! A bot is told its whole remaining clock and shares it out itself. A request that fails in any way is a loss on time.

use super::{Answer, Ask, GameStart, Patience, Player, seat};
use crate::cancel::Cancel;
use crate::ends::{Failed, Failure};
use crate::record::{PlayerKind, PlayerRecord};
use crate::spec::Spec;
use astragal::board::Rolled;
use astragal::record::{ClockControl, Control, Said};
use astragal::rules::{Turn, legal_turns};
use astragal_client::Action;
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Client, Url};
use serde_json::{Map, Value, json};
use sha2::Sha256;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};

/// The longest answer that is read.
const LONGEST_ANSWER: usize = 1 << 20;

/// How often a wait looks whether it is still wanted.
const SLICE: Duration = Duration::from_millis(50);

/// What carries the requests of all HTTP bots: one thread, which only waits for sockets.
fn runtime() -> Result<&'static Runtime, String> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let start =
        || Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|error| error.to_string());
    RUNTIME.get_or_init(start).as_ref().map_err(Clone::clone)
}

fn client() -> Result<Client, String> {
    // Another part of the program may ask for TLS of the same library, which then wants this even for plain HTTP. Only the
    // first call of a process installs it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Redirects would make a second request of one attempt; a proxy would be told what is meant for the bot.
    let builder = Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    builder.build().map_err(|error| error.to_string())
}

/// An HTTP bot.
pub struct Webhook {
    url: String,
    secret: String,
    client: Result<Client, String>,
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
        let parsed = Url::parse(url).map_err(|error| format!("the URL: {error}"))?;
        let name = match (parsed.host_str(), parsed.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (host, _) => host.unwrap_or(url).to_owned(),
        };
        Ok(PlayerRecord {
            spec: spec.to_string(),
            name,
            version: None,
            kind: PlayerKind::WebhookManaged,
            time_policy: "webhook-managed".to_owned(),
            options: std::collections::BTreeMap::new(),
            control: None,
        })
    }

    /// A bot that was verified.
    pub(super) fn new(url: String, secret: String, cancel: Cancel) -> Self {
        Self { url, secret, client: client(), game: String::new(), cancel }
    }

    /// Posts a body with its signature; the answer must be 200 with JSON.
    fn post(&self, body: &str, patience: Duration) -> Result<Value, String> {
        // A patience of nothing: the flag has fallen then anyway.
        runtime()?.block_on(self.exchange(body, patience.max(Duration::from_millis(1))))
    }

    async fn exchange(&self, body: &str, patience: Duration) -> Result<Value, String> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let timestamp = now.as_secs().to_string();
        let request = self
            .client
            .as_ref()
            .map_err(Clone::clone)?
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("X-DiceChess-Signature", signature(&self.secret, &timestamp, body))
            .header("X-DiceChess-Timestamp", timestamp)
            .body(body.to_owned());
        let whole = async {
            let mut response = request.send().await.map_err(told)?;
            if response.status().as_u16() != 200 {
                return Err(format!("answered {} instead of 200", response.status()));
            }
            let mut text = Vec::new();
            while let Some(chunk) = response.chunk().await.map_err(told)? {
                text.extend_from_slice(&chunk);
                if text.len() > LONGEST_ANSWER {
                    return Err("the answer is too long".to_owned());
                }
            }
            serde_json::from_slice(&text).map_err(|error| format!("the answer is not JSON: {error}"))
        };
        tokio::time::timeout(patience, whole).await.map_err(|_| format!("no answer within {patience:?}"))?
    }

    /// Posts, unless the arena is told to stop meanwhile: a bot may take minutes.
    fn post_until_cancelled(&self, body: &str, patience: Duration) -> Result<Value, Failure> {
        let cancelled = async {
            while !self.cancel.is_raised() {
                tokio::time::sleep(SLICE).await;
            }
        };
        runtime().map_err(Failure::Time)?.block_on(async {
            tokio::select! {
                answer = self.exchange(body, patience.max(Duration::from_millis(1))) => answer.map_err(Failure::Time),
                () = cancelled => Err(Failure::Cancelled),
            }
        })
    }

    fn ask(&self, ask: &Ask<'_>) -> Result<Action, Failure> {
        let patience = ask.flag_after.unwrap_or(Duration::from_secs(60));
        let answer = self.post_until_cancelled(&your_turn(&self.game, ask).to_string(), patience)?;
        read_moves(&answer).map_err(|what| Failure::Time(what.to_owned()))
    }
}

/// The innermost reason, which says most.
fn told(error: reqwest::Error) -> String {
    let error = error.without_url();
    let reasons = std::iter::successors(Some(&error as &(dyn std::error::Error + 'static)), |error| error.source());
    reasons.last().map(ToString::to_string).unwrap_or_default()
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
            Ok(action) => Ok(Answer { action, offers_draw: false, info: Said::default(), took }),
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
