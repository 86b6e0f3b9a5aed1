//! Games put together to units, the independent observations of a match.

use super::moments::Moments;
use super::outcome::Outcome;
use serde::Serialize;
use std::collections::BTreeMap;

/// What is known of a player in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Side {
    /// Rolls made.
    pub rolls: u64,
    /// Rolls that allowed no move.
    pub forced_passes: u64,
    /// The luck of the rolls, from the player's own view, in the evaluator's unit; `None` where it was not computed.
    pub luck: Option<f64>,
}

/// One finished game, in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameResult {
    /// Which pair it belongs to. Where journals with several seeds are merged, pairs must have been numbered apart.
    pub pair: u64,
    /// 0 for the first half of the pair, anything else for the second.
    pub half: u8,
    /// How it ended for the match's first player.
    pub outcome: Outcome,
    /// Whether the first player had White.
    pub first_is_white: bool,
    /// The match's first player.
    pub first: Side,
    /// The match's second player.
    pub second: Side,
}

impl GameResult {
    /// The first player's luck less the second's; `None` where either is not known.
    pub fn luck(&self) -> Option<f64> {
        Some(self.first.luck? - self.second.luck?)
    }

    /// The same game from the second player's view. It stays in its pair and half.
    pub const fn reversed(&self) -> Self {
        let (outcome, first_is_white) = (self.outcome.reversed(), !self.first_is_white);
        Self { outcome, first_is_white, first: self.second, second: self.first, ..*self }
    }
}

/// What counts as one independent observation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairing {
    /// Two games with the same dice and colours swapped; only complete pairs count.
    #[default]
    Mirrored,
    /// Every game for itself.
    Single,
}

impl Pairing {
    /// What a unit is called: `pair` or `game`.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Mirrored => "pair",
            Self::Single => "game",
        }
    }

    /// What a unit is called where others may lack a part: `complete pair` or `game`.
    pub const fn whole_unit(self) -> &'static str {
        match self {
            Self::Mirrored => "complete pair",
            Self::Single => "game",
        }
    }

    /// 2 or 1.
    pub const fn games_per_unit(self) -> u8 {
        match self {
            Self::Mirrored => 2,
            Self::Single => 1,
        }
    }
}

/// One independent observation, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Points per game, 0 to 1.
    pub score: f64,
    /// Luck per game; `None` where that of some game is not known.
    pub luck: Option<f64>,
}

/// The games of a match in the order of its schedule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// What counts as one.
    pub pairing: Pairing,
    /// The units in the order of the pairs' numbers.
    pub units: Vec<Unit>,
    /// The games that the units are made of, in the same order.
    pub games: Vec<GameResult>,
    /// Games of pairs that lack their other half. They count nowhere.
    pub incomplete: u64,
    /// Games that were given more than once. Only the first given counts.
    pub duplicates: u64,
}

impl Units {
    /// Sorts and pairs games that come in any order.
    pub fn new(games: &[GameResult], pairing: Pairing) -> Self {
        let mut all = Self { pairing, ..Self::default() };
        let mut pairs: BTreeMap<u64, [Option<GameResult>; 2]> = BTreeMap::new();
        for game in games {
            let place = &mut pairs.entry(game.pair).or_default()[usize::from(game.half != 0)];
            match place {
                Some(_) => all.duplicates += 1,
                None => *place = Some(*game),
            }
        }
        for halves in pairs.into_values() {
            match (pairing, halves) {
                (Pairing::Mirrored, [Some(first), Some(second)]) => {
                    let luck = first.luck().zip(second.luck()).map(|(a, b)| (a + b) / 2.0);
                    let score = (first.outcome.points() + second.outcome.points()) / 2.0;
                    all.units.push(Unit { score, luck });
                    all.games.extend([first, second]);
                }
                (Pairing::Mirrored, _) => all.incomplete += 1,
                (Pairing::Single, halves) => {
                    for game in halves.into_iter().flatten() {
                        all.units.push(Unit { score: game.outcome.points(), luck: game.luck() });
                        all.games.push(game);
                    }
                }
            }
        }
        all
    }

    /// The outcomes of the two halves of every complete pair; none where games are not paired.
    pub fn halves(&self) -> impl Iterator<Item = (Outcome, Outcome)> + '_ {
        let paired = if self.pairing == Pairing::Mirrored { &self.games[..] } else { &[] };
        paired.chunks_exact(2).map(|pair| (pair[0].outcome, pair[1].outcome))
    }

    /// Score and luck of every unit; `None` if any lacks its luck. A sum over the rest would be biased, for what keeps
    /// luck from being known (a crash, say) may well have to do with the result.
    pub fn with_luck(&self) -> Option<Vec<(f64, f64)>> {
        self.units.iter().map(|unit| unit.luck.map(|luck| (unit.score, luck))).collect()
    }

    /// The score after every unit.
    pub fn history(&self) -> Vec<ScorePoint> {
        let mut moments = Moments::default();
        let mut points = Vec::with_capacity(self.units.len());
        for unit in &self.units {
            moments.push(unit.score);
            if let Some(estimate) = moments.estimate() {
                let (low, high) = estimate.interval_of_score();
                let games = estimate.units * u64::from(self.pairing.games_per_unit());
                points.push(ScorePoint { games, score: estimate.mean, low, high });
            }
        }
        points
    }
}

/// The score at one point of a match. The interval is the one for a match that ends there; it does not allow for
/// having looked before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScorePoint {
    /// Games counted so far.
    pub games: u64,
    /// The mean score, 0 to 1.
    pub score: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use Outcome::{Draw, Loss, Win};

    /// A game without luck in which the first player had White in the first half.
    pub(crate) fn game(pair: u64, half: u8, outcome: Outcome) -> GameResult {
        let (first, second) = (Side::default(), Side::default());
        GameResult { pair, half, outcome, first_is_white: half == 0, first, second }
    }

    #[test]
    fn only_complete_pairs_count_and_order_does_not() {
        let games = [game(2, 1, Loss), game(0, 0, Win), game(1, 0, Win), game(0, 1, Draw), game(2, 0, Loss)];
        let units = Units::new(&games, Pairing::Mirrored);
        assert_eq!((units.incomplete, units.duplicates), (1, 0));
        assert_eq!(units.units.iter().map(|unit| unit.score).collect::<Vec<_>>(), [0.75, 0.0]);
        assert_eq!(units.halves().collect::<Vec<_>>(), [(Win, Draw), (Loss, Loss)]);
        let mut reversed = games;
        reversed.reverse();
        assert_eq!(Units::new(&reversed, Pairing::Mirrored), units);
    }

    #[test]
    fn single_games_all_count() {
        let games = [game(1, 0, Win), game(0, 1, Draw), game(0, 0, Loss)];
        let units = Units::new(&games, Pairing::Single);
        assert_eq!(units.units.iter().map(|unit| unit.score).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
        assert_eq!((units.incomplete, units.halves().count()), (0, 0));
    }

    #[test]
    fn a_game_given_twice_counts_once() {
        let units = Units::new(&[game(0, 0, Win), game(0, 0, Loss), game(0, 1, Win)], Pairing::Mirrored);
        assert_eq!((units.units.len(), units.units[0].score, units.duplicates), (1, 1.0, 1));
    }

    #[test]
    fn luck_is_seen_from_the_first_player_and_needed_everywhere() {
        let side = |luck| Side { luck, ..Side::default() };
        let lucky = |half, first, second| GameResult { first: side(first), second: side(second), ..game(0, half, Win) };
        let units = Units::new(&[lucky(0, Some(3.0), Some(1.0)), lucky(1, Some(0.0), Some(1.0))], Pairing::Mirrored);
        assert_eq!((units.units[0].luck, units.with_luck()), (Some(0.5), Some(vec![(1.0, 0.5)])));
        let units = Units::new(&[lucky(0, Some(3.0), None), lucky(1, Some(0.0), Some(1.0))], Pairing::Mirrored);
        assert_eq!((units.units[0].luck, units.with_luck()), (None, None));
    }

    #[test]
    fn the_history_ends_with_the_score() {
        let games: Vec<_> =
            (0..20).flat_map(|i| [game(i, 0, Win), game(i, 1, if i % 2 == 0 { Loss } else { Draw })]).collect();
        let history = Units::new(&games, Pairing::Mirrored).history();
        assert_eq!((history.len(), history[0].games, history[19].games), (20, 2, 40));
        assert!((history[19].score - 0.625).abs() < 1e-12);
        assert!(history[19].low < 0.625 && history[19].high - history[19].low < history[1].high - history[1].low);
    }
}
