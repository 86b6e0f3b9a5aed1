//! Playing: one task a game, and what they share.

mod feed;
mod finish;
mod game;
mod think;

pub use finish::{finish, settle_history};
pub use game::{End, play};
pub use think::{Choice, choose};

use crate::api::{Account, GameList};
use crate::config::Config;
use crate::decide::{Overhead, Waits};
use crate::engine::Pool;
use crate::keep::Keeper;
use crate::metrics::Metrics;
use crate::net::Server;
use crate::state_file::StateFile;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};

/// How the bridge is to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stop {
    /// It is not.
    Running,
    /// When the games have ended; nothing new begins.
    Draining,
    /// At once.
    Now,
}

/// What games tell the supervisor.
#[derive(Clone, Debug)]
pub enum Notice {
    /// A list of games was read: some may be new.
    Games(GameList),
    /// A game begins.
    Start(String),
    /// A game is over and kept.
    Finished {
        /// Its id.
        id: String,
        /// Whether we lost it on time.
        lost_on_time: bool,
        /// Whether it was one of the ladder's, as far as can be told.
        ladder: bool,
    },
    /// The token does not hold.
    Unauthorized,
}

/// What all games share.
pub struct Shared {
    /// The settings.
    pub config: Config,
    /// Every wait.
    pub waits: Waits,
    /// The server.
    pub server: Server,
    /// The engines.
    pub pool: Pool,
    /// The journal.
    pub keeper: Keeper,
    /// What a restart must know.
    pub state: StateFile,
    /// Counters.
    pub metrics: Metrics,
    /// What is lost on the way.
    pub overhead: Mutex<Overhead>,
    /// Who we are.
    pub account: Account,
    /// To the supervisor.
    pub notices: mpsc::UnboundedSender<Notice>,
    /// How the bridge is to end.
    pub stop: watch::Sender<Stop>,
    /// The games that go on.
    pub playing: Mutex<BTreeMap<String, Playing>>,
}

/// What others must know of a game that goes on.
#[derive(Clone, Debug, Default)]
pub struct Playing {
    /// The opponent, as games show it.
    pub opponent: Option<String>,
    /// What our clock showed last.
    pub clock: Option<Duration>,
}

impl Shared {
    /// Something that should never happen.
    pub fn alarm(&self, what: &str, text: &str) {
        self.metrics.count("alarms_total", what);
        tracing::error!(event = "alarm", what, "ALARM: {text}");
    }

    /// How many more games may begin.
    pub fn free(&self) -> usize {
        (self.config.concurrency as usize).saturating_sub(self.playing.lock().len())
    }

    /// How many games go on against somebody.
    pub fn games_against(&self, opponent: &str) -> usize {
        self.playing.lock().values().filter(|game| game.opponent.as_deref() == Some(opponent)).count()
    }

    /// Takes a place for a game, at the latest when it begins.
    pub fn reserve(&self, id: &str, opponent: Option<&str>) {
        let mut playing = self.playing.lock();
        let game = playing.entry(id.to_owned()).or_default();
        if game.opponent.is_none() {
            game.opponent = opponent.map(str::to_owned);
        }
        self.metrics.set_games(playing.len());
    }

    /// Gives the place of a game back.
    pub fn release(&self, id: &str) {
        let mut playing = self.playing.lock();
        playing.remove(id);
        self.metrics.set_games(playing.len());
    }

    /// The least that any clock of ours shows.
    pub fn least_clock(&self) -> Option<Duration> {
        self.playing.lock().values().filter_map(|game| game.clock).min()
    }

    /// A round trip of a turn.
    pub fn learn(&self, round_trip: Duration) {
        let mut overhead = self.overhead.lock();
        overhead.learn(round_trip);
        self.metrics.set_overhead(overhead.current());
    }
}

/// A random number in 0..1, for jitter.
pub fn jitter() -> f64 {
    f64::from(getrandom::u32().unwrap_or(0)) / (f64::from(u32::MAX) + 1.0)
}

/// A seed for the dice of a game, from the system's random source.
pub fn fresh_seed() -> Option<String> {
    let mut bytes = [0; 24];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(bytes))
}

/// The time since 1970.
pub fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The time since 1970 in milliseconds.
pub fn now_ms() -> u64 {
    u64::try_from(now().as_millis()).unwrap_or(u64::MAX)
}
