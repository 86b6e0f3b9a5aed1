//! Running means, variances and covariances, and a mean with its standard error.

use serde::Serialize;

/// Half the width of a two-sided 95 % interval, in standard errors: the 97.5 % point of the normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// Count, mean and sum of squared deviations of numbers seen one by one (Welford 1962): no cancellation, whatever the
/// size of the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds one number.
    pub fn push(&mut self, value: f64) {
        self.push_many(value, 1);
    }

    /// Adds the same number `times` times.
    pub fn push_many(&mut self, value: f64, times: u64) {
        if times == 0 {
            return;
        }
        let before = self.count as f64;
        self.count += times;
        let delta = value - self.mean;
        self.mean += delta * times as f64 / self.count as f64;
        self.squares += delta * delta * before * times as f64 / self.count as f64;
    }

    /// How many numbers were added.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The arithmetic mean; 0 of nothing.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// The mean squared deviation (divided by the count, as match statistics are by custom); 0 of nothing.
    pub fn variance(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.squares / self.count as f64 }
    }

    /// The mean with its standard error √(variance / count); `None` of nothing.
    pub fn estimate(&self) -> Option<Estimate> {
        (self.count > 0).then(|| Estimate {
            units: self.count,
            mean: self.mean,
            standard_error: (self.variance() / self.count as f64).sqrt(),
        })
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|value| moments.push(value));
        moments
    }
}

/// The moments of pairs of numbers (x, y), with the sum of their joint deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comoments {
    /// The first number of each pair.
    pub x: Moments,
    /// The second.
    pub y: Moments,
    products: f64,
}

impl Comoments {
    /// Adds one pair.
    pub fn push(&mut self, x: f64, y: f64) {
        let delta = x - self.x.mean;
        self.x.push(x);
        self.y.push(y);
        self.products += delta * (y - self.y.mean);
    }

    /// How many pairs were added.
    pub const fn count(&self) -> u64 {
        self.x.count
    }

    /// Pearson's correlation, −1 to 1; `None` where either number never varies.
    pub fn correlation(&self) -> Option<f64> {
        let scale = (self.x.squares * self.y.squares).sqrt();
        (scale > 0.0).then(|| (self.products / scale).clamp(-1.0, 1.0))
    }

    /// The slope of the least-squares line of x on y; 0 where y never varies.
    pub fn slope(&self) -> f64 {
        if self.y.squares > 0.0 { self.products / self.y.squares } else { 0.0 }
    }

    /// What is left of the squared deviations of x after that line, never negative.
    pub fn residual_squares(&self) -> f64 {
        (self.x.squares - self.slope() * self.products).max(0.0)
    }

    /// The sum of the squared deviations of y.
    pub const fn y_squares(&self) -> f64 {
        self.y.squares
    }
}

/// An estimated mean of independent units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// How many units it comes from, at least 1.
    pub units: u64,
    /// The mean.
    pub mean: f64,
    /// Its standard error; 0 where the units never varied, which proves nothing: see [`Self::interval_of_score`].
    pub standard_error: f64,
}

impl Estimate {
    /// The variance of one unit that this standard error stands for.
    pub fn unit_variance(&self) -> f64 {
        self.units as f64 * self.standard_error.powi(2)
    }

    /// The 95 % interval by the normal approximation.
    pub fn interval(&self) -> (f64, f64) {
        let margin = Z_95 * self.standard_error;
        (self.mean - margin, self.mean + margin)
    }

    /// The 95 % interval of a mean score, within 0 to 1.
    ///
    /// Where no two units differed, the normal approximation has no width, however few they were. Then with 97.5 %
    /// confidence a share of at most q = 1 − 0.025^(1/units) of all units is of a kind that was not seen (Clopper and
    /// Pearson, "The use of confidence or fiducial limits", Biometrika 26, 1934: q solves (1 − q)^units = 0.025), and
    /// these could have any score from 0 to 1. Where the normal interval goes beyond 0 or 1, the score is so close to
    /// the end that the approximation does not hold there either: the interval is then the hull of both.
    pub fn interval_of_score(&self) -> (f64, f64) {
        let (low, high) = self.interval();
        if self.standard_error > 0.0 && low >= 0.0 && high <= 1.0 {
            return (low, high);
        }
        let unseen = 1.0 - 0.025_f64.powf(1.0 / self.units as f64);
        let known = (1.0 - unseen) * self.mean.clamp(0.0, 1.0);
        let (least, most) = (known, known + unseen);
        if self.standard_error > 0.0 { (low.max(0.0).min(least), high.min(1.0).max(most)) } else { (least, most) }
    }
}

/// The least variance of a unit's score (0 to 1) that `units` observations can speak for: that of one unit more, which
/// alone differs, by the whole range: n / (n + 1)². It shrinks like 1/n, so that it only ever matters where results
/// are very few or all alike, and keeps a division by the variance sane there.
pub fn variance_floor(units: u64) -> f64 {
    let n = units as f64;
    n / (n + 1.0).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_agree_with_two_passes() {
        let values = [1e9, 1e9 + 1.0, 1e9 + 4.0, 1e9 + 7.0];
        let moments: Moments = values.into_iter().collect();
        assert_eq!((moments.count(), moments.mean()), (4, 1e9 + 3.0));
        assert!((moments.variance() - 7.5).abs() < 1e-6, "{moments:?}");
        let mut many = Moments::default();
        many.push_many(2.0, 3);
        many.push_many(5.0, 1);
        many.push_many(9.0, 0);
        assert_eq!((many.count(), many.mean(), many.variance()), (4, 2.75, 1.6875));
        assert_eq!(Moments::default().estimate(), None);
    }

    #[test]
    fn a_straight_line_is_found() {
        let mut line = Comoments::default();
        (0..10).for_each(|i| line.push(3.0 - 2.0 * f64::from(i), f64::from(i)));
        assert!((line.slope() + 2.0).abs() < 1e-12 && line.residual_squares() < 1e-9);
        assert_eq!((line.count(), line.correlation()), (10, Some(-1.0)));
        let mut flat = Comoments::default();
        (0..3).for_each(|i| flat.push(f64::from(i), 1.0));
        assert_eq!((flat.slope(), flat.correlation(), flat.residual_squares()), (0.0, None, 2.0));
    }

    #[test]
    fn an_interval_without_variance_still_has_a_width() {
        let score = |units, mean| Estimate { units, mean, standard_error: 0.0 }.interval_of_score();
        // 0.025^(1/10) = 0.691502892181239 (the well-known Clopper–Pearson bound 69.2 % for 10 out of 10).
        let (low, high) = score(10, 1.0);
        assert!((low - 0.691_502_892_181_239).abs() < 1e-12 && (high - 1.0).abs() < 1e-12);
        let (low, high) = score(10, 0.0);
        assert!(low == 0.0 && (high - 0.308_497_107_818_761).abs() < 1e-12);
        let (low, high) = score(1000, 0.5);
        assert!((0.498..0.5).contains(&low) && (0.5..0.502).contains(&high), "{low} {high}");
        let wide = Estimate { units: 2, mean: 0.9, standard_error: 0.3 }.interval_of_score();
        // (1 − q) · 0.9 with 1 − q = √0.025 is below 0.9 − 1.96 · 0.3.
        assert!((wide.0 - 0.9 * 0.025_f64.sqrt()).abs() < 1e-15 && wide.1 == 1.0);
        let inner = Estimate { units: 200, mean: 0.6, standard_error: 0.02 };
        assert_eq!(inner.interval_of_score(), inner.interval());
    }

    /// One half point in twenty pairs proves no more than none: its interval is no narrower.
    #[test]
    fn a_score_near_the_end_is_as_uncertain_as_one_at_it() {
        let mut none = Moments::default();
        none.push_many(0.0, 20);
        let mut little = Moments::default();
        little.push_many(0.0, 19);
        little.push(0.25);
        let [none, little] = [none, little].map(|moments| moments.estimate().expect("units").interval_of_score());
        // 1 − 0.025^(1/20), the Clopper–Pearson bound for 0 of 20.
        assert!(none.0 == 0.0 && (none.1 - 0.168_433_470_983_085).abs() < 1e-12, "{none:?}");
        assert!(little.0 == 0.0 && little.1 > none.1 && little.1 < 0.19, "{little:?}");
    }

    #[test]
    fn the_variance_floor_fades() {
        assert_eq!(variance_floor(1), 0.25);
        assert!(variance_floor(1000) < 0.001);
    }
}
