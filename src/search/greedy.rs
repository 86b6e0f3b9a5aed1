//! `greedy`: the best material balance at the end of the turn.

use super::root::{Root, candidates};
use super::{Bot, Event, Info, Reporter, Task, below, decision_rng};
use crate::eval::{Equity, Score, material_balance};
use crate::rules::Turn;

/// Captures the king if it can, by the shortest turn; else takes the best material balance. Ties are broken by the
/// seed.
#[derive(Clone, Debug)]
pub struct Greedy {
    seed: u64,
}

impl Greedy {
    /// A greedy bot with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl Bot for Greedy {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        let mut info = |turn, score, nodes| {
            report(Event::Info(Info { depth: 1, seldepth: 1, multipv: 1, score, nodes, turn: Some(turn) }));
        };
        match candidates(task, || true) {
            Root::Only(turn) => turn,
            Root::KingCapture(turn) => {
                info(turn, Score::KingCapture, 0);
                turn
            }
            Root::Candidates(outcomes) => {
                let balance = |outcome: &crate::rules::Outcome| -material_balance(&outcome.position);
                let best = outcomes.iter().map(balance).max().unwrap_or(0);
                let ties: Vec<Turn> =
                    outcomes.iter().filter(|outcome| balance(outcome) == best).map(|outcome| outcome.turn).collect();
                let chosen = below(&mut decision_rng(self.seed, &task.rolled), ties.len() as u64) as usize;
                let turn = ties.get(chosen).copied().unwrap_or(Turn::PASS);
                info(turn, Score::Equity(Equity::from_centipawns(best)), outcomes.len() as u64);
                turn
            }
        }
    }
}
