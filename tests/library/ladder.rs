//! The instant bots are the ladder on which strength is read: each step must be clear.

use crate::common::game::match_points;
use astragal::bots::{BotConfig, BotKind};
use astragal::search::Limits;

/// Points of `better` against `worse`, in pairs of games with the same dice and colours exchanged.
fn step(worse: BotKind, better: BotKind, pairs: u64) {
    let (points, games) = match_points(
        &mut BotConfig::of(better, 1).build(),
        &mut BotConfig::of(worse, 2).build(),
        Limits::default(),
        pairs,
    );
    let games = games as f64;
    let score = points / games;
    let error = (score * (1.0 - score) / games).sqrt();
    println!("{better} against {worse}: {:.1} % ± {:.1} of {games} games", 100.0 * score, 196.0 * error);
    assert!(score - 0.5 > 3.0 * error, "{better} against {worse}: {score} ± {error}");
}

#[test]
fn checkmate_aware_beats_random() {
    step(BotKind::Random, BotKind::CheckmateAware, 1000);
}

#[test]
fn greedy_beats_checkmate_aware() {
    step(BotKind::CheckmateAware, BotKind::Greedy, 1000);
}

#[test]
fn greedy_v2_beats_greedy() {
    step(BotKind::Greedy, BotKind::GreedyV2, 1000);
}

#[test]
fn aggressive_beats_greedy_v2() {
    // The step is small (52.3 % ± 0.7 of 20,000 games), so it takes more games to be clear.
    step(BotKind::GreedyV2, BotKind::Aggressive, 8000);
}
