//! The hot paths of the rules, by class of position: whole chance nodes (all 56 rolls, distinct outcomes), and the
//! rolls that capture the king.

use astragal::board::{Position, Rolled, STARTPOS};
use astragal::rules::{ChanceNode, Roll, RollSet, winning_rolls};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const CLASSES: [(&str, &str); 6] = [
    ("start", STARTPOS),
    ("opening", "r1bqkbnr/pp1ppppp/2n5/2p5/4P3/3B1N2/PPPP1PPP/RNBQK2R b KQkq - 3 3 -"),
    ("middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 -"),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -"),
    ("open queens", "3q1rk1/5pp1/7p/1Q6/8/6P1/5P1P/3Q1RK1 w - - 0 30 -"),
    ("ending", "8/5k2/1p2p3/p2pP3/P2P1K2/1P3R2/8/2r5 w - - 0 45 -"),
];

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn count(node: &mut ChanceNode, position: &Position) -> usize {
    node.expand(position, RollSet::ALL);
    Roll::all().map(|roll| node.visit(roll, |leaf| _ = black_box(leaf.key()))).sum()
}

fn chance_nodes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("chance node, distinct outcomes");
    let mut node = ChanceNode::new();
    for (name, dfen) in CLASSES {
        let position = position(dfen);
        group.throughput(Throughput::Elements(count(&mut node, &position) as u64));
        group.bench_function(name, |bencher| bencher.iter(|| count(&mut node, black_box(&position))));
    }
    group.finish();
}

fn king_captures(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rolls that capture the king");
    for (name, dfen) in CLASSES {
        let position = position(dfen);
        group.bench_function(name, |bencher| bencher.iter(|| winning_rolls(black_box(&position))));
    }
    group.finish();
}

criterion_group!(benches, chance_nodes, king_captures);
criterion_main!(benches);
