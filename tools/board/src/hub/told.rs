//! What the hub holds, and who is told of its changes.

use super::Out;
use crate::engines::RunningEngine;
use crate::fail::Fail;
use crate::game::{After, LiveGame};
use crate::store::Store;
use crate::views::ended_view;
use crate::wire::{GameView, State};
use astragal::time::StopSignal;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// All that is under the hub's lock.
pub(super) struct Inner {
    pub store: Store,
    pub pages: BTreeMap<u64, Out>,
    pub games: BTreeMap<String, LiveGame>,
    /// The pages that follow a game; the first one drives it.
    pub followers: BTreeMap<String, Vec<u64>>,
    pub engines: BTreeMap<u64, RunningEngine>,
    pub reviews: BTreeMap<u64, (u64, Arc<StopSignal>)>,
    pub review_pages: VecDeque<(u64, Arc<String>)>,
    /// The last number that was given to anything.
    pub last: u64,
}

impl Inner {
    /// A number that nothing has yet.
    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// A running game.
    ///
    /// # Errors
    /// It is over, or there is none.
    pub fn live(&mut self, game: &str) -> Result<&mut LiveGame, Fail> {
        if !self.games.contains_key(game) && self.store.read(game).is_some() {
            return Err(Fail::stale("the game is over"));
        }
        self.games.get_mut(game).ok_or_else(|| Fail::unknown("game"))
    }

    /// A game that is over.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn ended(&self, game: &str) -> Result<GameView, Fail> {
        let read = self.store.read(game).ok_or_else(|| Fail::unknown("game"))??;
        ended_view(&read, None)
    }

    /// A page follows a game.
    pub fn follow(&mut self, game: &str, page: u64) {
        let pages = self.followers.entry(game.to_owned()).or_default();
        if !pages.contains(&page) {
            pages.push(page);
        }
    }

    /// A page does not follow it any more: if it drove it, another does.
    pub fn unfollow(&mut self, game: &str, page: u64) {
        let Some(pages) = self.followers.get_mut(game) else { return };
        let drove = pages.first() == Some(&page);
        pages.retain(|&other| other != page);
        if pages.is_empty() {
            self.followers.remove(game);
        } else if drove {
            self.tell_game(game, None);
        }
    }

    /// Sends to a page; one that does not read is dropped.
    pub fn tell(&self, page: u64, message: &Value) {
        self.send(page, message.to_string());
    }

    fn send(&self, page: u64, text: String) {
        if let Some(out) = self.pages.get(&page)
            && out.told.try_send(text).is_err()
        {
            out.slow.notify_one();
        }
    }

    /// Tells the pages that follow a running game, or one of them, how it stands.
    pub fn tell_game(&self, game: &str, only: Option<u64>) {
        let (Some(live), Some(pages)) = (self.games.get(game), self.followers.get(game)) else { return };
        self.tell_view(&live.view(), pages, only);
    }

    fn tell_view(&self, view: &GameView, pages: &[u64], only: Option<u64>) {
        let over = view.state == State::Over;
        // What can be written once is not written for each page anew.
        let Ok(view) = serde_json::to_string(view) else { return };
        for (place, &page) in pages.iter().enumerate() {
            if only.is_none_or(|only| only == page) {
                let driver = place == 0 && !over;
                self.send(page, format!(r#"{{"type":"game","driver":{driver},"game":{view}}}"#));
            }
        }
    }

    fn list(&self, summary: &crate::wire::Summary) {
        let text = json!({"type": "listed", "game": summary}).to_string();
        self.pages.keys().for_each(|&page| self.send(page, text.clone()));
    }

    /// A running game is new, or has changed.
    pub fn changed(&self, game: &str) {
        self.tell_game(game, None);
        if let Some(live) = self.games.get(game) {
            self.list(&live.summary());
        }
    }

    /// What came of a turn or of a flag.
    pub fn apply(&mut self, game: &str, after: After) -> Result<(), Fail> {
        let After::Over(result, end) = after else {
            self.changed(game);
            return Ok(());
        };
        let Some(live) = self.games.get_mut(game) else { return Err(Fail::unknown("game")) };
        let ended = live.end(result, end)?;
        let (notes, players) = (live.view().notes, live.players().clone());
        self.games.remove(game);
        let mut view = ended_view(&ended, Some(players))?;
        view.notes = notes;
        let summary = crate::views::ended_summary(&ended);
        if let Err(fail) = self.store.finish(ended) {
            view.notes.push(format!("The game could not be put into the journal yet: {}", fail.message));
        }
        if let Some(pages) = self.followers.remove(game) {
            self.tell_view(&view, &pages, None);
        }
        self.list(&summary);
        Ok(())
    }
}
