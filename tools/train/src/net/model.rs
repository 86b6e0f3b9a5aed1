//! The network with real numbers: values and gradients.
//!
//! Weights are in the unit in which activations run from 0 to 1; the output is in 1000 centipawns. What the engine does
//! with whole numbers is at the head of its `eval::network`.

use crate::net::data::Item;
use astragal::eval::network::NetworkInputs;
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// Where each layer's parameters are, for layers of H and S units.
///
/// After the first layer there are B heads (second layer and output), one behind the other; which one a position is given
/// to goes by the number of its pieces. The engine's network has one.
#[derive(Clone, Copy)]
pub struct Layout<const H: usize, const S: usize, const B: usize>;

/// What a position makes of a network.
struct Pass<const H: usize, const S: usize> {
    /// The sums of the first layer.
    hidden: [f32; H],
    active: [f32; H],
    second: [f32; S],
    output: f32,
    /// Where the parameters of its head begin.
    head: usize,
}

impl<const H: usize, const S: usize, const B: usize> Layout<H, S, B> {
    pub const FIRST_BIAS: usize = NetworkInputs::COUNT * H;
    /// Where the first head begins.
    pub const HEADS: usize = Self::FIRST_BIAS + H;
    pub const COUNT: usize = Self::HEADS + B * Self::HEAD;

    // Within a head, which begins with the weights of its second layer:
    pub const SECOND_BIAS: usize = S * H;
    pub const OUTPUT: usize = Self::SECOND_BIAS + S;
    pub const OUTPUT_BIAS: usize = Self::OUTPUT + S;
    const HEAD: usize = Self::OUTPUT_BIAS + 1;

    /// Parameters to start from: small and random, the output near 0.
    pub fn start(self, rng: &mut ChaCha8Rng) -> Vec<f32> {
        let mut uniform = |most: f32| most * ((rng.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0);
        let mut parameters = vec![0.0; Self::COUNT];
        parameters[..Self::FIRST_BIAS].fill_with(|| uniform(0.08));
        parameters[Self::FIRST_BIAS..Self::HEADS].fill(0.3);
        for head in parameters[Self::HEADS..].chunks_exact_mut(Self::HEAD) {
            head[..Self::SECOND_BIAS].fill_with(|| uniform(2.0 / (H as f32).sqrt()));
            head[Self::SECOND_BIAS..Self::OUTPUT].fill(0.2);
            head[Self::OUTPUT..Self::OUTPUT_BIAS].fill_with(|| uniform(0.1));
        }
        parameters
    }

    fn pass(self, parameters: &[f32], inputs: &NetworkInputs) -> Pass<H, S> {
        let (rows, _) = parameters.as_chunks::<H>();
        let (rows, after) = rows.split_at(NetworkInputs::COUNT);
        let mut hidden = after[0];
        for input in inputs.iter() {
            for (sum, weight) in hidden.iter_mut().zip(&rows[input]) {
                *sum += weight;
            }
        }
        let active = hidden.map(|sum| sum.clamp(0.0, 1.0) * sum.clamp(0.0, 1.0));
        let start = Self::head(inputs);
        let head = &parameters[start..start + Self::HEAD];
        let mut second = [0.0; S];
        let (second_rows, _) = head[..Self::SECOND_BIAS].as_chunks::<H>();
        for (unit, (row, bias)) in second.iter_mut().zip(second_rows.iter().zip(&head[Self::SECOND_BIAS..])) {
            *unit = bias + dot(row, &active);
        }
        let weights = &head[Self::OUTPUT..Self::OUTPUT_BIAS];
        let output: f32 = second.iter().zip(weights).map(|(unit, weight)| unit.clamp(0.0, 1.0) * weight).sum();
        Pass { hidden, active, second, output: output + head[Self::OUTPUT_BIAS], head: start }
    }

    /// Where the head of a position begins: of two kings alone the first, of all 32 pieces the last.
    fn head(inputs: &NetworkInputs) -> usize {
        let pieces: u32 = inputs.0.iter().map(|plane| plane.count_ones()).sum();
        Self::HEADS + (pieces as usize * B / 33).min(B - 1) * Self::HEAD
    }

    /// The sum of squared errors.
    pub fn squares(self, parameters: &[f32], items: &[Item]) -> f64 {
        let square = |item: &Item| {
            let (value, _) = item.value(self.pass(parameters, &item.inputs).output);
            f64::from(value - item.target).powi(2)
        };
        items.iter().map(square).sum()
    }

    /// Adds the gradient of half the sum of squared errors; gives that sum, not halved. Bits of `mirror` say which
    /// positions are seen in a mirror.
    pub fn gradient(self, parameters: &[f32], items: &[Item], batch: &[u32], mirror: u64, gradient: &mut [f32]) -> f64 {
        let mut squares = 0.0;
        for (number, &at) in batch.iter().enumerate() {
            let item = &items[at as usize];
            // The multiplication spreads the bits, so that it is another half of the positions each time.
            let is_mirrored = (mirror ^ number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 1;
            let inputs = if is_mirrored { item.inputs.mirrored() } else { item.inputs };
            let pass = self.pass(parameters, &inputs);
            let (value, slope) = item.value(pass.output);
            let error = value - item.target;
            squares += f64::from(error).powi(2);
            let to_output = error * slope;

            let head = &parameters[pass.head..pass.head + Self::HEAD];
            let (second_rows, _) = head[..Self::SECOND_BIAS].as_chunks::<H>();
            let to_head = &mut gradient[pass.head..pass.head + Self::HEAD];
            to_head[Self::OUTPUT_BIAS] += to_output;
            let mut to_active = [0.0; H];
            for unit in 0..S {
                let sum = pass.second[unit];
                to_head[Self::OUTPUT + unit] += to_output * sum.clamp(0.0, 1.0);
                if !(0.0..=1.0).contains(&sum) {
                    continue;
                }
                let to_unit = to_output * head[Self::OUTPUT + unit];
                to_head[Self::SECOND_BIAS + unit] += to_unit;
                let start = unit * H;
                for (sum, active) in to_head[start..start + H].iter_mut().zip(&pass.active) {
                    *sum += to_unit * active;
                }
                for (sum, weight) in to_active.iter_mut().zip(&second_rows[unit]) {
                    *sum += to_unit * weight;
                }
            }
            let mut to_hidden = [0.0; H];
            for ((to_hidden, to_active), sum) in to_hidden.iter_mut().zip(to_active).zip(pass.hidden) {
                let inside = if sum > 0.0 && sum < 1.0 { 2.0 * sum } else { 0.0 };
                *to_hidden = to_active * inside;
            }
            let (rows, _) = gradient.as_chunks_mut::<H>();
            let (rows, after) = rows.split_at_mut(NetworkInputs::COUNT);
            add(&mut after[0], &to_hidden);
            for input in inputs.iter() {
                add(&mut rows[input], &to_hidden);
            }
        }
        squares
    }
}

#[inline]
fn add<const H: usize>(sums: &mut [f32; H], numbers: &[f32; H]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}

/// The scalar product, in sixteen sums that the compiler keeps side by side.
#[inline]
fn dot<const H: usize>(a: &[f32; H], b: &[f32; H]) -> f32 {
    let mut sums = [0.0; 16];
    for (a, b) in a.as_chunks::<16>().0.iter().zip(b.as_chunks::<16>().0) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::Rolled;
    use rand_core::SeedableRng;

    #[test]
    fn gradients_are_the_slopes_of_the_error() {
        let layout = Layout::<32, 16, 4>;
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut parameters = layout.start(&mut rng);
        let items: Vec<Item> = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -", 0.0, 0.3),
            ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 -", 0.25, -0.4),
        ]
        .map(|(dfen, captures, target)| Item::new(&Rolled::from_dfen(dfen).unwrap().position, captures, target, 0))
        .to_vec();
        let mut gradient = vec![0.0; parameters.len()];
        // With this mirror both are seen as they stand: the errors below are too.
        let mirror = (0..)
            .find(|mirror| (0..2u64).all(|number| (mirror ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 63 == 0));
        layout.gradient(&parameters, &items, &[0, 1], mirror.unwrap(), &mut gradient);
        let step = 1e-2;
        let mut compared = 0;
        for at in (0..parameters.len()).filter(|&at| gradient[at].abs() > 1e-4).step_by(61) {
            let kept = parameters[at];
            let mut error = |value: f32| {
                parameters[at] = value;
                layout.squares(&parameters, &items) / 2.0
            };
            let slope = (error(kept + step) - error(kept - step)) / (2.0 * f64::from(step));
            parameters[at] = kept;
            let close = (slope - f64::from(gradient[at])).abs() < 2e-3 + 0.1 * slope.abs();
            assert!(close, "{at}: {slope} {}", gradient[at]);
            compared += 1;
        }
        assert!(compared > 20, "{compared}");
    }
}
