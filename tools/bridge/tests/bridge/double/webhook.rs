//! Deliveries of the double: signed as the platform signs them, delivered again after trouble.

use super::{Double, game};
use astragal::rules::{Turn, apply_roll};
use bridge::sign::signature;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::{sleep, timeout};

/// Between two attempts; the platform waits 2 s and more.
const AGAIN: Duration = Duration::from_millis(100);

/// Where the double delivers to.
#[derive(Clone, Debug)]
pub struct Target {
    pub url: String,
    pub secret: String,
}

/// A client that posts deliveries.
pub fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().build().expect("a client")
}

/// Posts a body, signed now; the status and the body of the answer.
pub async fn post(client: &reqwest::Client, target: &Target, body: &str) -> Option<(u16, Value)> {
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs().to_string();
    let signed = signature(&target.secret, &stamp, body.as_bytes());
    let request = client
        .post(&target.url)
        .header("X-DiceChess-Timestamp", stamp)
        .header("X-DiceChess-Signature", signed)
        .header("Content-Type", "application/json")
        .body(body.to_owned());
    let answered = request.send().await.ok()?;
    let status = answered.status().as_u16();
    let body = answered.bytes().await.ok()?;
    Some((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
}

/// What a game asks the client for, and the body that asks.
pub fn asked(game: &game::Game) -> Option<(String, String)> {
    let kind = if game.draw_offered_by_them {
        "drawDecision"
    } else if game.is_clients_turn() && game.tree() != json!({}) {
        "yourTurn"
    } else {
        return None;
    };
    let seat = game::Game::seat(game.client());
    let body = json!({"type": kind, "gameId": game.id, "seat": seat, "state": game.state(0)}).to_string();
    Some((format!("{kind} {} {}", game.id, game.version), body))
}

/// Delivers a decision until it is answered, and plays the answer.
pub async fn deliver(double: Double, target: Target, id: String, key: String, body: String) {
    let client = client();
    loop {
        let (twice, cut) = {
            let mut inner = double.lock();
            let t = inner.trouble;
            inner.deliveries += 1;
            (inner.chance(t.twice), inner.chance(t.cut_after))
        };
        if cut {
            // The connection is lost before the answer.
            let _ = timeout(Duration::from_millis(5), post(&client, &target, &body)).await;
        } else {
            let first = post(&client, &target, &body);
            let (first, second) =
                if twice { tokio::join!(first, post(&client, &target, &body)) } else { (first.await, None) };
            let mut inner = double.lock();
            if let (Some(first), Some(second)) = (&first, &second)
                && first != second
            {
                inner.offences.different_answers += 1;
            }
            match first {
                Some((status @ (200 | 400..=499), answer)) => {
                    inner.offences.refused_deliveries += u32::from(status != 200);
                    take(&mut inner, &id, &key, &answer);
                    return;
                }
                _ => inner.offences.failed_deliveries += 1,
            }
        }
        sleep(AGAIN).await;
    }
}

/// An answer that came to a decision: a turn, or what is said to a draw offer.
fn take(inner: &mut super::Inner, id: &str, key: &str, answer: &Value) {
    let Some(game) = inner.games.get_mut(id) else { return };
    if asked(game).is_none_or(|(now, _)| now != key) {
        return;
    }
    if game.draw_offered_by_them {
        game.draw_offered_by_them = false;
        if answer["acceptDraw"] == true {
            game.finish(game::Over { result: 0, termination: "Draw", word: "draw_agreement" });
        } else {
            let by = game::Game::seat(game.client());
            game.emit("DrawDeclined", json!({"by": by}));
        }
        return;
    }
    let moves: Vec<String> = serde_json::from_value(answer["moves"].clone()).unwrap_or_default();
    match moves.join(",").parse::<Turn>() {
        Ok(turn) if !turn.is_empty() && apply_roll(&game.rolled(), turn).is_ok() => game.play(turn),
        _ => {
            eprintln!("illegal answer {answer} to {key}");
            inner.offences.illegal += 1;
        }
    }
}
