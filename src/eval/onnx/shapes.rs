//! How large the result of each operator is, and how many multiplications it takes, told before it runs.
//!
//! The list of operators here is the list of those that a model may use. It is what networks of the usual kinds are made
//! of: layers, convolutions, normalizations, attention by its parts. None of them loops, and the size of a result never
//! depends on numbers that are only known when the model runs: shapes, axes and bounds must be constants, or come from
//! the shape of something. With fewer rows in a batch no result is larger, so a check for the largest batch is enough.

use super::check::shown;
use super::proto::{Attribute, Node};
use super::tensor::Tensor;
use super::{layout, windows};

/// What is known of a value beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Known {
    /// Its shape in the largest batch.
    pub(super) dims: Vec<u64>,
    /// If it is a short list of whole numbers (or one), what they are.
    pub(super) ints: Option<Vec<i64>>,
    /// Whether these are the same in every batch.
    pub(super) fixed: bool,
}

/// The results of an operator, and how many multiplications they take, if they are more than numbers in the results.
pub(super) type Outputs = Result<(Vec<Known>, u64), String>;

/// An operator with what is known of its inputs.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    pub(super) node: &'c Node<'c>,
    pub(super) inputs: &'c [Option<&'c Known>],
}

impl Known {
    /// Numbers of the file.
    pub(super) fn constant(tensor: &Tensor<'_>) -> Self {
        let ints = tensor.ints.clone().filter(|_| tensor.dims.len() <= 1);
        Self { dims: tensor.dims.clone(), ints, fixed: true }
    }

    /// A result of that shape.
    pub(super) const fn computed(dims: Vec<u64>) -> Self {
        Self { dims, ints: None, fixed: false }
    }

    /// How many numbers it has.
    pub(super) fn count(&self) -> Result<u64, String> {
        product(&self.dims)
    }

    pub(super) fn with_dims(&self, dims: Vec<u64>) -> Self {
        let ints = self.ints.clone().filter(|_| dims.len() <= 1);
        Self { dims, ints, fixed: self.fixed }
    }
}

/// The results of an operator.
pub(super) fn outputs(node: &Node<'_>, inputs: &[Option<&Known>]) -> Outputs {
    if !matches!(node.domain, "" | "ai.onnx") {
        return Err(format!("no operators of {} are run", shown(node.domain)));
    }
    let call = Call { node, inputs };
    let one = |dims: Vec<u64>| Ok((vec![Known::computed(dims)], 0));
    match node.operator {
        "Identity" => Ok((vec![call.input(0)?.clone()], 0)),
        "Cast" => {
            let input = call.input(0)?;
            // To int32 and int64; other types may change the numbers.
            let whole = matches!(call.int("to")?, Some(6 | 7));
            Ok((vec![Known { ints: input.ints.clone().filter(|_| whole), ..input.clone() }], 0))
        }
        "Abs"
        | "Ceil"
        | "Clip"
        | "Cos"
        | "Elu"
        | "Erf"
        | "Exp"
        | "Floor"
        | "Gelu"
        | "HardSigmoid"
        | "HardSwish"
        | "LeakyRelu"
        | "Log"
        | "LogSoftmax"
        | "Neg"
        | "Not"
        | "Reciprocal"
        | "Relu"
        | "Round"
        | "Sigmoid"
        | "Sign"
        | "Sin"
        | "Softmax"
        | "Softplus"
        | "Softsign"
        | "Sqrt"
        | "Swish"
        | "Tanh"
        | "BatchNormalization"
        | "LayerNormalization"
        | "RMSNormalization"
        | "InstanceNormalization"
        | "LpNormalization" => {
            call.inputs.iter().skip(1).flatten().try_for_each(|other| small(call.input(0)?, other))?;
            one(call.input(0)?.dims.clone())
        }
        "Add" | "Sub" | "Mul" | "Div" | "Pow" | "Mod" | "PRelu" | "And" | "Or" | "Xor" | "Equal" | "Greater"
        | "GreaterOrEqual" | "Less" | "LessOrEqual" | "Max" | "Min" | "Mean" | "Sum" | "Where" => {
            let mut dims = Vec::new();
            for number in 0..inputs.len().max(1) {
                dims = broadcast(&dims, &call.input(number)?.dims)?;
            }
            one(dims)
        }
        "MatMul" => windows::mat_mul(call),
        "Gemm" => windows::gemm(call),
        "Conv" => windows::conv(call),
        "GlobalAveragePool" | "GlobalMaxPool" => {
            let input = &call.input(0)?.dims;
            let place = |(number, &size)| if number < 2 { size } else { 1 };
            one(input.iter().enumerate().map(place).collect())
        }
        "ReduceL1" | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceMax" | "ReduceMean" | "ReduceMin"
        | "ReduceProd" | "ReduceSum" | "ReduceSumSquare" => reduce(call),
        "Flatten" => {
            let dims = &call.input(0)?.dims;
            let axis = call.int("axis")?.unwrap_or(1);
            let axis = if axis == dims.len() as i64 { dims.len() } else { index(axis, dims.len())? };
            one(vec![product(&dims[..axis])?, product(&dims[axis..])?])
        }
        "Reshape" => layout::reshape(call),
        "Expand" => {
            let shape = call.ints(1, "", false)?.ok_or("it has no shape")?;
            let shape = shape.into_iter().map(|size| u64::try_from(size).ok().filter(|&size| size > 0));
            let shape: Vec<u64> = shape.collect::<Option<_>>().ok_or("its shape is not positive")?;
            one(broadcast(&call.input(0)?.dims, &shape)?)
        }
        "Transpose" => {
            let dims = &call.input(0)?.dims;
            let order = match call.attribute_ints("perm")? {
                None => (0..dims.len()).rev().collect(),
                Some(order) => axes(order, dims.len())?,
            };
            if order.len() != dims.len() {
                return Err("its order names not every axis".to_owned());
            }
            one(order.into_iter().map(|axis| dims[axis]).collect())
        }
        "Squeeze" => layout::squeeze(call),
        "Unsqueeze" => layout::unsqueeze(call),
        "Concat" => layout::concat(call),
        "Slice" => layout::slice(call),
        "Split" => layout::split(call),
        "Gather" => layout::gather(call),
        "Shape" => {
            if !node.attributes.is_empty() {
                return Err("only a whole shape can be asked for".to_owned());
            }
            let input = call.input(0)?;
            let ints = input.dims.iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect::<Vec<_>>();
            if ints.is_empty() {
                return Err("its input has no shape".to_owned());
            }
            Ok((vec![Known { dims: vec![ints.len() as u64], ints: Some(ints), fixed: false }], 0))
        }
        "Constant" => constant(node),
        "" => Err("it has no name".to_owned()),
        _ => Err("it is not among those that are run".to_owned()),
    }
}

impl<'c> Call<'c> {
    /// An input that must be there.
    pub(super) fn input(&self, number: usize) -> Result<&'c Known, String> {
        self.inputs.get(number).copied().flatten().ok_or_else(|| format!("its input {number} is missing"))
    }

    /// An attribute that is a whole number.
    pub(super) fn int(&self, name: &str) -> Result<Option<i64>, String> {
        match self.node.attribute(name) {
            None => Ok(None),
            Some(&Attribute::Int(int)) => Ok(Some(int)),
            Some(_) => Err(format!("{name} is no whole number")),
        }
    }

    /// An attribute that is a text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&'c str>, String> {
        match self.node.attribute(name) {
            None => Ok(None),
            Some(&Attribute::Text(text)) => Ok(Some(text)),
            Some(_) => Err(format!("{name} is no text")),
        }
    }

    /// An attribute that is a list of whole numbers.
    pub(super) fn attribute_ints(&self, name: &str) -> Result<Option<Vec<i64>>, String> {
        match self.node.attribute(name) {
            None => Ok(None),
            Some(Attribute::Ints(ints)) => Ok(Some(ints.clone())),
            Some(_) => Err(format!("{name} is no list of whole numbers")),
        }
    }

    /// Whole numbers that are an attribute or, in later versions of the operator, an input; they must be known
    /// beforehand, and if asked for the same in every batch.
    pub(super) fn ints(&self, number: usize, name: &str, fixed: bool) -> Result<Option<Vec<i64>>, String> {
        let attribute = self.attribute_ints(name)?;
        let Some(input) = self.inputs.get(number).copied().flatten() else { return Ok(attribute) };
        if attribute.is_some() {
            return Err(format!("{name} is given twice"));
        }
        match &input.ints {
            Some(ints) if input.fixed || !fixed => Ok(Some(ints.clone())),
            _ => Err(format!("its input {number} would have to be known beforehand")),
        }
    }
}

/// The product of sizes.
pub(super) fn product(dims: &[u64]) -> Result<u64, String> {
    let product = dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim));
    product.ok_or_else(|| "its result is too large".to_owned())
}

/// The common shape of two values of which the smaller is repeated.
pub(super) fn broadcast(a: &[u64], b: &[u64]) -> Result<Vec<u64>, String> {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let mut dims = long.to_vec();
    for (dim, &other) in dims.iter_mut().rev().zip(short.iter().rev()) {
        *dim = match (*dim, other) {
            (dim, other) if dim == other || other == 1 => dim,
            (1, other) => other,
            _ => return Err("its inputs have shapes that do not fit together".to_owned()),
        };
    }
    Ok(dims)
}

/// Refuses a parameter that is larger than what it is a parameter of.
fn small(input: &Known, parameter: &Known) -> Result<(), String> {
    let larger = parameter.count()? > input.count()?;
    if larger { Err("a parameter is larger than its input".to_owned()) } else { Ok(()) }
}

/// An axis, counted from the end if it is negative.
pub(super) fn index(axis: i64, rank: usize) -> Result<usize, String> {
    let place = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    let place = usize::try_from(place).ok().filter(|&place| place < rank);
    place.ok_or_else(|| format!("there is no axis {axis}"))
}

/// Axes, each at most once.
pub(super) fn axes(list: Vec<i64>, rank: usize) -> Result<Vec<usize>, String> {
    let mut found = Vec::with_capacity(rank);
    for axis in list {
        let axis = index(axis, rank)?;
        if found.contains(&axis) {
            return Err(format!("axis {axis} is named twice"));
        }
        found.push(axis);
    }
    Ok(found)
}

fn reduce(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let listed = call.ints(1, "axes", true)?.filter(|list| !list.is_empty());
    let reduced = match listed {
        Some(list) => axes(list, input.dims.len())?,
        None if call.int("noop_with_empty_axes")?.unwrap_or(0) != 0 => Vec::new(),
        None => (0..input.dims.len()).collect(),
    };
    let keep = call.int("keepdims")?.unwrap_or(1) != 0;
    let dim = |(axis, &size): (usize, &u64)| match (reduced.contains(&axis), keep) {
        (false, _) => Some(size),
        (true, keep) => keep.then_some(1),
    };
    let dims = input.dims.iter().enumerate().filter_map(dim).collect();
    Ok((vec![Known::computed(dims)], input.count()?))
}

fn constant(node: &Node<'_>) -> Outputs {
    let [(name, value)] = node.attributes.as_slice() else { return Err("it must have one value".to_owned()) };
    let list = |count: usize, ints| Known { dims: vec![count as u64], ints, fixed: true };
    let known = match (*name, value) {
        ("value", Attribute::Tensor(tensor)) => Known::constant(tensor),
        ("value_int", &Attribute::Int(int)) => Known { dims: Vec::new(), ints: Some(vec![int]), fixed: true },
        ("value_float", Attribute::Float) => Known { dims: Vec::new(), ints: None, fixed: true },
        ("value_ints", Attribute::Ints(ints)) if !ints.is_empty() => list(ints.len(), Some(ints.clone())),
        ("value_floats", &Attribute::Floats(count)) if count > 0 => list(count, None),
        _ => return Err(format!("it has a value of an unknown kind, {}", shown(name))),
    };
    Ok((vec![known], 0))
}
