//! Made-up events for tests.

use crate::record::{Adjudication, EndKind, EventKind, FORMAT, Header, PlayerKind, PlayerRecord};
use crate::tally::{GameSummary, SideSummary};
use astragal::board::STARTPOS;
use std::collections::BTreeMap;

/// A player of that name.
pub(crate) fn player(name: &str) -> PlayerRecord {
    PlayerRecord {
        spec: format!("builtin:{name}?depth=2"),
        name: name.to_owned(),
        version: Some("0.1".to_owned()),
        kind: PlayerKind::Builtin,
        time_policy: "balanced".to_owned(),
        options: BTreeMap::from([("depth".to_owned(), "2".to_owned())]),
        control: None,
    }
}

/// An untimed match of two players, or a round-robin of more, in mirrored pairs.
pub(crate) fn header(names: &[&str]) -> Header {
    Header {
        format: FORMAT,
        name: None,
        event: if names.len() == 2 { EventKind::Match } else { EventKind::RoundRobin },
        players: names.iter().map(|name| player(name)).collect(),
        seed: 7,
        control: "untimed".to_owned(),
        timed: false,
        margin_ms: 10,
        games_per_pairing: 400,
        mirrored: true,
        openings: vec![STARTPOS.to_owned()],
        adjudication: Adjudication::default(),
        sprt: None,
        luck: true,
        shard: None,
        concurrency: None,
        arena: "0.1.0".to_owned(),
        engine: "0.1.0".to_owned(),
        cpu: "Example CPU".to_owned(),
        os: "linux".to_owned(),
    }
}

/// A game of mirrored pairs that ended with these points for White, without luck.
pub(crate) fn summary(number: u64, players: [usize; 2], result: f64) -> GameSummary {
    let winner = if result > 0.5 { players[0] } else { players[1] };
    GameSummary {
        number,
        pair: number / 2,
        half: (number % 2) as u8,
        players,
        result,
        end: if result == 0.5 { EndKind::HalfmoveClock } else { EndKind::KingCapture },
        end_player: (result != 0.5).then_some(winner),
        sides: [SideSummary::default(); 2],
        luck: None,
    }
}
