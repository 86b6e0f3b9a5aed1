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
//! intercept of the line of result on luck, and has the standard error of an intercept:
//! √(RSS / (n − 2) · (1/n + c̄² / Σ(c − c̄)²)). The divisor n − 2 undoes the optimism of fitting two numbers, the
//! second term counts in that b itself is uncertain. The estimate is biased by O(1/n) where result and luck are not
//! jointly normal; by simulation, that is a few per cent of its standard error at a hundred units.
//!
//! Mirrored pairs are one unit: the mean result against the mean luck. Most of the luck cancels between the halves
//! where the players play alike; what is left still explains what is left of the result's variance.

use super::elo::{EloEstimate, likelihood_of_superiority};
use super::moments::{Comoments, Estimate, variance_floor};
use serde::Serialize;

/// The least number of units for which a line and its error are defined.
pub const MINIMUM_UNITS: u64 = 3;

/// The mean of x with the part explained by y, a number of known mean zero, taken out, and its standard error; `None`
/// with fewer than three units. Where y never varies it explains nothing, and the result is the plain mean.
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
    /// Elo of the adjusted score.
    pub adjusted_elo: EloEstimate,
    /// The likelihood of superiority by the adjusted score, 0 to 1.
    pub adjusted_likelihood_of_superiority: f64,
    /// The adjusted score's squared error over the raw one's: 0.5 means that the games are worth twice as many.
    /// `None` where the results never vary.
    pub variance_ratio: Option<f64>,
}

impl LuckAdjustment {
    /// From units of (score per game, luck per game); `None` with fewer than three.
    pub fn from_units(units: impl IntoIterator<Item = (f64, f64)>) -> Option<Self> {
        let mut moments = Comoments::default();
        units.into_iter().for_each(|(score, luck)| moments.push(score, luck));
        let adjusted_score = adjusted_estimate(&moments)?;
        let raw_score = moments.x.estimate()?;
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
            adjusted_elo: EloEstimate::from_score(&adjusted_score),
            adjusted_likelihood_of_superiority: likelihood_of_superiority(&adjusted_score),
            variance_ratio: (raw_score.standard_error > 0.0).then_some(variance_ratio),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the textbook's regression of (1, 2), (0, −1), (1, 0), (0, 1): slope 0.2, intercept 0.4, RSS 0.8; the
    /// intercept's standard error √(0.4 · (1/4 + 0.25/5)) = √0.12.
    #[test]
    fn the_adjusted_score_is_the_intercept_of_a_line() {
        let fit = LuckAdjustment::from_units([(1.0, 2.0), (0.0, -1.0), (1.0, 0.0), (0.0, 1.0)]).expect("four units");
        assert!((fit.coefficient - 0.2).abs() < 1e-12, "{fit:?}");
        assert!((fit.adjusted_score.mean - 0.4).abs() < 1e-12, "{fit:?}");
        assert!((fit.adjusted_score.standard_error - 0.12_f64.sqrt()).abs() < 1e-12, "{fit:?}");
        assert!((fit.raw_score.standard_error - 0.25).abs() < 1e-12);
        assert!((fit.variance_ratio.expect("results vary") - 0.12 / 0.0625).abs() < 1e-12);
        assert_eq!(fit.mean_luck.mean, 0.5);
        assert!((fit.luck_z_score - 0.5 / (1.25_f64 / 4.0).sqrt()).abs() < 1e-12);
        assert!((fit.correlation.expect("both vary") - 1.0 / 5.0_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn luck_that_explains_everything_leaves_no_error() {
        let fit = LuckAdjustment::from_units((0..10).map(|i| (0.05 * f64::from(i), f64::from(i)))).expect("ten units");
        assert!(fit.adjusted_score.mean.abs() < 1e-12 && fit.adjusted_score.standard_error < 1e-7, "{fit:?}");
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
