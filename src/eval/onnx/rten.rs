//! Runs ONNX models by the rten crate, on one thread, so that sums are always made in the same order.

use super::ModelError;
use rten::{DataType, Dimension, Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueType, ValueView};
use std::fs;
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

/// A model with a fixed batch is run with rows to spare; more than so many would be a waste, and a wrong file.
const MOST_FIXED: usize = 1024;

/// Products with a single row are summed in another order than those with several, and a position must have the same
/// value in every batch.
const FEWEST_ROWS: usize = 2;

const FLOATS: ValueType = ValueType::Tensor(DataType::Float);

impl Runtime {
    /// Loads a model. Weights in a file beside it (ONNX external data) are loaded too.
    pub(super) fn load(path: &Path) -> Result<Self, ModelError> {
        // The runtime would say this too, but not so well, and would wait for ever for a pipe.
        let file = fs::metadata(path).map_err(|error| ModelError::File(error.to_string()))?;
        if !file.is_file() {
            return Err(ModelError::File("not a file".to_owned()));
        }
        let model = ModelOptions::with_all_ops()
            .prepack_weights(true)
            .load_file(path)
            .map_err(|error| ModelError::Model(error.to_string()))?;
        let (&[input], &[output]) = (model.input_ids(), model.output_ids()) else {
            let (inputs, outputs) = (model.input_ids().len(), model.output_ids().len());
            return Err(ModelError::Signature(format!("it has {inputs} inputs and {outputs} outputs")));
        };
        let type_of = |node| model.node_info(node).and_then(|info| info.dtype());
        if [input, output].into_iter().filter_map(type_of).any(|kind| kind != FLOATS) {
            return Err(ModelError::Signature("its types are others".to_owned()));
        }
        let (batch, row) = split_shape(model.input_shape(0).as_deref())?;
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
        let [output] = self.model.run_n(vec![(self.input, input.into())], [self.output], options).map_err(failed)?;
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

/// The batch, if it is fixed, and the shape of a row, which must be: `[batch, width]`, or a row of several dimensions.
fn split_shape(shape: Option<&[Dimension]>) -> Result<(Option<usize>, Vec<usize>), ModelError> {
    let unknown = || ModelError::Shape(shape.map_or("unknown".to_owned(), |shape| format!("{shape:?}")));
    let (batch, row) = shape.and_then(<[Dimension]>::split_first).ok_or_else(unknown)?;
    let batch = match batch {
        Dimension::Fixed(count @ 1..=MOST_FIXED) => Some(*count),
        Dimension::Fixed(_) => return Err(unknown()),
        Dimension::Symbolic(_) => None,
    };
    let fixed = |dimension: &Dimension| match dimension {
        Dimension::Fixed(size @ 1..) => Some(*size),
        _ => None,
    };
    let row = row.iter().map(fixed).collect::<Option<Vec<_>>>().filter(|row| !row.is_empty()).ok_or_else(unknown)?;
    // Sizes come from the file; a product beyond the range is no width that anything here has.
    row.iter().try_fold(1usize, |product, &size| product.checked_mul(size)).ok_or_else(unknown)?;
    Ok((batch, row))
}
