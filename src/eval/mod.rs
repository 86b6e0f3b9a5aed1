//! What a position is worth: material, where the pieces stand, what they attack, and the exact chance to capture the
//! king with the next roll; or what an ONNX model says.
//!
//! It looks at one position before a roll and knows nothing of search, time or the protocol. All arithmetic but
//! that of models is exact in IEEE 754 (no transcendental functions), so that values are the same on every machine.

mod equity;
mod evaluator;
mod features;
pub mod geometry;
mod heuristics;
mod incremental;
mod king_capture;
mod material;
pub mod network;
mod onnx;
mod placement;
mod replies;
mod terms;
mod threats;
mod weights;

pub(crate) use equity::{DROPPED_BITS, rounded};
pub use equity::{Equity, Score};
pub(crate) use evaluator::full_value;
pub use evaluator::{BuiltinEvaluator, Evaluator, UnknownEvaluator, with_king_capture, with_king_capture_below};
pub use features::{FeatureSet, UnknownFeatureSet, micro_move_count};
pub use heuristics::{aggressive_score, greedy_score, greedy_v2_score};
pub use incremental::{Accumulator, evaluate_quietly};
pub use king_capture::king_capture_probability;
pub use material::{material, material_balance, piece_value};
pub use onnx::{EvalOutput, ModelError, ModelFailure, OnnxModel, UnknownEvalOutput};
pub(crate) use replies::ReplyList;
pub use replies::{ReplyFinder, RollReplies};
pub use terms::EvalTerms;

use crate::board::Position;
use network::{Network, NetworkInputs};

/// The equity of the side to move before its roll, without looking ahead: it captures the king with the exact
/// probability of its next roll, and is otherwise worth what [`evaluate_quietly`] says.
#[inline]
pub fn evaluate(position: &Position) -> Equity {
    with_king_capture(Equity::from_centipawns(evaluate_quietly(position)), position)
}

/// The same with the correction of a network.
pub fn evaluate_by(network: &Network, position: &Position) -> Equity {
    let correction = network.correction(&NetworkInputs::of(position));
    with_king_capture(Equity::from_centipawns(evaluate_quietly(position) + correction), position)
}
