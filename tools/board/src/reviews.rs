//! Reviews of games, one after another, for the page that asked.

use crate::fail::Fail;
use astragal::record::Game;
use astragal::report::{BasisJson, game_json, page_begin, page_end, page_game};
use astragal::review::{Level, ReviewSettings, Reviewer, Watch};
use astragal::time::StopSignal;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A review that is asked for.
pub struct Asked {
    /// Its number.
    pub number: u64,
    /// What of.
    pub game: Game,
    /// How deep.
    pub depth: u32,
    /// Whether a page of it is wanted.
    pub html: bool,
    /// Ends it.
    pub stop: Arc<StopSignal>,
}

struct Progress<T> {
    stop: Arc<StopSignal>,
    done: AtomicUsize,
    tell: T,
}

impl<T: Fn(usize) + Sync> Watch for Progress<T> {
    fn stop(&self) -> Option<&StopSignal> {
        Some(&self.stop)
    }

    fn turn_done(&self) {
        (self.tell)(self.done.fetch_add(1, Ordering::Relaxed) + 1);
    }
}

/// What is told of a review: its JSON, and the page of it.
pub struct Reviewed {
    /// As `astragal review --json` writes it.
    pub json: Value,
    /// As `astragal review --html` writes it, if it is wanted.
    pub html: Option<String>,
}

/// Makes a review; `tell` hears how many turns are done. It takes a while.
///
/// # Errors
/// The game cannot have been played so, or the review was ended.
pub fn review(asked: &Asked, tell: impl Fn(usize) + Sync) -> Result<Reviewed, Fail> {
    let settings = ReviewSettings { level: Level::Depth(asked.depth), ..ReviewSettings::default() };
    // A core is left for the page and whoever thinks.
    let threads = std::thread::available_parallelism().map_or(1, |cores| (cores.get() - 1).max(1));
    let watch = Progress { stop: Arc::clone(&asked.stop), done: AtomicUsize::new(0), tell };
    let review =
        Reviewer::new(settings, threads).review(&asked.game, &watch).map_err(|error| Fail::new("record", error))?;
    if asked.stop.is_raised() {
        return Err(Fail::new("record", "the review was ended"));
    }
    let basis = BasisJson::of(&settings, None);
    let json = serde_json::to_value(game_json(&review, &basis)).map_err(|error| Fail::new("record", error))?;
    let html = asked.html.then(|| page_begin() + &page_game(&review, &basis, 1) + &page_end(None));
    Ok(Reviewed { json, html })
}

/// The message of a review that is done.
pub fn told(number: u64, result: &Result<Reviewed, Fail>) -> Value {
    match result {
        Ok(done) => {
            let html = done.html.as_ref().map(|_| format!("/review/{number}.html"));
            json!({"type": "reviewed", "review": number, "game": done.json, "html": html})
        }
        Err(fail) => json!({"type": "review_failed", "review": number, "message": fail.message}),
    }
}
