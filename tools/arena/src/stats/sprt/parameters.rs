//! What a sequential test is asked: the hypotheses, the error rates, and which results it looks at.

use super::Verdict;
use crate::stats::elo::score_of_elo;
use crate::stats::moments::{Estimate, variance_floor};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

/// Which results a test looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The results as they are.
    #[default]
    Raw,
    /// The results with the luck of the dice taken out.
    Luck,
}

impl Basis {
    /// Of a test of either kind the one that counts.
    pub fn of<T>(self, raw: T, adjusted: Option<T>) -> Option<T> {
        match self {
            Self::Raw => Some(raw),
            Self::Luck => adjusted,
        }
    }
}

/// The two hypotheses, the error rates, and what is tested. Made by parsing `elo0,elo1,alpha,beta`, of which the error
/// rates may be left out; `,luck` after them tests luck-adjusted results.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtParameters {
    /// H0: the difference is `elo0` (or less), in logistic Elo.
    pub elo0: f64,
    /// H1: the difference is `elo1` (or more); above `elo0`.
    pub elo1: f64,
    /// The probability of accepting H1 where H0 holds, 0 to 1.
    pub alpha: f64,
    /// The probability of accepting H0 where H1 holds, 0 to 1.
    pub beta: f64,
    /// Which results are tested.
    pub on: Basis,
}

/// The error rates where none are given.
const USUAL_ERROR_RATE: f64 = 0.05;

/// Why a text is no [`SprtParameters`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SprtParseError {
    /// Neither two numbers nor four, or another word after them.
    #[error("expected elo0,elo1 or elo0,elo1,alpha,beta, such as 0,10,0.05,0.05, and after it perhaps ,raw or ,luck")]
    Shape,
    /// The hypotheses do not differ, or are out of reach.
    #[error("elo0 must be below elo1, and both within -2000 to 2000")]
    Elo,
    /// The error rates leave nothing to test.
    #[error("alpha and beta must be above 0 and together below 1")]
    ErrorRates,
}

impl SprtParameters {
    /// The same with checked values, on results as they are.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtParseError> {
        if !(elo0 < elo1 && elo0 >= -2000.0 && elo1 <= 2000.0) {
            return Err(SprtParseError::Elo);
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtParseError::ErrorRates);
        }
        Ok(Self { elo0, elo1, alpha, beta, on: Basis::Raw })
    }

    /// H0 is accepted at or below this log-likelihood ratio: ln(β / (1 − α)).
    pub fn lower_bound(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// H1 is accepted at or above this one: ln((1 − β) / α).
    pub fn upper_bound(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// The verdict at a log-likelihood ratio.
    pub fn verdict(&self, llr: f64) -> Verdict {
        if llr >= self.upper_bound() {
            Verdict::AcceptH1
        } else if llr <= self.lower_bound() {
            Verdict::AcceptH0
        } else {
            Verdict::Continue
        }
    }

    /// The log-likelihood ratio of an estimated mean score of results as they are.
    ///
    /// The variance of a unit is taken as at least [`variance_floor`], n / (n + 1)². Without it the first two units
    /// with the same result would divide by zero and decide any test. The floor never matters from 1 / v units on
    /// (about ten pairs of decided games), and lets a match of equal results go on to a sane end.
    pub fn log_likelihood_ratio(&self, score: &Estimate) -> f64 {
        self.log_likelihood_ratio_with(score, variance_floor(score.units))
    }

    /// The same with another least variance of a unit, above 0.
    pub fn log_likelihood_ratio_with(&self, score: &Estimate, least_variance: f64) -> f64 {
        let (s0, s1) = (score_of_elo(self.elo0), score_of_elo(self.elo1));
        let variance = score.unit_variance().max(least_variance);
        score.units as f64 * (s1 - s0) * (2.0 * score.mean - s0 - s1) / (2.0 * variance)
    }
}

/// As it is parsed, and as headers of journals hold it: `elo0,elo1,alpha,beta`, and `,luck` where that is tested.
impl fmt::Display for SprtParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elo0, elo1, alpha, beta, on } = self;
        write!(f, "{elo0},{elo1},{alpha},{beta}{}", if *on == Basis::Luck { ",luck" } else { "" })
    }
}

impl FromStr for SprtParameters {
    type Err = SprtParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words: Vec<&str> = text.split(',').map(str::trim).collect();
        let on = match words.last() {
            Some(&"luck") => Basis::Luck,
            _ => Basis::Raw,
        };
        if matches!(words.last(), Some(&("luck" | "raw"))) {
            words.pop();
        }
        let numbers: Result<Vec<f64>, _> = words.into_iter().map(str::parse).collect();
        let parameters = match numbers.map_err(|_| SprtParseError::Shape)?[..] {
            [elo0, elo1] => Self::new(elo0, elo1, USUAL_ERROR_RATE, USUAL_ERROR_RATE),
            [elo0, elo1, alpha, beta] => Self::new(elo0, elo1, alpha, beta),
            _ => Err(SprtParseError::Shape),
        };
        Ok(Self { on, ..parameters? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_checked() {
        let read: SprtParameters = "0, 10,0.05,0.1".parse().expect("sound");
        assert_eq!(read, SprtParameters { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.1, on: Basis::Raw });
        assert!((read.lower_bound() - (0.1_f64 / 0.95).ln()).abs() < 1e-15);
        assert!((read.upper_bound() - (0.9_f64 / 0.05).ln()).abs() < 1e-15);
        let error = |text: &str| text.parse::<SprtParameters>().expect_err(text);
        for text in ["", "0,10,0.05", "0,10,0.05,0.05,1", "a,10,0.05,0.05", "0,10,dice", "luck", "0,10,luck,raw"] {
            assert_eq!(error(text), SprtParseError::Shape);
        }
        for text in ["10,0,0.05,0.05", "5,5,0.05,0.05", "nan,5,0.05,0.05", "0,inf,0.05,0.05"] {
            assert_eq!(error(text), SprtParseError::Elo);
        }
        for text in ["0,10,0,0.05", "0,10,0.05,-1", "0,10,0.5,0.5", "0,10,nan,0.5"] {
            assert_eq!(error(text), SprtParseError::ErrorRates);
        }
    }

    #[test]
    fn error_rates_may_be_left_out_and_luck_be_tested() {
        let read = |text: &str| text.parse::<SprtParameters>().expect(text);
        for (text, shown) in [
            ("0,10", "0,10,0.05,0.05"),
            ("-1.5,3,raw", "-1.5,3,0.05,0.05"),
            ("0,10,0.1,0.2, luck", "0,10,0.1,0.2,luck"),
            ("0,5,luck", "0,5,0.05,0.05,luck"),
        ] {
            assert_eq!((read(text).to_string(), read(shown)), (shown.to_owned(), read(text)));
        }
        assert_eq!(read("0,5,luck"), SprtParameters { on: Basis::Luck, ..read("0,5") });
        assert_eq!(
            (Basis::Raw.of(1, None), Basis::Luck.of(1, Some(2)), Basis::Luck.of(1, None)),
            (Some(1), Some(2), None)
        );
    }
}
