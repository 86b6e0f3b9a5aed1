//! The native half of the Python package `astragal`: the library's types and functions as Python objects.
//!
//! Nothing is decided here that the library decides. Whatever takes long gives other Python threads their turn, and a panic
//! becomes a Python exception. The other half, in `python/astragal/`, is the match of two players and the names that the
//! package shows.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod arrays;
mod attended;
mod budget;
mod engine;
mod evaluation;
mod game;
mod outcomes;
mod position;
mod records;
mod referee;
mod review;
mod review_parts;
mod rolls;
mod svg;
mod words;

use pyo3::prelude::*;

/// The native half of the package `astragal`, which is the one to import.
#[pymodule]
fn _astragal(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", astragal::VERSION)?;
    module.add("STARTPOS", astragal::board::STARTPOS)?;
    module.add("HAS_ONNX", cfg!(feature = "onnx"))?;
    rolls::add_to(module)?;
    module.add_class::<position::Position>()?;
    module.add_class::<outcomes::Outcome>()?;
    module.add_class::<outcomes::Outcomes>()?;
    arrays::add_to(module)?;
    engine::add_to(module)?;
    budget::add_to(module)?;
    game::add_to(module)?;
    records::add_to(module)?;
    referee::add_to(module)?;
    review::add_to(module)
}
