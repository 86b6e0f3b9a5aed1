//! Words that come from Python, and errors that go there.

use astragal::board::{Color, Dice};
use astragal::rules::{Roll, Turn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::fmt::Display;

/// A `ValueError` with the library's message.
pub fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Any dice, one to three.
pub fn some_dice(text: &str) -> PyResult<Dice> {
    let dice = Dice::parse(text).map_err(value_error)?;
    if dice.is_empty() { Err(value_error("no dice are given")) } else { Ok(dice) }
}

/// A whole roll.
pub fn roll(text: &str) -> PyResult<Roll> {
    let dice = Dice::parse(text).map_err(value_error)?;
    Roll::from_dice(dice).ok_or_else(|| value_error(format!("a roll has three dice, not {}", dice.len())))
}

/// A turn by its text.
pub fn turn(text: &str) -> PyResult<Turn> {
    text.parse().map_err(value_error)
}

/// The name of a side.
pub const fn side_name(side: Color) -> &'static str {
    match side {
        Color::White => "white",
        Color::Black => "black",
    }
}

/// A side by its name.
pub fn side(text: &str) -> PyResult<Color> {
    Color::ALL
        .into_iter()
        .find(|&side| side_name(side) == text)
        .ok_or_else(|| value_error(format!("a side is 'white' or 'black', not '{}'", text.escape_debug())))
}
