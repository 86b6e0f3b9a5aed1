//! What the tests of this folder share.

use super::ChanceSearch;
use crate::board::{Position, Rolled};
use crate::eval::BuiltinEvaluator;
use crate::search::table::Table;
use crate::search::techniques::{Filters, Techniques};
use std::sync::Arc;

/// Positions with few outcomes.
pub(super) const POSITIONS: [&str; 3] =
    ["4k3/p7/8/8/8/8/7P/4K3 w - - 0 30", "8/5k2/1p2p3/8/3P4/4K3/1P6/8 b - - 0 45", "4k3/8/8/8/4R3/8/8/4K3 w - - 0 30"];

pub(super) fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

/// A searcher that looks at two replies to a roll.
pub(super) fn worker(table: Option<Arc<Table>>, techniques: Techniques) -> ChanceSearch {
    let filters = Filters { replies: 2, ..Filters::default() };
    ChanceSearch::new(BuiltinEvaluator::default().evaluator(), table, Techniques { filters, ..techniques })
}
