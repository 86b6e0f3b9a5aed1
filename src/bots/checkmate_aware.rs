//! `checkmate-aware`: captures the king, keeps its own out of attack, and is random otherwise.

use super::InstantBot;
use crate::rules::{Outcome, Turn, below, decision_rng, king_attackers};
use crate::search::{Reporter, Task, candidates_or_answer};

/// Captures the king if it can; else a random turn after which its own king is not attacked; else a random turn. A
/// position is as likely as the number of turns that lead there says.
#[derive(Clone, Debug)]
pub struct CheckmateAware {
    seed: u64,
}

impl CheckmateAware {
    /// A bot with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl InstantBot for CheckmateAware {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        let mut outcomes = match candidates_or_answer(task, || true, report) {
            Err(turn) => return turn,
            Ok((outcomes, _)) => outcomes,
        };
        let is_safe = |outcome: &Outcome| king_attackers(&outcome.position).is_empty();
        if outcomes.iter().any(is_safe) {
            outcomes.retain(is_safe);
        }
        let turns = outcomes.iter().map(|outcome| outcome.ways).sum();
        let mut left = below(&mut decision_rng(self.seed, &task.rolled), turns);
        for outcome in &outcomes {
            if left < outcome.ways {
                return outcome.turn;
            }
            left -= outcome.ways;
        }
        Turn::PASS
    }
}
