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
    Perft { rolled: Rolled, depth: u32, stop: Arc<StopSignal>, work: Work },
    /// Run the benchmark.
    Bench { stop: Arc<StopSignal>, work: Work },
    /// Begin to build the bot of this configuration ahead of time: it may have files to read.
    Prepare(Box<BotConfig>),
    /// The same, and say `readyok` when it is there.
    Ready(Box<BotConfig>),
    /// A new game begins.
    NewGame,
}

/// Stands for a piece of work as long as that is not done.
#[derive(Debug)]
pub(super) struct Work(#[expect(dead_code, reason = "held, not looked at")] Arc<()>);

/// Pieces of work that are ordered and not done.
#[derive(Debug, Default)]
pub(super) struct Workload(Arc<()>);

impl Workload {
    /// Another piece of work.
    pub(super) fn add(&self) -> Work {
        Work(Arc::clone(&self.0))
    }

    /// Whether nothing is left to do.
    pub(super) fn is_done(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
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
    /// What is to be said before it begins.
    pub remarks: Vec<String>,
    pub work: Work,
}
