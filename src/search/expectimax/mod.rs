//! `expectimax`: the expected result over all rolls, deeper and deeper.
//!
//! One turn ahead the pre-ranker looks at the position after the own turn. Two turns ahead all candidates are searched at
//! full width: the 56 weighted rolls of the opponent and its best reply to each. Deeper iterations go on with the best
//! candidates and the best replies. The best completed candidate can be had at any time.

mod filter;
mod rolls;

use crate::board::Position;
use crate::eval::network::{Network, SHIPPED};
use crate::eval::{BuiltinEvaluator, Equity, Evaluator, Score};
use crate::rules::{Outcome, Turn};
use crate::search::budget::SearchBudget;
use crate::search::candidates::{Candidate, Iteration, best_first, rank, search_all};
use crate::search::chance_search::ChanceSearch;
use crate::search::observer::Observer;
use crate::search::pre_ranker::PreRanker;
use crate::search::roll_sample::RollSample;
use crate::search::root_moves::candidates_or_answer;
use crate::search::table::{Entry, MOST_DEPTH, Table};
use crate::search::techniques::Techniques;
use crate::search::{Event, Info, Mode, Reporter, Task, Width};
use crate::time::{Checkpoint, SearchStats, StopCheck};
use filter::readmitted;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The parameters of `expectimax`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ExpectimaxSettings {
    /// How many of the best candidates of the pre-ranker are searched; 0 for all.
    pub candidate_limit: usize,
    /// What orders the candidates.
    pub pre_ranker: PreRanker,
    /// What evaluates the positions at the end of the search.
    pub leaf: BuiltinEvaluator,
    /// How much of the pre-ranker's value is mixed into a candidate's final score, in percent, 0..=100. A candidate
    /// that loses the king on some roll is never lifted by it.
    pub root_blend: u32,
    /// Search threads, at least 1.
    pub threads: usize,
    /// The size of the transposition table in mebibytes, at least 1.
    pub hash: usize,
    /// The most turns looked ahead, own one included, at least 1.
    pub max_depth: u32,
    /// What saves work.
    pub techniques: Techniques,
}

impl Default for ExpectimaxSettings {
    fn default() -> Self {
        Self {
            candidate_limit: 0,
            pre_ranker: PreRanker::Network,
            leaf: BuiltinEvaluator::Network,
            root_blend: 0,
            threads: 1,
            hash: 16,
            max_depth: MOST_DEPTH,
            techniques: Techniques::default(),
        }
    }
}

impl ExpectimaxSettings {
    /// The default settings, but with the linear evaluation alone: for what is measured by it, such as luck and reviews, and
    /// must not move with every new network.
    pub fn linear() -> Self {
        Self { pre_ranker: PreRanker::Full, leaf: BuiltinEvaluator::Full, ..Self::default() }
    }
}

/// Expectimax over distinct outcomes by iterative deepening.
pub struct Expectimax {
    settings: ExpectimaxSettings,
    /// What ranks candidates if the pre-ranker is the network.
    network: Arc<Network>,
    table: Option<Arc<Table>>,
    workers: Vec<ChanceSearch>,
    /// What is to be said with the next search.
    notes: Vec<String>,
}

/// One iteration of several.
#[derive(Clone, Copy)]
struct Deeper<'a> {
    /// Turns to look ahead in this one.
    depth: u32,
    /// Turns to look ahead in the last one.
    last: u32,
    /// How many of the best turns are reported.
    multi_pv: usize,
    /// The rolls to look at, if not all.
    sample: Option<&'a RollSample>,
}

/// How deep a decision is to be searched.
#[derive(Clone, Copy)]
struct Plan {
    /// Turns to look ahead at most.
    depth: u32,
    /// Whether a sample of the rolls may decide where there is no time for all of them.
    sampled: bool,
    /// Whether an only turn is searched, too, for what it is worth.
    only_turn: bool,
}

/// The depth that a sample of rolls is looked at first at: there it costs a fraction, and at depth 2 there is nothing
/// to gain.
const SAMPLED_DEPTH: u32 = 3;

/// The turns it looks ahead when nothing limits it.
const DEFAULT_DEPTH: u32 = 3;

/// The same where each of the 56 rolls is a search of its own.
const DEFAULT_DEPTH_OF_ROLLS: u32 = 2;

/// Positions evaluated between two reports of the candidate at hand.
const NODES_BETWEEN_REPORTS: u64 = 2_000_000;

impl Expectimax {
    /// A bot with these settings and the built-in evaluation that they name.
    pub fn new(settings: ExpectimaxSettings) -> Self {
        Self::with_network(settings, SHIPPED.clone())
    }

    /// A bot with these settings that evaluates leaves with `leaf` instead.
    pub fn with_evaluator(settings: ExpectimaxSettings, leaf: &dyn Evaluator) -> Self {
        let table = settings.techniques.table.then(|| Arc::new(Table::up_to(settings.hash)));
        let worker = |_| ChanceSearch::new(leaf.for_another_thread(), table.clone(), settings.techniques);
        let workers = (0..settings.threads.max(1)).map(worker).collect();
        let short = table.as_ref().map(|table| table.mebibytes()).filter(|&size| size < settings.hash);
        let notes = short.map(|size| format!("error option Hash: there was memory for {size} MiB only"));
        let notes = notes.into_iter().collect();
        Self { settings, network: SHIPPED.clone(), table, workers, notes }
    }

    /// A bot with these settings, and with this network where they name `network`.
    pub fn with_network(settings: ExpectimaxSettings, network: Arc<Network>) -> Self {
        let leaf = settings.leaf.evaluator_by(&network);
        Self { network, ..Self::with_evaluator(settings, leaf.as_ref()) }
    }

    /// Has something reported with the next search, after what is to be reported anyway.
    pub(crate) fn announce(&mut self, remark: String) {
        self.notes.push(remark);
    }

    /// Forgets what earlier searches found.
    pub(crate) fn forget(&mut self) {
        if let Some(table) = &self.table {
            table.clear();
        }
        self.workers.iter_mut().for_each(ChanceSearch::forget);
    }

    /// Picks a turn; `timed` if there is a deadline, so that the depth need not be limited.
    pub(crate) fn search<S: StopCheck + Sync>(
        &mut self,
        task: &Task,
        stop: &S,
        timed: bool,
        report: &mut Reporter<'_>,
    ) -> Turn {
        self.notes.drain(..).for_each(|note| report(Event::Note(note)));
        let nodes = AtomicU64::new(0);
        let budget = SearchBudget::new(stop, &nodes, task.limits.nodes);
        let each_roll = task.rolled.dice.is_empty() && matches!(task.mode, Mode::EachRoll { .. });
        let unlimited = match () {
            () if timed || task.mode.is_until_stopped() || task.limits.nodes.is_some() => MOST_DEPTH,
            () if each_roll => DEFAULT_DEPTH_OF_ROLLS,
            () => DEFAULT_DEPTH,
        };
        let depth = task.limits.depth.unwrap_or(unlimited).min(self.settings.max_depth).clamp(1, MOST_DEPTH);
        let sampled = unlimited == MOST_DEPTH && task.limits.depth.is_none();
        if timed || task.mode == Mode::Ponder {
            if let Some(table) = &self.table {
                table.age();
            }
        } else {
            // What an untimed search says may depend on nothing but its task, so nothing is kept from earlier ones.
            self.forget();
        }
        if task.rolled.dice.is_empty() {
            let position = &task.rolled.position;
            if each_roll {
                self.each_roll(position, depth, &budget, report);
            } else {
                self.analyse(position, depth, &budget, report);
            }
            return Turn::PASS;
        }
        match candidates_or_answer(task, || !stop.should_stop(), report) {
            Err(turn) => turn,
            Ok((outcomes, turns)) => {
                let width = Width { turns, outcomes: outcomes.len(), ..Width::default() };
                self.decide(
                    outcomes,
                    width,
                    task,
                    Plan { depth, sampled, only_turn: !timed && task.asks_for_a_value() },
                    &budget,
                    report,
                )
            }
        }
    }

    /// Analyses a position before its roll.
    fn analyse<S: StopCheck + Sync>(
        &mut self,
        position: &Position,
        depth: u32,
        budget: &SearchBudget<'_, S>,
        report: &mut Reporter<'_>,
    ) {
        for depth in 1..=depth {
            let Some((first, others)) = self.workers.split_first_mut() else { return };
            let Some(known) = first.search_together(others, position, depth - 1, f64::INFINITY, budget) else { return };
            let (score, nodes) = (Score::of(position, Equity::new(known.value)), budget.nodes());
            let hashfull = self.table.as_ref().map(|table| table.hashfull());
            report(Event::Info(Info { depth, seldepth: depth, multipv: 1, score, nodes, hashfull, turn: None }));
            if budget.is_enough(&SearchStats { checkpoint: Checkpoint::Iteration, ..SearchStats::default() }) {
                return;
            }
        }
    }

    fn decide<S: StopCheck + Sync>(
        &mut self,
        outcomes: Vec<Outcome>,
        mut width: Width,
        task: &Task,
        plan: Plan,
        budget: &SearchBudget<'_, S>,
        report: &mut Reporter<'_>,
    ) -> Turn {
        let pre_ranker = self.settings.pre_ranker;
        let by = |position: &Position| pre_ranker.value_by(&self.network, position);
        let mut candidates = rank(outcomes, by, budget);
        self.report_lines((1, 1), &candidates, task.multi_pv, budget.nodes(), report);
        if self.settings.candidate_limit > 0 {
            candidates.truncate(self.settings.candidate_limit);
        }
        width.selected = candidates.len();
        let mut observer = S::LISTENS.then(|| Observer::new(self.workers.len() > 1));
        let last = plan.depth;
        let count = self.settings.techniques.roll_subset;
        let sample = (plan.sampled && count > 0).then(|| RollSample::new(count));
        for depth in 2..=last {
            let cut = if depth > 2 { self.filter(&mut candidates, depth, task.multi_pv) } else { Vec::new() };
            let begun = candidates.len();
            if begun < 2 && !(plan.only_turn && width.outcomes == 1) {
                break;
            }
            let iteration = Deeper { depth, last, multi_pv: task.multi_pv, sample: None };
            let mut by_sample = None;
            if depth == SAMPLED_DEPTH && sample.is_some() {
                let before = candidates.clone();
                let sampled = Deeper { sample: sample.as_ref(), ..iteration };
                if !self.deepen(&mut candidates, &[], sampled, budget, None, report).1 {
                    break;
                }
                // The order of search is that by the sample, the values are still those of the depth before.
                let of = |turn| before.iter().find(|candidate| candidate.outcome.turn == turn).copied();
                let ordered = candidates.iter().filter_map(|candidate| of(candidate.outcome.turn)).collect();
                by_sample = Some(std::mem::replace(&mut candidates, ordered));
            }
            let (completed, all) = self.deepen(&mut candidates, &cut, iteration, budget, observer.as_mut(), report);
            if depth == 2 {
                width.completed = completed;
                width.abandoned = begun - completed;
                width.fell_back = completed == 0;
            }
            if !all {
                if let Some(by_sample) = by_sample.filter(|_| completed < begun) {
                    // The same rolls for all tell more than all rolls for some.
                    candidates = by_sample;
                    self.report_lines((depth - 1, depth), &candidates, task.multi_pv, budget.nodes(), report);
                }
                break;
            }
            if let Some(observer) = &mut observer {
                let seen = observer.end(&candidates, budget.nodes());
                if depth < last && budget.is_enough(&seen) {
                    break;
                }
            }
        }
        if width.selected > 1 && last > 1 {
            report(Event::Width(width));
        }
        candidates.first().map_or(Turn::PASS, |best| best.outcome.turn)
    }

    /// Searches the candidates one iteration deeper, and those of the candidates cut before that come back. If some are
    /// completed, only those stay in the candidates, the best first: a candidate cut half-way is never compared with
    /// complete ones. Returns how many, and whether that is all.
    fn deepen<S: StopCheck + Sync>(
        &mut self,
        candidates: &mut Vec<Candidate>,
        cut: &[Candidate],
        deeper: Deeper<'_>,
        budget: &SearchBudget<'_, S>,
        mut observer: Option<&mut Observer>,
        report: &mut Reporter<'_>,
    ) -> (usize, bool) {
        let Self { settings, workers, table, .. } = self;
        let Deeper { depth, last, multi_pv, sample } = deeper;
        // A depth by a sample is not one looked ahead in full.
        let depths = (if sample.is_some() { depth - 1 } else { depth }, depth);
        let exhaustive = settings.root_blend > 0 || !settings.techniques.probing;
        let filters = settings.techniques.filters;
        // The last iteration has nothing to choose for a next one. How far close ones have moved tells what comes back.
        let margin = match () {
            () if exhaustive => f64::INFINITY,
            // The choice is all that stays of it.
            () if sample.is_some() => 0.0,
            () if depth < last || !cut.is_empty() => filters.threshold,
            () => 0.0,
        };
        let iteration = Iteration { depth, wanted: multi_pv.max(1), margin, sample };
        let mut best = f64::NEG_INFINITY;
        let mut next_report = budget.nodes() + NODES_BETWEEN_REPORTS;
        if let Some(observer) = &mut observer {
            observer.begin(candidates, budget.nodes());
            observer.join(cut);
        }
        let mut found = |candidate: Candidate, number: usize, of: usize, known: Entry| {
            let candidate = settled(candidate, known, settings.root_blend);
            if let Some(observer) = observer.as_deref_mut() {
                let seen = observer.candidate(&candidate, budget.nodes());
                // If it is enough the signal is raised, and all threads see that. What is complete with the last
                // candidate is judged below.
                if number + 1 < of {
                    budget.is_enough(&seen);
                }
            }
            let (turn, nodes) = (Some(candidate.outcome.turn), budget.nodes());
            if candidate.exact && candidate.value.value() > best {
                best = candidate.value.value();
                let score = Score::of(&candidate.outcome.position, candidate.value);
                let hashfull = table.as_ref().map(|table| table.hashfull());
                let (depth, seldepth) = depths;
                report(Event::Info(Info { depth, seldepth, multipv: 1, score, nodes, hashfull, turn }));
            } else if nodes >= next_report {
                report(Event::Current { depth, turn: candidate.outcome.turn, number: number + 1, nodes });
            } else {
                return;
            }
            next_report = nodes + NODES_BETWEEN_REPORTS;
        };
        let settle = |candidates: &[Candidate], results: Vec<Option<Entry>>| -> Vec<Candidate> {
            let both = candidates.iter().zip(results);
            both.filter_map(|(&candidate, known)| Some(settled(candidate, known?, settings.root_blend))).collect()
        };
        let stayed = candidates.len();
        let mut tell = |number: usize, known| found(candidates[number], number, stayed, known);
        let results = search_all(workers, candidates, iteration, &[], budget, &mut tell);
        let mut complete = settle(candidates, results);
        let mut begun = stayed;
        if complete.len() == stayed && !cut.is_empty() {
            let value = |candidate: &Candidate| candidate.value.value();
            let now = |candidate: &Candidate| candidate.exact.then(|| value(candidate));
            let moved: Vec<_> = candidates.iter().zip(&complete).map(|(old, new)| (value(old), now(new))).collect();
            let before: Vec<f64> = cut.iter().map(value).collect();
            let back = &cut[..readmitted(&before, &moved, iteration.wanted, filters.threshold)];
            begun += back.len();
            let rivals: Vec<f64> = complete.iter().filter_map(now).collect();
            let mut tell = |number: usize, known| found(back[number], stayed + number, begun, known);
            let results = search_all(workers, back, iteration, &rivals, budget, &mut tell);
            complete.extend(settle(back, results));
        }
        if complete.is_empty() {
            return (0, false);
        }
        complete.sort_by(best_first);
        *candidates = complete;
        self.report_lines(depths, candidates, multi_pv, budget.nodes(), report);
        (candidates.len(), candidates.len() == begun)
    }

    /// Reports the best candidates; `depths` are the depth looked ahead in full, and the most anywhere.
    fn report_lines(
        &self,
        (depth, seldepth): (u32, u32),
        candidates: &[Candidate],
        multi_pv: usize,
        nodes: u64,
        report: &mut Reporter<'_>,
    ) {
        let hashfull = self.table.as_ref().map(|table| table.hashfull());
        let exact = candidates.iter().filter(|candidate| candidate.exact);
        for (multipv, candidate) in (1..).zip(exact.take(multi_pv.max(1))) {
            let score = Score::of(&candidate.outcome.position, candidate.value);
            let turn = Some(candidate.outcome.turn);
            report(Event::Info(Info { depth, seldepth, multipv, score, nodes, hashfull, turn }));
        }
    }
}

/// The candidate with what became known of its position; `blend` percent of the pre-ranker's value are mixed in. A
/// candidate that loses the king on some roll is not lifted by that.
fn settled(candidate: Candidate, known: Entry, blend: u32) -> Candidate {
    let searched = Equity::new(-known.value);
    let share = f64::from(blend.min(100)) / 100.0;
    let blended = Equity::new((1.0 - share) * searched.value() + share * candidate.rank.value());
    let value = if blend == 0 || (known.can_capture && blended > searched) { searched } else { blended };
    Candidate { value, exact: known.exact, ..candidate }
}

#[cfg(test)]
mod tests;
