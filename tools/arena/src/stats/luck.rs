//! Results with the luck of the dice taken out.
//!
//! The luck of a roll is the value of its best outcome less the mean of that over all rolls, by one fixed evaluator.
//! Its expectation is zero whatever the players do, so the sum over a game, the first player's less the second's, is a
//! **control variate**: it moves with the result, and its true mean is known. Subtracting b times the luck from the
//! results leaves their mean where it was and takes out the part of their variance that the luck explains: a share of
//! ρ², the square of their correlation (S. S. Lavenberg and P. D. Welch, "A perspective on the use of control
//! variables", Management Science 27, 1981; backgammon knows it as luck-adjusted results).
//!
//! **The fit pays for itself.** b is the least-squares slope over the same units, so the adjusted mean is the
//! intercept of the line of result on luck, Σ wᵢxᵢ with wᵢ = 1/n − c̄dᵢ/Σd², d = c − c̄. Its variance is taken from
//! what each unit says of the line through the others: Σ (wᵢeᵢ / (1 − hᵢ))², with the residuals e and the leverages
//! hᵢ = 1/n + dᵢ²/Σd² (HC3: J. G. MacKinnon and H. White, "Some heteroskedasticity-consistent covariance matrix
//! estimators with improved finite sample properties", Journal of Econometrics 29, 1985; nearly the jackknife). The
//! estimate is biased by O(1/n) where result and luck are not jointly normal; by simulation, that is a few per cent of
//! its standard error at a hundred units.
//!
//! Mirrored pairs are one unit: the mean result against the mean luck. Most of the luck cancels between the halves
//! where the players play alike; what is left still explains what is left of the result's variance.
//!
//! **Few pairs may carry all of it.** Between similar players most pairs are the same game twice: score ½, luck 0. The
//! line then rests on the others, effectively on k = (Σd²)² / Σd⁴ units; with k near 1 it passes through the only one
//! and leaves no residual. So HC3, itself known from k units only, is enlarged by 1 + 1/k, and the variance is never
//! below 1/k of that which the sequential test takes for the least, [`least_unit_variance`] / n: one unit more that
//! differs by the whole range, against the k seen. Both by simulation; far from few units both fade.
//!
//! How often the 95 % intervals cover the truth, in per cent, with the textbook's error of an intercept,
//! √(RSS / (n − 2) · (1/n + c̄²/Σd²)), and with this one (simulated in the test module `coverage`; pairs that differ
//! have a correlation of 0.95 between score and luck, of 0.7 where all do):
//!
//! | pairs that differ, true Elo | 12 pairs | 30 | 50 | 150 | 500 |
//! |---|---|---|---|---|---|
//! | all, 0 | 91, 98 | 94, 96 | 94, 95 | 95, 95 | 96, 96 |
//! | all, +20 | 93, 99 | 94, 96 | 95, 95 | 95, 95 | 95, 95 |
//! | 10 %, 0 | 100, 100 | 99, 100 | 98, 100 | 95, 97 | 96, 96 |
//! | 10 %, +20 | 84, 100 | 78, 100 | 78, 93 | 87, 94 | 94, 96 |
//! | 3 %, 0 | 100, 100 | 100, 100 | 100, 100 | 99, 100 | 96, 98 |
//! | 3 %, +5 | 93, 100 | 89, 100 | 86, 100 | 79, 99 | 89, 94 |

use super::elo::{EloEstimate, likelihood_of_superiority};
use super::moments::{Comoments, Estimate, variance_floor};
use super::units::Pairing;
use serde::Serialize;

/// The least number of units for which a line and its error are defined.
pub const MINIMUM_UNITS: u64 = 3;

/// The mean of x with the part explained by y, a number of known mean zero, taken out, and the textbook's standard
/// error of that, from sums alone; `None` with fewer than three units. Where y never varies it explains nothing, and
/// the result is the plain mean. Where few units carry the line the error is too small: the sequential test bounds it
/// by [`least_unit_variance`], reports have that of [`LuckAdjustment`].
pub fn adjusted_estimate(moments: &Comoments) -> Option<Estimate> {
    let units = moments.count();
    if units < MINIMUM_UNITS {
        return None;
    }
    if moments.y_squares() <= 0.0 {
        return moments.x.estimate();
    }
    let residual_variance = moments.residual_squares() / (units as f64 - 2.0);
    Some(Estimate {
        units,
        mean: moments.x.mean() - moments.slope() * moments.y.mean(),
        standard_error: (residual_variance * leverage(moments)).sqrt(),
    })
}

/// What a residual variance is multiplied with for the squared error of the intercept: 1/n + c̄² / Σ(c − c̄)².
fn leverage(moments: &Comoments) -> f64 {
    let of_the_fit = if moments.y_squares() > 0.0 { moments.y.mean().powi(2) / moments.y_squares() } else { 0.0 };
    1.0 / moments.count() as f64 + of_the_fit
}

/// The least variance of a unit's adjusted score for [`Estimate::unit_variance`] of [`adjusted_estimate`]:
/// [`variance_floor`], enlarged as the fit enlarges the residuals'. A few units lie on a line by chance and leave no
/// residual, and where all their luck is far from zero the intercept of that line may be anything.
pub fn least_unit_variance(moments: &Comoments) -> f64 {
    let units = moments.count();
    variance_floor(units) * leverage(moments) * units as f64
}

/// How many units the line rests on: (Σd²)² / Σd⁴ of the deviations d of the luck from its mean, 1 to the number of
/// units; 0 where the luck never varies.
fn effective_units(units: &[(f64, f64)], moments: &Comoments) -> f64 {
    let fourth: f64 = units.iter().map(|(_, luck)| (luck - moments.y.mean()).powi(4)).sum();
    if fourth > 0.0 { moments.y_squares().powi(2) / fourth } else { 0.0 }
}

/// The squared error of the intercept by HC3, see the head of this module.
fn squared_error(units: &[(f64, f64)], moments: &Comoments) -> f64 {
    let (n, mean_luck, squares) = (moments.count() as f64, moments.y.mean(), moments.y_squares());
    let term = |&(score, luck): &(f64, f64)| {
        let deviation = luck - mean_luck;
        let residual = score - moments.x.mean() - moments.slope() * deviation;
        let weight = 1.0 / n - mean_luck * deviation / squares;
        let others = 1.0 - 1.0 / n - deviation.powi(2) / squares;
        // The line passes through a unit without which it had no slope: there is nothing to tell its error by.
        if others > 1e-9 { (weight * residual / others).powi(2) } else { 0.0 }
    };
    units.iter().map(term).sum()
}

/// A match with the luck taken out. Luck is in the evaluator's unit, per game, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LuckAdjustment {
    /// Score per game that one unit of luck is worth, as fitted.
    pub coefficient: f64,
    /// The correlation between result and luck, −1 to 1; `None` where either never varies.
    pub correlation: Option<f64>,
    /// The first player's luck per game.
    pub mean_luck: Estimate,
    /// The luck in standard errors. The dice are fair, so beyond ±3 something is wrong with them or the evaluator;
    /// 0 where the luck never varies.
    pub luck_z_score: f64,
    /// The score as it is.
    pub raw_score: Estimate,
    /// The score with the luck taken out; it may lie outside 0 to 1.
    pub adjusted_score: Estimate,
    /// How many units the coefficient rests on: as many of the same luck would tell as much. 0 where the luck never
    /// varies.
    pub effective_units: f64,
    /// Whether these are so few that the least error took the place of what the units say of it.
    pub at_least_error: bool,
    /// Elo of the adjusted score.
    pub adjusted_elo: EloEstimate,
    /// The likelihood of superiority by the adjusted score, 0 to 1.
    pub adjusted_likelihood_of_superiority: f64,
    /// The adjusted score's squared error over the raw one's: 0.5 means that the games are worth twice as many.
    /// `None` where the results never vary.
    pub variance_ratio: Option<f64>,
}

impl LuckAdjustment {
    /// How many units it rests on, in words, and whether its error is the least that so few can have.
    pub fn rests_on(&self, pairing: Pairing) -> String {
        let least = if self.at_least_error { ", error at its least" } else { "" };
        format!("{:.1} {}s{least}", self.effective_units, pairing.unit())
    }

    /// From units of (score per game, luck per game); `None` with fewer than three.
    pub fn from_units(units: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let units: Vec<(f64, f64)> = units.into_iter().collect();
        let mut moments = Comoments::default();
        units.iter().for_each(|&(score, luck)| moments.push(score, luck));
        let mut adjusted_score = adjusted_estimate(&moments)?;
        let raw_score = moments.x.estimate()?;
        let effective_units = effective_units(&units, &moments);
        let mut at_least_error = false;
        // Where results or luck never vary, the plain mean and its error stay.
        if raw_score.standard_error > 0.0 && effective_units > 0.0 {
            let least = least_unit_variance(&moments) / (effective_units * units.len() as f64);
            let squared_error = squared_error(&units, &moments) * (1.0 + 1.0 / effective_units);
            at_least_error = squared_error < least;
            adjusted_score.standard_error = squared_error.max(least).sqrt();
        }
        let mean_luck = moments.y.estimate()?;
        let z_score = mean_luck.mean / mean_luck.standard_error;
        let variance_ratio = (adjusted_score.standard_error / raw_score.standard_error).powi(2);
        Some(Self {
            coefficient: moments.slope(),
            correlation: moments.correlation(),
            mean_luck,
            luck_z_score: if mean_luck.standard_error > 0.0 { z_score } else { 0.0 },
            raw_score,
            adjusted_score,
            effective_units,
            at_least_error,
            adjusted_elo: EloEstimate::from_score(&adjusted_score),
            adjusted_likelihood_of_superiority: likelihood_of_superiority(&adjusted_score),
            variance_ratio: (raw_score.standard_error > 0.0).then_some(variance_ratio),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the textbook's regression of (1, 2), (0, −1), (1, 0), (0, 1): slope 0.2, intercept 0.4, residuals 0.2, −0.2,
    /// 0.6 and −0.6, RSS 0.8, and √(0.4 · (1/4 + 0.25/5)) = √0.12 for the intercept. The deviations of the luck are
    /// 1.5, −1.5, −0.5 and 0.5, so that w = 0.1, 0.4, 0.3 and 0.2, 1 − h = 0.3, 0.3, 0.7 and 0.7, and HC3 is
    /// (0.02² + 0.08²) / 0.3² + (0.18² + 0.12²) / 0.7²; k = 5² / 10.25, and the least 4/25 · (1/4 + 0.25/5) / k.
    #[test]
    fn the_adjusted_score_is_the_intercept_of_a_line() {
        let units = [(1.0, 2.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)];
        let fit = LuckAdjustment::from_units(units).expect("four units");
        assert!((fit.coefficient - 0.2).abs() < 1e-12, "{fit:?}");
        assert!((fit.adjusted_score.mean - 0.4).abs() < 1e-12, "{fit:?}");
        let squared_error: f64 = (0.0068 / 0.09 + 0.0468 / 0.49) * (1.0 + 10.25 / 25.0);
        assert!((fit.adjusted_score.standard_error - squared_error.sqrt()).abs() < 1e-12, "{fit:?}");
        assert!((fit.effective_units - 25.0 / 10.25).abs() < 1e-12 && !fit.at_least_error, "{fit:?}");
        assert!((fit.raw_score.standard_error - 0.25).abs() < 1e-12);
        assert!((fit.variance_ratio.expect("results vary") - squared_error / 0.0625).abs() < 1e-12);
        assert_eq!(fit.mean_luck.mean, 0.5);
        assert!((fit.luck_z_score - 0.5 / (1.25_f64 / 4.0).sqrt()).abs() < 1e-12);
        assert!((fit.correlation.expect("both vary") - 1.0 / 5.0_f64.sqrt()).abs() < 1e-12);
        let mut moments = Comoments::default();
        units.iter().for_each(|&(score, luck)| moments.push(score, luck));
        let plain = adjusted_estimate(&moments).expect("four units");
        assert_eq!(plain.mean, fit.adjusted_score.mean);
        assert!((plain.standard_error - 0.12_f64.sqrt()).abs() < 1e-12, "{plain:?}");
    }

    #[test]
    fn luck_that_explains_everything_leaves_the_least_error() {
        let fit = LuckAdjustment::from_units((0..10).map(|i| (0.05 * f64::from(i), f64::from(i) - 4.5))).expect("ten");
        assert!((fit.adjusted_score.mean - 0.225).abs() < 1e-12 && fit.at_least_error, "{fit:?}");
        assert!((fit.adjusted_score.standard_error - 1.0 / (11.0 * fit.effective_units.sqrt())).abs() < 1e-12);
    }

    /// One deviating pair of 50 makes the line: it proves as little as if it were not there.
    #[test]
    fn one_unit_that_differs_makes_no_certainty() {
        let units = (0..50).map(|i| if i == 20 { (0.0, -0.85) } else { (0.5, 0.0) });
        let fit = LuckAdjustment::from_units(units).expect("fifty units");
        assert!((fit.adjusted_score.mean - 0.5).abs() < 1e-12 && fit.at_least_error, "{fit:?}");
        assert!((1.0..1.1).contains(&fit.effective_units), "{fit:?}");
        assert!((0.019..0.021).contains(&fit.adjusted_score.standard_error), "{fit:?}");
    }

    #[test]
    fn without_luck_the_score_stays_as_it_is() {
        let fit = LuckAdjustment::from_units([(1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]).expect("three units");
        assert_eq!((fit.adjusted_score, fit.coefficient, fit.correlation), (fit.raw_score, 0.0, None));
        assert_eq!((fit.variance_ratio, fit.luck_z_score), (Some(1.0), 0.0));
        let alike = LuckAdjustment::from_units([(1.0, 0.5), (1.0, 0.1), (1.0, -0.3)]).expect("three units");
        assert_eq!((alike.coefficient, alike.adjusted_score.mean, alike.variance_ratio), (0.0, 1.0, None));
        assert_eq!(LuckAdjustment::from_units([(1.0, 0.0), (0.0, 1.0)]), None);
    }
}
