//! Long work without the interpreter lock, ended by Ctrl-C.

use astragal::time::StopSignal;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often it is looked whether somebody has pressed Ctrl-C.
const LOOK: Duration = Duration::from_millis(20);

/// Says that the work is over, also when it panics.
struct Done<'a>(&'a Mutex<bool>, &'a Condvar);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }
}

/// Does `work` on a thread of its own, while other Python threads run. When a signal handler of Python raises (Ctrl-C
/// does), `stop` is raised, the end of the work is waited for, and the exception goes on.
pub fn attended<R: Send>(py: Python<'_>, stop: &StopSignal, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let (over, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        let done = Done(&over, &changed);
        let worker = thread::Builder::new().name("astragal".to_owned()).spawn_scoped(scope, move || {
            let _done = done;
            work()
        })?;
        let mut interrupted = None;
        while !py.detach(|| wait(&over, &changed)) {
            if interrupted.is_none()
                && let Err(error) = py.check_signals()
            {
                stop.raise();
                interrupted = Some(error);
            }
        }
        let result = py.detach(|| worker.join().map_err(|panic| message(panic.as_ref())));
        match interrupted {
            Some(error) => Err(error),
            None => result.map_err(|what| PyRuntimeError::new_err(format!("the engine panicked: {what}"))),
        }
    })
}

/// Waits a little; says whether the work is over.
fn wait(over: &Mutex<bool>, changed: &Condvar) -> bool {
    let guard = over.lock().unwrap_or_else(PoisonError::into_inner);
    *changed.wait_timeout_while(guard, LOOK, |over| !*over).unwrap_or_else(PoisonError::into_inner).0
}

/// What a panic said.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a message").to_owned()
}
