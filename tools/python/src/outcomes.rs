//! The distinct outcomes of one roll as Python objects.

use crate::position::Position;
use astragal::board::{Dice, Rolled};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

/// A distinct position that a roll can lead to.
#[pyclass(frozen, module = "astragal")]
pub struct Outcome {
    inner: astragal::rules::Outcome,
}

#[pymethods]
impl Outcome {
    /// The turn that stands for it: of all that lead there the one with the fewest micro-moves, then the first in ASCII
    /// order; ``"0000"`` if the player must pass.
    #[getter]
    fn turn(&self) -> String {
        self.inner.turn.to_string()
    }

    /// The position after it, in which the opponent is to roll.
    #[getter]
    fn position(&self) -> Position {
        Rolled { position: self.inner.position, dice: Dice::NONE }.into()
    }

    /// How many turns lead there, every order of micro-moves counted.
    #[getter]
    fn ways(&self) -> u64 {
        self.inner.ways
    }

    fn __repr__(&self) -> String {
        format!("Outcome('{}', ways={})", self.inner.turn, self.inner.ways)
    }
}

/// All that a roll can lead to: a sequence of ``Outcome``, and what there is to say of captures of the king, which lead to
/// no position.
#[pyclass(frozen, sequence, module = "astragal")]
pub struct Outcomes {
    inner: astragal::rules::Outcomes,
}

impl From<astragal::rules::Outcomes> for Outcomes {
    fn from(inner: astragal::rules::Outcomes) -> Self {
        Self { inner }
    }
}

#[pymethods]
impl Outcomes {
    /// Of the turns that capture the king the first, or ``None``.
    #[getter]
    fn king_capture(&self) -> Option<String> {
        self.inner.king_capture.map(|turn| turn.to_string())
    }

    /// How many turns capture the king.
    #[getter]
    fn capturing_turns(&self) -> u64 {
        self.inner.capturing_turns
    }

    /// How many legal turns there are, every order of micro-moves counted; a pass is none.
    #[getter]
    fn legal_turns(&self) -> u64 {
        self.inner.legal_turns()
    }

    fn __len__(&self) -> usize {
        self.inner.distinct.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Outcome> {
        let length = self.inner.distinct.len();
        let place = if index < 0 { length.checked_add_signed(index) } else { usize::try_from(index).ok() };
        let found = place.and_then(|place| self.inner.distinct.get(place));
        found.map(|&inner| Outcome { inner }).ok_or_else(|| PyIndexError::new_err("there is no such outcome"))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.inner.distinct.iter().map(|&inner| Outcome { inner }))?.try_iter()
    }

    fn __repr__(&self) -> String {
        format!("Outcomes(<{} positions>, king_capture={:?})", self.inner.distinct.len(), self.king_capture())
    }
}
