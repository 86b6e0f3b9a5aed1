//! A game: who played, every roll and turn, how it ended.
//!
//! Plain data. Under a control that repeats (untimed, depth, nodes) a record holds nothing that differs from run to run:
//! times and clocks are null, and there is no date in it.

use super::dice::DiceSource;
use super::line::at_most;
use serde::{Deserialize, Serialize};

/// The id of the linear evaluation, [`crate::eval::evaluate`], as the evaluator of luck.
pub const LINEAR_EVALUATION: &str = "linear-v1";

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// A king was captured.
    KingCapture,
    /// A player resigned.
    Resignation,
    /// The half-move clock came to 100.
    HalfmoveClock,
    /// Both players offered a draw.
    AgreedDraw,
    /// An adjudication rule ended the game.
    Adjudicated,
    /// A clock ran out.
    Time,
    /// An answer that is no legal turn.
    IllegalTurn,
    /// The player's program ended or could not be started.
    Crash,
    /// No answer, not even long after the flag.
    Stall,
    /// The player broke the protocol beyond what can be skipped.
    Protocol,
    /// It was broken off: nobody has won or lost, and no statistics count it.
    Aborted,
}

/// How a game ended, and through whom.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct EndRecord {
    /// The kind of end.
    pub kind: EndKind,
    /// The player who brought it about (captured the king, resigned, ran out of time, failed); none for draws and
    /// adjudications.
    pub player: Option<usize>,
    /// What exactly, for people; empty where the kind says all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The last lines that a failed engine wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "at_most::<_, String, _, 1000>")]
    pub last_lines: Vec<String>,
}

/// What a player said its position is worth to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreRecord {
    /// Centipawns.
    Cp(i64),
    /// Turns until the king is captured; negative if one's own.
    Mate(i64),
}

/// One roll and what was made of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Ply {
    /// The three dice, in the order P N B R Q K.
    pub roll: String,
    /// The dice in the order thrown, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrown: Option<String>,
    /// The turn played, a pass being `0000`; null when the game ended before one was accepted.
    pub turn: Option<String>,
    /// Whether no micro-move was possible, so that the arena passed without asking the player.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub passed: bool,
    /// The player's own score.
    pub score: Option<ScoreRecord>,
    /// The depth it reports.
    pub depth: Option<u32>,
    /// The nodes it reports.
    pub nodes: Option<u64>,
    /// From our write of `go` to the read of `bestmove`, to the microsecond; null when the control is not timed.
    pub time_ms: Option<f64>,
    /// The time it reports itself; null when the control is not timed.
    pub engine_time_ms: Option<u64>,
    /// Its clock after the turn, the increment credited; negative when it has run out.
    pub clock_left_ms: Option<i64>,
    /// How lucky the roll was for White: the value of its best outcome less the mean over all rolls.
    pub luck: Option<f64>,
}

/// Who sat at one side of a game.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Seat {
    /// Its name.
    pub name: String,
    /// What bounded its thinking: the time control in its canonical text, such as `60+0.6`, `depth=2` or `untimed`; empty
    /// if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub control: String,
}

/// A game that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    /// Its number in the whole event, from 0.
    pub number: u64,
    /// The number of its pair (that of the dice), from 0. Without mirrored pairs every game is a pair of its own.
    pub pair: u64,
    /// Which half of the pair: 0, or 1 with the colours swapped.
    pub half: u8,
    /// What others call it, such as a platform.
    pub id: Option<String>,
    /// The player of the white pieces, by its place in the header.
    pub white: usize,
    /// The player of the black pieces.
    pub black: usize,
    /// White and Black as they were in this game.
    pub seats: [Seat; 2],
    /// When it began, in milliseconds since 1970 (UTC); none if the control repeats, or if it is not known.
    pub started_ms: Option<u64>,
    /// Where its dice came from.
    pub dice: DiceSource,
    /// The evaluator that the luck was computed by; none if it was not computed.
    pub luck_by: Option<String>,
    /// The starting position.
    pub opening: String,
    /// Every roll and turn.
    pub plies: Vec<Ply>,
    /// White's points: 1, 0.5 or 0; 0.5 if it was aborted.
    pub result: f64,
    /// How it ended.
    pub end: EndRecord,
    /// The last position with a king on either side; when the king was captured, the one before that turn, with its
    /// dice.
    pub final_dfen: String,
}

impl Game {
    /// The luck of all rolls together from White's point of view; none if it was not computed.
    pub fn luck(&self) -> Option<f64> {
        self.plies.iter().map(|ply| ply.luck).sum()
    }
}

impl EndRecord {
    /// An end of that kind through nobody, with nothing more to say.
    pub const fn new(kind: EndKind) -> Self {
        Self { kind, player: None, detail: String::new(), last_lines: Vec::new() }
    }
}

impl EndKind {
    /// All kinds, the regular ones first.
    pub const ALL: [Self; 11] = [
        Self::KingCapture,
        Self::Resignation,
        Self::HalfmoveClock,
        Self::AgreedDraw,
        Self::Adjudicated,
        Self::Time,
        Self::IllegalTurn,
        Self::Crash,
        Self::Stall,
        Self::Protocol,
        Self::Aborted,
    ];

    /// Its name in the journal and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KingCapture => "king-capture",
            Self::Resignation => "resignation",
            Self::HalfmoveClock => "halfmove-clock",
            Self::AgreedDraw => "agreed-draw",
            Self::Adjudicated => "adjudicated",
            Self::Time => "time",
            Self::IllegalTurn => "illegal-turn",
            Self::Crash => "crash",
            Self::Stall => "stall",
            Self::Protocol => "protocol",
            Self::Aborted => "aborted",
        }
    }

    /// Whether statistics count the game.
    pub const fn counts(self) -> bool {
        !matches!(self, Self::Aborted)
    }

    /// Whether the player's program must be started anew after it.
    pub const fn needs_restart(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Protocol)
    }
}
