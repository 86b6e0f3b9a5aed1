//! One chance node searched by many threads: the replies to its rolls are shared out among them.

use super::{ChanceSearch, Floors};
use crate::board::Position;
use crate::rules::{Roll, winning_rolls};
use crate::search::effort::Effort;
use crate::search::plies::Ply;
use crate::search::table::Known;
use crate::time::StopCheck;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

/// The exact value of a node, looking `depth` turns ahead, by all workers; the same as that of
/// [`ChanceSearch::search`]. `None` if the effort is spent before, or if there is no worker.
pub(in crate::search) fn search_shared<S: StopCheck + Sync>(
    workers: &mut [ChanceSearch],
    position: &Position,
    depth: u32,
    effort: &Effort<'_, S>,
) -> Option<Known> {
    let (first, others) = workers.split_first_mut()?;
    // A node above leaves takes some milliseconds: nothing to share.
    if others.is_empty() || depth < 2 || position.is_drawn() {
        return first.search(position, depth, f64::INFINITY, effort);
    }
    let won = winning_rolls(position);
    let mut ply = Ply::default();
    first.choose_all(&mut ply, position, won, effort)?;
    // The most promising reply to every roll first, then the others.
    ply.chosen.sort_by_key(|&(_, number, _)| number > 0);
    let work = Work {
        replies: &ply.chosen,
        depth,
        next: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        floors: Mutex::new(Floors::new(won, f64::INFINITY)),
    };
    thread::scope(|scope| {
        for worker in others {
            scope.spawn(|| work.take_part(worker, effort));
        }
        work.take_part(first, effort);
    });
    if work.stopped.into_inner() {
        return None;
    }
    let value = work.floors.into_inner().mean();
    Some(Known { value, exact: true, can_capture: won.weight() > 0, depth })
}

struct Work<'a> {
    replies: &'a [(Roll, usize, Position)],
    depth: u32,
    /// The next reply that nobody has begun.
    next: AtomicUsize,
    stopped: AtomicBool,
    floors: Mutex<Floors<'static>>,
}

impl Work<'_> {
    fn take_part<S: StopCheck>(&self, worker: &mut ChanceSearch, effort: &Effort<'_, S>) {
        while !self.stopped.load(Relaxed) {
            let Some((roll, _, reply)) = self.replies.get(self.next.fetch_add(1, Relaxed)) else { break };
            let limit = if worker.techniques.probing {
                // Only a value below the negated floor makes the roll worth more. What is known of the roll by now
                // decides how much is searched, never the value in the end.
                -self.floors.lock().floors[roll.index()]
            } else {
                f64::INFINITY
            };
            match worker.search(reply, self.depth - 1, limit, effort) {
                Some(known) if known.exact => self.floors.lock().raise(*roll, -known.value),
                Some(_) => {}
                None => self.stopped.store(true, Relaxed),
            }
        }
    }
}
