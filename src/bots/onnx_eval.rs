//! `onnx-eval`: one ply over a model, in batches.

use super::BudgetedBot;
use super::model_slot::ModelSlot;
use crate::board::Position;
use crate::eval::{BuiltinEvaluator, Equity, EvalOutput, Evaluator, Score, evaluate_quietly, with_king_capture};
use crate::rules::{Outcome, Turn};
use crate::search::{Event, Info, Reporter, SearchBudget, Task, Width, candidates_or_answer};
use crate::time::{Checkpoint, Never, SearchStats, StopCheck, StopSignal};
use std::path::Path;
use std::sync::atomic::AtomicU64;

/// Captures the king if it can; else plays the turn to the position that the model likes best for it. The built-in
/// evaluation takes the place of a model that is missing or fails.
pub struct OnnxEval {
    slot: ModelSlot,
    evaluator: Box<dyn Evaluator>,
}

/// Positions evaluated between two polls of the stop signal.
const BATCH: usize = 32;

impl OnnxEval {
    /// A bot with the model of that file, which is loaded here. What became of that is reported with the first search.
    pub fn new(file: Option<&Path>, output: EvalOutput) -> Self {
        let (slot, model) = ModelSlot::open(file, output);
        let evaluator: Box<dyn Evaluator> = match model {
            Some(model) => Box::new(model),
            None => BuiltinEvaluator::Network.evaluator(),
        };
        Self { slot, evaluator }
    }

    fn search<S: StopCheck>(&mut self, task: &Task, stop: &S, report: &mut Reporter<'_>) -> Turn {
        self.slot.announce(report);
        if task.rolled.dice.is_empty() {
            self.analyse(&task.rolled.position, report);
            return Turn::PASS;
        }
        match candidates_or_answer(task, || !stop.should_stop(), report) {
            Err(turn) => turn,
            Ok((outcomes, turns)) => self.decide(outcomes, turns, task, stop, report),
        }
    }

    /// Values a position before its roll.
    fn analyse(&mut self, position: &Position, report: &mut Reporter<'_>) {
        let mut values = self.values(std::slice::from_ref(position));
        if self.has_failed(report) {
            values = self.values(std::slice::from_ref(position));
        }
        if let Some(&equity) = values.first() {
            let score = Score::of(position, equity);
            report(Event::Info(Info {
                depth: 1,
                seldepth: 1,
                multipv: 1,
                score,
                nodes: 1,
                hashfull: None,
                turn: None,
            }));
        }
    }

    fn decide<S: StopCheck>(
        &mut self,
        mut outcomes: Vec<Outcome>,
        turns: u64,
        task: &Task,
        stop: &S,
        report: &mut Reporter<'_>,
    ) -> Turn {
        // The likely ones first, in case that there is no time for all.
        outcomes.sort_by_cached_key(|outcome| (evaluate_quietly(&outcome.position), outcome.turn));
        let mut nodes = AtomicU64::new(0);
        let mut ranked = self.evaluate_all(&outcomes, SearchBudget::new(stop, &nodes, task.limits.nodes));
        if self.has_failed(report) {
            nodes = AtomicU64::new(0);
            ranked = self.evaluate_all(&outcomes, SearchBudget::new(stop, &nodes, task.limits.nodes));
        }
        let nodes = nodes.into_inner();
        let completed = ranked.len();
        ranked.sort_by(|a, b| b.0.value().total_cmp(&a.0.value()).then_with(|| a.1.cmp(&b.1)));
        for (multipv, &(equity, turn)) in (1..).zip(ranked.iter().take(task.multi_pv.max(1))) {
            let leads_to = outcomes.iter().find(|outcome| outcome.turn == turn);
            let score = leads_to.map_or(Score::Equity(equity), |outcome| Score::of(&outcome.position, equity));
            report(Event::Info(Info {
                depth: 1,
                seldepth: 1,
                multipv,
                score,
                nodes,
                hashfull: None,
                turn: Some(turn),
            }));
        }
        let selected = outcomes.len();
        let abandoned = selected - completed;
        let fell_back = completed == 0;
        report(Event::Width(Width { turns, outcomes: selected, selected, completed, abandoned, fell_back }));
        let quiet = outcomes.first().map(|outcome| outcome.turn);
        ranked.first().map(|&(_, turn)| turn).or(quiet).unwrap_or(Turn::PASS)
    }

    /// The values to the mover of as many outcomes as there is time for, in whole batches.
    fn evaluate_all<S: StopCheck>(&mut self, outcomes: &[Outcome], budget: SearchBudget<'_, S>) -> Vec<(Equity, Turn)> {
        let mut ranked = Vec::with_capacity(outcomes.len());
        let mut positions = Vec::with_capacity(BATCH);
        for batch in outcomes.chunks(BATCH) {
            if budget.is_spent() {
                break;
            }
            positions.clear();
            positions.extend(batch.iter().map(|outcome| outcome.position));
            let values = self.values(&positions);
            budget.add(batch.len() as u64);
            ranked.extend(values.iter().zip(batch).map(|(&value, outcome)| (-value, outcome.turn)));
            if budget.is_enough(&SearchStats { checkpoint: Checkpoint::Candidate, ..SearchStats::default() }) {
                break;
            }
        }
        ranked
    }

    /// The values of positions to their side to move, draws included.
    fn values(&mut self, positions: &[Position]) -> Vec<Equity> {
        let mut values = Vec::with_capacity(positions.len());
        self.evaluator.evaluate(positions, &mut values);
        for (value, position) in values.iter_mut().zip(positions) {
            if position.is_drawn() {
                *value = Equity::DRAWN;
            } else if self.evaluator.lacks_king_capture() {
                *value = with_king_capture(*value, position);
            }
        }
        values
    }

    /// Whether the model has failed; the built-in evaluation has taken its place then, and values so far are void.
    fn has_failed(&mut self, report: &mut Reporter<'_>) -> bool {
        let failed = self.slot.has_failed(report);
        if failed {
            self.evaluator = BuiltinEvaluator::Network.evaluator();
        }
        failed
    }
}

impl BudgetedBot for OnnxEval {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match stop {
            Some(stop) => self.search(task, stop, report),
            None => self.search(task, &Never, report),
        }
    }
}
