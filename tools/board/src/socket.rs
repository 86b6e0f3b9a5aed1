//! A page's socket: what comes in is read, counted and answered in order; what is told goes out.

use crate::hub::{Hub, Out};
use crate::wire::{Ask, read_ask};
use astragal::record::escaped;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{interval, timeout};

/// Messages that may come at once, and a second after that.
const BURST: f64 = 400.0;
const RATE: f64 = 100.0;

/// What waits for a page to read it.
const MOST_TOLD: usize = 1024;
const MOST_LINES: usize = 64;

/// Asks that wait for one before them.
const MOST_ASKS: usize = 64;

/// How long a page may take to read a message.
const SLOW: Duration = Duration::from_secs(10);

/// Between two questions whether the page is still there; after two without an answer it is not.
const PING: Duration = Duration::from_secs(20);

/// Why a socket is closed by us.
struct Bye(&'static str, String);

/// Serves a page until it goes.
pub async fn serve(mut socket: WebSocket, hub: Arc<Hub>) {
    let (told, mut out) = channel(MOST_TOLD);
    let (lines, mut heard) = channel(MOST_LINES);
    let (asks, mut waiting) = channel::<(u64, Ask)>(MOST_ASKS);
    let slow = Arc::new(Notify::new());
    let page = match hub.join(Out { told: told.clone(), lines, slow: Arc::clone(&slow) }) {
        Ok(page) => page,
        Err(why) => return close(&mut socket, Bye("pages", why.to_owned())).await,
    };
    let (asked, replies) = (Arc::clone(&hub), told);
    let answers = tokio::spawn(async move {
        while let Some((id, ask)) = waiting.recv().await {
            let hub = Arc::clone(&asked);
            // A panic of ours costs this answer and nothing else.
            let answer = move || {
                let mut then = None;
                (hub.answer(page, ask, &mut then), then)
            };
            let (reply, then) = match tokio::task::spawn_blocking(answer).await {
                Ok((Ok(ok), then)) => (json!({"type": "reply", "id": id, "ok": ok}), then),
                Ok((Err(fail), then)) => (json!({"type": "reply", "id": id, "error": fail}), then),
                Err(_) => {
                    let fail = json!({"code": "bad", "message": "a fault of the server"});
                    (json!({"type": "reply", "id": id, "error": fail}), None)
                }
            };
            if replies.send(reply.to_string()).await.is_err() {
                return;
            }
            if let Some(then) = then {
                then();
            }
        }
    });
    let mut bucket = Bucket { tokens: BURST, at: Instant::now() };
    let mut ping = interval(PING);
    let mut unanswered = 0;
    let bye = loop {
        let message = tokio::select! {
            biased;
            () = slow.notified() => break Some(Bye("slow", "the page does not read".to_owned())),
            Some(text) = out.recv() => Message::text(text),
            message = socket.recv() => {
                unanswered = 0;
                match read(message, &mut bucket, &asks).await {
                    Ok(true) => continue,
                    Ok(false) => break None,
                    Err(bye) => break Some(bye),
                }
            }
            Some(text) = heard.recv() => Message::text(text),
            _ = ping.tick() => {
                unanswered += 1;
                if unanswered > 2 {
                    break None;
                }
                Message::Ping(Vec::new().into())
            }
        };
        match timeout(SLOW, socket.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => break None,
            Err(_) => break Some(Bye("slow", "the page does not read".to_owned())),
        }
    };
    hub.leave(page);
    answers.abort();
    if let Some(bye) = bye {
        close(&mut socket, bye).await;
    }
}

/// Tells why, closes, and hears what is still on its way for a moment, so that the word arrives.
async fn close(socket: &mut WebSocket, Bye(code, message): Bye) {
    let text = json!({"type": "bye", "code": code, "message": escaped(&message, 300)}).to_string();
    let frame = CloseFrame { code: close_code::POLICY, reason: code.into() };
    let say = async {
        let _ = socket.send(Message::text(text)).await;
        let _ = socket.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = socket.recv().await {}
    };
    let _ = timeout(Duration::from_secs(2), say).await;
}

/// Whether the socket goes on.
async fn read(
    message: Option<Result<Message, axum::Error>>,
    bucket: &mut Bucket,
    asks: &Sender<(u64, Ask)>,
) -> Result<bool, Bye> {
    let text = match message {
        None | Some(Ok(Message::Close(_))) => return Ok(false),
        // Too long, no UTF-8, or the connection is gone.
        Some(Err(error)) => return Err(Bye("garbage", error.to_string())),
        Some(Ok(_)) if !bucket.takes_one() => return Err(Bye("flood", "too many messages".to_owned())),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => return Ok(true),
        Some(Ok(Message::Binary(_))) => return Err(Bye("garbage", "messages are text".to_owned())),
        Some(Ok(Message::Text(text))) => text,
    };
    let ask = read_ask(text.as_str()).map_err(|what| Bye("garbage", what))?;
    Ok(asks.send(ask).await.is_ok())
}

/// Counts messages.
struct Bucket {
    tokens: f64,
    at: Instant,
}

impl Bucket {
    fn takes_one(&mut self) -> bool {
        let now = Instant::now();
        self.tokens = (self.tokens + RATE * now.duration_since(self.at).as_secs_f64()).min(BURST);
        self.at = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}
