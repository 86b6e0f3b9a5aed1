//! Reviews, analyses and boards as text, JSON, HTML and SVG.
//!
//! Nothing here judges anything: what is shown is what [`crate::review`] says. What comes from outside, such as the names
//! of players, is escaped on its way into whatever is written.

mod analysis;
mod annotate;
mod board;
mod html;
mod json;
mod pooled;
mod text;

pub use analysis::{AnalysisJson, CubeJson, CubeQuestion, DrawJson, RollJson, TurnJson, analysis_json, analysis_text};
pub use annotate::remark;
pub use board::{board_svg, board_text, pieces_svg};
pub use html::{page_begin, page_end, page_game};
pub use json::{
    AccountJson, BasisJson, DangerJson, DecisionJson, GameJson, IntervalJson, PlayerJson, ReviewLine, RolloutJson,
    SCHEMA, SideJson, StageJson, TurnReviewJson, game_json, players_json,
};
pub use pooled::add_to_pool;
pub use text::{pool_text, review_text};

use crate::record::escaped;
use crate::rules::Roll;

/// The most characters of a name that are shown.
const MOST_NAME: usize = 24;

/// Throws of 216 in percent.
fn throws(weight: u32) -> String {
    format!("{:.1} %", 100.0 * f64::from(weight) / f64::from(Roll::TOTAL_WEIGHT))
}

/// A name, fit to be shown in a text.
fn name(text: &str) -> String {
    escaped(text, MOST_NAME)
}
