//! What brings a game's news: a stream that is opened again whenever it ends, or asking.

use super::{Shared, jitter};
use crate::api::{GameEvent, GameState};
use crate::config::Mode;
use crate::decide::Backoff;
use crate::net::StreamError;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::time::sleep;

/// Something new of a game.
pub(super) enum Input {
    /// A line of the stream, and when it was read.
    Event(Option<i64>, Box<GameEvent>, Instant),
    /// The server has no such game (any more).
    Gone,
    /// The token does not hold.
    Unauthorized,
}

/// Our clock as the game last knew it; waits hang on it.
#[derive(Clone, Default)]
pub(super) struct OurClock(Arc<Mutex<Option<(Instant, Duration)>>>);

impl OurClock {
    /// It stood so when it was read.
    pub(super) fn set(&self, read_at: Instant, left: Option<Duration>) {
        *self.0.lock() = left.map(|left| (read_at, left));
    }

    /// What is certainly left: it may run without our knowing.
    pub(super) fn left(&self) -> Option<Duration> {
        self.0.lock().map(|(at, left)| left.saturating_sub(at.elapsed()).max(left / 20))
    }
}

/// Brings news until nobody wants them. `reopen` tells that the stream is not to be trusted.
pub(super) async fn feed(
    shared: Arc<Shared>,
    id: String,
    clock: OurClock,
    reopen: Arc<Notify>,
    inputs: mpsc::Sender<Input>,
) {
    match shared.config.mode {
        Mode::Stream => stream(&shared, &id, &clock, &reopen, &inputs).await,
        Mode::Poll => ask(&shared, &id, &clock, &inputs, shared.waits.poll).await,
        // Turns come by themselves; this only finds the end.
        Mode::Webhook => ask(&shared, &id, &clock, &inputs, shared.waits.games / 3).await,
    }
}

async fn stream(shared: &Shared, id: &str, clock: &OurClock, reopen: &Notify, inputs: &mpsc::Sender<Input>) {
    let path = format!("/bot/game/stream/{id}");
    let mut backoff = Backoff::default();
    let mut opened = false;
    loop {
        match shared.server.stream(&path, &shared.waits, shared.waits.answer(clock.left())).await {
            Ok(mut lines) => {
                if opened {
                    shared.metrics.count("reconnects_total", "game");
                }
                opened = true;
                let since = Instant::now();
                let why = loop {
                    let line = tokio::select! {
                        line = lines.next() => line,
                        () = reopen.notified() => break "it fell behind".to_owned(),
                    };
                    let read_at = Instant::now();
                    // One that ends as soon as it has begun is no success: the waits must grow.
                    if line.is_ok() && since.elapsed() >= shared.waits.steady {
                        backoff.reset();
                    }
                    match line {
                        Ok(line) if line.is_empty() => {}
                        Ok(line) => match GameEvent::read(&line) {
                            Ok((version, event)) => {
                                if inputs.send(Input::Event(version, Box::new(event), read_at)).await.is_err() {
                                    return;
                                }
                            }
                            // What it was is found out by a new snapshot.
                            Err(error) => break error.to_string(),
                        },
                        Err(end) => break end.to_string(),
                    }
                };
                tracing::debug!(event = "stream", game = id, "the stream of the game ended: {why}");
            }
            Err(StreamError::Status(401)) => {
                let _ = inputs.send(Input::Unauthorized).await;
                return;
            }
            Err(StreamError::Status(404)) => {
                if inputs.send(Input::Gone).await.is_err() {
                    return;
                }
            }
            Err(error) => tracing::debug!(event = "stream", game = id, "the stream of the game: {error}"),
        }
        if inputs.is_closed() {
            return;
        }
        sleep(backoff.fail(&shared.waits, clock.left(), jitter())).await;
    }
}

async fn ask(shared: &Shared, id: &str, clock: &OurClock, inputs: &mpsc::Sender<Input>, every: Duration) {
    let path = format!("/games/{id}");
    let mut backoff = Backoff::default();
    loop {
        let wait = match shared.server.get(&path, shared.waits.answer(clock.left())).await {
            Ok(answered) if answered.status == 200 => {
                backoff.reset();
                if let Some(state) = answered.read::<GameState>("state") {
                    let event = Box::new(GameEvent::Snapshot(Box::new(state)));
                    if inputs.send(Input::Event(None, event, Instant::now())).await.is_err() {
                        return;
                    }
                }
                every
            }
            Ok(answered) if answered.status == 404 => {
                if inputs.send(Input::Gone).await.is_err() {
                    return;
                }
                every
            }
            Ok(answered) => backoff
                .fail(&shared.waits, clock.left(), jitter())
                .max(answered.retry_after.unwrap_or_default().min(every * 10)),
            Err(_) => backoff.fail(&shared.waits, clock.left(), jitter()),
        };
        let bounded = clock.left().map_or(wait, |left| wait.min((left / 10).max(shared.waits.silence_least)));
        tokio::select! {
            () = sleep(bounded) => {}
            () = inputs.closed() => return,
        }
    }
}
