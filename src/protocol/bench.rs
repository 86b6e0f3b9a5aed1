//! `bench`: fixed positions, rolls and limits. The node count is a signature of the search, the speed is not.

use super::render::per_second;
use crate::board::Rolled;
use crate::bots::BotConfig;
use crate::search::{Event, Task};
use crate::time::{StopCheck, StopSignal};
use std::fmt;
use std::time::{Duration, Instant};

/// Positions with their rolls: openings, middlegames, endings, many and few replies, both sides.
pub(super) const POSITIONS: [&str; 16] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PPN",
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2 nbq",
    "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/3B1N2/PPPP1PPP/RNBQK2R b KQkq - 3 3 pnk",
    "r2qkb1r/ppp2ppp/2np1n2/4p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 2 6 BRK",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 rkk",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 BRQ",
    "2rq1rk1/pb1n1ppN/4p3/1pb5/3P1Pn1/P1N5/1PQ1B1PP/R1B2RK1 b - - 0 16 pnr",
    "4rrk1/pp1n3p/3q2pQ/2p1pb2/2PP4/2P3N1/P2B2PP/4RRK1 b - - 7 19 pbk",
    "3q1rk1/5pp1/7p/1Q6/8/6P1/5P1P/3Q1RK1 w - - 0 30 QQK",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 PPR",
    "8/5k2/1p2p3/p2pP3/P2P1K2/1P3R2/8/2r5 w - - 0 45 PRK",
    "8/P6k/8/8/3K4/8/p7/8 b - - 0 60 pqk",
    "4k3/8/8/2p1p3/1P1P1P2/8/8/4K3 w - c6e6 0 30 PPK",
    "5rk1/1p3p1p/p3p1p1/8/2Q5/1P2P1P1/P1q2P1P/5RK1 b - - 3 28 nbr",
];

/// The number of positions evaluated after which the search of each position ends, at the next roll.
const NODES: u64 = 250_000;

/// What a benchmark came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BenchResult {
    /// Positions evaluated; the same on every machine.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

impl fmt::Display for BenchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nps = per_second(self.nodes, self.time);
        write!(f, "bench nodes {} time {} nps {nps}", self.nodes, self.time.as_millis())
    }
}

/// Searches the fixed positions with the default bot and seed; `None` if stopped.
pub fn run_bench(stop: &StopSignal) -> Option<BenchResult> {
    let started = Instant::now();
    let mut nodes = 0;
    for dfen in POSITIONS {
        let mut bot = BotConfig::default().build();
        // The positions are sound: a test reads them.
        let Ok(rolled) = Rolled::from_dfen(dfen) else { continue };
        let mut searched = 0;
        let mut count = |event| {
            if let Event::Info(info) = event {
                searched = info.nodes;
            }
        };
        let mut task = Task::new(rolled);
        task.limits.nodes = Some(NODES);
        bot.choose(&task, Some(stop), &mut count);
        nodes += searched;
        if stop.should_stop() {
            return None;
        }
    }
    Some(BenchResult { nodes, time: started.elapsed() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_sound_and_rolled() {
        for dfen in POSITIONS {
            let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
            assert!(!rolled.dice.is_empty(), "{dfen}");
            assert_eq!(rolled.to_string(), dfen);
        }
    }
}
