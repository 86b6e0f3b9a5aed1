//! The candidates of a decision: ranking them, and searching all of them to one depth.

use super::budget::SearchBudget;
use super::chance_search::ChanceSearch;
use super::crew::start;
use super::pre_ranker::PreRanker;
use super::roll_sample::RollSample;
use super::table::Entry;
use crate::board::Position;
use crate::eval::Equity;
use crate::rules::Outcome;
use crate::time::StopCheck;
use crossbeam_channel::Sender;
use parking_lot::Mutex;
use std::cmp::Ordering;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

/// A turn to choose from, from the view of the mover.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub outcome: Outcome,
    /// What the pre-ranker says.
    pub rank: Equity,
    /// The value by the deepest search it has had.
    pub value: Equity,
    /// Whether that is exact; if not, it is an upper bound that is below the value of the best candidate.
    pub exact: bool,
}

/// The best first: exact values before bounds, equal ones in the order of their turns, so that nothing depends on how
/// they were found.
pub(super) fn best_first(a: &Candidate, b: &Candidate) -> Ordering {
    b.exact
        .cmp(&a.exact)
        .then_with(|| b.value.value().total_cmp(&a.value.value()))
        .then_with(|| a.outcome.turn.cmp(&b.outcome.turn))
}

/// Outcomes looked at between two polls of the stop signal: some microseconds of work.
const OUTCOMES_BETWEEN_POLLS: usize = 64;

/// Outcomes that are looked at before the first poll, nearly always all of them: a fraction of a millisecond.
const ALWAYS_LOOKED_AT: usize = 512;

/// Of the best by the quiet part those that are ranked in any case, so that an answer without any time to think does not
/// give the king away unseen.
const ALWAYS_RANKED: usize = 8;

/// Ranks outcomes by the pre-ranker, `by`. If the budget is spent on the way, those that it reached come first, ranked, and
/// the rest follow by the quiet part of the evaluation; if it is spent even before that, only the best outcome by the quiet
/// part is left, out of those that could be looked at.
pub(super) fn rank<S: StopCheck>(
    outcomes: Vec<Outcome>,
    by: impl Fn(&Position) -> Equity,
    budget: &SearchBudget<'_, S>,
) -> Vec<Candidate> {
    let quietly = |outcome: Outcome| {
        let value = PreRanker::Quiet.value(&outcome.position);
        Candidate { outcome, rank: value, value, exact: true }
    };
    let mut ranked: Vec<Candidate> = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        ranked.push(quietly(outcome));
        let count = ranked.len();
        if count >= ALWAYS_LOOKED_AT && count.is_multiple_of(OUTCOMES_BETWEEN_POLLS) && budget.is_spent() {
            let best = ranked.into_iter().min_by(best_first);
            return best.into_iter().collect();
        }
    }
    ranked.sort_by(best_first);
    let mut done = 0;
    for candidate in &mut ranked {
        if budget.has_reached_limit() || done >= ALWAYS_RANKED && budget.is_spent() {
            break;
        }
        candidate.rank = by(&candidate.outcome.position);
        candidate.value = candidate.rank;
        budget.add(1);
        done += 1;
    }
    ranked[..done].sort_by(best_first);
    ranked
}

/// The values that decide which candidates still matter, shared between threads.
struct Best {
    /// The best values so far, best first, at most `wanted` of them.
    values: Mutex<Vec<f64>>,
    wanted: usize,
    margin: f64,
}

impl Best {
    /// A candidate matters as long as its position is worth less than this to the opponent; above 1 if it always does.
    fn limit(&self) -> f64 {
        const ALWAYS: f64 = 2.0;
        let values = self.values.lock();
        match values.last() {
            Some(&worst) if values.len() == self.wanted => (self.margin - worst).min(ALWAYS),
            _ => ALWAYS,
        }
    }

    fn add(&self, value: f64) {
        let mut values = self.values.lock();
        let place = values.partition_point(|&known| known >= value);
        values.insert(place, value);
        values.truncate(self.wanted);
    }
}

/// What one search of all candidates is to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Iteration<'a> {
    /// Turns to look ahead, the candidate's own included; at least 2.
    pub depth: u32,
    /// How many of the best need exact values, at least 1.
    pub wanted: usize,
    /// Candidates this close to those need them too: the next iteration chooses among them. Infinite if all need them.
    pub margin: f64,
    /// The rolls to look at, if not all; then a value is exact as far as they go.
    pub sample: Option<&'a RollSample>,
}

/// From this depth on the threads search one candidate after another, all together, rather than each its own: that takes
/// long enough to be shared, and every candidate is held against the best of all before it.
const TOGETHER: u32 = 3;

/// Searches candidates in order with as many threads as there are workers; returns what became known of each, `None`
/// for those that were cut off half-way or never begun. `rivals` are the exact values of other candidates by this
/// iteration. `found` hears of each result as it comes.
pub(super) fn search_all<S: StopCheck + Sync>(
    workers: &mut [ChanceSearch],
    candidates: &[Candidate],
    iteration: Iteration<'_>,
    rivals: &[f64],
    budget: &SearchBudget<'_, S>,
    found: &mut dyn FnMut(usize, Entry),
) -> Vec<Option<Entry>> {
    let best = Best { values: Mutex::new(Vec::new()), wanted: iteration.wanted.max(1), margin: iteration.margin };
    rivals.iter().for_each(|&value| best.add(value));
    let search = |worker: &mut ChanceSearch, helpers: &mut [ChanceSearch], candidate: &Candidate| {
        if budget.is_spent() {
            return None;
        }
        let (position, depth) = (&candidate.outcome.position, iteration.depth - 1);
        let known = match iteration.sample {
            Some(sample) => worker.sampled(helpers, (position, depth), sample, best.limit(), budget)?,
            None => worker.search_together(helpers, position, depth, best.limit(), budget)?,
        };
        if known.exact {
            best.add(-known.value);
        }
        Some(known)
    };
    let mut results = vec![None; candidates.len()];
    let (first, others) = match workers {
        [] => return results,
        [first, others @ ..] => (first, others),
    };
    if others.is_empty() || iteration.depth >= TOGETHER {
        for (number, candidate) in candidates.iter().enumerate() {
            let Some(known) = search(first, others, candidate) else { break };
            results[number] = Some(known);
            found(number, known);
        }
        return results;
    }
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |worker: &mut ChanceSearch, tell: &dyn Fn(usize, Entry)| {
        while !stopped.load(Relaxed) {
            let number = next.fetch_add(1, Relaxed);
            let Some(candidate) = candidates.get(number) else { break };
            match search(worker, &mut [], candidate) {
                Some(known) => tell(number, known),
                None => stopped.store(true, Relaxed),
            }
        }
    };
    let (results_in, results_out) = crossbeam_channel::unbounded();
    let workers: Vec<Mutex<&mut ChanceSearch>> = std::iter::once(first).chain(others).map(Mutex::new).collect();
    let take_part = |worker: &Mutex<&mut ChanceSearch>, results_in: Sender<(usize, Entry)>| {
        // A receiver that is gone wants no more results.
        work(&mut worker.lock(), &|number, known| _ = results_in.send((number, known)));
    };
    let take_part = &take_part;
    thread::scope(|scope| {
        let works = workers.iter().map(|worker| {
            let results_in = results_in.clone();
            move || take_part(worker, results_in)
        });
        let threads = start(scope, works, 0);
        if threads.is_empty()
            && let Some(worker) = workers.first()
        {
            // No thread at all: the results come when all is done.
            take_part(worker, results_in.clone());
        }
        drop(results_in);
        for (number, known) in results_out {
            results[number] = Some(known);
            found(number, known);
        }
    });
    results
}
