//! Where the statistics join the reports.

use super::Report;
use serde::Serialize;

/// The statistics of an event, as lines for people and as fields for programs.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Statistics {
    /// Lines for people.
    #[serde(skip)]
    pub lines: Vec<String>,
}

/// Computes the statistics of a report.
pub fn summary(_: &Report) -> Statistics {
    Statistics::default()
}
