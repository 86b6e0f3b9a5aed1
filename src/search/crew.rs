//! Threads that share a piece of work: started for it, and gone when it is done.
//!
//! The system may refuse to start a thread. That ends nothing: those that did start do all of the work, and
//! [`take_shortage`] tells. A thread that starts where memory has just come to its end would end the process, so threads
//! are started only where there is room for them.

use parking_lot::{Condvar, Mutex};
use std::hint::black_box;
use std::io;
use std::sync::Arc;
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
    // With room for all of them at once none has to wait for another.
    let gate = (!has_room(works.len().saturating_mul(ROOM_OF_A_THREAD))).then(|| Arc::new(Gate::default()));
    for work in works {
        let before_work = gate.clone();
        let thread = move || {
            if let Some(gate) = before_work {
                gate.pass();
            }
            work()
        };
        let room = if gate.is_some() { room_for_a_thread() } else { Ok(()) };
        match room.and_then(|()| Builder::new().spawn_scoped(scope, thread)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                log::info!("{} of {wanted} threads started: {error}", threads.len() + working);
                let started = (threads.len() + working).max(1);
                *SHORTAGE.lock() = Some(Shortage { started, wanted });
                break;
            }
        }
        if let Some(gate) = &gate {
            gate.wait_for(threads.len());
        }
    }
    if let Some(gate) = gate {
        gate.open();
    }
    threads
}

/// Address space that must be free before a thread is started where memory is short, in bytes: its stack takes 2 MiB, the
/// memory it allocates from 64 MiB or, for a moment, 128 MiB (glibc), and the signal stack that it then makes is what
/// must not fail. The rest is left for the work.
const ROOM_OF_A_THREAD: usize = 192 << 20;

/// Asked before a thread is started.
///
/// # Errors
/// There is so little memory left that its start could end the process.
pub(crate) fn room_for_a_thread() -> io::Result<()> {
    let refusal = || io::Error::new(io::ErrorKind::OutOfMemory, "too little memory is left");
    has_room(ROOM_OF_A_THREAD).then_some(()).ok_or_else(refusal)
}

/// Whether the process may have so many bytes more of address space now. Nothing is written to them.
fn has_room(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = room.try_reserve_exact(bytes).is_ok();
    // Memory that nobody looks at need not be asked for.
    black_box(&room);
    there
}

/// Holds threads back until all of them have begun, so that none takes the memory that another needs to begin.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    one_has_begun: Condvar,
    opened: Condvar,
}

#[derive(Default)]
struct GateState {
    begun: usize,
    open: bool,
}

impl Gate {
    /// Tells that this thread has begun, and waits until the gate is open.
    fn pass(&self) {
        // What a thread reserves when it first allocates, it reserves now.
        drop(black_box(Box::new(0_u8)));
        let mut state = self.state.lock();
        state.begun += 1;
        self.one_has_begun.notify_one();
        self.opened.wait_while(&mut state, |state| !state.open);
    }

    /// Waits until so many threads have begun.
    fn wait_for(&self, threads: usize) {
        self.one_has_begun.wait_while(&mut self.state.lock(), |state| state.begun < threads);
    }

    fn open(&self) {
        self.state.lock().open = true;
        self.opened.notify_all();
    }
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
    fn threads_at_a_gate_begin_all_before_any_goes_on() {
        let (gate, gone_on) = (Gate::default(), AtomicUsize::new(0));
        scope(|scope| {
            for begun in 1..=5 {
                scope.spawn(|| {
                    gate.pass();
                    gone_on.fetch_add(1, Ordering::Relaxed);
                });
                gate.wait_for(begun);
                assert_eq!(gone_on.load(Ordering::Relaxed), 0);
            }
            gate.open();
        });
        assert_eq!(gone_on.into_inner(), 5);
    }

    #[test]
    fn there_is_room_for_a_little_and_not_for_everything() {
        assert!(has_room(1) && room_for_a_thread().is_ok());
        assert!(!has_room(isize::MAX as usize) && !has_room(usize::MAX));
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
