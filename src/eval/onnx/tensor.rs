//! The numbers in an ONNX file: a tensor must have exactly as many as its dimensions say, in one place.

use super::check::{Refusal, shown};
use super::proto::{MOST_DIMENSIONS, name, read_pair};
use super::wire::{Allowance, Message, Wire};

/// Tensors with at most this many whole numbers are read in full, since they may be shapes, axes or bounds.
pub(super) const MOST_INTS: usize = 64;

/// Numbers of the file.
#[derive(Default)]
pub(super) struct Tensor<'a> {
    pub(super) name: &'a str,
    pub(super) dims: Vec<u64>,
    /// If these are a few whole numbers, all of them.
    pub(super) ints: Option<Vec<i64>>,
    pub(super) external: Option<External<'a>>,
}

/// Where in another file the numbers of a tensor are.
pub(super) struct External<'a> {
    pub(super) file: &'a str,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl<'a> Tensor<'a> {
    pub(super) fn read(bytes: &'a [u8], allowance: &mut Allowance) -> Result<Self, Refusal> {
        let mut message = Message::new("tensor", bytes);
        let (mut tensor, mut dims) = (Self::default(), Vec::new());
        let (mut kind, mut location, mut raw) = (None, 0, None);
        // Counts of numbers in fields 4, 10, and the numbers in 5 and 7.
        let (mut floats, mut doubles, mut ints, mut longs) = (0, 0, Vec::new(), Vec::new());
        let mut external = Vec::new();
        while let Some((number, value)) = message.next(allowance)? {
            if matches!(number, 2 | 8 | 9 | 14) {
                message.once(number)?;
            }
            match number {
                1 if matches!(value, Wire::Varint(_)) => dims.push(message.int(number, value)?),
                1 => return Err(message.wrong(number)),
                2 => kind = Some(message.int(number, value)?),
                4 => floats += message.count_fixed::<4>(number, value)?,
                5 => message.ints(number, value, &mut ints, allowance)?,
                7 => message.ints(number, value, &mut longs, allowance)?,
                8 => tensor.name = name(&message, number, value)?,
                9 => raw = Some(message.bytes(number, value)?),
                10 => doubles += message.count_fixed::<8>(number, value)?,
                13 => external.push(read_pair(message.bytes(number, value)?, allowance)?),
                14 => location = message.int(number, value)?,
                3 | 6 | 11 => return Err(message.broken("holds what the runtime cannot read")),
                _ => (),
            }
        }
        let broken = |problem: &str| message.broken(&format!("({}) {problem}", shown(tensor.name)));
        if dims.len() > MOST_DIMENSIONS {
            return Err(broken("has too many dimensions"));
        }
        for &dim in &dims {
            let dim = u64::try_from(dim).ok().filter(|&dim| dim > 0);
            tensor.dims.push(dim.ok_or_else(|| broken("has a dimension that is not positive"))?);
        }
        let count = tensor.dims.iter().try_fold(1u64, |product, &dim| product.checked_mul(dim));
        let count = count.ok_or_else(|| broken("is too large"))?;
        // The bytes of a number, and how many there are in the field for it.
        let (size, typed) = match kind {
            Some(1) => (4, floats),
            Some(6) => (4, ints.len() as u64),
            Some(2 | 3 | 9) => (1, ints.len() as u64),
            Some(10) => (2, ints.len() as u64),
            Some(7) => (8, longs.len() as u64),
            Some(11) => (8, doubles),
            _ => return Err(broken("has a type that the runtime cannot read")),
        };
        let all = floats + doubles + (ints.len() + longs.len()) as u64;
        let length = count.checked_mul(size).ok_or_else(|| broken("is too large"))?;
        match (raw, location) {
            (Some(raw), 0) if raw.len() as u64 == length && all == 0 && external.is_empty() => {
                tensor.ints = kind.filter(|_| count <= MOST_INTS as u64).and_then(|kind| raw_ints(kind, raw));
            }
            (None, 0) if typed == count && all == count && external.is_empty() => {
                let list = if kind == Some(7) { longs } else { ints };
                tensor.ints = (matches!(kind, Some(6 | 7)) && count <= MOST_INTS as u64).then_some(list);
            }
            (None, 1) if all == 0 => {
                let place = place(&external).ok_or_else(|| broken("does not say where its numbers are"))?;
                if place.length != length {
                    return Err(broken("has not as many numbers as its dimensions say"));
                }
                tensor.external = Some(place);
            }
            _ => return Err(broken("has not as many numbers as its dimensions say")),
        }
        Ok(tensor)
    }
}

/// The whole numbers of raw data, if they are of type int32 or int64.
fn raw_ints(kind: i64, raw: &[u8]) -> Option<Vec<i64>> {
    match kind {
        6 => Some(raw.as_chunks().0.iter().map(|&bytes| i64::from(i32::from_le_bytes(bytes))).collect()),
        7 => Some(raw.as_chunks().0.iter().map(|&bytes| i64::from_le_bytes(bytes)).collect()),
        _ => None,
    }
}

/// The place of external data, if it is complete and each part is there once.
fn place<'a>(pairs: &[(&'a str, &'a str)]) -> Option<External<'a>> {
    let the = |name: &str| {
        let mut found = pairs.iter().filter(|&&(key, _)| key == name);
        found.next().filter(|_| found.next().is_none()).map(|&(_, value)| value)
    };
    Some(External {
        file: the("location")?,
        offset: the("offset")?.parse().ok()?,
        length: the("length")?.parse().ok()?,
    })
}
