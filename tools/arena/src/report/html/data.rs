//! What the report is drawn from, gathered game by game so that no game needs to be kept.

use crate::record::{EndKind, Game, Header};
use crate::report::results::tournament_game;
use crate::stats::standings::TournamentGame;
use crate::tally::GameSummary;
use std::collections::BTreeMap;

/// Buckets of the move-time histogram in a factor of ten.
pub const BUCKETS_PER_DECADE: f64 = 5.0;

/// Times below this are counted as this, in milliseconds: below it nothing but the pipe is measured.
const LEAST_TIME_MS: f64 = 0.01;

/// A curve is drawn while at least this share of a player's games lasts; beyond, it is that of a few long games.
const LEAST_SHARE: f64 = 0.1;

/// How one player used its time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeUse {
    /// Turns by bucket of their time; bucket b holds 10^(b/[`BUCKETS_PER_DECADE`]) ms up to the next.
    pub histogram: BTreeMap<i32, u64>,
    /// Times in milliseconds of all timed turns, by the number of the own turn in the game, from 0.
    used_ms: Vec<Vec<f64>>,
    /// The clock after the turn, likewise.
    left_ms: Vec<Vec<f64>>,
    /// The lowest the clock stood at after a turn, in milliseconds.
    pub lowest_clock_ms: Option<i64>,
}

/// Quartiles at one own turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quartiles {
    /// The number of the own turn, from 1.
    pub turn: usize,
    /// A quarter is below, half, three quarters.
    pub values: [f64; 3],
}

/// Mean and spread of a player's times, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeTotals {
    /// Timed turns.
    pub turns: usize,
    /// Their mean time.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// 95 of 100 took at most this long.
    pub percentile_95: f64,
    /// The longest.
    pub longest: f64,
}

impl TimeUse {
    fn add(&mut self, turn: usize, time_ms: Option<f64>, left_ms: Option<i64>) {
        if let Some(time) = time_ms.filter(|time| time.is_finite()) {
            let bucket = (time.max(LEAST_TIME_MS).log10() * BUCKETS_PER_DECADE).floor() as i32;
            *self.histogram.entry(bucket).or_default() += 1;
            put(&mut self.used_ms, turn, time);
        }
        if let Some(left) = left_ms {
            put(&mut self.left_ms, turn, left as f64);
            self.lowest_clock_ms = [self.lowest_clock_ms, Some(left)].into_iter().flatten().min();
        }
    }

    /// Time per turn, by own turn.
    pub fn used(&self) -> Vec<Quartiles> {
        quartiles(&self.used_ms)
    }

    /// Clock left, by own turn.
    pub fn left(&self) -> Vec<Quartiles> {
        quartiles(&self.left_ms)
    }

    /// Over all turns; `None` where none was timed.
    pub fn totals(&self) -> Option<TimeTotals> {
        let mut all: Vec<f64> = self.used_ms.iter().flatten().copied().collect();
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let [median, percentile_95] = [0.5, 0.95].map(|share| quantile(&all, share));
        Some(TimeTotals { turns: all.len(), mean, median, percentile_95, longest: *all.last()? })
    }
}

fn put(samples: &mut Vec<Vec<f64>>, turn: usize, value: f64) {
    if samples.len() <= turn {
        samples.resize_with(turn + 1, Vec::new);
    }
    samples[turn].push(value);
}

fn quartiles(samples: &[Vec<f64>]) -> Vec<Quartiles> {
    let most = samples.iter().map(Vec::len).max().unwrap_or(0);
    let enough = (most as f64 * LEAST_SHARE).ceil() as usize;
    let lasting = samples.iter().enumerate().filter(|(_, values)| !values.is_empty() && values.len() >= enough);
    let of = |(turn, values): (usize, &Vec<f64>)| {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Quartiles { turn: turn + 1, values: [0.25, 0.5, 0.75].map(|share| quantile(&sorted, share)) }
    };
    lasting.map(of).collect()
}

/// The value at a share of sorted numbers, by the nearest rank; 0 of nothing.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// Everything about the games of an event that its report shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Data {
    /// The results, in the order given.
    pub games: Vec<TournamentGame>,
    /// By player: how often he brought about each kind of end.
    pub ends: Vec<BTreeMap<EndKind, u64>>,
    /// Ends that no player brought about.
    pub ends_of_nobody: BTreeMap<EndKind, u64>,
    /// By player.
    pub times: Vec<TimeUse>,
}

impl Data {
    /// Nothing yet, for the players of an event.
    pub fn new(header: &Header) -> Self {
        let players = header.players.len();
        Self { ends: vec![BTreeMap::new(); players], times: vec![TimeUse::default(); players], ..Self::default() }
    }

    /// Adds a game. One that names a player whom the event does not have is left out.
    pub fn add(&mut self, game: &Game) {
        if game.white.max(game.black) >= self.times.len() {
            return;
        }
        self.games.push(tournament_game(&GameSummary::from(game)));
        let ends = match game.end.player {
            Some(player) if player < self.ends.len() => &mut self.ends[player],
            _ => &mut self.ends_of_nobody,
        };
        *ends.entry(game.end.kind).or_default() += 1;
        // Who is to move alternates, forced passes included.
        let black_first = game.opening.split(' ').nth(1) == Some("b");
        for (number, ply) in game.plies.iter().enumerate() {
            let black = (number % 2 == 1) != black_first;
            let player = if black { game.black } else { game.white };
            self.times[player].add(number / 2, ply.time_ms, ply.clock_left_ms);
        }
    }

    /// Whether any turn was timed.
    pub fn is_timed(&self) -> bool {
        self.times.iter().any(|times| !times.histogram.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_ranks_and_end_with_the_games() {
        let mut times = TimeUse::default();
        for game in 0..20 {
            times.add(0, Some(f64::from(game + 1)), Some(i64::from(1000 - game)));
        }
        times.add(1, Some(50.0), Some(-3));
        let used = times.used();
        assert_eq!(used, [Quartiles { turn: 1, values: [5.0, 10.0, 15.0] }], "one game of 20 is too few for a curve");
        assert_eq!(times.lowest_clock_ms, Some(-3));
        let totals = times.totals().expect("timed");
        assert_eq!((totals.turns, totals.median, totals.percentile_95, totals.longest), (21, 11.0, 20.0, 50.0));
        assert!((totals.mean - 260.0 / 21.0).abs() < 1e-12);
        assert_eq!(TimeUse::default().totals(), None);
        assert!(TimeUse::default().left().is_empty());
    }

    #[test]
    fn buckets_are_logarithmic() {
        let mut times = TimeUse::default();
        for time in [0.0, 1.0, 1.5, 1.6, 10.0, 99.9, 1000.0, f64::NAN] {
            times.add(0, Some(time), None);
        }
        // 10^(1/5) = 1.585: 1 and 1.5 share a bucket, 1.6 is in the next.
        let expected = BTreeMap::from([(-10, 1), (0, 2), (1, 1), (5, 1), (9, 1), (15, 1)]);
        assert_eq!(times.histogram, expected);
    }
}
