//! Astragal: a Dice Chess engine.
//!
//! The rooms, from the bottom up; imports run downwards only:
//!
//! | room | what is in it |
//! |---|---|
//! | [`board`] | squares, pieces, bitboards, attacks, [`board::Position`], DFEN, hashing |
//! | [`rules`] | dice and rolls, micro-moves, legal turns, distinct outcomes, whole chance nodes, perft |
//! | [`eval`] | the static evaluation and the exact king-capture probability |
//! | [`search`] | the [`search::Bot`] trait and every algorithm |
//! | [`protocol`] | commands in, events out, options, the session |
//!
//! [`time`] stands beside them and imports none: how long a turn may take (pure arithmetic), and the stop signal
//! by which a search learns that its time is over.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod board;
pub mod eval;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod time;

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
