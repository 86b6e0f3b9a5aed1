//! The operators that only move numbers about.

use super::proto::MOST_DIMENSIONS;
use super::shapes::{Call, Known, Outputs, axes, index, product};
use super::tensor::MOST_INTS;

/// The same numbers in another shape.
pub(super) fn reshape(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let shape = call.ints(1, "shape", false)?.ok_or("it has no shape")?;
    if shape.len() > MOST_DIMENSIONS {
        return Err("its shape has too many dimensions".to_owned());
    }
    if call.int("allowzero")?.unwrap_or(0) != 0 && shape.contains(&0) {
        return Err("its result is empty".to_owned());
    }
    let (mut dims, mut open) = (Vec::with_capacity(shape.len()), None);
    for (place, size) in shape.into_iter().enumerate() {
        dims.push(match size {
            0 => *input.dims.get(place).ok_or("its shape copies an axis that is not there")?,
            -1 if open.is_none() => {
                open = Some(place);
                1
            }
            _ => u64::try_from(size).map_err(|_| "its shape is not positive")?,
        });
    }
    let (count, known) = (input.count()?, product(&dims)?);
    if let Some(place) = open {
        dims[place] = count / known;
    }
    if product(&dims)? != count {
        return Err("its shape has another number of elements than its input".to_owned());
    }
    Ok((vec![input.with_dims(dims)], 0))
}

/// Leaves out axes of size 1.
pub(super) fn squeeze(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let gone = match call.ints(1, "axes", true)? {
        Some(list) => axes(list, input.dims.len())?,
        None => (0..input.dims.len()).filter(|&axis| input.dims[axis] == 1).collect(),
    };
    if gone.iter().any(|&axis| input.dims[axis] != 1) {
        return Err("only an axis of size 1 can be left out".to_owned());
    }
    let dims = input.dims.iter().enumerate().filter(|(axis, _)| !gone.contains(axis)).map(|(_, &size)| size);
    Ok((vec![input.with_dims(dims.collect())], 0))
}

/// Puts in axes of size 1.
pub(super) fn unsqueeze(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let list = call.ints(1, "axes", true)?.ok_or("it has no axes")?;
    let rank = input.dims.len() + list.len();
    if rank > MOST_DIMENSIONS {
        return Err("its result has too many dimensions".to_owned());
    }
    let new = axes(list, rank)?;
    let mut old = input.dims.iter();
    let dims = (0..rank).filter_map(|axis| if new.contains(&axis) { Some(1) } else { old.next().copied() });
    Ok((vec![input.with_dims(dims.collect())], 0))
}

/// One behind the other along an axis.
pub(super) fn concat(call: Call<'_>) -> Outputs {
    let mut result = call.input(0)?.clone();
    let axis = index(call.int("axis")?.ok_or("it has no axis")?, result.dims.len())?;
    for number in 1..call.inputs.len() {
        let next = call.input(number)?;
        let fits = |(place, (a, b)): (usize, (&u64, &u64))| place == axis || a == b;
        if next.dims.len() != result.dims.len() || !result.dims.iter().zip(&next.dims).enumerate().all(fits) {
            return Err("its inputs have shapes that do not fit together".to_owned());
        }
        result.dims[axis] = result.dims[axis].checked_add(next.dims[axis]).ok_or("its result is too large")?;
        match (&mut result.ints, &next.ints) {
            (Some(ints), Some(more)) if ints.len() + more.len() <= MOST_INTS => ints.extend(more),
            (ints, _) => *ints = None,
        }
        result.fixed &= next.fixed;
    }
    Ok((vec![result], 0))
}

/// A part along some axes.
pub(super) fn slice(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let starts = call.ints(1, "starts", true)?.ok_or("it has no starts")?;
    let ends = call.ints(2, "ends", true)?.ok_or("it has no ends")?;
    let steps = call.ints(4, "", true)?.unwrap_or_else(|| vec![1; starts.len()]);
    let rank = input.dims.len();
    let places = match call.ints(3, "axes", true)? {
        Some(list) => axes(list, rank)?,
        None => (0..starts.len().min(rank)).collect(),
    };
    if [ends.len(), steps.len(), places.len()] != [starts.len(); 3] {
        return Err("it has not as many starts as ends, axes and steps".to_owned());
    }
    let mut result = input.clone();
    for (((&axis, start), end), step) in places.iter().zip(starts).zip(ends).zip(steps) {
        if step < 1 {
            return Err("its steps must be forwards".to_owned());
        }
        let size = i64::try_from(input.dims[axis]).map_err(|_| "its input is too large")?;
        let place = |at: i64| if at < 0 { at.saturating_add(size) } else { at }.clamp(0, size);
        let (start, end) = (place(start), place(end));
        if start >= end {
            return Err("its result is empty".to_owned());
        }
        result.dims[axis] = u64::try_from(end - start).unwrap_or(0).div_ceil(step.unsigned_abs());
        let part = |ints: Vec<i64>| {
            ints.into_iter().skip(start as usize).take((end - start) as usize).step_by(step as usize).collect()
        };
        result.ints = result.ints.filter(|_| rank == 1).map(part);
    }
    Ok((vec![result], 0))
}

/// Parts along an axis, one result each.
pub(super) fn split(call: Call<'_>) -> Outputs {
    let input = call.input(0)?;
    let axis = index(call.int("axis")?.unwrap_or(0), input.dims.len())?;
    let parts = call.node.outputs.len();
    let sizes = match call.ints(1, "split", true)? {
        Some(list) => list.into_iter().map(|size| u64::try_from(size).ok().filter(|&size| size > 0)).collect(),
        // The last one may be smaller.
        None => {
            let part = input.dims[axis].div_ceil(parts.max(1) as u64);
            let rest = |number| input.dims[axis].checked_sub(part * number).filter(|&rest| rest > 0);
            (0..parts as u64).map(|number| Some(rest(number)?.min(part))).collect::<Option<Vec<u64>>>()
        }
    };
    let sizes = sizes.filter(|sizes| sizes.iter().try_fold(0u64, |a, &b| a.checked_add(b)) == Some(input.dims[axis]));
    let sizes = sizes.ok_or("its parts are not the whole")?;
    let result = |size| {
        let mut dims = input.dims.clone();
        dims[axis] = size;
        Known::computed(dims)
    };
    Ok((sizes.into_iter().map(result).collect(), 0))
}

/// Slices at given places along an axis.
pub(super) fn gather(call: Call<'_>) -> Outputs {
    let (input, places) = (call.input(0)?, call.input(1)?);
    let axis = index(call.int("axis")?.unwrap_or(0), input.dims.len())?;
    let dims: Vec<u64> = [&input.dims[..axis], &places.dims, &input.dims[axis + 1..]].concat();
    if dims.len() > MOST_DIMENSIONS {
        return Err("its result has too many dimensions".to_owned());
    }
    // Taken from a list of known numbers at known places: a part of a shape.
    let ints = match (&input.ints, &places.ints) {
        (Some(list), Some(places_listed)) if places.fixed && input.dims.len() == 1 => {
            places_listed.iter().map(|&place| Some(list[index(place, list.len()).ok()?])).collect::<Option<Vec<i64>>>()
        }
        _ => None,
    };
    Ok((vec![Known { dims, ints, fixed: input.fixed && places.fixed }], 0))
}
