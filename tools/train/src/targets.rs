//! What the fit makes the value of a position be: how its game went on, with the luck of the dice taken out.
//!
//! One turn deeper a position is worth E, the mean of the best turns of all rolls; that has no dice in it. What follows
//! can differ from it in two ways: by the roll, which is luck and left out, and by the position after the turn being
//! worth something else than was thought when the turn was chosen. Such surprises are passed back, with a factor λ for
//! each turn, as in the λ-return (R. Sutton, "Learning to predict by the methods of temporal differences", 1988). All
//! values are those of the side to roll. With V for the evaluation that played, and a prime for the next position:
//!
//! G = E + λ (V′ − G′)
//!
//! The last roll captures the king, or its turn draws; neither is a surprise: there G = E. So it is where a game was
//! broken off. For λ = 1 the mean of G is that of the results of all such games.

use super::samples::Samples;

/// The target G of a position that is worth `deeper` one turn deeper, by V′ and G′ of the `next` position of its game, if
/// there is one.
pub fn target(deeper: f64, lambda: f64, next: Option<(f64, f64)>) -> f64 {
    deeper + lambda * next.map_or(0.0, |(value, target)| value - target)
}

/// The targets of all positions.
pub fn targets(samples: &Samples, lambda: f64) -> Vec<f64> {
    let mut targets = vec![0.0; samples.len()];
    for position in (0..samples.len()).rev() {
        let next = position + 1;
        let goes_on = samples.games.get(next) == Some(&samples.games[position]);
        let next = goes_on.then(|| (samples.values[next], targets[next]));
        targets[position] = target(samples.deeper[position], lambda, next);
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::{Sample, Source};
    use astragal::board::Rolled;

    #[test]
    fn surprises_are_passed_back_with_the_sign_of_the_side_to_roll() {
        let position = Rolled::from_dfen("4k3/8/8/8/8/8/8/4K3 w - - 0 1 -").unwrap().position;
        let mut samples = Samples::default();
        // The second position turned out to be worth 0.4 more than was thought, the third 0.25 less; the second game
        // was broken off after its first position.
        for (game, value, deeper) in [(1, 0.0, 0.125), (1, -0.25, 0.15), (1, 0.75, 0.5), (2, 0.25, 0.5)] {
            let (source, last) = (Source::Start, false);
            let sample = Sample { position, captures: 0, result: 1, last, source, turn: 0, value, deeper, game };
            samples.add_for_test(&sample);
        }
        for (lambda, expected) in [
            (0.0, [0.125, 0.15, 0.5, 0.5]),
            (1.0, [0.125 - 0.65, 0.15 + 0.25, 0.5, 0.5]),
            (0.5, [0.125 - 0.2625, 0.15 + 0.125, 0.5, 0.5]),
        ] {
            for (target, expected) in targets(&samples, lambda).into_iter().zip(expected) {
                assert!((target - expected).abs() < 1e-7, "{lambda}: {target} {expected}");
            }
        }
    }
}
