//! A signal to give up, shared by all who wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised once; never taken back. Clones share the signal.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A signal that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everybody to stop. Returns whether it had been raised before.
    pub fn raise(&self) -> bool {
        self.0.swap(true, Ordering::SeqCst)
    }

    /// Whether to stop.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
