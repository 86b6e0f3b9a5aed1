//! Lets a Dice Chess engine play on the public platform, by itself, for weeks.
//!
//! | module | what is in it |
//! |---|---|
//! | [`api`] | the platform's Bot API: its types, its requests, its streams |
//! | [`fair`] | the dice: what the commitment and the seeds say every roll must have been |
//! | [`sign`] | signatures of webhook deliveries |
//! | [`decide`] | what to do, without doing it: pure functions and small state machines |
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod api;
pub mod decide;
pub mod fair;
pub mod sign;
