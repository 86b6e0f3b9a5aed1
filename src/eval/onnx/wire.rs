//! Reads the wire format of Protocol Buffers, in which ONNX files are written, field by field.
//!
//! Nothing is believed: a number has at most ten bytes, a length is at most what is left of its message, and the number
//! of fields in a file is limited, since every one of them costs the runtime some memory.

use super::check::Refusal;

/// The most fields that a file may have, those of nested messages and the numbers of packed lists included. What the
/// runtime keeps for one is at most a few hundred bytes.
const MOST_FIELDS: usize = 1 << 18;

/// A number has at most this many bytes of seven bits each.
const MOST_VARINT: usize = 10;

/// How many more fields may come.
pub(super) struct Allowance(usize);

/// The value of a field, as far as the wire format tells.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Wire<'a> {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(&'a [u8]),
    Fixed32([u8; 4]),
}

/// Reads one message, whose name is told in errors.
pub(super) struct Message<'a> {
    name: &'static str,
    left: &'a [u8],
    /// Singular fields that have been there, as far as their numbers are small.
    seen: u64,
}

impl Allowance {
    pub(super) const fn new() -> Self {
        Self(MOST_FIELDS)
    }

    /// Counts fields.
    pub(super) fn spend(&mut self, fields: usize) -> Result<(), Refusal> {
        let left = self.0.checked_sub(fields);
        self.0 = left.ok_or_else(|| Refusal::new(format!("it has more than {MOST_FIELDS} fields")))?;
        Ok(())
    }
}

impl<'a> Message<'a> {
    pub(super) const fn new(name: &'static str, bytes: &'a [u8]) -> Self {
        Self { name, left: bytes, seen: 0 }
    }

    /// The next field: its number and its value.
    pub(super) fn next(&mut self, allowance: &mut Allowance) -> Result<Option<(u32, Wire<'a>)>, Refusal> {
        if self.left.is_empty() {
            return Ok(None);
        }
        allowance.spend(1)?;
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| (1..1 << 29).contains(number));
        let number = number.ok_or_else(|| self.broken("has a field without a number"))?;
        let value = match tag & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed64(self.array()?),
            2 => {
                let length = self.varint()?;
                let left = self.left.len();
                let length = usize::try_from(length).ok().filter(|&length| length <= left);
                Wire::Bytes(self.take(length.ok_or_else(|| self.broken("has a field longer than what is left of it"))?))
            }
            5 => Wire::Fixed32(self.array()?),
            _ => return Err(self.broken("has a field of an unknown type")),
        };
        Ok(Some((number, value)))
    }

    /// Refuses a field that may be there once and is there again: readers differ in which one counts.
    pub(super) fn once(&mut self, number: u32) -> Result<(), Refusal> {
        let bit = 1u64.checked_shl(number).unwrap_or(0);
        if self.seen & bit != 0 {
            return Err(self.broken(&format!("has field {number} twice")));
        }
        self.seen |= bit;
        Ok(())
    }

    /// An error of this message.
    pub(super) fn broken(&self, problem: &str) -> Refusal {
        Refusal::new(format!("the file is damaged: a {} {problem}", self.name))
    }

    /// The error for a field that has another type than its number says.
    pub(super) fn wrong(&self, number: u32) -> Refusal {
        self.broken(&format!("has a field {number} of the wrong type"))
    }

    /// The text of a field.
    pub(super) fn text(&self, number: u32, value: Wire<'a>) -> Result<&'a str, Refusal> {
        std::str::from_utf8(self.bytes(number, value)?).map_err(|_| self.broken("has a text that is not UTF-8"))
    }

    /// The bytes of a field.
    pub(super) fn bytes(&self, number: u32, value: Wire<'a>) -> Result<&'a [u8], Refusal> {
        match value {
            Wire::Bytes(bytes) => Ok(bytes),
            _ => Err(self.wrong(number)),
        }
    }

    /// The whole number of a field.
    pub(super) fn int(&self, number: u32, value: Wire<'a>) -> Result<i64, Refusal> {
        match value {
            Wire::Varint(int) => Ok(int.cast_signed()),
            _ => Err(self.wrong(number)),
        }
    }

    /// Appends the whole numbers of a field, packed or not.
    pub(super) fn ints(
        &self,
        number: u32,
        value: Wire<'a>,
        list: &mut Vec<i64>,
        allowance: &mut Allowance,
    ) -> Result<(), Refusal> {
        if let Wire::Varint(int) = value {
            list.push(int.cast_signed());
            return Ok(());
        }
        let mut packed = Self::new(self.name, self.bytes(number, value)?);
        while !packed.left.is_empty() {
            allowance.spend(1)?;
            list.push(packed.varint()?.cast_signed());
        }
        Ok(())
    }

    /// How many numbers of `N` bytes a field has, packed or not.
    pub(super) fn count_fixed<const N: usize>(&self, number: u32, value: Wire<'a>) -> Result<u64, Refusal> {
        match value {
            Wire::Fixed32(_) if N == 4 => Ok(1),
            Wire::Fixed64(_) if N == 8 => Ok(1),
            Wire::Bytes(bytes) if bytes.len().is_multiple_of(N) => Ok((bytes.len() / N) as u64),
            _ => Err(self.wrong(number)),
        }
    }

    fn varint(&mut self) -> Result<u64, Refusal> {
        let mut number = 0;
        for place in 0..MOST_VARINT {
            let Some((&byte, rest)) = self.left.split_first() else {
                return Err(self.broken("ends within a number"));
            };
            self.left = rest;
            // Of the last byte there is room for one bit.
            if place == MOST_VARINT - 1 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.broken("has a number of more than 64 bits"))
    }

    /// The next bytes; the caller has seen that there are as many.
    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.left.split_at(count);
        self.left = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let Some((&array, rest)) = self.left.split_first_chunk() else {
            return Err(self.broken("ends within a number"));
        };
        self.left = rest;
        Ok(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Wire<'_>)>, String> {
        let (mut message, mut allowance) = (Message::new("test", bytes), Allowance::new());
        let mut fields = Vec::new();
        while let Some(field) = message.next(&mut allowance).map_err(|refusal| refusal.to_string())? {
            fields.push(field);
        }
        Ok(fields)
    }

    #[test]
    fn fields_are_read() {
        // From the description of the format: field 1 is 150, field 2 "testing".
        assert_eq!(read(&[0x08, 0x96, 0x01]), Ok(vec![(1, Wire::Varint(150))]));
        let text = [0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67];
        assert_eq!(read(&text), Ok(vec![(2, Wire::Bytes(b"testing"))]));
        let most = [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(read(&most), Ok(vec![(1, Wire::Varint(u64::MAX))]));
        assert_eq!(read(&[0x0d, 1, 2, 3, 4]), Ok(vec![(1, Wire::Fixed32([1, 2, 3, 4]))]));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for (bytes, part) in [
            (&[0xff; 11][..], "more than 64 bits"),
            (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], "more than 64 bits"),
            (&[0x08, 0x80], "within a number"),
            (&[0x12, 0x03, 0x74], "longer than what is left"),
            (&[0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], "longer than what is left"),
            (&[0x0d, 1, 2, 3], "within a number"),
            (&[0x00, 0x00], "without a number"),
            (&[0x0b], "unknown type"),
        ] {
            let error = read(bytes).expect_err("it is refused");
            assert!(error.contains(part), "{bytes:?}: {error}");
        }
        assert!(read(&[0x08, 0x00].repeat(MOST_FIELDS)).is_ok());
        assert!(read(&[0x08, 0x00].repeat(MOST_FIELDS + 1)).expect_err("too many").contains("more than 262144 fields"));
    }
}
