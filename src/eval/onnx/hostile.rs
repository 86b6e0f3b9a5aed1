//! Tests with files that mean ill: each is refused, at once and with its reason, before the runtime has seen it.

use super::check::{Checked, check};
use super::{EvalOutput, ModelError, OnnxModel};

/// A number as the wire format has it.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// A field with a whole number.
fn int(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value.cast_unsigned())].concat()
}

/// A field with a text, bytes, or a message.
fn bytes(field: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    [&varint(field << 3 | 2)[..], &varint(value.len() as u64), value].concat()
}

/// An attribute of whole numbers.
fn ints(name: &str, values: &[i64]) -> Vec<u8> {
    let values: Vec<u8> = values.iter().flat_map(|&value| int(8, value)).collect();
    bytes(5, [bytes(1, name), values, int(20, 7)].concat())
}

/// An attribute that is one whole number.
fn attribute(name: &str, value: i64) -> Vec<u8> {
    bytes(5, [bytes(1, name), int(3, value), int(20, 2)].concat())
}

fn node(operator: &str, inputs: &[&str], outputs: &[&str], attributes: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| bytes(1, name)).collect();
    let outputs: Vec<u8> = outputs.iter().flat_map(|name| bytes(2, name)).collect();
    bytes(1, [inputs, outputs, bytes(4, operator), attributes.concat()].concat())
}

/// A tensor of ONNX type `kind` with raw data, as an initializer.
fn tensor(name: &str, kind: i64, dims: &[i64], data: &[u8]) -> Vec<u8> {
    let dims: Vec<u8> = dims.iter().flat_map(|&dim| int(1, dim)).collect();
    bytes(5, [dims, int(2, kind), bytes(8, name), bytes(9, data)].concat())
}

fn longs(name: &str, values: &[i64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    tensor(name, 7, &[values.len() as i64], &data)
}

fn floats(name: &str, dims: &[i64]) -> Vec<u8> {
    tensor(name, 1, dims, &vec![0; 4 * dims.iter().product::<i64>() as usize])
}

/// An input (field 11) or output (12) of floats; a dimension of -1 is not fixed.
fn value(field: u64, name: &str, dims: &[i64]) -> Vec<u8> {
    let dim = |&dim: &i64| bytes(1, if dim < 0 { bytes(2, "n") } else { int(1, dim) });
    let shape: Vec<u8> = dims.iter().flat_map(dim).collect();
    bytes(field, [bytes(1, name), bytes(2, bytes(1, [int(1, 1), bytes(2, shape)].concat()))].concat())
}

/// A model from `x` of shape `[n, 7]` to `y`.
fn model(parts: &[Vec<u8>]) -> Vec<u8> {
    let graph = [parts.concat(), value(11, "x", &[-1, 7]), value(12, "y", &[-1, 1])].concat();
    [int(1, 8), bytes(7, graph), bytes(8, int(2, 17))].concat()
}

/// The sum of the inputs, by which a chain of operators ends well.
fn sum(from: &str) -> Vec<u8> {
    node("ReduceSum", &[from, "last"], &["y"], &[])
}

fn load(file: &[u8]) -> Result<OnnxModel, ModelError> {
    OnnxModel::from_bytes(file.to_vec(), EvalOutput::Logit)
}

#[track_caller]
fn refused(file: &[u8], part: &str) {
    let error = match check(file) {
        Ok(_) => panic!("it is not refused for {part:?}"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains(part), "{error:?} has no {part:?}");
    assert_eq!(load(file).err().map(|error| error.to_string()), Some(error));
}

#[test]
fn a_plain_model_runs() {
    let file = model(&[longs("last", &[1]), sum("x")]);
    assert_eq!(check(&file), Ok(Checked { batch: None, row: vec![7], files: vec![] }));
    let mut model = load(&file).expect("it loads");
    assert_eq!(model.run(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), Ok(&[28.0][..]));
}

/// What exporters write for a view that keeps the batch: a shape that is put together when the model runs.
#[test]
fn a_shape_made_of_the_shape_of_the_input_is_understood() {
    let file = model(&[
        tensor("zero", 7, &[], &0i64.to_le_bytes()),
        longs("front", &[0]),
        longs("rest", &[7, 1]),
        longs("last", &[1, 2]),
        node("Shape", &["x"], &["shape"], &[]),
        node("Gather", &["shape", "zero"], &["batch"], &[attribute("axis", 0)]),
        node("Unsqueeze", &["batch", "front"], &["first"], &[]),
        node("Concat", &["first", "rest"], &["new"], &[attribute("axis", 0)]),
        node("Reshape", &["x", "new"], &["z"], &[]),
        node("ReduceSum", &["z", "last"], &["y"], &[attribute("keepdims", 0)]),
    ]);
    let mut model = load(&file).expect("it loads");
    assert_eq!(model.run(&[1.0; 21]), Ok(&[7.0; 3][..]));
}

/// A small convolutional network, each of whose sizes the runtime agrees with.
#[test]
fn layers_of_the_usual_kinds_run() {
    let file = model(&[
        longs("picture", &[-1, 1, 7, 1]),
        floats("w", &[4, 1, 3, 1]),
        floats("b", &[4]),
        floats("s", &[4]),
        longs("halves", &[2, 2]),
        longs("starts", &[1]),
        longs("ends", &[i64::MAX]),
        longs("axes", &[1]),
        node("Reshape", &["x", "picture"], &["p"], &[]),
        node("Conv", &["p", "w", "b"], &["c"], &[ints("pads", &[1, 0, 1, 0]), ints("kernel_shape", &[3, 1])]),
        node("BatchNormalization", &["c", "s", "b", "b", "s"], &["n"], &[]),
        node("Relu", &["n"], &["r"], &[]),
        node("GlobalAveragePool", &["r"], &["g"], &[]),
        node("Flatten", &["g"], &["f"], &[]),
        node("Split", &["f", "halves"], &["left", "right"], &[attribute("axis", 1)]),
        node("Concat", &["left", "right"], &["both"], &[attribute("axis", -1)]),
        node("Slice", &["both", "starts", "ends", "axes"], &["three"], &[]),
        node("Softmax", &["three"], &["soft"], &[]),
        node("Transpose", &["soft"], &["turned"], &[ints("perm", &[1, 0])]),
        node("Gemm", &["turned", "s3"], &["product"], &[attribute("transA", 1)]),
        floats("s3", &[3, 1]),
        node("Identity", &["product"], &["y"], &[]),
    ]);
    let mut model = load(&file).map_err(|error| error.to_string()).expect("it loads");
    assert_eq!(model.run(&[1.0; 21]), Ok(&[0.0; 3][..]));
}

#[test]
fn rubbish_is_refused() {
    let good = model(&[longs("last", &[1]), sum("x")]);
    refused(&[0xff; 11], "more than 64 bits");
    refused(&[&good[..], &[0xff; 11]].concat(), "more than 64 bits");
    refused(&[&good[..], &int(99, 1)].concat(), "unknown field 99");
    refused(&[good.clone(), good.clone()].concat(), "field 1 twice");
    for length in 0..good.len() {
        assert!(check(&good[..length]).is_err(), "the first {length} bytes");
    }
    // Types within types, for a reader that calls itself for each.
    let mut nested = Vec::new();
    for _ in 0..20_000 {
        nested = bytes(4, bytes(1, nested));
    }
    let info = bytes(13, [bytes(1, "v"), bytes(2, nested)].concat());
    refused(&model(&[longs("last", &[1]), sum("x"), info]), "not that of a tensor");
    // A length that only a reader that believes it would ask memory for.
    let torn = [int(1, 8), varint(7 << 3 | 2), varint(1 << 42)].concat();
    refused(&torn, "longer than what is left");
}

#[test]
fn sizes_that_the_file_does_not_have_are_refused() {
    let with = |tensor: Vec<u8>| model(&[longs("last", &[1]), tensor, sum("x")]);
    refused(&with(tensor("w", 1, &[1 << 40], &[0; 8])), "not as many numbers");
    refused(&with(tensor("w", 1, &[1 << 62, 1 << 62], &[0; 8])), "too large");
    refused(&with(tensor("w", 1, &[-1], &[0; 4])), "not positive");
    refused(&with(tensor("w", 1, &[0], &[])), "not positive");
    refused(&with(tensor("w", 1, &[1; 9], &[0; 4])), "too many dimensions");
    refused(&with(tensor("w", 14, &[1], &[0; 8])), "a type that the runtime cannot read");
    refused(&with(longs("last", &[1])), "two values have the name");
}

#[test]
fn operators_that_could_ask_for_anything_are_refused() {
    let with = |parts: &[Vec<u8>]| model(&[parts.concat(), longs("last", &[1]), sum("z")]);
    for name in ["Loop", "If", "Scan", "Tile", "Range", "Resize", "ConstantOfShape", "NonZero", "Pad", "Einsum"] {
        refused(&with(&[node(name, &["x"], &["z"], &[])]), "not among those that are run");
    }
    refused(&with(&[node("Re\u{1b}lu", &["x"], &["z"], &[])]), "'Re\\u{1b}lu'");
    let shape = longs("shape", &[1 << 20, 1 << 20, 7]);
    refused(&with(&[shape, node("Expand", &["x", "shape"], &["z"], &[])]), "do not fit");
    let shape = longs("shape", &[1 << 20, 1, 7]);
    refused(&with(&[shape, node("Expand", &["x", "shape"], &["z"], &[])]), "more than 33554432 numbers");
    let computed = node("Cast", &["x"], &["shape"], &[attribute("to", 7)]);
    refused(&with(&[computed, node("Reshape", &["x", "shape"], &["z"], &[])]), "known beforehand");
    // Each twice as long as the one before.
    let mut name = "x".to_owned();
    let mut doubled = Vec::new();
    for number in 0..30 {
        let next = if number == 29 { "z".to_owned() } else { format!("d{number}") };
        doubled.push(node("Concat", &[&name, &name], &[&next], &[attribute("axis", 1)]));
        name = next;
    }
    refused(&with(&doubled), "more than 33554432 numbers");
    // Small results, much work.
    let mut parts = vec![
        longs("new", &[1, -1, 1, 1]),
        longs("large", &[1, 1, 64, 64]),
        floats("k", &[224, 1, 31, 31]),
        node("Reshape", &["x", "new"], &["flat"], &[]),
        node("Expand", &["flat", "large"], &["c0"], &[]),
    ];
    for n in 0..16 {
        let attributes = [ints("pads", &[15; 4]), attribute("group", 224)];
        parts.push(node("Conv", &[&format!("c{n}"), "k"], &[&format!("c{}", n + 1)], &attributes));
    }
    parts.push(node("Identity", &["c16"], &["z"], &[]));
    refused(&with(&parts), "more than 8589934592 multiplications");
    // One matrix, of which the runtime keeps a copy for each of its uses.
    let wide = 1 << 11;
    let mut parts =
        vec![floats("a", &[7, wide]), floats("b", &[wide, wide]), node("MatMul", &["x", "a"], &["m0"], &[])];
    parts.extend((0..30).map(|n| node("MatMul", &[&format!("m{n}"), "b"], &[&format!("m{}", n + 1)], &[])));
    parts.push(node("Identity", &["m30"], &["z"], &[]));
    refused(&with(&parts), "copies of more than 67108864 numbers");
    // A column, each number of which takes a whole block in such a copy.
    let column = |n: usize| node("MatMul", &["wide", "column"], &[&format!("p{n}")], &[]);
    let mut parts = vec![floats("column", &[1 << 18, 1]), floats("row", &[7, 1 << 18])];
    parts.push(node("MatMul", &["x", "row"], &["wide"], &[]));
    parts.extend((0..9).map(column));
    parts.push(node("Identity", &["p8"], &["z"], &[]));
    refused(&with(&parts), "copies of more than 67108864 numbers");
    // What is not computed yet: a circle, for one.
    let circle = [node("Add", &["x", "b"], &["a"], &[]), node("Relu", &["a"], &["b"], &[])];
    refused(&with(&[circle.concat(), node("Relu", &["b"], &["z"], &[])]), "not been computed before");
}

#[test]
fn a_long_chain_is_no_danger() {
    let chain = |count: usize| {
        let link = |n: usize| node("Abs", &[&format!("a{n}")], &[&format!("a{}", n + 1)], &[]);
        let links: Vec<u8> = (0..count).flat_map(link).collect();
        let first = node("Abs", &["x"], &["a0"], &[]);
        model(&[longs("last", &[1]), first, links, sum(&format!("a{count}"))])
    };
    assert!(load(&chain(998)).is_ok());
    refused(&chain(1000), "more than 1000 operators");
}

#[test]
fn weights_beside_the_model_are_read_only_where_they_may_be() {
    let folder = std::env::temp_dir().join(format!("astragal-{}-weights", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let with = |location: &str, offset: u64, length: u64| {
        let entry = |key: &str, value: &str| bytes(13, [bytes(1, key), bytes(2, value)].concat());
        let place =
            [entry("location", location), entry("offset", &offset.to_string()), entry("length", &length.to_string())];
        let weights = bytes(5, [int(1, 7), int(1, 1), int(2, 1), bytes(8, "w"), place.concat(), int(14, 1)].concat());
        let file = folder.join("model.onnx");
        std::fs::write(&file, model(&[weights, node("MatMul", &["x", "w"], &["y"], &[])])).expect("a file");
        OnnxModel::load(&file, EvalOutput::Logit).map_err(|error| error.to_string())
    };
    let numbers: Vec<u8> = (0..8u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    std::fs::write(folder.join("model.onnx.data"), numbers).expect("a file");
    let mut good = with("model.onnx.data", 4, 28).expect("it loads");
    assert_eq!(good.run(&[1.0; 7]), Ok(&[28.0][..]));
    for (location, offset, length, part) in [
        ("model.onnx.data", 8, 28, "has not all the weights"),
        ("model.onnx.data", u64::MAX, 28, "beyond its file"),
        ("model.onnx.data", 0, 1 << 40, "not as many numbers"),
        ("../model.onnx.data", 4, 28, "no name of a file for weights"),
        ("/dev/zero", 4, 28, "no name of a file for weights"),
        ("model.onnx", 4, 28, "no name of a file for weights"),
        ("other.data", 4, 28, "weights 'other.data'"),
    ] {
        let error = with(location, offset, length).err().unwrap_or_else(|| panic!("{location} {offset} {length}"));
        assert!(error.contains(part), "{error:?} has no {part:?}");
    }
    std::fs::remove_dir_all(&folder).expect("it was there");
}

/// The least whole number divided by -1 is no number of 32 bits: the runtime panics, on a thread of its own, here while
/// it computes what is constant, there when the model runs.
#[test]
fn a_panic_of_the_runtime_is_an_error() {
    let with = |parts: &[Vec<u8>]| {
        let (least, minus) = (tensor("least", 6, &[1], &i32::MIN.to_le_bytes()), tensor("minus", 6, &[1], &[0xff; 4]));
        let rest = [
            node("Cast", &["d"], &["f"], &[attribute("to", 1)]),
            node("Mul", &["x", "f"], &["m"], &[]),
            longs("last", &[1]),
            sum("m"),
        ];
        model(&[least, minus, parts.concat(), rest.concat()])
    };
    let constant = with(&[node("Div", &["least", "minus"], &["d"], &[])]);
    let run = with(&[
        node("Cast", &["x"], &["i"], &[attribute("to", 6)]),
        node("Sub", &["i", "i"], &["o"], &[]),
        node("Add", &["o", "minus"], &["n"], &[]),
        node("Div", &["least", "n"], &["d"], &[]),
    ]);
    for file in [constant, run] {
        let error = load(&file).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("the model failed: it panicked: 'attempt to divide with overflow'"));
    }
}

#[test]
fn a_division_of_whole_numbers_by_zero_is_an_error() {
    let file = model(&[
        longs("last", &[1]),
        longs("zero", &[0]),
        node("Cast", &["x"], &["i"], &[attribute("to", 6)]),
        node("Div", &["i", "zero"], &["d"], &[]),
        node("Cast", &["d"], &["f"], &[attribute("to", 1)]),
        sum("f"),
    ]);
    let error = load(&file).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("Divisor contains zero"), "{error}");
}
