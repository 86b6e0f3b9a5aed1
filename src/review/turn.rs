//! What is said of one turn.

use super::mark::Mark;
use crate::board::{Color, Rolled};
use crate::rules::Turn;

/// A stage of the game, by the pieces on the board, kings included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Stage {
    /// More than 24 pieces.
    Opening,
    /// 16 to 24.
    Middle,
    /// Fewer.
    End,
}

impl Stage {
    /// All, the first one first.
    pub const ALL: [Self; 3] = [Self::Opening, Self::Middle, Self::End];

    /// The stage with `pieces` pieces on the board.
    pub const fn of(pieces: u32) -> Self {
        match pieces {
            25.. => Self::Opening,
            16.. => Self::Middle,
            _ => Self::End,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "over 24",
            Self::Middle => "16 to 24",
            Self::End => "under 16",
        }
    }
}

/// How many of the 216 throws that come next capture the king of the player who has just moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Danger {
    /// If the player had passed.
    pub before: u32,
    /// After the turn played; 0 if it captured the king.
    pub after: u32,
    /// After the best turn; 0 if that captures the king.
    pub best: u32,
}

/// A closer look at a turn by rollouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RolloutLook {
    /// Games from either turn.
    pub games: u32,
    /// The loss by the search.
    pub loss_before: f64,
    /// The standard error of the loss by rollouts, as if the games of both turns were independent.
    pub error: f64,
}

/// What was made of a roll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Decision {
    /// The turn played.
    pub turn: Turn,
    /// The best turn; the one played if that is as good.
    pub best: Turn,
    /// What the turn played is worth to the player, −1..=1.
    pub value: f64,
    /// What the best turn is worth, by the same search; never less than `value`.
    pub best_value: f64,
    /// Turns that both were searched ahead, the own one included.
    pub depth: u32,
    /// How many legal turns there were, every order of micro-moves counted.
    pub turns: u64,
    /// How many different positions they led to; all captures of the king count as one.
    pub outcomes: usize,
    /// What is left between the values of this turn and the equity after it, for the player: what the deeper search
    /// thinks of the best turn beyond what its luck says, and the next look beyond the value of the turn played.
    pub revaluation: f64,
    /// The chance to lose the king.
    pub danger: Danger,
    /// Whether the turn captured the king.
    pub captured: bool,
    /// Whether the king could be captured and was not.
    pub missed_capture: bool,
    /// The closer look, if there was one; `value` and `best_value` are then by it.
    pub rollout: Option<RolloutLook>,
}

impl Decision {
    /// What the turn played has lost, at least 0.
    pub fn loss(&self) -> f64 {
        (self.best_value - self.value).max(0.0)
    }

    /// Its mark, if it has one; a forced turn has none.
    pub fn mark(&self) -> Option<Mark> {
        if self.is_forced() { None } else { Mark::of(self.loss()) }
    }

    /// Whether there was nothing to choose.
    pub const fn is_forced(&self) -> bool {
        self.outcomes <= 1
    }
}

/// A turn of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct TurnReview {
    /// Its number in the game, from 1.
    pub ply: usize,
    /// The position with its dice.
    pub rolled: Rolled,
    /// The dice in the order thrown, where that is known.
    pub thrown: Option<String>,
    /// What the position was worth before the roll to the player: the mean over all rolls, −1..=1.
    pub equity: f64,
    /// What the roll was worth beyond that, by its best turn one turn deep.
    pub luck: f64,
    /// What was made of it; `None` if the game ended before.
    pub decision: Option<Decision>,
}

impl TurnReview {
    /// Who moved.
    pub const fn side(&self) -> Color {
        self.rolled.position.side()
    }

    /// 1 for White and −1 for Black: turns the player's view into White's.
    pub fn sign(&self) -> f64 {
        sign(self.side())
    }

    /// The stage of the game.
    pub fn stage(&self) -> Stage {
        Stage::of(self.rolled.position.occupied().count())
    }
}

/// 1 for White and −1 for Black.
pub(crate) fn sign(side: Color) -> f64 {
    match side {
        Color::White => 1.0,
        Color::Black => -1.0,
    }
}
