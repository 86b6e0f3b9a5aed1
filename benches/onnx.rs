//! Models: what it costs to turn positions into inputs and to run the small models of the tests on them, in batches of
//! 32.

use astragal::board::{Position, Rolled};
use astragal::eval::{EvalOutput, FeatureSet, OnnxModel};
use astragal::rules::outcomes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;

/// Positions that a search meets: after turns in the middle of a game.
fn batch() -> Vec<Position> {
    let dfen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10 NBQ";
    let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
    let found = outcomes(&rolled).distinct;
    found.iter().step_by(found.len() / 32).take(32).map(|outcome| outcome.position).collect()
}

fn inputs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("inputs of 32 positions");
    let positions = batch();
    group.throughput(Throughput::Elements(positions.len() as u64));
    for set in FeatureSet::ALL {
        let mut rows = Vec::new();
        group.bench_function(set.id(), |bencher| {
            bencher.iter(|| {
                rows.clear();
                black_box(&positions).iter().for_each(|position| set.append(position, &mut rows));
                rows.len()
            });
        });
    }
    group.finish();
}

fn models(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("model and inputs, 32 positions");
    let positions = batch();
    group.throughput(Throughput::Elements(positions.len() as u64));
    for set in FeatureSet::ALL.into_iter().filter(|&set| set != FeatureSet::Network) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(set.id()).with_extension("onnx");
        let mut model = OnnxModel::load(&path, EvalOutput::Probability)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut values = Vec::new();
        group.bench_function(set.id(), |bencher| {
            bencher.iter(|| {
                values.clear();
                model.try_evaluate(black_box(&positions), &mut values).map(|()| values.len())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, inputs, models);
criterion_main!(benches);
