//! The transposition table: what chance nodes are worth, shared between threads without locks.

use crate::eval::DROPPED_BITS;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is known of a chance node: its equity for the side to roll, or a lower bound of it.
///
/// Values are kept to 2⁻⁴⁰ of themselves. Every value of a chance node is rounded so (by `eval::rounded`) whether it goes
/// through the table or not, so that what a search finds does not depend on what the table happens to hold.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Entry {
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
///
/// The first bits of the key are the same for all nodes of a bucket, so in their place stands the epoch in which the
/// slot was written. A slot of another epoch is empty: to clear the table is to begin an epoch.
type Slot = [AtomicU64; 2];

const KEY: usize = 0;
const DATA: usize = 1;

/// Slots looked at for one key.
const BUCKET: usize = 4;

/// A table of a fixed size; newer and deeper entries replace older and shallower ones.
#[derive(Debug)]
pub(crate) struct Table {
    buckets: Box<[[Slot; BUCKET]]>,
    generation: AtomicU64,
    /// Of zeroed memory the epoch is 0; the table's own is never that.
    epoch: AtomicU64,
    /// Bits of a key that stand in a slot; the epoch has the others.
    key_bits: u32,
}

/// Whether the system would reserve the memory of a table of this many mebibytes now.
pub fn has_memory_for_table(mebibytes: usize) -> bool {
    Table::try_new(mebibytes).is_ok()
}

/// No memory for a table of this size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NoMemory;

impl Table {
    /// A table of this many mebibytes, at least 1. The memory is reserved, but the system need not provide it before it is
    /// written to.
    pub(super) fn try_new(mebibytes: usize) -> Result<Self, NoMemory> {
        let buckets = mebibytes.max(1).saturating_mul(1 << 20) / size_of::<[Slot; BUCKET]>();
        let slots = bytemuck::allocation::try_zeroed_slice_box(buckets).map_err(|()| NoMemory)?;
        Ok(Self::of(slots))
    }

    /// A table of this many mebibytes, or the largest of half, a quarter and so on for which there is memory; of two
    /// buckets if there is none at all.
    pub(super) fn up_to(mebibytes: usize) -> Self {
        let mut sizes = std::iter::successors(Some(mebibytes), |&size| (size > 1).then_some(size / 2));
        sizes.find_map(|size| Self::try_new(size).ok()).unwrap_or_else(|| Self::of(Box::default()))
    }

    fn of(buckets: Box<[[Slot; BUCKET]]>) -> Self {
        let buckets =
            if buckets.len() < 2 { Box::new([<[Slot; BUCKET]>::default(), Default::default()]) } else { buckets };
        // The keys of a bucket follow each other, at most 2⁶⁴ / buckets of them, rounded up: so many bits tell them apart.
        let key_bits = 64 - buckets.len().ilog2();
        Self { buckets, generation: AtomicU64::new(0), epoch: AtomicU64::new(1), key_bits }
    }

    /// The size in mebibytes, rounded down.
    pub(super) fn mebibytes(&self) -> usize {
        size_of_val(&*self.buckets) >> 20
    }

    /// Begins a new search: entries of earlier ones are replaced first.
    pub(super) fn age(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// Forgets everything. No search may be under way. Takes no time but for once in as many times as there are buckets,
    /// when the epochs have run out.
    pub(super) fn clear(&self) {
        let next = self.epoch.load(Ordering::Relaxed) + 1;
        if next >> (64 - self.key_bits) == 0 {
            self.epoch.store(next, Ordering::Relaxed);
            return;
        }
        for half in self.buckets.iter().flatten().flatten() {
            half.store(0, Ordering::Relaxed);
        }
        self.epoch.store(1, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot; BUCKET] {
        let buckets = self.buckets.len() as u128;
        &self.buckets[((u128::from(key) * buckets) >> 64) as usize]
    }

    /// What stands for a key in the slots of its bucket: the epoch, then the bits that tell it from others there.
    #[inline]
    fn tag(&self, key: u64) -> u64 {
        self.epoch.load(Ordering::Relaxed) << self.key_bits | key & self.key_mask()
    }

    #[inline]
    fn key_mask(&self) -> u64 {
        (1 << self.key_bits) - 1
    }

    /// What is known of a node at exactly this depth.
    #[inline]
    pub(super) fn get(&self, key: u64, depth: u32) -> Option<Entry> {
        let tag = self.tag(key);
        self.bucket(key).iter().find_map(|slot| {
            let data = slot[DATA].load(Ordering::Relaxed);
            let fits = slot[KEY].load(Ordering::Relaxed) ^ data == tag && data & DEPTH_BITS == u64::from(depth);
            fits.then(|| Entry {
                value: f64::from_bits(data & !DROPPED_BITS),
                exact: data & EXACT != 0,
                can_capture: data & CAN_CAPTURE != 0,
                depth,
            })
        })
    }

    /// Notes what is known of a node; `known.value` must be rounded, its depth 1..=[`MOST_DEPTH`].
    #[inline]
    pub(super) fn put(&self, key: u64, known: Entry) {
        let generation = self.generation.load(Ordering::Relaxed) % GENERATIONS;
        let data = known.value.to_bits() & !DROPPED_BITS
            | u64::from(known.depth) & DEPTH_BITS
            | if known.exact { EXACT } else { 0 }
            | if known.can_capture { CAN_CAPTURE } else { 0 }
            | generation << GENERATION_SHIFT;
        let tag = self.tag(key);
        let worth = |slot: &Slot| {
            let old = slot[DATA].load(Ordering::Relaxed);
            let differs = slot[KEY].load(Ordering::Relaxed) ^ old ^ tag;
            let empty = differs >> self.key_bits != 0;
            let same = differs == 0 && old & DEPTH_BITS == data & DEPTH_BITS;
            let age = generation.wrapping_sub(old >> GENERATION_SHIFT) % GENERATIONS;
            // The same node is written again in its place; else an empty slot, then the oldest, then the shallowest.
            if same || empty { (0, 0) } else { (1 + GENERATIONS - age, old & DEPTH_BITS) }
        };
        if let Some(slot) = self.bucket(key).iter().min_by_key(|slot| worth(slot)) {
            slot[KEY].store(tag ^ data, Ordering::Relaxed);
            slot[DATA].store(data, Ordering::Relaxed);
        }
    }

    /// How full the table is with entries of this search, in thousandths, by a sample.
    pub(super) fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Ordering::Relaxed) % GENERATIONS;
        let epoch = self.epoch.load(Ordering::Relaxed);
        let sample = self.buckets.len().min(SAMPLE);
        let used = self.buckets[..sample].iter().flatten().filter(|slot| {
            let data = slot[DATA].load(Ordering::Relaxed);
            let tag = slot[KEY].load(Ordering::Relaxed) ^ data;
            tag >> self.key_bits == epoch && (data >> GENERATION_SHIFT) % GENERATIONS == generation
        });
        (used.count() * 1000 / (sample * BUCKET).max(1)) as u32
    }
}

/// Buckets looked at to tell how full the table is.
const SAMPLE: usize = 250;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::rounded;

    fn known(value: f64, depth: u32) -> Entry {
        Entry { value: rounded(value), exact: depth.is_multiple_of(2), can_capture: value > 0.0, depth }
    }

    #[test]
    fn what_is_put_in_comes_out() {
        let table = Table::up_to(1);
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

    /// What a table answers to the same puts and gets, by a fixed sequence of keys that share few buckets.
    fn answers(table: &Table) -> (Vec<Option<Entry>>, u32) {
        let mut key = 1u64;
        let mut found = Vec::new();
        for number in 0..20_000u32 {
            key = key.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // A thousand keys in the first 64 buckets: they come back, and there is no room for all of them.
            let crowded = ((key >> 33) % 1000).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 8;
            found.push(table.get(crowded, number % 3 + 1));
            table.put(crowded, known(f64::from(number % 200) / 100.0 - 1.0, number % 3 + 1));
            if number % 1000 == 0 {
                table.age();
            }
        }
        (found, table.hashfull())
    }

    #[test]
    fn a_cleared_table_is_as_good_as_new() {
        let new = answers(&Table::up_to(1));
        let found = new.0.iter().flatten().count();
        assert!((1000..19_000).contains(&found), "{found}");
        let used = Table::up_to(1);
        for _ in 0..3 {
            assert_eq!(answers(&used), new);
            used.clear();
            assert_eq!(used.hashfull(), 0);
        }
    }

    #[test]
    fn epochs_run_out_and_begin_anew() {
        let table = Table::up_to(1);
        let epochs = table.buckets.len();
        let key = |number: u64| number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let put = |number| table.put(key(number), known(0.5, 2));
        let there = || (0..5000u64).filter(|&number| table.get(key(number), 2).is_some()).count();
        (0..5000).for_each(put);
        assert!(there() > 1000);
        // Every epoch that there is, so that what was put in would come back if it were still there.
        for number in 0..2 * epochs {
            table.clear();
            if number % 1000 == 0 || number % epochs > epochs - 3 {
                assert_eq!(there(), 0, "{number}");
            }
        }
        (0..5000).for_each(put);
        assert!(there() > 1000);
    }

    #[test]
    fn keys_of_one_bucket_stay_apart_whatever_the_size() {
        for mebibytes in [1, 2, 3, 5, 7] {
            let table = Table::up_to(mebibytes);
            let buckets = table.buckets.len() as u128;
            assert_eq!(table.mebibytes(), mebibytes);
            for bucket in [0, 1, buckets / 3, buckets - 1] {
                // The first and the last key of the bucket.
                let first = ((bucket << 64).div_ceil(buckets)) as u64;
                let last = (((bucket + 1) << 64).div_ceil(buckets) - 1) as u64;
                for key in [first, first + 1, last - 1, last] {
                    assert_eq!(table.get(key, 3), None, "{mebibytes} {bucket}");
                    table.put(key, known(0.5, 3));
                    assert_eq!(table.get(key, 3), Some(known(0.5, 3)));
                }
            }
        }
    }

    #[test]
    fn a_table_beyond_all_memory_is_refused_and_a_smaller_one_found() {
        assert_eq!(Table::try_new(usize::MAX >> 21).map(|_| ()), Err(NoMemory));
        assert!(Table::up_to(usize::MAX >> 21).mebibytes() >= 1);
    }

    #[test]
    fn older_searches_give_way() {
        let table = Table::up_to(1);
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
