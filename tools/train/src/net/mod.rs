//! `train net`: the network, out of packed positions; `train export`: the network as an ONNX model; `train card`:
//! how well it predicts.

mod adam;
mod card;
mod curve;
mod data;
mod export;
mod model;
mod proto;
mod quantize;

pub use card::Card;
pub use export::Export;

use crate::net::adam::Adam;
use crate::net::data::{Data, Item};
use crate::net::model::Layout;
use astragal::eval::network::{HIDDEN, NetworkWeights, SECOND};
use astragal::rules::below;
use clap::Args;
use indicatif::ProgressBar;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::thread;

/// Each batch is shared out in as many parts, whose sums are added up in their order: so the result does not depend on
/// the number of threads.
const PARTS: usize = 8;

#[derive(Args)]
pub struct Net {
    /// Files that `train play` has written
    #[arg(required = true)]
    positions: Vec<PathBuf>,
    /// Where to write the network
    #[arg(long)]
    out: PathBuf,
    /// Where to draw the errors of all epochs, as SVG
    #[arg(long)]
    curve: Option<PathBuf>,
    /// Times that all positions are gone through
    #[arg(long, default_value_t = 8)]
    epochs: usize,
    /// Epochs without a smaller error on the games kept out, after which it ends
    #[arg(long, default_value_t = 3)]
    patience: usize,
    /// Positions between two steps
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(8..=1_048_576))]
    batch: u32,
    /// The step size at the start; it falls to a hundredth
    #[arg(long, default_value_t = 0.001)]
    rate: f32,
    /// λ: how much of the surprises of the later game a position is given, 0 to 1
    #[arg(long, default_value_t = 0.7)]
    lambda: f64,
    /// Units of the first layer; other numbers than the engine's are for comparison: 64, 128, 256, 512
    #[arg(long, default_value_t = HIDDEN)]
    hidden: usize,
    /// Units of the second layer, likewise: 8, 16, 32
    #[arg(long, default_value_t = SECOND)]
    second: usize,
    /// Second layers and outputs, of which the number of pieces chooses one; the engine has one, 4 and 8 are for comparison
    #[arg(long, default_value_t = 1)]
    heads: usize,
    /// A network to go on from, of as many units as the engine's, instead of random weights; best with a smaller step size
    #[arg(long, value_name = "NETWORK")]
    from: Option<PathBuf>,
    /// The seed of the first weights and of the order of positions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; the result is the same with any number
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
}

impl Net {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if !(0.0..=1.0).contains(&self.lambda) || !self.rate.is_finite() || self.rate <= 0.0 {
            return Err("lambda must be from 0 to 1, and the rate above 0".into());
        }
        let from = self.from.as_deref().map(|path| self.start(path)).transpose()?;
        let data = Data::read(&self.positions, self.lambda)?;
        if data.train.is_empty() || data.held_out.is_empty() {
            return Err("too few games: there must be some to learn from and some to keep out".into());
        }
        eprintln!("{} positions to learn from, {} kept out", data.train.len(), data.held_out.len());
        eprintln!("linear evaluation: {:.5} on those kept out", data::linear_error(&data.held_out));
        match (self.hidden, self.second, self.heads) {
            (64, 16, 1) => self.train::<64, 16, 1>(&data, from),
            (64, 32, 1) => self.train::<64, 32, 1>(&data, from),
            (128, 8, 1) => self.train::<128, 8, 1>(&data, from),
            (128, 16, 1) => self.train::<128, 16, 1>(&data, from),
            (128, 32, 1) => self.train::<128, 32, 1>(&data, from),
            (256, 8, 1) => self.train::<256, 8, 1>(&data, from),
            (256, 8, 4) => self.train::<256, 8, 4>(&data, from),
            (256, 8, 8) => self.train::<256, 8, 8>(&data, from),
            (256, 16, 1) => self.train::<256, 16, 1>(&data, from),
            (256, 32, 1) => self.train::<256, 32, 1>(&data, from),
            (512, 8, 1) => self.train::<512, 8, 1>(&data, from),
            (hidden, second, heads) => {
                Err(format!("layers of {hidden} and {second} units with {heads} heads are not provided for").into())
            }
        }
    }

    /// The parameters of a network to go on from.
    fn start(&self, path: &Path) -> Result<Vec<f32>, Box<dyn Error>> {
        if (self.hidden, self.second, self.heads) != (HIDDEN, SECOND, 1) {
            return Err(format!("--from is for networks of {HIDDEN} and {SECOND} units and one head").into());
        }
        let weights = NetworkWeights::load(path).map_err(|error| format!("{} {error}", path.display()))?;
        Ok(quantize::parameters(&weights))
    }

    fn train<const H: usize, const S: usize, const B: usize>(
        &self,
        data: &Data,
        from: Option<Vec<f32>>,
    ) -> Result<(), Box<dyn Error>> {
        let layout = Layout::<H, S, B>;
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut parameters = from.unwrap_or_else(|| layout.start(&mut rng));
        let mut adam = Adam::new(parameters.len());
        let mut workers: Vec<Vec<f32>> = vec![vec![0.0; parameters.len()]; PARTS];
        let mut order: Vec<u32> = (0..data.train.len() as u32).collect();
        let batch = self.batch as usize;
        let steps = (self.epochs * data.train.len().div_ceil(batch)) as f32;
        let mut step = 0;
        let mut curve = Vec::new();
        eprintln!("before: {:.5} on games kept out", self.error::<H, S, B>(&parameters, &data.held_out));
        let mut best: Option<(f64, Vec<f32>)> = None;
        let mut waited = 0;
        for epoch in 1..=self.epochs {
            shuffle(&mut order, &mut rng);
            let bar = ProgressBar::new(order.len() as u64);
            let mut squares = 0.0;
            for batch in order.chunks(batch) {
                let mirror = rng.next_u64();
                squares += self.gradient::<H, S, B>(&parameters, &data.train, batch, mirror, &mut workers);
                // Half a cosine, from the whole rate to a hundredth of it.
                let done = step as f32 / steps;
                let rate = self.rate * (0.01 + 0.99 * 0.5 * (1.0 + (std::f32::consts::PI * done).cos()));
                adam.step(&mut parameters, &workers, batch.len(), rate);
                step += 1;
                bar.inc(batch.len() as u64);
            }
            bar.finish_and_clear();
            let fitted = (squares / data.train.len() as f64).sqrt();
            let kept_out = self.error::<H, S, B>(&parameters, &data.held_out);
            eprintln!("epoch {epoch}: {fitted:.5}, on games kept out {kept_out:.5}");
            curve.push((fitted, kept_out));
            if best.as_ref().is_none_or(|(error, _)| kept_out < *error) {
                best = Some((kept_out, parameters.clone()));
                waited = 0;
            } else {
                waited += 1;
                if waited >= self.patience {
                    break;
                }
            }
        }
        let parameters = best.map_or(parameters, |(_, parameters)| parameters);
        if let Some(path) = &self.curve {
            curve::draw(path, &curve)?;
        }
        quantize::write::<H, S, B>(&self.out, &parameters, &data.held_out)
    }

    /// Fills the parts' gradients for the positions of a batch; the sum of their squared errors.
    fn gradient<const H: usize, const S: usize, const B: usize>(
        &self,
        parameters: &[f32],
        items: &[Item],
        batch: &[u32],
        mirror: u64,
        parts: &mut [Vec<f32>],
    ) -> f64 {
        let share = batch.len().div_ceil(PARTS).max(1);
        let mut jobs: Vec<_> = parts.iter_mut().enumerate().map(|(number, part)| (number, part, 0.0)).collect();
        let per_thread = jobs.len().div_ceil(self.threads.clamp(1, PARTS));
        thread::scope(|scope| {
            for jobs in jobs.chunks_mut(per_thread) {
                scope.spawn(move || {
                    for (number, part, squares) in jobs {
                        part.fill(0.0);
                        let own = batch.chunks(share).nth(*number).unwrap_or_default();
                        *squares = Layout::<H, S, B>.gradient(
                            parameters,
                            items,
                            own,
                            mirror.rotate_left(*number as u32),
                            part,
                        );
                    }
                });
            }
        });
        jobs.iter().map(|&(_, _, squares)| squares).sum()
    }

    /// The root of the mean square error.
    fn error<const H: usize, const S: usize, const B: usize>(&self, parameters: &[f32], items: &[Item]) -> f64 {
        let share = items.len().div_ceil(PARTS).max(1);
        let mut sums = [0.0; PARTS];
        thread::scope(|scope| {
            for (sum, items) in sums.iter_mut().zip(items.chunks(share)) {
                scope.spawn(move || *sum = Layout::<H, S, B>.squares(parameters, items));
            }
        });
        (sums.iter().sum::<f64>() / items.len() as f64).sqrt()
    }
}

fn shuffle(order: &mut [u32], rng: &mut ChaCha8Rng) {
    for last in (1..order.len()).rev() {
        order.swap(last, below(rng, last as u64 + 1) as usize);
    }
}
