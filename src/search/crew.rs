//! Threads that share a piece of work: started for it, and gone when it is done.
//!
//! The system may refuse to start a thread. That ends nothing: those that did start do all of the work, and
//! [`take_shortage`] tells.

use parking_lot::Mutex;
use std::thread::{Builder, Scope, ScopedJoinHandle, scope};

/// The system started fewer threads than were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shortage {
    /// Threads that worked, the one that asked for the others included.
    pub started: usize,
    /// Threads that were asked for, that one included.
    pub wanted: usize,
}

/// The system's limits are those of the process, so what is known of them is, too.
static SHORTAGE: Mutex<Option<Shortage>> = Mutex::new(None);

/// The last shortage of threads that nobody has taken note of yet.
pub fn take_shortage() -> Option<Shortage> {
    SHORTAGE.lock().take()
}

/// Does `own` on this thread, and `work` with each of the others on a thread of its own, as far as threads can be
/// started. Returns what came of both; `None` for a thread that has panicked.
///
/// What has to be done must not hang on who does it: others that get no thread do nothing.
pub(crate) fn share<W: Send, R: Send, O>(
    others: &mut [W],
    own: impl FnOnce() -> O,
    work: impl Fn(&mut W) -> R + Sync,
) -> (O, Vec<Option<R>>) {
    let work = &work;
    scope(|scope| {
        let threads = start(scope, others.iter_mut().map(|other| move || work(other)), 1);
        let own = own();
        (own, threads.into_iter().map(|thread| thread.join().ok()).collect())
    })
}

/// Starts a thread for each piece of work, until the system refuses one. `working` is the number of threads that are at
/// this work already.
pub(crate) fn start<'scope, R: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    works: impl ExactSizeIterator<Item = impl FnOnce() -> R + Send + 'scope>,
    working: usize,
) -> Vec<ScopedJoinHandle<'scope, R>> {
    let wanted = works.len() + working;
    let mut threads = Vec::with_capacity(works.len());
    for work in works {
        match Builder::new().spawn_scoped(scope, work) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                log::info!("{} of {wanted} threads started: {error}", threads.len() + working);
                let started = (threads.len() + working).max(1);
                *SHORTAGE.lock() = Some(Shortage { started, wanted });
                break;
            }
        }
    }
    threads
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_take_part_and_each_result_comes_back_in_its_place() {
        let mut others = [1, 2, 3];
        let sum = AtomicUsize::new(0);
        let add = |number: usize| sum.fetch_add(number, Ordering::Relaxed);
        let (own, results) = share(
            &mut others,
            || add(10),
            |other| {
                add(*other);
                *other *= 2;
                *other
            },
        );
        assert!(own <= 6);
        assert_eq!(results, [Some(2), Some(4), Some(6)]);
        assert_eq!((sum.into_inner(), others), (16, [2, 4, 6]));
    }

    #[test]
    fn one_that_panics_has_no_result() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| ()));
        let (own, results) = share(
            &mut [true, false],
            || 7,
            |fails| {
                assert!(!*fails);
                1
            },
        );
        std::panic::set_hook(hook);
        assert_eq!((own, results), (7, vec![None, Some(1)]));
    }
}
