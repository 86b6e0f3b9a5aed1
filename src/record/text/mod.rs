//! The text record: games as people write them, in the manner of PGN. `protocol.md` describes it.
//!
//! It holds all that a [`Game`](super::Game) holds. Reading is strict about what decides a game (positions, dice, turns,
//! results) and lets pass what it does not know (tags, comments, commands in comments).

mod parse;
mod print;

pub use parse::{TextError, TextReader};
pub use print::TextWriter;

use super::{EndKind, Seat};

/// The most bytes of one game.
const MOST_BYTES: usize = 64 << 20;

/// The text of White's points.
fn result_text(result: f64, kind: EndKind) -> &'static str {
    match result {
        _ if kind == EndKind::Aborted => "*",
        1.0 => "1-0",
        0.0 => "0-1",
        _ => "1/2-1/2",
    }
}

/// White's points by their text; `None` in it if there is no result.
fn result_of(text: &str) -> Option<Option<f64>> {
    Some(match text {
        "1-0" => Some(1.0),
        "0-1" => Some(0.0),
        "1/2-1/2" => Some(0.5),
        "*" => None,
        _ => return None,
    })
}

/// The tags of a seat's control.
const CONTROLS: [&str; 2] = ["WhiteControl", "BlackControl"];

/// The tags of the names.
const NAMES: [&str; 2] = ["White", "Black"];

/// A seat by its name.
fn seat(name: String) -> Seat {
    Seat { name, control: String::new() }
}

#[cfg(test)]
mod tests;
