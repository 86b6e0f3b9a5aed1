//! How often 95 % intervals of luck-adjusted scores cover the truth, where most pairs are the same game twice and where
//! none is.

use super::elo::score_of_elo;
use super::luck::{LuckAdjustment, adjusted_estimate};
use super::moments::{Comoments, Estimate, Moments};
use super::simulation::{normal_pair, uniform};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

const MATCHES: u32 = 1500;
/// What a pair that is not twice the same game can score, and how often it does between equal players: mostly both
/// games are won or both lost.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const SHARES: [f64; 5] = [0.3, 0.1, 0.2, 0.1, 0.3];

/// How much of the scores of one kind of world is what.
struct World {
    mean: f64,
    /// The share of pairs that differ, and the probabilities of their scores; `None` where score and luck are jointly
    /// normal with a correlation of 0.7.
    different: Option<(f64, [f64; 5])>,
}

impl World {
    fn new(elo: f64, different: Option<f64>) -> Self {
        let mean = score_of_elo(elo);
        let shares = |share: f64| (share, tilted(0.5 + (mean - 0.5) / share));
        Self { mean, different: different.map(shares) }
    }

    /// A pair's score and luck. The luck of a pair that differs has mean 0 and a correlation of 0.95 with the score.
    fn unit(&self, rng: &mut ChaCha8Rng) -> (f64, f64) {
        let Some((share, probabilities)) = self.different else {
            let (luck, noise) = normal_pair(rng);
            return (self.mean + 0.1 * (luck + noise), luck);
        };
        if uniform(rng) >= share {
            return (0.5, 0.0);
        }
        let (mean, deviation) = mean_and_deviation(&probabilities);
        let mut rest = uniform(rng);
        let place = probabilities.iter().position(|probability| {
            rest -= probability;
            rest < 0.0
        });
        let score = SCORES[place.unwrap_or(SCORES.len() - 1)];
        let noise = deviation * (0.95_f64.powi(-2) - 1.0).sqrt() * normal_pair(rng).0;
        (score, 2.0 * (score - mean + noise))
    }
}

fn mean_and_deviation(probabilities: &[f64; 5]) -> (f64, f64) {
    let mean_of = |f: &dyn Fn(f64) -> f64| SCORES.iter().zip(probabilities).map(|(&s, p)| f(s) * p).sum::<f64>();
    let mean = mean_of(&|score| score);
    (mean, mean_of(&|score| (score - mean).powi(2)).sqrt())
}

/// [`SHARES`] with weights e^(t · score) such that their mean is the one asked for.
fn tilted(mean: f64) -> [f64; 5] {
    let (mut low, mut high) = (-50.0, 50.0);
    let mut probabilities = SHARES;
    for _ in 0..60 {
        let tilt: f64 = f64::midpoint(low, high);
        let weights: Vec<f64> = SCORES.iter().zip(SHARES).map(|(score, share)| share * (tilt * score).exp()).collect();
        let sum: f64 = weights.iter().sum();
        (0..5).for_each(|i| probabilities[i] = weights[i] / sum);
        if mean_and_deviation(&probabilities).0 < mean { low = tilt } else { high = tilt }
    }
    probabilities
}

fn covers(estimate: &Estimate, truth: f64) -> f64 {
    let (low, high) = estimate.interval_of_score();
    f64::from(u8::from(low <= truth && truth <= high))
}

/// Per cent of matches whose interval covers the truth: raw, luck-adjusted with the textbook's error, as it is; and the
/// last of the matches in which at least five pairs differ, with their share in per cent.
fn coverage(world: &World, pairs: usize, rng: &mut ChaCha8Rng) -> [f64; 5] {
    let [mut raw, mut before, mut now, mut now_of_five] = [Moments::default(); 4];
    for _ in 0..MATCHES {
        let units: Vec<_> = (0..pairs).map(|_| world.unit(rng)).collect();
        let mut moments = Comoments::default();
        units.iter().for_each(|&(score, luck)| moments.push(score, luck));
        before.push(covers(&adjusted_estimate(&moments).expect("enough pairs"), world.mean));
        let different = units.iter().filter(|unit| **unit != (0.5, 0.0)).count();
        let fit = LuckAdjustment::from_units(units).expect("enough pairs");
        raw.push(covers(&fit.raw_score, world.mean));
        now.push(covers(&fit.adjusted_score, world.mean));
        if different >= 5 {
            now_of_five.push(covers(&fit.adjusted_score, world.mean));
        }
    }
    let five = now_of_five.count() as f64 / f64::from(MATCHES);
    [raw.mean(), before.mean(), now.mean(), now_of_five.mean(), five].map(|share| 100.0 * share)
}

/// The table in the head of [`super::luck`], at a standard error of 0.6 %. Three pairs of a hundred that differ cannot
/// make +20 Elo, so they make +5.
#[test]
fn intervals_cover_the_truth_where_few_pairs_differ() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    println!("pairs that differ, Elo, pairs: raw, before, now | with five that differ, their share");
    for (different, elos) in [(None, [0.0, 20.0]), (Some(0.1), [0.0, 20.0]), (Some(0.03), [0.0, 5.0])] {
        for elo in elos {
            let world = World::new(elo, different);
            for pairs in [12, 30, 50, 150, 500] {
                let [raw, before, now, now_of_five, five] = coverage(&world, pairs, &mut rng);
                println!(
                    "{different:?}, {elo:+}, {pairs:3}: {raw:5.1} {before:5.1} {now:5.1} | {now_of_five:5.1} {five:5.1}"
                );
                assert!(now > 92.0 && (five < 10.0 || now_of_five > 92.5), "{different:?} {elo} {pairs}: {now}");
                // Where many pairs say something the intervals are not too wide either.
                assert!(different.is_some_and(|share| share * (pairs as f64) < 12.0) || pairs < 30 || now < 98.5);
            }
        }
    }
}
