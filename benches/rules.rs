//! The hot paths of the rules, by class of position: whole chance nodes (all 56 rolls, distinct outcomes), and the
//! rolls that capture the king.

mod classes;

use astragal::board::{Position, Rolled};
use astragal::rules::{ChanceNode, Roll, RollSet, winning_rolls};
use classes::CLASSES;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

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
    for (name, dfen, _) in CLASSES {
        let position = position(dfen);
        group.throughput(Throughput::Elements(count(&mut node, &position) as u64));
        group.bench_function(name, |bencher| bencher.iter(|| count(&mut node, black_box(&position))));
    }
    group.finish();
}

fn king_captures(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rolls that capture the king");
    for (name, dfen, _) in CLASSES {
        let position = position(dfen);
        group.bench_function(name, |bencher| bencher.iter(|| winning_rolls(black_box(&position))));
    }
    group.finish();
}

criterion_group!(benches, chance_nodes, king_captures);
criterion_main!(benches);
