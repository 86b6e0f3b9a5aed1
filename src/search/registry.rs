//! The bots by name.

use super::{Bot, Expectimax, Greedy};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Every bot that can be chosen by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BotKind {
    /// [`Expectimax`].
    #[default]
    Expectimax,
    /// [`Greedy`].
    Greedy,
}

/// What a bot is built from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BotConfig {
    /// Which bot.
    pub kind: BotKind,
    /// The seed of its random choices.
    pub seed: u64,
}

/// There is no bot of that name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no bot '{}'; there are {}", .0.escape_default(), BotKind::ALL.map(BotKind::id).join(", "))]
pub struct UnknownBot(pub String);

impl BotKind {
    /// All bots, the default first.
    pub const ALL: [Self; 2] = [Self::Expectimax, Self::Greedy];

    /// Its stable name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Expectimax => "expectimax",
            Self::Greedy => "greedy",
        }
    }
}

impl BotConfig {
    /// Builds the bot.
    pub fn build(&self) -> Box<dyn Bot> {
        match self.kind {
            BotKind::Expectimax => Box::new(Expectimax::new()),
            BotKind::Greedy => Box::new(Greedy::new(self.seed)),
        }
    }
}

impl fmt::Display for BotKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// Looks a bot up by its name, without regard to case.
impl FromStr for BotKind {
    type Err = UnknownBot;

    fn from_str(text: &str) -> Result<Self, UnknownBot> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.id().eq_ignore_ascii_case(text))
            .ok_or_else(|| UnknownBot(text.chars().take(40).collect()))
    }
}
