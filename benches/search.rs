//! What decisions of `expectimax` take: two turns deep by class of position, and three turns deep with more threads.

mod classes;

use astragal::board::Rolled;
use astragal::bots::BudgetedBot;
use astragal::search::{Event, Expectimax, ExpectimaxSettings, Task};
use astragal::time::{StopCheck, StopSignal};
use classes::CLASSES;
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
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

criterion_group!(benches, two_turns, three_turns);
criterion_main!(benches);
