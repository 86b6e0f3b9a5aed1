//! Whether a model is one to run: everything is refused beforehand that could cost the runtime more memory or time than
//! an evaluation may cost.
//!
//! The runtime believes a file. It asks for what the lengths and shapes in it say, and a request that cannot be met ends
//! the process; a loop in it ends never. So the file is read by a suspicious reader first ([`ModelProto`]), its graph
//! may use only operators whose output sizes can be told beforehand ([`super::shapes`]), and these sizes and the work
//! are added up against limits. A file is read once, and the runtime gets the bytes that were checked.

use super::proto::{Attribute, Graph, ModelProto, ValueInfo};
use super::shapes::{self, Known};
use super::tensor::Tensor;
use super::{BATCH, ModelError, windows};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// The most operators; the runtime's planner calls itself for each one in a chain.
const MOST_NODES: usize = 1000;

/// The most numbers in any result in between, and in all of them together.
const MOST_ELEMENTS: u64 = 1 << 25;

/// The most numbers in the copies of matrices that the runtime makes for products: as many as a file can have.
const MOST_COPIED: u64 = 1 << 26;

/// The most multiplications for one run: some seconds at worst.
const MOST_WORK: u64 = 1 << 33;

/// The most rows of a model with a fixed batch. It is run with rows to spare, so more would be a waste.
const MOST_FIXED: u64 = 1024;

/// Why a model is not run.
#[derive(Debug)]
pub(super) struct Refusal(String);

/// What is known of a model that was not refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checked {
    /// Rows for each run, if the model fixes that.
    pub(super) batch: Option<usize>,
    /// The shape of one row.
    pub(super) row: Vec<usize>,
    /// The files beside the model that hold weights, and how many bytes of each are used.
    pub(super) files: Vec<(String, u64)>,
}

impl Refusal {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Refusal> for ModelError {
    fn from(refusal: Refusal) -> Self {
        Self::Model(refusal.0)
    }
}

/// A text of the file as it may be shown: escaped and cut short.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let short: String = text.chars().take(MOST).flat_map(char::escape_default).collect();
    format!("'{short}{}'", if text.chars().nth(MOST).is_some() { "..." } else { "" })
}

/// Checks the bytes of a file.
pub(super) fn check(bytes: &[u8]) -> Result<Checked, ModelError> {
    let graph = ModelProto::read(bytes)?.graph;
    let (batch, row) = signature(&graph)?;
    let mut values = HashMap::new();
    let (mut files, mut budget) = (Vec::new(), Budget::default());
    for tensor in &graph.initializers {
        note_file(tensor, &mut files)?;
        define(&mut values, tensor.name, Known::constant(tensor))?;
    }
    let rows = batch.unwrap_or(BATCH) as u64;
    let dims: Vec<u64> = std::iter::once(rows).chain(row.iter().map(|&size| size as u64)).collect();
    // There is one: the signature has been seen.
    let input = the_inputs(&graph).next().map_or("", |input| input.name);
    budget.add(&Known::computed(dims.clone()), 0).map_err(|text| Refusal::new(format!("the input {text}")))?;
    define(&mut values, input, Known::computed(dims))?;
    if graph.nodes.len() > MOST_NODES {
        return Err(Refusal::new(format!("it has more than {MOST_NODES} operators")).into());
    }
    for node in &graph.nodes {
        let refuse = |text: String| Refusal::new(format!("operator {}: {text}", shown(node.operator)));
        for (_, attribute) in &node.attributes {
            if let Attribute::Tensor(tensor) = attribute {
                note_file(tensor, &mut files)?;
            }
        }
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for &name in &node.inputs {
            let unknown = || refuse(format!("its input {} has not been computed before", shown(name)));
            inputs.push(if name.is_empty() { None } else { Some(values.get(name).ok_or_else(unknown)?) });
        }
        let (outputs, work) = shapes::outputs(node, &inputs).map_err(refuse)?;
        budget.copy(windows::copied(node.operator, &inputs)).map_err(refuse)?;
        if outputs.len() != node.outputs.len() {
            return Err(refuse("it has more or fewer outputs than are known".to_owned()).into());
        }
        for (&name, output) in node.outputs.iter().zip(outputs) {
            budget.add(&output, work).map_err(refuse)?;
            define(&mut values, name, output)?;
        }
    }
    let missing = graph.outputs.iter().find(|output| !values.contains_key(output.name));
    if let Some(output) = missing {
        return Err(Refusal::new(format!("its output {} is not computed", shown(output.name))).into());
    }
    Ok(Checked { batch, row, files })
}

/// What all operators together need.
#[derive(Default)]
struct Budget {
    elements: u64,
    copied: u64,
    work: u64,
}

impl Budget {
    fn copy(&mut self, count: u64) -> Result<(), String> {
        self.copied = self.copied.saturating_add(count);
        if self.copied > MOST_COPIED { Err(format!("needs copies of more than {MOST_COPIED} numbers")) } else { Ok(()) }
    }

    fn add(&mut self, value: &Known, work: u64) -> Result<(), String> {
        // Up to eight dimensions of any size.
        let count = value.dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim)).unwrap_or(u64::MAX);
        self.elements = self.elements.saturating_add(count);
        self.work = self.work.saturating_add(work.max(count));
        if self.elements > MOST_ELEMENTS {
            return Err(format!("needs room for more than {MOST_ELEMENTS} numbers in between"));
        }
        if self.work > MOST_WORK {
            return Err(format!("needs more than {MOST_WORK} multiplications"));
        }
        Ok(())
    }
}

/// Gives a value its name, which no other value may have.
fn define<'a>(values: &mut HashMap<&'a str, Known>, name: &'a str, value: Known) -> Result<(), Refusal> {
    if name.is_empty() {
        return Err(Refusal::new("a value has no name"));
    }
    match values.insert(name, value) {
        None => Ok(()),
        Some(_) => Err(Refusal::new(format!("two values have the name {}", shown(name)))),
    }
}

/// Remembers which part of a file beside the model is used.
fn note_file(tensor: &Tensor<'_>, files: &mut Vec<(String, u64)>) -> Result<(), Refusal> {
    const MOST_FILES: usize = 16;
    let Some(place) = &tensor.external else { return Ok(()) };
    let end = place.offset.checked_add(place.length).ok_or_else(|| Refusal::new("a weight lies beyond its file"))?;
    if let Some((_, used)) = files.iter_mut().find(|(name, _)| name == place.file) {
        *used = end.max(*used);
    } else if files.len() < MOST_FILES {
        files.push((place.file.to_owned(), end));
    } else {
        return Err(Refusal::new("its weights are in too many files"));
    }
    Ok(())
}

/// The inputs that have no weights for their value, as old files list weights among the inputs.
fn the_inputs<'g, 'a>(graph: &'g Graph<'a>) -> impl Iterator<Item = &'g ValueInfo<'a>> {
    let weights: HashSet<&str> = graph.initializers.iter().map(|tensor| tensor.name).collect();
    graph.inputs.iter().filter(move |input| !weights.contains(input.name))
}

/// The batch, if it is fixed, and the shape of a row, which must be: `[batch, width]`, or a row of several dimensions.
fn signature(graph: &Graph<'_>) -> Result<(Option<usize>, Vec<usize>), ModelError> {
    let (inputs, outputs) = (the_inputs(graph).count(), graph.outputs.len());
    let (Some(input), [output], 1) = (the_inputs(graph).next(), graph.outputs.as_slice(), inputs) else {
        return Err(ModelError::Signature(format!("it has {inputs} inputs and {outputs} outputs")));
    };
    // Floats of 16, 32 and 64 bits are all the same to the runtime.
    if [input, output].iter().filter_map(|info| info.kind).any(|kind| !matches!(kind, 1 | 10 | 11)) {
        return Err(ModelError::Signature("its types are others".to_owned()));
    }
    let unknown = || ModelError::Shape(input.dims.as_deref().map_or_else(|| "unknown".to_owned(), shape));
    let (batch, row) = input.dims.as_deref().and_then(<[_]>::split_first).ok_or_else(unknown)?;
    if batch.is_some_and(|batch| !(1..=MOST_FIXED).contains(&batch)) || row.is_empty() {
        return Err(unknown());
    }
    let size = |dim: &Option<u64>| dim.and_then(|size| usize::try_from(size).ok()).filter(|&size| size > 0);
    let row = row.iter().map(size).collect::<Option<Vec<_>>>().ok_or_else(unknown)?;
    // A product beyond the range is no width that anything here has.
    row.iter().try_fold(1usize, |product, &size| product.checked_mul(size)).ok_or_else(unknown)?;
    Ok((batch.map(|batch| batch as usize), row))
}

/// A shape as text.
fn shape(dims: &[Option<u64>]) -> String {
    let dim = |dim: &Option<u64>| dim.map_or_else(|| "?".to_owned(), |size| size.to_string());
    format!("[{}]", dims.iter().map(dim).collect::<Vec<_>>().join(", "))
}
