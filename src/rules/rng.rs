//! Random choices that depend on the seed and the position only.

use crate::board::Rolled;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The generator for one decision. It depends on nothing but the seed, the position and the dice, so that a game can be
/// taken up anywhere and repeats.
pub fn decision_rng(seed: u64, rolled: &Rolled) -> ChaCha8Rng {
    let mut words = [0; 4];
    words[0] = seed;
    words[1] = rolled.position.key();
    words[2] = rolled.dice.iter().fold(0, |number, die| number * 7 + die.index() as u64 + 1);
    words[3] = u64::from(rolled.position.halfmove()) << 32 | u64::from(rolled.position.fullmove());
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A uniform number in 0..n; 0 if n is 0. By rejection, so it is exact, and by our own hand, so that it does not change
/// with a library.
pub fn below(rng: &mut impl Rng, n: u64) -> u64 {
    if n < 2 {
        return 0;
    }
    let whole = u64::MAX - u64::MAX % n;
    loop {
        let number = rng.next_u64();
        if number < whole {
            return number % n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTPOS;

    #[test]
    fn the_sequence_is_pinned() {
        // The first number of ChaCha8 for an all-zero key (from the reference test vectors of the stream cipher:
        // 3e00ef2f895f40d6 …, read in little-endian order).
        let mut rng = ChaCha8Rng::from_seed([0; 32]);
        assert_eq!(rng.next_u64(), 0xd640_5f89_2fef_003e);
    }

    #[test]
    fn numbers_below_n_are_even_and_depend_on_the_seed() {
        let rolled = Rolled::from_dfen(STARTPOS).expect("the starting position is sound");
        let mut counts = [0; 6];
        let mut rng = decision_rng(1, &rolled);
        (0..6000).for_each(|_| counts[below(&mut rng, 6) as usize] += 1);
        assert!(counts.iter().all(|&count| (850..1150).contains(&count)), "{counts:?}");
        assert_ne!(decision_rng(1, &rolled).next_u64(), decision_rng(2, &rolled).next_u64());
    }
}
