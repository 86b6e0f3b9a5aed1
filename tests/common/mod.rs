//! What the tests share: the binary over pipes, games in process, seeded random numbers, positions of many kinds, and a
//! naive reading of the rules to hold the library against.
#![allow(dead_code, reason = "every test file is a crate of its own and uses only some of this")]

pub mod engine;
pub mod game;
pub mod naive;
pub mod positions;

use astragal::board::{Dice, PieceType};
use astragal::rules::Roll;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The same numbers in every run; another stream for each `seed`.
pub fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// A number below `bound`, near enough to uniform for tests.
pub fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    (rng.next_u64() % bound as u64) as usize
}

/// True `times` out of `of` times.
pub fn chance(rng: &mut ChaCha8Rng, times: usize, of: usize) -> bool {
    below(rng, of) < times
}

/// One of the items, which must not be none.
pub fn pick<T: Copy>(rng: &mut ChaCha8Rng, items: &[T]) -> T {
    items[below(rng, items.len())]
}

/// A fair throw of three dice.
pub fn roll(rng: &mut ChaCha8Rng) -> Roll {
    Roll::from_throw(below(rng, 216) as u32)
}

/// One or two dice, as they are left in the middle of a turn.
pub fn few_dice(rng: &mut ChaCha8Rng) -> Dice {
    let dice = Dice::NONE.with(pick(rng, &PieceType::ALL));
    if chance(rng, 1, 2) { dice } else { dice.with(pick(rng, &PieceType::ALL)) }
}

/// A roll, or what is left of one.
pub fn any_dice(rng: &mut ChaCha8Rng) -> Dice {
    if chance(rng, 1, 3) { few_dice(rng) } else { roll(rng).dice() }
}
