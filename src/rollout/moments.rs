//! The mean of some numbers, and how far it can be relied on.

/// Count, mean and sum of squared deviations of numbers seen one by one (B. P. Welford's recurrence, 1962): no cancellation,
/// whatever the size of the mean.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    count: u32,
    mean: f64,
    squares: f64,
}

impl Moments {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / f64::from(self.count);
        self.squares += before * (value - self.mean);
    }

    /// How many numbers were added.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The arithmetic mean; 0 of nothing.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// The standard error of the mean, by the sample variance (divided by the count less one); infinite for less than two
    /// numbers.
    pub fn error(&self) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        let n = f64::from(self.count);
        (self.squares / (n - 1.0) / n).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_error_are_those_of_the_textbook() {
        let mut moments = Moments::default();
        assert_eq!((moments.mean(), moments.error()), (0.0, f64::INFINITY));
        let values = [0.5, -1.0, 1.0, 0.25, -0.75, 1.0];
        values.iter().for_each(|&value| moments.add(value));
        let n = values.len() as f64;
        let average = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|value| (value - average).powi(2)).sum::<f64>() / (n - 1.0);
        assert!((moments.mean() - average).abs() < 1e-12 && (moments.error() - (variance / n).sqrt()).abs() < 1e-12);
    }
}
