//! Webhook mode: deliveries are believed by their signature, decided once, and answered in time.
//!
//! The server delivers again after trouble, so the same decision may come twice: one piece of work and one answer for each
//! game, seat, version and kind. A delivery whose signature holds is never answered by 4xx, which would be final.

use crate::api::{GameState, Seat, Tree, is_sound_id};
use crate::config::ConfigError;
use crate::decide::{EngineTime, Outlook, TURN_CAP, engine_time, left_of};
use crate::engine::instant_turn;
use crate::play::{Choice, Notice, Shared, choose, now};
use crate::run::RunError;
use crate::secret::{Secret, SecretError, load};
use crate::sign::{check, proof};
use astragal::board::Rolled;
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long answers are kept for deliveries that come again.
const KEPT: Duration = Duration::from_secs(600);

/// The most deliveries that are worked on at once: an engine each.
const MOST_AT_ONCE: usize = 64;

type Key = (String, Seat, i64, &'static str);

/// What became of a decision.
#[derive(Clone, PartialEq, Debug)]
enum Outcome {
    /// It is being worked on.
    Pending,
    /// The answer, to whoever asks.
    Answer(Value),
    /// There is none: the server may ask again.
    Failed,
}

/// A decision that was asked for.
struct Decision {
    /// When.
    at: Instant,
    /// What became of it; the first answer is the one that counts.
    outcome: Arc<watch::Sender<Outcome>>,
}

/// The server of deliveries.
pub struct Hook {
    shared: Arc<Shared>,
    keys: Vec<Secret>,
    /// Whether a verification without a key of ours is answered: while we register in the old way.
    window: AtomicBool,
    decisions: Mutex<BTreeMap<Key, Decision>>,
    outlooks: Mutex<BTreeMap<String, Outlook>>,
}

impl Hook {
    /// Reads the keys.
    ///
    /// # Errors
    /// There is none.
    pub fn new(shared: Arc<Shared>) -> Result<Arc<Self>, RunError> {
        let config = &shared.config.webhook;
        let mut keys = Vec::new();
        match load("webhook secret", &config.secret_env, config.secret_file.as_deref()) {
            Ok(key) => keys.push(key),
            // With a pending key alone one can begin.
            Err(SecretError::None { .. }) if config.pending_secret_file.is_some() => {}
            Err(error) => return Err(ConfigError::from(error).into()),
        }
        if let Some(path) = &config.pending_secret_file {
            keys.push(load("pending webhook secret", "", Some(path)).map_err(ConfigError::from)?);
        }
        Ok(Self::with_keys(shared, keys))
    }

    /// One that believes nobody, for a registration in the old way.
    pub fn without_keys(shared: Arc<Shared>) -> Arc<Self> {
        Self::with_keys(shared, Vec::new())
    }

    fn with_keys(shared: Arc<Shared>, keys: Vec<Secret>) -> Arc<Self> {
        Arc::new(Self {
            shared,
            keys,
            window: AtomicBool::new(false),
            decisions: Mutex::new(BTreeMap::new()),
            outlooks: Mutex::new(BTreeMap::new()),
        })
    }

    /// Answers verifications of the old way, whose key we cannot know yet, or ceases to.
    pub fn open_window(&self, open: bool) {
        self.window.store(open, Ordering::SeqCst);
    }
}

/// The routes: deliveries and health.
pub fn routes(hook: Arc<Hook>) -> Router {
    let config = &hook.shared.config.webhook;
    let (path, limit) = (config.path.clone(), config.body_limit);
    Router::new()
        .route(&path, post(receive))
        .route("/health", get(|| async { "ok" }))
        .layer(DefaultBodyLimit::max(limit))
        .with_state(hook)
}

/// Serves until the bridge ends.
pub async fn serve(listener: TcpListener, hook: Arc<Hook>) {
    tracing::info!(event = "webhook", "waiting for deliveries");
    crate::serve::serve(listener, routes(hook)).await;
}

/// A header that is there exactly once, as text.
fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

async fn receive(State(hook): State<Arc<Hook>>, request: Request) -> Response {
    let began = Instant::now();
    let (parts, body) = request.into_parts();
    let refuse = |why: &str, status: StatusCode| {
        tracing::warn!(event = "delivery", "a delivery is refused: {why}");
        status.into_response()
    };
    let (Some(stamp), Some(signed)) =
        (single(&parts.headers, "x-dicechess-timestamp"), single(&parts.headers, "x-dicechess-signature"))
    else {
        return refuse("a header is missing or there twice", StatusCode::UNAUTHORIZED);
    };
    let limit = hook.shared.config.webhook.body_limit;
    let body: Bytes = match timeout(hook.shared.waits.delivery, axum::body::to_bytes(body, limit)).await {
        Err(_) => return refuse("it is too slow", StatusCode::REQUEST_TIMEOUT),
        Ok(Err(_)) => return refuse("it is too long, or was cut", StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Ok(body)) => body,
    };
    let keys: Vec<&str> = hook.keys.iter().map(Secret::reveal).collect();
    let verified = check(&keys, stamp, signed, &body, now().as_secs());
    let delivery: Option<Value> = serde_json::from_slice(&body).ok();
    let kind = delivery.as_ref().and_then(|delivery| delivery["type"].as_str()).unwrap_or_default().to_owned();
    let which = match verified {
        Ok(which) => which,
        Err(_) if kind == "verification" && hook.window.load(Ordering::SeqCst) => {
            let nonce = delivery.as_ref().and_then(|delivery| delivery["nonce"].as_str()).unwrap_or_default();
            let sound = !nonce.is_empty() && nonce.len() <= 256 && nonce.bytes().all(|byte| byte.is_ascii_graphic());
            if sound && delivery.as_ref().is_some_and(|delivery| delivery.get("version").is_none()) {
                return axum::Json(json!({"nonce": nonce})).into_response();
            }
            return refuse("a verification that is none", StatusCode::UNAUTHORIZED);
        }
        Err(error) => return refuse(&error.to_string(), StatusCode::UNAUTHORIZED),
    };
    let Some(delivery) = delivery else {
        // It is believed, so it is not refused: the server delivers again after 503.
        return refuse("no JSON", StatusCode::SERVICE_UNAVAILABLE);
    };
    let answer = match kind.as_str() {
        "verification" => verification(&delivery, &body, keys.get(which).copied().unwrap_or_default()),
        "yourTurn" => decide(&hook, delivery, "yourTurn", began).await,
        "drawDecision" => decide(&hook, delivery, "drawDecision", began).await,
        "doubleOpportunity" => Some(json!({"decisionId": delivery["decisionId"], "offerDouble": false})),
        "doubleDecision" => Some(json!({"decisionId": delivery["decisionId"], "acceptDouble": false})),
        other => {
            let name: String = other.chars().take(40).collect();
            tracing::info!(event = "unknown", "a delivery of an unknown kind: {}", name.escape_default());
            Some(json!({}))
        }
    };
    match answer {
        Some(answer) => axum::Json(answer).into_response(),
        None => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

fn verification(delivery: &Value, body: &[u8], key: &str) -> Option<Value> {
    let nonce = delivery["nonce"].as_str()?;
    match delivery.get("version").and_then(Value::as_i64) {
        // A wake probe, or the old way with a key that we know.
        None => Some(json!({"nonce": nonce})),
        Some(2) => Some(json!({"nonce": nonce, "proof": proof(key, body)})),
        Some(other) => {
            tracing::error!(event = "delivery", "a verification of version {other}, which this bridge does not know");
            None
        }
    }
}

/// The answer to a decision: worked out once for each key, told to all who ask for it.
async fn decide(hook: &Arc<Hook>, delivery: Value, kind: &'static str, began: Instant) -> Option<Value> {
    let game = delivery["gameId"].as_str().filter(|id| is_sound_id(id))?.to_owned();
    let seat: Seat = serde_json::from_value(delivery["seat"].clone()).ok()?;
    let state: GameState = crate::api::read_value("state", delivery["state"].clone())
        .map_err(|error| tracing::error!(event = "delivery", "{error}"))
        .ok()?;
    let config = &hook.shared.config.webhook;
    let control = state.time_control.clone().unwrap_or(crate::api::TimeControl::Unlimited);
    let overhead = hook.shared.overhead.lock().current();
    let most = left_of(&control, state.clocks, seat, Duration::ZERO)
        .min(TURN_CAP)
        .min(Duration::from_millis(config.host_timeout_ms));
    let key = (game.clone(), seat, state.version, kind);
    let (dfen, tree) = (state.dfen.clone(), state.legal_moves.clone());
    let outcome = {
        let mut decisions = hook.decisions.lock();
        // What has failed is worked out anew when it is asked for again.
        decisions.retain(|_, known| known.at.elapsed() < KEPT && *known.outcome.borrow() != Outcome::Failed);
        match decisions.get(&key) {
            Some(known) => Arc::clone(&known.outcome),
            None => {
                let busy = decisions.values().filter(|known| *known.outcome.borrow() == Outcome::Pending).count();
                if busy >= MOST_AT_ONCE {
                    tracing::warn!(event = "delivery", "{busy} deliveries are being worked on: no more now");
                    return None;
                }
                let outcome = Arc::new(watch::Sender::new(Outcome::Pending));
                decisions.insert(key, Decision { at: began, outcome: Arc::clone(&outcome) });
                let (hook, tell, game) = (Arc::clone(hook), Arc::clone(&outcome), game.clone());
                // A task of its own: the work goes on when the delivery is cut, for it will come again.
                tokio::spawn(async move {
                    let value = work(&hook, &game, seat, state, kind, most, began).await;
                    settle(&tell, value.map_or(Outcome::Failed, Outcome::Answer));
                });
                outcome
            }
        }
    };
    let wait = most.saturating_sub(overhead.min(most / 4)).saturating_sub(began.elapsed());
    let mut answer = outcome.subscribe();
    if timeout(wait, answer.wait_for(|outcome| *outcome != Outcome::Pending)).await.is_err() {
        // An answer that comes too late is none.
        hook.shared.metrics.count("fallbacks_total", "late");
        tracing::warn!(event = "fallback", game, "the instant bot answers: the engine's turn is not there in time");
        let value = match kind {
            "drawDecision" => Some(json!({"acceptDraw": false})),
            _ => fallback(&dfen, tree.as_ref()).await,
        };
        settle(&outcome, value.map_or(Outcome::Failed, Outcome::Answer));
    }
    let outcome = outcome.borrow().clone();
    match outcome {
        Outcome::Answer(value) => Some(value),
        Outcome::Pending | Outcome::Failed => None,
    }
}

/// The first outcome is the one that counts.
fn settle(outcome: &watch::Sender<Outcome>, with: Outcome) {
    outcome.send_if_modified(|known| {
        let is_first = *known == Outcome::Pending;
        if is_first {
            *known = with;
        }
        is_first
    });
}

/// A turn without an engine: the instant bot's if the server sees it, too, else the first that the server sees.
async fn fallback(dfen: &str, tree: Option<&Tree>) -> Option<Value> {
    let rolled = Rolled::from_dfen(dfen).ok();
    let turn = tokio::task::spawn_blocking(move || rolled.map(|rolled| instant_turn(&rolled))).await.ok().flatten();
    let moves: Vec<String> =
        turn.map(|turn| turn.moves().iter().map(ToString::to_string).collect()).unwrap_or_default();
    let suits = !moves.is_empty() && tree.is_none_or(|tree| tree.holds(moves.iter().map(String::as_str)));
    let moves = if suits { moves } else { tree?.turns(1).pop()? };
    Some(json!({"moves": moves, "offerDraw": false}))
}

async fn work(
    hook: &Hook,
    game: &str,
    seat: Seat,
    state: GameState,
    kind: &str,
    most: Duration,
    began: Instant,
) -> Option<Value> {
    let shared = &hook.shared;
    let _ = shared.notices.send(Notice::Start(game.to_owned()));
    let outlook = hook.outlooks.lock().get(game).copied().unwrap_or_default();
    if kind == "drawDecision" {
        return Some(json!({"acceptDraw": shared.config.draws.accepts(&outlook)}));
    }
    let control = state.time_control.clone().unwrap_or(crate::api::TimeControl::Unlimited);
    let overhead = shared.overhead.lock().current();
    let time = engine_time(&control, state.clocks, seat, began.elapsed(), overhead, shared.config.unlimited());
    let time = within(time, most.saturating_sub(overhead.min(most / 4)));
    let worker = shared.pool.take();
    let choice = choose(shared, game, &worker, &state.dfen, state.legal_moves.as_ref(), &[], time).await;
    shared.pool.give_back(worker);
    let Choice { moves, thought, resigns, .. } = choice;
    let mut outlook = outlook;
    outlook.add(thought.as_ref().and_then(|thought| thought.score), &shared.config.draws, &shared.config.resign);
    {
        let mut outlooks = hook.outlooks.lock();
        if outlooks.len() > 10_000 {
            outlooks.clear();
        }
        outlooks.insert(game.to_owned(), outlook);
    }
    if shared.config.resign.enabled && (resigns || shared.config.resign.resigns(&outlook)) {
        return Some(json!({"resign": true}));
    }
    if moves.is_empty() {
        // It may not resign, or nobody sees a turn. An empty turn would be final, so none is sent.
        return fallback(&state.dfen, state.legal_moves.as_ref()).await;
    }
    let offers = state.may_offer_draw != Some(false) && shared.config.draws.offers(&outlook);
    Some(json!({"moves": moves, "offerDraw": offers}))
}

/// No longer than the host waits.
fn within(time: EngineTime, most: Duration) -> EngineTime {
    match time {
        EngineTime::Instant => EngineTime::Instant,
        EngineTime::Clock { left_ms, increment_ms, overhead, patience, grace } => EngineTime::Clock {
            left_ms,
            increment_ms,
            overhead,
            patience: patience.min(most * 7 / 10),
            grace: grace.min(most / 10),
        },
        EngineTime::Fixed { time, patience, grace } => EngineTime::Fixed {
            time: time.min(most * 6 / 10),
            patience: patience.min(most * 7 / 10),
            grace: grace.min(most / 10),
        },
    }
}
