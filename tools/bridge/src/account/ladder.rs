//! The ladder: joined, left, and rejoined after the server has parked us, but only when all is well here.

use super::errands::path_safe;
use crate::decide::{EngineTime, Rejoin, Waits};
use crate::engine::Pool;
use crate::net::Server;
use crate::play::{Shared, now};
use astragal::board::Rolled;
use astragal::rules::apply_roll;
use std::time::{Duration, Instant};

/// A position with dice for the check.
const PROBE: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";

/// Where we stand.
pub(super) struct Ladder {
    joined: bool,
    parked: bool,
    /// Whether the server does not have us on the ladder, whatever we do.
    refused: bool,
    tried: Option<Instant>,
    looked: Instant,
}

impl Ladder {
    pub(super) fn new(shared: &Shared) -> Self {
        // A crash while parked must not be a way round the hour.
        let parked = shared.state.look(|state| state.parked);
        Self { joined: false, parked, refused: false, tried: None, looked: Instant::now() }
    }

    /// A game of the ladder has ended.
    pub(super) fn ended(&mut self, shared: &Shared, lost_on_time: bool) {
        if self.joined && shared.state.change(|state| state.parking.ended(lost_on_time)) {
            shared.alarm("parked", "four games in a row were lost on time: the server has taken us off the ladder");
            self.park(shared);
        }
    }

    fn park(&mut self, shared: &Shared) {
        self.joined = false;
        self.parked = true;
        shared.state.change(|state| state.parked = true);
    }

    /// Joins if we want to be on it and are not; leaves it if we were on it when the bridge was killed and are not to be any
    /// more.
    pub(super) async fn tend(&mut self, shared: &Shared) {
        if self.refused {
            return;
        }
        if !shared.config.ladder {
            let pause = self.tried.is_some_and(|at| at.elapsed() < shared.waits.games);
            if shared.state.look(|state| state.on_ladder) && !pause {
                self.tried = Some(Instant::now());
                self.joined = true;
                self.leave(shared).await;
            }
            return;
        }
        if self.joined {
            self.look(shared).await;
            return;
        }
        let pause = if self.tried.is_some() { shared.waits.games } else { Duration::ZERO };
        if self.tried.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        self.tried = Some(Instant::now());
        if self.parked {
            let last = shared.state.look(|state| state.last_rejoin);
            match Rejoin::decide(last, now().as_secs(), shared.waits.rejoin.as_secs()) {
                Rejoin::Wait(_) => return,
                Rejoin::CheckFirst => {
                    if let Err(error) = self_check(&shared.server, &shared.pool, &shared.waits).await {
                        tracing::error!(event = "ladder", "not rejoining the ladder: {error}");
                        return;
                    }
                    shared.state.change(|state| state.last_rejoin = Some(now().as_secs()));
                }
            }
        }
        match shared.server.post("/bot/ladder/join", None, shared.waits.answer_most).await {
            Ok(answered) if answered.is_success() => {
                tracing::info!(event = "ladder", "on the ladder");
                (self.joined, self.parked, self.looked) = (true, false, Instant::now());
                shared.state.change(|state| {
                    state.on_ladder = true;
                    state.parked = false;
                });
            }
            Ok(answered) if answered.status == 403 => {
                self.refused = true;
                tracing::error!(
                    event = "ladder",
                    "the server does not let this bot on the ladder, and is not asked again: {}",
                    answered.shown()
                );
            }
            Ok(answered) => tracing::warn!(event = "ladder", "not on the ladder: {}", answered.shown()),
            Err(error) => tracing::warn!(event = "ladder", "not on the ladder: {error}"),
        }
    }

    /// The server may have parked us for what we did not see.
    async fn look(&mut self, shared: &Shared) {
        if self.looked.elapsed() < shared.waits.rejoin / 12 {
            return;
        }
        self.looked = Instant::now();
        let path = format!("/bots/{}/{}", path_safe(&shared.account.team), path_safe(&shared.account.name));
        let Ok(answered) = shared.server.get(&path, shared.waits.answer_most).await else { return };
        let profile: Option<serde_json::Value> = serde_json::from_slice(&answered.body).ok();
        if answered.status == 200 && profile.is_some_and(|profile| profile["onLadder"] == false) {
            tracing::warn!(event = "ladder", "the server has taken us off the ladder");
            self.park(shared);
        }
    }

    /// Leaves it for as long as the bridge does not run.
    pub(super) async fn leave(&mut self, shared: &Shared) {
        if std::mem::take(&mut self.joined) {
            let left = shared.server.post("/bot/ladder/leave", None, shared.waits.answer_most).await;
            if left.is_ok_and(|answered| answered.is_success()) {
                tracing::info!(event = "ladder", "left the ladder");
                shared.state.change(|state| state.on_ladder = false);
            }
        }
    }
}

/// Whether the server knows us and the engine answers legally in time.
///
/// # Errors
/// What does not work.
pub async fn self_check(server: &Server, pool: &Pool, waits: &Waits) -> Result<(), String> {
    match server.get("/bot/account", waits.answer_most).await {
        Ok(answered) if answered.status == 200 => {}
        Ok(answered) => return Err(format!("the server answers {}", answered.shown())),
        Err(error) => return Err(error.to_string()),
    }
    let rolled = Rolled::from_dfen(PROBE).map_err(|error| error.to_string())?;
    let worker = pool.take();
    let time = Duration::from_millis(500);
    let asked = EngineTime::Fixed { time, patience: waits.engine_start, grace: time * 2 };
    let thought = worker.think(rolled, asked).await;
    pool.give_back(worker);
    let thought = thought.map_err(|error| format!("the engine: {}", astragal_client::escaped(&error, 200)))?;
    let turn = thought.turn.ok_or("the engine gives up in the starting position")?;
    apply_roll(&rolled, turn).map_err(|error| format!("the engine's turn {turn} is illegal: {error}"))?;
    if thought.time > time * 3 {
        return Err(format!("the engine took {:?} where it had {time:?}", thought.time));
    }
    Ok(())
}
