//! The streams of the double, and connections that break.

use super::Double;
use axum::body::{Body, Bytes};
use axum::response::Response;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio::time::sleep;

/// The connection ends without an answer's end.
pub fn cut() -> Response {
    let broken = Body::from_stream(Broken);
    Response::builder().status(200).header("content-length", "100").body(broken).expect("a response")
}

/// A body that breaks.
struct Broken;

impl futures_core::Stream for Broken {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Ready(Some(Err(std::io::Error::other("cut"))))
    }
}

/// A stream of lines with the troubles of the way.
pub fn stream(double: &Double, first: Vec<String>, mut told: broadcast::Receiver<String>) -> Response {
    let double = double.clone();
    let (to_client, from_us) = tokio::sync::mpsc::channel::<Result<Bytes, std::io::Error>>(64);
    tokio::spawn(async move {
        let mut held: Option<String> = None;
        let mut waiting: std::collections::VecDeque<String> = first.into();
        let mut is_first = true;
        loop {
            let line = match waiting.pop_front() {
                Some(line) => line,
                None => tokio::select! {
                    line = told.recv() => match line {
                        Ok(line) => line,
                        Err(_) => return,
                    },
                    () = sleep(Duration::from_millis(500)) => String::new(),
                },
            };
            if double.is_down() {
                return;
            }
            let is_end = line.contains("GameEnded");
            let is_snapshot = std::mem::take(&mut is_first) && line.contains("Snapshot");
            let (drop, half, twice, swap, lose, mute, unknown, lie) = {
                let mut inner = double.lock();
                let t = inner.trouble;
                (
                    inner.chance(t.drop),
                    inner.chance(t.half),
                    inner.chance(t.twice),
                    inner.chance(t.swap),
                    inner.chance(t.lose),
                    inner.chance(t.mute),
                    inner.chance(t.unknown),
                    inner.chance(t.lie),
                )
            };
            if mute {
                to_client.closed().await;
                return;
            }
            if lose && !is_snapshot && !line.is_empty() {
                continue;
            }
            let line = if lie && line.contains("DiceRolled") { lied(&line) } else { line };
            let line = if unknown && line.ends_with('}') {
                line.replacen(":{", ":{\"novelty\":[1,{\"x\":null}],", 1)
            } else {
                line
            };
            if swap && held.is_none() && !is_snapshot && !is_end && !line.is_empty() {
                held = Some(line);
                continue;
            }
            let mut text = String::new();
            if unknown {
                text.push_str("{\"Firework\":{\"colour\":\"red\"}}\n");
            }
            if half {
                text.push_str(&line[..line.len() / 2]);
                let _ = to_client.send(Ok(Bytes::from(text))).await;
                return;
            }
            text.push_str(&line);
            text.push('\n');
            if twice && !line.is_empty() {
                text.push_str(&line);
                text.push('\n');
            }
            if let Some(held) = held.take() {
                text.push_str(&held);
                text.push('\n');
            }
            if to_client.send(Ok(Bytes::from(text))).await.is_err() {
                return;
            }
            if drop || is_end {
                return;
            }
        }
    });
    let body = Body::from_stream(Receiving(from_us));
    Response::builder().status(200).header("content-type", "application/x-ndjson").body(body).expect("a response")
}

/// A roll whose tree lacks what it should hold.
fn lied(line: &str) -> String {
    let mut value: Value = serde_json::from_str(line).expect("ours");
    if let Some(tree) = value["DiceRolled"]["legalMoves"].as_object_mut()
        && tree.len() > 1
    {
        let keys: Vec<String> = tree.keys().cloned().collect();
        keys.iter().skip(1).for_each(|key| {
            tree.remove(key);
        });
    }
    value.to_string()
}

pub struct Receiving(pub tokio::sync::mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl futures_core::Stream for Receiving {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}
