//! What a search of chance nodes takes out of the transposition table, and puts into it.

use super::{ChanceSearch, ROUNDING};
use crate::board::Position;
use crate::search::table::{Entry, MOST_DEPTH};

impl ChanceSearch {
    /// What is known of a node at this depth, if that is exact or a bound that suffices.
    #[inline]
    pub(super) fn probe(&self, position: &Position, depth: u32, beta: f64) -> Option<Entry> {
        let known = self.table.as_ref()?.get(position.key(), depth)?;
        let suffices = known.exact || known.value >= beta + ROUNDING;
        (suffices && position.halfmove() < CLOCK_MATTERS).then_some(known)
    }

    /// Notes what became known of a node.
    #[inline]
    pub(super) fn store(&self, position: &Position, known: Entry) {
        if let Some(table) = &self.table
            && position.halfmove() < CLOCK_MATTERS
        {
            table.put(position.key(), known);
        }
    }
}

/// From here on the half-move clock could reach the draw within the deepest search and the turn before it, so that equal
/// keys need not mean equal values.
const CLOCK_MATTERS: u32 = Position::clock_matters_from(MOST_DEPTH + 1);
