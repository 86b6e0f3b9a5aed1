//! One chance node searched by many threads: the replies to its rolls are shared out among them.

use super::{ChanceSearch, LowerBounds};
use crate::board::Position;
use crate::rules::{Roll, RollSet};
use crate::search::budget::SearchBudget;
use crate::search::crew::share;
use crate::search::plies::Ply;
use crate::search::table::Entry;
use crate::time::StopCheck;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

impl ChanceSearch {
    /// [`ChanceSearch::search`] by this worker and its helpers. What is exact and what only a bound is the same, and so is
    /// every exact value; a bound may be another one that suffices.
    pub(in crate::search) fn search_together<S: StopCheck + Sync>(
        &mut self,
        helpers: &mut [ChanceSearch],
        position: &Position,
        depth: u32,
        beta: f64,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Entry> {
        // A node above leaves takes some milliseconds: nothing to share.
        if helpers.is_empty() || depth < 2 || position.is_drawn() {
            return self.search(position, depth, beta, budget);
        }
        self.node(position, depth, beta, |search, ply, won, bounds| {
            search.choose_all_together(helpers, ply, position, won, budget)?;
            search.over_chosen_together(helpers, &ply.chosen, depth, bounds, budget)
        })
    }

    /// [`ChanceSearch::choose_all`] by this worker and its helpers.
    pub(super) fn choose_all_together<S: StopCheck + Sync>(
        &mut self,
        helpers: &mut [ChanceSearch],
        ply: &mut Ply,
        position: &Position,
        left_out: RollSet,
        budget: &SearchBudget<'_, S>,
    ) -> Option<()> {
        if helpers.is_empty() {
            return self.choose_all(ply, position, left_out, budget);
        }
        let rolls: Vec<Roll> = Roll::by_weight().filter(|&roll| !left_out.has(roll)).collect();
        let next = AtomicUsize::new(0);
        let take_part = |worker: &mut ChanceSearch, ply: &mut Ply| {
            let rolls = std::iter::from_fn(|| rolls.get(next.fetch_add(1, Relaxed)).copied());
            worker.choose_for(rolls, ply, position, left_out.complement(), budget)
        };
        let by_helper = |helper: &mut ChanceSearch| {
            let mut ply = Ply::default();
            take_part(helper, &mut ply).map(|()| ply.chosen)
        };
        let (own, theirs) = share(helpers, || take_part(self, ply), by_helper);
        own?;
        for replies in theirs {
            // A thread that has panicked has no replies; the node is then not complete.
            ply.chosen.extend(replies.flatten()?);
        }
        let mut order = [0; Roll::COUNT];
        rolls.iter().enumerate().for_each(|(number, roll)| order[roll.index()] = number);
        ply.chosen.sort_by_key(|&(roll, number, _)| (order[roll.index()], number));
        Some(())
    }

    /// [`ChanceSearch::over_chosen`] by this worker and its helpers.
    pub(super) fn over_chosen_together<S: StopCheck + Sync>(
        &mut self,
        helpers: &mut [ChanceSearch],
        chosen: &[Reply],
        depth: u32,
        bounds: &mut LowerBounds<'_>,
        budget: &SearchBudget<'_, S>,
    ) -> Option<bool> {
        if helpers.is_empty() {
            return self.over_chosen(chosen, depth, bounds, budget);
        }
        // The most promising reply to every roll first, then the others; those to one roll stay in one hand, because
        // what is found for the first of them spares work at the next.
        let rolls = || chosen.chunk_by(|(one, ..), (other, ..)| one == other).map(|replies| replies.split_at(1));
        let shares = rolls().map(|(first, _)| first).chain(rolls().map(|(_, others)| others)).collect();
        let work = Work {
            shares,
            depth,
            next: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            bounds: Mutex::new(bounds),
        };
        let ((), theirs) = share(helpers, || work.take_part(self, budget), |helper| work.take_part(helper, budget));
        if work.bounds.into_inner().is_cutoff() {
            return Some(false);
        }
        // What a thread that has panicked had begun is not complete.
        if work.stopped.into_inner() || theirs.contains(&None) { None } else { Some(true) }
    }
}

/// A reply, the roll that it answers, and its number among those to this roll.
type Reply = (Roll, usize, Position);

struct Work<'a, 'b> {
    /// Replies to one roll each.
    shares: Vec<&'a [Reply]>,
    depth: u32,
    /// The next share that nobody has begun.
    next: AtomicUsize,
    /// No more replies are to be begun.
    over: AtomicBool,
    /// The budget was spent before some reply was done.
    stopped: AtomicBool,
    bounds: Mutex<&'a mut LowerBounds<'b>>,
}

impl Work<'_, '_> {
    /// Searches replies until there are none left, or what is known suffices, or the budget is spent.
    fn take_part<S: StopCheck>(&self, worker: &mut ChanceSearch, budget: &SearchBudget<'_, S>) {
        while let Some(share) = self.shares.get(self.next.fetch_add(1, Relaxed)) {
            for reply in *share {
                if self.over.load(Relaxed) {
                    return;
                }
                self.search(reply, worker, budget);
            }
        }
    }

    fn search<S: StopCheck>(&self, (roll, _, reply): &Reply, worker: &mut ChanceSearch, budget: &SearchBudget<'_, S>) {
        let limit = if worker.techniques.probing {
            // Only a value below the negated bound makes the roll worth more. What is known of the roll by now decides
            // how much is searched, never the value in the end.
            -self.bounds.lock().of[roll.index()]
        } else {
            f64::INFINITY
        };
        let over = match worker.search(reply, self.depth - 1, limit, budget) {
            Some(known) if known.exact => {
                let mut bounds = self.bounds.lock();
                bounds.raise(*roll, -known.value);
                bounds.is_cutoff()
            }
            Some(_) => false,
            None => {
                self.stopped.store(true, Relaxed);
                true
            }
        };
        if over {
            self.over.store(true, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{POSITIONS, position, worker};
    use super::*;
    use crate::search::table::Table;
    use crate::search::techniques::Techniques;
    use crate::time::Never;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    /// What this number of workers finds, and the nodes it took them.
    fn found(dfen: &str, threads: usize, probing: bool, beta: f64, limit: Option<u64>) -> (Option<Entry>, u64) {
        let techniques = Techniques { probing, ..Techniques::default() };
        let table = Arc::new(Table::up_to(1));
        let worker = |_| worker(Some(table.clone()), techniques);
        let mut helpers: Vec<_> = (1..threads).map(worker).collect();
        let nodes = AtomicU64::new(0);
        let budget = SearchBudget::new(&Never, &nodes, limit);
        let known = worker(0).search_together(&mut helpers, &position(dfen), 2, beta, &budget);
        (known, budget.nodes())
    }

    #[test]
    fn exact_values_are_those_of_one_worker_and_a_cut_is_a_bound_that_suffices() {
        for (dfen, probing) in POSITIONS.into_iter().flat_map(|dfen| [(dfen, true), (dfen, false)]) {
            let of = |threads, beta| {
                found(dfen, threads, probing, beta, None).0.unwrap_or_else(|| panic!("{dfen}: nothing limits it"))
            };
            let whole = of(1, f64::INFINITY);
            assert_eq!(of(3, f64::INFINITY), whole, "{dfen}");
            for offset in [-0.3, -0.01, -0.0001, 0.0001, 0.01, 0.3] {
                let (one, three) = (of(1, whole.value + offset), of(3, whole.value + offset));
                assert_eq!((three.exact, three.can_capture), (one.exact, one.can_capture), "{dfen} {offset}");
                if offset > 0.0 {
                    assert_eq!(three, whole, "{dfen} {offset}");
                } else {
                    assert!(!three.exact, "{dfen} {offset}");
                    assert!((whole.value + offset..=whole.value).contains(&three.value), "{dfen} {offset}: {three:?}");
                }
            }
        }
    }

    #[test]
    fn a_limit_of_nodes_ends_all_workers() {
        for dfen in POSITIONS {
            let (whole, all) = found(dfen, 3, true, f64::INFINITY, None);
            for limit in (0..all).step_by((all / 40).max(1) as usize) {
                let (known, nodes) = found(dfen, 3, true, f64::INFINITY, Some(limit));
                // Two runs of three threads need not count the same nodes.
                assert!(known.is_none() || (known == whole && limit > all / 2), "{dfen} {limit} of {all}");
                assert!(nodes <= limit + all / 4 + 1000, "{dfen} {limit}: {nodes}");
            }
        }
    }
}
