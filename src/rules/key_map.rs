//! A small open-addressing map from position keys to numbers, emptied in no time.

/// A map from 64-bit position keys to numbers, made to be filled and emptied many thousand times a second.
///
/// Slots carry the generation they were filled in, so emptying is one addition. A chance node keeps dozens of small
/// sets; only as many slots are in use as the set needs, so that a small set stays in the first-level cache.
#[derive(Clone, Debug)]
pub struct KeyMap {
    slots: Vec<Slot>,
    /// Slots in use less one; their number is a power of two.
    mask: usize,
    generation: u32,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    generation: u32,
    value: u32,
}

const FEWEST_SLOTS: usize = 64;

impl Default for KeyMap {
    fn default() -> Self {
        Self::new()
    }
}

impl KeyMap {
    /// An empty map.
    pub fn new() -> Self {
        Self { slots: vec![Slot::default(); FEWEST_SLOTS], mask: FEWEST_SLOTS - 1, generation: 1, len: 0 }
    }

    /// Empties the map and makes it ready for about `expected` keys.
    #[inline]
    pub fn clear(&mut self, expected: usize) {
        self.next_generation();
        self.use_slots((2 * expected).next_power_of_two().max(FEWEST_SLOTS));
        self.len = 0;
    }

    /// How many keys are in the map.
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether no key is in the map.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts the key in with this value if it is not there yet; returns the value it had before, if any.
    #[inline]
    pub fn insert(&mut self, key: u64, value: u32) -> Option<u32> {
        if 2 * self.len > self.mask {
            self.grow();
        }
        let mut at = key as usize & self.mask;
        loop {
            let slot = &mut self.slots[at];
            if slot.generation != self.generation {
                *slot = Slot { key, generation: self.generation, value };
                self.len += 1;
                return None;
            }
            if slot.key == key {
                return Some(slot.value);
            }
            at = (at + 1) & self.mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let generation = self.generation;
        let used: Vec<Slot> =
            self.slots[..=self.mask].iter().filter(|slot| slot.generation == generation).copied().collect();
        self.next_generation();
        self.use_slots(4 * (self.mask + 1));
        self.len = 0;
        for slot in used {
            self.insert(slot.key, slot.value);
        }
    }

    fn use_slots(&mut self, count: usize) {
        if count > self.slots.len() {
            self.slots.resize(count, Slot::default());
        }
        self.mask = count - 1;
    }

    fn next_generation(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            // Stamps of four billion generations ago must not look fresh again.
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn behaves_like_a_hash_map_through_growth_and_clearing() {
        let mut map = KeyMap::new();
        let mut state = 7u64;
        for round in 0..50 {
            map.clear(round % 7);
            let mut slow = HashMap::new();
            for value in 0..(round as u32 * 40) {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                // Few distinct keys, many of which meet in one slot.
                let key = (state >> 33) % 997 * 4096;
                let before = slow.get(&key).copied();
                slow.entry(key).or_insert(value);
                assert_eq!(map.insert(key, value), before);
                assert_eq!(map.len(), slow.len());
            }
        }
    }

    #[test]
    fn old_generations_do_not_come_back() {
        let mut map = KeyMap::new();
        map.insert(5, 1);
        map.generation = u32::MAX;
        map.clear(1);
        assert_eq!(map.insert(5, 2), None);
        assert_eq!(map.insert(5, 3), Some(2));
    }
}
