//! The sequential test: is the first player better than `elo1`, or no better than `elo0`?
//!
//! A generalised sequential probability ratio test over units (pairs: the pentanomial one), in the normal
//! approximation (M. Van den Bergh, "A practical introduction to the GSPRT"):
//! LLR = N (s1 − s0) (2m − s0 − s1) / (2v), with N units of mean score m and variance v, and s0, s1 the scores expected
//! at `elo0` and `elo1` (logistic Elo). It ends at ln(β / (1 − α)) with H0, at ln((1 − β) / α) with H1 (A. Wald, 1945).
//!
//! Luck-adjusted results are tested by the same formula. They are real numbers, of which there is no pentanomial, and
//! the formula asks for none: it is that of a normal mean whose variance is estimated, here the intercept of the line of
//! result on luck with its squared standard error by the textbook, v / N ([`luck::adjusted_estimate`], sums that can be
//! kept as units come in). The theory is that of large samples, so what few units could say by chance is bounded: v is
//! never below that of a unit more that differs by the whole range, as for results as they are, and never without the
//! share of the error that the fit adds ([`luck::least_unit_variance`]).
//! [`SprtParameters::on`] says which of the two tests counts. By simulation both keep their error rates; where nine
//! pairs of ten and more are the same game twice, α gets smaller and β larger, up to 8 % for the 5 % asked for.
//!
//! Two things are for the caller to know:
//!
//! - **Units count in the order of the schedule**, not in that in which they finish: short games finish first and are
//!   not a fair sample, and only so does a test stop at the same unit whatever the concurrency. [`InOrder`] helps.
//! - **The first bound reached decides.** Units that were in flight then still count in the score, not in the verdict.

mod parameters;

pub use parameters::{Basis, SprtParameters, SprtParseError};

use super::luck;
use super::moments::{Comoments, Estimate, variance_floor};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a test says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Neither bound has been reached.
    #[default]
    Continue,
    /// The first player is not better than `elo0`, at the error rates asked for.
    AcceptH0,
    /// The first player is better than `elo0`, at the error rates asked for.
    AcceptH1,
}

/// How far one test has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SprtState {
    /// The log-likelihood ratio over all units so far; it may move on after the verdict.
    pub llr: f64,
    /// By the first bound reached; final once it is not [`Verdict::Continue`].
    pub verdict: Verdict,
    /// After how many units that bound was reached.
    pub decided_after_units: Option<u64>,
    /// Whether the units differ so little that the least variance took the place of theirs: the test is then slower
    /// than the results alone would make it.
    pub at_least_variance: bool,
}

impl SprtState {
    fn update(&mut self, parameters: &SprtParameters, score: &Estimate, least_variance: f64) {
        self.llr = parameters.log_likelihood_ratio_with(score, least_variance);
        self.at_least_variance = score.unit_variance() < least_variance;
        if self.verdict == Verdict::Continue {
            self.verdict = parameters.verdict(self.llr);
            self.decided_after_units = (self.verdict != Verdict::Continue).then_some(score.units);
        }
    }
}

/// One point of the test's path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtPoint {
    /// Units so far.
    pub units: u64,
    /// The log-likelihood ratio after them.
    pub llr: f64,
    /// The same of luck-adjusted results; `None` where there are too few or their luck is not known.
    pub adjusted_llr: Option<f64>,
}

/// A test under way. Units are pushed in the order of the schedule.
#[derive(Clone, Debug)]
pub struct SprtRun {
    parameters: SprtParameters,
    moments: Comoments,
    raw: SprtState,
    adjusted: Option<SprtState>,
    path: Vec<SprtPoint>,
}

impl SprtRun {
    /// A test that has seen nothing.
    pub fn new(parameters: SprtParameters) -> Self {
        let state = SprtState::default();
        Self { parameters, moments: Comoments::default(), raw: state, adjusted: Some(state), path: Vec::new() }
    }

    /// Adds the next unit: its mean score per game (0 to 1) and its luck, both from the first player's view. From the
    /// first unit without luck on, there is no adjusted test any more.
    pub fn push(&mut self, score: f64, luck: Option<f64>) {
        self.moments.push(score, luck.unwrap_or(0.0));
        if let Some(estimate) = self.moments.x.estimate() {
            self.raw.update(&self.parameters, &estimate, variance_floor(estimate.units));
        }
        if luck.is_none() {
            self.adjusted = None;
        }
        let adjusted = luck::adjusted_estimate(&self.moments);
        let adjusted_llr = match (&mut self.adjusted, adjusted) {
            (Some(state), Some(estimate)) => {
                state.update(&self.parameters, &estimate, luck::least_unit_variance(&self.moments));
                Some(state.llr)
            }
            _ => None,
        };
        self.path.push(SprtPoint { units: self.moments.count(), llr: self.raw.llr, adjusted_llr });
    }

    /// What is tested.
    pub const fn parameters(&self) -> &SprtParameters {
        &self.parameters
    }

    /// The test of the results as they are.
    pub const fn raw(&self) -> SprtState {
        self.raw
    }

    /// The test of the luck-adjusted results: the same formula with their mean and variance. `None` without units and
    /// where the luck of some unit is not known.
    ///
    /// Which of the two tests ends the match must be settled before it begins ([`SprtParameters::on`]): to stop at
    /// whichever comes first would add up their errors.
    pub fn adjusted(&self) -> Option<SprtState> {
        self.adjusted.filter(|_| self.moments.count() > 0)
    }

    /// The test that counts, by [`SprtParameters::on`]; `None` where it is the adjusted one and there is none.
    pub fn deciding(&self) -> Option<SprtState> {
        self.parameters.on.of(self.raw(), self.adjusted())
    }

    /// Every state of the test, one point a unit.
    pub fn path(&self) -> &[SprtPoint] {
        &self.path
    }

    /// The test as reports show it.
    pub fn summary(&self) -> SprtSummary {
        SprtSummary {
            parameters: self.parameters,
            lower_bound: self.parameters.lower_bound(),
            upper_bound: self.parameters.upper_bound(),
            units: self.moments.count(),
            raw: self.raw(),
            adjusted: self.adjusted(),
        }
    }
}

/// A test as reports show it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtSummary {
    /// What is tested.
    pub parameters: SprtParameters,
    /// Where H0 is accepted.
    pub lower_bound: f64,
    /// Where H1 is accepted.
    pub upper_bound: f64,
    /// Units seen.
    pub units: u64,
    /// The test of the results as they are.
    pub raw: SprtState,
    /// The test of the luck-adjusted results.
    pub adjusted: Option<SprtState>,
}

impl SprtSummary {
    /// The test that counts, by [`SprtParameters::on`]; `None` where it is the adjusted one and there is none.
    pub fn deciding(&self) -> Option<SprtState> {
        self.parameters.on.of(self.raw, self.adjusted)
    }
}

/// Hands out what comes in any order by ascending number, without gaps from 0 on.
#[derive(Clone, Debug)]
pub struct InOrder<T> {
    next: u64,
    waiting: BTreeMap<u64, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        Self { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Takes in one item. A number that was there before is ignored.
    pub fn insert(&mut self, number: u64, item: T) {
        if number >= self.next {
            self.waiting.entry(number).or_insert(item);
        }
    }

    /// The next item, once it and all before it have come in.
    pub fn pop(&mut self) -> Option<T> {
        let item = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::elo::elo_of_score;
    use crate::stats::outcome::Pentanomial;

    fn parameters(text: &str) -> SprtParameters {
        text.parse().expect("sound parameters")
    }

    fn llr(text: &str, counts: [u64; 5]) -> f64 {
        parameters(text).log_likelihood_ratio(&Pentanomial { counts }.moments().estimate().expect("there are pairs"))
    }

    /// Computed apart in Python, with `s(e) = 1/(1 + 10**(-e/400))`, `m = Σ cᵢ·i/4 / N`, `v = Σ cᵢ(i/4 − m)² / N`,
    /// `N·(s(e1) − s(e0))·(2m − s(e0) − s(e1)) / (2v)`.
    #[test]
    fn golden_values() {
        let golden = [
            ("0,2.716,0.05,0.05", [13, 37, 50, 25, 3], -0.559_662_613_853_073_1),
            ("-5,0,0.05,0.05", [1400, 4234, 7874, 4238, 1373], 6.331_854_112_736_237),
            ("0,5,0.05,0.05", [154, 916, 1726, 986, 204], 3.884_263_277_939_046),
            ("0,4,0.05,0.05", [3, 623, 1578, 759, 5], 5.138_750_333_426_696),
            ("-7.5,0,0.05,0.05", [137, 400, 769, 437, 154], 4.587_187_082_457_619),
            ("-5,0,0.05,0.05", [4, 4, 11, 15, 3], 0.226_526_254_266_487_8),
        ];
        for (text, counts, expected) in golden {
            assert!((llr(text, counts) - expected).abs() < 1e-9, "{text} {counts:?}: {}", llr(text, counts));
        }
    }

    /// What others published: the fishtest family prints this very approximation ("Logistic (alt2)" −0.55961, bounds
    /// rounded to 2.716); fastchess tests its exact likelihood ratio with two decimals, from which the approximation
    /// differs by less than that at such sizes.
    #[test]
    fn published_log_likelihood_ratios_are_reproduced() {
        assert!((llr("0,2.716,0.05,0.05", [13, 37, 50, 25, 3]) + 0.559_61).abs() < 1e-4);
        assert!((llr("0.5,2.5,0.05,0.05", [223, 9863, 21279, 10037, 246]) + 3.07).abs() < 0.01);
        assert!((llr("0,2,0.05,0.05", [871, 26175, 55983, 26678, 821]) + 4.98).abs() < 0.01);
    }

    /// OpenBench gives its bounds in normalised Elo: score − ½ = Elo · ln 10 / 800 · √(2v). Put back to logistic Elo
    /// they must give the ratios that public instances published, but for the last digit.
    #[test]
    fn published_tests_with_normalised_bounds_are_reproduced() {
        let published = [
            (-5.0, 0.0, [1400, 4234, 7874, 4238, 1373], 2.95),
            (0.0, 5.0, [154, 916, 1726, 986, 204], 2.96),
            (0.0, 5.0, [288, 2370, 4745, 2517, 320], 2.96),
            (0.0, 4.0, [39, 1206, 2719, 1394, 26], 2.90),
            (0.0, 4.0, [3, 623, 1578, 759, 5], 2.91),
            (-7.5, 0.0, [137, 400, 769, 437, 154], 2.99),
            (-5.0, 0.0, [4, 4, 11, 15, 3], 0.16),
        ];
        for (elo0, elo1, counts, expected) in published {
            let moments = Pentanomial { counts }.moments();
            let to_logistic = |elo: f64| {
                elo_of_score(0.5 + elo * std::f64::consts::LN_10 / 800.0 * (2.0 * moments.variance()).sqrt())
            };
            let test = SprtParameters::new(to_logistic(elo0), to_logistic(elo1), 0.05, 0.05).expect("sound");
            let ratio = test.log_likelihood_ratio(&moments.estimate().expect("there are pairs"));
            assert!((ratio - expected).abs() < 0.02, "{counts:?}: {ratio} for {expected}");
        }
    }

    #[test]
    fn equal_results_neither_divide_by_zero_nor_decide_at_once() {
        assert_eq!(parameters("0,10,0.05,0.05").verdict(llr("0,10,0.05,0.05", [0, 0, 0, 0, 2])), Verdict::Continue);
        assert_eq!(parameters("0,10,0.05,0.05").verdict(llr("0,10,0.05,0.05", [0, 0, 0, 0, 30])), Verdict::AcceptH1);
        assert_eq!(parameters("0,10,0.05,0.05").verdict(llr("0,10,0.05,0.05", [30, 0, 0, 0, 0])), Verdict::AcceptH0);
        assert!(llr("0,10,0.05,0.05", [0, 0, 200, 0, 0]) < parameters("0,10,0.05,0.05").lower_bound());
        assert_eq!(llr("-5,5,0.05,0.05", [0, 0, 200, 0, 0]), 0.0);
    }

    #[test]
    fn the_first_bound_reached_decides() {
        let mut run = SprtRun::new(parameters("0,50,0.05,0.05"));
        assert_eq!((run.raw(), run.adjusted()), (SprtState::default(), None));
        (0..30).for_each(|i| run.push(if i % 6 == 0 { 0.5 } else { 1.0 }, None));
        let decided = run.raw();
        assert_eq!(decided.verdict, Verdict::AcceptH1);
        let after = decided.decided_after_units.expect("it is decided");
        (0..100).for_each(|_| run.push(0.0, None));
        assert!(run.raw().llr < run.parameters().lower_bound());
        assert_eq!((run.raw().verdict, run.raw().decided_after_units), (Verdict::AcceptH1, Some(after)));
        assert_eq!(run.path().len(), 130);
        let index = usize::try_from(after).expect("small") - 1;
        assert!(run.path()[index].llr >= run.parameters().upper_bound());
        assert!(run.path()[..index].iter().all(|point| point.llr < run.parameters().upper_bound()));
        assert_eq!(run.summary().adjusted, None);
    }

    #[test]
    fn the_basis_says_which_test_counts() {
        // All luck explains all but the first player's plus: adjusted it wins, as it is nothing is decided.
        let run = |text: &str, with_luck: bool| {
            let mut run = SprtRun::new(parameters(text));
            for i in 0..400 {
                let (luck, noise) = ([-0.2, 0.2, 0.0][i % 3], [0.0, 0.05, -0.05, 0.0][i % 4]);
                run.push(0.51 + luck + noise, with_luck.then_some(luck));
            }
            run
        };
        let (raw, luck) = (run("0,3,0.05,0.05", true), run("0,3,luck", true));
        assert_eq!((raw.raw(), raw.adjusted()), (luck.raw(), luck.adjusted()));
        assert_eq!((raw.deciding(), luck.deciding()), (Some(raw.raw()), luck.adjusted()));
        assert_eq!((raw.summary().deciding(), luck.summary().deciding()), (raw.deciding(), luck.deciding()));
        assert_eq!(raw.raw().verdict, Verdict::Continue);
        let adjusted = luck.adjusted().expect("all luck is known");
        assert_eq!(adjusted.verdict, Verdict::AcceptH1, "{adjusted:?}");
        assert!(!raw.raw().at_least_variance && adjusted.at_least_variance, "{raw:?}");
        // Without luck there is no such test, and nothing takes its place.
        assert_eq!(run("0,3,luck", false).deciding(), None);
        assert!(run("0,3", false).deciding().is_some());
    }

    /// Few units on a straight line leave no residual, and far from it the line's intercept may be anything.
    #[test]
    fn few_units_on_a_line_decide_nothing_by_their_luck() {
        for scores in [[0.75, 0.75, 0.25], [0.25, 0.25, 0.75], [1.0, 1.0, 1.0], [0.5, 0.5, 1.0]] {
            let mut run = SprtRun::new(parameters("0,200,luck"));
            assert_eq!(run.deciding(), None, "no unit, no test");
            for (score, luck) in scores.into_iter().zip([0.10, 0.10, 0.09]) {
                run.push(score, Some(luck));
            }
            let state = run.deciding().expect("three units");
            assert!(state.verdict == Verdict::Continue && state.at_least_variance, "{scores:?}: {state:?}");
        }
        // One pair of many that differs is fitted without residual; the test goes on as slowly as without it.
        let mut run = SprtRun::new(parameters("0,10,luck"));
        (0..50).for_each(|i| run.push(if i == 20 { 1.0 } else { 0.5 }, Some(if i == 20 { 0.3 } else { 0.0 })));
        let adjusted = run.deciding().expect("all luck is known");
        let alike = Estimate { units: 50, mean: 0.5, standard_error: 0.0 };
        assert!((adjusted.llr - run.parameters().log_likelihood_ratio(&alike)).abs() < 0.01, "{adjusted:?}");
    }

    #[test]
    fn items_are_handed_out_in_order() {
        let mut queue = InOrder::default();
        queue.insert(1, 'b');
        queue.insert(2, 'c');
        assert_eq!(queue.pop(), None);
        queue.insert(0, 'a');
        queue.insert(0, 'x');
        assert_eq!((queue.pop(), queue.pop(), queue.pop(), queue.pop()), (Some('a'), Some('b'), Some('c'), None));
        queue.insert(1, 'y');
        assert_eq!(queue.pop(), None);
    }
}
