//! What a bot loses on a set of decisions.

use super::decisions::KnownDecision;
use crate::board::Rolled;
use crate::rollout::{Comparison, ComparisonError, Moments};
use crate::rules::{Turn, TurnEnd, apply_roll};
use crate::time::StopCheck;
use serde::{Deserialize, Serialize};

/// A turn that is not among those of its decision, rolled out against the best of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OutsideTurn {
    /// The number of the decision.
    pub number: u32,
    /// The position with its dice.
    pub dfen: String,
    /// The turn.
    pub turn: String,
    /// Games of either turn.
    pub games: u32,
    /// What it is worth less than the best of the decision; below 0 if it is better.
    pub loss: f64,
    /// The standard error of the loss.
    pub error: f64,
}

impl OutsideTurn {
    /// Rolls a turn out against the best of a decision; `comparison` is that of the set's header.
    ///
    /// # Errors
    /// If the turn is not legal, captures the king, or `stop` is raised.
    pub fn roll_out<S: StopCheck + Sync>(
        comparison: &Comparison,
        decision: &KnownDecision,
        turn: Turn,
        stop: &S,
    ) -> Result<Self, ComparisonError> {
        let best = decision.turns.first().map_or(turn, |best| best.turn);
        let found = comparison.compare(&decision.rolled, &[best, turn], stop)?;
        let (loss, error) = match found.turns[..] {
            [best, other] => (best.equity - other.equity, best.error.max(other.error)),
            // It was asked for two.
            _ => (0.0, 0.0),
        };
        let (number, games) = (decision.number, found.games);
        Ok(Self { number, dfen: decision.rolled.to_string(), turn: turn.to_string(), games, loss, error })
    }

    /// Whether it is this turn of this decision, or another order of the same.
    pub fn is(&self, decision: &KnownDecision, turn: Turn) -> bool {
        self.number == decision.number
            && Rolled::from_dfen(&self.dfen).is_ok_and(|rolled| rolled == decision.rolled)
            && self.turn.parse().is_ok_and(|own: Turn| {
                let own = key_after(&decision.rolled, own);
                own.is_some() && own == key_after(&decision.rolled, turn)
            })
    }
}

/// The key of the position after a turn; none if it cannot be played, or captures the king.
fn key_after(rolled: &Rolled, turn: Turn) -> Option<u64> {
    match apply_roll(rolled, turn) {
        Ok(TurnEnd::Position(next)) => Some(next.key()),
        Ok(TurnEnd::KingCaptured) | Err(_) => None,
    }
}

impl KnownDecision {
    /// What a turn loses, if it is among those rolled out, in whatever order its micro-moves are.
    pub fn loss(&self, turn: Turn) -> Option<f64> {
        let key = key_after(&self.rolled, turn)?;
        self.turns.iter().find(|known| known.key == key).map(|known| known.loss)
    }
}

/// Losses added up.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Errors {
    losses: Moments,
    close: Moments,
    best: u32,
    outside: u32,
}

impl Errors {
    /// Adds what a turn of a decision loses; `outside` if it is not among those of the decision.
    pub fn add(&mut self, decision: &KnownDecision, loss: f64, outside: bool) {
        self.losses.add(loss);
        if decision.close {
            self.close.add(loss);
        }
        self.best += u32::from(loss <= 0.0);
        self.outside += u32::from(outside);
    }

    /// The losses of all decisions, in equity.
    pub const fn losses(&self) -> &Moments {
        &self.losses
    }

    /// The losses of those decisions that were taken because they are close.
    pub const fn close(&self) -> &Moments {
        &self.close
    }

    /// How often the best turn, or a better one, was chosen.
    pub const fn best(&self) -> u32 {
        self.best
    }

    /// How often a turn was chosen that is not among those of its decision.
    pub const fn outside(&self) -> u32 {
        self.outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::KnownTurn;
    use crate::rules::Roll;
    use crate::time::Never;

    fn decision() -> KnownDecision {
        let rolled = Rolled::from_dfen("4r2k/8/8/8/8/8/8/4K2R w - - 0 1 KRP").unwrap();
        assert!(Roll::from_dice(rolled.dice).is_some());
        let known = |text: &str, loss: f64| {
            let turn: Turn = text.parse().unwrap();
            KnownTurn { turn, key: key_after(&rolled, turn).unwrap(), loss }
        };
        let turns = vec![known("e1d2,h1h5", 0.0), known("e1f2,h1h6", 0.125)];
        KnownDecision { number: 3, rolled, close: true, turns }
    }

    #[test]
    fn a_turn_is_known_by_where_it_leads() {
        let decision = decision();
        let loss = |text: &str| decision.loss(text.parse().unwrap());
        assert_eq!(loss("h1h5,e1d2"), Some(0.0));
        assert_eq!(loss("e1f2,h1h6"), Some(0.125));
        assert_eq!(loss("e1d1,h1h5"), None);
    }

    #[test]
    fn a_turn_outside_is_measured_against_the_best() {
        let decision = decision();
        let comparison = Comparison { seed: 1, turns: 0, error: 1.0, most: 216, ..Comparison::default() };
        // Stepping into the rook's file loses the king to every rook.
        let bad: Turn = "e1e2,h1h5".parse().unwrap();
        let found = OutsideTurn::roll_out(&comparison, &decision, bad, &Never).unwrap();
        assert!(found.loss > 0.1, "{found:?}");
        let other_order: Turn = "h1h5,e1e2".parse().unwrap();
        assert!(found.is(&decision, other_order) && !found.is(&decision, decision.turns[0].turn));
        // The best against itself, by another order, is the same games.
        let same: Turn = "h1h5,e1d2".parse().unwrap();
        assert_eq!(OutsideTurn::roll_out(&comparison, &decision, same, &Never).unwrap().loss, 0.0);
    }

    #[test]
    fn losses_add_up() {
        let mut errors = Errors::default();
        let decision = decision();
        let far = KnownDecision { close: false, ..decision.clone() };
        [(&decision, 0.0, false), (&decision, 0.25, true), (&far, -0.01, true), (&far, 0.06, false)]
            .into_iter()
            .for_each(|(decision, loss, outside)| errors.add(decision, loss, outside));
        assert!((errors.losses().mean() - 0.075).abs() < 1e-12 && (errors.close().mean() - 0.125).abs() < 1e-12);
        assert_eq!((errors.best(), errors.outside()), (2, 2));
    }
}
