//! Picking a turn: what a [`Bot`] is, the registry, and every algorithm, one a file.
//!
//! Whether a bot can be interrupted is part of its type: an [`InstantBot`] answers at once and cannot be handed a
//! deadline; a [`BudgetedBot`] answers when its stop signal is raised. Both are a [`Bot`].

mod book;
mod checkmate_aware;
mod expectimax;
mod level;
mod model_slot;
mod monte_carlo;
mod one_ply;
mod onnx_eval;
mod onnx_expectimax;
mod random;
mod registry;
mod rollout;

pub use book::{
    BadLines, Book, BookError, BookLineError, Entries, Entry, LineProblem, book_key, book_line, draw_entry,
};
pub use checkmate_aware::CheckmateAware;
pub use level::{LEAST_ELO, MOST_ELO, MOST_MEAN_LOSS};
pub use monte_carlo::MonteCarlo;
pub use one_ply::OnePly;
pub use onnx_eval::OnnxEval;
pub use onnx_expectimax::OnnxExpectimax;
pub use random::Random;
pub use registry::{BotConfig, BotKind, UnknownBot};

use crate::rules::Turn;
use crate::search::{Reporter, Task};
use crate::time::StopSignal;

/// A bot that answers at once, so that nothing need interrupt it.
pub trait InstantBot: Send {
    /// Picks a legal turn for a rolled position; [`Turn::PASS`] when there is none, or when nothing has been rolled. The
    /// same bot, task and seed give the same answer and the same reports.
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn;

    /// Forgets what it learned from the game so far.
    fn new_game(&mut self) {}
}

/// A bot that may think for long, and answers when told to.
pub trait BudgetedBot: Send {
    /// Picks a legal turn for a rolled position; [`Turn::PASS`] when there is none, or when nothing has been rolled.
    ///
    /// With a signal it answers with the best completed turn when that is raised, and with a legal turn, if there is one,
    /// also when it is raised already. Without one it takes as long as the task asks, and the same bot, task and seed
    /// give the same answer and the same reports.
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn;

    /// Forgets what it learned from the game so far.
    fn new_game(&mut self) {}
}

/// Any bot, by what it can do.
pub enum Bot {
    /// One that answers at once.
    Instant(Box<dyn InstantBot>),
    /// One that can be interrupted.
    Budgeted(Box<dyn BudgetedBot>),
}

impl Bot {
    /// An instant bot as any bot.
    pub fn instant(bot: impl InstantBot + 'static) -> Self {
        Self::Instant(Box::new(bot))
    }

    /// A budgeted bot as any bot.
    pub fn budgeted(bot: impl BudgetedBot + 'static) -> Self {
        Self::Budgeted(Box::new(bot))
    }

    /// Picks a turn, as [`InstantBot::choose`] and [`BudgetedBot::choose`] say. An instant bot never sees the signal.
    pub fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match self {
            Self::Instant(bot) => bot.choose(task, report),
            Self::Budgeted(bot) => bot.choose(task, stop, report),
        }
    }

    /// Whether it can be interrupted.
    pub const fn is_budgeted(&self) -> bool {
        matches!(self, Self::Budgeted(_))
    }

    /// Forgets what it learned from the game so far.
    pub fn new_game(&mut self) {
        match self {
            Self::Instant(bot) => bot.new_game(),
            Self::Budgeted(bot) => bot.new_game(),
        }
    }
}
