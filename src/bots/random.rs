//! `random`: any legal turn.

use super::InstantBot;
use crate::rules::{Turn, below, decision_rng, visit_legal_turns};
use crate::search::{Reporter, SearchMoves, Task};

/// A legal turn, uniformly over turns (every order of micro-moves counts), from the seed.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// A random bot with this seed.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }
}

impl InstantBot for Random {
    fn choose(&mut self, task: &Task, _: &mut Reporter<'_>) -> Turn {
        uniform_turn(task, self.seed, |_| true).unwrap_or(Turn::PASS)
    }
}

/// One of the legal turns that `accept` accepts (out of `search_moves`, if there are any that are legal), each as likely
/// as any other.
pub(super) fn uniform_turn(task: &Task, seed: u64, mut accept: impl FnMut(Turn) -> bool) -> Option<Turn> {
    let allowed = |turn: Turn| task.search_moves.is_empty() || task.search_moves.contains(&turn);
    let mut count = 0;
    // Counting first and then taking the n-th needs no list, which can have millions of turns.
    visit_legal_turns(&task.rolled, |turn, _| {
        count += u64::from(allowed(turn) && accept(turn));
        true
    });
    if count == 0 && !task.search_moves.is_empty() {
        let unrestricted = Task { search_moves: SearchMoves::new(), ..task.clone() };
        return uniform_turn(&unrestricted, seed, accept);
    }
    let mut left = below(&mut decision_rng(seed, &task.rolled), count);
    let mut chosen = None;
    visit_legal_turns(&task.rolled, |turn, _| {
        if !(allowed(turn) && accept(turn)) {
            return true;
        }
        chosen = Some(turn);
        left = left.wrapping_sub(1);
        left != u64::MAX
    });
    chosen
}
