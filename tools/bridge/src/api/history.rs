//! A finished game as the platform keeps it.

use super::read::{lenient, or_default};
use super::{Players, Seat, TimeControl};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The seeds that both sides gave to the dice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Seeds {
    /// White's.
    pub white: String,
    /// Black's.
    pub black: String,
}

/// What the dice of a game were made of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fairness {
    /// The commitment, told before the first roll.
    #[serde(default, deserialize_with = "lenient")]
    pub commit: Option<String>,
    /// The server's seed.
    #[serde(default, deserialize_with = "lenient")]
    pub seed: Option<String>,
    /// Those of both sides.
    #[serde(default, deserialize_with = "lenient")]
    pub client_seeds: Option<Seeds>,
}

/// A roll and the turn made of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryTurn {
    /// From 1.
    #[serde(default, deserialize_with = "or_default")]
    pub turn_number: u32,
    /// Whose.
    pub active_color: Seat,
    /// As thrown, 1 to 6.
    pub dice: Vec<u8>,
    /// The micro-moves; none for a pass.
    #[serde(default, deserialize_with = "or_default")]
    pub moves: Vec<String>,
    /// The position after it.
    #[serde(default, deserialize_with = "or_default")]
    pub fen_after: String,
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// Its id.
    pub game_id: String,
    /// Who played.
    #[serde(default, deserialize_with = "or_default")]
    pub players: Players,
    /// Whether it counts.
    #[serde(default, deserialize_with = "lenient")]
    pub rated: Option<bool>,
    /// The time control.
    #[serde(default, deserialize_with = "lenient")]
    pub time_control: Option<TimeControl>,
    /// 1, 0 or −1 for White; none for a game without a result.
    #[serde(default, deserialize_with = "lenient")]
    pub result: Option<i64>,
    /// `king_captured`, `timeout`, `resign`, `draw_agreement`, `aborted`, or something newer.
    #[serde(default, deserialize_with = "lenient")]
    pub termination: Option<String>,
    /// When.
    #[serde(default, deserialize_with = "lenient")]
    pub finished_at: Option<String>,
    /// Where it began.
    #[serde(default, deserialize_with = "lenient")]
    pub initial_dfen: Option<String>,
    /// Every turn.
    pub turns: Vec<HistoryTurn>,
    /// What the dice were made of.
    #[serde(default, deserialize_with = "lenient")]
    pub fairness: Option<Fairness>,
    /// How it came about.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub origin: Option<Value>,
    /// Whether it can count.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub sporting_eligible: Option<Value>,
}

impl History {
    /// Who won; none for a draw.
    pub const fn winner(&self) -> Option<Seat> {
        match self.result {
            Some(1) => Some(Seat::White),
            Some(-1) => Some(Seat::Black),
            _ => None,
        }
    }
}
