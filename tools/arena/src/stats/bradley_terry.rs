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
//!
//! **Whoever won or lost all games has an interval that is open at that end**: no result excludes any larger distance.
//! The bootstrap says nothing of the other end either, for every sample of such results is the same. It is the rating at
//! which that number of units in a row is just possible: with 97.5 % confidence at most a share of q = 1 − 0.025^(1/units) of
//! his units would go otherwise (Clopper and Pearson 1934), so that he is expected to score at least 1 − q against the
//! opponents that he had, their ratings held where they are. Against one opponent that is the interval of their match
//! ([`Estimate::interval_of_score`]).

use super::elo::score_of_elo;
use super::moments::Estimate;
use astragal::rules::below;
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
    /// The lower end of the 95 % interval; infinite for who lost everything.
    pub low: f64,
    /// The upper end; infinite for who won everything.
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
/// Who won or lost everything has a half-open interval, which does not come from samples: see the head of this module.
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
    let interval = |(player, mut all): (usize, Vec<f64>)| {
        let elo = ratings[player];
        all.sort_by(f64::total_cmp);
        let (low, high) = (quantile(&all, 0.025).unwrap_or(elo), quantile(&all, 0.975).unwrap_or(elo));
        match one_sided(&matrix, encounters, &ratings, player) {
            Some(OneSided::AllWon(least)) => Rating { elo, low: least.min(elo), high: f64::INFINITY },
            Some(OneSided::AllLost(most)) => Rating { elo, low: f64::NEG_INFINITY, high: most.max(elo) },
            Some(OneSided::Both) => Rating { elo, low: f64::NEG_INFINITY, high: f64::INFINITY },
            None => Rating { elo, low, high },
        }
    };
    drawn.into_iter().enumerate().map(interval).collect()
}

/// Results from which no bootstrap learns anything.
enum OneSided {
    /// All games were won: the least rating that can be believed.
    AllWon(f64),
    /// All were lost: the highest.
    AllLost(f64),
    /// All were won against some, all lost against the others.
    Both,
}

/// What is to be said of a player who against every opponent won or lost everything; `None` of all others, and of who
/// has not played.
fn one_sided(matrix: &ScoreMatrix, encounters: &[Encounter], ratings: &[f64], player: usize) -> Option<OneSided> {
    let opponents: Vec<usize> =
        (0..matrix.players).filter(|&other| other != player && matrix.games(player, other) > 0.0).collect();
    let beaten = opponents.iter().filter(|&&other| matrix.points(other, player) <= 0.0).count();
    let lost_to = opponents.iter().filter(|&&other| matrix.points(player, other) <= 0.0).count();
    if opponents.is_empty() || beaten + lost_to < opponents.len() {
        return None;
    }
    if beaten > 0 && lost_to > 0 {
        return Some(OneSided::Both);
    }
    let of_player = |unit: &&Encounter| unit.first != unit.second && (unit.first == player || unit.second == player);
    let in_range = |unit: &&Encounter| unit.first.max(unit.second) < matrix.players;
    let units = encounters.iter().filter(of_player).filter(in_range).count() as u64;
    let mean = if beaten > 0 { 1.0 } else { 0.0 };
    let (low, high) = Estimate { units, mean, standard_error: 0.0 }.interval_of_score();
    let games: f64 = opponents.iter().map(|&other| matrix.games(player, other)).sum();
    let expected = |elo: f64| {
        let points = |&other: &usize| matrix.games(player, other) * score_of_elo(elo - ratings[other]);
        opponents.iter().map(points).sum::<f64>() / games
    };
    Some(if beaten > 0 {
        OneSided::AllWon(elo_where(|elo| expected(elo) >= low))
    } else {
        OneSided::AllLost(elo_where(|elo| expected(elo) >= high))
    })
}

/// Where a condition that only high ratings meet begins to hold, by bisection.
fn elo_where(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (-20_000.0, 20_000.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if holds(middle) { high = middle } else { low = middle }
    }
    (low + high) / 2.0
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
    fn who_won_or_lost_everything_has_a_half_open_interval() {
        // Of two it is the interval of their match: 0.025^(1/10) = 0.691502892181239.
        let encounters: Vec<_> = (0..10).map(|_| encounter(0, 1, 1.0)).collect();
        let ratings = rate(2, &encounters, Anchor::Player(1), 100, 7);
        assert!(ratings[0].elo.is_finite() && ratings[0].high == f64::INFINITY, "{ratings:?}");
        assert!((ratings[0].low - elo_of_score(0.691_502_892_181_239)).abs() < 1e-6, "{ratings:?}");
        assert_eq!(ratings[1].low, f64::NEG_INFINITY);
        assert!((ratings[1].high - ratings[0].elo + ratings[0].low).abs() < 1e-6, "{ratings:?}");
        // More wins move the near end on, and never beyond the estimate.
        let more: Vec<_> = (0..100).map(|_| encounter(0, 1, 1.0)).collect();
        let more = rate(2, &more, Anchor::Player(1), 0, 7)[0];
        assert!(more.low > ratings[0].low && more.low <= more.elo, "{more:?}");
        // One half point less and the bootstrap has something to say.
        let mut some = encounters.clone();
        some[3].score = 0.75;
        assert!(rate(2, &some, Anchor::Player(1), 100, 7).iter().all(|rating| rating.high.is_finite()));

        // The best of three, the worst of three, and one between them who is open both ways.
        let chain: Vec<_> = (0..20).map(|i| encounter(i % 2, i % 2 + 1, 1.0)).collect();
        let ratings = rate(4, &chain, Anchor::Mean, 10, 7);
        let open = |rating: &Rating| (rating.low.is_infinite(), rating.high.is_infinite());
        assert_eq!(
            ratings.iter().map(open).collect::<Vec<_>>(),
            [(false, true), (true, true), (true, false), (false, false)]
        );
        assert!(ratings[0].low > ratings[2].high, "{ratings:?}");
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
