//! Elo differences from scores, and how sure they are.
//!
//! The scale is the logistic one: score = 1 / (1 + 10^(−Elo / 400)) (A. Elo, *The Rating of Chessplayers*, 1978). The
//! interval is that of the score, with its ends put on the scale, so it is not symmetric for lopsided scores.

use super::moments::{Estimate, Z_95, variance_floor};
use serde::Serialize;

/// What a signal-to-noise ratio per game is multiplied with: at σ = ½ (no draws) the slope of the logistic scale at a
/// score of ½, 1600 / ln 10 · σ.
const NORMALISED_SCALE: f64 = 800.0 / std::f64::consts::LN_10;

/// The Elo difference at which `score` is expected; infinite at 0 and 1 and beyond.
pub fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The score, 0 to 1, expected at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The normal distribution function Φ.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// An Elo difference with its 95 % interval. Ends may be infinite: no result excludes every larger difference when
/// all games are won. JSON has no infinity and shows `null` there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EloEstimate {
    /// The difference; infinite at a score of 0 or 1.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl EloEstimate {
    /// From a mean score per game (0 to 1) with its standard error over independent units.
    pub fn from_score(score: &Estimate) -> Self {
        let (low, high) = score.interval_of_score();
        Self { elo: elo_of_score(score.mean), low: elo_of_score(low), high: elo_of_score(high) }
    }

    /// Half the width of the interval, which is what a "±" says; `None` where an end is infinite.
    pub fn margin(&self) -> Option<f64> {
        let margin = (self.high - self.low) / 2.0;
        margin.is_finite().then_some(margin)
    }
}

/// Normalised Elo: the mean over 1/2 in standard deviations of one game, on the scale on which it is the logistic Elo
/// where games are decided and players close (M. Van den Bergh, "Normalized Elo", 2020):
/// (m − ½) / σ · 800 / ln 10, with σ = √(games per unit · variance of a unit). Unlike Elo it does not depend on how
/// drawish or how lucky the games are, and its inverse square is the length of match needed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NormalisedElo {
    /// The estimate.
    pub elo: f64,
    /// The lower end of the 95 % interval (σ taken as known).
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl NormalisedElo {
    /// From a mean score over units of `games_per_unit` games each; `None` where the units never varied.
    pub fn from_score(score: &Estimate, games_per_unit: u8) -> Option<Self> {
        let games = score.units as f64 * f64::from(games_per_unit);
        // The variance of a unit is units · standard_error², so that of one game is games · standard_error².
        let deviation = score.standard_error * games.sqrt();
        (deviation > 0.0).then(|| {
            let elo = (score.mean - 0.5) / deviation * NORMALISED_SCALE;
            let margin = Z_95 / games.sqrt() * NORMALISED_SCALE;
            Self { elo, low: elo - margin, high: elo + margin }
        })
    }
}

/// The likelihood of superiority: the probability, 0 to 1, that the first player is the stronger, by the normal
/// approximation Φ((m − ½) / standard error). Where no two units differed, the standard error is that of
/// [`variance_floor`]: one won pair does not make a certainty.
pub fn likelihood_of_superiority(score: &Estimate) -> f64 {
    let error = if score.standard_error > 0.0 {
        score.standard_error
    } else {
        (variance_floor(score.units) / score.units as f64).sqrt()
    };
    normal_cdf((score.mean - 0.5) / error)
}

/// One Elo number for people: always with a sign, one decimal, `inf` for what is infinite.
pub fn format_elo(elo: f64) -> String {
    if elo.is_nan() {
        "n/a".to_owned()
    } else if elo.is_infinite() {
        if elo > 0.0 { "+inf" } else { "-inf" }.to_owned()
    } else {
        // A rounded zero has no sign of its own.
        let rounded = (elo * 10.0).round() / 10.0;
        format!("{:+.1}", if rounded == 0.0 { 0.0 } else { rounded })
    }
}

/// "+5.2 ± 3.4", or "+inf [+120.4, +inf]" where an end is infinite; "n/a" without games.
pub fn format_elo_interval(estimate: Option<&EloEstimate>) -> String {
    let Some(estimate) = estimate else { return "n/a".to_owned() };
    match estimate.margin() {
        Some(margin) if estimate.elo.is_finite() => format!("{} ± {margin:.1}", format_elo(estimate.elo)),
        _ => format!("{} [{}, {}]", format_elo(estimate.elo), format_elo(estimate.low), format_elo(estimate.high)),
    }
}

/// A mean score per game for people, in per cent, with its 95 % interval ([`Estimate::interval_of_score`]) and, where the
/// units varied, its standard error: "47.50 % [41.23, 53.77] (95 %), standard error 3.20".
///
/// Where no two units differed the standard error is 0, which is no error but ignorance; it is left out, and the interval
/// says how much could still be otherwise.
pub fn format_score(score: &Estimate) -> String {
    let (low, high) = score.interval_of_score();
    let per_cent = |share: f64| {
        // A rounded zero has no sign of its own.
        let rounded = (share * 1e4).round() / 100.0;
        format!("{:.2}", if rounded == 0.0 { 0.0 } else { rounded })
    };
    let mut text = format!("{} % [{}, {}] (95 %)", per_cent(score.mean), per_cent(low), per_cent(high));
    if score.standard_error > 0.0 {
        text.push_str(&format!(", standard error {}", per_cent(score.standard_error)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::outcome::{Pentanomial, Wdl};

    fn of(counts: [u64; 5]) -> Estimate {
        Pentanomial { counts }.moments().estimate().expect("there are pairs")
    }

    #[test]
    fn elo_and_score_are_inverse() {
        assert_eq!((elo_of_score(0.5), score_of_elo(0.0)), (0.0, 0.5));
        // 10 / 11 is expected 400 Elo ahead, by the definition of the scale.
        assert!((elo_of_score(10.0 / 11.0) - 400.0).abs() < 1e-9);
        for elo in [-700.0, -5.0, 0.1, 3.0, 250.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9);
        }
        assert_eq!((elo_of_score(0.0), elo_of_score(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((elo_of_score(-0.1), elo_of_score(1.1)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    /// Elo ± margin as public OpenBench instances published them next to the pentanomial counts, in 2024 to 2026.
    #[test]
    fn published_pentanomial_results_are_reproduced() {
        let published = [
            ([1400, 4234, 7874, 4238, 1373], "-0.45 +- 2.49"),
            ([154, 916, 1726, 986, 204], "7.41 +- 4.93"),
            ([288, 2370, 4745, 2517, 320], "3.58 +- 2.84"),
            ([39, 1206, 2719, 1394, 26], "5.23 +- 3.38"),
            ([3, 623, 1578, 759, 5], "8.20 +- 4.31"),
            ([137, 400, 769, 437, 154], "6.50 +- 8.03"),
        ];
        for (counts, expected) in published {
            let estimate = EloEstimate::from_score(&of(counts));
            let margin = estimate.margin().expect("finite");
            assert_eq!(format!("{:.2} +- {margin:.2}", estimate.elo), expected, "{counts:?}");
        }
    }

    /// Normalised Elo and Elo as published by a fishtest-like server (13, 37, 50, 25, 3: −43.6578 and −63.97), and by
    /// fastchess (379, 10170, 21828, 10640, 343: 3.05 ± 2.31); the interval and the likelihood of superiority from a
    /// separate computation in Python:
    /// `m = Σ cᵢ·i/4 / N; v = Σ cᵢ(i/4 − m)² / N; h = 1.959963984540054·√(v/N); elo(m ± h); Φ((m − ½)/√(v/N))`.
    #[test]
    fn published_normalised_elo_is_reproduced() {
        let score = of([13, 37, 50, 25, 3]);
        let elo = EloEstimate::from_score(&score);
        assert!((elo.elo + 43.657_787_770_027_2).abs() < 1e-9, "{elo:?}");
        assert!((elo.low + 73.397_216_196_862_47).abs() < 1e-9 && (elo.high + 14.542_887_158_519_918).abs() < 1e-9);
        assert!((likelihood_of_superiority(&score) - 0.001_610_401_145_416_662_2).abs() < 1e-12);
        let normalised = NormalisedElo::from_score(&score, 2).expect("it varies");
        assert_eq!(format!("{:.2}", normalised.elo), "-63.97");
        let normalised = NormalisedElo::from_score(&of([379, 10170, 21828, 10640, 343]), 2).expect("it varies");
        let margin = (normalised.high - normalised.low) / 2.0;
        assert_eq!(format!("{:.2} +/- {margin:.2}", normalised.elo), "3.05 +/- 2.31");
    }

    /// Python: `m = (60 + 10)/120; v = (60(1−m)² + 20(½−m)² + 40m²)/120`, the rest as above.
    #[test]
    fn single_games_give_wider_intervals_by_the_same_formula() {
        let counts = Wdl { wins: 60, draws: 20, losses: 40 };
        let mut moments = crate::stats::moments::Moments::default();
        moments.push_many(1.0, counts.wins);
        moments.push_many(0.5, counts.draws);
        moments.push_many(0.0, counts.losses);
        let score = moments.estimate().expect("there are games");
        assert!((score.mean - counts.score().expect("games")).abs() < 1e-15);
        let elo = EloEstimate::from_score(&score);
        assert!((elo.elo - GAMES_ELO.0).abs() < 1e-9, "{elo:?}");
        assert!((elo.low - GAMES_ELO.1).abs() < 1e-9 && (elo.high - GAMES_ELO.2).abs() < 1e-9, "{elo:?}");
    }

    const GAMES_ELO: (f64, f64, f64) = (58.451_214_271_295_24, 2.112_982_571_619_719_7, 118.040_294_144_985_3);

    #[test]
    fn lopsided_results_stay_readable() {
        let all_won = EloEstimate::from_score(&of([0, 0, 0, 0, 10]));
        assert_eq!(format_elo_interval(Some(&all_won)), "+inf [+140.2, +inf]");
        let all_lost = EloEstimate::from_score(&of([10, 0, 0, 0, 0]));
        assert_eq!(format_elo_interval(Some(&all_lost)), "-inf [-inf, -140.2]");
        let equal = EloEstimate::from_score(&of([0, 0, 10, 0, 0]));
        assert_eq!(format_elo_interval(Some(&equal)), "+0.0 ± 110.8");
        assert_eq!(format_elo_interval(None), "n/a");
        assert_eq!(
            (format_elo(-0.04), format_elo(f64::NAN), format_elo(-3.25)),
            ("+0.0".into(), "n/a".into(), "-3.3".into())
        );
        assert!((likelihood_of_superiority(&of([0, 0, 0, 0, 1])) - normal_cdf(1.0)).abs() < 1e-15);
        assert_eq!(likelihood_of_superiority(&of([0, 0, 7, 0, 0])), 0.5);
        assert!(likelihood_of_superiority(&of([0, 0, 0, 0, 10])) > 0.999);
        assert_eq!(NormalisedElo::from_score(&of([0, 0, 7, 0, 0]), 2), None);
        let json = serde_json::to_string(&all_won).expect("plain numbers");
        assert!(json.starts_with(r#"{"elo":null,"low":140."#) && json.ends_with(r#""high":null}"#), "{json}");
    }

    #[test]
    fn the_normal_distribution_function_is_exact_in_the_tails() {
        // Φ(1.959963984540054) = 0.975 by definition; Φ(−8) = 6.22096057427178e-16 (Python: 0.5*erfc(8/sqrt(2))).
        assert!((normal_cdf(Z_95) - 0.975).abs() < 1e-15 && normal_cdf(0.0) == 0.5);
        assert!((normal_cdf(-8.0) / 6.220_960_574_271_78e-16 - 1.0).abs() < 1e-10);
    }
}
