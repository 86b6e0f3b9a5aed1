//! How much a search has done, and when to stop.

use crate::time::{SearchStats, StopCheck};
use std::sync::atomic::{AtomicU64, Ordering};

/// The positions evaluated so far by all threads of a search, against their limit and the stop signal.
#[derive(Clone, Copy)]
pub(crate) struct SearchBudget<'a, S> {
    stop: &'a S,
    nodes: &'a AtomicU64,
    node_limit: u64,
}

impl<'a, S: StopCheck> SearchBudget<'a, S> {
    pub(crate) fn new(stop: &'a S, nodes: &'a AtomicU64, node_limit: Option<u64>) -> Self {
        Self { stop, nodes, node_limit: node_limit.unwrap_or(u64::MAX) }
    }

    /// Positions evaluated.
    #[inline]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// Counts evaluated positions.
    #[inline]
    pub(crate) fn add(&self, nodes: u64) {
        self.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Whether what was seen is enough, so that the search is to end; see [`StopCheck::is_enough`].
    pub(crate) fn is_enough(&self, seen: &SearchStats) -> bool {
        self.stop.is_enough(seen)
    }

    /// Whether as many positions as allowed have been evaluated.
    #[inline]
    pub(crate) fn has_reached_limit(&self) -> bool {
        self.nodes() >= self.node_limit
    }

    /// Whether to stop now.
    #[inline]
    pub(crate) fn is_spent(&self) -> bool {
        self.has_reached_limit() || self.stop.should_stop()
    }
}
