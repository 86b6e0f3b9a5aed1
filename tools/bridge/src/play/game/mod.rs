//! One game: a loop that hears news, thoughts, verdicts and fetched states, and does what is due.
//!
//! What is due is named by a key, the whole position with its dice (its counters make it unique in a game). Each key is
//! decided once; its decision is sent again only after a state that was fetched since shows the same key as due.

mod decide;
mod exchange;

use super::feed::{Input, OurClock, feed};
use super::{Choice, Notice, Shared, Stop, choose, finish, fresh_seed, jitter, now_ms, settle_history};
use crate::api::{GameEvent, GameList, GameState, MyGame, Seat, Tree, Verdict};
use crate::config::Mode;
use crate::decide::{Backoff, Due, Next, Outlook, Taken, View, engine_time, left_of, next_step};
use crate::engine::Worker;
use crate::keep::{OwnTurn, Witness};
use crate::net::{Answered, CallError, reply_of};
use astragal::board::Rolled;
use astragal::rules::first_legal_turn;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::sleep_until;

/// How the task of a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The game is over; what there is of it is kept.
    Over,
    /// The server does not know it.
    Unknown,
    /// The bridge ends before the game.
    Left,
}

/// What is to be sent.
#[derive(Clone, PartialEq, Debug)]
enum Action {
    Turn { moves: Vec<String>, offers_draw: bool },
    Draw { accept: bool },
    Resign,
}

struct Decided {
    key: String,
    action: Action,
}

struct Sent {
    answered: Result<Answered, CallError>,
    round_trip: Duration,
}

enum Fetched {
    State(Box<GameState>, Option<Seat>),
    /// The list shows nothing newer.
    Same(Box<MyGame>),
    /// The game is over.
    Gone,
    /// Neither the game nor its history is there.
    Missing,
    Failed(Option<Duration>),
    Unauthorized,
}

struct Game {
    shared: Arc<Shared>,
    id: String,
    seat: Option<Seat>,
    view: Option<View>,
    /// When the clocks of the view were read, when anything was, and when the fetch began that the view is from.
    read_at: Instant,
    heard_at: Instant,
    fetched_at: Option<Instant>,
    clock: OurClock,
    reopen: Arc<Notify>,
    worker: Arc<Worker>,
    thinking: Option<(String, JoinHandle<Choice>)>,
    sending: Option<(String, JoinHandle<Sent>)>,
    fetching: Option<(Instant, JoinHandle<Fetched>)>,
    decided: Option<Decided>,
    /// What the server has said counts, and when it said so.
    answered: Option<(String, Instant)>,
    /// Nothing is sent for this key before a state is fetched, by a request that was sent after this instant: one that was
    /// on its way already may tell of a time before the turn counted.
    hold: Option<(String, Instant)>,
    refused: (String, Vec<Vec<String>>),
    passes: (String, u32),
    alarm: Instant,
    failures: Backoff,
    /// How often in a row the game and its history were missing.
    missing: u32,
    /// Whether an offer of ours was delivered and the opponent has not offered one since.
    has_offered: bool,
    /// The decision about a double that was told to the log.
    double_told: Option<String>,
    outlook: Outlook,
    witness: Witness,
    over: bool,
    asked_for_seat: bool,
    /// Something was missed while a fetch was on its way.
    fetch_again: bool,
}

/// Waits for a task in a slot, and empties it; for ever if it is empty.
async fn ready<K: Clone, T>(slot: &mut Option<(K, JoinHandle<T>)>) -> (K, Option<T>) {
    match slot {
        Some((key, handle)) => {
            let key = key.clone();
            let result = handle.await.ok();
            *slot = None;
            (key, result)
        }
        None => std::future::pending().await,
    }
}

/// Ends a task when it goes out of scope.
struct Ending(AbortHandle);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Plays a game to its end.
pub async fn play(shared: Arc<Shared>, id: String, seat: Option<Seat>) -> End {
    let now = Instant::now();
    let mut is_new = false;
    let seed = shared.state.change(|state| {
        let entry = state.games.entry(id.clone()).or_insert_with(|| {
            is_new = true;
            crate::state_file::InPlay { since_ms: now_ms(), seed: fresh_seed(), ..Default::default() }
        });
        entry.seat = entry.seat.or(seat);
        entry.seed.clone()
    });
    tracing::info!(event = "game", game = %id, "{}", if is_new { "a game begins" } else { "a game is taken up again" });
    if let Some(seed) = seed {
        // At once, for the server waits 5 s for it; a second or late one does no harm.
        let (shared, id) = (Arc::clone(&shared), id.clone());
        tokio::spawn(async move {
            let body = json!({"seed": seed});
            for _ in 0..3 {
                let path = format!("/bot/game/{id}/seed");
                let sent = shared.server.post(&path, Some(&body), shared.waits.answer_most / 4).await;
                if sent.is_ok_and(|answered| answered.status < 500) {
                    return;
                }
            }
        });
    }
    let worker = shared.pool.take();
    let (to_us, mut inputs) = mpsc::channel(256);
    let (clock, reopen) = (OurClock::default(), Arc::new(Notify::new()));
    let feeder = tokio::spawn(feed(Arc::clone(&shared), id.clone(), clock.clone(), Arc::clone(&reopen), to_us));
    let _feeder = Ending(feeder.abort_handle());
    let since_ms = shared.state.look(|state| state.games.get(&id).map_or(0, |game| game.since_ms));
    let mut game = Game {
        shared: Arc::clone(&shared),
        id: id.clone(),
        seat,
        view: None,
        read_at: now,
        heard_at: now,
        fetched_at: None,
        clock,
        reopen,
        worker: Arc::clone(&worker),
        thinking: None,
        sending: None,
        fetching: None,
        decided: None,
        answered: None,
        hold: None,
        refused: Default::default(),
        passes: Default::default(),
        alarm: now + shared.waits.silence_least * 4,
        failures: Backoff::default(),
        missing: 0,
        has_offered: false,
        double_told: None,
        outlook: Outlook::default(),
        witness: Witness { seat, since_ms, ..Witness::default() },
        over: false,
        asked_for_seat: false,
        fetch_again: false,
    };
    let stayed = game.run(&mut inputs).await;
    game.leave();
    game.witness.engine = worker.name();
    shared.pool.give_back(worker);
    if !stayed {
        return End::Left;
    }
    match settle_history(&shared, &id).await {
        Some(history) => {
            finish(&shared, &history, std::mem::take(&mut game.witness)).await;
            End::Over
        }
        None if *shared.stop.borrow() == Stop::Now => End::Left,
        None => {
            tracing::error!(event = "game", game = %id, "the server does not know this game any more: nothing can be kept of it");
            shared.state.change(|state| state.games.remove(&id));
            End::Unknown
        }
    }
}

impl Game {
    /// Plays; false if the bridge ends before the game does.
    async fn run(&mut self, inputs: &mut mpsc::Receiver<Input>) -> bool {
        let mut stop = self.shared.stop.subscribe();
        loop {
            self.act();
            if self.over {
                return true;
            }
            tokio::select! {
                input = inputs.recv() => match input {
                    Some(input) => self.hear(input),
                    None => self.alarm = Instant::now(),
                },
                (key, choice) = ready(&mut self.thinking) => self.chosen(key, choice),
                (key, sent) = ready(&mut self.sending) => self.replied(&key, sent),
                (began, fetched) = ready(&mut self.fetching) => self.fetched(began, fetched),
                () = sleep_until(self.alarm.into()) => self.ring(),
                _ = stop.wait_for(|stop| *stop == Stop::Now) => return false,
            }
        }
    }

    /// Ends what still runs for this game.
    fn leave(&mut self) {
        if let Some((_, handle)) = self.thinking.take() {
            handle.abort();
            self.worker.stop();
        }
        if let Some((_, handle)) = self.fetching.take() {
            handle.abort();
        }
    }

    /// What is certainly left on our clock.
    fn left(&self) -> Option<Duration> {
        let (view, seat) = (self.view.as_ref()?, self.seat?);
        Some(left_of(&view.control, view.clocks, seat, self.read_at.elapsed()))
    }

    /// What waits are measured by: what is left on our clock, which may run without our knowing; but not nothing, for when
    /// nothing is known of it any more, waiting less and less helps nobody.
    fn running(&self) -> Option<Duration> {
        Some(self.left()?.max(self.clock_shown()? / 20))
    }

    /// What our clock shows when it does not run.
    fn clock_shown(&self) -> Option<Duration> {
        let (view, seat) = (self.view.as_ref()?, self.seat?);
        Some(left_of(&view.control, view.clocks, seat, Duration::ZERO))
    }

    /// What is due, by its key.
    fn due(&self) -> Option<(Due, String)> {
        let (view, seat) = (self.view.as_ref()?, self.seat?);
        let due = view.due(seat);
        let key = if due == Due::DrawAnswer { format!("draw {}", view.dfen) } else { view.dfen.clone() };
        Some((due, key))
    }

    fn hear(&mut self, input: Input) {
        match input {
            Input::Unauthorized => {
                let _ = self.shared.notices.send(Notice::Unauthorized);
            }
            Input::Gone => self.fetch(false),
            Input::Event(version, event, read_at) => {
                self.heard_at = read_at;
                let is_snapshot = matches!(*event, GameEvent::Snapshot(_));
                if let GameEvent::Snapshot(state) = &*event
                    && let Some(view) = &self.view
                    && state.version < view.version
                {
                    // It was on its way when something newer came, or the server has gone back: a state that is asked for
                    // now tells which. Taken as it is, it could have an old turn sent for a new roll.
                    self.hold = Some((view.dfen.clone(), Instant::now()));
                    self.fetch(false);
                    return;
                }
                let Some(view) = &mut self.view else {
                    if let GameEvent::Snapshot(state) = *event {
                        self.view = Some(View::of(*state));
                        self.changed(read_at);
                    }
                    return;
                };
                match view.take(version, *event) {
                    Taken::Nothing => {}
                    Taken::Gap => {
                        self.hold = Some((view.dfen.clone(), Instant::now()));
                        self.fetch(false);
                    }
                    Taken::Changed => self.changed(read_at),
                    Taken::Over(ended) => {
                        tracing::debug!(event = "ended", game = %self.id, "{:?}", ended.over);
                        self.over = true;
                    }
                }
                if is_snapshot && self.shared.config.mode == Mode::Webhook {
                    self.alarm = Instant::now() + self.shared.waits.games;
                }
            }
        }
    }

    /// The view is new.
    fn changed(&mut self, read_at: Instant) {
        self.read_at = read_at;
        let Some(view) = &self.view else { return };
        if self.seat.is_none() {
            let shown = self.shared.account.shown();
            let is_us = |seat| view.players.of(seat).name.as_deref() == Some(shown.as_str());
            self.seat = match (is_us(Seat::White), is_us(Seat::Black)) {
                (true, false) => Some(Seat::White),
                (false, true) => Some(Seat::Black),
                _ => None,
            };
        }
        self.witness.seat = self.seat;
        if let (Some(commit), Some(id)) = (&view.commit, Some(&self.id)) {
            let known = self.shared.state.look(|state| {
                state
                    .games
                    .get(id)
                    .is_some_and(|game| game.commit.is_some() && game.seat.is_some() == self.seat.is_some())
            });
            if !known {
                self.shared.state.change(|state| {
                    if let Some(game) = state.games.get_mut(id) {
                        game.commit.get_or_insert_with(|| commit.clone());
                        game.seat = game.seat.or(self.seat);
                    }
                });
            }
        }
        if view.dice_pending
            && let (Some(clocks), Ok(rolled)) = (view.clocks, Rolled::from_dfen(&view.dfen))
        {
            self.witness.clocks.entry(rolled.to_string()).or_insert(clocks);
        }
        if view.over {
            self.over = true;
        }
        let shown = self.clock_shown();
        self.clock.set(read_at, shown);
        if let (Some(view), Some(seat)) = (&self.view, self.seat)
            && let Some(playing) = self.shared.playing.lock().get_mut(&self.id)
        {
            playing.clock = shown;
            if playing.opponent.is_none() {
                playing.opponent.clone_from(&view.players.of(seat.other()).name);
            }
        }
        self.alarm = Instant::now() + self.shared.waits.silence(shown);
    }
}
