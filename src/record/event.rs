//! What a journal says once: the event and its players.

use super::line::at_most;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The number of the journal's format. It goes up when an old reader would misread a new journal. Format 1 is read, too.
pub const FORMAT: u32 = 2;

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
    /// Games as they came, by no schedule: those of a player on a platform, or of people at a board.
    Free,
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
    /// Somebody on a platform, of whom only the name is known.
    Remote,
    /// A person at a board.
    Human,
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

/// When a game counts as lost.
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
    /// The players; games name them by their place in this list. A reader adds those that only games name.
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
    #[serde(deserialize_with = "at_most::<_, String, _, 1_000_000>")]
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
    /// The version of the arena that wrote it, or the name and version of another program.
    pub arena: String,
    /// The version of the engine library by whose rules the games were played, and that builtin players are.
    pub engine: String,
    /// The processor.
    pub cpu: String,
    /// The operating system.
    pub os: String,
}

impl PlayerRecord {
    /// A player of whom only the name is known.
    pub fn named(name: &str, kind: PlayerKind) -> Self {
        Self {
            spec: name.to_owned(),
            name: name.to_owned(),
            version: None,
            kind,
            time_policy: "own".to_owned(),
            options: BTreeMap::new(),
            control: None,
        }
    }
}

impl Header {
    /// The time control of a player, by its place in the list.
    pub fn control_of(&self, player: usize) -> &str {
        self.players.get(player).and_then(|player| player.control.as_deref()).unwrap_or(&self.control)
    }

    /// The header of a journal of games that come by no schedule. `program` is the name and version of who writes it; what
    /// a schedule would say is zero or empty, and each game says the rest.
    pub fn free(program: &str, players: Vec<PlayerRecord>) -> Self {
        Self {
            format: FORMAT,
            name: None,
            event: EventKind::Free,
            players,
            seed: 0,
            control: String::new(),
            timed: true,
            margin_ms: 0,
            games_per_pairing: 0,
            mirrored: false,
            openings: Vec::new(),
            adjudication: Adjudication::default(),
            sprt: None,
            luck: false,
            shard: None,
            concurrency: None,
            arena: program.to_owned(),
            engine: crate::VERSION.to_owned(),
            cpu: String::new(),
            os: String::new(),
        }
    }
}

/// What makes two headers belong to different events; what they were played on is no part of that.
pub fn difference(one: &Header, other: &Header) -> Option<&'static str> {
    let differs = [
        (one.format != other.format, "the format"),
        (one.event != other.event, "the kind of event"),
        (one.players != other.players, "a player"),
        (one.seed != other.seed, "the seed"),
        (one.control != other.control, "the time control"),
        (one.margin_ms != other.margin_ms, "the margin"),
        (one.games_per_pairing != other.games_per_pairing, "the number of games"),
        (one.mirrored != other.mirrored, "whether pairs are mirrored"),
        (one.openings != other.openings, "the openings"),
        (one.adjudication != other.adjudication, "the adjudication"),
        (one.sprt != other.sprt, "the sequential test"),
        (one.luck != other.luck, "whether luck is computed"),
        (one.shard != other.shard, "the shard"),
        (one.engine != other.engine, "the version of the engine library"),
    ];
    differs.into_iter().find_map(|(differs, what)| differs.then_some(what))
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Vec<u32> = text.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// `centipawns,turns`, both at least 1.
impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text) {
            Some([centipawns, turns]) if centipawns > 0 && turns > 0 => {
                Ok(Self { centipawns: i64::from(centipawns), turns })
            }
            _ => Err("say CENTIPAWNS,TURNS, such as 1500,4".to_owned()),
        }
    }
}

/// `move number,centipawns,turns`, the last at least 1.
impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text) {
            Some([move_number, centipawns, turns]) if turns > 0 => {
                Ok(Self { move_number, centipawns: i64::from(centipawns), turns })
            }
            _ => Err("say MOVE,CENTIPAWNS,TURNS, such as 60,20,8".to_owned()),
        }
    }
}
