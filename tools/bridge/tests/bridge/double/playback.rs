//! A server that plays a recorded stream of a game back, line by line, and waits for the client's turns where they are due.

use bridge::api::{GameEvent, Seat, Tree};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use tokio::time::sleep;

pub const ID: &str = "abd71990-51aa-49bd-b51f-ce5fe2c2a274";

/// How long an end that comes while the client's turn is due waits for the turn.
const LAST_TURN: Duration = Duration::from_millis(500);

pub struct Inner {
    lines: Vec<String>,
    /// How many lines have been told, and since when the next one waits.
    told: usize,
    since: Instant,
    /// The state after those lines.
    state: Value,
    seat: Seat,
    history: Value,
    /// The turns that the client has sent.
    pub sent: Vec<Vec<String>>,
    /// Requests that were not answered by success.
    pub refused: Vec<String>,
    /// Lines of the account's stream before the game's beginning.
    account: Vec<String>,
}

#[derive(Clone)]
pub struct Playback {
    inner: Arc<Mutex<Inner>>,
    pub address: String,
}

impl Inner {
    fn event(&self, index: usize) -> Option<GameEvent> {
        self.lines.get(index).map(|line| GameEvent::read(line.as_bytes()).expect(line).1)
    }

    pub fn is_over(&self) -> bool {
        self.told == self.lines.len() && self.lines.last().is_some_and(|line| line.contains("GameEnded"))
    }

    fn is_due(&self) -> bool {
        self.state["activeSeat"] == json!(self.seat)
            && self.state["dicePending"] == true
            && self.state["legalMoves"] != json!({})
    }

    /// Tells the next line if nothing is waited for.
    fn advance(&mut self) {
        match self.event(self.told) {
            None => return,
            Some(GameEvent::TurnPlayed { seat, moves, .. }) if seat == self.seat && !moves.is_empty() => return,
            Some(GameEvent::GameEnded(_)) if self.is_due() && self.since.elapsed() < LAST_TURN => return,
            _ => {}
        }
        self.tell();
    }

    fn tell(&mut self) {
        let line: Value = serde_json::from_str(&self.lines[self.told]).expect("JSON");
        let (name, body) = line.as_object().and_then(|line| line.iter().next()).expect("an event");
        let state = &mut self.state;
        match name.as_str() {
            "Snapshot" => *state = body["state"].clone(),
            "DiceRolled" => {
                state["dfen"] = body["dfen"].clone();
                state["activeSeat"] = body["seat"].clone();
                state["clocks"] = body["clocks"].clone();
                state["legalMoves"] = body["legalMoves"].clone();
                state["dicePending"] = json!(true);
            }
            "TurnPlayed" => {
                state["dfen"] = body["fenAfter"].clone();
                let other = if body["seat"] == "White" { "Black" } else { "White" };
                state["activeSeat"] = json!(other);
                state["dicePending"] = json!(false);
                state["legalMoves"] = Value::Null;
            }
            _ => {}
        }
        state["version"] = body["v"].clone();
        self.told += 1;
        self.since = Instant::now();
    }

    fn take(&mut self, moves: Vec<String>) -> Response {
        self.sent.push(moves.clone());
        let due = match self.event(self.told) {
            Some(GameEvent::TurnPlayed { seat, moves, .. }) if seat == self.seat => Some(moves),
            _ => None,
        };
        if self.is_over() {
            return StatusCode::NOT_FOUND.into_response();
        }
        if due.as_ref().is_none_or(|due| *due != moves) {
            let tree: Option<Tree> = serde_json::from_value(self.state["legalMoves"].clone()).expect("a tree");
            let is_legal = tree.is_none_or(|tree| tree.holds(moves.iter().map(String::as_str)));
            if due.is_none() && self.is_due() && is_legal {
                // The recording ends here: it counts, and nothing comes any more.
                self.state["dicePending"] = json!(false);
                return said(200, json!({"applied": true, "version": null, "reason": null}));
            }
            return said(409, json!({"applied": false, "version": null, "reason": "illegal turn"}));
        }
        self.tell();
        said(200, json!({"applied": true, "version": self.state["version"], "reason": null}))
    }

    fn history(&self) -> Value {
        if !self.history.is_null() {
            return self.history.clone();
        }
        let (mut dice, mut turns, mut end) = (Vec::new(), Vec::new(), None);
        for index in 0..self.lines.len() {
            match self.event(index) {
                Some(GameEvent::DiceRolled { dice: rolled, .. }) => dice = rolled,
                Some(GameEvent::TurnPlayed { seat, moves, fen_after }) => turns.push(json!({
                    "turnNumber": turns.len() + 1, "activeColor": seat, "dice": dice, "moves": moves, "fenAfter": fen_after,
                })),
                Some(GameEvent::GameEnded(ended)) => end = Some(ended),
                _ => {}
            }
        }
        let end = end.expect("it is over");
        let result = end.over.winner.map_or(0, |winner| if winner == Seat::White { 1 } else { -1 });
        json!({
            "gameId": ID, "players": self.state["players"], "rated": false, "timeControl": self.state["timeControl"],
            "result": result, "termination": end.over.termination.to_lowercase(), "turns": turns,
            "initialDfen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "fairness": {"commit": self.state["commit"], "seed": end.seed, "clientSeeds": end.client_seeds},
        })
    }

    fn snapshot(&self) -> String {
        json!({"Snapshot": {"v": self.state["version"], "state": self.state, "history": []}}).to_string()
    }
}

fn said(status: u16, body: Value) -> Response {
    (StatusCode::from_u16(status).expect("a status"), axum::Json(body)).into_response()
}

impl Playback {
    /// Plays these lines to the client at `seat`; without a history one is made of the lines.
    pub fn start(lines: Vec<String>, seat: Seat, history: Value, account: Vec<String>) -> Self {
        let mut inner = Inner {
            lines,
            told: 0,
            since: Instant::now(),
            state: Value::Object(Map::new()),
            seat,
            history,
            sent: Vec::new(),
            refused: Vec::new(),
            account,
        };
        inner.tell();
        let (tell, told) = std::sync::mpsc::channel();
        let inner = Arc::new(Mutex::new(inner));
        let playback = Self { inner: Arc::clone(&inner), address: String::new() };
        let served = playback.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                tell.send(listener.local_addr().expect("an address")).expect("somebody waits");
                let _ = axum::serve(listener, Router::new().route("/{*path}", any(answer)).with_state(served)).await;
            });
        });
        let address = told.recv().expect("it listens");
        Self { address: format!("http://{address}"), ..playback }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

async fn answer(State(playback): State<Playback>, Path(path): Path<String>, method: Method, body: Bytes) -> Response {
    let parts: Vec<&str> = path.split('/').collect();
    let response = match (method.as_str(), parts.as_slice()) {
        ("GET", ["bot", "account"]) => {
            said(200, json!({"team": "dragons", "name": "astragal", "id": "bot:team:dragons:astragal"}))
        }
        ("GET", ["bot", "stream", "event"]) => {
            let mut lines = playback.lock().account.clone();
            lines.push(json!({"GameStart": {"gameId": ID}}).to_string());
            stream(playback.clone(), lines, None)
        }
        ("GET", ["bot", "game", "stream", ID]) => {
            let inner = playback.lock();
            if inner.is_over() {
                return StatusCode::NOT_FOUND.into_response();
            }
            // The first line as it was recorded; after a reconnection the state as it is.
            let first = if inner.told == 1 { inner.lines[0].clone() } else { inner.snapshot() };
            let from = inner.told;
            drop(inner);
            stream(playback.clone(), vec![first], Some(from))
        }
        ("GET", ["games", ID]) => {
            let inner = playback.lock();
            if inner.is_over() { StatusCode::NOT_FOUND.into_response() } else { said(200, inner.state.clone()) }
        }
        ("GET", ["games", ID, "history"]) => {
            let inner = playback.lock();
            if inner.is_over() { said(200, inner.history()) } else { StatusCode::NOT_FOUND.into_response() }
        }
        ("GET", ["bot", "games"]) => {
            let inner = playback.lock();
            let state = &inner.state;
            let game = json!({
                "gameId": ID, "seat": inner.seat, "activeSeat": state["activeSeat"], "dicePending": state["dicePending"],
                "timeControl": state["timeControl"], "clocks": state["clocks"], "version": state["version"],
            });
            said(200, json!({"games": if inner.is_over() { vec![] } else { vec![game] }}))
        }
        ("GET", ["bot", "challenges"]) => said(200, json!({"in": [], "out": []})),
        ("POST", ["bot", "capacity"]) => said(200, json!({"maxConcurrentGames": 1, "openToHumans": false})),
        ("POST", ["bot", "game", ID, "seed"]) => StatusCode::ACCEPTED.into_response(),
        ("POST", ["bot", "game", ID, "move"]) => {
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            playback.lock().take(serde_json::from_value(body["moves"].clone()).expect("moves"))
        }
        // A game of another time: over and put away, without a history.
        ("GET", ["bot", "game", "stream", _] | ["games", ..]) => return StatusCode::NOT_FOUND.into_response(),
        ("POST", ["bot", "game", _, "seed"]) => StatusCode::ACCEPTED.into_response(),
        _ => (StatusCode::NOT_FOUND, "Not found").into_response(),
    };
    if response.status().as_u16() >= 400 && !path.ends_with("history") {
        playback.lock().refused.push(format!("{method} {path} {}", response.status().as_u16()));
    }
    response
}

/// Lines, and those of the game that are told from then on.
fn stream(playback: Playback, lines: Vec<String>, from: Option<usize>) -> Response {
    let (to_client, from_us) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(64);
    tokio::spawn(async move {
        for line in lines {
            let _ = to_client.send(Ok(Bytes::from(format!("{line}\n")))).await;
        }
        let mut cursor = from;
        while !to_client.is_closed() {
            sleep(Duration::from_millis(3)).await;
            let Some(at) = &mut cursor else { continue };
            let (news, is_over): (Vec<String>, bool) = {
                let mut inner = playback.lock();
                inner.advance();
                (inner.lines[*at..inner.told].to_vec(), inner.is_over())
            };
            *at += news.len();
            for line in news {
                let _ = to_client.send(Ok(Bytes::from(format!("{line}\n")))).await;
            }
            if is_over {
                return;
            }
        }
    });
    let body = Body::from_stream(super::streams::Receiving(from_us));
    Response::builder().status(200).header("content-type", "application/x-ndjson").body(body).expect("a response")
}
