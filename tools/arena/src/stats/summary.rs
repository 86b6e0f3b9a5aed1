//! Everything there is to say about a match of two players.

use super::elo::{EloEstimate, NormalisedElo, likelihood_of_superiority};
use super::luck::{LuckAdjustment, MINIMUM_UNITS};
use super::moments::{Estimate, Moments};
use super::outcome::{Pentanomial, Wdl, half_correlation};
use super::sprt::{SprtParameters, SprtRun, SprtSummary};
use super::units::{GameResult, Pairing, Side, Units};
use crate::text::count;
use serde::Serialize;

/// How to count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settings {
    /// What is one independent observation.
    pub pairing: Pairing,
    /// The sequential test, if there is one.
    pub sprt: Option<SprtParameters>,
}

/// The dice of one player, or of one colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct DiceSummary {
    /// Rolls made.
    pub rolls: u64,
    /// Rolls that allowed no move.
    pub forced_passes: u64,
    /// The average luck per game, from the own view, in the evaluator's unit; `None` where that of some game is not
    /// known.
    pub luck_per_game: Option<f64>,
    /// The average luck per roll.
    pub luck_per_roll: Option<f64>,
}

impl DiceSummary {
    fn of(sides: impl IntoIterator<Item = Side>) -> Self {
        let (mut games, mut total, mut dice) = (0_u64, Some(0.0), Self::default());
        for side in sides {
            games += 1;
            dice.rolls += side.rolls;
            dice.forced_passes += side.forced_passes;
            total = total.zip(side.luck).map(|(sum, luck)| sum + luck);
        }
        let per = |count: u64| total.filter(|_| count > 0).map(|total| total / count as f64);
        dice.luck_per_game = per(games);
        dice.luck_per_roll = per(dice.rolls);
        dice
    }
}

/// A match of two, from the first player's view. What needs games is `None` without them; JSON shows `null` there, and
/// for what is infinite.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchSummary {
    /// What is one independent observation.
    pub pairing: Pairing,
    /// Complete pairs, or games where they are not paired.
    pub units: u64,
    /// Games of pairs that lack their other half; not counted.
    pub games_of_incomplete_pairs: u64,
    /// Games given more than once; counted once.
    pub duplicate_games: u64,
    /// All games counted.
    pub total: Wdl,
    /// The first player's games with White.
    pub with_white: Wdl,
    /// The first player's games with Black.
    pub with_black: Wdl,
    /// White's games, whoever had it: the advantage of the first move.
    pub white_against_black: Wdl,
    /// Points per game with the standard error over the units.
    pub score: Option<Estimate>,
    /// The Elo difference.
    pub elo: Option<EloEstimate>,
    /// The normalised Elo difference; `None` also where the units never varied.
    pub normalised_elo: Option<NormalisedElo>,
    /// The probability, 0 to 1, that the first player is the stronger.
    pub likelihood_of_superiority: Option<f64>,
    /// Pairs with 0, ½, 1, 1½ and 2 points; `None` where games are not paired.
    pub pentanomial: Option<Pentanomial>,
    /// Pairs won for every pair lost.
    pub pair_ratio: Option<f64>,
    /// The correlation between the halves of the pairs, −1 to 1.
    pub half_correlation: Option<f64>,
    /// The sequential test.
    pub sprt: Option<SprtSummary>,
    /// The results with the luck taken out; `None` where the luck of some game is unknown, and with fewer than
    /// [`MINIMUM_UNITS`].
    pub luck_adjustment: Option<LuckAdjustment>,
    /// The first player's dice.
    pub first_player_dice: DiceSummary,
    /// The second player's dice.
    pub second_player_dice: DiceSummary,
    /// White's dice, whoever had it.
    pub white_dice: DiceSummary,
    /// Black's dice.
    pub black_dice: DiceSummary,
}

impl MatchSummary {
    /// Why there is no luck adjustment, in words; `None` where there is one, and without games.
    pub fn why_no_luck_adjustment(&self) -> Option<String> {
        if self.luck_adjustment.is_some() || self.units == 0 {
            return None;
        }
        let needed = count(MINIMUM_UNITS, self.pairing.whole_unit());
        Some(match self.first_player_dice.luck_per_game.and(self.second_player_dice.luck_per_game) {
            None => "none, for the luck was not computed in every game".to_owned(),
            Some(_) => format!("none, for it takes {needed}, and the results are of {}", self.units),
        })
    }
}

/// Summarises games given in any order.
pub fn summarise(games: &[GameResult], settings: &Settings) -> MatchSummary {
    summarise_units(&Units::new(games, settings.pairing), settings.sprt)
}

/// The same of games already put together to units.
pub fn summarise_units(units: &Units, sprt: Option<SprtParameters>) -> MatchSummary {
    let games = &units.games;
    let with = |white: bool| games.iter().filter(move |game| game.first_is_white == white).map(|game| game.outcome);
    let colour = |white: bool| {
        let side = move |game: &GameResult| if game.first_is_white == white { game.first } else { game.second };
        DiceSummary::of(games.iter().map(side))
    };
    let scores: Moments = units.units.iter().map(|unit| unit.score).collect();
    let score = scores.estimate();
    let pentanomial = (units.pairing == Pairing::Mirrored).then(|| units.halves().collect::<Pentanomial>());
    MatchSummary {
        pairing: units.pairing,
        units: units.units.len() as u64,
        games_of_incomplete_pairs: units.incomplete,
        duplicate_games: units.duplicates,
        total: games.iter().map(|game| game.outcome).collect(),
        with_white: with(true).collect(),
        with_black: with(false).collect(),
        white_against_black: with(true).chain(with(false).map(|outcome| outcome.reversed())).collect(),
        score,
        elo: score.as_ref().map(EloEstimate::from_score),
        normalised_elo: score.as_ref().and_then(|s| NormalisedElo::from_score(s, units.pairing.games_per_unit())),
        likelihood_of_superiority: score.as_ref().map(likelihood_of_superiority),
        pair_ratio: pentanomial.as_ref().and_then(Pentanomial::pair_ratio),
        pentanomial,
        half_correlation: half_correlation(units.halves()),
        sprt: sprt.map(|parameters| sprt_run(units, parameters).summary()),
        luck_adjustment: units.with_luck().and_then(LuckAdjustment::from_units),
        first_player_dice: DiceSummary::of(games.iter().map(|game| game.first)),
        second_player_dice: DiceSummary::of(games.iter().map(|game| game.second)),
        white_dice: colour(true),
        black_dice: colour(false),
    }
}

/// The sequential test over the units in their order, with its whole path.
pub fn sprt_run(units: &Units, parameters: SprtParameters) -> SprtRun {
    let mut run = SprtRun::new(parameters);
    units.units.iter().for_each(|unit| run.push(unit.score, unit.luck));
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::outcome::Outcome::{Draw, Loss, Win};
    use crate::stats::sprt::Verdict;
    use crate::stats::units::tests::game;

    fn settings() -> Settings {
        Settings { pairing: Pairing::Mirrored, sprt: "0,30,0.05,0.05".parse().ok() }
    }

    #[test]
    fn a_match_without_games_says_nothing() {
        let summary = summarise(&[], &settings());
        assert_eq!((summary.units, summary.total.games(), summary.score, summary.elo), (0, 0, None, None));
        assert_eq!((summary.likelihood_of_superiority, summary.pair_ratio), (None, None));
        assert_eq!((summary.half_correlation, summary.luck_adjustment), (None, None));
        assert_eq!(summary.sprt.expect("asked for").raw.verdict, Verdict::Continue);
        assert_eq!(summary.first_player_dice.luck_per_game, None);
        assert!(serde_json::to_value(&summary).expect("plain numbers")["elo"].is_null());
    }

    #[test]
    fn every_number_of_a_small_match() {
        let games = [
            (0, 0, Win),
            (0, 1, Win),
            (1, 0, Win),
            (1, 1, Loss),
            (2, 0, Draw),
            (2, 1, Win),
            (3, 0, Loss),
            (3, 1, Win),
            (4, 0, Win),
        ]
        .map(|(pair, half, outcome)| {
            let first = Side { rolls: 10, forced_passes: 2, luck: Some(outcome.points() + pair as f64 / 10.0) };
            let second = Side { rolls: 9, forced_passes: 1, luck: Some(0.5) };
            GameResult { first, second, ..game(pair, half, outcome) }
        });
        let summary = summarise(&games, &settings());
        assert_eq!((summary.units, summary.games_of_incomplete_pairs), (4, 1));
        assert_eq!(summary.total, Wdl { wins: 5, draws: 1, losses: 2 });
        assert_eq!(summary.with_white, Wdl { wins: 2, draws: 1, losses: 1 });
        assert_eq!(summary.with_black, Wdl { wins: 3, draws: 0, losses: 1 });
        assert_eq!(summary.white_against_black, Wdl { wins: 3, draws: 1, losses: 4 });
        assert_eq!(summary.pentanomial.expect("paired").counts, [0, 0, 2, 1, 1]);
        assert_eq!(summary.pair_ratio, Some(f64::INFINITY));
        assert_eq!(summary.score.expect("there are games").mean, 0.6875);
        assert_eq!((summary.first_player_dice.rolls, summary.first_player_dice.forced_passes), (80, 16));
        assert_eq!((summary.second_player_dice.luck_per_game, summary.white_dice.rolls), (Some(0.5), 76));
        let luck = summary.luck_adjustment.expect("all luck is known");
        assert!((luck.mean_luck.mean - 0.3375).abs() < 1e-12 && luck.coefficient > 0.0, "{luck:?}");
        let adjusted = summary.sprt.expect("asked for").adjusted.expect("all luck is known");
        assert_eq!(adjusted.verdict, Verdict::Continue);
        let json = serde_json::to_value(&summary).expect("plain numbers");
        assert!(json["pair_ratio"].is_null(), "infinite");
        assert_eq!(json["pentanomial"], serde_json::json!([0, 0, 2, 1, 1]));
        assert_eq!((&json["pairing"], &json["sprt"]["raw"]["verdict"]), (&"mirrored".into(), &"continue".into()));

        let single = summarise(&games, &Settings { pairing: Pairing::Single, sprt: None });
        assert_eq!((single.units, single.pentanomial, single.half_correlation), (9, None, None));
        assert_eq!(single.total.games(), 9);
    }

    #[test]
    fn why_there_is_no_luck_adjustment_is_told() {
        let of = |pairs: u64, luck: Option<f64>| {
            let side = Side { rolls: 10, forced_passes: 0, luck };
            let games = (0..pairs).flat_map(|pair| [0, 1].map(|half| game(pair, half, Win)));
            let games: Vec<_> = games.map(|game| GameResult { first: side, second: side, ..game }).collect();
            summarise(&games, &settings()).why_no_luck_adjustment()
        };
        assert_eq!((of(0, Some(0.1)), of(3, Some(0.1))), (None, None));
        assert!(of(2, Some(0.1)).is_some_and(|why| why.contains("takes 3 complete pairs") && why.ends_with("of 2")));
        assert!(of(2, None).is_some_and(|why| why.contains("not computed")) && of(3, None) == of(2, None));
    }

    #[test]
    fn the_order_of_games_does_not_matter() {
        let mut games: Vec<_> =
            (0..40).flat_map(|i| [game(i, 0, Win), game(i, 1, [Loss, Draw, Win][i as usize % 3])]).collect();
        let summary = summarise(&games, &settings());
        games.reverse();
        games.swap(3, 60);
        assert_eq!(summarise(&games, &settings()), summary);
    }
}
