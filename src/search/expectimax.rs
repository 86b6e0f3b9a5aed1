//! `expectimax`: the expected result over all rolls of the opponent and its best reply to each.
//!
//! One ply ranks the candidates by the evaluation alone; two plies add the 56 weighted rolls of the opponent. The best
//! completed candidate can be had at any time.

use super::root::{Root, candidates};
use super::{Bot, Budgeted, Event, Info, Limits, Reporter, Task};
use crate::board::Position;
use crate::eval::{Equity, Score, evaluate, evaluate_quietly, with_king_capture};
use crate::rules::{ChanceNode, Outcome, Roll, Turn, winning_rolls};
use crate::time::{Never, StopCheck, StopSignal};
use std::cmp::Ordering;

/// Two-ply expectimax over distinct outcomes.
#[derive(Clone, Debug, Default)]
pub struct Expectimax {
    node: ChanceNode,
    replies: Vec<Reply>,
}

/// The most turns it looks ahead.
const MOST_DEPTH: u32 = 2;

/// Positions evaluated between two reports of the candidate at hand.
const NODES_BETWEEN_REPORTS: u64 = 2_000_000;

/// A reply of the opponent: its position and what it is worth to the side to move there, but for the chance to capture
/// the king.
#[derive(Clone, Copy, Debug)]
struct Reply {
    quiet: Equity,
    position: Position,
}

impl Reply {
    fn new(position: Position) -> Self {
        let quiet =
            if position.is_drawn() { Equity::DRAWN } else { Equity::from_centipawns(evaluate_quietly(&position)) };
        Self { quiet, position }
    }

    fn equity(&self) -> Equity {
        if self.position.is_drawn() { Equity::DRAWN } else { with_king_capture(self.quiet, &self.position) }
    }
}

/// A turn to choose from and its value for the mover, by the deepest search it has had.
struct Candidate {
    outcome: Outcome,
    value: Equity,
}

/// How much has been done, and when to stop.
struct Effort<'a, S> {
    stop: &'a S,
    nodes: u64,
    node_limit: u64,
}

impl<S: StopCheck> Effort<'_, S> {
    fn is_spent(&self) -> bool {
        self.nodes >= self.node_limit || self.stop.should_stop()
    }
}

impl Expectimax {
    /// A bot with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    fn search<S: StopCheck>(&mut self, task: &Task, stop: &S, report: &mut Reporter<'_>) -> Turn {
        let effort = Effort { stop, nodes: 0, node_limit: task.limits.nodes.unwrap_or(u64::MAX) };
        if task.rolled.dice.is_empty() {
            self.analyse(&task.rolled.position, task.limits, effort, report);
            return Turn::PASS;
        }
        match candidates(task, || !stop.should_stop()) {
            Root::Only(turn) => turn,
            Root::KingCapture(turn) => {
                let info =
                    Info { depth: 1, seldepth: 1, multipv: 1, score: Score::KingCapture, nodes: 0, turn: Some(turn) };
                report(Event::Info(info));
                turn
            }
            Root::Candidates(outcomes) => self.decide(outcomes, task, effort, report),
        }
    }

    /// Analyses a position before its roll.
    fn analyse<S: StopCheck>(
        &mut self,
        position: &Position,
        limits: Limits,
        mut effort: Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) {
        let depth = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let mut info = |depth, equity, nodes| {
            let score = Score::Equity(equity);
            report(Event::Info(Info { depth, seldepth: depth, multipv: 1, score, nodes, turn: None }));
        };
        effort.nodes += 1;
        info(1, evaluate(position), effort.nodes);
        if depth > 1
            && let Some(equity) = self.chance_value(position, &mut effort)
        {
            info(2, equity, effort.nodes);
        }
    }

    fn decide<S: StopCheck>(
        &mut self,
        outcomes: Vec<Outcome>,
        task: &Task,
        mut effort: Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) -> Turn {
        let mut ranked = rank(outcomes, &mut effort);
        report_lines(1, &ranked, task.multi_pv, effort.nodes, report);
        let depth = task.limits.depth.unwrap_or(MOST_DEPTH);
        if depth > 1 && ranked.len() > 1 {
            let completed = self.deepen(&mut ranked, &mut effort, report);
            if completed > 0 {
                ranked.truncate(completed);
                ranked.sort_by(best_first);
                report_lines(2, &ranked, task.multi_pv, effort.nodes, report);
            }
        }
        ranked.first().map_or(Turn::PASS, |best| best.outcome.turn)
    }

    /// Searches candidates in order to two plies, as long as it may. Returns how many are complete: a candidate cut
    /// half-way is not counted, and keeps the value it had.
    fn deepen<S: StopCheck>(
        &mut self,
        ranked: &mut [Candidate],
        effort: &mut Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) -> usize {
        let mut best: Option<Equity> = None;
        let mut next_report = NODES_BETWEEN_REPORTS;
        for (number, candidate) in ranked.iter_mut().enumerate() {
            let turn = candidate.outcome.turn;
            if effort.nodes >= next_report {
                next_report = effort.nodes + NODES_BETWEEN_REPORTS;
                report(Event::Current { depth: 2, turn, number: number + 1, nodes: effort.nodes });
            }
            if effort.is_spent() {
                return number;
            }
            candidate.value = if candidate.outcome.position.is_drawn() {
                Equity::DRAWN
            } else {
                match self.chance_value(&candidate.outcome.position, effort) {
                    Some(equity) => -equity,
                    None => return number,
                }
            };
            if best.is_none_or(|best| candidate.value > best) {
                best = Some(candidate.value);
                let score = Score::Equity(candidate.value);
                let nodes = effort.nodes;
                report(Event::Info(Info { depth: 2, seldepth: 2, multipv: 1, score, nodes, turn: Some(turn) }));
            }
        }
        ranked.len()
    }

    /// The equity of the side to move before its roll: for each roll its best reply, by the evaluation. `None` if the
    /// effort is spent before all rolls are done.
    fn chance_value<S: StopCheck>(&mut self, position: &Position, effort: &mut Effort<'_, S>) -> Option<Equity> {
        let won = winning_rolls(position);
        let mut sum = f64::from(won.weight());
        if !self.node.expand_while(position, won.complement(), || !effort.is_spent()) {
            return None;
        }
        for roll in Roll::all().filter(|&roll| !won.has(roll)) {
            sum += f64::from(roll.weight()) * self.best_reply(roll, effort)?.value();
        }
        Some(Equity::new(sum / f64::from(Roll::TOTAL_WEIGHT)))
    }

    /// What the roll is worth to the side that rolled it.
    fn best_reply<S: StopCheck>(&mut self, roll: Roll, effort: &mut Effort<'_, S>) -> Option<Equity> {
        let Self { node, replies, .. } = self;
        if effort.is_spent() {
            return None;
        }
        replies.clear();
        let complete = node.visit_while(roll, |leaf| {
            replies.push(Reply::new(leaf.position()));
            replies.len() % REPLIES_BETWEEN_POLLS != 0 || !effort.is_spent()
        });
        if !complete {
            return None;
        }
        if replies.is_empty() {
            replies.extend(node.passed().map(Reply::new));
        }
        effort.nodes += replies.len() as u64;
        worst_for_the_other(replies, effort).map(|equity| -equity)
    }
}

/// Replies generated between two polls of the stop signal: some microseconds of work.
const REPLIES_BETWEEN_POLLS: usize = 64;

/// Exact evaluations between two polls: likewise.
const EVALUATIONS_BETWEEN_POLLS: usize = 8;

/// The smallest equity among positions where the other side is to roll. The chance to capture the king only adds to
/// the quiet part, so it is looked up in order of that part, and only as long as it can matter.
fn worst_for_the_other<S: StopCheck>(replies: &mut Vec<Reply>, effort: &Effort<'_, S>) -> Option<Equity> {
    let first = replies.iter().min_by(|a, b| compare(a.quiet, b.quiet))?;
    let mut worst = first.equity();
    replies.retain(|reply| reply.quiet < worst);
    replies.sort_by(|a, b| compare(a.quiet, b.quiet));
    for (number, reply) in replies.iter().enumerate() {
        if reply.quiet >= worst {
            break;
        }
        if number % EVALUATIONS_BETWEEN_POLLS == 0 && effort.is_spent() {
            return None;
        }
        let equity = reply.equity();
        if equity < worst {
            worst = equity;
        }
    }
    Some(worst)
}

/// Equities are never NaN, so they have an order.
fn compare(a: Equity, b: Equity) -> Ordering {
    a.value().total_cmp(&b.value())
}

/// The best value first; equal ones in the order of their turns, so that nothing depends on how they were found.
fn best_first(a: &Candidate, b: &Candidate) -> Ordering {
    compare(b.value, a.value).then_with(|| a.outcome.turn.cmp(&b.outcome.turn))
}

/// Ranks outcomes by the evaluation. If the effort is spent on the way, those that it reached come first, ranked, and
/// the rest follow by the quiet part of the evaluation.
fn rank<S: StopCheck>(outcomes: Vec<Outcome>, effort: &mut Effort<'_, S>) -> Vec<Candidate> {
    let mut ranked: Vec<Candidate> =
        outcomes.into_iter().map(|outcome| Candidate { value: -Reply::new(outcome.position).quiet, outcome }).collect();
    ranked.sort_by(best_first);
    let mut done = 0;
    for candidate in &mut ranked {
        if effort.is_spent() {
            break;
        }
        candidate.value = -Reply::new(candidate.outcome.position).equity();
        effort.nodes += 1;
        done += 1;
    }
    ranked[..done].sort_by(best_first);
    ranked
}

fn report_lines(depth: u32, ranked: &[Candidate], multi_pv: usize, nodes: u64, report: &mut Reporter<'_>) {
    for (multipv, candidate) in (1..).zip(ranked.iter().take(multi_pv.max(1))) {
        let score = Score::Equity(candidate.value);
        let turn = Some(candidate.outcome.turn);
        report(Event::Info(Info { depth, seldepth: depth, multipv, score, nodes, turn }));
    }
}

impl Bot for Expectimax {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        self.search(task, &Never, report)
    }

    fn budgeted(&mut self) -> Option<&mut dyn Budgeted> {
        Some(self)
    }
}

impl Budgeted for Expectimax {
    fn choose_within(&mut self, task: &Task, stop: &StopSignal, report: &mut Reporter<'_>) -> Turn {
        self.search(task, stop, report)
    }
}
