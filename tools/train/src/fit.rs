//! The fit: Gauss-Newton steps on the errors of equities.
//!
//! The quiet evaluation is a sum x of weights; its equity is q = x / √(x² + 1) (in units of 1000 centipawns), and with
//! the exact chance k to capture the king a position is worth k + (1 − k) q. The fit makes that as close as it can
//! (least squares, with a little ridge towards the weights it starts from) to the targets of `targets.rs`.

use super::layout::WEIGHTS;
use super::samples::Samples;
use super::tables;
use super::targets::targets;
use clap::Args;
use nalgebra::{Cholesky, DMatrix, DVector};
use std::error::Error;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Games with numbers that leave this remainder are kept out of the fit, to see how it does on what it has not seen.
const HELD_OUT: (u64, u64) = (10, 9);

#[derive(Args)]
pub struct Fit {
    /// Files that `train play` has written
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
    /// How strongly weights are held to the start: like this number of positions in which a weight counts once
    #[arg(long, default_value_t = 500.0)]
    ridge: f64,
    /// λ: how much of the surprises of the later game a position is given, 0 (its own roll only) to 1 (all of them)
    #[arg(long, default_value_t = 0.7)]
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
        let (targets, all) = (targets(&samples, self.lambda), targets(&samples, 1.0));
        let mut weights = start.clone();
        errors("start", &samples, &weights, &targets, &all);
        for step in 1..=self.steps {
            weights += gauss_newton(&samples, &weights, &targets, &start, self.ridge).ok_or("no step can be made")?;
            errors(&format!("step {step}"), &samples, &weights, &targets, &all);
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

/// Tells by how much (root of the mean square) values miss their targets: in the fit, on the games kept out, and there
/// by the number of pieces; and on the games kept out the targets with all surprises in them, which no λ has a part in.
fn errors(when: &str, samples: &Samples, weights: &DVector<f64>, targets: &[f64], all: &[f64]) {
    let (mut fitted, mut kept_out, mut whole) = (Mean::default(), Mean::default(), Mean::default());
    let mut phases = [Mean::default(); PHASES.len()];
    for position in 0..samples.len() {
        let value = value(samples, weights, position);
        let error = value - targets[position];
        if is_held_out(samples.games[position]) {
            kept_out.add(error);
            whole.add(value - all[position]);
            let pieces = samples.pieces[position];
            for (mean, _) in phases.iter_mut().zip(PHASES).filter(|(_, phase)| phase.contains(&pieces)) {
                mean.add(error);
            }
        } else {
            fitted.add(error);
        }
    }
    let [many, some, few] = phases.map(|mean| mean.root());
    eprintln!(
        "{when}: {:.5}, on games kept out {:.5} (over 24 pieces {many:.5}, 16 to 24 {some:.5}, fewer {few:.5}), \
         with all surprises {:.5}",
        fitted.root(),
        kept_out.root(),
        whole.root(),
    );
}

/// Numbers of pieces that errors are told for.
const PHASES: [RangeInclusive<u32>; 3] = [25..=32, 16..=24, 0..=15];

/// The mean square of some numbers.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, number: f64) {
        self.sum += number * number;
        self.count += 1;
    }

    fn root(self) -> f64 {
        (self.sum / self.count.max(1) as f64).sqrt()
    }
}
