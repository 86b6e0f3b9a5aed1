//! Seeks of ours: posted, kept alive, taken back.

use super::errands::path_safe;
use crate::api::{SeekPoll, SeekPosted, TimeControl};
use crate::play::{Notice, Shared};
use reqwest::Method;
use serde_json::json;
use std::time::Instant;

struct Seek {
    control: TimeControl,
    posted: Option<SeekPosted>,
    looked: Instant,
}

/// All of them.
pub(super) struct Seeks(Vec<Seek>);

impl Seeks {
    pub(super) fn new(shared: &Shared) -> Self {
        let controls = shared.config.seeks.iter().filter_map(|text| text.parse().ok());
        Self(controls.map(|control| Seek { control, posted: None, looked: Instant::now() }).collect())
    }

    /// Posts those that are missing while there are places, and looks at those that are posted.
    pub(super) async fn tend(&mut self, shared: &Shared, free: usize) {
        let open = self.0.iter().filter(|seek| seek.posted.is_some()).count();
        let mut places = free.saturating_sub(open);
        for seek in &mut self.0 {
            match &seek.posted {
                None if places == 0 => {}
                None => {
                    if seek.looked.elapsed() < shared.waits.poll && seek.looked.elapsed() > std::time::Duration::ZERO {
                        continue;
                    }
                    seek.looked = Instant::now();
                    let body = json!({"timeControl": seek.control});
                    let sent = shared.server.post("/bot/seeks", Some(&body), shared.waits.answer_most).await;
                    if let Ok(answered) = sent {
                        if answered.is_success() {
                            seek.posted = answered.read("seek");
                            places -= 1;
                            tracing::info!(event = "seek", "a seek is open: {}", seek.control);
                        } else {
                            tracing::warn!(event = "seek", "no seek: {}", answered.shown());
                        }
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
                        if let Some(id) = poll.game_id {
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
    format!("/lobby/seeks/{}?secret={}", path_safe(&posted.seek_id), path_safe(&posted.secret))
}
