//! The throws of rollouts: which roll comes first in which game, and the chance of all that follows.

use crate::board::Rolled;
use crate::rules::{Roll, below, decision_rng};
use rand_chacha::ChaCha8Rng;

/// Games in which every throw comes first exactly once.
pub(super) const IN_A_BLOCK: u32 = Roll::TOTAL_WEIGHT;

/// The throws of all games of one rollout. Those of a game depend on its number, the seed and the position only.
pub(super) struct Throws {
    base: ChaCha8Rng,
    /// The block whose first throws are at hand.
    block: Option<u32>,
    first: Vec<u32>,
}

/// Streams of the generator: one for each game from 0 on, and one for each block from here on.
const BLOCK_STREAMS: u64 = 1 << 63;

impl Throws {
    pub(super) fn new(seed: u64, rolled: &Rolled) -> Self {
        Self { base: decision_rng(seed, rolled), block: None, first: Vec::new() }
    }

    /// The first roll of a game, and the generator of the others. In the games 0..216, and in every 216 after them,
    /// each throw comes first once, in a random order: a block that is cut short is a fair sample all the same.
    pub(super) fn of_game(&mut self, game: u32) -> (Roll, ChaCha8Rng) {
        let (block, place) = (game / IN_A_BLOCK, game % IN_A_BLOCK);
        if self.block != Some(block) {
            self.block = Some(block);
            let mut rng = self.stream(BLOCK_STREAMS + u64::from(block));
            self.first = (0..IN_A_BLOCK).collect();
            // R. A. Fisher's and F. Yates's shuffle.
            for last in (1..self.first.len()).rev() {
                self.first.swap(last, below(&mut rng, last as u64 + 1) as usize);
            }
        }
        (Roll::from_throw(self.first[place as usize]), self.stream(u64::from(game)))
    }

    fn stream(&self, number: u64) -> ChaCha8Rng {
        let mut rng = self.base.clone();
        rng.set_stream(number);
        rng
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTPOS;
    use rand_core::Rng;

    fn throws(seed: u64) -> Throws {
        Throws::new(seed, &Rolled::from_dfen(STARTPOS).expect("the starting position is sound"))
    }

    #[test]
    fn in_a_block_every_roll_comes_first_by_its_weight() {
        let mut throws = throws(5);
        for block in 0..3 {
            let mut counts = [0; Roll::COUNT];
            let games = block * IN_A_BLOCK..(block + 1) * IN_A_BLOCK;
            games.for_each(|game| counts[throws.of_game(game).0.index()] += 1);
            assert!(Roll::all().all(|roll| counts[roll.index()] == roll.weight()), "{counts:?}");
        }
    }

    #[test]
    fn a_game_depends_on_its_number_and_the_seed_only() {
        let game = |throws: &mut Throws, number| {
            let (first, mut rng) = throws.of_game(number);
            (first, rng.next_u64())
        };
        let mut forwards = throws(1);
        let all: Vec<_> = (0..500).map(|number| game(&mut forwards, number)).collect();
        for number in [499, 3, 250, 0, 216] {
            assert_eq!(game(&mut throws(1), number), all[number as usize]);
        }
        let mut others = throws(2);
        assert_ne!((0..500).map(|number| game(&mut others, number)).collect::<Vec<_>>(), all);
        let mut numbers: Vec<u64> = all.iter().map(|game| game.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all.len(), "no two games have the same throws");
    }
}
