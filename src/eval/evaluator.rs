//! The trait behind which every static evaluation stands, and the built-in ones.

use super::{Equity, evaluate_quietly, king_capture_probability, material_balance};
use crate::board::Position;

/// Says what positions before a roll are worth to the side to move; dice are no part of the question.
pub trait Evaluator: Send {
    /// Appends the value of each position, in order. Draws by the half-move clock are the caller's business.
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>);

    /// Whether the exact chance to capture the king with the next roll has yet to be added to the values (by
    /// [`with_king_capture`]).
    fn lacks_king_capture(&self) -> bool;

    /// The same evaluator for another thread.
    fn for_another_thread(&self) -> Box<dyn Evaluator>;
}

/// The value of a position whose evaluation without the chance to capture the king is `quiet`. Never below `quiet`, so
/// a caller that looks for the smallest value need not ask for positions above what it has.
#[inline]
pub fn with_king_capture(quiet: Equity, position: &Position) -> Equity {
    let captures = king_capture_probability(position);
    Equity::new(captures + (1.0 - captures) * quiet.value())
}

/// The evaluations that need no model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum BuiltinEvaluator {
    /// Material, placement and the exact chance to capture the king.
    #[default]
    Full,
    /// Material and placement.
    Quiet,
    /// Material alone.
    Material,
}

impl BuiltinEvaluator {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Quiet, Self::Material];

    /// Its stable name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quiet => "quiet",
            Self::Material => "material",
        }
    }

    #[inline]
    fn centipawns(self, position: &Position) -> i32 {
        match self {
            Self::Full | Self::Quiet => evaluate_quietly(position),
            Self::Material => material_balance(position),
        }
    }
}

impl Evaluator for BuiltinEvaluator {
    #[inline]
    fn evaluate(&mut self, positions: &[Position], values: &mut Vec<Equity>) {
        values.extend(positions.iter().map(|position| Equity::from_centipawns(self.centipawns(position))));
    }

    #[inline]
    fn lacks_king_capture(&self) -> bool {
        *self == Self::Full
    }

    fn for_another_thread(&self) -> Box<dyn Evaluator> {
        Box::new(*self)
    }
}

impl std::str::FromStr for BuiltinEvaluator {
    type Err = UnknownEvaluator;

    fn from_str(text: &str) -> Result<Self, UnknownEvaluator> {
        Self::ALL.into_iter().find(|kind| kind.id().eq_ignore_ascii_case(text)).ok_or(UnknownEvaluator)
    }
}

/// There is no evaluation of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no such evaluation; there are full, quiet and material")]
pub struct UnknownEvaluator;
