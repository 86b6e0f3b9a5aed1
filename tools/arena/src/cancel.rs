//! The arena's own stop signal, shared by Ctrl-C, the workers and the players.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised once; never taken back.
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
