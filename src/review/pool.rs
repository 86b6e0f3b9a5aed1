//! Players over many games, with intervals.

use super::game::GameReview;
use super::summary::SideSummary;
use crate::board::Color;
use crate::rules::below;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;

/// What is kept of a game for a player: little, so that there may be many.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Decisions.
    pub decisions: u32,
    /// Their loss.
    pub loss: f64,
    /// The luck of the rolls less that of the opponent's.
    pub luck: f64,
    /// 1 won, 0 drawn, −1 lost; none if there is no result.
    pub result: Option<f64>,
}

/// A value that would be within these bounds in 95 of 100 repetitions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// A player in the table.
#[derive(Clone, PartialEq, Debug)]
pub struct PoolRow {
    /// The name.
    pub name: String,
    /// Games.
    pub games: usize,
    /// The sums over all games.
    pub summary: SideSummary,
    /// The mean loss of a decision in thousandths; none without decisions.
    pub mean_loss: Option<Interval>,
    /// The mean result of a game, −1..=1; none without results.
    pub result: Option<Interval>,
    /// The same less the luck of both players.
    pub without_luck: Option<Interval>,
}

/// The games of players.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    players: BTreeMap<String, (SideSummary, Vec<Sample>)>,
}

/// How often the games are drawn anew.
const RESAMPLES: usize = 1000;

impl Pool {
    /// Adds a game, for both players.
    pub fn add(&mut self, review: &GameReview) {
        let sides = [Color::White, Color::Black].map(|side| SideSummary::of(review, side));
        self.add_sides([&review.names[0], &review.names[1]], &sides, review.account().luck, review.result);
    }

    /// Adds a game of which this is known: the names and the play of White and Black, White's luck less Black's, White's
    /// result.
    pub(crate) fn add_sides(&mut self, names: [&str; 2], sides: &[SideSummary; 2], luck: f64, result: Option<f64>) {
        for ((name, summary), sign) in names.into_iter().zip(sides).zip([1.0, -1.0]) {
            let entry = self.players.entry(name.to_owned()).or_default();
            entry.0.add(summary);
            entry.1.push(Sample {
                decisions: summary.all.decisions,
                loss: summary.all.loss,
                luck: sign * luck,
                result: result.map(|result| sign * result),
            });
        }
    }

    /// How many players there are.
    pub fn len(&self) -> usize {
        self.players.len()
    }

    /// Whether there is no player.
    pub fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// The table, the players who lose least first. The intervals are drawn from this seed.
    pub fn rows(&self, seed: u64) -> Vec<PoolRow> {
        let mut rows: Vec<PoolRow> =
            self.players.iter().map(|(name, (summary, games))| row(name, summary, games, seed)).collect();
        let key = |row: &PoolRow| row.mean_loss.map_or(f64::INFINITY, |loss| loss.value);
        rows.sort_by(|a, b| key(a).total_cmp(&key(b)).then_with(|| a.name.cmp(&b.name)));
        rows
    }
}

fn row(name: &str, summary: &SideSummary, games: &[Sample], seed: u64) -> PoolRow {
    let mean_loss = |games: &mut dyn Iterator<Item = &Sample>| {
        let (mut decisions, mut loss) = (0.0, 0.0);
        for game in games {
            decisions += f64::from(game.decisions);
            loss += game.loss;
        }
        (decisions > 0.0).then(|| 1000.0 * loss / decisions)
    };
    let mean = |of: fn(&Sample) -> Option<f64>| {
        move |games: &mut dyn Iterator<Item = &Sample>| {
            let (mut count, mut sum) = (0.0, 0.0);
            for value in games.filter_map(of) {
                count += 1.0;
                sum += value;
            }
            (count > 0.0).then(|| sum / count)
        }
    };
    let mean_loss = bootstrap(games, seed, &mean_loss);
    PoolRow {
        name: name.to_owned(),
        games: games.len(),
        summary: *summary,
        mean_loss,
        result: bootstrap(games, seed, &mean(|game| game.result)),
        without_luck: bootstrap(games, seed, &mean(|game| game.result.map(|result| result - game.luck))),
    }
}

/// A statistic of games and its percentile interval, by drawing as many games with replacement.
fn bootstrap(
    games: &[Sample],
    seed: u64,
    statistic: &dyn Fn(&mut dyn Iterator<Item = &Sample>) -> Option<f64>,
) -> Option<Interval> {
    let value = statistic(&mut games.iter())?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut drawn: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut draws = (0..games.len()).map(|_| &games[below(&mut rng, games.len() as u64) as usize]);
            statistic(&mut draws)
        })
        .collect();
    drawn.sort_by(f64::total_cmp);
    let at = |share: f64| drawn.get((share * (drawn.len().saturating_sub(1)) as f64).round() as usize).copied();
    Some(Interval { value, low: at(0.025).unwrap_or(value), high: at(0.975).unwrap_or(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(decisions: u32, loss: f64) -> Sample {
        Sample { decisions, loss, luck: 0.25, result: Some(1.0) }
    }

    #[test]
    fn a_mean_is_over_decisions_and_not_over_games() {
        // 0.1 over 10 decisions.
        let row = row("x", &SideSummary::default(), &[sample(9, 0.1), sample(1, 0.0)], 0);
        let loss = row.mean_loss.expect("there are decisions");
        assert!((loss.value - 10.0).abs() < 1e-12);
        // Draws of two: only the first (11.1), only the second (0), or both.
        assert!(loss.low == 0.0 && (loss.high - 100.0 / 9.0).abs() < 1e-12, "{loss:?}");
        assert_eq!(row.without_luck.map(|interval| interval.value), Some(0.75));
    }

    #[test]
    fn intervals_shrink_with_games_and_repeat_with_the_seed() {
        let games =
            |count: usize| (0..count).map(|n| sample(10, if n % 2 == 0 { 0.0 } else { 1.0 })).collect::<Vec<_>>();
        let width = |count: usize| {
            let loss = row("x", &SideSummary::default(), &games(count), 7).mean_loss.expect("decisions");
            loss.high - loss.low
        };
        // The standard error of a fair coin is 50/√n; the interval has about 3.92 of them.
        for count in [100, 400] {
            let expected = 3.92 * 50.0 / (count as f64).sqrt();
            assert!((width(count) / expected - 1.0).abs() < 0.15, "{count}: {}", width(count));
            assert_eq!(width(count), width(count));
        }
    }

    #[test]
    fn nothing_is_said_without_decisions() {
        let row = row("x", &SideSummary::default(), &[sample(0, 0.0); 12], 0);
        assert_eq!(row.mean_loss, None);
    }
}
