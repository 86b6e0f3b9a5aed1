//! Ratings of many players from what they scored against each other.
//!
//! The model of Bradley and Terry (1952): player i is expected to score γᵢ / (γᵢ + γⱼ) against j, and his rating is
//! 400 · log₁₀ γᵢ. A draw counts as half a win for each. The likelihood is maximised by the MM algorithm
//! γᵢ ← (points of i) / Σⱼ (nᵢⱼ / (γᵢ + γⱼ)) with nᵢⱼ games between i and j (D. R. Hunter, "MM algorithms for
//! generalized Bradley–Terry models", Annals of Statistics 32, 2004), which needs no step size and cannot diverge
//! where the maximum is finite.
//!
//! **One virtual draw** between every two opponents makes it finite: without it, whoever wins all games has an
//! infinite rating. It pulls ratings together by about one part in the number of games.

use astragal::search::below;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use serde::Serialize;
use std::collections::BTreeMap;

/// Enough for any tournament; what has not converged by then has no more to gain.
const MAXIMUM_ITERATIONS: usize = 20_000;

/// The iteration ends when no rating moves by more Elo than this.
const TOLERANCE_ELO: f64 = 1e-7;

/// One unit of a tournament: a complete pair, or a single game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Encounter {
    /// The first player's number, from 0.
    pub first: usize,
    /// The second player's number.
    pub second: usize,
    /// Games in this unit.
    pub games: u8,
    /// Points per game for the first player, 0 to 1.
    pub score: f64,
}

/// Where the scale's zero lies; only differences have a meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The mean of all ratings is 0.
    #[default]
    Mean,
    /// This player has 0.
    Player(usize),
}

/// A rating with its interval, in Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Rating {
    /// The estimate.
    pub elo: f64,
    /// The lower end of the 95 % bootstrap interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Points and games between every two players.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreMatrix {
    players: usize,
    /// Row i, column j: points of i against j.
    points: Vec<f64>,
}

impl ScoreMatrix {
    /// A matrix of a number of players who have not met.
    pub fn new(players: usize) -> Self {
        Self { players, points: vec![0.0; players * players] }
    }

    /// The sum of encounters. Those that name a player beyond `players`, or one against himself, are left out.
    pub fn from_encounters(players: usize, encounters: &[Encounter]) -> Self {
        let mut matrix = Self::new(players);
        encounters.iter().for_each(|encounter| matrix.add(encounter));
        matrix
    }

    fn add(&mut self, encounter: &Encounter) {
        let Encounter { first, second, games, score } = *encounter;
        if first != second && first < self.players && second < self.players {
            self.points[first * self.players + second] += f64::from(games) * score;
            self.points[second * self.players + first] += f64::from(games) * (1.0 - score);
        }
    }

    /// Points of i against j.
    pub fn points(&self, i: usize, j: usize) -> f64 {
        self.points[i * self.players + j]
    }

    /// Games between i and j.
    pub fn games(&self, i: usize, j: usize) -> f64 {
        self.points(i, j) + self.points(j, i)
    }

    /// The same with one more draw between all who met, and between all whom no chain of games connects, for whom any
    /// difference would fit.
    fn regularised(&self) -> Self {
        let group = self.groups();
        let mut matrix = self.clone();
        for i in 0..self.players {
            for j in 0..self.players {
                if i != j && (self.games(i, j) > 0.0 || group[i] != group[j]) {
                    matrix.points[i * self.players + j] += 0.5;
                }
            }
        }
        matrix
    }

    /// For every player the least number of a player whom some chain of games connects with him.
    fn groups(&self) -> Vec<usize> {
        let mut group: Vec<usize> = (0..self.players).collect();
        for _ in 0..self.players {
            for i in 0..self.players {
                for j in 0..self.players {
                    if self.games(i, j) > 0.0 {
                        group[i] = group[i].min(group[j]);
                    }
                }
            }
        }
        group
    }

    /// The ratings in Elo.
    pub fn ratings(&self, anchor: Anchor) -> Vec<f64> {
        self.regularised().fit(vec![0.0; self.players], anchor)
    }

    /// The MM iteration from given ratings on.
    fn fit(&self, mut elo: Vec<f64>, anchor: Anchor) -> Vec<f64> {
        if self.players < 2 {
            return vec![0.0; self.players];
        }
        let mut strength: Vec<f64> = elo.iter().map(|elo| 10_f64.powf(elo / 400.0)).collect();
        let won: Vec<f64> = (0..self.players).map(|i| (0..self.players).map(|j| self.points(i, j)).sum()).collect();
        for _ in 0..MAXIMUM_ITERATIONS {
            // One player after the other, each with the others' newest values: it ascends like the simultaneous update
            // and takes fewer rounds.
            for i in 0..self.players {
                let expected: f64 =
                    (0..self.players).filter(|&j| j != i).map(|j| self.games(i, j) / (strength[i] + strength[j])).sum();
                strength[i] = won[i] / expected;
            }
            let mut next: Vec<f64> = strength.iter().map(|strength| 400.0 * strength.log10()).collect();
            shift(&mut next, anchor);
            let moved = next.iter().zip(&elo).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            elo = next;
            strength.iter_mut().zip(&elo).for_each(|(strength, elo)| *strength = 10_f64.powf(elo / 400.0));
            if moved < TOLERANCE_ELO {
                break;
            }
        }
        elo
    }
}

fn shift(elo: &mut [f64], anchor: Anchor) {
    let zero = match anchor {
        Anchor::Player(player) if player < elo.len() => elo[player],
        _ => elo.iter().sum::<f64>() / elo.len() as f64,
    };
    elo.iter_mut().for_each(|elo| *elo -= zero);
}

/// The ratings with 95 % percentile intervals by bootstrap: every two opponents' encounters are drawn anew, with
/// replacement and as many as they were, `samples` times. The same encounters in the same order and the same seed give
/// the same intervals.
///
/// A player who won everything wins everything in every sample: his interval then is too narrow, and its lower end
/// means nothing.
pub fn rate(players: usize, encounters: &[Encounter], anchor: Anchor, samples: u32, seed: u64) -> Vec<Rating> {
    let matrix = ScoreMatrix::from_encounters(players, encounters);
    let ratings = matrix.ratings(anchor);
    let mut opponents: BTreeMap<(usize, usize), Vec<Encounter>> = BTreeMap::new();
    for encounter in encounters {
        let key = (encounter.first.min(encounter.second), encounter.first.max(encounter.second));
        opponents.entry(key).or_default().push(*encounter);
    }
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(samples as usize); players];
    for sample in 0..samples {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // A stream of its own for each sample: more samples leave the first ones as they were.
        rng.set_stream(u64::from(sample));
        let mut matrix = ScoreMatrix::new(players);
        for encounters in opponents.values() {
            for _ in 0..encounters.len() {
                let index = below(&mut rng, encounters.len() as u64) as usize;
                matrix.add(&encounters[index]);
            }
        }
        // The ratings of all encounters are a good start for those of a sample.
        let fitted = matrix.regularised().fit(ratings.clone(), anchor);
        drawn.iter_mut().zip(fitted).for_each(|(all, elo)| all.push(elo));
    }
    let interval = |(elo, mut all): (f64, Vec<f64>)| {
        all.sort_by(f64::total_cmp);
        Rating { elo, low: quantile(&all, 0.025).unwrap_or(elo), high: quantile(&all, 0.975).unwrap_or(elo) }
    };
    ratings.into_iter().zip(drawn).map(interval).collect()
}

/// The quantile of sorted numbers, linear between neighbours; `None` of nothing.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    Some(below + (above - below) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::{elo_of_score, score_of_elo};

    fn encounter(first: usize, second: usize, score: f64) -> Encounter {
        Encounter { first, second, games: 2, score }
    }

    #[test]
    fn two_players_get_the_elo_of_their_score() {
        // 30 points of 40 and the virtual draw: (30 + ½) / 41.
        let encounters: Vec<_> = (0..20).map(|i| encounter(0, 1, if i < 10 { 1.0 } else { 0.5 })).collect();
        let ratings = ScoreMatrix::from_encounters(2, &encounters).ratings(Anchor::Player(1));
        assert!((ratings[0] - elo_of_score(30.5 / 41.0)).abs() < 1e-5 && ratings[1] == 0.0, "{ratings:?}");
        let ratings = ScoreMatrix::from_encounters(2, &encounters).ratings(Anchor::Mean);
        assert!((ratings[0] + ratings[1]).abs() < 1e-9);
    }

    #[test]
    fn consistent_scores_give_back_the_ratings_they_come_from() {
        let truth = [180.0, 40.0, 0.0, -220.0];
        let mut encounters = Vec::new();
        for i in 0..4 {
            for j in 0..i {
                let score = score_of_elo(truth[i] - truth[j]);
                encounters.extend((0..5000).map(|_| encounter(i, j, score)));
            }
        }
        let ratings = ScoreMatrix::from_encounters(4, &encounters).ratings(Anchor::Mean);
        for (rating, truth) in ratings.iter().zip(truth) {
            assert!((rating - truth).abs() < 0.1, "{ratings:?}");
        }
    }

    /// Equal points of 3 : 1 in a chain A–B–C: each step is the Elo of (3·100 + ½)/401 apart from rounding, since in a
    /// chain every link is fitted exactly.
    #[test]
    fn a_chain_of_matches_is_fitted_link_by_link() {
        let encounters: Vec<_> = (0..200).map(|i| encounter(i % 2, i % 2 + 1, 0.75)).collect();
        let ratings = ScoreMatrix::from_encounters(3, &encounters).ratings(Anchor::Player(2));
        let step = elo_of_score(150.5 / 201.0);
        assert!((ratings[1] - step).abs() < 1e-4 && (ratings[0] - 2.0 * step).abs() < 1e-4, "{ratings:?}");
    }

    #[test]
    fn all_won_converges_and_strangers_are_connected() {
        let encounters: Vec<_> = (0..50).map(|_| encounter(0, 1, 1.0)).collect();
        let ratings = ScoreMatrix::from_encounters(2, &encounters).ratings(Anchor::Mean);
        assert!((ratings[0] - ratings[1] - elo_of_score(100.5 / 101.0)).abs() < 1e-4, "{ratings:?}");
        let strangers = [encounter(0, 1, 1.0), encounter(2, 3, 0.5)];
        let ratings = ScoreMatrix::from_encounters(5, &strangers).ratings(Anchor::Mean);
        assert!(ratings.iter().all(|elo| elo.is_finite()) && ratings[0] > ratings[1], "{ratings:?}");
        assert_eq!(ScoreMatrix::new(1).ratings(Anchor::Mean), [0.0]);
        assert!(ScoreMatrix::new(0).ratings(Anchor::Mean).is_empty());
        let nonsense = [encounter(0, 0, 1.0), encounter(0, 7, 1.0)];
        assert_eq!(ScoreMatrix::from_encounters(2, &nonsense).ratings(Anchor::Mean), [0.0, 0.0]);
    }

    #[test]
    fn intervals_are_deterministic_and_as_wide_as_theory() {
        // 400 pairs of two, each 0, ½ or 1 with a quarter, a half, a quarter: variance 1/8.
        let encounters: Vec<_> = (0..400).map(|i| encounter(0, 1, [0.0, 0.5, 0.5, 1.0][i % 4])).collect();
        let ratings = rate(2, &encounters, Anchor::Player(1), 1000, 7);
        assert_eq!(ratings, rate(2, &encounters, Anchor::Player(1), 1000, 7));
        assert_ne!(ratings, rate(2, &encounters, Anchor::Player(1), 1000, 8));
        let theory = elo_of_score(0.5 + 1.96 * (0.125_f64 / 400.0).sqrt());
        assert!(ratings[0].elo.abs() < 1e-6, "{ratings:?}");
        assert!((ratings[0].high / theory - 1.0).abs() < 0.1, "{ratings:?} {theory}");
        assert!((ratings[0].low / theory + 1.0).abs() < 0.1, "{ratings:?} {theory}");
        assert_eq!((ratings[1].low, ratings[1].high), (0.0, 0.0));
        assert_eq!(rate(2, &encounters, Anchor::Mean, 0, 7)[0].low, 0.0);
    }
}
