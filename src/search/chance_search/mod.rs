//! The value of a chance node: for each roll the best reply, searched as deep as asked.
//!
//! All values are equities of the side that rolls. The caller gives a bound: once the node is sure to be worth at least
//! that much, its exact value does not matter. Children are only ever searched for what can still matter to the node.

#[cfg(test)]
mod fixtures;
mod inner;
mod probe;
mod sampled;
mod together;

use crate::board::Position;
use crate::eval::{Equity, Evaluator, RollReplies, full_value, rounded};
use crate::rules::{Roll, RollSet, Turn, replay, winning_rolls};
use crate::search::budget::SearchBudget;
use crate::search::plies::Ply;
use crate::search::table::{Entry, Table};
use crate::search::techniques::Techniques;
use crate::time::StopCheck;
use std::sync::Arc;

/// Searches chance nodes; one thread has one, with its buffers.
pub(crate) struct ChanceSearch {
    leaf: Box<dyn Evaluator>,
    table: Option<Arc<Table>>,
    techniques: Techniques,
    /// Buffers by the depth left.
    plies: Vec<Ply>,
    values: Vec<Equity>,
}

/// Sums of weighted values may differ in their last bits by the order of addition; a cut must be clearer than that.
const ROUNDING: f64 = 1e-9;

/// What the rolls of a node are known to be worth at least, and whether that already suffices.
struct LowerBounds<'a> {
    of: [f64; Roll::COUNT],
    weights: &'a [f64; Roll::COUNT],
    /// The weighted sum of them all.
    sum: f64,
    /// What the sum must exceed for a cut.
    enough: f64,
}

/// The weights of all rolls.
static WEIGHTS: [f64; Roll::COUNT] = {
    let mut weights = [0.0; Roll::COUNT];
    let mut throw = 0;
    while throw < Roll::TOTAL_WEIGHT {
        weights[Roll::from_throw(throw).index()] += 1.0;
        throw += 1;
    }
    weights
};

impl LowerBounds<'static> {
    fn new(won: RollSet, beta: f64) -> Self {
        Self::weighted(won, &WEIGHTS, f64::from(Roll::TOTAL_WEIGHT) * (beta + ROUNDING))
    }
}

impl<'a> LowerBounds<'a> {
    fn weighted(won: RollSet, weights: &'a [f64; Roll::COUNT], enough: f64) -> Self {
        let mut bounds = [-1.0; Roll::COUNT];
        let mut sum = 0.0;
        for roll in Roll::all() {
            if won.has(roll) {
                bounds[roll.index()] = 1.0;
            }
            sum += weights[roll.index()] * bounds[roll.index()];
        }
        Self { of: bounds, weights, sum, enough }
    }

    /// Raises what a roll is known to be worth.
    #[inline]
    fn raise(&mut self, roll: Roll, value: f64) {
        let bound = &mut self.of[roll.index()];
        if value > *bound {
            self.sum += self.weights[roll.index()] * (value - *bound);
            *bound = value;
        }
    }

    #[inline]
    fn is_cutoff(&self) -> bool {
        self.sum >= self.enough
    }

    /// What this roll must be worth for the node to be cut.
    #[inline]
    fn needed(&self, roll: Roll) -> f64 {
        // A little more, so that what is called enough is enough in the sum as well.
        self.of[roll.index()] + (self.enough - self.sum) / self.weights[roll.index()] + ROUNDING / 64.0
    }

    /// The mean of the bounds, added up in the order of rolls so that it depends on nothing else.
    fn mean(&self) -> f64 {
        let sum: f64 = Roll::all().map(|roll| self.weights[roll.index()] * self.of[roll.index()]).sum();
        rounded(sum / f64::from(Roll::TOTAL_WEIGHT))
    }
}

impl ChanceSearch {
    pub(crate) fn new(leaf: Box<dyn Evaluator>, table: Option<Arc<Table>>, techniques: Techniques) -> Self {
        Self { leaf, table, techniques, plies: Vec::new(), values: Vec::new() }
    }

    /// Forgets which replies were good.
    pub(super) fn forget(&mut self) {
        self.plies.iter_mut().for_each(Ply::forget);
    }

    /// What a position is worth to the side to move, without looking ahead.
    pub(crate) fn leaf_value(&mut self, position: &Position) -> f64 {
        full_value(self.leaf.as_mut(), position, &mut self.values)
    }

    /// The value of a node, looking `depth` turns ahead. Exact if it is below `beta` (and so if `beta` is above
    /// 1); else perhaps only a lower bound that is no smaller than `beta`. `None` if the budget is spent before.
    pub(super) fn search<S: StopCheck>(
        &mut self,
        position: &Position,
        depth: u32,
        beta: f64,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Entry> {
        if depth == 0 || position.is_drawn() {
            budget.add(1);
            let value = rounded(self.leaf_value(position));
            return Some(Entry { value, exact: true, can_capture: false, depth: 0 });
        }
        self.node(position, depth, beta, |search, ply, won, bounds| {
            if depth == 1 {
                search.over_leaves(ply, position, won, bounds, budget)
            } else {
                search.over_nodes(ply, position, depth, won, bounds, budget)
            }
        })
    }

    /// A node at least one turn deep, out of the table if that is known well enough; else by `look`, which raises the
    /// bounds of the rolls and says whether they are exact in the end.
    #[inline]
    fn node(
        &mut self,
        position: &Position,
        depth: u32,
        beta: f64,
        look: impl FnOnce(&mut Self, &mut Ply, RollSet, &mut LowerBounds<'_>) -> Option<bool>,
    ) -> Option<Entry> {
        if let Some(known) = self.probe(position, depth, beta) {
            return Some(known);
        }
        let won = winning_rolls(position);
        let mut bounds = LowerBounds::new(won, beta);
        let mut ply = self.take_ply(depth);
        // The rolls that win may be enough.
        let exact = if bounds.is_cutoff() { Some(false) } else { look(self, &mut ply, won, &mut bounds) };
        self.plies[depth as usize] = ply;
        let known = Entry { value: bounds.mean(), exact: exact?, can_capture: won.weight() > 0, depth };
        self.store(position, known);
        Some(known)
    }

    /// Takes out the buffers of a depth, so that the search below can have those of its own; they are to be put back.
    fn take_ply(&mut self, depth: u32) -> Ply {
        let depth = depth as usize;
        if self.plies.len() <= depth {
            self.plies.resize_with(depth + 1, Ply::default);
        }
        std::mem::take(&mut self.plies[depth])
    }

    /// A node above leaves: probes first, then roll by roll. Whether the bounds are exact in the end.
    fn over_leaves<S: StopCheck>(
        &mut self,
        ply: &mut Ply,
        position: &Position,
        won: RollSet,
        bounds: &mut LowerBounds<'_>,
        budget: &SearchBudget<'_, S>,
    ) -> Option<bool> {
        if self.techniques.probing && bounds.enough < f64::from(Roll::TOTAL_WEIGHT) {
            for roll in Roll::by_weight().filter(|&roll| !won.has(roll)) {
                let known = ply.refutations(roll).iter();
                let reply = known.filter_map(|&turn| replay(position, roll.dice(), turn)).next();
                if let Some(reply) = reply {
                    budget.add(1);
                    bounds.raise(roll, -rounded(self.leaf_value(&reply)));
                    if bounds.is_cutoff() {
                        return Some(false);
                    }
                }
                if budget.is_spent() {
                    return None;
                }
            }
        }
        if !ply.list.node.expand_while(position, won.complement(), || !budget.is_spent()) {
            return None;
        }
        // Rolls of which nothing is known first: there is most to gain.
        let mut probed = RollSet::EMPTY;
        Roll::all().filter(|roll| bounds.of[roll.index()] > -1.0).for_each(|roll| probed.insert(roll));
        let unknown = Roll::by_weight().filter(|&roll| !probed.has(roll));
        for roll in unknown.chain(Roll::by_weight().filter(|&roll| probed.has(roll) && !won.has(roll))) {
            let needed = bounds.needed(roll);
            let (value, turn) = self.best_leaf(ply, roll, needed, budget)?;
            bounds.raise(roll, value);
            ply.remember(roll, turn);
            if bounds.is_cutoff() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The best reply to a roll by the evaluation, and its value; perhaps only the first found that is worth `needed`.
    fn best_leaf<S: StopCheck>(
        &mut self,
        ply: &mut Ply,
        roll: Roll,
        needed: f64,
        budget: &SearchBudget<'_, S>,
    ) -> Option<(f64, Turn)> {
        self.list_replies(ply, roll, budget)?;
        let (value, reply) = ply.list.best(self.leaf.as_ref(), needed, || !budget.is_spent())?;
        Some((value, reply.turn))
    }

    /// Fills the list of replies with all distinct outcomes of a roll (or the pass) and their quiet values.
    fn list_replies<S: StopCheck>(&mut self, ply: &mut Ply, roll: Roll, budget: &SearchBudget<'_, S>) -> Option<()> {
        ply.list.fill(roll, self.leaf.as_mut(), || !budget.is_spent())?;
        budget.add(ply.list.replies.len() as u64);
        Some(())
    }

    /// The best reply to every roll of a position that is no draw, by the evaluation; `None` if the budget is spent
    /// before.
    pub(crate) fn roll_replies<S: StopCheck>(
        &mut self,
        position: &Position,
        budget: &SearchBudget<'_, S>,
    ) -> Option<RollReplies> {
        // The buffers of depth 0, which a search from here does not need.
        let mut ply = self.take_ply(0);
        let go_on = || !budget.is_spent();
        let found =
            RollReplies::by(&mut ply.list, self.leaf.as_mut(), position, go_on, |count| budget.add(count as u64));
        self.plies[0] = ply;
        found
    }
}
