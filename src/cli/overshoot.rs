//! `astragal overshoot`.

use crate::bots::BotKind;
use crate::protocol::{OvershootSettings, run_overshoot};
use clap::Args;
use std::path::PathBuf;

/// The arguments.
#[derive(Args)]
pub(super) struct Overshoot {
    /// The bot, by its id.
    #[arg(long, default_value_t = BotKind::Expectimax)]
    bot: BotKind,
    /// The model of onnx-eval and onnx-expectimax.
    #[arg(long)]
    eval_file: Option<PathBuf>,
    /// The number of searches.
    #[arg(long, default_value_t = 1000)]
    searches: u32,
    /// The shortest deadline, in milliseconds.
    #[arg(long, default_value_t = 20)]
    shortest: u64,
    /// The longest deadline, in milliseconds.
    #[arg(long, default_value_t = 200)]
    longest: u64,
}

/// Searches between two lines of progress.
const BETWEEN_LINES: u32 = 100;

impl Overshoot {
    /// The line that tells how late the answers were; progress goes to standard error.
    pub(super) fn run(self) -> Result<String, String> {
        let Self { bot, eval_file, searches, shortest, longest } = self;
        let settings = OvershootSettings { bot, eval_file, searches, shortest_ms: shortest, longest_ms: longest };
        let progress = |done: u32| {
            if done.is_multiple_of(BETWEEN_LINES) {
                eprintln!("{done} of {searches} searches");
            }
            true
        };
        run_overshoot(&settings, progress).map(|result| result.to_string())
    }
}
