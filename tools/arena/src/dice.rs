//! The dice: every roll is a pure function of (seed, pair, ply), and so are the seeds of builtin bots.
//!
//! Threads, finishing order and what players do have no part in it.

/// The seed of a builtin bot whose spec gives none, the same in both games of a pair; the roll of that ply (from 0, forced
/// passes counted) of the games of that pair.
pub use astragal::record::{bot_seed, seeded_roll as roll};

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::rules::Roll;

    #[test]
    fn the_rolls_are_pinned() {
        let text = |pair| (0..6).map(|ply| roll(7, pair, ply).to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(text(0), "PRR QKK RQQ NQK PPK KKK", "a change would break every journal that is resumed");
        assert_ne!(text(0), text(1));
        assert_ne!(roll(1, 0, 0), roll(7, 0, 0));
    }

    #[test]
    fn every_throw_is_as_likely_as_the_others() {
        let mut counts = [0_u32; Roll::COUNT];
        let throws = 216 * 400;
        (0..throws).for_each(|ply| counts[roll(3, ply / 40, ply % 40).index()] += 1);
        let chi_square: f64 = Roll::all()
            .map(|roll| {
                let expected = roll.probability() * throws as f64;
                (f64::from(counts[roll.index()]) - expected).powi(2) / expected
            })
            .sum();
        // 55 degrees of freedom: 5 standard deviations are 107.
        assert!(chi_square < 107.0, "{chi_square}");
    }
}
