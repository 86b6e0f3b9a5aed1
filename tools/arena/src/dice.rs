//! The dice: every roll is a pure function of (seed, pair, ply), and so are the seeds of builtin bots.
//!
//! Threads, finishing order and what players do have no part in it.

use astragal::rules::Roll;
use astragal::rules::below;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// What a number is drawn for; keeps the streams apart.
#[derive(Clone, Copy)]
enum Purpose {
    Roll = 1,
    BotSeed = 2,
}

fn generator(purpose: Purpose, seed: u64, pair: u64, number: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (chunk, word) in key.chunks_exact_mut(8).zip([seed, pair, number, purpose as u64]) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// The roll of that ply (from 0, forced passes counted) of the games of that pair.
pub fn roll(seed: u64, pair: u64, ply: u64) -> Roll {
    // Below 216, so it fits.
    Roll::from_throw(below(&mut generator(Purpose::Roll, seed, pair, ply), u64::from(Roll::TOTAL_WEIGHT)) as u32)
}

/// The seed of a builtin bot whose spec gives none, the same in both games of a pair.
pub fn bot_seed(seed: u64, pair: u64, player: usize) -> u64 {
    generator(Purpose::BotSeed, seed, pair, player as u64).next_u64() >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

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
