//! `train card`: how well the linear evaluation and the network predict the games that were kept out of training.
//!
//! What they are held against is the target with λ = 1: the result of the game with the luck of its rolls taken out, turn
//! by turn. Positions of one game share its fate, so standard errors are those of means over games, not over positions.

use super::data::{Data, Item};
use astragal::eval::network::Network;
use clap::Args;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

/// Ranges of predicted equities, of the same width.
const BINS: usize = 10;

#[derive(Args)]
pub struct Card {
    /// Files that `train play` has written
    #[arg(required = true)]
    positions: Vec<PathBuf>,
    /// The network
    #[arg(long)]
    net: PathBuf,
    /// λ: how much of the surprises of the later game a position is given, 0 to 1; 1 is all, to the result
    #[arg(long, default_value_t = 1.0)]
    lambda: f64,
}

impl Card {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if !(0.0..=1.0).contains(&self.lambda) {
            return Err("lambda must be from 0 to 1".into());
        }
        let network = Network::load(&self.net).map_err(|error| format!("{} {error}", self.net.display()))?;
        let mut text = String::new();
        for path in &self.positions {
            // One file at a time, since games have the same numbers in each.
            let items = Data::read_held_out(path, self.lambda)?;
            if items.is_empty() {
                return Err(format!("{}: too few games: none is kept out", path.display()).into());
            }
            let games = Bin::of(items.iter().map(|item| (item, 0.0))).games;
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            writeln!(text, "`{name}`: {} positions of {games} games kept out, λ = {}\n", items.len(), self.lambda)?;
            let by_network = |item: &Item| item.value(network.correction(&item.inputs) as f32 / 1000.0).0;
            text.push_str(&table(&items, &network.name(), by_network));
            text.push('\n');
        }
        print!("{text}");
        Ok(())
    }
}

/// Positions that are predicted about the same.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Bin {
    positions: u64,
    games: u64,
    /// Means.
    predicted: f64,
    result: f64,
    /// The standard error of the difference of the means.
    error: f64,
}

impl Bin {
    /// The bin of these positions with what is predicted for each; those of a game stand together.
    fn of<'a>(items: impl Iterator<Item = (&'a Item, f64)> + Clone) -> Self {
        let mut bin = Self::default();
        for (item, predicted) in items.clone() {
            bin.positions += 1;
            bin.predicted += predicted;
            bin.result += f64::from(item.target);
        }
        let count = bin.positions as f64;
        bin.predicted /= count;
        bin.result /= count;
        let mean = bin.result - bin.predicted;
        // Of each game the sum of what its differences are more than the mean: the error of a mean over clusters.
        let (mut game, mut sum, mut squares) = (None, 0.0, 0.0);
        for (item, predicted) in items {
            if game != Some(item.game) {
                squares += sum * sum;
                sum = 0.0;
                bin.games += 1;
                game = Some(item.game);
            }
            sum += f64::from(item.target) - predicted - mean;
        }
        squares += sum * sum;
        let games = bin.games as f64;
        bin.error = if bin.games > 1 { (squares * games / (games - 1.0)).sqrt() / count } else { f64::NAN };
        bin
    }
}

/// The number of the bin of an equity.
fn bin_of(predicted: f64) -> usize {
    // Saturates at both ends.
    (((predicted + 1.0) / 2.0 * BINS as f64) as usize).min(BINS - 1)
}

/// Calibration and errors of the linear evaluation and of the network.
fn table(items: &[Item], network: &str, by_network: impl Fn(&Item) -> f32) -> String {
    let linear: Vec<f64> = items.iter().map(|item| f64::from(item.value(0.0).0)).collect();
    let learned: Vec<f64> = items.iter().map(|item| f64::from(by_network(item))).collect();
    let mut text = format!(
        "| predicted | linear: positions | mean | result less mean | {network}: positions | mean | result less mean |\n\
         |---|---|---|---|---|---|---|\n"
    );
    let cells = |predicted: &[f64], number: usize| {
        let inside = items.iter().zip(predicted.iter().copied());
        let bin = Bin::of(inside.filter(|&(_, predicted)| bin_of(predicted) == number));
        if bin.positions == 0 {
            return "0 | | ".to_owned();
        }
        format!("{} | {:+.4} | {:+.4} ± {:.4} ", bin.positions, bin.predicted, bin.result - bin.predicted, bin.error)
    };
    for number in 0..BINS {
        let edge = |number: usize| -1.0 + 2.0 * number as f64 / BINS as f64;
        let range = format!("{:+.1} to {:+.1}", edge(number), edge(number + 1));
        // Writing to a string does not fail.
        let _ = writeln!(text, "| {range} | {}| {}|", cells(&linear, number), cells(&learned, number));
    }
    for (name, predicted) in [("linear", &linear), (network, &learned)] {
        let (slope, mean_square) = slope_and_error(items, predicted);
        let root = mean_square.sqrt();
        let _ = write!(text, "\n{name}: mean square error {mean_square:.6}, its root {root:.5}, slope {slope:.3}.");
    }
    text.push('\n');
    text
}

/// The slope of results over predictions, and the mean square of their differences.
fn slope_and_error(items: &[Item], predicted: &[f64]) -> (f64, f64) {
    let count = items.len() as f64;
    let pairs = || items.iter().zip(predicted).map(|(item, &predicted)| (f64::from(item.target), predicted));
    let mean_square = pairs().map(|(result, predicted)| (result - predicted).powi(2)).sum::<f64>() / count;
    let result = pairs().map(|(result, _)| result).sum::<f64>() / count;
    let mean = predicted.iter().sum::<f64>() / count;
    let together = pairs().map(|(value, predicted)| (value - result) * (predicted - mean)).sum::<f64>();
    let alone = predicted.iter().map(|predicted| (predicted - mean).powi(2)).sum::<f64>();
    (together / alone, mean_square)
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::{Rolled, STARTPOS};

    fn items(targets: &[(u32, f32)]) -> Vec<Item> {
        let position = Rolled::from_dfen(STARTPOS).unwrap().position;
        targets.iter().map(|&(game, target)| Item::new(&position, 0.0, target, game)).collect()
    }

    #[test]
    fn errors_are_those_of_games() {
        // Four games; the positions of each say the same, as often as they like.
        let once = items(&[(0, 0.5), (1, -0.5), (2, 0.5), (3, -0.5)]);
        let often = items(&[0, 1, 2, 3].map(|game| [(game, if game % 2 == 0 { 0.5 } else { -0.5 }); 10]).concat());
        let bin = |items: &[Item]| Bin::of(items.iter().map(|item| (item, 0.25)));
        let (few, many) = (bin(&once), bin(&often));
        assert_eq!((few.positions, few.games, many.positions, many.games), (4, 4, 40, 4));
        assert_eq!((few.predicted, few.result), (0.25, 0.0));
        // The standard deviation of 0.5, -0.5, 0.5, -0.5 over the root of 4.
        let expected = (1.0f64 / 3.0).sqrt() / 2.0;
        assert!((few.error - expected).abs() < 1e-12 && (many.error - expected).abs() < 1e-12, "{few:?} {many:?}");
    }

    #[test]
    fn bins_cover_all_equities() {
        assert_eq!([-1.0, -0.9, -0.79, -0.01, 0.01, 0.79, 0.9, 1.0].map(bin_of), [0, 0, 1, 4, 5, 8, 9, 9]);
    }

    #[test]
    fn a_perfect_prediction_has_slope_one_and_no_error() {
        let items = items(&[(0, 0.5), (0, -0.25), (1, 0.75), (2, -0.5)]);
        let perfect: Vec<f64> = items.iter().map(|item| f64::from(item.target)).collect();
        assert_eq!(slope_and_error(&items, &perfect), (1.0, 0.0));
        let half: Vec<f64> = perfect.iter().map(|value| value / 2.0).collect();
        assert!((slope_and_error(&items, &half).0 - 2.0).abs() < 1e-12);
        let text = table(&items, "network", |item| item.target);
        assert!(text.contains("| +0.4 to +0.6 | 0 | | | 1 | +0.5000 | +0.0000 ± NaN |"), "{text}");
        assert!(text.contains("network: mean square error 0.000000, its root 0.00000, slope 1.000."), "{text}");
    }
}
