//! What the bots over a model share: the model, and the built-in evaluation in its place when there is none or when it
//! fails.

use crate::eval::{EvalOutput, ModelFailure, OnnxModel};
use crate::search::{Event, Reporter};
use crate::time::{SearchStats, StopCheck};
use std::path::{Path, PathBuf};

/// The model that was asked for, and what remains to be said about it.
pub(super) struct ModelSlot {
    /// The file of the model in use, and whether it has failed; `None` if there is none in use.
    in_use: Option<(PathBuf, ModelFailure)>,
    /// A remark for the next report: which model it is, or why there is none.
    remark: Option<String>,
}

/// Asks to stop when the signal does, and when the model has failed: what comes after that is worth nothing.
pub(super) struct UnlessFailed<'a, S> {
    stop: &'a S,
    failure: ModelFailure,
}

impl ModelSlot {
    /// Loads the model of that file. Without one, or if it does not load, the caller has to evaluate by itself.
    pub(super) fn open(file: Option<&Path>, output: EvalOutput) -> (Self, Option<OnnxModel>) {
        let Some(file) = file else {
            let remark = "error model: no EvalFile is set; the built-in evaluation plays".to_owned();
            return (Self { in_use: None, remark: Some(remark) }, None);
        };
        match OnnxModel::load(file, output) {
            Ok(model) => {
                let (inputs, output) = (model.features().id(), model.output().id());
                let remark = format!("model inputs {inputs} output {output} file {}", file.display());
                (Self { in_use: Some((file.to_owned(), model.failure())), remark: Some(remark) }, Some(model))
            }
            Err(error) => {
                let remark = format!("error model {}: {error}; the built-in evaluation plays", file.display());
                (Self { in_use: None, remark: Some(remark) }, None)
            }
        }
    }

    /// Reports, once, which model there is.
    pub(super) fn announce(&mut self, report: &mut Reporter<'_>) {
        if let Some(remark) = self.remark.take() {
            report(Event::Note(remark));
        }
    }

    /// The stop check of a search that believes the model; `None` if there is no model to believe.
    pub(super) fn watch<'a, S: StopCheck>(&self, stop: &'a S) -> Option<UnlessFailed<'a, S>> {
        self.in_use.as_ref().map(|(_, failure)| UnlessFailed { stop, failure: failure.clone() })
    }

    /// Whether the model has failed: then this is reported, the model is given up for good, and what was searched with
    /// it is void.
    pub(super) fn has_failed(&mut self, report: &mut Reporter<'_>) -> bool {
        let Some((file, error)) = self.in_use.as_ref().and_then(|(file, failure)| Some((file, failure.get()?))) else {
            return false;
        };
        report(Event::Note(format!("error model {}: {error}; the built-in evaluation plays on", file.display())));
        self.in_use = None;
        true
    }
}

impl<S: StopCheck> StopCheck for UnlessFailed<'_, S> {
    const LISTENS: bool = S::LISTENS;

    #[inline]
    fn should_stop(&self) -> bool {
        self.failure.get().is_some() || self.stop.should_stop()
    }

    fn is_enough(&self, seen: &SearchStats) -> bool {
        self.stop.is_enough(seen)
    }
}
