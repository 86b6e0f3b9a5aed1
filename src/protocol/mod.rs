//! The protocol: commands in, events out, options, and the session that joins them to the search.
//!
//! A reader thread turns input into messages, the protocol thread (the session) acts on them and keeps the deadlines,
//! a search thread does all that takes long. This module decides nothing about chess.

mod bench;
mod command;
mod go;
mod input;
mod inspect;
mod job;
mod memory;
mod options;
mod output;
mod overhead;
mod overshoot;
mod render;
mod restriction;
mod session;
mod setup;
mod worker;
mod workshop;

pub use bench::{BenchResult, run_bench};
pub use memory::{HashError, check_hash};
pub use options::{OptionError, Options};
pub use overshoot::{Overshoot, OvershootSettings, run_overshoot};
pub use session::run;

/// At most so much of a bad word is repeated in an error.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}
