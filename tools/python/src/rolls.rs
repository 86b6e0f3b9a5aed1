//! The 56 rolls, and the dice of the arena.

use crate::words;
use astragal::record;
use astragal::rules::Roll;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Adds what is told of rolls.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let names: Vec<String> = Roll::all().map(|roll| roll.to_string()).collect();
    module.add("ROLLS", PyTuple::new(py, names)?)?;
    let weights = PyArray1::from_iter(py, Roll::all().map(|roll| i64::from(roll.weight())));
    weights.call_method1("setflags", (false,))?;
    module.add("WEIGHTS", weights)?;
    module.add_function(wrap_pyfunction!(roll_index, module)?)?;
    module.add_function(wrap_pyfunction!(seeded_roll, module)?)?;
    module.add_function(wrap_pyfunction!(bot_seed, module)?)?;
    Ok(())
}

/// The place of a roll in ``ROLLS`` and ``WEIGHTS``, 0 to 55.
///
/// The letters may come in any order and case. Raises ``ValueError`` if they are no roll of three dice.
#[pyfunction]
fn roll_index(roll: &str) -> PyResult<usize> {
    Ok(words::roll(roll)?.index())
}

/// The roll of a ply (from 0, forced passes counted) of the games of a pair, as the arena throws it.
///
/// It depends on nothing but its three arguments, each from 0 to 2**64 - 1.
#[pyfunction]
fn seeded_roll(seed: u64, pair: u64, ply: u64) -> String {
    record::seeded_roll(seed, pair, ply).to_string()
}

/// The seed of a bot that has none of its own, the same in both games of a pair, as the arena draws it: from 0 to 2**32 - 1.
/// ``player`` is its place among the players of the event.
#[pyfunction]
fn bot_seed(seed: u64, pair: u64, player: usize) -> u64 {
    record::bot_seed(seed, pair, player)
}
