//! The routes of the double, and its troubles.

use super::lobby::{self, Caller};
use super::streams::{cut, stream};
use super::{Double, game};
use astragal::rules::{Turn, apply_roll};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

pub fn routes(double: Double) -> Router {
    Router::new().route("/{*path}", any(answer)).with_state(double)
}

fn said(status: u16, body: Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    if body.is_null() { status.into_response() } else { (status, axum::Json(body)).into_response() }
}

async fn answer(
    State(double): State<Double>,
    Path(path): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if double.is_down() {
        return cut();
    }
    let parts: Vec<&str> = path.split('/').collect();
    let parsed: Option<Value> = serde_json::from_slice(&body).ok();
    let verifies = { double.lock().lobby.verifies };
    if verifies && method == Method::POST && path == "bot/webhook" {
        // The key is one that the client cannot have yet.
        let url = parsed.as_ref().and_then(|body| body["url"].as_str()).unwrap_or_default().to_owned();
        let target = super::webhook::Target { url, secret: "not told yet".to_owned() };
        let body = json!({"type": "verification", "nonce": "n0nce"}).to_string();
        if super::webhook::post(&super::webhook::client(), &target, &body).await
            != Some((200, json!({"nonce": "n0nce"})))
        {
            return said(422, json!("the endpoint did not answer the verification"));
        }
    }
    let caller;
    {
        let mut inner = double.lock();
        inner.requests.push_back(format!("{method} {uri}"));
        if inner.requests.len() > 20_000 {
            inner.requests.pop_front();
        }
        let token = headers.get("authorization").and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        caller = token.and_then(|token| lobby::caller(&inner, token));
        if parts[0] == "bot" && !["anon", "register"].contains(&parts[1]) && caller.is_none() {
            inner.offences.unauthorized += 1;
            let refused = (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]);
            return refused.into_response();
        }
        if headers.get("user-agent").is_none_or(|agent| !agent.to_str().unwrap_or("").starts_with("astragal-bridge/")) {
            return said(403, json!("1010"));
        }
        let fails = inner.trouble.read_fails;
        if method == Method::GET && !path.contains("stream") && path != "bot/account" && inner.chance(fails) {
            return said(500, Value::Null);
        }
        let query = uri.query().unwrap_or_default();
        if let Some((status, body)) = lobby::answer(&mut inner, caller, method.as_str(), &parts, query, parsed.as_ref())
        {
            return said(status, body);
        }
    }
    match (method.as_str(), parts.as_slice()) {
        ("GET", ["bot", "games"]) => {
            let inner = double.lock();
            let lag = inner.trouble.lag_ms;
            let list: Vec<Value> = inner
                .games
                .values()
                .map(|game| {
                    let state = game.state(lag);
                    json!({
                        "gameId": game.id, "seat": game::Game::seat(game.client()), "activeSeat": state["activeSeat"],
                        "dicePending": state["dicePending"], "timeControl": state["timeControl"],
                        "clocks": state["clocks"], "version": state["version"],
                    })
                })
                .collect();
            said(200, json!({"games": list}))
        }
        ("GET", ["games"]) => {
            let inner = double.lock();
            let shown = |game: &game::Game| {
                let state = game.state(0);
                let keys = ["players", "timeControl", "activeSeat", "dicePending", "clocks", "version", "dfen"];
                let mut shown = json!({"gameId": game.id});
                keys.iter().for_each(|key| shown[*key] = state[*key].clone());
                shown
            };
            let list: Vec<Value> = inner.games.values().map(shown).collect();
            said(200, json!({"total": list.len(), "games": list}))
        }
        ("GET", ["games", id]) => {
            let inner = double.lock();
            inner
                .games
                .get(*id)
                .map_or_else(|| said(404, Value::Null), |game| said(200, game.state(inner.trouble.lag_ms)))
        }
        ("GET", ["games", id, "moves"]) => {
            let inner = double.lock();
            let Some(game) = inner.games.get(*id) else { return said(404, Value::Null) };
            let turns = astragal::rules::legal_turns(&game.rolled());
            let tree = if game.dice.is_some() { game::tree_of(&turns) } else { Value::Null };
            said(
                200,
                json!({"version": game.version, "dfen": game.dfen(), "dicePending": game.dice.is_some(), "legalMoves": tree}),
            )
        }
        ("GET", ["games", id, "history"]) => {
            let inner = double.lock();
            inner.histories.get(*id).map_or_else(|| said(404, Value::Null), |history| said(200, history.clone()))
        }
        ("POST", ["bot", "game", id, "seed"]) => {
            let mut inner = double.lock();
            inner.seeds += 1;
            if let Some(game) = inner.games.get_mut(*id)
                && let Some(seed) = parsed.and_then(|body| body["seed"].as_str().map(str::to_owned))
                && (16..=256).contains(&seed.len())
                && game.turns.is_empty()
                && game.dice.is_none()
            {
                let side = game.client();
                game.seeds[side].get_or_insert(seed);
            }
            said(202, Value::Null)
        }
        ("POST", ["bot", "game", id, "move"]) => turn(&double, caller, id, parsed).await,
        ("POST", ["bot", "game", id, "resign"]) => {
            let mut inner = double.lock();
            let Some(game) = inner.games.get_mut(*id) else { return said(404, Value::Null) };
            let result = if game.client() == 0 { -1 } else { 1 };
            game.resigned = true;
            game.finish(game::Over { result, termination: "Resign", word: "resign" });
            said(202, Value::Null)
        }
        ("POST", ["bot", "game", id, "draw", what @ ("accept" | "decline")]) => {
            let mut inner = double.lock();
            let Some(game) = inner.games.get_mut(*id) else { return said(404, Value::Null) };
            if !std::mem::take(&mut game.draw_offered_by_them) {
                return said(409, json!({"applied": false, "version": null, "reason": "no draw offer pending"}));
            }
            let by = game::Game::seat(game.client());
            if *what == "accept" {
                game.finish(game::Over { result: 0, termination: "Draw", word: "draw_agreement" });
            } else {
                game.emit("DrawDeclined", json!({"by": by}));
            }
            said(200, json!({"applied": true, "version": game.version, "reason": null, "drawOffered": false}))
        }
        ("GET", ["bot", "stream", "event"]) => {
            let told = double.lock().account.subscribe();
            stream(&double, Vec::new(), told)
        }
        ("GET", ["bot", "game", "stream", id]) => {
            let inner = double.lock();
            let Some(game) = inner.games.get(*id) else { return said(404, Value::Null) };
            let state = game.state(inner.trouble.lag_ms);
            let first = json!({"Snapshot": {"v": game.version, "state": state, "history": []}}).to_string();
            let told = game.events.subscribe();
            drop(inner);
            stream(&double, vec![first], told)
        }
        _ => (StatusCode::NOT_FOUND, "Not found").into_response(),
    }
}

/// A turn of the client, with the troubles of the way.
async fn turn(double: &Double, caller: Option<Caller>, id: &str, body: Option<Value>) -> Response {
    let (late, cut_before, cut_after, odd) = {
        let mut inner = double.lock();
        let trouble = inner.trouble;
        let late = if inner.chance(trouble.late) {
            rand_core::Rng::next_u32(&mut inner.rng) % trouble.late_ms.max(1)
        } else {
            0
        };
        let odd = if inner.chance(trouble.odd) { 1 + rand_core::Rng::next_u32(&mut inner.rng) % 8 } else { 0 };
        (late, inner.chance(trouble.cut_before), inner.chance(trouble.cut_after), odd)
    };
    if cut_before {
        return cut();
    }
    match odd {
        1 => return said(429, Value::Null),
        2 => return said(500, Value::Null),
        3 => return said(503, Value::Null),
        // A verdict about nothing: the turn was not even looked at.
        6 => return said(409, json!({"applied": false, "version": null, "reason": "not your turn"})),
        7 => return said(409, json!({"applied": false, "version": null, "reason": "dice not rolled yet"})),
        8 => return said(403, json!("1010")),
        _ => {}
    }
    let verdict = {
        let mut inner = double.lock();
        let moves: Option<Vec<String>> =
            body.as_ref().and_then(|body| serde_json::from_value(body["moves"].clone()).ok());
        if body.as_ref().is_some_and(|body| body.get("acceptDraw").is_some()) {
            inner.offences.illegal += 1;
        }
        let Some(moves) = moves else { return said(400, json!("Invalid message body")) };
        let side = match caller {
            Some(Caller::Client) => 0,
            Some(Caller::Rival) => 1,
            // Not theirs.
            _ => return said(404, Value::Null),
        };
        let Some(game) = inner.games.get_mut(id) else { return said(404, Value::Null) };
        if side == 1 {
            // The rival moves by itself; what it posts comes at the wrong time.
            let seat = game::Game::seat(1 - game.client());
            game.emit("Rejected", json!({"seat": seat, "reason": "not your turn"}));
            return said(409, json!({"applied": false, "version": null, "reason": "not your turn"}));
        }
        let key = game.dfen();
        let refused = |reason: &str| said(409, json!({"applied": false, "version": null, "reason": reason}));
        let turn: Option<Turn> = moves.join(",").parse().ok();
        if game.over.is_some() {
            refused("game is over")
        } else if !game.is_clients_turn() {
            // Sent again although the verdict had been told: a double.
            let told = game.taken.as_ref().is_some_and(|(_, told)| *told);
            game.emit("Rejected", json!({"seat": game::Game::seat(game.client()), "reason": "not your turn"}));
            inner.offences.not_ours += 1;
            if told {
                inner.offences.double += 1;
            }
            refused("not your turn")
        } else {
            match turn {
                Some(turn) if !turn.is_empty() && apply_roll(&game.rolled(), turn).is_ok() => {
                    game.taken = Some((key, !cut_after && odd == 0));
                    game.play(turn);
                    let offers = body.as_ref().is_some_and(|body| body["offerDraw"] == true) && game.over.is_none();
                    if offers {
                        // The rival says no at once.
                        game.offers += 1;
                        let (us, them) = (game::Game::seat(game.client()), game::Game::seat(1 - game.client()));
                        game.emit("DrawOffered", json!({"by": us}));
                        game.emit("DrawDeclined", json!({"by": them}));
                    }
                    let (version, most) = (game.version, game.offers);
                    inner.most_offers = inner.most_offers.max(most);
                    let mut verdict = json!({"applied": true, "version": version, "reason": null});
                    if offers {
                        verdict["drawOffered"] = json!(true);
                    }
                    said(200, verdict)
                }
                _ => {
                    let seat = game::Game::seat(game.client());
                    game.emit("Rejected", json!({"seat": seat, "reason": "illegal turn"}));
                    eprintln!("illegal turn {moves:?} in {key}");
                    inner.offences.illegal += 1;
                    refused("illegal turn")
                }
            }
        }
    };
    sleep(Duration::from_millis(u64::from(late))).await;
    if cut_after {
        return cut();
    }
    match odd {
        4 => said(202, Value::Null),
        5 => said(500, Value::Null),
        _ => verdict,
    }
}
