//! The records: what a journal holds, a header line and then one line a game.
//!
//! Plain data and its JSON; nothing here plays or counts. Under a control that repeats (untimed, depth, nodes) a record
//! holds nothing that differs from run to run: times and clocks are null, and there is no date in it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The number of the journal's format. It goes up when an old reader would misread a new journal.
pub const FORMAT: u32 = 1;

/// A line of a journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// The first line: what is played and by whom.
    Header(Box<Header>),
    /// A game that has ended.
    Game(Box<Game>),
}

/// What kind of event is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The first player against the second.
    Match,
    /// The first player against each of the others.
    Gauntlet,
    /// Everybody against everybody.
    RoundRobin,
}

/// How a player is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlayerKind {
    /// A bot of the library, in process.
    Builtin,
    /// A program over pipes.
    Cmd,
    /// An HTTP bot, which minds its clock itself.
    WebhookManaged,
}

/// A player as it was when the event began.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// The spec string, a webhook's secret left out.
    pub spec: String,
    /// Its name: that of the bot, what the engine calls itself, or the host of the webhook.
    pub name: String,
    /// Its version, if it tells one.
    pub version: Option<String>,
    /// How it is reached.
    pub kind: PlayerKind,
    /// How it shares out its clock: the id of a time policy, `own` when it does not say, or `webhook-managed`.
    pub time_policy: String,
    /// Every option known, with the value in force.
    pub options: BTreeMap<String, String>,
    /// Its time control, where that is not the event's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
}

/// The rules by which a game is ended early; none by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Adjudication {
    /// A game is lost for whom both players' own scores call lost.
    pub resign: Option<ResignRule>,
    /// A game is drawn that both players call even.
    pub draw: Option<DrawRule>,
}

/// When a game counts as lost: so many own turns in a row of both players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResignRule {
    /// At least so many centipawns behind (and the other player so many ahead).
    pub centipawns: i64,
    /// For so many own turns in a row.
    pub turns: u32,
}

/// When a game counts as drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DrawRule {
    /// From this full-move number on.
    pub move_number: u32,
    /// At most so many centipawns either way.
    pub centipawns: i64,
    /// For so many own turns in a row of both players.
    pub turns: u32,
}

/// A part of an event that is split over machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

/// The first line of a journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// What the event is called, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kind of event.
    pub event: EventKind,
    /// The players; games name them by their place in this list.
    pub players: Vec<PlayerRecord>,
    /// The seed of the dice.
    pub seed: u64,
    /// The time control in its canonical text, such as `60+0.6`, `depth=2` or `untimed`.
    pub control: String,
    /// Whether wall-clock time decides anything for any player, so that the numbers hold on this machine and in this session only.
    pub timed: bool,
    /// Time below zero that is forgiven, in milliseconds.
    pub margin_ms: u64,
    /// Games of each pairing, over all shards.
    pub games_per_pairing: u64,
    /// Whether games come in pairs with colours swapped and the same dice.
    pub mirrored: bool,
    /// The starting positions as DFEN, played in turn.
    pub openings: Vec<String>,
    /// The rules by which games are ended early.
    pub adjudication: Adjudication,
    /// The sequential test that ends the event, as `elo0,elo1,alpha,beta`, with `,luck` after it if it is that of
    /// luck-adjusted results.
    #[serde(default)]
    pub sprt: Option<String>,
    /// Whether the luck of every roll is computed.
    pub luck: bool,
    /// Which part of the event this journal holds; the whole if there is none.
    pub shard: Option<Shard>,
    /// Games played at the same time; only where the control is timed.
    pub concurrency: Option<usize>,
    /// The arena's version.
    pub arena: String,
    /// The version of the engine library that the arena referees with and that builtin players are.
    pub engine: String,
    /// The processor.
    pub cpu: String,
    /// The operating system.
    pub os: String,
}

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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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

/// A game that has ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Game {
    /// Its number in the whole event, from 0.
    pub number: u64,
    /// The number of its pair (that of the dice), from 0. Without mirrored pairs every game is a pair of its own.
    pub pair: u64,
    /// Which half of the pair: 0, or 1 with the colours swapped.
    pub half: u8,
    /// The player of the white pieces, by its place in the header.
    pub white: usize,
    /// The player of the black pieces.
    pub black: usize,
    /// The starting position.
    pub opening: String,
    /// Every roll and turn.
    pub plies: Vec<Ply>,
    /// White's points: 1, 0.5 or 0.
    pub result: f64,
    /// How it ended.
    pub end: EndRecord,
    /// The last position with a king on either side; when the king was captured, the one before that turn, with its
    /// dice.
    pub final_dfen: String,
}

impl Header {
    /// The time control of a player, by its place in the list.
    pub fn control_of(&self, player: usize) -> &str {
        self.players.get(player).and_then(|player| player.control.as_deref()).unwrap_or(&self.control)
    }
}

impl Game {
    /// The luck of all rolls together from White's point of view; none if it was not computed.
    pub fn luck(&self) -> Option<f64> {
        self.plies.iter().map(|ply| ply.luck).sum()
    }
}

impl EndKind {
    /// All kinds, the regular ones first.
    pub const ALL: [Self; 10] = [
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
        }
    }

    /// Whether the player's program must be started anew after it.
    pub const fn needs_restart(self) -> bool {
        matches!(self, Self::Crash | Self::Stall | Self::Protocol)
    }
}
