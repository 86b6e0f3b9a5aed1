//! What decisions of `expectimax` take: two turns deep by class of position, and three turns deep with more threads; and
//! what one evaluation takes in the order in which a search asks for them.

mod classes;

use astragal::board::{Position, Rolled};
use astragal::bots::BudgetedBot;
use astragal::eval::{BuiltinEvaluator, Equity, Evaluator};
use astragal::search::{Event, Expectimax, ExpectimaxSettings, Task};
use astragal::time::{StopCheck, StopSignal};
use classes::CLASSES;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn task(dfen: &str, dice: &str, depth: u32) -> Task {
    let dfen = match dfen.strip_suffix('-') {
        Some(before) => format!("{before}{dice}"),
        None => panic!("{dfen} has dice"),
    };
    let mut task = Task::new(Rolled::from_dfen(&dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")));
    task.limits.depth = Some(depth);
    task
}

/// Decides with a new table, against a deadline that never comes; how many positions were evaluated.
fn decide(mut bot: Expectimax, task: &Task) -> (Expectimax, u64) {
    let stop = StopSignal::with_deadline(Instant::now() + Duration::from_secs(3600));
    let mut nodes = 0;
    let mut count = |event| {
        if let Event::Info(info) = event {
            nodes = info.nodes;
        }
    };
    black_box(bot.choose(task, Some(&stop), &mut count));
    assert!(!stop.should_stop());
    (bot, nodes)
}

fn bot(threads: usize) -> Expectimax {
    Expectimax::new(ExpectimaxSettings { threads, ..ExpectimaxSettings::default() })
}

fn two_turns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decision, depth 2");
    group.sample_size(20);
    for (name, dfen, dice) in CLASSES {
        let task = task(dfen, dice, 2);
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| bot(1), |bot| decide(bot, &task), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn three_turns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decision, depth 3, threads");
    group.sample_size(10);
    for (name, dfen, dice) in CLASSES {
        let task = task(dfen, dice, 3);
        for threads in [1, 2] {
            group.bench_function(BenchmarkId::new(name, threads), |bencher| {
                bencher.iter_batched(|| bot(threads), |bot| decide(bot, &task), BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

/// An evaluator that writes down what it is asked for, up to [`LEAVES`] positions.
struct Recorder {
    inner: Box<dyn Evaluator>,
    seen: Arc<Mutex<Seen>>,
}

/// Positions, and how many of them were asked for at once.
#[derive(Default)]
struct Seen {
    positions: Vec<Position>,
    batches: Vec<usize>,
}

/// Few enough for the processor's second cache, where they would be in a search.
const LEAVES: usize = 20_000;

impl Evaluator for Recorder {
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) {
        self.inner.evaluate(positions, values);
        let mut seen = self.seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let count = positions.len().min(LEAVES - seen.positions.len());
        if count > 0 {
            seen.positions.extend(&positions[..count]);
            seen.batches.push(count);
        }
    }

    fn lacks_king_capture(&self) -> bool {
        self.inner.lacks_king_capture()
    }

    fn for_another_thread(&self) -> Box<dyn Evaluator> {
        Box::new(Self { inner: self.inner.for_another_thread(), seen: Arc::clone(&self.seen) })
    }
}

/// Evaluations without the chance to capture the king, by the linear evaluation and by the network, of the same positions:
/// the first that a search two turns deep with the network asks for.
fn leaves(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("evaluation, positions of a search");
    group.sample_size(20);
    for (name, dfen, dice) in CLASSES {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let inner = BuiltinEvaluator::Network.evaluator();
        let recorder = Recorder { inner, seen: Arc::clone(&seen) };
        let bot = Expectimax::with_evaluator(ExpectimaxSettings::default(), &recorder);
        decide(bot, &task(dfen, dice, 2));
        let seen = seen.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // An ending may have fewer.
        group.throughput(Throughput::Elements(seen.positions.len() as u64));
        for kind in [BuiltinEvaluator::Quiet, BuiltinEvaluator::Network] {
            let mut evaluator = kind.evaluator();
            let mut values = Vec::new();
            group.bench_function(BenchmarkId::new(name, kind.id()), |bencher| {
                bencher.iter(|| {
                    let mut sum = 0.0;
                    let mut rest = seen.positions.as_slice();
                    for &count in &seen.batches {
                        let (batch, others) = rest.split_at(count);
                        values.clear();
                        evaluator.evaluate(black_box(batch), &mut values);
                        sum += values.iter().map(|value| value.value()).sum::<f64>();
                        rest = others;
                    }
                    sum
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, leaves, two_turns, three_turns);
criterion_main!(benches);
