//! A board in the browser: play against engines and people, watch, analyse, review.
//!
//! The server is the referee and the memory; the page draws, asks, and drives the engines, whose lines pass through.
//! docs/board.md has every message between the two.
//!
//! | module | what is in it |
//! |---|---|
//! | `cli` | arguments, start and end |
//! | `serve`, `http`, `socket` | connections; who is let in, files; a page's messages |
//! | `hub` | pages, games, engines and reviews together, and who is told what |
//! | `game`, `clock`, `control`, `steps` | a running game, its clocks, the micro-moves that may come next |
//! | `store` | the folder of the games |
//! | `engines`, `guard`, `reviews` | what runs beside the games, and its certain end |
//! | `views`, `wire`, `fail` | games as pages see them, the messages as types |
#![forbid(unsafe_code)]

mod cli;
mod clock;
mod control;
mod engines;
mod fail;
mod game;
mod guard;
mod http;
mod hub;
mod reviews;
mod serve;
mod socket;
mod steps;
mod store;
mod views;
mod wire;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
