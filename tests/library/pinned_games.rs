//! One untimed game of each bot against itself, pinned: the same binary, seed and limits give the same game on every
//! machine. A change of a bot's play changes its line here, and says why.

use crate::common::game::{roll, start};
use astragal::bots::{BotConfig, BotKind};
use astragal::rules::{TurnEnd, apply_roll};
use astragal::search::Task;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use sha2::{Digest, Sha256};

const SEED: u64 = 2026;

/// The rolls and turns of a game, one a line.
fn game(kind: BotKind) -> Vec<String> {
    let mut config = BotConfig::of(kind, SEED);
    config.rollouts = 2;
    let mut bot = config.build();
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut position = start();
    let mut lines = Vec::new();
    // Random games are long; their beginning is enough.
    while lines.len() < 60 {
        let rolled = roll(&mut rng, position);
        let mut task = Task::new(rolled);
        task.limits.nodes = Some(2_000);
        let turn = bot.choose(&task, None, &mut |_| ());
        lines.push(format!("{} {turn}", rolled.dice));
        match apply_roll(&rolled, turn) {
            Ok(TurnEnd::Position(next)) if !next.is_drawn() => position = next,
            Ok(_) => break,
            Err(error) => panic!("{kind}: {turn} at {rolled}: {error}"),
        }
    }
    lines
}

fn fingerprint(lines: &[String]) -> String {
    Sha256::digest(lines.join("\n")).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn games_repeat_bit_for_bit() {
    for kind in BotKind::ALL {
        assert_eq!(game(kind), game(kind), "{kind}");
    }
}

#[test]
fn games_are_the_pinned_ones() {
    let found: Vec<String> =
        BotKind::ALL.into_iter().map(|kind| format!("{kind} {}", fingerprint(&game(kind)))).collect();
    assert_eq!(found, PINNED);
}

const PINNED: [&str; 10] = [
    "expectimax ef788d4bf187d3ff",
    "monte-carlo 90fd3e113aa5baf1",
    // Without a model, so by the built-in evaluation; see tests/onnx.rs for games by a model.
    "onnx-expectimax ef788d4bf187d3ff",
    "onnx-eval ef788d4bf187d3ff",
    "aggressive 356bed50d6b96934",
    "greedy-v2 70b5cf8a1252c267",
    "greedy bcbca926bf0f6ef3",
    "checkmate-aware a0a7bfc191702561",
    "random 8c21e80491b3302f",
    "book ef788d4bf187d3ff",
];
