//! Runs ONNX models by the rten crate, on one thread, so that sums are always made in the same order.

use super::ModelError;
use super::check::{Checked, Refusal, check, shown};
use super::files::{self, Loaded};
use super::guard::guarded;
use rten::{DataType, Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueType, ValueView};
use std::path::Path;
use std::sync::Arc;

/// A loaded model with one input and one output, both of floats.
pub(super) struct Runtime {
    model: Arc<Model>,
    input: NodeId,
    output: NodeId,
    options: RunOptions,
    /// Rows for each run, if the model fixes that.
    batch: Option<usize>,
    /// The shape of one row.
    row: Vec<usize>,
    /// The input of a run, as long as it has to be filled up.
    padded: Vec<f32>,
}

/// Products with a single row are summed in another order than those with several, and a position must have the same
/// value in every batch.
const FEWEST_ROWS: usize = 2;

const FLOATS: ValueType = ValueType::Tensor(DataType::Float);

impl Runtime {
    /// Loads a model. Weights in a file beside it (ONNX external data) are loaded too.
    pub(super) fn load(path: &Path) -> Result<Self, ModelError> {
        let Loaded { bytes, checked, beside } = files::load(path)?;
        guarded(|| Self::build(bytes, checked, beside)).map_err(ModelError::Run)?
    }

    /// Loads a model from memory; it must have its weights in it.
    pub(super) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let checked = check(&bytes)?;
        if let Some((name, _)) = checked.files.first() {
            return Err(Refusal::new(format!("its weights are in another file, {}", shown(name))).into());
        }
        guarded(|| Self::build(bytes, checked, Vec::new())).map_err(ModelError::Run)?
    }

    /// Hands a model that has been checked to the runtime.
    fn build(bytes: Vec<u8>, checked: Checked, beside: Vec<(String, Vec<u8>)>) -> Result<Self, ModelError> {
        let mut options = ModelOptions::with_all_ops();
        options.prepack_weights(true);
        for (name, bytes) in beside {
            options.external_data(&name, bytes);
        }
        let model = options.load(bytes).map_err(|error| ModelError::Model(error.to_string()))?;
        let (&[input], &[output]) = (model.input_ids(), model.output_ids()) else {
            let (inputs, outputs) = (model.input_ids().len(), model.output_ids().len());
            return Err(ModelError::Signature(format!("it has {inputs} inputs and {outputs} outputs")));
        };
        let type_of = |node| model.node_info(node).and_then(|info| info.dtype());
        if [input, output].into_iter().filter_map(type_of).any(|kind| kind != FLOATS) {
            return Err(ModelError::Signature("its types are others".to_owned()));
        }
        let Checked { batch, row, .. } = checked;
        let (model, options) = (Arc::new(model), one_thread());
        Ok(Self { model, input, output, options, batch, row, padded: Vec::new() })
    }

    /// The same model with buffers and a thread of its own.
    pub(super) fn for_another_thread(&self) -> Self {
        Self {
            model: Arc::clone(&self.model),
            options: one_thread(),
            row: self.row.clone(),
            padded: Vec::new(),
            ..*self
        }
    }

    /// How many numbers a row has.
    pub(super) fn width(&self) -> usize {
        self.row.iter().product()
    }

    /// Appends an output for each row, NaN included.
    pub(super) fn run(&mut self, rows: &[f32], outputs: &mut Vec<f32>) -> Result<(), ModelError> {
        let width = self.width();
        let at_once = self.batch.map_or(rows.len(), |batch| batch * width).max(width);
        for part in rows.chunks(at_once) {
            self.run_once(part, outputs)?;
        }
        Ok(())
    }

    /// Runs the model once, with rows of zeros at the end where it needs more than there are.
    fn run_once(&mut self, rows: &[f32], outputs: &mut Vec<f32>) -> Result<(), ModelError> {
        let width = self.width();
        let asked = rows.len() / width;
        let count = self.batch.unwrap_or(asked.max(FEWEST_ROWS));
        let input = if count == asked {
            rows
        } else {
            self.padded.clear();
            self.padded.extend_from_slice(rows);
            self.padded.resize(count * width, 0.0);
            &self.padded
        };
        let shape: Vec<usize> = std::iter::once(count).chain(self.row.iter().copied()).collect();
        let input = ValueView::from_shape(shape.as_slice(), input).map_err(failed)?;
        let options = Some(self.options.clone());
        let inputs = vec![(self.input, input.into())];
        let [output] =
            guarded(|| self.model.run_n(inputs, [self.output], options)).map_err(ModelError::Run)?.map_err(failed)?;
        let Value::FloatTensor(output) = output else {
            return Err(ModelError::Signature("its output has another type".to_owned()));
        };
        let values = output.into_data();
        if values.len() != count {
            return Err(ModelError::Count { given: values.len(), asked: count });
        }
        outputs.extend_from_slice(&values[..asked]);
        Ok(())
    }
}

/// A pool of one thread, since the default is one for each core.
fn one_thread() -> RunOptions {
    RunOptions::default().with_thread_pool(Some(Arc::new(ThreadPool::with_num_threads(1))))
}

fn failed(error: impl std::error::Error) -> ModelError {
    ModelError::Run(error.to_string())
}
