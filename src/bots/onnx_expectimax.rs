//! `onnx-expectimax`: expectimax whose leaves a model evaluates.

use super::BudgetedBot;
use super::model_slot::ModelSlot;
use crate::eval::EvalOutput;
use crate::rules::Turn;
use crate::search::{Expectimax, ExpectimaxSettings, Reporter, Task};
use crate::time::{Never, StopCheck, StopSignal};
use std::path::Path;

/// [`Expectimax`] over a model; with the leaf evaluation of its settings while there is no model that works.
pub struct OnnxExpectimax {
    settings: ExpectimaxSettings,
    slot: ModelSlot,
    inner: Expectimax,
}

impl OnnxExpectimax {
    /// A bot with these settings and the model of that file, which is loaded here. What became of that is reported
    /// with the first search.
    pub fn new(settings: ExpectimaxSettings, file: Option<&Path>, output: EvalOutput) -> Self {
        let (slot, model) = ModelSlot::open(file, output);
        let inner = match model {
            Some(model) => Expectimax::with_evaluator(settings, &model),
            None => Expectimax::new(settings),
        };
        Self { settings, slot, inner }
    }

    fn search<S: StopCheck + Sync>(&mut self, task: &Task, stop: &S, timed: bool, report: &mut Reporter<'_>) -> Turn {
        self.slot.announce(report);
        if let Some(watched) = self.slot.watch(stop) {
            let turn = self.inner.search(task, &watched, timed, report);
            if !self.slot.has_failed(report) {
                return turn;
            }
            // Values of the model and the built-in ones do not compare, so the search begins anew.
            self.inner = Expectimax::new(self.settings);
        }
        self.inner.search(task, stop, timed, report)
    }
}

impl BudgetedBot for OnnxExpectimax {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match stop {
            Some(stop) => self.search(task, stop, stop.deadline().is_some(), report),
            None => self.search(task, &Never, false, report),
        }
    }

    fn new_game(&mut self) {
        self.inner.forget();
    }
}
