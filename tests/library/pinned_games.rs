//! A few untimed games of each bot against itself, pinned: the same binary, seed and limits give the same game on every
//! machine. A change of a bot's play changes its line here, and says why.

use crate::common::game::{roll, start};
use astragal::bots::{BotConfig, BotKind};
use astragal::rules::{TurnEnd, apply_roll};
use astragal::search::Task;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use sha2::{Digest, Sha256};

/// One game for each: in a single short one two turns ahead may look no different from one.
const SEEDS: [u64; 4] = [2026, 2027, 2028, 2029];

/// The limit of a turn: `expectimax` looks two turns ahead with it and so plays other turns than a bot that looks one ahead.
const NODES: u64 = 20_000;

/// The rolls and turns of the games, one a line.
fn games(kind: BotKind) -> Vec<String> {
    SEEDS.into_iter().flat_map(|seed| game(kind, seed)).collect()
}

fn game(kind: BotKind, seed: u64) -> Vec<String> {
    let mut config = BotConfig::of(kind, seed);
    if kind == BotKind::Book {
        // The book that the program carries was made by the bot which is inside otherwise, so nothing would show.
        config = BotConfig { own_book: true, ..BotConfig::of(BotKind::Greedy, seed) };
    }
    config.rollouts = 2;
    let mut bot = config.build();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start();
    let mut lines = Vec::new();
    // Random games are long; their beginning is enough.
    while lines.len() < 60 {
        let rolled = roll(&mut rng, position);
        let mut task = Task::new(rolled);
        task.limits.nodes = Some(NODES);
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
        assert_eq!(games(kind), games(kind), "{kind}");
    }
}

#[test]
fn games_are_the_pinned_ones() {
    let found = |kind: BotKind| format!("{kind} {}", fingerprint(&games(kind)));
    assert_eq!(PINNED.map(|(kind, _)| found(kind)), PINNED.map(|(kind, pin)| format!("{kind} {pin}")));
}

/// Without a model the bots over one play by the built-in evaluation, and a book that is not hit leaves all to the bot
/// inside. Games by a model are in onnx.rs.
#[test]
fn what_has_nothing_of_its_own_plays_as_the_bot_inside() {
    assert_eq!(games(BotKind::OnnxExpectimax), games(BotKind::Expectimax));
    let listed = PINNED.map(|(kind, _)| kind);
    assert!(BotKind::ALL.iter().all(|kind| listed.contains(kind) || *kind == BotKind::OnnxExpectimax));
}

const PINNED: [(BotKind, &str); 9] = [
    (BotKind::Expectimax, "9d10f9db257bebc1"),
    (BotKind::MonteCarlo, "178b0cd53ebf565c"),
    (BotKind::OnnxEval, "0d05d06d7ee75ae5"),
    (BotKind::Aggressive, "e46005b5d4a2e709"),
    (BotKind::GreedyV2, "ae4f73111a1d7418"),
    (BotKind::Greedy, "b77c5e3a65948301"),
    (BotKind::CheckmateAware, "52969ac03ee360e1"),
    (BotKind::Random, "548dd6695f2f217b"),
    (BotKind::Book, "bfe498ef6ba05d01"),
];
