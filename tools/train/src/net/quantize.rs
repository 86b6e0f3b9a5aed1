//! From real numbers to the whole numbers of the engine, and back.

use crate::net::data::Item;
use crate::net::model::Layout;
use astragal::eval::network::{HIDDEN, Network, NetworkWeights, SECOND};
use std::error::Error;
use std::path::Path;

/// What stands for 1 in the sums of the first layer.
const ONE: f32 = 255.0;

/// What an activation of 1 becomes: 255² / 256, rounded down.
const ACTIVE: f32 = 254.0;

/// What 1 is in the weights of the second layer.
const SECOND_ONE: f32 = 256.0;

/// What a centipawn is in the output.
const CENTIPAWN: f32 = 16384.0;

/// Writes the network, and tells what it misses the targets by.
pub fn write<const H: usize, const S: usize, const B: usize>(
    path: &Path,
    parameters: &[f32],
    held_out: &[Item],
) -> Result<(), Box<dyn Error>> {
    if (H, S, B) != (HIDDEN, SECOND, 1) {
        eprintln!("not written: the engine reads networks of {HIDDEN} and {SECOND} units and one head");
        return Ok(());
    }
    let bytes = weights::<H, S>(parameters).to_bytes().ok_or("a network of another shape than the engine's")?;
    let network = Network::from_bytes(&bytes)?;
    let square = |item: &Item| {
        let (value, _) = item.value(network.correction(&item.inputs) as f32 / 1000.0);
        f64::from(value - item.target).powi(2)
    };
    let squares: f64 = held_out.iter().map(square).sum();
    let error = (squares / held_out.len() as f64).sqrt();
    std::fs::write(path, bytes)?;
    eprintln!("{}: {error:.5} on games kept out, in whole numbers", network.name());
    Ok(())
}

fn weights<const H: usize, const S: usize>(parameters: &[f32]) -> NetworkWeights {
    // Conversions saturate; trained weights are far from the limits.
    let small = |from: usize, to: usize, scale: f32| {
        parameters[from..to].iter().map(|weight| (weight * scale).round() as i16).collect()
    };
    let large = |from: usize, to: usize, scale: f32| {
        parameters[from..to].iter().map(|weight| (weight * scale).round() as i32).collect()
    };
    let (first_bias, second) = (Layout::<H, S, 1>::FIRST_BIAS, Layout::<H, S, 1>::HEADS);
    let second_bias = second + Layout::<H, S, 1>::SECOND_BIAS;
    let (output, output_bias) = (second + Layout::<H, S, 1>::OUTPUT, second + Layout::<H, S, 1>::OUTPUT_BIAS);
    let centipawns = 1000.0 * CENTIPAWN;
    NetworkWeights {
        first: small(0, first_bias, ONE),
        first_bias: small(first_bias, second, ONE),
        second: small(second, second_bias, SECOND_ONE),
        second_bias: large(second_bias, output, ACTIVE * SECOND_ONE),
        output: large(output, output_bias, centipawns / ACTIVE),
        output_bias: (parameters[output_bias] * centipawns).round() as i32,
    }
}

/// The real numbers of a network of the engine's shape, to train it further. [`weights`] makes the same network of them.
pub fn parameters(weights: &NetworkWeights) -> Vec<f32> {
    let small =
        |numbers: &[i16], scale: f32| numbers.iter().map(|&number| f32::from(number) / scale).collect::<Vec<_>>();
    let large = |numbers: &[i32], scale: f32| numbers.iter().map(|&number| number as f32 / scale).collect::<Vec<_>>();
    let centipawns = 1000.0 * CENTIPAWN;
    [
        small(&weights.first, ONE),
        small(&weights.first_bias, ONE),
        small(&weights.second, SECOND_ONE),
        large(&weights.second_bias, ACTIVE * SECOND_ONE),
        large(&weights.output, centipawns / ACTIVE),
        large(&[weights.output_bias], centipawns),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_comes_back_from_its_real_numbers() {
        let shipped = include_bytes!("../../../../src/eval/network/network.bin");
        let shipped = NetworkWeights::from_bytes(shipped).unwrap();
        let real = parameters(&shipped);
        assert_eq!(real.len(), Layout::<HIDDEN, SECOND, 1>::COUNT);
        assert!(weights::<HIDDEN, SECOND>(&real) == shipped);
    }
}
