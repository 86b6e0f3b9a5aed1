//! Lets a Dice Chess engine play on the public platform, by itself, for weeks.
//!
//! | module | what is in it |
//! |---|---|
//! | [`api`] | the platform's Bot API: its types, its streams' lines |
//! | [`fair`] | the dice: what the commitment and the seeds say every roll must have been |
//! | [`sign`] | signatures of webhook deliveries |
//! | [`decide`] | what to do, without doing it: pure functions and small state machines |
//! | [`config`], [`secret`], [`state_file`] | settings, secrets, what a restart must know |
//! | [`net`] | requests to the server and lines of its streams |
//! | [`engine`] | the pool of engines, and the instant bot that stands in for them |
//! | [`keep`] | finished games: the journal, a file a game |
//! | [`serve`] | serving HTTP |
//! | [`metrics`], [`health`] | counters, and how they are told |
//! | [`play`] | playing: one task a game |
//! | [`account`] | everything that is not a game: challenges, seeks, the matchmaker, the ladder |
//! | [`webhook`] | the server of deliveries |
//! | [`run`] | the supervisor |
//! | [`cli`] | the commands |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod account;
pub mod api;
pub mod cli;
pub mod config;
pub mod decide;
pub mod engine;
pub mod fair;
pub mod health;
pub mod keep;
pub mod metrics;
pub mod net;
pub mod play;
pub mod run;
pub mod secret;
pub mod serve;
pub mod sign;
pub mod state_file;
pub mod webhook;
