//! What the instant bots share: the best score at the end of the own turn, ties broken by the seed.

use super::InstantBot;
use crate::board::Position;
use crate::eval::{Equity, Score};
use crate::rules::{Turn, below, decision_rng};
use crate::search::{Event, Info, Reporter, Task, candidates_or_answer};

/// Captures the king if it can, by the shortest turn; else plays the turn to the position with the best score. Scores
/// are in centipawns, from the view of the side that has just moved; ties are broken by the seed.
#[derive(Clone, Debug)]
pub struct OnePly {
    seed: u64,
    score: fn(&Position) -> i32,
}

impl OnePly {
    /// A bot with this seed and this score of positions after its turn (the other side is to move in them).
    pub const fn new(seed: u64, score: fn(&Position) -> i32) -> Self {
        Self { seed, score }
    }
}

impl InstantBot for OnePly {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        let outcomes = match candidates_or_answer(task, || true, report) {
            Err(turn) => return turn,
            Ok((outcomes, _)) => outcomes,
        };
        let scores: Vec<i32> = outcomes.iter().map(|outcome| (self.score)(&outcome.position)).collect();
        let best = scores.iter().copied().max().unwrap_or(0);
        let ties: Vec<Turn> = outcomes
            .iter()
            .zip(&scores)
            .filter(|&(_, &score)| score == best)
            .map(|(outcome, _)| outcome.turn)
            .collect();
        let chosen = below(&mut decision_rng(self.seed, &task.rolled), ties.len() as u64) as usize;
        let turn = ties.get(chosen).copied().unwrap_or(Turn::PASS);
        let score = Score::Equity(Equity::from_centipawns(best));
        let nodes = outcomes.len() as u64;
        report(Event::Info(Info { depth: 1, seldepth: 1, multipv: 1, score, nodes, hashfull: None, turn: Some(turn) }));
        turn
    }
}
