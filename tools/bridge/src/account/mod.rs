//! Everything that is not a game: the account's stream, challenges, seeks, the matchmaker, the ladder.

mod errands;
mod ladder;
mod seeks;
mod stream;

pub use errands::{Errand, errands};
pub use ladder::self_check;
pub use stream::listen;
