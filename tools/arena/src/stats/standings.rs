//! Everything there is to say about a tournament of many players.

use super::bradley_terry::{Anchor, Encounter, Rating, rate};
use super::outcome::Wdl;
use super::summary::{MatchSummary, Settings, summarise_units};
use super::units::{GameResult, Units};
use serde::Serialize;
use std::collections::BTreeMap;

/// One finished game of a tournament.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TournamentGame {
    /// The number of the player from whose view the result is, from 0.
    pub first: usize,
    /// The number of the opponent.
    pub second: usize,
    /// The result. Pairs need to be numbered apart only within the games of the same two players.
    pub result: GameResult,
}

/// How ratings are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatingSettings {
    /// Where the scale's zero lies.
    pub anchor: Anchor,
    /// How often the bootstrap draws; 1000 gives ends that are good to a few per cent of the interval's width.
    pub bootstrap_samples: u32,
    /// The bootstrap's seed.
    pub bootstrap_seed: u64,
}

impl Default for RatingSettings {
    fn default() -> Self {
        Self { anchor: Anchor::Mean, bootstrap_samples: 1000, bootstrap_seed: 0 }
    }
}

/// One line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// 1 for the highest rating; players of equal rating are in the order of their numbers.
    pub rank: usize,
    /// The player's number, from 0.
    pub player: usize,
    /// The Bradley–Terry rating.
    pub rating: Rating,
    /// All his games counted.
    pub games: Wdl,
    /// His points per game, 0 to 1.
    pub score: Option<f64>,
}

/// Two players' games against each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Meeting {
    /// The number of the player from whose view it is.
    pub first: usize,
    /// The number of the opponent.
    pub second: usize,
    /// Their match.
    pub summary: MatchSummary,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standings {
    /// All players, the best first.
    pub table: Vec<Standing>,
    /// All who met, ordered by their numbers, the lower one first.
    pub meetings: Vec<Meeting>,
}

/// The standings of players numbered from 0. Games that name others, or one player twice, are left out.
pub fn standings(
    players: usize,
    games: &[TournamentGame],
    settings: &Settings,
    rating_settings: &RatingSettings,
) -> Standings {
    let mut by_opponents: BTreeMap<(usize, usize), Vec<GameResult>> = BTreeMap::new();
    for game in games.iter().filter(|game| game.first.max(game.second) < players) {
        let TournamentGame { first, second, result } = *game;
        match first.cmp(&second) {
            std::cmp::Ordering::Less => by_opponents.entry((first, second)).or_default().push(result),
            std::cmp::Ordering::Greater => by_opponents.entry((second, first)).or_default().push(result.reversed()),
            std::cmp::Ordering::Equal => {}
        }
    }
    let mut totals = vec![Wdl::default(); players];
    let mut encounters = Vec::new();
    let mut meetings = Vec::new();
    for ((first, second), games) in by_opponents {
        let units = Units::new(&games, settings.pairing);
        for game in &units.games {
            totals[first].add(game.outcome);
            totals[second].add(game.outcome.reversed());
        }
        let games = units.pairing.games_per_unit();
        encounters.extend(units.units.iter().map(|unit| Encounter { first, second, games, score: unit.score }));
        meetings.push(Meeting { first, second, summary: summarise_units(&units, settings.sprt) });
    }
    let RatingSettings { anchor, bootstrap_samples, bootstrap_seed } = *rating_settings;
    let ratings = rate(players, &encounters, anchor, bootstrap_samples, bootstrap_seed);
    let mut order: Vec<usize> = (0..players).collect();
    // What differs by less than the fit's tolerance is equal.
    let key = |player: usize| (ratings[player].elo * 1e4).round();
    order.sort_by(|&a, &b| key(b).total_cmp(&key(a)).then(a.cmp(&b)));
    let row = |(index, player): (usize, usize)| {
        let games = totals[player];
        Standing { rank: index + 1, player, rating: ratings[player], games, score: games.score() }
    };
    Standings { table: order.into_iter().enumerate().map(row).collect(), meetings }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::outcome::Outcome::{Draw, Loss, Win};
    use crate::stats::units::tests::game;

    fn play(
        first: usize,
        second: usize,
        pair: u64,
        outcomes: [crate::stats::outcome::Outcome; 2],
    ) -> [TournamentGame; 2] {
        [0, 1].map(|half| TournamentGame { first, second, result: game(pair, half, outcomes[usize::from(half)]) })
    }

    #[test]
    fn the_table_is_ordered_by_rating() {
        let mut games = Vec::new();
        for pair in 0..10 {
            games.extend(play(0, 1, pair, [Loss, Draw]));
            // Given from the other view: player 2 beats player 0.
            games.extend(play(2, 0, pair, [Win, if pair % 2 == 0 { Win } else { Loss }]));
            games.extend(play(1, 2, pair, [Win, Loss]));
        }
        games.extend(play(1, 1, 0, [Win, Win]));
        games.extend(play(1, 5, 0, [Win, Win]));
        let table = standings(3, &games, &Settings::default(), &RatingSettings::default());
        assert_eq!(table.table.iter().map(|row| (row.rank, row.player)).collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 0)]);
        let last = table.table[2];
        assert_eq!((last.games, last.score), (Wdl { wins: 5, draws: 10, losses: 25 }, Some(0.25)));
        assert!(table.table.iter().all(|row| row.rating.low <= row.rating.elo && row.rating.elo <= row.rating.high));
        assert!(table.table.iter().map(|row| row.rating.elo).sum::<f64>().abs() < 1e-6);
        let meetings: Vec<_> = table.meetings.iter().map(|meeting| (meeting.first, meeting.second)).collect();
        assert_eq!(meetings, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(table.meetings[1].summary.total, Wdl { wins: 5, draws: 0, losses: 15 });
        assert_eq!(table.meetings[1].summary.with_white, Wdl { wins: 5, draws: 0, losses: 5 });
        let json = serde_json::to_value(&table).expect("plain numbers");
        assert_eq!(json["table"][0]["player"], 1);
    }

    #[test]
    fn a_tournament_without_games_has_a_table_of_equals() {
        let table = standings(2, &[], &Settings::default(), &RatingSettings::default());
        assert_eq!(table.table.len(), 2);
        assert_eq!((table.table[0].rating, table.table[0].score), (Rating::default(), None));
        assert!(table.meetings.is_empty());
    }
}
