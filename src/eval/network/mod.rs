//! The evaluation that has learned the game: a small network whose output is added to the linear evaluation.
//!
//! The first layer adds up a row of weights for every input that is on ([`NetworkInputs`]); from one position to the next
//! only what differs is added and taken away. All arithmetic is of whole numbers, so that values are the same on every
//! machine, with AVX2 or without, and do not depend on the positions looked at before.
//!
//! | layer | computation |
//! |---|---|
//! | first | `h = bias + Σ rows`, in 1/255; squared after it was cut to 0..=1: `a = min(max(h, 0), 255)² / 256`, rounded |
//! | second | `s = bias + Σ a × weight`, in 1/65024; cut to 0..=1: `t = min(max(s / 256, 0), 254)` |
//! | output | `bias + Σ t × weight`, in 1/16384 centipawns, rounded down |

mod evaluator;
mod file;
mod inputs;

pub use evaluator::NetworkEvaluator;
pub use file::NetworkError;
pub use inputs::NetworkInputs;

use smallvec::SmallVec;
use std::fmt;
use std::sync::{Arc, LazyLock};
use wide::{i16x16, i32x8};

/// Units of the first layer.
pub const HIDDEN: usize = 256;

/// Units of the second layer.
pub const SECOND: usize = 8;

/// What stands for 1 in the sums of the first layer.
const ONE: i16 = 255;

/// What stands for 1 in its activations, and in those of the second layer.
const ACTIVE: i32 = 254;

/// The output's unit, as a power of two of a centipawn.
const OUTPUT_SHIFT: u32 = 14;

/// Numbers that are computed with at once.
const LANES: usize = 16;

/// One number for each unit of the first layer.
pub(crate) type Hidden = [i16x16; HIDDEN / LANES];

/// Inputs that are on in one position and off in another, by their numbers; at most as many as there are pieces.
type Changes = SmallVec<[u16; 32]>;

/// The weights of a network. See the head of the module for what is done with them.
#[derive(Clone, PartialEq)]
pub struct Network {
    /// Of the first layer, for each of the [`NetworkInputs::COUNT`] inputs.
    first: Vec<Hidden>,
    first_bias: Hidden,
    second: [Hidden; SECOND],
    second_bias: [i32; SECOND],
    output: [i32; SECOND],
    output_bias: i32,
    id: u32,
}

/// The weights in the order in which a file has them; what a trainer hands over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkWeights {
    /// Of the first layer: for each of the [`NetworkInputs::COUNT`] inputs [`HIDDEN`] weights, in 1/255.
    pub first: Vec<i16>,
    /// Biases of the first layer, [`HIDDEN`], in 1/255.
    pub first_bias: Vec<i16>,
    /// Of the second layer: for each of its [`SECOND`] units [`HIDDEN`] weights, in 1/256.
    pub second: Vec<i16>,
    /// Biases of the second layer, [`SECOND`], in 1/65024.
    pub second_bias: Vec<i32>,
    /// Of the output, [`SECOND`]; a unit that is 1 adds 254 of them, in 1/16384 centipawns.
    pub output: Vec<i32>,
    /// The bias of the output, in 1/16384 centipawns.
    pub output_bias: i32,
}

/// The network that is part of the program.
pub static SHIPPED: LazyLock<Arc<Network>> = LazyLock::new(|| {
    let network = Network::from_bytes(include_bytes!("network.bin"));
    // A test reads it.
    Arc::new(network.unwrap_or_else(|error| panic!("the network in the program: {error}")))
});

impl Network {
    /// The id of these weights: the first 32 bits of the SHA-256 hash of the file.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// What it is called in messages and files: `network` and its id in hexadecimal.
    pub fn name(&self) -> String {
        format!("network {:08x}", self.id)
    }

    /// What the network adds to the linear evaluation, in centipawns for the side to roll, without the chance to capture
    /// the king at once.
    pub fn correction(&self, inputs: &NetworkInputs) -> i32 {
        self.begin(inputs).1
    }

    /// The sums of the first layer for these inputs, from nothing, and the output.
    fn begin(&self, inputs: &NetworkInputs) -> (Hidden, i32) {
        let mut hidden = self.first_bias;
        let on: Changes = inputs.iter().map(|input| input as u16).collect();
        let output = self.forward(&mut hidden, &on, &[]);
        (hidden, output)
    }

    /// Adds the rows of some inputs to the sums of the first layer, takes those of others away, and computes the output.
    #[inline]
    fn forward(&self, hidden: &mut Hidden, added: &[u16], removed: &[u16]) -> i32 {
        /// Sums that stay in registers beside those of the second layer.
        const AT_ONCE: usize = 4;
        let (zero, one) = (i16x16::splat(0), i16x16::splat(ONE));
        let (sixteen, eight) = (i16x16::splat(16), i16x16::splat(8));
        let mut units = [i32x8::splat(0); SECOND];
        // All of these additions wrap around, on every machine; trained weights are far from it.
        for (part, sums) in hidden.as_chunks_mut::<AT_ONCE>().0.iter_mut().enumerate() {
            let row = |rows: &Hidden| rows.as_chunks::<AT_ONCE>().0[part];
            let mut now = *sums;
            for &input in added {
                for (sum, weight) in now.iter_mut().zip(row(&self.first[usize::from(input)])) {
                    *sum += weight;
                }
            }
            for &input in removed {
                for (sum, weight) in now.iter_mut().zip(row(&self.first[usize::from(input)])) {
                    *sum -= weight;
                }
            }
            *sums = now;
            let active = now.map(|sum| {
                let cut = sum.max(zero).min(one);
                // The product of 16 and 8 times it, over 32768, rounded.
                (cut * sixteen).mul_scale_round(cut * eight)
            });
            for (unit, weights) in units.iter_mut().zip(&self.second) {
                for (active, weight) in active.iter().zip(row(weights)) {
                    *unit += active.dot(weight);
                }
            }
        }
        // Each unit's eight partial sums stand in one vector; after this a vector has one partial sum of each unit.
        let biases = i32x8::from(self.second_bias);
        let sums = i32x8::transpose(units).into_iter().fold(biases, |sum, part| sum + part);
        let active: [i32; SECOND] = (sums >> 8i32).max(i32x8::splat(0)).min(i32x8::splat(ACTIVE)).to_array();
        let products = active.into_iter().zip(self.output).map(|(unit, weight)| i64::from(unit) * i64::from(weight));
        let sum = i64::from(self.output_bias) + products.sum::<i64>();
        (sum >> OUTPUT_SHIFT).clamp(-i64::from(MOST_CORRECTION), i64::from(MOST_CORRECTION)) as i32
    }
}

/// The most that a network adds, in centipawns: so that a file that means ill does not make a sum overflow.
pub const MOST_CORRECTION: i32 = 100_000;

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Network {{ id: {:08x} }}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};
    use crate::rules::{Roll, outcomes};

    /// The table at the head of the module, number by number.
    pub(super) fn slowly(network: &Network, inputs: &NetworkInputs) -> i32 {
        let number = |numbers: &Hidden, unit: usize| numbers[unit / LANES].to_array()[unit % LANES];
        let active: Vec<i64> = (0..HIDDEN)
            .map(|unit| {
                let rows = inputs.iter().map(|input| i64::from(number(&network.first[input], unit)));
                let sum = i64::from(number(&network.first_bias, unit)) + rows.sum::<i64>();
                assert!(i16::try_from(sum).is_ok(), "trained weights do not wrap around");
                (sum.clamp(0, 255).pow(2) + 128) / 256
            })
            .collect();
        let output = (0..SECOND).map(|unit| {
            let products = (0..HIDDEN).map(|at| active[at] * i64::from(number(&network.second[unit], at)));
            let sum = i64::from(network.second_bias[unit]) + products.sum::<i64>();
            sum.div_euclid(256).clamp(0, 254) * i64::from(network.output[unit])
        });
        (i64::from(network.output_bias) + output.sum::<i64>()).div_euclid(1 << 14) as i32
    }

    #[test]
    fn all_at_once_is_number_by_number() {
        let mut values = Vec::new();
        for dfen in [STARTPOS, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 -"] {
            let position = Rolled::from_dfen(dfen).unwrap().position;
            for roll in Roll::all() {
                for outcome in outcomes(&Rolled { position, dice: roll.dice() }).distinct.iter().step_by(50) {
                    let inputs = NetworkInputs::of(&outcome.position);
                    let value = SHIPPED.correction(&inputs);
                    assert_eq!(value, slowly(&SHIPPED, &inputs), "{}", outcome.position);
                    values.push(value);
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        assert!(values.len() > 20, "{values:?}");
    }

    #[test]
    fn extreme_weights_cost_nothing_but_sense() {
        let row = [i16x16::splat(i16::MAX); HIDDEN / LANES];
        let network = Network {
            first: vec![row; NetworkInputs::COUNT],
            first_bias: row,
            second: [row; SECOND],
            second_bias: [i32::MAX; SECOND],
            output: [i32::MIN; SECOND],
            output_bias: i32::MIN,
            id: 0,
        };
        let position = Rolled::from_dfen(STARTPOS).unwrap().position;
        assert!(network.correction(&NetworkInputs::of(&position)).abs() <= MOST_CORRECTION);
    }
}
