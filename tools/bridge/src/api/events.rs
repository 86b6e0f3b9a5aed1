//! The lines of the two streams.

use super::read::{ReadError, lenient, or_default, read_value, tell_once, told};
use super::{ClocksMs, GameState, Seat, Seeds, TimeControl, Tree};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A challenge that waits for an answer.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Challenge {
    /// Its id; ids begin anew when the server does.
    pub id: String,
    /// Who challenges: team and name, none if it is no bot.
    #[serde(default, deserialize_with = "bot_name")]
    pub challenger: Option<(String, String)>,
    /// Who is challenged.
    #[serde(default, deserialize_with = "bot_name")]
    pub target: Option<(String, String)>,
    /// The time control; unlimited if there is none.
    #[serde(default, deserialize_with = "lenient")]
    pub time_control: Option<TimeControl>,
    /// Whether it is to count.
    #[serde(default, deserialize_with = "lenient")]
    pub rated: Option<bool>,
    /// Whether the challenged listens.
    #[serde(default, deserialize_with = "lenient")]
    pub target_online: Option<bool>,
}

/// `{"Bot":{"team":…,"name":…}}`.
fn bot_name<'de, D: Deserializer<'de>>(from: D) -> Result<Option<(String, String)>, D::Error> {
    let value = Value::deserialize(from)?;
    let bot = value.get("Bot").unwrap_or(&value);
    let word = |key: &str| bot.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(word("team").zip(word("name")))
}

/// A line of the account's stream.
#[derive(Clone, PartialEq, Debug)]
pub enum AccountEvent {
    /// Somebody challenges us; the time control is told by the list of challenges only.
    ChallengeReceived(Challenge),
    /// A challenge was declined or has run out.
    ChallengeDeclined(String),
    /// A game has begun.
    GameStart(String),
    /// Something newer than this bridge.
    Unknown(String),
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Over {
    /// Who won; none for a draw.
    pub winner: Option<Seat>,
    /// `KingCaptured`, `Timeout`, `Resign`, `Draw`, `Aborted`, or something newer.
    pub termination: String,
}

impl<'de> Deserialize<'de> for Over {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        let side = value.pointer("/result/Win/side").and_then(Value::as_str);
        let winner = match side {
            Some("White") => Some(Seat::White),
            Some("Black") => Some(Seat::Black),
            _ => None,
        };
        let termination = value.get("termination").and_then(Value::as_str).unwrap_or("?").to_owned();
        Ok(Self { winner, termination })
    }
}

/// The end of a game with what the dice were made of.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// How.
    pub over: Over,
    /// The server's seed.
    #[serde(default, deserialize_with = "lenient")]
    pub seed: Option<String>,
    /// Those of both sides.
    #[serde(default, deserialize_with = "lenient")]
    pub client_seeds: Option<Seeds>,
}

/// A line of a game's stream.
#[derive(Clone, PartialEq, Debug)]
pub enum GameEvent {
    /// Everything, on every connection first.
    Snapshot(Box<GameState>),
    /// Dice for somebody.
    DiceRolled {
        /// For whom.
        seat: Seat,
        /// The faces as thrown, 1 to 6.
        dice: Vec<u8>,
        /// The position with the dice.
        dfen: String,
        /// The clocks as of the roll.
        clocks: Option<ClocksMs>,
        /// The turns; none if there are too many.
        legal_moves: Option<Tree>,
    },
    /// A turn that counts.
    TurnPlayed {
        /// By whom.
        seat: Seat,
        /// Its micro-moves; none for a pass.
        moves: Vec<String>,
        /// The position after it.
        fen_after: String,
    },
    /// The end.
    GameEnded(Ended),
    /// A request that does not count.
    Rejected {
        /// Whose.
        seat: Option<Seat>,
        /// Why.
        reason: String,
    },
    /// A draw is offered, before the roll.
    DrawOffered {
        /// By whom.
        by: Seat,
    },
    /// A draw offer was declined.
    DrawDeclined {
        /// By whom.
        by: Seat,
    },
    /// Something newer than this bridge.
    Unknown(String),
}

/// The one key of an object and what is behind it.
fn tagged(what: &'static str, line: &[u8]) -> Result<(String, Value), ReadError> {
    let value: Value = serde_json::from_slice(line).map_err(|error| ReadError { what, why: told(&error) })?;
    let Value::Object(object) = value else { return Err(ReadError { what, why: "no object".to_owned() }) };
    // Known names come first: a newer server may put something beside them.
    const KNOWN: [&str; 10] = [
        "Snapshot",
        "DiceRolled",
        "TurnPlayed",
        "GameEnded",
        "Rejected",
        "DrawOffered",
        "DrawDeclined",
        "ChallengeReceived",
        "ChallengeDeclined",
        "GameStart",
    ];
    let mut first = None;
    for (name, body) in object {
        if KNOWN.contains(&name.as_str()) {
            return Ok((name, body));
        }
        first.get_or_insert((name, body));
    }
    first.ok_or_else(|| ReadError { what, why: "an empty object".to_owned() })
}

fn unknown(stream: &str, name: &str) -> String {
    let name: String = name.chars().take(40).collect();
    tell_once(format!("the event {stream}.{}", name.escape_default()));
    name
}

impl AccountEvent {
    /// Reads a line, which is not empty.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(line: &[u8]) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        struct Declined {
            id: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Start {
            game_id: String,
        }
        let (name, body) = tagged("account event", line)?;
        Ok(match name.as_str() {
            "ChallengeReceived" => Self::ChallengeReceived(read_value("ChallengeReceived", body)?),
            "ChallengeDeclined" => Self::ChallengeDeclined(read_value::<Declined>("ChallengeDeclined", body)?.id),
            "GameStart" => Self::GameStart(read_value::<Start>("GameStart", body)?.game_id),
            _ => Self::Unknown(unknown("account", &name)),
        })
    }
}

impl GameEvent {
    /// Reads a line, which is not empty: the version after the event, if it tells one, and the event.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(line: &[u8]) -> Result<(Option<i64>, Self), ReadError> {
        #[derive(Deserialize)]
        struct Snapshot {
            state: GameState,
            #[serde(default, rename = "history")]
            _history: Value,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Rolled {
            seat: Seat,
            #[serde(default, deserialize_with = "or_default")]
            dice: Vec<u8>,
            dfen: String,
            #[serde(default, deserialize_with = "lenient")]
            clocks: Option<ClocksMs>,
            #[serde(default, deserialize_with = "lenient")]
            legal_moves: Option<Tree>,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Played {
            seat: Seat,
            #[serde(default, deserialize_with = "or_default")]
            moves: Vec<String>,
            fen_after: String,
        }
        #[derive(Deserialize)]
        struct Rejected {
            #[serde(default, deserialize_with = "lenient")]
            seat: Option<Seat>,
            #[serde(default, deserialize_with = "lenient")]
            reason: Option<String>,
        }
        #[derive(Deserialize)]
        struct By {
            by: Seat,
        }
        let (name, mut body) = tagged("game event", line)?;
        let version = body.as_object_mut().and_then(|body| body.remove("v")).and_then(|v| v.as_i64());
        let event = match name.as_str() {
            "Snapshot" => {
                let mut state = read_value::<Snapshot>("Snapshot", body)?.state;
                state.version = state.version.max(version.unwrap_or(0));
                Self::Snapshot(Box::new(state))
            }
            "DiceRolled" => {
                let Rolled { seat, dice, dfen, clocks, legal_moves } = read_value("DiceRolled", body)?;
                Self::DiceRolled { seat, dice, dfen, clocks, legal_moves }
            }
            "TurnPlayed" => {
                let Played { seat, moves, fen_after } = read_value("TurnPlayed", body)?;
                Self::TurnPlayed { seat, moves, fen_after }
            }
            "GameEnded" => Self::GameEnded(read_value("GameEnded", body)?),
            "Rejected" => {
                let Rejected { seat, reason } = read_value("Rejected", body)?;
                Self::Rejected { seat, reason: reason.unwrap_or_default() }
            }
            "DrawOffered" => Self::DrawOffered { by: read_value::<By>("DrawOffered", body)?.by },
            "DrawDeclined" => Self::DrawDeclined { by: read_value::<By>("DrawDeclined", body)?.by },
            _ => Self::Unknown(unknown("game", &name)),
        };
        Ok((version, event))
    }
}
