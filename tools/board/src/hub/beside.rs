//! What runs beside the games: the flags that may fall, engines, reviews.

use super::told::Inner;
use super::{Hub, KEPT_REVIEWS, MOST_ENGINES, MOST_ENGINES_IN_ALL, MOST_REVIEWED, MOST_REVIEWS, Then};
use crate::engines::RunningEngine;
use crate::fail::Fail;
use crate::game::{After, LiveGame};
use crate::reviews::{self, Asked};
use astragal::record::Game;
use astragal::time::StopSignal;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

impl Hub {
    /// Has the flag of the turn under way looked at when it falls.
    pub(super) fn watch_flag(self: &Arc<Self>, inner: &Inner, game: &str) {
        let Some(live) = inner.games.get(game) else { return };
        let Some(at) = live.flag_at() else { return };
        let (hub, game) = (Arc::clone(self), game.to_owned());
        self.runtime.spawn(async move {
            tokio::time::sleep_until(at.into()).await;
            let mut inner = hub.inner.lock();
            // Another turn may be under way by now; then its own flag is asked, and stands.
            let Some(after) = inner.games.get(&game).map(LiveGame::flag) else { return };
            if after != After::GoesOn
                && let Err(fail) = inner.apply(&game, after)
            {
                eprintln!("board: {game}: {}", fail.message);
            }
        });
    }

    pub(super) fn start_engine(
        self: &Arc<Self>,
        page: u64,
        program: &str,
        then: &mut Option<Then>,
    ) -> Result<Value, Fail> {
        let program = self.programs.iter().find(|known| known.program == program);
        let program = program.ok_or_else(|| Fail::unknown("program"))?;
        let mut inner = self.inner.lock();
        let own = inner.engines.values().filter(|engine| engine.page == page).count();
        if own >= MOST_ENGINES || inner.engines.len() >= MOST_ENGINES_IN_ALL {
            return Err(Fail::new(
                "too_many",
                format!("{own} engines run for this page, {} in all", inner.engines.len()),
            ));
        }
        let lines = inner.pages.get(&page).ok_or_else(|| Fail::unknown("page"))?.lines.clone();
        let number = inner.next();
        let hub = Arc::clone(self);
        // Under the lock, so that it cannot be gone before it is there.
        let gone = move || drop(hub.inner.lock().engines.remove(&number));
        let (known, may_tell) = channel();
        let engine = RunningEngine::start(program, (page, number), &self.guard, lines, may_tell, gone)?;
        inner.engines.insert(number, engine);
        *then = Some(Box::new(move || drop(known)));
        Ok(json!({"engine": number}))
    }

    pub(super) fn review(
        self: &Arc<Self>,
        page: u64,
        (game, depth, html): (Game, u32, bool),
        then: &mut Option<Then>,
    ) -> Result<Value, Fail> {
        if !(1..=3).contains(&depth) {
            return Err(Fail::bad("a depth is 1, 2 or 3"));
        }
        if game.plies.is_empty() || game.plies.len() > MOST_REVIEWED {
            return Err(Fail::new("record", format!("a game of {} rolls is not reviewed", game.plies.len())));
        }
        let of = game.plies.len();
        let (stop, mut inner) = (Arc::new(StopSignal::new()), self.inner.lock());
        if !inner.pages.contains_key(&page) {
            return Err(Fail::unknown("page"));
        }
        if inner.reviews.len() >= MOST_REVIEWS {
            return Err(Fail::new("too_many", format!("{MOST_REVIEWS} reviews are under way")));
        }
        let number = inner.next();
        inner.reviews.insert(number, (page, Arc::clone(&stop)));
        drop(inner);
        let hub = Arc::clone(self);
        let asked = Asked { number, game, depth, html, stop };
        *then = Some(Box::new(move || {
            let runtime = hub.runtime.clone();
            runtime.spawn(async move {
                // It is never closed.
                let _turn = Arc::clone(&hub.reviewing).acquire_owned().await;
                // If the runtime ends there is nobody to tell.
                let _ = tokio::task::spawn_blocking(move || hub.make_review(page, &asked, of)).await;
            });
        }));
        Ok(json!({"review": number, "of": of}))
    }

    fn make_review(&self, page: u64, asked: &Asked, of: usize) {
        let told = Mutex::new(Instant::now());
        let number = asked.number;
        let result = reviews::review(asked, |done| {
            let mut told = told.lock();
            if told.elapsed() >= Duration::from_millis(100) || done == of {
                *told = Instant::now();
                self.inner.lock().tell(page, &json!({"type": "progress", "review": number, "done": done, "of": of}));
            }
        });
        let message = reviews::told(number, &result);
        let mut inner = self.inner.lock();
        inner.reviews.remove(&number);
        if let Ok(done) = result
            && let Some(html) = done.html
        {
            inner.review_pages.push_back((number, Arc::new(html)));
            if inner.review_pages.len() > KEPT_REVIEWS {
                inner.review_pages.pop_front();
            }
        }
        inner.tell(page, &message);
    }
}
