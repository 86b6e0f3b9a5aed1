//! What the platform tells of the account, challenges, seeks and the leaderboard.

use super::read::{each, lenient, or_default};
use super::{Challenge, Seat};
use serde::Deserialize;

/// Who a token belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Account {
    /// The team.
    pub team: String,
    /// The name.
    pub name: String,
    /// The id, which stands in for a seed that is not given.
    #[serde(default, deserialize_with = "lenient")]
    pub id: Option<String>,
}

impl Account {
    /// Whether it is gone with the next restart of the server.
    pub fn is_anonymous(&self) -> bool {
        self.team == "anon"
    }

    /// As games show it.
    pub fn shown(&self) -> String {
        format!("{} {}", self.team, self.name)
    }
}

/// A new bot and its token, which is told only once.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Registered {
    /// The token: a secret.
    pub token: String,
    /// The team.
    #[serde(default, deserialize_with = "or_default")]
    pub team: String,
    /// The name.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    /// The id.
    #[serde(default, deserialize_with = "lenient")]
    pub id: Option<String>,
}

/// How many games at once, and what is open.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capacity {
    /// The number declared.
    pub max_concurrent_games: u32,
    /// Whether people may start games with it.
    #[serde(default, deserialize_with = "or_default")]
    pub open_to_humans: bool,
    /// How many of them the ladder may fill.
    #[serde(default, deserialize_with = "lenient")]
    pub ladder_allowance: Option<u32>,
    /// How many go on.
    #[serde(default, deserialize_with = "lenient")]
    pub active_games: Option<u32>,
}

/// Challenges that wait for an answer.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
pub struct Challenges {
    /// To us.
    #[serde(default, rename = "in", deserialize_with = "each")]
    pub incoming: Vec<Challenge>,
    /// By us.
    #[serde(default, rename = "out", deserialize_with = "each")]
    pub outgoing: Vec<Challenge>,
}

/// A seek of ours.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeekPosted {
    /// Its id.
    pub seek_id: String,
    /// What it is polled with: a secret.
    pub secret: String,
}

/// Whether a seek of ours was taken. The token in it is that of the seat; ours serves as well, so it is not kept.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SeekPoll {
    /// Whether it was.
    #[serde(default, deserialize_with = "or_default")]
    pub matched: bool,
    /// The game.
    #[serde(default, deserialize_with = "lenient")]
    pub game_id: Option<String>,
    /// Not used.
    #[serde(default, deserialize_with = "lenient")]
    pub token: Option<serde::de::IgnoredAny>,
    /// Our side.
    #[serde(default, deserialize_with = "lenient")]
    pub seat: Option<Seat>,
}

/// A line of the leaderboard.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Leader {
    /// From 1.
    #[serde(default, deserialize_with = "lenient")]
    pub rank: Option<u32>,
    /// `bot` or something else.
    #[serde(default, deserialize_with = "lenient")]
    pub kind: Option<String>,
    /// The team of a bot.
    #[serde(default, deserialize_with = "lenient")]
    pub team: Option<String>,
    /// The name.
    #[serde(default, deserialize_with = "lenient")]
    pub name: Option<String>,
    /// The rating.
    #[serde(default, deserialize_with = "lenient")]
    pub rating: Option<f64>,
    /// Its deviation.
    #[serde(default, deserialize_with = "lenient")]
    pub rd: Option<f64>,
    /// Whether it is on the ladder.
    #[serde(default, deserialize_with = "lenient")]
    pub on_ladder: Option<bool>,
    /// Games and results.
    #[serde(default, deserialize_with = "lenient")]
    pub games: Option<u64>,
    /// Won.
    #[serde(default, deserialize_with = "lenient")]
    pub wins: Option<u64>,
    /// Drawn.
    #[serde(default, deserialize_with = "lenient")]
    pub draws: Option<u64>,
    /// Lost.
    #[serde(default, deserialize_with = "lenient")]
    pub losses: Option<u64>,
}

/// The leaderboard.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Leaderboard {
    /// The best first.
    #[serde(deserialize_with = "each")]
    pub leaders: Vec<Leader>,
}
