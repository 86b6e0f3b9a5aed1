//! What a position is worth without a search.

use crate::words::value_error;
use astragal::board::Position;
use astragal::eval::{BuiltinEvaluator, EvalTerms, FeatureSet, ReplyFinder, RollReplies, with_king_capture};
use astragal::rules::Roll;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;

fn replies(position: &Position) -> RollReplies {
    thread_local! {
        static FINDER: RefCell<ReplyFinder> = RefCell::default();
    }
    FINDER.with_borrow_mut(|finder| finder.find(position))
}

/// What a built-in evaluation says; 0 for a drawn game.
pub fn equity(position: &Position, by: &str) -> PyResult<f64> {
    let kind: BuiltinEvaluator = by.parse().map_err(value_error)?;
    if kind == BuiltinEvaluator::Full || position.is_drawn() {
        return Ok(EvalTerms::of(position).equity().value());
    }
    let (mut evaluator, mut values) = (kind.evaluator(), Vec::with_capacity(1));
    evaluator.evaluate(std::slice::from_ref(position), &mut values);
    // There is one value for each position.
    let value = values.first().copied().unwrap_or_default();
    let value = if evaluator.lacks_king_capture() { with_king_capture(value, position) } else { value };
    Ok(value.value())
}

/// The terms of the evaluation.
pub fn terms<'py>(py: Python<'py>, position: &Position) -> PyResult<Bound<'py, PyDict>> {
    let terms = EvalTerms::of(position);
    let dict = PyDict::new(py);
    for (name, [white, black]) in terms.by_side() {
        dict.set_item(name, (white, black))?;
    }
    dict.set_item("tempo", terms.tempo)?;
    dict.set_item("quiet", terms.quiet())?;
    dict.set_item("capturing", terms.capturing)?;
    Ok(dict)
}

/// The inputs of that kind of model.
pub fn features<'py>(py: Python<'py>, position: &Position, kind: &str) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let set: FeatureSet = kind.parse().map_err(value_error)?;
    let mut row = Vec::with_capacity(set.width());
    set.append(position, &mut row);
    Ok(PyArray1::from_vec(py, row))
}

/// The values of the rolls in dice order.
pub fn roll_values<'py>(py: Python<'py>, position: &Position) -> Bound<'py, PyArray1<f64>> {
    let replies = py.detach(|| replies(position));
    PyArray1::from_iter(py, Roll::all().map(|roll| replies.value(roll)))
}

/// The luck of a roll.
pub fn luck(py: Python<'_>, position: &Position, roll: Roll) -> f64 {
    py.detach(|| replies(position)).luck(roll)
}
