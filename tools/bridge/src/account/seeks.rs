//! Seeks of ours: posted, kept alive, taken back.

use super::errands::path_safe;
use crate::api::{SeekPoll, SeekPosted, TimeControl, is_sound_id};
use crate::decide::Backoff;
use crate::play::{Notice, Shared, jitter};
use reqwest::Method;
use serde_json::json;
use std::time::{Duration, Instant};

struct Seek {
    control: TimeControl,
    posted: Option<SeekPosted>,
    looked: Instant,
    /// How often the server would not have it, and when it is asked again.
    failures: Backoff,
    again: Instant,
}

impl Seek {
    /// It is asked for again after a growing while, or when the server says.
    fn put_off(&mut self, shared: &Shared, asked: Option<Duration>) {
        // The first failure waits, too: no game hangs on it.
        if self.failures.failures() == 0 {
            self.failures.fail(&shared.waits, None, jitter());
        }
        let wait = self.failures.fail(&shared.waits, None, jitter()).max(shared.waits.poll);
        self.again = Instant::now() + asked.unwrap_or(wait).max(wait);
    }
}

/// All of them.
pub(super) struct Seeks(Vec<Seek>);

impl Seeks {
    pub(super) fn new(shared: &Shared) -> Self {
        let controls = shared.config.seeks.iter().filter_map(|text| text.parse().ok());
        Self(
            controls
                .map(|control| Seek {
                    control,
                    posted: None,
                    looked: Instant::now(),
                    failures: Backoff::default(),
                    again: Instant::now(),
                })
                .collect(),
        )
    }

    /// Posts those that are missing while there are places, and looks at those that are posted.
    pub(super) async fn tend(&mut self, shared: &Shared, free: usize) {
        let open = self.0.iter().filter(|seek| seek.posted.is_some()).count();
        let mut places = free.saturating_sub(open);
        for seek in &mut self.0 {
            match &seek.posted {
                None if places == 0 => {}
                None => {
                    if Instant::now() < seek.again {
                        continue;
                    }
                    let body = json!({"timeControl": seek.control});
                    let sent = shared.server.post("/bot/seeks", Some(&body), shared.waits.answer_most).await;
                    match sent {
                        Ok(answered) if answered.is_success() => {
                            seek.posted = answered.read("seek");
                            places -= 1;
                            seek.looked = Instant::now();
                            tracing::info!(event = "seek", "a seek is open: {}", seek.control);
                        }
                        Ok(answered) => {
                            tracing::warn!(event = "seek", "no seek for {}: {}", seek.control, answered.shown());
                            seek.put_off(shared, answered.retry_after);
                        }
                        Err(_) => seek.put_off(shared, None),
                    }
                    if seek.posted.is_some() {
                        seek.failures.reset();
                    } else {
                        seek.again = seek.again.max(Instant::now() + shared.waits.poll);
                    }
                }
                Some(posted) => {
                    if seek.looked.elapsed() < shared.waits.seek {
                        continue;
                    }
                    seek.looked = Instant::now();
                    let Ok(answered) = shared.server.get(&address(posted), shared.waits.answer_most).await else {
                        continue;
                    };
                    if answered.status == 404 {
                        seek.posted = None;
                    } else if let Some(poll) = answered.read::<SeekPoll>("seek").filter(|poll| poll.matched) {
                        tracing::info!(event = "seek", "our seek was taken: {}", seek.control);
                        seek.posted = None;
                        if let Some(id) = poll.game_id.filter(|id| is_sound_id(id)) {
                            let _ = shared.notices.send(Notice::Start(id));
                        }
                    }
                }
            }
        }
    }

    /// Takes them back.
    pub(super) async fn cancel(&mut self, shared: &Shared) {
        for seek in &mut self.0 {
            if let Some(posted) = seek.posted.take() {
                let _ = shared.server.call(Method::DELETE, &address(&posted), None, shared.waits.answer_most).await;
            }
        }
    }
}

fn address(posted: &SeekPosted) -> String {
    // A secret may hold anything, and is sent as it is.
    let secret: String = posted
        .secret
        .bytes()
        .map(|byte| match byte {
            b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
            _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    format!("/lobby/seeks/{}?secret={secret}", path_safe(&posted.seek_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_sent_as_it_is_and_an_id_leads_nowhere_else() {
        let posted = SeekPosted { seek_id: "../../bot/x".to_owned(), secret: "a+b/c=&d ~é".to_owned() };
        assert_eq!(address(&posted), "/lobby/seeks/....botx?secret=a%2Bb%2Fc%3D%26d%20~%C3%A9");
        let posted = SeekPosted { seek_id: "..".to_owned(), secret: "x".to_owned() };
        assert_eq!(address(&posted), "/lobby/seeks/_?secret=x");
    }
}
