//! The arena: matches and tournaments between Dice Chess engines, with statistics that can be believed.
//!
//! The modules, from the bottom up: [`record`] and [`journal`] are what stays; [`dice`] and
//! [`schedule`] are arithmetic; [`player`] reaches whoever plays; [`game`] is the referee, [`runner`] plays
//! an event, [`report`] tells of it, and [`cli`] joins everything to a command line.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod adjudicate;
pub mod book;
pub mod cancel;
pub mod check;
pub mod cli;
pub mod clocks;
pub mod dice;
pub mod ends;
pub mod game;
pub mod games;
pub mod journal;
pub mod lengthen;
pub mod machine;
pub mod merge;
pub mod player;
pub mod progress;
pub mod record;
pub mod replay;
pub mod report;
pub mod runner;
pub mod schedule;
pub mod spec;
pub mod stats;
pub mod tally;
pub mod text;
