//! What the platform tells of games, challenges, seeks and the account.

use super::TimeControl;
use super::read::{each, lenient, or_default};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A side of a game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Seat {
    /// The white pieces.
    White,
    /// The black pieces.
    Black,
}

impl Seat {
    /// The opponent's.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// 0 for White, 1 for Black.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::White { "White" } else { "Black" })
    }
}

/// The clocks of both sides in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClocksMs {
    /// White's.
    pub white: i64,
    /// Black's.
    pub black: i64,
}

impl ClocksMs {
    /// That of a side.
    pub const fn of(&self, seat: Seat) -> i64 {
        match seat {
            Seat::White => self.white,
            Seat::Black => self.black,
        }
    }
}

/// A tree of micro-moves: a leaf ends a whole turn. Empty at the top: the side to move passes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree(pub BTreeMap<String, Tree>);

impl Tree {
    /// Whether the side to move can only pass.
    pub fn is_pass(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it holds this turn, whole.
    pub fn holds<'a>(&self, moves: impl IntoIterator<Item = &'a str>) -> bool {
        let mut at = self;
        let mut any = false;
        for mv in moves {
            let Some(next) = at.0.get(mv) else { return false };
            (at, any) = (next, true);
        }
        any && at.0.is_empty()
    }

    /// Every whole turn, in the order of the text; at most so many.
    pub fn turns(&self, most: usize) -> Vec<Vec<String>> {
        let mut turns = Vec::new();
        self.walk(&mut Vec::new(), &mut turns, most);
        turns
    }

    fn walk(&self, path: &mut Vec<String>, turns: &mut Vec<Vec<String>>, most: usize) {
        if self.0.is_empty() && !path.is_empty() {
            turns.push(path.clone());
        }
        for (mv, rest) in &self.0 {
            if turns.len() >= most {
                return;
            }
            path.push(mv.clone());
            rest.walk(path, turns, most);
            path.pop();
        }
    }
}

/// Whether a game goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Status {
    /// It does.
    #[default]
    Active,
    /// It does not.
    Ended,
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let ended = value.get("Ended").is_some() || value.as_str() == Some("Ended");
        Ok(if ended { Self::Ended } else { Self::Active })
    }
}

/// A player of a game.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Player {
    /// `Bot`, or what a person is.
    #[serde(default, deserialize_with = "lenient")]
    pub kind: Option<String>,
    /// What is shown: team and name of a bot, with a blank between.
    #[serde(default, deserialize_with = "lenient")]
    pub name: Option<String>,
    /// The rating.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub rating: Option<Value>,
}

/// Both players.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Players {
    /// The white pieces.
    #[serde(default, deserialize_with = "or_default")]
    pub white: Player,
    /// The black pieces.
    #[serde(default, deserialize_with = "or_default")]
    pub black: Player,
}

impl Players {
    /// That of a side.
    pub const fn of(&self, seat: Seat) -> &Player {
        match seat {
            Seat::White => &self.white,
            Seat::Black => &self.black,
        }
    }
}

/// A game as it stands.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GameState {
    /// Grows by one an event.
    #[serde(default, deserialize_with = "or_default")]
    pub version: i64,
    /// The position: six fields, seven with dice.
    pub dfen: String,
    /// Whose turn it is.
    pub active_seat: Seat,
    /// Whether dice wait to be played.
    #[serde(default, deserialize_with = "or_default")]
    pub dice_pending: bool,
    /// Whether it goes on.
    #[serde(default)]
    pub status: Status,
    /// The time control.
    #[serde(default, deserialize_with = "lenient")]
    pub time_control: Option<TimeControl>,
    /// The clocks as of now; none without a clock.
    #[serde(default, deserialize_with = "lenient")]
    pub clocks: Option<ClocksMs>,
    /// The commitment to the server's seed.
    #[serde(default, deserialize_with = "lenient")]
    pub commit: Option<String>,
    /// The server's seed, once it is told.
    #[serde(default, deserialize_with = "lenient")]
    pub seed: Option<String>,
    /// The seeds of both sides, once they are told.
    #[serde(default, deserialize_with = "lenient")]
    pub client_seeds: Option<super::Seeds>,
    /// The turns; none if there are too many to tell, or no dice.
    #[serde(default, deserialize_with = "lenient")]
    pub legal_moves: Option<Tree>,
    /// Who plays.
    #[serde(default, deserialize_with = "or_default")]
    pub players: Players,
    /// A draw offer that waits for an answer.
    #[serde(default, deserialize_with = "lenient")]
    pub draw_offer: Option<Value>,
    /// Whether the side to move may offer a draw.
    #[serde(default, deserialize_with = "lenient")]
    pub may_offer_draw: Option<bool>,
    /// Who may offer a draw.
    #[serde(default, deserialize_with = "lenient")]
    pub may_offer_draw_by: Option<Value>,
    /// Whether it counts.
    #[serde(default, deserialize_with = "lenient")]
    pub rated: Option<bool>,
    /// Where it counts.
    #[serde(default, deserialize_with = "lenient")]
    pub rating_domain: Option<String>,
    /// Of no use to a bot.
    #[serde(default, deserialize_with = "lenient")]
    pub rematch_startup: Option<Value>,
}

impl GameState {
    /// Whether a draw offer waits for an answer.
    pub fn draw_offer_pending(&self) -> bool {
        self.draw_offer.as_ref().is_some_and(|offer| offer.get("pending").and_then(Value::as_bool).unwrap_or(true))
    }
}

/// What a game waits for besides a turn.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Decision {
    /// `drawResponse`, `doubleOffer`, `doubleResponse`.
    pub kind: String,
    /// Its id.
    #[serde(default, deserialize_with = "lenient")]
    pub id: Option<Value>,
}

/// One of our games in the list.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MyGame {
    /// Its id.
    pub game_id: String,
    /// Our side.
    pub seat: Seat,
    /// Whose turn it is.
    #[serde(default, deserialize_with = "lenient")]
    pub active_seat: Option<Seat>,
    /// Whether dice wait to be played.
    #[serde(default, deserialize_with = "or_default")]
    pub dice_pending: bool,
    /// The time control.
    #[serde(default, deserialize_with = "lenient")]
    pub time_control: Option<TimeControl>,
    /// The clocks as of now.
    #[serde(default, deserialize_with = "lenient")]
    pub clocks: Option<ClocksMs>,
    /// Grows by one an event.
    #[serde(default, deserialize_with = "or_default")]
    pub version: i64,
    /// What it waits for besides a turn.
    #[serde(default, deserialize_with = "lenient")]
    pub decision: Option<Decision>,
    /// Whether we may offer a draw.
    #[serde(default, deserialize_with = "lenient")]
    pub may_offer_draw: Option<bool>,
    /// Whether an offer of ours goes out with the next turn.
    #[serde(default, deserialize_with = "lenient")]
    pub draw_offer_armed: Option<bool>,
}

/// Our games.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct GameList {
    /// All that go on.
    #[serde(deserialize_with = "each")]
    pub games: Vec<MyGame>,
}

/// The turns of a game, never capped.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveList {
    /// Grows by one an event.
    #[serde(default, deserialize_with = "or_default")]
    pub version: i64,
    /// The position.
    pub dfen: String,
    /// Whether dice wait to be played.
    #[serde(default, deserialize_with = "or_default")]
    pub dice_pending: bool,
    /// The turns.
    #[serde(default, deserialize_with = "lenient")]
    pub legal_moves: Option<Tree>,
}

/// What became of a turn, a resignation or an answer to a draw offer.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether it counts.
    #[serde(default, deserialize_with = "or_default")]
    pub applied: bool,
    /// The version after it.
    #[serde(default, deserialize_with = "lenient")]
    pub version: Option<i64>,
    /// Why not.
    #[serde(default, deserialize_with = "lenient")]
    pub reason: Option<String>,
    /// Whether a draw offer went out with it.
    #[serde(default, deserialize_with = "lenient")]
    pub draw_offered: Option<bool>,
}
