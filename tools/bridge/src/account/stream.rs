//! The account's stream, opened again whenever it ends.

use super::Errand;
use crate::api::AccountEvent;
use crate::decide::Backoff;
use crate::net::StreamError;
use crate::play::{Notice, Shared, jitter};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::sleep;

/// Listens until nobody wants the news.
pub async fn listen(shared: Arc<Shared>, errands: UnboundedSender<Errand>) {
    let mut backoff = Backoff::default();
    let mut opened = false;
    while !errands.is_closed() {
        match shared.server.stream("/bot/stream/event", &shared.waits, shared.waits.answer_most).await {
            Ok(mut lines) => {
                if opened {
                    shared.metrics.count("reconnects_total", "account");
                }
                tracing::info!(event = "connected", "listening to the account's stream");
                opened = true;
                // What was published while nobody listened is not sent again.
                let _ = errands.send(Errand::Connected);
                let since = Instant::now();
                let why = loop {
                    let line = lines.next().await;
                    // One that ends as soon as it has begun is no success: the waits must grow.
                    if line.is_ok() && since.elapsed() >= shared.waits.steady {
                        backoff.reset();
                    }
                    match line {
                        Ok(line) if line.is_empty() => {}
                        Ok(line) => {
                            match AccountEvent::read(&line) {
                                Ok(AccountEvent::GameStart(id)) => {
                                    let _ = shared.notices.send(Notice::Start(id));
                                }
                                Ok(AccountEvent::ChallengeReceived(_) | AccountEvent::ChallengeDeclined(_)) => {
                                    let _ = errands.send(Errand::Challenges);
                                }
                                Ok(AccountEvent::Unknown(_)) => {}
                                // Whatever it was to tell is found by looking.
                                Err(error) => {
                                    tracing::warn!(event = "unreadable", "a line of the account's stream: {error}");
                                    let _ = errands.send(Errand::Connected);
                                }
                            }
                        }
                        Err(end) => break end.to_string(),
                    }
                };
                tracing::info!(event = "disconnected", "the account's stream ended: {why}");
            }
            Err(StreamError::Status(401)) => {
                let _ = shared.notices.send(Notice::Unauthorized);
                return;
            }
            Err(error) => {
                if backoff.failures() == 0 {
                    tracing::warn!(event = "disconnected", "the account's stream: {error}");
                }
            }
        }
        // Games go on meanwhile, and their clocks bound how long we may not know of new ones.
        let clock = shared.least_clock();
        sleep(backoff.fail(&shared.waits, clock, jitter())).await;
    }
}
