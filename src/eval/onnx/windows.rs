//! The operators that take most of the time: products of matrices, and convolutions.

use super::proto::Attribute;
use super::shapes::{Call, Known, Outputs, broadcast, product};

/// The most that the window of a convolution is moved, stretched or padded.
const MOST_SHIFT: u64 = 64;

/// How many rows and columns of a matrix the runtime may take together. It copies matrices into blocks of that size, weights
/// once for each operator that uses them, and keeps the copies; a column alone takes a whole block.
const BLOCK: u64 = 64;

/// How many numbers the copies of its matrices have that an operator works with.
pub(super) fn copied(operator: &str, inputs: &[Option<&Known>]) -> u64 {
    let padded = |sizes: &[u64]| {
        let size = |product: u64, &size: &u64| product.saturating_mul(size.next_multiple_of(BLOCK));
        sizes.iter().fold(1, size)
    };
    let matrix = |known: &&Known| match known.dims.as_slice() {
        [left @ .., rows, columns] if left.iter().all(|&size| size == 1) => padded(&[*rows, *columns]),
        // One after the other, in parts.
        dims => product(dims).unwrap_or(u64::MAX),
    };
    match (operator, inputs) {
        ("MatMul" | "Gemm", inputs) => inputs.iter().take(2).flatten().map(matrix).fold(0, u64::saturating_add),
        ("Conv", [_, Some(weights), ..]) => match weights.dims.as_slice() {
            [channels, rest @ ..] => padded(&[*channels, product(rest).unwrap_or(u64::MAX >> 7)]),
            [] => 0,
        },
        _ => 0,
    }
}

/// A product of matrices, or of many in a row.
pub(super) fn mat_mul(call: Call<'_>) -> Outputs {
    let (a, b) = (&call.input(0)?.dims, &call.input(1)?.dims);
    let (Some(&inner), false) = (a.last(), b.is_empty()) else {
        return Err("its inputs are no matrices".to_owned());
    };
    // A list of numbers is a row on the left and a column on the right.
    let (left, rows) = a[..a.len() - 1].split_last().map_or((&[][..], None), |(rows, left)| (left, Some(*rows)));
    let (right, shared, columns) = match b.as_slice() {
        [shared] => (&[][..], *shared, None),
        [right @ .., shared, columns] => (right, *shared, Some(*columns)),
        [] => return Err("its inputs are no matrices".to_owned()),
    };
    if shared != inner {
        return Err("its inputs have shapes that do not fit together".to_owned());
    }
    let mut dims = broadcast(left, right)?;
    dims.extend(rows.into_iter().chain(columns));
    let work = product(&dims)?.saturating_mul(inner);
    Ok((vec![Known::computed(dims)], work))
}

/// A product of two matrices, with a third one added.
pub(super) fn gemm(call: Call<'_>) -> Outputs {
    let matrix = |number: usize, name: &str| match (call.input(number)?.dims.as_slice(), call.int(name)?) {
        (&[rows, columns], None | Some(0)) => Ok((rows, columns)),
        (&[rows, columns], Some(_)) => Ok((columns, rows)),
        _ => Err("its inputs are no matrices".to_owned()),
    };
    let ((rows, inner), (shared, columns)) = (matrix(0, "transA")?, matrix(1, "transB")?);
    if inner != shared {
        return Err("its inputs have shapes that do not fit together".to_owned());
    }
    let dims = vec![rows, columns];
    if let Some(bias) = call.inputs.get(2).copied().flatten()
        && broadcast(&dims, &bias.dims)? != dims
    {
        return Err("its inputs have shapes that do not fit together".to_owned());
    }
    let work = product(&dims)?.saturating_mul(inner);
    Ok((vec![Known::computed(dims)], work))
}

/// A convolution over one or two dimensions.
pub(super) fn conv(call: Call<'_>) -> Outputs {
    let (input, weights) = (&call.input(0)?.dims, &call.input(1)?.dims);
    let spatial = input.len().saturating_sub(2);
    if !matches!(spatial, 1 | 2) || weights.len() != input.len() {
        return Err("it must be one over one or two dimensions".to_owned());
    }
    let groups = u64::try_from(call.int("group")?.unwrap_or(1)).ok().filter(|&groups| groups > 0);
    let groups = groups.ok_or("its groups are not positive")?;
    let (channels, depth) = (weights[0], weights[1]);
    if depth.checked_mul(groups) != Some(input[1]) || !channels.is_multiple_of(groups) {
        return Err("its weights do not fit its input".to_owned());
    }
    if call.inputs.get(2).copied().flatten().is_some_and(|bias| bias.dims != [channels]) {
        return Err("its bias does not fit its weights".to_owned());
    }
    if let Some(kernel) = call.attribute_ints("kernel_shape")?
        && kernel.iter().map(|&size| size as u64).ne(weights[2..].iter().copied())
    {
        return Err("its kernel_shape is not that of its weights".to_owned());
    }
    let (strides, dilations) = (shifts(call, "strides", spatial, 1)?, shifts(call, "dilations", spatial, 1)?);
    let pads = shifts(call, "pads", 2 * spatial, 0)?;
    let same = match call.text("auto_pad")? {
        None | Some("NOTSET" | "VALID") => false,
        Some("SAME_UPPER" | "SAME_LOWER") => true,
        Some(_) => return Err("its auto_pad is unknown".to_owned()),
    };
    let mut dims = vec![input[0], channels];
    for axis in 0..spatial {
        let (size, kernel, stride) = (input[axis + 2], weights[axis + 2], strides[axis]);
        if same {
            dims.push(size.div_ceil(stride));
            continue;
        }
        let window = (kernel - 1).checked_mul(dilations[axis]).and_then(|window| window.checked_add(1));
        let padded = size.checked_add(pads[axis] + pads[axis + spatial]);
        let room = padded.zip(window).and_then(|(padded, window)| padded.checked_sub(window));
        dims.push(room.ok_or("its window is larger than its input")? / stride + 1);
    }
    // Where each channel stands alone a multiplication takes several times as long.
    let pace = if depth == 1 { 4 } else { 1 };
    let work = product(&dims)?.saturating_mul(product(&weights[1..])?).saturating_mul(pace);
    Ok((vec![Known::computed(dims)], work))
}

/// An attribute that says how far a window is moved, stretched or padded along each axis, `least` by default.
fn shifts(call: Call<'_>, name: &str, count: usize, least: u64) -> Result<Vec<u64>, String> {
    let Some(value) = call.node.attribute(name) else { return Ok(vec![least; count]) };
    let Attribute::Ints(ints) = value else { return Err(format!("{name} is no list of whole numbers")) };
    let shift = |&int: &i64| u64::try_from(int).ok().filter(|shift| (least..=MOST_SHIFT).contains(shift));
    let shifts: Option<Vec<u64>> = ints.iter().map(shift).collect();
    shifts.filter(|shifts| shifts.len() == count).ok_or_else(|| format!("{name} is out of range"))
}
