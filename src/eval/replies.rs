//! The best reply to each of the 56 rolls by a static evaluation: a chance node one turn deep.
//!
//! It is what a search stands on above its leaves, what rollouts play by, and what the luck of a roll is measured with.

use super::equity::rounded;
use super::{BuiltinEvaluator, Equity, Evaluator, full_value, with_king_capture, with_king_capture_below};
use crate::board::Position;
use crate::rules::{ChanceNode, Roll, RollSet, Turn, winning_rolls};

/// What each of the 56 rolls of a position is worth, and its best turn, from the view of the side that rolls.
///
/// The value of a roll is 1 if it captures the king; else that of its best outcome by the evaluation of the position after
/// it, less what is beyond 2⁻⁴⁰. Of equal outcomes the one with the smaller value before the chance to capture the king
/// counts, then the one that [`ChanceNode::visit`] finds first.
#[derive(Clone, Debug)]
pub struct RollReplies {
    won: RollSet,
    mean: f64,
    values: [f64; Roll::COUNT],
    best: [Option<(Turn, Position)>; Roll::COUNT],
}

impl RollReplies {
    /// The replies in a position by the built-in evaluation. For many positions a [`ReplyFinder`] spares allocations.
    pub fn of(position: &Position) -> Self {
        ReplyFinder::default().find(position)
    }

    /// The rolls that capture the king.
    pub const fn won(&self) -> RollSet {
        self.won
    }

    /// The mean of the values by weight, in −1..=1: what the position is worth one turn deep.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// What a roll is worth, in −1..=1.
    pub fn value(&self, roll: Roll) -> f64 {
        self.values[roll.index()]
    }

    /// What a roll is worth beyond the mean of all rolls, in −2..=2. Its mean over all rolls is 0.
    pub fn luck(&self, roll: Roll) -> f64 {
        self.value(roll) - self.mean
    }

    /// The best turn of a roll and the position after it (whose half-move clock may be that of another turn which leads
    /// there); [`Turn::PASS`] if it has none, `None` if the roll captures the king.
    pub fn best(&self, roll: Roll) -> Option<(Turn, Position)> {
        self.best[roll.index()]
    }

    /// The replies by this evaluator. `go_on` is asked every few positions, and `evaluated` is told how many have been
    /// evaluated. `None` if `go_on` says no before all is done.
    pub(crate) fn by(
        list: &mut ReplyList,
        leaf: &mut dyn Evaluator,
        position: &Position,
        mut go_on: impl FnMut() -> bool,
        mut evaluated: impl FnMut(usize),
    ) -> Option<Self> {
        let won = winning_rolls(position);
        if !list.node.expand_while(position, won.complement(), &mut go_on) {
            return None;
        }
        let mut found = Self { won, mean: 0.0, values: [1.0; Roll::COUNT], best: [None; Roll::COUNT] };
        let mut sum = 0.0;
        for roll in Roll::all() {
            if !won.has(roll) {
                list.fill(roll, leaf, &mut go_on)?;
                evaluated(list.replies.len());
                let (value, reply) = list.best(leaf, f64::INFINITY, &mut go_on)?;
                found.values[roll.index()] = value;
                found.best[roll.index()] = Some((reply.turn, reply.position));
            }
            sum += f64::from(roll.weight()) * found.values[roll.index()];
        }
        found.mean = sum / f64::from(Roll::TOTAL_WEIGHT);
        Some(found)
    }
}

/// Finds [`RollReplies`] of one position after another; keeps its buffers.
pub struct ReplyFinder {
    list: ReplyList,
    leaf: Box<dyn Evaluator>,
}

impl Default for ReplyFinder {
    /// One that goes by the default evaluation.
    fn default() -> Self {
        Self::by(BuiltinEvaluator::default().evaluator().as_ref())
    }
}

impl ReplyFinder {
    /// One that goes by this evaluation.
    pub fn by(leaf: &dyn Evaluator) -> Self {
        Self { list: ReplyList::default(), leaf: leaf.for_another_thread() }
    }

    /// What the evaluation says of a position, with the chance to capture the king, in −1..=1.
    pub fn value(&mut self, position: &Position) -> f64 {
        full_value(self.leaf.as_mut(), position, &mut self.list.values)
    }

    /// The replies in a position.
    pub fn find(&mut self, position: &Position) -> RollReplies {
        let all = RollReplies::by(&mut self.list, self.leaf.as_mut(), position, || true, |_| ());
        // Nothing interrupts it.
        all.unwrap_or(RollReplies {
            won: RollSet::EMPTY,
            mean: 0.0,
            values: [0.0; Roll::COUNT],
            best: [None; Roll::COUNT],
        })
    }
}

/// A reply: the position after it, a turn that leads there, and what it is worth to the side to roll there, as far as it
/// is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reply {
    pub position: Position,
    pub turn: Turn,
    /// The value without the chance to capture the king, if the evaluator leaves that to be added.
    pub quiet: f64,
}

/// Replies generated or evaluated between two polls: some microseconds of work with the built-in evaluations, and a batch
/// of a model.
const REPLIES_BETWEEN_POLLS: usize = 32;

/// Exact king-capture probabilities between two polls: likewise.
const CAPTURES_BETWEEN_POLLS: usize = 8;

/// The replies to one roll of a chance node after another, with all buffers that takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplyList {
    /// The chance node; to be expanded before a roll of it is looked at.
    pub node: ChanceNode,
    /// The replies to the roll at hand.
    pub replies: Vec<Reply>,
    /// Those of them that are yet to be evaluated.
    batch: Vec<Position>,
    order: Vec<u32>,
    values: Vec<Equity>,
}

impl ReplyList {
    /// Lists all distinct outcomes of a roll, or the pass, with their quiet values. `None` if `go_on` says no before.
    #[inline]
    pub(crate) fn fill(&mut self, roll: Roll, leaf: &mut dyn Evaluator, mut go_on: impl FnMut() -> bool) -> Option<()> {
        if !go_on() {
            return None;
        }
        let Self { node, replies, batch, values, .. } = self;
        replies.clear();
        batch.clear();
        let complete = node.visit_while(roll, |outcome| {
            let position = outcome.position();
            replies.push(Reply { position, turn: outcome.turn(), quiet: 0.0 });
            batch.push(position);
            if batch.len() < REPLIES_BETWEEN_POLLS {
                return true;
            }
            evaluate_last(replies, batch, values, leaf);
            go_on()
        });
        if !complete {
            return None;
        }
        if replies.is_empty()
            && let Some(passed) = node.passed()
        {
            replies.push(Reply { position: passed, turn: Turn::PASS, quiet: 0.0 });
            batch.push(passed);
        }
        if !batch.is_empty() {
            evaluate_last(replies, batch, values, leaf);
        }
        Some(())
    }

    /// The reply that is best for the side that rolled, and its value to that side; perhaps only the first found that is
    /// worth `needed`. `None` if `go_on` says no before, or if there is no reply.
    #[inline]
    pub(crate) fn best(
        &mut self,
        leaf: &dyn Evaluator,
        needed: f64,
        mut go_on: impl FnMut() -> bool,
    ) -> Option<(f64, &Reply)> {
        let Self { replies, order, .. } = self;
        // The chance to capture the king only makes a position better for the side that is to roll in it, so positions
        // are looked at in the order of what they are worth without, as long as that can matter.
        order.clear();
        order.extend(0..replies.len() as u32);
        let quiet = |at: u32| replies[at as usize].quiet;
        let first = order.iter().copied().min_by(|&a, &b| quiet(a).total_cmp(&quiet(b)).then(a.cmp(&b)))?;
        let mut smallest = rounded(replies[first as usize].full_value(leaf));
        let mut best = first;
        if smallest > quiet(first) && -smallest < needed {
            order.retain(|&at| quiet(at) < smallest && at != first);
            order.sort_unstable_by(|&a, &b| quiet(a).total_cmp(&quiet(b)).then(a.cmp(&b)));
            for (number, &at) in order.iter().enumerate() {
                if quiet(at) >= smallest || -smallest >= needed {
                    break;
                }
                if number % CAPTURES_BETWEEN_POLLS == 0 && !go_on() {
                    return None;
                }
                let value = replies[at as usize].full_value_below(leaf, smallest).map(rounded);
                if let Some(value) = value.filter(|&value| value < smallest) {
                    (smallest, best) = (value, at);
                }
            }
        }
        Some((-smallest, &replies[best as usize]))
    }
}

/// Evaluates the last replies, whose positions are `batch`, and empties that: soon, so that they are still in the
/// processor's first cache. `values` is a buffer.
#[inline(never)]
fn evaluate_last(replies: &mut [Reply], batch: &mut Vec<Position>, values: &mut Vec<Equity>, leaf: &mut dyn Evaluator) {
    values.clear();
    leaf.evaluate(batch, values);
    let first = replies.len() - batch.len();
    for (reply, value) in replies[first..].iter_mut().zip(values.iter()) {
        reply.quiet = if reply.position.is_drawn() { 0.0 } else { value.value() };
    }
    batch.clear();
}

impl Reply {
    /// The evaluation with the chance to capture the king.
    #[inline]
    pub(crate) fn full_value(&self, leaf: &dyn Evaluator) -> f64 {
        if !leaf.lacks_king_capture() || self.position.is_drawn() {
            self.quiet
        } else {
            with_king_capture(Equity::new(self.quiet), &self.position).value()
        }
    }

    /// The same if it is below `limit`; else perhaps `None`, which costs less.
    #[inline]
    fn full_value_below(&self, leaf: &dyn Evaluator, limit: f64) -> Option<f64> {
        if !leaf.lacks_king_capture() || self.position.is_drawn() {
            return Some(self.quiet);
        }
        with_king_capture_below(Equity::new(self.quiet), &self.position, limit).map(Equity::value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};
    use crate::eval::evaluate;
    use crate::rules::{TurnEnd, apply_roll, outcomes};

    const POSITIONS: [&str; 7] = [
        STARTPOS,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 -",
        "r1bqk2r/pp2bppp/2n2n2/3pp3/4P3/2NP1N2/PPP1BPPP/R1BQ1RK1 b kq - 2 7 -",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 -",
        "4k3/8/8/8/8/8/8/4K2R w - - 97 80 -",
        "4k3/8/8/8/8/8/8/4K2R b K - 60 50 -",
        "7k/8/8/8/8/8/8/K7 b - - 0 1 -",
    ];

    /// By definition: every outcome of the roll evaluated.
    fn slowly(position: Position, roll: Roll) -> f64 {
        let found = outcomes(&Rolled { position, dice: roll.dice() });
        if found.king_capture.is_some() {
            return 1.0;
        }
        let values = found.distinct.iter().map(|outcome| {
            let next = &outcome.position;
            if next.is_drawn() { 0.0 } else { -evaluate(next).value() }
        });
        values.fold(-1.0, f64::max)
    }

    #[test]
    fn a_roll_is_worth_its_best_outcome_and_luck_has_the_mean_zero() {
        let mut finder = ReplyFinder::default();
        for dfen in POSITIONS {
            let position = Rolled::from_dfen(dfen).expect(dfen).position;
            let replies = finder.find(&position);
            let mut luck = 0.0;
            for roll in Roll::all() {
                let slow = slowly(position, roll);
                assert!((replies.value(roll) - slow).abs() < 1e-11, "{dfen} {roll}: {} {slow}", replies.value(roll));
                assert_eq!(replies.best(roll).is_none(), replies.won().has(roll), "{dfen} {roll}");
                if let Some((turn, next)) = replies.best(roll) {
                    let end = apply_roll(&Rolled { position, dice: roll.dice() }, turn);
                    let Ok(TurnEnd::Position(reached)) = end else { panic!("{dfen} {roll} {turn}: {end:?}") };
                    assert_eq!(reached.key(), next.key(), "{dfen} {roll} {turn}");
                }
                luck += f64::from(roll.weight()) * replies.luck(roll);
            }
            assert!(luck.abs() < 1e-10, "{dfen}: {luck}");
        }
    }

    #[test]
    fn buffers_carry_nothing_over() {
        let mut finder = ReplyFinder::default();
        for dfen in POSITIONS.iter().chain(POSITIONS.iter().rev()) {
            let position = Rolled::from_dfen(dfen).expect(dfen).position;
            let (kept, fresh) = (finder.find(&position), RollReplies::of(&position));
            for roll in Roll::all() {
                assert_eq!(kept.value(roll).to_bits(), fresh.value(roll).to_bits(), "{dfen} {roll}");
                assert_eq!(kept.best(roll), fresh.best(roll), "{dfen} {roll}");
            }
        }
    }
}
