//! Each of the 56 rolls by itself: what `expectimax` would answer to it.

use super::{Expectimax, Plan, settled};
use crate::board::{Position, Rolled};
use crate::eval::{Equity, Score};
use crate::rules::{Outcome, Roll, Turn, TurnEnd, apply_roll};
use crate::search::budget::SearchBudget;
use crate::search::candidates::Candidate;
use crate::search::crew::share;
use crate::search::root_moves::{Root, candidates};
use crate::search::{Event, Info, Reporter, RollInfo, Task, Width};
use crate::time::StopCheck;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

impl Expectimax {
    /// Searches all rolls to depth 1, 2 … `depth`, and reports each depth when it is complete.
    pub(super) fn each_roll<S: StopCheck + Sync>(
        &mut self,
        position: &Position,
        depth: u32,
        budget: &SearchBudget<'_, S>,
        report: &mut Reporter<'_>,
    ) {
        // A searcher for each thread, with a common table: every roll is searched as by one thread.
        let alone = |worker| Self {
            settings: self.settings,
            network: self.network.clone(),
            table: self.table.clone(),
            workers: vec![worker],
            notes: Vec::new(),
        };
        let mut searchers: Vec<Self> = self.workers.drain(..).map(alone).collect();
        for depth in 1..=depth {
            let Some(lines) = all_rolls(&mut searchers, position, depth, budget) else { break };
            let weighted = lines.iter().map(|line| f64::from(line.roll.weight()) * line.score.equity().value());
            let mean = weighted.sum::<f64>() / f64::from(Roll::TOTAL_WEIGHT);
            lines.into_iter().for_each(|line| report(Event::Roll(line)));
            let (score, nodes) = (Score::of(position, Equity::new(mean)), budget.nodes());
            let hashfull = self.table.as_ref().map(|table| table.hashfull());
            report(Event::Info(Info { depth, seldepth: depth, multipv: 1, score, nodes, hashfull, turn: None }));
        }
        self.workers = searchers.into_iter().flat_map(|searcher| searcher.workers).collect();
    }

    /// The decision of one roll; `None` if the budget is spent before it has reached its depth.
    fn one_roll<S: StopCheck + Sync>(
        &mut self,
        position: &Position,
        roll: Roll,
        depth: u32,
        budget: &SearchBudget<'_, S>,
    ) -> Option<RollInfo> {
        if budget.is_spent() {
            return None;
        }
        let task = Task::new(Rolled { position: *position, dice: roll.dice() });
        let outcomes = match candidates(&task, || !budget.is_spent()) {
            Root::KingCapture(turn) => return Some(RollInfo { roll, depth, score: Score::KingCapture, turn }),
            Root::Candidates { outcomes, .. } => outcomes,
            // There are dice, so it was too long a list for the time there is.
            Root::Only(_) => return None,
        };
        let mut best: Option<Info> = None;
        let mut keep = |event| {
            if let Event::Info(info) = event
                && info.multipv == 1
            {
                best = Some(info);
            }
        };
        let turn = self.decide(
            outcomes,
            Width::default(),
            &task,
            Plan { depth, sampled: false, only_turn: false },
            budget,
            &mut keep,
        );
        let best = best.filter(|best| best.turn == Some(turn) && !budget.is_spent())?;
        let score = if best.depth < depth { self.only_turn(&task.rolled, turn, depth, budget)? } else { best.score };
        Some(RollInfo { roll, depth, score, turn })
    }

    /// The value of a turn that had no rival left before its search reached `depth`: a decision is made by then, but
    /// here the value counts.
    fn only_turn<S: StopCheck>(
        &mut self,
        rolled: &Rolled,
        turn: Turn,
        depth: u32,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Score> {
        let Ok(TurnEnd::Position(position)) = apply_roll(rolled, turn) else { return None };
        let worker = self.workers.first_mut()?;
        let known = worker.search(&position, depth.saturating_sub(1), f64::INFINITY, budget)?;
        let rank = self.settings.pre_ranker.value_by(&self.network, &position);
        let outcome = Outcome { position, turn, ways: 1 };
        let candidate = Candidate { outcome, rank, value: rank, exact: true };
        Some(Score::of(&position, settled(candidate, known, self.settings.root_blend).value))
    }
}

/// All rolls, in dice order, shared out among the searchers; `None` if the budget is spent before.
fn all_rolls<S: StopCheck + Sync>(
    searchers: &mut [Expectimax],
    position: &Position,
    depth: u32,
    budget: &SearchBudget<'_, S>,
) -> Option<Vec<RollInfo>> {
    // The likelier rolls have three different dice and mostly take longer; the short ones at the end even out the
    // threads.
    let rolls: Vec<Roll> = Roll::by_weight().collect();
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = |searcher: &mut Expectimax| {
        let mut lines = Vec::new();
        while !stopped.load(Relaxed)
            && let Some(&roll) = rolls.get(next.fetch_add(1, Relaxed))
        {
            match searcher.one_roll(position, roll, depth, budget) {
                Some(line) => lines.push(line),
                None => stopped.store(true, Relaxed),
            }
        }
        lines
    };
    let (first, others) = searchers.split_first_mut()?;
    let (mut lines, theirs) = share(others, || work(first), work);
    // A thread that has panicked has no lines; the table is then not complete.
    lines.extend(theirs.into_iter().flatten().flatten());
    lines.sort_by_key(|line| line.roll);
    if lines.len() == Roll::COUNT { Some(lines) } else { None }
}
