//! Which of several turns is chosen, so that the mean loss is a given one.
//!
//! A turn that loses `l` is chosen with a share of `(1 + l / 16T)⁻¹⁶`: nearly `exp(−l / T)`, but by additions,
//! multiplications and divisions alone, which round alike on every machine, where `exp` does not. The more a turn loses,
//! the less likely it is. `T` is sought in each position anew, so that the mean over the shares is what is asked for.

/// A temperature is sought by halving so often.
const HALVINGS: u32 = 40;

/// The share of a turn that loses so much, against 1 for one that loses nothing; `temperature` is above 0.
fn share(loss: f64, temperature: f64) -> f64 {
    let mut share = 1.0 / (1.0 + loss / (16.0 * temperature));
    for _ in 0..4 {
        share *= share;
    }
    share
}

/// The mean loss of a choice at that temperature.
fn mean_at(losses: &[f64], temperature: f64) -> f64 {
    let (mut total, mut lost) = (0.0, 0.0);
    for &loss in losses {
        let share = share(loss, temperature);
        total += share;
        lost += share * loss;
    }
    lost / total
}

/// How turns are chosen.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Spread {
    /// The best one, or one of those.
    Best,
    /// By their shares at that temperature.
    At(f64),
    /// Each as likely as any other.
    Even,
}

impl Spread {
    /// The spread with that mean loss; that which comes closest if none has it.
    fn with_mean(losses: &[f64], mean: f64) -> Self {
        if mean <= 0.0 {
            return Self::Best;
        }
        if losses.iter().sum::<f64>() <= mean * losses.len() as f64 {
            return Self::Even;
        }
        // The temperature is x / (1 - x), and the mean grows with it.
        let (mut low, mut high) = (0.0, 1.0);
        let temperature = |x: f64| x / (1.0 - x);
        for _ in 0..HALVINGS {
            let x = (low + high) / 2.0;
            if mean_at(losses, temperature(x)) < mean { low = x } else { high = x }
        }
        Self::At(temperature((low + high) / 2.0))
    }

    fn share(self, loss: f64) -> f64 {
        match self {
            Self::Best => f64::from(u8::from(loss <= 0.0)),
            Self::At(temperature) => share(loss, temperature),
            Self::Even => 1.0,
        }
    }
}

/// The place of the turn that is chosen; `losses` is what each loses against the best, 0 or more and 0 for one at least.
/// The mean over all draws from 0 to 1 is `mean`, or what comes closest to it. 0 if there is nothing to choose from.
pub(super) fn choose(losses: &[f64], mean: f64, draw: f64) -> usize {
    let spread = Spread::with_mean(losses, mean);
    let total: f64 = losses.iter().map(|&loss| spread.share(loss)).sum();
    let mut left = draw * total;
    let chosen = losses.iter().position(|&loss| {
        left -= spread.share(loss);
        left < 0.0
    });
    // Rounding may leave a little over after the last.
    chosen.unwrap_or_else(|| losses.iter().rposition(|&loss| spread.share(loss) > 0.0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean loss over so many draws, evenly spaced.
    fn mean_of(losses: &[f64], mean: f64) -> f64 {
        const DRAWS: usize = 10_000;
        (0..DRAWS).map(|draw| losses[choose(losses, mean, (draw as f64 + 0.5) / DRAWS as f64)]).sum::<f64>()
            / DRAWS as f64
    }

    /// Many turns that lose little by little more, as positions have them.
    fn many() -> Vec<f64> {
        (0..200).map(|number| f64::from(number * number) / 40_000.0).collect()
    }

    #[test]
    fn the_mean_is_what_was_asked_for() {
        for losses in [vec![0.0, 0.5], vec![0.0, 0.01, 0.02, 1.5], vec![0.3, 0.0, 0.0, 0.1, 0.7], many()] {
            let even = losses.iter().sum::<f64>() / losses.len() as f64;
            for mean in [0.001, 0.01, 0.05, 0.1, 0.2, 0.4] {
                let wanted = f64::min(mean, even);
                let got = mean_of(&losses, mean);
                assert!((got - wanted).abs() < 0.002 * wanted + 0.0002, "{losses:?} {mean}: {got} for {wanted}");
            }
        }
    }

    #[test]
    fn what_loses_more_is_less_likely() {
        let losses = many();
        let mut counts = vec![0; losses.len()];
        (0..100_000).for_each(|draw| counts[choose(&losses, 0.05, f64::from(draw) / 100_000.0)] += 1);
        assert!(counts.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{counts:?}");
        assert!(counts[0] > 1000);
    }

    #[test]
    fn there_is_always_a_choice() {
        for draw in [0.0, 0.5, 1.0 - f64::EPSILON, 1.0] {
            assert_eq!(choose(&[], 0.1, draw), 0);
            assert_eq!(choose(&[0.0], 0.1, draw), 0);
            assert_eq!(choose(&[0.2, 0.0], 0.0, draw), 1, "without a loss only the best");
            assert!(choose(&[0.0, 0.0, 0.0], 0.1, draw) < 3);
            assert!(choose(&many(), 1e-9, draw) < 200);
            assert!(choose(&many(), 1e9, draw) < 200);
        }
    }
}
