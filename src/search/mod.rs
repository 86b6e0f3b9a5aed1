//! Looking ahead: [`Expectimax`] with its chance search, transposition table and move filter, and what every search
//! shares: its [`Task`], its [`Event`]s, the moves at the root.
//!
//! A search never prints, never reads input and knows no clock. It reports typed events, and learns that its time is over
//! from a [`crate::time::StopCheck`] that it asks between two dice rolls. It knows no bot: [`crate::bots`] makes one of it.
//!
//! ```
//! use astragal::board::Rolled;
//! use astragal::bots::BudgetedBot;
//! use astragal::search::{Event, Expectimax, ExpectimaxSettings, Task};
//!
//! let rolled = Rolled::from_dfen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB")?;
//! let mut task = Task::new(rolled);
//! task.limits.depth = Some(1);
//! let mut value = None;
//! let mut search = Expectimax::new(ExpectimaxSettings::default());
//! let turn = search.choose(&task, None, &mut |event| {
//!     if let Event::Info(info) = event {
//!         value = Some(info.score.equity().value());
//!     }
//! });
//! assert_eq!(turn.moves().len(), 3);
//! assert!(value.is_some_and(|value| (-1.0..=1.0).contains(&value)));
//! # Ok::<(), astragal::board::DfenError>(())
//! ```

mod budget;
mod candidates;
mod chance_search;
mod crew;
mod expectimax;
mod observer;
mod plies;
mod pre_ranker;
mod report;
mod roll_sample;
mod root_moves;
mod table;
mod task;
mod techniques;

pub(crate) use budget::SearchBudget;
pub(crate) use chance_search::ChanceSearch;
pub use crew::{Shortage, take_shortage};
pub(crate) use crew::{room_for_a_thread, share};
pub use expectimax::{Expectimax, ExpectimaxSettings};
pub use pre_ranker::{PreRanker, UnknownPreRanker};
pub use report::{Event, Info, RollInfo, RolloutInfo, Width};
pub(crate) use root_moves::{can_capture, candidates_or_answer};
pub use table::{MOST_DEPTH, has_memory_for_table};
pub use task::{Limits, Mode, SearchMoves, Task};
pub use techniques::{Filters, Techniques};

/// Receives what a search reports while it runs.
pub type Reporter<'a> = dyn FnMut(Event) + 'a;
