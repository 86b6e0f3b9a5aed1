//! The parts of a review.

use crate::position::Position;
use crate::words;
use astragal::review::{self, Decision, GameReview, Mark, SideSummary};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The sums of a game from White's view, in equity; together they are the result.
#[pyclass(frozen, get_all, module = "astragal")]
pub struct Account {
    /// What the first position was worth.
    start: f64,
    /// White's luck less Black's.
    luck: f64,
    /// What Black lost by its turns less what White lost.
    play: f64,
    /// What deeper looks thought of turns beyond their values, White's less Black's.
    revaluation: f64,
    /// What a resignation, a flag or an agreement made of the last position.
    last: f64,
}

impl From<review::Account> for Account {
    fn from(account: review::Account) -> Self {
        let review::Account { start, luck, play, revaluation, last } = account;
        Self { start, luck, play, revaluation, last }
    }
}

#[pymethods]
impl Account {
    /// All together.
    #[getter]
    fn sum(&self) -> f64 {
        self.start + self.luck + self.play + self.revaluation + self.last
    }

    fn __repr__(&self) -> String {
        let Self { start, luck, play, revaluation, last } = self;
        format!(
            "Account(start={start:+.3}, luck={luck:+.3}, play={play:+.3}, revaluation={revaluation:+.3}, last={last:+.3})"
        )
    }
}

/// How a side of a game played, and what luck it had.
#[pyclass(frozen, module = "astragal")]
pub struct Summary {
    inner: SideSummary,
}

impl From<SideSummary> for Summary {
    fn from(inner: SideSummary) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Summary {
    /// Turns played.
    #[getter]
    fn turns(&self) -> u32 {
        self.inner.turns
    }

    /// Those among them with something to choose.
    #[getter]
    fn decisions(&self) -> u32 {
        self.inner.all.decisions
    }

    /// What the decisions lost together, in equity.
    #[getter]
    fn loss(&self) -> f64 {
        self.inner.all.loss
    }

    /// The mean loss of a decision in thousandths of equity; ``None`` without decisions.
    #[getter]
    fn mean_loss(&self) -> Option<f64> {
        self.inner.all.mean_loss()
    }

    /// The luck of all rolls together, in equity.
    #[getter]
    fn luck(&self) -> f64 {
        self.inner.luck
    }

    /// Captures of the king that were missed.
    #[getter]
    fn missed_captures(&self) -> u32 {
        self.inner.missed_captures
    }

    /// How many turns have each mark: ``"doubtful"``, ``"mistake"``, ``"blunder"``.
    #[getter]
    fn marks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for mark in Mark::ALL {
            dict.set_item(mark.name(), self.inner.marked(mark))?;
        }
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        let all = &self.inner.all;
        format!("Summary(decisions={}, loss={:.3}, luck={:+.3})", all.decisions, all.loss, self.inner.luck)
    }
}

/// One roll of a reviewed game and what was made of it. All values are from the view of the player.
#[pyclass(frozen, module = "astragal")]
pub struct TurnReview {
    /// The review that it belongs to.
    pub review: Arc<GameReview>,
    /// Its place among the turns.
    pub place: usize,
}

impl TurnReview {
    fn inner(&self) -> &review::TurnReview {
        // The places are those of the list, which never changes.
        &self.review.turns[self.place]
    }

    fn decision(&self) -> Option<&Decision> {
        self.inner().decision.as_ref()
    }
}

#[pymethods]
impl TurnReview {
    /// Its number in the game, from 1.
    #[getter]
    fn ply(&self) -> usize {
        self.inner().ply
    }

    /// The position with its dice.
    #[getter]
    fn position(&self) -> Position {
        self.inner().rolled.into()
    }

    /// Who moved: ``"white"`` or ``"black"``.
    #[getter]
    fn side(&self) -> &'static str {
        words::side_name(self.inner().side())
    }

    /// What the position was worth before the roll.
    #[getter]
    fn equity(&self) -> f64 {
        self.inner().equity
    }

    /// What the roll was worth beyond that.
    #[getter]
    fn luck(&self) -> f64 {
        self.inner().luck
    }

    /// The turn played; ``None`` if the game ended before, and so are all that follow.
    #[getter]
    fn turn(&self) -> Option<String> {
        self.decision().map(|decision| decision.turn.to_string())
    }

    /// The best turn; the one played if that is as good.
    #[getter]
    fn best(&self) -> Option<String> {
        self.decision().map(|decision| decision.best.to_string())
    }

    /// What the turn played is worth.
    #[getter]
    fn value(&self) -> Option<f64> {
        self.decision().map(|decision| decision.value)
    }

    /// What the best turn is worth.
    #[getter]
    fn best_value(&self) -> Option<f64> {
        self.decision().map(|decision| decision.best_value)
    }

    /// What the turn played has lost, at least 0.
    #[getter]
    fn loss(&self) -> Option<f64> {
        self.decision().map(Decision::loss)
    }

    /// ``"doubtful"``, ``"mistake"`` or ``"blunder"`` by the loss, or ``None``.
    #[getter]
    fn mark(&self) -> Option<&'static str> {
        self.decision().and_then(Decision::mark).map(Mark::name)
    }

    /// Whether there was nothing to choose.
    #[getter]
    fn is_forced(&self) -> Option<bool> {
        self.decision().map(Decision::is_forced)
    }

    /// Turns that were looked ahead, the own one included.
    #[getter]
    fn depth(&self) -> Option<u32> {
        self.decision().map(|decision| decision.depth)
    }

    /// What is left between the value of the turn and the equity after it.
    #[getter]
    fn revaluation(&self) -> Option<f64> {
        self.decision().map(|decision| decision.revaluation)
    }

    /// Throws of 216 that capture the own king next: if the player had passed, after the turn played, after the best turn.
    #[getter]
    fn danger(&self) -> Option<(u32, u32, u32)> {
        self.decision().map(|decision| (decision.danger.before, decision.danger.after, decision.danger.best))
    }

    /// Whether the turn captured the king.
    #[getter]
    fn captured(&self) -> Option<bool> {
        self.decision().map(|decision| decision.captured)
    }

    /// Whether the king could be captured and was not.
    #[getter]
    fn missed_capture(&self) -> Option<bool> {
        self.decision().map(|decision| decision.missed_capture)
    }

    fn __repr__(&self) -> String {
        let dice = self.inner().rolled.dice;
        match self.decision() {
            Some(decision) => {
                format!("TurnReview({}, {dice} '{}', loss={:.3})", self.ply(), decision.turn, decision.loss())
            }
            None => format!("TurnReview({}, {dice})", self.ply()),
        }
    }
}
