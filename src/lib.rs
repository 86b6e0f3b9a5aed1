//! Astragal: a Dice Chess engine.
//!
//! The layers, from the bottom up; imports run downwards only:
//!
//! | module | what is in it |
//! |---|---|
//! | [`board`] | squares, pieces, bitboards, attacks, [`board::Position`], DFEN, hashing |
//! | [`rules`] | dice and rolls, micro-moves, legal turns, distinct outcomes, whole chance nodes, perft |
//! | [`eval`] | the static evaluation and the exact king-capture probability |
//! | [`search`] | expectimax: chance search, transposition table, move filter |
//! | [`rollout`] | games played on from a position, with the luck taken out |
//! | [`bots`] | what a bot is, and every algorithm by its name |
//! | [`record`] | games as data: journals, a game in progress on disk, replay, where the dice came from |
//! | [`review`] | luck and loss of every turn of a game, marks, summaries |
//! | `report` | reviews as text, JSON and HTML (feature `report`, on by default) |
//! | [`protocol`] | commands in, events out, options, the session |
//! | `cli` | arguments, logging, one file a subcommand (feature `cli`, on by default) |
//!
//! [`time`] stands beside them and imports none: how long a turn may take (pure arithmetic), and the stop signal
//! by which a search learns that its time is over.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[macro_use]
mod ids;

pub mod board;
pub mod bots;
#[cfg(feature = "cli")]
pub mod cli;
pub mod eval;
pub mod protocol;
pub mod record;
#[cfg(feature = "report")]
pub mod report;
pub mod review;
pub mod rollout;
pub mod rules;
pub mod search;
pub mod time;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
