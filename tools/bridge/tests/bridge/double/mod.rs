//! A double of the platform: a real HTTP server with the engine's own rules, clocks, commit–reveal dice, challenges, a
//! ladder, and seeded troubles. The opponents live inside it.

pub mod game;
pub mod lobby;
pub mod playback;
mod routes;
mod streams;
pub mod webhook;

pub use game::Game;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::broadcast;

pub const TOKEN: &str = "t0ken-of-the-double";

/// Which troubles there are; each is a chance of so many in a thousand.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trouble {
    /// A stream is dropped after a line.
    pub drop: u32,
    /// It is dropped in the middle of a line.
    pub half: u32,
    /// A line is sent twice.
    pub twice: u32,
    /// Two lines change places.
    pub swap: u32,
    /// A line is lost without a word.
    pub lose: u32,
    /// A stream says nothing any more, but does not end.
    pub mute: u32,
    /// An unknown event, or unknown fields.
    pub unknown: u32,
    /// A verdict is late, by at most so many milliseconds.
    pub late: u32,
    pub late_ms: u32,
    /// A turn counts, but the connection is cut before the verdict.
    pub cut_after: u32,
    /// It is cut before the turn is heard.
    pub cut_before: u32,
    /// 202, 403, 409, 429, 500 or 503 where a turn is heard or not.
    pub odd: u32,
    /// The tree that is sent lies.
    pub lie: u32,
    /// Reads fail with 500.
    pub read_fails: u32,
    /// The clocks that are told lag by so many milliseconds.
    pub lag_ms: i64,
    /// The opponents take up to so many milliseconds more for a turn.
    pub pace_ms: u32,
}

impl Trouble {
    pub const ALL: Self = Self {
        drop: 40,
        half: 20,
        twice: 60,
        swap: 40,
        lose: 15,
        mute: 10,
        unknown: 50,
        late: 100,
        late_ms: 60,
        cut_after: 40,
        cut_before: 40,
        odd: 60,
        lie: 30,
        read_fails: 40,
        lag_ms: 2,
        pace_ms: 0,
    };
}

/// What the double has counted against the client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Offences {
    /// Turns that are illegal by the rules.
    pub illegal: u32,
    /// Turns sent although one for that roll had been taken and its verdict delivered.
    pub double: u32,
    /// Turns that were legal for another roll than they were meant for cannot be told; these came when it was not our turn.
    pub not_ours: u32,
    /// Requests without our token.
    pub unauthorized: u32,
    /// Deliveries that were answered by 4xx.
    pub refused_deliveries: u32,
    /// Deliveries that were not answered by 200, or not at all.
    pub failed_deliveries: u32,
    /// The same delivery, answered in two ways.
    pub different_answers: u32,
}

pub struct Inner {
    pub games: BTreeMap<String, Game>,
    pub histories: BTreeMap<String, Value>,
    pub challenges: Vec<Value>,
    pub offences: Offences,
    pub trouble: Trouble,
    pub rng: ChaCha8Rng,
    pub account: broadcast::Sender<String>,
    pub next_id: u64,
    pub on_ladder: bool,
    pub ladder_moves: Vec<&'static str>,
    pub capacity: u32,
    pub token: Option<String>,
    pub seeds: u64,
    pub requests: VecDeque<String>,
    pub declined: u32,
    /// Where the client's turns are delivered to, if they are.
    pub webhook: Option<webhook::Target>,
    /// What was delivered last in each game.
    delivered: BTreeMap<String, String>,
    pub deliveries: u32,
    pub lobby: lobby::Lobby,
    /// The most draw offers of the client's in one game.
    pub most_offers: u32,
    /// Whether the opponents never move.
    pub sleeps: bool,
    /// The server's seed of the next game.
    pub next_seed: Option<String>,
}

impl Inner {
    pub fn chance(&mut self, thousandths: u32) -> bool {
        thousandths > 0 && self.rng.next_u32() % 1000 < thousandths
    }

    /// Starts a game for the client, and tells it.
    pub fn begin(&mut self, control: &Value, rated: bool) -> String {
        let client_is_white = self.rng.next_u32().is_multiple_of(2);
        let id = self.begin_as(control, rated, client_is_white);
        self.tell_start(&id);
        id
    }

    /// Starts a game for the client with this side.
    pub fn begin_as(&mut self, control: &Value, rated: bool, client_is_white: bool) -> String {
        self.next_id += 1;
        let id = format!("game-{:08}-0000", self.next_id);
        let mut game = Game::new(&id, control.clone(), client_is_white, rated, self.rng.next_u64());
        game.pace_ms = self.trouble.pace_ms;
        game.sleeps = self.sleeps;
        if let Some(seed) = self.next_seed.take() {
            game.server_seed = seed;
        }
        self.games.insert(id.clone(), game);
        id
    }

    pub fn tell_start(&mut self, id: &str) {
        let _ = self.account.send(json!({"GameStart": {"gameId": id}}).to_string());
    }
}

/// The running double.
#[derive(Clone)]
pub struct Double {
    pub inner: Arc<Mutex<Inner>>,
    pub address: String,
    down: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Double {
    /// Starts it on a free port, in a runtime of its own.
    pub fn start(seed: u64, trouble: Trouble) -> Self {
        let inner = Inner {
            games: BTreeMap::new(),
            histories: BTreeMap::new(),
            challenges: Vec::new(),
            offences: Offences::default(),
            trouble,
            rng: ChaCha8Rng::seed_from_u64(seed),
            account: broadcast::channel(1024).0,
            next_id: 0,
            on_ladder: false,
            ladder_moves: Vec::new(),
            capacity: 1,
            token: Some(TOKEN.to_owned()),
            seeds: 0,
            requests: VecDeque::new(),
            declined: 0,
            webhook: None,
            delivered: BTreeMap::new(),
            deliveries: 0,
            lobby: lobby::Lobby::default(),
            most_offers: 0,
            sleeps: false,
            next_seed: None,
        };
        let (tell, told) = std::sync::mpsc::channel();
        let double = Self {
            inner: Arc::new(Mutex::new(inner)),
            address: String::new(),
            down: Arc::default(),
            ended: Arc::default(),
        };
        let served = double.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
            runtime.expect("a runtime").block_on(async move {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                tell.send(listener.local_addr().expect("an address")).expect("somebody waits");
                tokio::spawn(served.clone().tick());
                let ended = Arc::clone(&served.ended);
                let serving = axum::serve(listener, routes::routes(served)).into_future();
                tokio::select! {
                    _ = serving => {}
                    () = async { while !ended.load(Ordering::SeqCst) { tokio::time::sleep(Duration::from_millis(20)).await } } => {}
                }
            });
        });
        let address = told.recv().expect("it listens");
        Self { address: format!("http://{address}"), ..double }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Drops every stream and answers nothing until it is up again; clocks stand still.
    pub fn set_down(&self, down: bool) {
        self.down.store(down, Ordering::SeqCst);
        if !down {
            let now = Instant::now();
            self.lock().games.values_mut().for_each(|game| game.clock_from = now);
        }
    }

    pub fn is_down(&self) -> bool {
        self.down.load(Ordering::SeqCst)
    }

    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
    }

    /// Moves the opponents, rolls dice, ends games on time.
    async fn tick(self) {
        loop {
            tokio::time::sleep(Duration::from_millis(2)).await;
            if self.is_down() {
                continue;
            }
            let mut inner = self.lock();
            let ids: Vec<String> = inner.games.keys().cloned().collect();
            for id in ids {
                let Some(mut game) = inner.games.remove(&id) else { continue };
                game.advance();
                if let Some(history) = game.history() {
                    inner.histories.insert(id.clone(), history);
                    // The end is told to those who listen; the game itself is put away.
                    game.tell_end();
                } else {
                    if let Some(target) = inner.webhook.clone()
                        && let Some((key, body)) = webhook::asked(&game)
                        && inner.delivered.get(&id) != Some(&key)
                    {
                        inner.delivered.insert(id.clone(), key.clone());
                        tokio::spawn(webhook::deliver(self.clone(), target, id.clone(), key, body));
                    }
                    inner.games.insert(id, game);
                }
            }
        }
    }

    /// The results of the games so far: how many ended how, from the client's side.
    pub fn ends(&self) -> BTreeMap<String, u32> {
        let mut ends = BTreeMap::new();
        for history in self.lock().histories.values() {
            let us = if history["players"]["white"]["name"] == game::US { 1 } else { -1 };
            let result = history["result"].as_i64().unwrap_or(0) * us;
            let word = ["loss", "draw", "win"][usize::try_from(result + 1).expect("in range")];
            let end = format!("{word} {}", history["termination"].as_str().unwrap_or("?"));
            *ends.entry(end).or_default() += 1;
        }
        ends
    }
}
