//! Picking a turn: the [`Bot`] trait and every algorithm, one a file.
//!
//! A search never prints, never reads input and knows no clock. It reports typed [`Event`]s, and learns that its time
//! is over from a [`crate::time::StopCheck`] that it asks between two dice rolls. Where it gets to a point at which it could
//! end, it tells what it has [`crate::time::Seen`] and asks whether that is enough.

mod aggressive;
mod book;
mod candidates;
mod chance_search;
mod checkmate_aware;
mod effort;
mod expectimax;
mod greedy;
mod greedy_v2;
mod model_slot;
mod monte_carlo;
mod observer;
mod one_ply;
mod onnx_eval;
mod onnx_expectimax;
mod plies;
mod pre_ranker;
mod random;
mod registry;
mod report;
mod roll_sample;
mod rollout;
mod root;
mod seed;
mod table;
mod task;
mod techniques;

pub use aggressive::aggressive_score;
pub use book::{
    Book, BookBot, BookBuilder, BookError, BookLineError, BookRules, Entry, LineProblem, RecordError, book_key,
    book_line,
};
pub use checkmate_aware::CheckmateAware;
pub use expectimax::{Expectimax, ExpectimaxSettings};
pub use greedy::greedy_score;
pub use greedy_v2::greedy_v2_score;
pub use monte_carlo::MonteCarlo;
pub use one_ply::OnePly;
pub use onnx_eval::OnnxEval;
pub use onnx_expectimax::OnnxExpectimax;
pub use pre_ranker::{PreRanker, UnknownPreRanker};
pub use random::Random;
pub use registry::{BotConfig, BotKind, UnknownBot};
pub use report::{Event, Info, RollInfo, RolloutInfo, Width};
pub use rollout::{Rollout, RolloutSettings};
pub use seed::{below, decision_rng};
pub use task::{Limits, Task};
pub use techniques::{Filters, Techniques};

use crate::rules::Turn;
use crate::time::StopSignal;

/// Receives what a search reports while it runs.
pub type Reporter<'a> = dyn FnMut(Event) + 'a;

/// What every algorithm is: something that picks a turn.
pub trait Bot: Send {
    /// Picks a legal turn for a rolled position, however long it takes; [`Turn::PASS`] when there is none, or when
    /// nothing has been rolled. The same bot, task and seed give the same answer and the same reports.
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn;

    /// The view of a bot that can be interrupted; `None` for those that answer at once.
    fn budgeted(&mut self) -> Option<&mut dyn Budgeted> {
        None
    }

    /// Forgets what it learned from the game so far.
    fn new_game(&mut self) {}
}

/// The capability to answer when told to.
pub trait Budgeted {
    /// Picks a legal turn, the best completed one when the signal is raised; always a legal turn if there is one,
    /// also when the signal is raised already.
    fn choose_within(&mut self, task: &Task, stop: &StopSignal, report: &mut Reporter<'_>) -> Turn;
}
