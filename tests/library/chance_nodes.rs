//! Whole chance nodes against slower ways to the same: the naive reading of the rules, and each roll for itself.
//!
//! A node leaves out most orders of the same micro-moves, so what matters here are positions in which the order counts:
//! castling, promotion, en passant, double steps, crowded boards, lines that open and close.

use crate::common::naive::Naive;
use crate::common::positions::{game_positions, lines_through_en_passant, scattered, varied_positions};
use crate::common::{few_dice, roll, seeded};
use astragal::board::{Dice, Position, Rolled};
use astragal::rules::{ChanceNode, Roll, RollSet, Turn, outcomes};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, HashSet};

/// Positions where the order of micro-moves counts in one way or another, for both sides.
const ORDER_COUNTS: [&str; 9] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
    // Castling behind pieces that must leave, beside corners that can be taken with rights still alive.
    "rn2k1nr/8/8/8/8/8/6B1/RN2K1NR w KQkq - 0 1 -",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1 -",
    // En passant: two takers, a taker that must first arrive, a line through both pawns.
    "4k3/8/8/1PpPp1P1/8/2N5/8/R3K3 w Q c6e6 0 1 -",
    "3rk3/8/n7/1PpP4/2P5/8/3R4/4K3 w - c6 0 1 -",
    "4k3/8/8/R1pP3r/8/8/8/4K3 w - c6 0 1 -",
    // Double steps that own pieces follow through, and pieces that land on the target left behind.
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/R2QK2R w KQ - 0 1 -",
    "4k3/8/8/p1p1p1p1/8/N1N1N1N1/PPPPPPPP/4K3 w - - 0 1 -",
    // Sliders of one kind in each other's way.
    "6k1/8/8/8/RRQ5/QQ6/BB6/K7 w - - 0 1 -",
];

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn ordered(rng: &mut ChaCha8Rng, scattered_count: usize) -> Vec<Position> {
    let mut positions: Vec<Position> =
        ORDER_COUNTS.into_iter().map(position).flat_map(|position| [position, position.flip_colors()]).collect();
    for _ in 0..scattered_count {
        positions.push(lines_through_en_passant(rng));
        positions.push(scattered(rng, Dice::NONE).position);
        // In the middle of a turn: targets of both sides.
        let dice = few_dice(rng);
        positions.push(scattered(rng, dice).position);
    }
    positions
}

/// What the naive reading says: the ends of legal turns that move and capture no king, and the turns to each.
fn naive_ends(position: &Position, roll: Roll) -> HashMap<Naive, Vec<(Turn, Naive)>> {
    let mut ends: HashMap<Naive, Vec<(Turn, Naive)>> = HashMap::new();
    for line in Naive::read(&position.to_string()).legal(roll.dice()) {
        if let Some(end) = line.end.filter(|_| !line.turn.is_empty()) {
            ends.entry(end.without_counters()).or_default().push((line.turn, end));
        }
    }
    ends
}

fn check_against_naive(node: &mut ChanceNode, position: &Position, roll: Roll) {
    let mut expected = naive_ends(position, roll);
    node.visit(roll, |leaf| {
        let end = Naive::read(&leaf.position().to_string());
        let turns = expected.remove(&end.without_counters());
        let turns = turns.unwrap_or_else(|| panic!("{position} {roll}: {} is no outcome, or one twice", end.text()));
        assert!(turns.contains(&(leaf.turn(), end)), "{position} {roll}: {}", leaf.turn());
        assert_eq!(leaf.key(), leaf.position().key_from_scratch());
    });
    let missed: Vec<String> = expected.keys().map(Naive::text).collect();
    assert!(missed.is_empty(), "{position} {roll}: {missed:?}");
}

#[test]
fn leaves_are_the_ends_of_naive_turns() {
    let rng = &mut seeded(21);
    let mut node = ChanceNode::new();
    let mut positions = ordered(rng, 100);
    positions.extend(game_positions(rng, 60));
    for (number, position) in positions.iter().enumerate() {
        node.expand(position, RollSet::ALL);
        let rolls = if number < 2 * ORDER_COUNTS.len() { 10 } else { 2 };
        (0..rolls).for_each(|_| check_against_naive(&mut node, position, roll(rng)));
    }
}

#[test]
fn leaves_are_the_outcomes_of_each_roll_for_itself() {
    let rng = &mut seeded(22);
    let mut node = ChanceNode::new();
    let mut positions = ordered(rng, 500);
    positions.extend(varied_positions(rng, 300));
    for position in positions {
        node.expand(&position, RollSet::ALL);
        for roll in Roll::all() {
            let slow = outcomes(&Rolled { position, dice: roll.dice() }).distinct;
            let mut expected: HashSet<u64> =
                slow.iter().filter(|outcome| !outcome.turn.is_empty()).map(|outcome| outcome.position.key()).collect();
            let count = node.visit(roll, |leaf| assert!(expected.remove(&leaf.key()), "{position} {roll}"));
            assert!(expected.is_empty(), "{position} {roll}: {} of {count} missed", expected.len());
        }
    }
}
