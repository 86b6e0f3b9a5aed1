//! The transposition table: what chance nodes are worth, shared between threads without locks.

use crate::eval::DROPPED_BITS;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is known of a chance node: its equity for the side to roll, or a lower bound of it.
///
/// Values are kept to 2⁻⁴⁰ of themselves. Every value of a chance node is rounded so (by `eval::rounded`) whether it goes
/// through the table or not, so that what a search finds does not depend on what the table happens to hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Known {
    /// The value, in −1..=1.
    pub value: f64,
    /// Whether it is exact; a lower bound if not.
    pub exact: bool,
    /// Whether some roll captures the king.
    pub can_capture: bool,
    /// Turns looked ahead below the node.
    pub depth: u32,
}

const DEPTH_BITS: u64 = 0xF;
/// The most turns a search looks ahead, whatever is asked: a slot has room for no more.
pub const MOST_DEPTH: u32 = DEPTH_BITS as u32;
const EXACT: u64 = 0x10;
const CAN_CAPTURE: u64 = 0x20;
const GENERATION_SHIFT: u32 = 6;
const GENERATIONS: u64 = 64;

/// A slot holds a key, combined with its data by exclusive or, and the data: if two threads write one slot at once, the
/// halves do not fit together and the slot reads as empty (R. Hyatt's lockless hashing).
#[derive(Debug, Default)]
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

/// A table of a fixed size; newer and deeper entries replace older and shallower ones.
#[derive(Debug)]
pub(crate) struct Table {
    slots: Box<[Slot]>,
    generation: AtomicU64,
}

/// Slots looked at for one key.
const BUCKET: usize = 4;

impl Table {
    /// A table of about so many mebibytes, at least 1.
    pub(super) fn new(mebibytes: usize) -> Self {
        let slots = mebibytes.max(1).saturating_mul(1 << 20) / size_of::<Slot>();
        let slots = (slots / BUCKET).max(1) * BUCKET;
        Self { slots: (0..slots).map(|_| Slot::default()).collect(), generation: AtomicU64::new(0) }
    }

    /// Begins a new search: entries of earlier ones are replaced first.
    pub(super) fn age(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        for slot in &self.slots {
            slot.key.store(0, Ordering::Relaxed);
            slot.data.store(0, Ordering::Relaxed);
        }
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot] {
        let buckets = (self.slots.len() / BUCKET) as u128;
        let first = ((u128::from(key) * buckets) >> 64) as usize * BUCKET;
        &self.slots[first..first + BUCKET]
    }

    /// What is known of a node at exactly this depth.
    #[inline]
    pub(super) fn get(&self, key: u64, depth: u32) -> Option<Known> {
        self.bucket(key).iter().find_map(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            let fits = slot.key.load(Ordering::Relaxed) ^ data == key && data & DEPTH_BITS == u64::from(depth);
            fits.then(|| Known {
                value: f64::from_bits(data & !DROPPED_BITS),
                exact: data & EXACT != 0,
                can_capture: data & CAN_CAPTURE != 0,
                depth,
            })
        })
    }

    /// Notes what is known of a node; `known.value` must be rounded, its depth 1..=[`MOST_DEPTH`].
    #[inline]
    pub(super) fn put(&self, key: u64, known: Known) {
        let generation = self.generation.load(Ordering::Relaxed) % GENERATIONS;
        let data = known.value.to_bits() & !DROPPED_BITS
            | u64::from(known.depth) & DEPTH_BITS
            | if known.exact { EXACT } else { 0 }
            | if known.can_capture { CAN_CAPTURE } else { 0 }
            | generation << GENERATION_SHIFT;
        let worth = |slot: &Slot| {
            let old = slot.data.load(Ordering::Relaxed);
            let same = slot.key.load(Ordering::Relaxed) ^ old == key && old & DEPTH_BITS == data & DEPTH_BITS;
            let age = generation.wrapping_sub(old >> GENERATION_SHIFT) % GENERATIONS;
            // The same node is written again in its place; else an empty slot, then the oldest, then the shallowest.
            if same || old == 0 { (0, 0) } else { (1 + GENERATIONS - age, old & DEPTH_BITS) }
        };
        if let Some(slot) = self.bucket(key).iter().min_by_key(|slot| worth(slot)) {
            slot.key.store(key ^ data, Ordering::Relaxed);
            slot.data.store(data, Ordering::Relaxed);
        }
    }

    /// How full the table is with entries of this search, in thousandths, by a sample.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed) % GENERATIONS;
        let sample = &self.slots[..self.slots.len().min(1000)];
        let used = sample.iter().filter(|slot| {
            let data = slot.data.load(Ordering::Relaxed);
            data != 0 && (data >> GENERATION_SHIFT) % GENERATIONS == generation
        });
        (used.count() * 1000 / sample.len().max(1)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::rounded;

    fn known(value: f64, depth: u32) -> Known {
        Known { value: rounded(value), exact: depth.is_multiple_of(2), can_capture: value > 0.0, depth }
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let table = Table::new(1);
        for (number, depth) in (1..2000u64).zip((1..8).cycle()) {
            let key = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let known = known(1.0 / number as f64 - 0.3, depth);
            table.put(key, known);
            assert_eq!(table.get(key, depth), Some(known));
            assert_eq!(table.get(key, depth + 1), None);
            assert_eq!(table.get(key ^ 1, depth), None);
        }
        table.clear();
        assert_eq!(table.get(0x9E37_79B9_7F4A_7C15, 1), None);
    }

    #[test]
    fn older_searches_give_way() {
        let table = Table::new(1);
        // Keys of one bucket.
        let keys: Vec<u64> = (0..BUCKET as u64 + 1).collect();
        keys[..BUCKET].iter().for_each(|&key| table.put(key, known(0.5, 3)));
        table.age();
        table.put(keys[BUCKET], known(0.25, 1));
        assert_eq!(table.get(keys[BUCKET], 1), Some(known(0.25, 1)));
        table.put(keys[0], known(0.75, 1));
        assert_eq!(table.get(keys[BUCKET], 1), Some(known(0.25, 1)), "the newer entry stays");
    }
}
