//! A network as a file.
//!
//! A header of 48 bytes: `ASTRAGAL NETWORK` (16 bytes), then as little-endian u32 the version of the format (1), the
//! numbers of inputs, of units of the first layer and of the second; then the first
//! 16 bytes of SHA-256 of everything after the header. Then the weights in the order of [`NetworkWeights`], little-endian.
//! Nothing follows.

use super::{HIDDEN, LANES, Network, NetworkInputs, NetworkWeights, SECOND};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use thiserror::Error;
use wide::i16x16;

const MAGIC: &[u8; 16] = b"ASTRAGAL NETWORK";

/// The version and the sizes that this program understands.
const SHAPE: [u32; 4] = [1, NetworkInputs::COUNT as u32, HIDDEN as u32, SECOND as u32];

const HEADER: usize = 16 + 4 * SHAPE.len() + 16;

/// The bytes of a whole file.
const SIZE: usize = HEADER + 2 * (NetworkInputs::COUNT * HIDDEN + HIDDEN + SECOND * HIDDEN) + 4 * (SECOND + SECOND + 1);

/// Why a file is no network for this program.
#[derive(Debug, Error)]
pub enum NetworkError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is a folder, a pipe, a device.
    #[error("is no regular file")]
    NoFile,
    /// It does not begin as a network does.
    #[error("is no network of Astragal")]
    Foreign,
    /// A version or sizes that this program does not know.
    #[error("has version {} and sizes {}, {}, {}; this program reads version {}, {}, {}, {}",
        .0[0], .0[1], .0[2], .0[3], SHAPE[0], SHAPE[1], SHAPE[2], SHAPE[3])]
    Shape([u32; 4]),
    /// It is longer or shorter than its sizes say.
    #[error("is {0} bytes long, not {SIZE}")]
    Length(u64),
    /// Its hash is not that of its weights.
    #[error("is damaged: its hash is not that of its weights")]
    Damaged,
}

/// What a file has in it, if that is no more than a network.
fn read(path: &Path) -> Result<Vec<u8>, NetworkError> {
    // To open a pipe that nobody writes to would wait for ever.
    if !std::fs::metadata(path)?.is_file() {
        return Err(NetworkError::NoFile);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(SIZE as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Network {
    /// Reads a file. No more of it is read than a network has.
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&read(path)?)
    }

    /// Reads what a file has in it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let (hash, body) = checked(bytes)?;
        let weights = NetworkWeights::read(body);
        let row = |numbers: &[i16]| {
            let mut lanes = numbers.chunks_exact(LANES);
            [(); HIDDEN / LANES].map(|()| lanes.next().map_or(i16x16::ZERO, i16x16::from))
        };
        let mut second = weights.second.chunks_exact(HIDDEN);
        let units = |numbers: &[i32]| std::array::from_fn(|unit| numbers[unit]);
        Ok(Self {
            first: weights.first.chunks_exact(HIDDEN).map(row).collect(),
            first_bias: row(&weights.first_bias),
            second: [(); SECOND].map(|()| row(second.next().unwrap_or_default())),
            second_bias: units(&weights.second_bias),
            output: units(&weights.output),
            output_bias: weights.output_bias,
            id: u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]),
        })
    }
}

/// The hash and the weights of a file whose head, length and hash are right.
fn checked(bytes: &[u8]) -> Result<(&[u8], &[u8]), NetworkError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(NetworkError::Foreign)?;
    let mut rest = Reader(rest);
    let mut shape = [0; SHAPE.len()];
    for number in &mut shape {
        *number = u32::from_le_bytes(rest.next().ok_or(NetworkError::Length(bytes.len() as u64))?);
    }
    if shape != SHAPE {
        return Err(NetworkError::Shape(shape));
    }
    if bytes.len() != SIZE {
        return Err(NetworkError::Length(bytes.len() as u64));
    }
    let (hash, body) = rest.0.split_at(16);
    if Sha256::digest(body)[..16] != *hash {
        return Err(NetworkError::Damaged);
    }
    Ok((hash, body))
}

impl NetworkWeights {
    /// Reads the weights of a file. No more of it is read than a network has.
    ///
    /// # Errors
    /// As [`Network::load`].
    pub fn load(path: &Path) -> Result<Self, NetworkError> {
        Self::from_bytes(&read(path)?)
    }

    /// The weights of what a file has in it, for tools that make something else of them.
    ///
    /// # Errors
    /// As [`Network::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        checked(bytes).map(|(_, body)| Self::read(body))
    }

    /// The weights in their order; there are as many bytes as they have.
    fn read(body: &[u8]) -> Self {
        let mut rest = Reader(body);
        // The length has been looked at, so that there is always a next number.
        let mut small =
            |count| (0..count).map(|_| i16::from_le_bytes(rest.next().unwrap_or_default())).collect::<Vec<_>>();
        let first = small(NetworkInputs::COUNT * HIDDEN);
        let (first_bias, second) = (small(HIDDEN), small(SECOND * HIDDEN));
        let mut large =
            |count| (0..count).map(|_| i32::from_le_bytes(rest.next().unwrap_or_default())).collect::<Vec<_>>();
        let (second_bias, output) = (large(SECOND), large(SECOND));
        let output_bias = i32::from_le_bytes(rest.next().unwrap_or_default());
        Self { first, first_bias, second, second_bias, output, output_bias }
    }

    /// The file of these weights; `None` if their numbers are not those of a network.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        let mut weights = Vec::with_capacity(SIZE);
        for numbers in [&self.first, &self.first_bias, &self.second] {
            weights.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        for numbers in [&self.second_bias, &self.output] {
            weights.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        }
        weights.extend(self.output_bias.to_le_bytes());
        let fits = [
            (self.first.len(), NetworkInputs::COUNT * HIDDEN),
            (self.first_bias.len(), HIDDEN),
            (self.second.len(), SECOND * HIDDEN),
            (self.second_bias.len(), SECOND),
            (self.output.len(), SECOND),
        ];
        fits.iter().all(|(is, should)| is == should).then_some(())?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(SHAPE.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend_from_slice(&Sha256::digest(&weights)[..16]);
        bytes.extend(weights);
        Some(bytes)
    }
}

/// Takes numbers off the front of some bytes.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn next<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes() -> Vec<u8> {
        include_bytes!("network.bin").to_vec()
    }

    #[test]
    fn the_network_in_the_program_is_one() {
        let network = Network::from_bytes(&bytes()).unwrap();
        assert_eq!(**super::super::SHIPPED, network);
        assert!(bytes().len() <= 1 << 20);
        let weights = NetworkWeights::from_bytes(&bytes()).unwrap();
        assert_eq!(weights.to_bytes(), Some(bytes()));
        assert!(NetworkWeights::from_bytes(&bytes()[1..]).is_err());
    }

    #[test]
    fn other_files_are_refused() {
        let good = bytes();
        assert!(matches!(Network::from_bytes(b""), Err(NetworkError::Foreign)));
        assert!(matches!(Network::from_bytes(&good[1..]), Err(NetworkError::Foreign)));
        for cut in [16, 17, 31, 32, 47, 48, 1000, good.len() - 1] {
            assert!(matches!(Network::from_bytes(&good[..cut]), Err(NetworkError::Length(_))), "{cut}");
        }
        let mut longer = good.clone();
        longer.push(0);
        assert!(matches!(Network::from_bytes(&longer), Err(NetworkError::Length(_))));
        for at in (16..32).step_by(4) {
            let mut other = good.clone();
            other[at] ^= 1;
            assert!(matches!(Network::from_bytes(&other), Err(NetworkError::Shape(_))), "{at}");
        }
        for at in [32, 47, 48, 5000, good.len() - 1] {
            let mut other = good.clone();
            other[at] ^= 1;
            assert!(matches!(Network::from_bytes(&other), Err(NetworkError::Damaged)), "{at}");
        }
        assert!(matches!(Network::load(&std::env::temp_dir()), Err(NetworkError::NoFile)));
        assert!(matches!(Network::load(Path::new("no/such/file")), Err(NetworkError::Io(_))));
    }
}
