//! What the protocol thread hands to the search thread.

use crate::board::Rolled;
use crate::bots::BotConfig;
use crate::rollout::RolloutSettings;
use crate::search::Task;
use crate::time::StopSignal;
use crossbeam_channel::Receiver;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Something that takes long, done in the order given.
pub(super) enum Job {
    /// Search, and answer with `bestmove`.
    Go(Box<GoJob>),
    /// Count turns and outcomes.
    Perft { rolled: Rolled, depth: u32, stop: Arc<StopSignal> },
    /// Run the benchmark.
    Bench { stop: Arc<StopSignal> },
    /// Build the bot of this configuration ahead of time: it may have files to read.
    Prepare(Box<BotConfig>),
    /// A new game begins.
    NewGame,
}

/// A search. The options in force when it was ordered come with it.
pub(super) struct GoJob {
    pub task: Task,
    pub bot: BotConfig,
    /// Rollouts instead of the bot.
    pub rollout: Option<RolloutSettings>,
    pub show_wdl: bool,
    pub stop: Arc<StopSignal>,
    /// When the order came.
    pub started: Instant,
    /// With `infinite` and `ponder` the answer is held back until the other end of this channel is gone.
    pub held: Option<Receiver<()>>,
    /// When the answer was written, once it was.
    pub answered: Arc<OnceLock<Instant>>,
}
