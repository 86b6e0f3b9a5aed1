//! How a player can fail, as typed values: what the referee turns into the end of a game.

use crate::record::EndKind;
use std::time::Duration;
use thiserror::Error;

/// How a player failed to give a turn.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Failure {
    /// Its program ended, or could not be started.
    #[error("{0}")]
    Crash(String),
    /// No answer long after the flag.
    #[error("{0}")]
    Stall(String),
    /// It broke the protocol beyond what can be skipped.
    #[error("{0}")]
    Protocol(String),
    /// It failed in a way that counts as a loss on time.
    #[error("{0}")]
    Time(String),
    /// The arena was told to stop; the game does not count.
    #[error("the arena was told to stop")]
    Cancelled,
}

impl Failure {
    /// The end of the game that it makes; none if the game does not count.
    pub const fn end_kind(&self) -> Option<EndKind> {
        match self {
            Self::Crash(_) => Some(EndKind::Crash),
            Self::Stall(_) => Some(EndKind::Stall),
            Self::Protocol(_) => Some(EndKind::Protocol),
            Self::Time(_) => Some(EndKind::Time),
            Self::Cancelled => None,
        }
    }
}

/// A failure, with how long the player had taken by then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failed {
    /// What happened.
    pub failure: Failure,
    /// From our write of `go` to the failure.
    pub took: Duration,
}
