//! Why something that a page asked for was not done.

use astragal::record::escaped;
use serde::Serialize;

/// What a reply says in place of an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fail {
    /// For programs; docs/board.md has them all.
    pub code: &'static str,
    /// For people, fit to be shown.
    pub message: String,
}

impl Fail {
    /// A failure; the message is escaped.
    pub fn new(code: &'static str, message: impl ToString) -> Self {
        Self { code, message: escaped(&message.to_string(), 400) }
    }

    /// Something in a message that makes no sense.
    pub fn bad(message: impl ToString) -> Self {
        Self::new("bad", message)
    }

    /// No such game, engine, program or review.
    pub fn unknown(what: &str) -> Self {
        Self::new("unknown", format!("no such {what}"))
    }

    /// What the page means is not where the game stands.
    pub fn stale(message: impl ToString) -> Self {
        Self::new("stale", message)
    }
}
