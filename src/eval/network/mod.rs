//! The evaluation that has learned the game: a small network whose output is added to the linear evaluation.
//!
//! The first layer adds up a row of weights for every input that is on ([`NetworkInputs`]); from one position to the next
//! only what differs is added and taken away. All arithmetic is of whole numbers, so that values are the same on every
//! machine and do not depend on the positions looked at before.
//!
//! | layer | computation |
//! |---|---|
//! | first | `h = bias + Σ rows`, in 1/255; squared after it was cut to 0..=1: `a = min(max(h, 0), 255)² / 256` |
//! | second | `s = bias + Σ a × weight`, in 1/65280; cut to 0..=1: `t = min(max(s / 256, 0), 255)` |
//! | output | `bias + Σ t × weight`, in 1/16384 centipawns, rounded down |

mod evaluator;
mod file;
mod inputs;

pub use evaluator::NetworkEvaluator;
pub use file::NetworkError;
pub use inputs::NetworkInputs;

use std::fmt;
use std::sync::{Arc, LazyLock};

/// Units of the first layer.
pub const HIDDEN: usize = 128;

/// Units of the second layer.
pub const SECOND: usize = 32;

/// The largest number that stands for 1 in the first layer.
const ONE: i16 = 255;

/// The output's unit, as a power of two of a centipawn.
const OUTPUT_SHIFT: u32 = 14;

/// The weights of a network. See the head of the module for what is done with them.
#[derive(Clone, PartialEq, Eq)]
pub struct Network {
    /// Of the first layer, [`HIDDEN`] for each of the [`NetworkInputs::COUNT`] inputs.
    first: Vec<[i16; HIDDEN]>,
    first_bias: [i16; HIDDEN],
    second: Vec<[i16; HIDDEN]>,
    second_bias: [i32; SECOND],
    output: [i32; SECOND],
    output_bias: i32,
    id: u32,
}

/// The sums of the first layer.
pub(crate) type Hidden = [i16; HIDDEN];

/// The weights in the order in which a file has them; what a trainer hands over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkWeights {
    /// Of the first layer: for each of the [`NetworkInputs::COUNT`] inputs [`HIDDEN`] weights, in 1/255.
    pub first: Vec<i16>,
    /// Biases of the first layer, [`HIDDEN`], in 1/255.
    pub first_bias: Vec<i16>,
    /// Of the second layer: for each of its [`SECOND`] units [`HIDDEN`] weights, in 1/256.
    pub second: Vec<i16>,
    /// Biases of the second layer, [`SECOND`], in 1/65280.
    pub second_bias: Vec<i32>,
    /// Of the output, [`SECOND`]; a unit that is 1 adds 255 of them, in 1/16384 centipawns.
    pub output: Vec<i32>,
    /// The bias of the output, in 1/16384 centipawns.
    pub output_bias: i32,
}

static SHIPPED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let network = Network::from_bytes(include_bytes!("network.bin"));
    // A test reads it.
    Arc::new(network.unwrap_or_else(|error| panic!("the network in the program: {error}")))
});

impl Network {
    /// The network that is part of the program.
    pub fn shipped() -> Arc<Self> {
        SHIPPED.clone()
    }

    /// The id of these weights: the first 32 bits of the SHA-256 hash of the file.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The first layer of inputs, from nothing.
    fn hidden(&self, inputs: &NetworkInputs) -> Hidden {
        let mut hidden = self.first_bias;
        for input in inputs.iter() {
            add(&mut hidden, &self.first[input]);
        }
        hidden
    }

    /// What the network adds to the linear evaluation, in centipawns for the side to roll, without the chance to capture
    /// the king at once.
    pub fn correction(&self, inputs: &NetworkInputs) -> i32 {
        self.output(&self.hidden(inputs))
    }

    /// All that comes after the first layer.
    #[inline]
    fn output(&self, hidden: &Hidden) -> i32 {
        let mut active = [0i16; HIDDEN];
        for (active, &sum) in active.iter_mut().zip(hidden) {
            let cut = sum.clamp(0, ONE) as u16;
            *active = (cut * cut >> 8) as i16;
        }
        let mut sum = i64::from(self.output_bias);
        for ((row, &bias), &weight) in self.second.iter().zip(&self.second_bias).zip(&self.output) {
            let mut unit = bias;
            let products = row.iter().zip(&active).map(|(&weight, &active)| i32::from(weight) * i32::from(active));
            // What is too large for 32 bits wraps around on every machine; trained weights are far from it.
            unit = products.fold(unit, i32::wrapping_add);
            sum += i64::from((unit >> 8).clamp(0, i32::from(ONE))) * i64::from(weight);
        }
        (sum >> OUTPUT_SHIFT).clamp(-MOST, MOST) as i32
    }
}

/// The most that a network adds, in centipawns: so that a file that means ill does not make a sum overflow.
const MOST: i64 = 100_000;

#[inline]
fn add(hidden: &mut Hidden, row: &[i16; HIDDEN]) {
    for (sum, weight) in hidden.iter_mut().zip(row) {
        *sum = sum.wrapping_add(*weight);
    }
}

#[inline]
fn take_away(hidden: &mut Hidden, row: &[i16; HIDDEN]) {
    for (sum, weight) in hidden.iter_mut().zip(row) {
        *sum = sum.wrapping_sub(*weight);
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {{ id: {:08x} }}", self.id)
    }
}
