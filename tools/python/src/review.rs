//! Reviews of games.

use crate::attended::attended;
use crate::game::Game;
use crate::review_parts::{Account, Summary, TurnReview};
use crate::words::{self, value_error};
use astragal::report::review_text;
use astragal::review::{self, Level, ReviewSettings, Reviewer, SideSummary, Watch};
use astragal::time::StopSignal;
use pyo3::prelude::*;
use std::sync::Arc;

/// Adds the classes and functions.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let marks = review::MARKS.map(|(mark, from)| (mark.name(), mark.signs(), from));
    module.add("MARKS", pyo3::types::PyTuple::new(module.py(), marks)?)?;
    module.add_class::<GameReview>()?;
    module.add_class::<TurnReview>()?;
    module.add_class::<Account>()?;
    module.add_class::<Summary>()?;
    module.add_function(wrap_pyfunction!(review_game, module)?)
}

/// The review of a game: what was luck and what was a mistake.
#[pyclass(frozen, module = "astragal")]
pub struct GameReview {
    inner: Arc<review::GameReview>,
}

#[pymethods]
impl GameReview {
    /// The names of White and Black.
    #[getter]
    fn names(&self) -> (&str, &str) {
        (&self.inner.names[0], &self.inner.names[1])
    }

    /// White's result: 1 won, 0 drawn, -1 lost; ``None`` if the game was broken off.
    #[getter]
    fn result(&self) -> Option<f64> {
        self.inner.result
    }

    /// How the game ended, as ``Game.end``.
    #[getter]
    fn end(&self) -> &'static str {
        self.inner.end.name()
    }

    /// Every roll and what was made of it, in order.
    #[getter]
    fn turns(&self) -> Vec<TurnReview> {
        (0..self.inner.turns.len()).map(|place| TurnReview { review: Arc::clone(&self.inner), place }).collect()
    }

    /// The sums of the game from White's view, which add up to the result.
    #[getter]
    fn account(&self) -> Account {
        self.inner.account().into()
    }

    /// How a side played: ``"white"`` or ``"black"``.
    fn summary(&self, side: &str) -> PyResult<Summary> {
        Ok(SideSummary::of(&self.inner, words::side(side)?).into())
    }

    /// The review as text of at most 100 columns.
    fn to_text(&self) -> String {
        review_text(&self.inner)
    }

    fn __repr__(&self) -> String {
        let [white, black] = &self.inner.names;
        let (white, black) = (white.escape_debug(), black.escape_debug());
        format!("<GameReview of {white} - {black}, {} turns>", self.inner.turns.len())
    }
}

struct Stopping<'a>(&'a StopSignal);

impl Watch for Stopping<'_> {
    fn stop(&self) -> Option<&StopSignal> {
        Some(self.0)
    }
}

/// Reviews a game: for every turn luck and loss, equities from -1 to 1 from the player's view.
///
/// ``depth`` is how many whole turns are looked ahead, the own one included; ``threads`` share the turns. With
/// ``rollouts`` turns whose loss is close to the border of a mark are decided by so many games from either turn, drawn
/// from ``seed``. The same arguments give the same review at any number of threads. Ctrl-C ends it.
///
/// Raises ``ValueError`` if the game cannot have been played so.
#[pyfunction(name = "review")]
#[pyo3(signature = (game, *, depth = 2, threads = 1, rollouts = None, seed = 0))]
fn review_game(
    py: Python<'_>,
    game: &Game,
    depth: u32,
    threads: usize,
    rollouts: Option<u32>,
    seed: u64,
) -> PyResult<GameReview> {
    if depth == 0 || threads == 0 || threads > 256 {
        return Err(value_error("depth must be at least 1, and threads from 1 to 256"));
    }
    let level = Level::Depth(depth);
    let settings = ReviewSettings { level, rollout_games: rollouts, seed, ..ReviewSettings::default() };
    let stop = StopSignal::new();
    let made = attended(py, &stop, || Reviewer::new(settings, threads).review(&game.inner, &Stopping(&stop)))?;
    made.map(|review| GameReview { inner: Arc::new(review) }).map_err(value_error)
}
