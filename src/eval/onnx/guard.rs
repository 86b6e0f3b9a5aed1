//! Turns a panic of the model runtime into an error.
//!
//! What a file is checked for keeps the runtime from asking for too much; whether it can be made to panic all the same
//! nobody can tell. A panic there is an error of that model and not of the program, so it is caught, and nothing is
//! printed of it: what it says becomes part of the error.

use super::check::shown;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many guarded calls there are at the moment.
static GUARDED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether this thread is in a guarded call.
    static HERE: Cell<bool> = const { Cell::new(false) };
}

/// Runs something of the runtime, and says what it said if it panics. After that nothing that the call has touched may
/// be used but to drop it.
pub(super) fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_ours() {
                previous(info);
            }
        }));
    });
    GUARDED.fetch_add(1, Ordering::Relaxed);
    let outer = HERE.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    HERE.set(outer);
    GUARDED.fetch_sub(1, Ordering::Relaxed);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        format!("it panicked: {}", shown(text.unwrap_or_default()))
    })
}

/// Whether a panic on this thread is one of a guarded call: the runtime works on threads of its own, too.
fn is_ours() -> bool {
    HERE.get()
        || GUARDED.load(Ordering::Relaxed) > 0
            && std::thread::current().name().is_some_and(|name| name.starts_with("rten-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        assert_eq!(guarded(|| 7), Ok(7));
        let error = guarded(|| -> u8 { panic!("no {}", "way") });
        assert_eq!(error, Err("it panicked: 'no way'".to_owned()));
        assert!(!is_ours());
    }
}
