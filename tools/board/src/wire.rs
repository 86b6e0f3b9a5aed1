//! The messages of docs/board.md as types: what a page asks, what a game looks like to it.

use crate::control::Control;
use crate::fail::Fail;
use crate::steps::Steps;
use astragal::board::{Color, Rolled};
use astragal::record::{EndKind, EndRecord, is_hidden};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The most characters of a name or a level.
const MOST_NAME: usize = 80;
/// The most characters of an option, its value, or words for `go`.
const MOST_VALUE: usize = 1000;
/// The most options of an engine.
const MOST_OPTIONS: usize = 64;

/// A side, as pages write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Side {
    /// White.
    #[serde(rename = "w")]
    White,
    /// Black.
    #[serde(rename = "b")]
    Black,
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        if color == Color::White { Self::White } else { Self::Black }
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        if side == Side::White { Self::White } else { Self::Black }
    }
}

/// Who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlayerKind {
    /// Somebody at a page.
    Human,
    /// An engine that a page drives.
    Engine,
    /// The record does not say.
    #[default]
    Unknown,
}

/// A player. All but the kind and the name is kept for pages and means nothing here.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// Who.
    pub kind: PlayerKind,
    /// What it is called.
    pub name: String,
    /// An engine's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The name of its level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Words for its `go`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub go: Option<String>,
    /// Its options.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl Player {
    /// The same, fit to be kept.
    ///
    /// # Errors
    /// It has no name, or too many options.
    pub fn checked(self) -> Result<Self, Fail> {
        let name = clean(&self.name, MOST_NAME);
        if name.is_empty() {
            return Err(Fail::bad("a player without a name"));
        }
        if self.options.len() > MOST_OPTIONS {
            return Err(Fail::bad(format!("more than {MOST_OPTIONS} options")));
        }
        let option = |(name, value): (String, String)| (clean(&name, MOST_NAME), clean(&value, MOST_VALUE));
        Ok(Self {
            kind: self.kind,
            name,
            program: self.program.map(|text| clean(&text, MOST_NAME)),
            level: self.level.map(|text| clean(&text, MOST_NAME)),
            go: self.go.map(|text| clean(&text, MOST_VALUE)),
            options: self.options.into_iter().map(option).collect(),
        })
    }
}

/// A text without what cannot be seen, and not too long.
pub fn clean(text: &str, most: usize) -> String {
    text.chars().filter(|&letter| !is_hidden(letter)).take(most).collect::<String>().trim().to_owned()
}

/// Where the dice of a game come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A random seed, told at the end.
    #[default]
    Server,
    /// A seed told at the beginning.
    Seed,
    /// People roll.
    Typed,
}

/// The dice of a game, as pages ask for them and are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dice {
    /// Where from.
    pub source: Source,
    /// The seed, if it is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// What an engine said of its turn.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Said {
    /// Centipawns.
    pub cp: Option<i64>,
    /// Turns to the capture of the king.
    pub mate: Option<i64>,
    /// The depth.
    pub depth: Option<u32>,
    /// The nodes.
    pub nodes: Option<u64>,
    /// The time that it says it took.
    pub time_ms: Option<u64>,
}

/// A roll and a turn of a page's own line.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinePly {
    /// The dice.
    pub roll: String,
    /// The turn.
    pub turn: Option<String>,
}

/// A line that a page has made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// White and Black.
    pub names: [String; 2],
    /// Where it begins.
    #[serde(default)]
    pub opening: Option<String>,
    /// Its rolls and turns.
    pub plies: Vec<LinePly>,
    /// White's points, where the line itself has not decided.
    #[serde(default)]
    pub result: Option<f64>,
    /// How that came about; a resignation or an agreement if it is not said.
    #[serde(default)]
    pub end: Option<EndKind>,
}

/// The forms that a record is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordForm {
    /// The text record.
    Text,
    /// A journal.
    Journal,
    /// The platform's history.
    History,
}

/// What a page asks.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ask {
    Steps {
        dfen: String,
        #[serde(default)]
        played: Vec<String>,
    },
    Position {
        dfen: String,
    },
    New {
        players: Box<[Player; 2]>,
        #[serde(default)]
        controls: [Control; 2],
        #[serde(default)]
        dice: Dice,
        #[serde(default)]
        opening: Option<String>,
    },
    Open {
        game: String,
    },
    Close {
        game: String,
    },
    Roll {
        game: String,
        ply: usize,
        #[serde(default)]
        dice: Option<String>,
    },
    Turn {
        game: String,
        ply: usize,
        turn: String,
        #[serde(default)]
        said: Option<Said>,
    },
    Resign {
        game: String,
        side: Side,
    },
    Draw {
        game: String,
    },
    Abort {
        game: String,
    },
    TakeBack {
        game: String,
        ply: usize,
    },
    Drive {
        game: String,
    },
    Games {
        #[serde(default)]
        before: usize,
        count: usize,
    },
    EngineStart {
        program: String,
    },
    Engine {
        engine: u64,
        line: String,
    },
    EngineEnd {
        engine: u64,
    },
    Parse {
        text: String,
    },
    Record {
        #[serde(default)]
        game: Option<String>,
        #[serde(default)]
        line: Option<Line>,
        form: RecordForm,
    },
    Review {
        #[serde(default)]
        game: Option<String>,
        #[serde(default)]
        line: Option<Line>,
        #[serde(default)]
        depth: Option<u32>,
        #[serde(default)]
        html: Option<bool>,
    },
    ReviewEnd {
        review: u64,
    },
}

/// Reads a message: its number and what it asks.
///
/// # Errors
/// What is wrong with it.
pub fn read_ask(text: &str) -> Result<(u64, Ask), String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let map = value.as_object_mut().ok_or("no object")?;
    let id = map.remove("id").and_then(|id| id.as_u64()).ok_or("no number in 'id'")?;
    let ask = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok((id, ask))
}

/// A ply as pages see it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PlyView {
    roll: String,
    before: String,
    turn: Option<String>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    passed: bool,
    after: Option<String>,
    clock_ms: Option<i64>,
}

impl PlyView {
    /// A ply, the position with its dice, and the position after it.
    pub fn of(ply: &astragal::record::Ply, before: &Rolled, after: Option<&Rolled>) -> Self {
        Self {
            roll: before.dice.to_string(),
            before: before.to_string(),
            turn: ply.turn.clone(),
            passed: ply.turn.as_deref() == Some("0000"),
            after: after.map(ToString::to_string),
            clock_ms: ply.clock_left_ms,
        }
    }
}

/// Where a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Dice are to be thrown.
    Roll,
    /// A turn is to be played.
    Turn,
    /// It has ended.
    Over,
}

/// How a game ended.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndView {
    kind: &'static str,
    result: f64,
    winner: Option<Side>,
    detail: String,
}

impl EndView {
    /// An end, with White's points.
    pub fn of(end: &EndRecord, result: f64) -> Self {
        let winner = match result {
            1.0 => Some(Side::White),
            0.0 => Some(Side::Black),
            _ => None,
        };
        Self { kind: end.kind.name(), result, winner, detail: end.detail.clone() }
    }
}

/// The clocks at this moment.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ClocksView {
    pub left_ms: [Option<u64>; 2],
    pub turns_to_go: [Option<u32>; 2],
    pub running: Option<Side>,
}

/// A game as pages see it.
#[derive(Clone, Debug, Serialize)]
pub struct GameView {
    pub id: Option<String>,
    pub players: [Player; 2],
    pub controls: [Control; 2],
    pub dice: Dice,
    pub opening: String,
    pub started_ms: Option<u64>,
    pub plies: Vec<PlyView>,
    pub ply: usize,
    pub state: State,
    pub side: Side,
    pub position: String,
    pub steps: Option<Steps>,
    pub clocks: ClocksView,
    pub end: Option<EndView>,
    pub notes: Vec<String>,
}

/// A game in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    pub id: String,
    pub names: [String; 2],
    pub state: State,
    pub plies: usize,
    pub side: Side,
    pub position: String,
    pub started_ms: Option<u64>,
    pub end: Option<EndView>,
}
