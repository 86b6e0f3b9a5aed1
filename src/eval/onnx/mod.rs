//! Positions valued by an ONNX model.
//!
//! A model takes one of the kinds of input of [`FeatureSet`], told by its width, and says for each position how likely
//! the side to move is to win, or how many centipawns it is ahead. What runs it stands behind `Runtime`, which a build without the cargo feature `onnx`
//! lacks; loading any model is an error then, and everything else is the same. A model's values are the only ones
//! here that are not bit for bit the same on every machine: its runtime uses what instructions the processor has.
//!
//! A file is not believed. It is read and checked before the runtime sees it, and a panic of the runtime is an error of
//! the model like any other.

#[cfg(feature = "onnx")]
mod check;
#[cfg(feature = "onnx")]
mod files;
#[cfg(feature = "onnx")]
mod guard;
#[cfg(all(test, feature = "onnx"))]
mod hostile;
#[cfg(feature = "onnx")]
mod layout;
#[cfg(feature = "onnx")]
mod proto;
#[cfg(not(feature = "onnx"))]
#[path = "absent.rs"]
mod runtime;
#[cfg(feature = "onnx")]
#[path = "rten.rs"]
mod runtime;
#[cfg(feature = "onnx")]
mod shapes;
#[cfg(feature = "onnx")]
mod tensor;
#[cfg(feature = "onnx")]
mod windows;
#[cfg(feature = "onnx")]
mod wire;

use super::{Equity, Evaluator, FeatureSet};
use crate::board::{Position, Rolled};
use runtime::Runtime;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// The most positions that go through a model at once.
const BATCH: usize = 32;

/// What a model is tried on when it is loaded: the starting position, and without a queen from either side, so that a
/// logit does not pass for a probability. Several rows also show an output of the wrong shape.
const TRIALS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
    "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
    "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1 -",
];

/// A probability may miss 0..=1 by this much, for the sake of rounding.
const ROUNDING: f32 = 1e-4;

/// What a model's output means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EvalOutput {
    /// The probability that the side to move wins, 0..=1.
    #[default]
    Probability,
    /// The logarithm of the odds: the probability before a sigmoid.
    Logit,
    /// What the position is worth in centipawns as built-in evaluations count them, without the chance to capture the king
    /// with the next roll, which is added as it is to those.
    Centipawns,
}

/// Why a model cannot be used, or no longer.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum ModelError {
    /// The runtime was left out.
    #[error("this build runs no models (cargo feature 'onnx')")]
    NotBuilt,
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    File(String),
    /// Not a model that the runtime understands, or one that could ask for too much memory or time.
    #[error("no usable ONNX model: {0}")]
    Model(String),
    /// It wants more or other than one input of numbers.
    #[error("the model must have one input of 32-bit floats and one such output; {0}")]
    Signature(String),
    /// The input has a shape that no kind of input has.
    #[error(
        "the model's input has the shape {0}; [batch, 7], [batch, 9], [batch, 13], [batch, 768] and [batch, 769] are known"
    )]
    Shape(String),
    /// It answered with more or fewer values than it was asked for.
    #[error("the model gave {given} values for {asked} positions")]
    Count {
        /// Values that came.
        given: usize,
        /// Positions that went in.
        asked: usize,
    },
    /// It answered with NaN or an infinity.
    #[error("the model gave the value {0}")]
    NotFinite(f32),
    /// The output is said to be a probability and is none.
    #[error("the model gave {0}, which is no probability (is EvalOutput logit?)")]
    NotProbability(f32),
    /// The runtime failed.
    #[error("the model failed: {0}")]
    Run(String),
}

/// Tells whether a model has failed since it was loaded. Clones tell of the same model.
#[derive(Clone, Debug, Default)]
pub struct ModelFailure(Arc<OnceLock<ModelError>>);

/// A loaded model.
///
/// As an [`Evaluator`] it has no way to fail: from its first error on all values are draws. Whoever uses it so has to ask
/// [`OnnxModel::failure`] before it believes them.
pub struct OnnxModel {
    runtime: Runtime,
    features: FeatureSet,
    output: EvalOutput,
    failure: ModelFailure,
    rows: Vec<f32>,
    raw: Vec<f32>,
}

impl EvalOutput {
    /// The equity that an output stands for.
    fn equity(self, raw: f32) -> Result<Equity, ModelError> {
        if !raw.is_finite() {
            return Err(ModelError::NotFinite(raw));
        }
        match self {
            Self::Probability if !(-ROUNDING..=1.0 + ROUNDING).contains(&raw) => Err(ModelError::NotProbability(raw)),
            Self::Probability => Ok(Equity::new(2.0 * f64::from(raw) - 1.0)),
            // Twice the sigmoid of x less one is the hyperbolic tangent of x/2.
            Self::Logit => Ok(Equity::new((f64::from(raw) / 2.0).tanh())),
            Self::Centipawns => Ok(Equity::from_part_centipawns(f64::from(raw))),
        }
    }
}

ids! {
    EvalOutput, UnknownEvalOutput, "meaning of an output":
    Probability = "probability",
    Logit = "logit",
    Centipawns = "centipawns",
}

impl ModelFailure {
    /// The error, if there has been one.
    #[inline]
    pub fn get(&self) -> Option<&ModelError> {
        self.0.get()
    }

    fn set(&self, error: ModelError) {
        // Only the first one counts.
        let _ = self.0.set(error);
    }
}

impl OnnxModel {
    /// Loads a model and tries it on a few positions.
    ///
    /// # Errors
    /// The file is missing or no ONNX model, the model has not the inputs and outputs that are asked for, it could need
    /// more memory or time than an evaluation may, or what it says of those positions is not an `output`.
    pub fn load(path: &Path, output: EvalOutput) -> Result<Self, ModelError> {
        Self::tried(Runtime::load(path)?, output)
    }

    /// Loads a model from memory as [`OnnxModel::load`] does from a file. Its weights must be in it.
    ///
    /// # Errors
    /// As for a file.
    pub fn from_bytes(bytes: Vec<u8>, output: EvalOutput) -> Result<Self, ModelError> {
        Self::tried(Runtime::from_bytes(bytes)?, output)
    }

    /// The model, if it works.
    fn tried(runtime: Runtime, output: EvalOutput) -> Result<Self, ModelError> {
        let width = runtime.width();
        let features = FeatureSet::of_width(width).ok_or_else(|| ModelError::Shape(format!("[batch, {width}]")))?;
        let (failure, rows, raw) = (ModelFailure::default(), Vec::new(), Vec::new());
        let mut model = Self { runtime, features, output, failure, rows, raw };
        // They are sound: a test reads them.
        let trials: Vec<Position> =
            TRIALS.iter().filter_map(|dfen| Rolled::from_dfen(dfen).ok()).map(|rolled| rolled.position).collect();
        model.try_evaluate(&trials, &mut Vec::new())?;
        Ok(model)
    }

    /// The inputs that it takes.
    pub const fn features(&self) -> FeatureSet {
        self.features
    }

    /// What its output means.
    pub const fn output(&self) -> EvalOutput {
        self.output
    }

    /// Tells whether it has failed as an [`Evaluator`].
    pub fn failure(&self) -> ModelFailure {
        self.failure.clone()
    }

    /// The raw outputs, finite or not, for rows of inputs one after the other, each as wide as
    /// [`OnnxModel::features`] says; an incomplete row at the end is left out. A row's output does not depend on the
    /// rows beside it.
    ///
    /// # Errors
    /// The runtime failed, or the number of outputs is wrong.
    pub fn run(&mut self, rows: &[f32]) -> Result<&[f32], ModelError> {
        self.raw.clear();
        let width = self.features.width();
        let whole = rows.len() - rows.len() % width;
        for batch in rows[..whole].chunks(BATCH * width) {
            self.runtime.run(batch, &mut self.raw)?;
        }
        Ok(&self.raw)
    }

    /// Appends the value of each position to its side to move, in order; that of centipawns lacks the chance to capture the
    /// king.
    ///
    /// # Errors
    /// The runtime failed, or an output is not what it should be; nothing has been appended then.
    pub fn try_evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) -> Result<(), ModelError> {
        let before = values.len();
        let mut rows = std::mem::take(&mut self.rows);
        rows.clear();
        positions.iter().for_each(|position| self.features.append(position, &mut rows));
        let output = self.output;
        let result = self.run(&rows).and_then(|raw| {
            for &raw in raw {
                values.push(output.equity(raw)?);
            }
            Ok(())
        });
        self.rows = rows;
        if result.is_err() {
            values.truncate(before);
        }
        result
    }
}

impl Evaluator for OnnxModel {
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) {
        if self.failure.get().is_none()
            && let Err(error) = self.try_evaluate(positions, values)
        {
            self.failure.set(error);
        }
        if self.failure.get().is_some() {
            values.extend(positions.iter().map(|_| Equity::DRAWN));
        }
    }

    /// What a model says of the chance to win stands for itself: it has learned, or is told, what captures are in the air.
    fn lacks_king_capture(&self) -> bool {
        self.output == EvalOutput::Centipawns
    }

    /// Has its own buffers and shares the weights, and whether the model has failed.
    fn for_another_thread(&self) -> Box<dyn Evaluator> {
        Box::new(Self {
            runtime: self.runtime.for_another_thread(),
            features: self.features,
            output: self.output,
            failure: self.failure.clone(),
            rows: Vec::new(),
            raw: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trials_are_sound() {
        for dfen in TRIALS {
            assert_eq!(Rolled::from_dfen(dfen).map(|rolled| rolled.to_string()).as_deref(), Ok(dfen));
        }
    }

    #[test]
    fn outputs_become_equities() {
        let value = |output: EvalOutput, raw| output.equity(raw).map(Equity::value);
        assert_eq!(value(EvalOutput::Probability, 0.75), Ok(0.5));
        assert_eq!(value(EvalOutput::Probability, 1.00001), Ok(1.0));
        assert_eq!(value(EvalOutput::Probability, -0.5), Err(ModelError::NotProbability(-0.5)));
        assert_eq!(value(EvalOutput::Logit, 0.0), Ok(0.0));
        // 1 / (1 + 1/3) = 3/4.
        assert!(value(EvalOutput::Logit, 3f32.ln()).is_ok_and(|value| (value - 0.5).abs() < 1e-7));
        assert_eq!(value(EvalOutput::Logit, -1000.0), Ok(-1.0));
        for centipawns in [-5000, -17, 0, 1, 900] {
            let expected = Equity::from_centipawns(centipawns).value();
            assert_eq!(value(EvalOutput::Centipawns, centipawns as f32), Ok(expected));
        }
        assert!(value(EvalOutput::Centipawns, 0.5).is_ok_and(|value| value > 0.0 && value < 0.001));
        assert!(value(EvalOutput::Centipawns, f32::MIN).is_ok_and(|value| (-1.0..-0.99).contains(&value)));
        for output in EvalOutput::ALL {
            assert_eq!(value(output, f32::INFINITY), Err(ModelError::NotFinite(f32::INFINITY)));
            assert!(value(output, f32::NAN).is_err());
        }
    }
}
