//! The reports of an event: a table and a page for people, JSON for programs.

mod cross;
pub mod html;
mod json;
pub mod results;
mod summary;
mod table;
#[cfg(test)]
pub(crate) mod testing;

pub use json::to_json;
pub use summary::{Statistics, sprt_of, summary};
pub use table::{align, to_text};

use crate::machine::Machine;
use crate::record::{EventKind, Header, PlayerKind, PlayerRecord, Shard};
use crate::runner::Finish;
use crate::tally::GameSummary;
use crate::text::shown;
use std::collections::BTreeSet;

/// What is reported.
#[derive(Debug)]
pub struct Report {
    /// What was played and by whom.
    pub header: Header,
    /// What it was played on: one machine, or those of merged journals as far as they differ.
    pub machines: Vec<Machine>,
    /// The parts of the event that the games are of, if they are of parts.
    pub shards: Vec<Shard>,
    /// The games that count, in order.
    pub games: Vec<GameSummary>,
    /// How the event ended; none when a report is made of journals.
    pub finish: Option<Finish>,
}

impl Report {
    /// The games of the whole event, all shards together.
    pub fn total(&self) -> u64 {
        let Header { event, players, games_per_pairing, .. } = &self.header;
        let players = players.len() as u64;
        let pairings = match event {
            EventKind::Match => 1,
            EventKind::Gauntlet => players.saturating_sub(1),
            EventKind::RoundRobin => players * players.saturating_sub(1) / 2,
            EventKind::Free => return self.games.len() as u64,
        };
        games_per_pairing.saturating_mul(pairings)
    }
}

/// What is to be said of an event of which only parts are reported; none if they are all there.
pub fn missing_parts(shards: &[Shard]) -> Option<String> {
    let count = shards.first()?.count;
    let present: BTreeSet<u64> = shards.iter().map(|shard| shard.index).collect();
    if present.len() as u64 >= count {
        return None;
    }
    let list = present.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    Some(format!("{} {list} of {count} of the event", if present.len() == 1 { "Part" } else { "Parts" }))
}

/// The letters A, B, C … and after them numbers.
fn letter(place: usize) -> String {
    match u8::try_from(place) {
        Ok(small @ 0..26) => char::from(b'A' + small).to_string(),
        _ => format!("P{}", place + 1),
    }
}

/// How a report names its players: a letter each, so that two of one name can be told apart.
pub fn labels(header: &Header) -> Vec<String> {
    let label = |(place, player): (usize, &PlayerRecord)| format!("{} {}", letter(place), shown(&player.name));
    header.players.iter().enumerate().map(label).collect()
}

/// How a kind of player is told.
const fn kind_name(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Builtin => "builtin",
        PlayerKind::Cmd => "cmd",
        PlayerKind::WebhookManaged => "webhook-managed",
        PlayerKind::Remote => "remote",
        PlayerKind::Human => "human",
    }
}

/// What has to be said of numbers that depend on a clock.
pub fn caveat(header: &Header, machines: &[Machine]) -> Option<String> {
    let shown = machines.iter().map(ToString::to_string).collect::<Vec<_>>();
    header.timed.then(|| match &shown[..] {
        [_, _, ..] => format!(
            "Timed, and played on {} machines: each part holds within its box and session only, and these numbers are a \
             mean over them ({}).",
            shown.len(),
            shown.join(" | ")
        ),
        _ => format!("Timed: these numbers hold within this box and this session only ({}).", shown.concat()),
    })
}
