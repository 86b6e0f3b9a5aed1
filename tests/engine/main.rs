//! The real program over pipes.
//!
//! One crate for all of them: each crate more costs the time to build and link it.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/webdriver.rs"]
mod webdriver;

mod analysis;
mod browser;
mod clocks;
mod commands;
mod determinism;
mod ends;
mod input;
mod interleavings;
mod time_use;
mod transcripts;
