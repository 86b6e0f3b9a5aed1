//! Tests of the estimators against games whose truth is known.
//!
//! A simulated game: the luck c is normal with mean 0, and the first player wins where skill + pull · c + noise > 0,
//! the noise standard normal. He so scores Φ(skill / √(1 + pull²)) on average, and the luck explains part of it. As
//! in real games the relation is neither linear nor of equal spread. In a mirrored pair the second half's luck is the
//! first's with its sign turned, in part.

use super::elo::{elo_of_score, normal_cdf};
use super::luck::LuckAdjustment;
use super::moments::{Estimate, Moments};
use super::sprt::{SprtParameters, SprtRun, Verdict};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

#[derive(Clone, Copy)]
struct World {
    skill: f64,
    pull: f64,
    /// The correlation between the halves' luck, turned: 1 where it cancels wholly. `None`: single games.
    mirrored: Option<f64>,
    /// The share of units in which the players play alike, so that both halves of a pair are the same game: half the
    /// points each, and no luck.
    alike: f64,
}

impl World {
    fn score(&self) -> f64 {
        let otherwise = normal_cdf(self.skill / (1.0 + self.pull * self.pull).sqrt());
        0.5 * self.alike + otherwise * (1.0 - self.alike)
    }

    fn elo(&self) -> f64 {
        elo_of_score(self.score())
    }

    fn unit(&self, rng: &mut ChaCha8Rng) -> (f64, f64) {
        if self.alike > 0.0 && uniform(rng) < self.alike {
            return (0.5, 0.0);
        }
        let (luck, other) = normal_pair(rng);
        let mut game = |luck: f64| f64::from(u8::from(self.skill + self.pull * luck + normal_pair(rng).0 > 0.0));
        match self.mirrored {
            None => (game(luck), luck),
            Some(part) => {
                let second = -part * luck + (1.0 - part * part).sqrt() * other;
                ((game(luck) + game(second)) / 2.0, (luck + second) / 2.0)
            }
        }
    }
}

/// Two independent standard normal numbers (Box and Muller 1958).
pub(super) fn normal_pair(rng: &mut ChaCha8Rng) -> (f64, f64) {
    let radius = (-2.0 * uniform(rng).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * uniform(rng)).sin_cos();
    (radius * cos, radius * sin)
}

/// Strictly between 0 and 1.
pub(super) fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    ((rng.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn covers(estimate: &Estimate, truth: f64) -> f64 {
    let (low, high) = estimate.interval();
    f64::from(u8::from(low <= truth && truth <= high))
}

/// 2000 matches a world: intervals cover the truth 95 times in 100 (the standard error of that share is 0.5 %), the
/// adjusted mean is unbiased, and its error shrinks as much as it says or, at 60 units, a little more.
#[test]
fn adjusted_scores_are_unbiased_and_as_sure_as_they_say() {
    let worlds = [
        (World { skill: 0.1, pull: 1.5, mirrored: None, alike: 0.0 }, 60, 0.72),
        (World { skill: 0.1, pull: 1.5, mirrored: None, alike: 0.0 }, 400, 0.65),
        (World { skill: 0.6, pull: 1.5, mirrored: None, alike: 0.0 }, 200, 0.7),
        (World { skill: 0.1, pull: 1.5, mirrored: Some(0.5), alike: 0.0 }, 200, 0.75),
        (World { skill: 0.1, pull: 0.0, mirrored: Some(0.5), alike: 0.0 }, 200, 1.02),
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (world, units, most_variance) in worlds {
        let (mut raw, mut adjusted, mut ratio) = (Moments::default(), Moments::default(), Moments::default());
        let (mut raw_covers, mut adjusted_covers) = (Moments::default(), Moments::default());
        for _ in 0..2000 {
            let fit = LuckAdjustment::from_units((0..units).map(|_| world.unit(&mut rng))).expect("enough units");
            raw.push(fit.raw_score.mean);
            adjusted.push(fit.adjusted_score.mean);
            raw_covers.push(covers(&fit.raw_score, world.score()));
            adjusted_covers.push(covers(&fit.adjusted_score, world.score()));
            ratio.push(fit.variance_ratio.expect("results vary"));
        }
        let bias = adjusted.estimate().expect("many matches");
        let real_ratio = adjusted.variance() / raw.variance();
        println!(
            "{units} units, mirrored {:?}, pull {}: bias {:+.5} ± {:.5}, coverage raw {:.3} adjusted {:.3}, variance \
             ratio said {:.3} real {real_ratio:.3}",
            world.mirrored,
            world.pull,
            bias.mean - world.score(),
            bias.standard_error,
            raw_covers.mean(),
            adjusted_covers.mean(),
            ratio.mean(),
        );
        assert!((bias.mean - world.score()).abs() < 3.5 * bias.standard_error);
        assert!((0.93..0.97).contains(&raw_covers.mean()) && (0.93..0.97).contains(&adjusted_covers.mean()));
        assert!(real_ratio < most_variance && (-0.1..0.15).contains(&(ratio.mean() / real_ratio - 1.0)));
    }
}

/// How often a test accepts H1: raw, adjusted; and the mean numbers of units they take.
fn run_tests(world: World, parameters: SprtParameters, tests: u32, rng: &mut ChaCha8Rng) -> [(f64, f64); 2] {
    let mut accepted = [Moments::default(); 2];
    let mut lengths = [Moments::default(); 2];
    for _ in 0..tests {
        let mut run = SprtRun::new(parameters);
        let states = loop {
            let (score, luck) = world.unit(rng);
            run.push(score, Some(luck));
            let states = [run.raw(), run.adjusted().expect("luck is known")];
            if states.iter().all(|state| state.verdict != Verdict::Continue) {
                break states;
            }
        };
        for (i, state) in states.iter().enumerate() {
            accepted[i].push(f64::from(u8::from(state.verdict == Verdict::AcceptH1)));
            lengths[i].push(state.decided_after_units.expect("it is decided") as f64);
        }
    }
    [0, 1].map(|i| (accepted[i].mean(), lengths[i].mean()))
}

/// The error rates of the test between a world and the same with another skill, α raw and adjusted, then β; and the
/// mean numbers of units where the skill is there.
fn errors(worse: World, skill: f64, tests: u32, rng: &mut ChaCha8Rng) -> ([f64; 4], [f64; 2]) {
    let better = World { skill, ..worse };
    let test = SprtParameters::new(worse.elo(), better.elo(), 0.05, 0.05).expect("sound parameters");
    let [(raw_alpha, _), (adjusted_alpha, _)] = run_tests(worse, test, tests, rng);
    let [(raw_power, raw_length), (adjusted_power, adjusted_length)] = run_tests(better, test, tests, rng);
    println!(
        "mirrored {:?}, alike {}, pull {}, H1 {:.1} Elo: alpha raw {raw_alpha:.3} adjusted {adjusted_alpha:.3}, beta \
         raw {:.3} adjusted {:.3}, units at H1 raw {raw_length:.0} adjusted {adjusted_length:.0}",
        worse.mirrored,
        worse.alike,
        worse.pull,
        test.elo1,
        1.0 - raw_power,
        1.0 - adjusted_power,
    );
    ([raw_alpha, adjusted_alpha, 1.0 - raw_power, 1.0 - adjusted_power], [raw_length, adjusted_length])
}

/// 1000 tests of each hypothesis: the errors stay at about the 5 % asked for (the standard error of the share is
/// 0.7 %), raw and adjusted, and the adjusted test needs fewer units.
#[test]
fn sequential_tests_keep_their_error_rates() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (mirrored, pull) in [(None, 1.5), (Some(0.5), 1.5), (Some(0.9), 3.0)] {
        let (errors, [raw, adjusted]) = errors(World { skill: 0.0, pull, mirrored, alike: 0.0 }, 0.2, 1000, &mut rng);
        assert!(errors.iter().all(|error| (0.02..0.072).contains(error)), "{errors:?}");
        assert!(adjusted < 0.9 * raw);
    }
}

/// The same where few units say anything. Hypotheses so far apart that ten or twenty pairs decide: the least variance
/// holds the luck-adjusted test up, and its errors are fewer than asked for. Players so alike that nearly all pairs are
/// one game twice: while few pairs have differed the estimated variance is a poor one, and moves the errors of either
/// test from α to β, to less than twice of what was asked for.
#[test]
fn tests_that_few_units_decide_err_little_more_often() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mirrored = Some(0.5);
    for (pull, alike, skill, most) in [
        (1.5, 0.0, 0.8, 0.05),
        (3.0, 0.0, 1.0, 0.05),
        (1.5, 0.9, 0.8, 0.1),
        (1.5, 0.95, 0.4, 0.1),
        (3.0, 0.98, 1.0, 0.1),
    ] {
        let ([_, alpha, _, beta], _) = errors(World { skill: 0.0, pull, mirrored, alike }, skill, 1000, &mut rng);
        assert!(alpha < most && beta < most, "{alpha} {beta}");
    }
}
