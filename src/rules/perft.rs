//! Counting turns and outcomes, to compare one implementation of the rules with another.

use super::{ChanceNode, Roll, RollSet, outcomes, visit_legal_turns, winning_rolls};
use crate::board::{Position, Rolled};

/// What one roll leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RollCount {
    /// Legal turns, every order of micro-moves counted; 0 for a pass.
    pub turns: u64,
    /// Distinct positions that turns which capture no king lead to; 0 for a pass.
    pub outcomes: u64,
    /// Turns that capture the king.
    pub captures: u64,
}

/// Sums over many rolls. Values saturate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DeepCount {
    /// The sums of [`RollCount`] over all rolls of the last turn.
    pub total: RollCount,
    /// Whether the caller stopped the count.
    pub incomplete: bool,
}

impl RollCount {
    fn add(&mut self, other: Self) {
        self.turns = self.turns.saturating_add(other.turns);
        self.outcomes = self.outcomes.saturating_add(other.outcomes);
        self.captures = self.captures.saturating_add(other.captures);
    }
}

/// Counts the legal turns of a roll as long as `go_on` says so (it is asked once a turn), then its outcomes.
pub fn count_roll(rolled: &Rolled, mut go_on: impl FnMut() -> bool) -> RollCount {
    let mut count = RollCount::default();
    visit_legal_turns(rolled, |_, captures| {
        count.turns += 1;
        count.captures += u64::from(captures);
        go_on()
    });
    let distinct = outcomes(rolled).distinct;
    count.outcomes = distinct.iter().filter(|outcome| !outcome.turn.is_empty()).count() as u64;
    count
}

/// Counts each of the 56 rolls of a position, in dice order, and gives the weight of those that capture the king.
pub fn count_position(position: &Position, mut go_on: impl FnMut() -> bool) -> (Vec<(Roll, RollCount)>, u32) {
    let mut node = ChanceNode::new();
    node.expand(position, RollSet::ALL);
    let mut counts = Vec::with_capacity(Roll::COUNT);
    for roll in Roll::all() {
        let mut count = RollCount::default();
        visit_legal_turns(&Rolled { position: *position, dice: roll.dice() }, |_, captures| {
            count.turns += 1;
            count.captures += u64::from(captures);
            go_on()
        });
        count.outcomes = node.visit(roll, |_| ()) as u64;
        counts.push((roll, count));
    }
    (counts, winning_rolls(position).weight())
}

/// Counts the last of `depth` turns, going on from every distinct outcome of the turn before over all 56 rolls (a pass
/// goes on as well, a capture of the king ends the game). Without dice the
/// first turn, too, is counted over all 56 rolls.
pub fn count_deep(rolled: &Rolled, depth: u32, go_on: &mut dyn FnMut() -> bool) -> DeepCount {
    let mut count = DeepCount::default();
    if rolled.dice.is_empty() {
        deepen_all(&rolled.position, depth, go_on, &mut count);
    } else {
        deepen(rolled, depth, go_on, &mut count);
    }
    count
}

fn deepen_all(position: &Position, depth: u32, go_on: &mut dyn FnMut() -> bool, count: &mut DeepCount) {
    for roll in Roll::all() {
        if count.incomplete {
            return;
        }
        deepen(&Rolled { position: *position, dice: roll.dice() }, depth, go_on, count);
    }
}

fn deepen(rolled: &Rolled, depth: u32, go_on: &mut dyn FnMut() -> bool, count: &mut DeepCount) {
    if !go_on() {
        count.incomplete = true;
        return;
    }
    if depth <= 1 {
        count.total.add(count_roll(rolled, &mut *go_on));
        return;
    }
    for outcome in outcomes(rolled).distinct {
        if count.incomplete {
            return;
        }
        if !outcome.position.is_drawn() {
            deepen_all(&outcome.position, depth - 1, go_on, count);
        }
    }
}
