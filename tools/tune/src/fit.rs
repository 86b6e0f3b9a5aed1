//! The fit: Gauss-Newton steps on the errors of equities.
//!
//! The quiet evaluation is a sum x of weights; its equity is q = x / √(x² + 1) (in units of 1000 centipawns), and with the
//! exact chance k to capture the king a position is worth k + (1 − k) q. The fit makes that as close as it can (least
//! squares, with a little ridge towards the weights it starts from) to the λ-return of the game: its result, mixed with what
//! the weights themselves say of the positions on the way there (R. Sutton, "Learning to predict by the methods of
//! temporal differences", 1988). The mixture has far less of the luck of the dice in it than the result alone.

use super::layout::WEIGHTS;
use super::samples::Samples;
use super::tables;
use clap::Args;
use nalgebra::{Cholesky, DMatrix, DVector};
use std::error::Error;
use std::path::PathBuf;

/// Games with numbers that leave this remainder are kept out of the fit, to see how it does on what it has not seen.
const HELD_OUT: (u64, u64) = (10, 9);

#[derive(Args)]
pub struct Fit {
    /// Files that `tune play` has written
    #[arg(required = true)]
    positions: Vec<PathBuf>,
    /// Weights to start from, and to stay near where the games say little
    #[arg(long, default_value = "src/eval/weights.rs")]
    start: PathBuf,
    /// Where to write the weights; may be the file of --start
    #[arg(long)]
    out: PathBuf,
    /// Gauss-Newton steps
    #[arg(long, default_value_t = 3)]
    steps: usize,
    /// How strongly weights are held to the start: like so many positions in which a weight counts once
    #[arg(long, default_value_t = 2000.0)]
    ridge: f64,
    /// λ: the share of the later game in the target of a position, 0 (the next position only) to 1 (the result only)
    #[arg(long, default_value_t = 0.6)]
    lambda: f64,
}

impl Fit {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if !(0.0..=1.0).contains(&self.lambda) || !self.ridge.is_finite() || self.ridge <= 0.0 {
            return Err("lambda must be from 0 to 1, and the ridge above 0".into());
        }
        let start = tables::read(&self.start)?;
        let samples = Samples::read(&self.positions)?;
        eprintln!("{} positions", samples.len());
        let mut weights = start.clone();
        errors("start", &samples, &weights);
        for step in 1..=self.steps {
            let targets = lambda_returns(&samples, &weights, self.lambda);
            weights += gauss_newton(&samples, &weights, &targets, &start, self.ridge).ok_or("no step can be made")?;
            errors(&format!("step {step}"), &samples, &weights);
        }
        tables::write(&self.out, &weights, samples.len())?;
        Ok(())
    }
}

fn is_held_out(game: u64) -> bool {
    game % HELD_OUT.0 == HELD_OUT.1
}

fn quiet(samples: &Samples, weights: &DVector<f64>, position: usize) -> f64 {
    samples.features(position).iter().map(|&(index, count)| weights[usize::from(index)] * f64::from(count)).sum()
}

/// What the weights say of a position.
fn value(samples: &Samples, weights: &DVector<f64>, position: usize) -> f64 {
    let (x, captures) = (quiet(samples, weights, position), samples.captures[position]);
    captures + (1.0 - captures) * x / (x * x + 1.0).sqrt()
}

/// For each position the mixture of the result and the values of the positions after it.
fn lambda_returns(samples: &Samples, weights: &DVector<f64>, lambda: f64) -> Vec<f64> {
    let mut returns = samples.results.clone();
    for position in (0..samples.len().saturating_sub(1)).rev() {
        let next = position + 1;
        if samples.games[position] == samples.games[next] {
            // The next position is the other side's to roll in.
            returns[position] = -(lambda * returns[next] + (1.0 - lambda) * value(samples, weights, next));
        }
    }
    returns
}

/// The change of weights that one step makes; `None` if the equations have no solution, which the ridge prevents.
fn gauss_newton(
    samples: &Samples,
    weights: &DVector<f64>,
    targets: &[f64],
    start: &DVector<f64>,
    ridge: f64,
) -> Option<DVector<f64>> {
    let mut curvature = DMatrix::zeros(WEIGHTS, WEIGHTS);
    let mut slope = (start - weights) * ridge;
    for position in (0..samples.len()).filter(|&position| !is_held_out(samples.games[position])) {
        let (x, captures) = (quiet(samples, weights, position), samples.captures[position]);
        let steepness = (1.0 - captures) * (x * x + 1.0).powf(-1.5);
        let error = targets[position] - value(samples, weights, position);
        let features = samples.features(position);
        for (number, &(index, count)) in features.iter().enumerate() {
            let change = steepness * f64::from(count);
            slope[usize::from(index)] += change * error;
            // The lower triangle is all that is read; indices ascend.
            let mut column = curvature.column_mut(usize::from(index));
            for &(other, count) in &features[number..] {
                column[usize::from(other)] += change * steepness * f64::from(count);
            }
        }
    }
    for weight in 0..WEIGHTS {
        curvature[(weight, weight)] += ridge;
    }
    Cholesky::new(curvature).map(|factors| factors.solve(&slope))
}

/// Tells the mean squared difference between values and results, in the fit and on the games kept out.
fn errors(when: &str, samples: &Samples, weights: &DVector<f64>) {
    let (mut sums, mut counts) = ([0.0; 2], [0usize; 2]);
    for position in 0..samples.len() {
        let part = usize::from(is_held_out(samples.games[position]));
        sums[part] += (value(samples, weights, position) - samples.results[position]).powi(2);
        counts[part] += 1;
    }
    let mean = |part: usize| sums[part] / counts[part].max(1) as f64;
    eprintln!("{when}: mean squared error {:.5}, on games kept out {:.5}", mean(0), mean(1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_return_mixes_the_result_with_the_next_value() {
        let dfen = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 -";
        let mut samples = Samples::default();
        for game in ["1", "1", "2"] {
            samples.add_for_test(&format!("{dfen}\t0\t{game}\t1"));
        }
        let weights = DVector::zeros(WEIGHTS);
        // The values are all 0, so only the share of the result is left, with its sign turned for the other side.
        assert_eq!(lambda_returns(&samples, &weights, 0.25), [-0.25, 1.0, 1.0]);
    }
}
