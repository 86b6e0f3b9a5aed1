//! The schedule: which players meet in which game, from which opening and with which dice.
//!
//! A game is a pure function of its number, so a schedule needs no memory and every part of it can be played anywhere.

use crate::record::{EventKind, Shard};
use thiserror::Error;

/// Who plays whom, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    pairings: Vec<(usize, usize)>,
    games_per_pairing: u64,
    mirrored: bool,
    openings: u64,
    shard: Option<Shard>,
}

/// A game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// Its number in the whole event.
    pub number: u64,
    /// The number of its pair, that of the dice.
    pub pair: u64,
    /// 0, or 1 for the game with the colours swapped.
    pub half: u8,
    /// The player of the white pieces.
    pub white: usize,
    /// The player of the black pieces.
    pub black: usize,
    /// The place of its opening in the list.
    pub opening: usize,
}

/// Why an event cannot be scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ScheduleError {
    /// Too few or too many players.
    #[error("a {0} takes {1}, not {2} players")]
    Players(&'static str, &'static str, usize),
    /// No games, or an odd number of games in pairs.
    #[error("--games must be at least 1, and even unless --no-mirror is given; {0} is not")]
    Games(u64),
    /// More games than can be numbered.
    #[error("{0} games are too many")]
    TooMany(u64),
    /// Games that come as they may.
    #[error("free games have no schedule")]
    NoSchedule,
    /// A shard outside its count.
    #[error("shard {0}/{1}: say 1/n to n/n")]
    Shard(u64, u64),
}

/// More games than anybody plays, and few enough for every product below.
const MOST_GAMES: u64 = 1_000_000_000;

impl Schedule {
    /// A schedule for `players` players.
    ///
    /// # Errors
    /// The numbers do not fit.
    pub fn new(
        event: EventKind,
        players: usize,
        games_per_pairing: u64,
        mirrored: bool,
        openings: usize,
        shard: Option<Shard>,
    ) -> Result<Self, ScheduleError> {
        let pairings = match event {
            EventKind::Match if players == 2 => vec![(0, 1)],
            EventKind::Match => return Err(ScheduleError::Players("match", "2", players)),
            EventKind::Gauntlet if players >= 2 => (1..players).map(|other| (0, other)).collect(),
            EventKind::Gauntlet => return Err(ScheduleError::Players("gauntlet", "at least 2", players)),
            EventKind::RoundRobin if players >= 2 => {
                (0..players).flat_map(|one| (one + 1..players).map(move |other| (one, other))).collect::<Vec<_>>()
            }
            EventKind::RoundRobin => return Err(ScheduleError::Players("round-robin", "at least 2", players)),
            EventKind::Free => return Err(ScheduleError::NoSchedule),
        };
        if games_per_pairing == 0 || (mirrored && !games_per_pairing.is_multiple_of(2)) {
            return Err(ScheduleError::Games(games_per_pairing));
        }
        if games_per_pairing.saturating_mul(pairings.len() as u64) > MOST_GAMES {
            return Err(ScheduleError::TooMany(games_per_pairing));
        }
        if let Some(Shard { index, count }) = shard
            && !(1..=count).contains(&index)
        {
            return Err(ScheduleError::Shard(index, count));
        }
        Ok(Self { pairings, games_per_pairing, mirrored, openings: openings.max(1) as u64, shard })
    }

    /// The pairings, the first player of each being the one whose results are told first.
    pub fn pairings(&self) -> &[(usize, usize)] {
        &self.pairings
    }

    /// Games of all shards together.
    pub fn total(&self) -> u64 {
        self.games_per_pairing * self.pairings.len() as u64
    }

    /// The games of this shard in order: in each round every pairing plays its pair (or its game).
    pub fn fixtures(&self) -> impl Iterator<Item = Fixture> + '_ {
        (0..self.total()).map(|number| self.fixture(number)).filter(|fixture| self.is_ours(fixture))
    }

    /// How many games this shard has.
    pub fn count(&self) -> u64 {
        let rounds = self.total() / self.pairings.len() as u64 / self.games_in_a_round();
        let ours = self.shard.map_or(rounds, |Shard { index, count }| (rounds + count - index) / count);
        ours * self.games_in_a_round() * self.pairings.len() as u64
    }

    fn games_in_a_round(&self) -> u64 {
        if self.mirrored { 2 } else { 1 }
    }

    fn round(&self, pair: u64) -> u64 {
        pair / self.pairings.len() as u64
    }

    /// Whole rounds go to a shard, so that every shard has every pairing.
    fn is_ours(&self, fixture: &Fixture) -> bool {
        self.shard.is_none_or(|Shard { index, count }| self.round(fixture.pair) % count == index - 1)
    }

    fn fixture(&self, number: u64) -> Fixture {
        let (pair, half) = if self.mirrored { (number / 2, number % 2) } else { (number, 0) };
        let round = self.round(pair);
        let (one, other) = self.pairings[(pair % self.pairings.len() as u64) as usize];
        // Without mirrored pairs the colours alternate from round to round.
        let swapped = if self.mirrored { half == 1 } else { round % 2 == 1 };
        let (white, black) = if swapped { (other, one) } else { (one, other) };
        Fixture { number, pair, half: half as u8, white, black, opening: (round % self.openings) as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn schedule(event: EventKind, players: usize, games: u64, mirrored: bool, shard: Option<Shard>) -> Schedule {
        Schedule::new(event, players, games, mirrored, 3, shard).expect("sound numbers")
    }

    #[test]
    fn halves_of_a_pair_swap_colours_and_share_all_else() {
        let games: Vec<Fixture> = schedule(EventKind::RoundRobin, 4, 6, true, None).fixtures().collect();
        assert_eq!(games.len(), 6 * 6);
        for pair in games.chunks(2) {
            let [one, two] = pair else { panic!("an odd game") };
            assert_eq!((one.pair, one.opening, one.white, one.black), (two.pair, two.opening, two.black, two.white));
            assert_eq!((one.half, two.half), (0, 1));
        }
        let mut met = BTreeMap::new();
        games.iter().for_each(|game| *met.entry((game.white, game.black)).or_insert(0) += 1);
        assert_eq!(met.len(), 12);
        assert!(met.values().all(|&count| count == 3));
    }

    #[test]
    fn shards_together_are_the_whole_and_each_has_every_pairing() {
        let whole: Vec<Fixture> = schedule(EventKind::Gauntlet, 3, 10, true, None).fixtures().collect();
        let mut parts = Vec::new();
        for index in 1..=3 {
            let part = schedule(EventKind::Gauntlet, 3, 10, true, Some(Shard { index, count: 3 }));
            let games: Vec<Fixture> = part.fixtures().collect();
            assert_eq!(games.len() as u64, part.count());
            assert!(games.iter().any(|game| game.black == 1) && games.iter().any(|game| game.black == 2));
            parts.extend(games);
        }
        parts.sort_by_key(|game| game.number);
        assert_eq!(parts, whole);
    }

    #[test]
    fn colours_alternate_without_mirrored_pairs() {
        let games: Vec<Fixture> = schedule(EventKind::Match, 2, 3, false, None).fixtures().collect();
        assert_eq!(games.iter().map(|game| game.white).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(games.iter().map(|game| game.pair).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(games.iter().map(|game| game.opening).collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn bad_numbers_are_told() {
        let new = |event, players, games, shard| Schedule::new(event, players, games, true, 1, shard);
        assert!(new(EventKind::Match, 3, 2, None).is_err());
        assert!(new(EventKind::Gauntlet, 1, 2, None).is_err());
        assert!(new(EventKind::RoundRobin, 1, 2, None).is_err());
        assert_eq!(new(EventKind::Match, 2, 3, None), Err(ScheduleError::Games(3)));
        assert_eq!(new(EventKind::Match, 2, 0, None), Err(ScheduleError::Games(0)));
        assert!(new(EventKind::Match, 2, u64::MAX - 1, None).is_err());
        for (index, count) in [(0, 2), (3, 2), (1, 0)] {
            assert!(new(EventKind::Match, 2, 2, Some(Shard { index, count })).is_err());
        }
    }
}
