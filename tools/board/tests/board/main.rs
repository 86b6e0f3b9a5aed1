//! The board's server over real sockets.

mod door;
mod engines;
mod games;
mod rules;
mod server;
