//! How much a search has done, and when to stop.

use crate::time::StopCheck;

/// The positions evaluated so far, against their limit and the stop signal.
pub(super) struct Effort<'a, S> {
    stop: &'a S,
    /// Positions evaluated.
    pub nodes: u64,
    node_limit: u64,
}

impl<'a, S: StopCheck> Effort<'a, S> {
    pub(super) fn new(stop: &'a S, node_limit: Option<u64>) -> Self {
        Self { stop, nodes: 0, node_limit: node_limit.unwrap_or(u64::MAX) }
    }

    /// Whether to stop now.
    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.nodes >= self.node_limit || self.stop.should_stop()
    }
}
