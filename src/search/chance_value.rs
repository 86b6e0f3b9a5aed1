//! The value of a chance node one turn deep: for each roll the best reply, by a static evaluation.

use super::effort::Effort;
use crate::board::Position;
use crate::eval::{Equity, Evaluator, with_king_capture};
use crate::rules::{ChanceNode, Roll, winning_rolls};
use crate::time::StopCheck;
use std::cmp::Ordering;

/// Searches chance nodes one after the other and keeps its buffers between them.
pub(super) struct ChanceValue {
    leaf: Box<dyn Evaluator>,
    node: ChanceNode,
    replies: Vec<Position>,
    values: Vec<Equity>,
    order: Vec<u32>,
}

/// What a chance node is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeValue {
    /// The equity of the side that rolls.
    pub equity: Equity,
    /// Whether some roll lets it capture the king.
    pub can_capture: bool,
}

/// Replies generated or evaluated between two polls of the stop signal: some microseconds of work with the built-in
/// evaluations, and a batch of a model.
const REPLIES_BETWEEN_POLLS: usize = 32;

/// Exact king-capture probabilities between two polls: likewise.
const CAPTURES_BETWEEN_POLLS: usize = 8;

impl ChanceValue {
    pub(super) fn new(leaf: Box<dyn Evaluator>) -> Self {
        Self { leaf, node: ChanceNode::new(), replies: Vec::new(), values: Vec::new(), order: Vec::new() }
    }

    /// What a position after a turn is worth to the side to move, without looking ahead.
    pub(super) fn leaf_value(&mut self, position: &Position) -> Equity {
        self.values.clear();
        self.leaf.evaluate(std::slice::from_ref(position), &mut self.values);
        let quiet = self.values.first().copied().unwrap_or_default();
        if position.is_drawn() {
            Equity::DRAWN
        } else if self.leaf.lacks_king_capture() {
            with_king_capture(quiet, position)
        } else {
            quiet
        }
    }

    /// The value of the node; `None` if the effort is spent before all rolls are done.
    pub(super) fn search<S: StopCheck>(
        &mut self,
        position: &Position,
        effort: &mut Effort<'_, S>,
    ) -> Option<NodeValue> {
        let won = winning_rolls(position);
        let mut sum = f64::from(won.weight());
        if !self.node.expand_while(position, won.complement(), || !effort.is_spent()) {
            return None;
        }
        for roll in Roll::all().filter(|&roll| !won.has(roll)) {
            sum += f64::from(roll.weight()) * self.best_reply(roll, effort)?.value();
        }
        let equity = Equity::new(sum / f64::from(Roll::TOTAL_WEIGHT));
        Some(NodeValue { equity, can_capture: won.weight() > 0 })
    }

    /// What the roll is worth to the side that rolled it.
    fn best_reply<S: StopCheck>(&mut self, roll: Roll, effort: &mut Effort<'_, S>) -> Option<Equity> {
        if effort.is_spent() {
            return None;
        }
        let replies = &mut self.replies;
        replies.clear();
        let complete = self.node.visit_while(roll, |leaf| {
            replies.push(leaf.position());
            !replies.len().is_multiple_of(REPLIES_BETWEEN_POLLS) || !effort.is_spent()
        });
        if !complete {
            return None;
        }
        if replies.is_empty() {
            replies.extend(self.node.passed());
        }
        self.values.clear();
        for batch in self.replies.chunks(REPLIES_BETWEEN_POLLS) {
            if effort.is_spent() {
                return None;
            }
            self.leaf.evaluate(batch, &mut self.values);
        }
        effort.nodes += self.replies.len() as u64;
        self.smallest(effort).map(|equity| -equity)
    }

    /// The smallest value among the replies, in which the other side is to roll. The chance to capture the king only
    /// adds to the value, so it is looked up in the order of what the value is without it, as long as it can matter.
    fn smallest<S: StopCheck>(&mut self, effort: &Effort<'_, S>) -> Option<Equity> {
        let Self { leaf, replies, values, order, .. } = self;
        for (value, position) in values.iter_mut().zip(replies.iter()) {
            if position.is_drawn() {
                *value = Equity::DRAWN;
            }
        }
        let first = (0..values.len()).min_by(|&a, &b| compare(values[a], values[b]))?;
        if !leaf.lacks_king_capture() {
            return Some(values[first]);
        }
        let full = |at: usize| {
            let (value, position) = (values[at], &replies[at]);
            if position.is_drawn() { value } else { with_king_capture(value, position) }
        };
        let mut smallest = full(first);
        order.clear();
        order.extend((0..values.len() as u32).filter(|&at| values[at as usize] < smallest && at as usize != first));
        order.sort_unstable_by(|&a, &b| compare(values[a as usize], values[b as usize]).then(a.cmp(&b)));
        for (number, &at) in order.iter().enumerate() {
            if values[at as usize] >= smallest {
                break;
            }
            if number % CAPTURES_BETWEEN_POLLS == 0 && effort.is_spent() {
                return None;
            }
            let value = full(at as usize);
            if value < smallest {
                smallest = value;
            }
        }
        Some(smallest)
    }
}

/// Equities are never NaN, so they have an order.
pub(super) fn compare(a: Equity, b: Equity) -> Ordering {
    a.value().total_cmp(&b.value())
}
