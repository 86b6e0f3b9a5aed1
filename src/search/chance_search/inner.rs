//! A node above other nodes: which replies are searched, and in which order.

use super::{ChanceSearch, LowerBounds};
use crate::board::Position;
use crate::eval::ReplyList;
use crate::rules::{Roll, RollSet};
use crate::search::budget::SearchBudget;
use crate::search::plies::Ply;
use crate::time::StopCheck;

impl ChanceSearch {
    /// A node above other nodes: the most promising reply to every roll first, then the others. Whether the bounds are
    /// exact in the end.
    pub(super) fn over_nodes<S: StopCheck>(
        &mut self,
        ply: &mut Ply,
        position: &Position,
        depth: u32,
        won: RollSet,
        bounds: &mut LowerBounds<'_>,
        budget: &SearchBudget<'_, S>,
    ) -> Option<bool> {
        self.choose_all(ply, position, won, budget)?;
        let chosen = std::mem::take(&mut ply.chosen);
        let result = self.over_chosen(&chosen, depth, bounds, budget);
        ply.chosen = chosen;
        result
    }

    /// Fills the buffer of chosen replies, for every roll but those left out, such as those that win.
    pub(super) fn choose_all<S: StopCheck>(
        &mut self,
        ply: &mut Ply,
        position: &Position,
        left_out: RollSet,
        budget: &SearchBudget<'_, S>,
    ) -> Option<()> {
        let rolls = Roll::by_weight().filter(|&roll| !left_out.has(roll));
        self.choose_for(rolls, ply, position, left_out.complement(), budget)
    }

    /// Fills the buffer of chosen replies, for these of the `wanted` rolls.
    pub(super) fn choose_for<S: StopCheck>(
        &mut self,
        rolls: impl Iterator<Item = Roll>,
        ply: &mut Ply,
        position: &Position,
        wanted: RollSet,
        budget: &SearchBudget<'_, S>,
    ) -> Option<()> {
        ply.chosen.clear();
        if !ply.list.node.expand_while(position, wanted, || !budget.is_spent()) {
            return None;
        }
        for roll in rolls {
            self.list_replies(ply, roll, budget)?;
            self.choose_replies(ply, roll);
        }
        Some(())
    }

    /// Puts the most promising replies to a roll, all if there is no filter, into the buffer of chosen ones.
    fn choose_replies(&self, ply: &mut Ply, roll: Roll) {
        let limit = self.techniques.filters.replies.max(1);
        let Ply { list: ReplyList { replies, .. }, chosen, .. } = ply;
        replies.sort_by(|a, b| a.quiet.total_cmp(&b.quiet).then_with(|| a.position.key().cmp(&b.position.key())));
        // A look at the chance to capture the king, among somewhat more than will be chosen.
        if limit < replies.len() {
            replies.truncate(limit.saturating_mul(4).saturating_add(2));
            for reply in replies.iter_mut() {
                reply.quiet = reply.full_value(self.leaf.as_ref());
            }
            replies.sort_by(|a, b| a.quiet.total_cmp(&b.quiet).then_with(|| a.position.key().cmp(&b.position.key())));
            replies.truncate(limit);
        }
        chosen.extend(replies.iter().enumerate().map(|(number, reply)| (roll, number, reply.position)));
    }

    pub(super) fn over_chosen<S: StopCheck>(
        &mut self,
        chosen: &[(Roll, usize, Position)],
        depth: u32,
        bounds: &mut LowerBounds<'_>,
        budget: &SearchBudget<'_, S>,
    ) -> Option<bool> {
        // With one reply to every roll probed, most nodes are decided.
        let passes: &[fn(usize) -> bool] =
            if self.techniques.probing { &[|number| number == 0, |number| number > 0] } else { &[|_| true] };
        for pass in passes {
            for (roll, _, reply) in chosen.iter().filter(|(_, number, _)| pass(*number)) {
                // Only a value below the negated bound makes the roll worth more.
                let limit = -bounds.of[roll.index()];
                let limit = if self.techniques.probing { limit } else { f64::INFINITY };
                let known = self.search(reply, depth - 1, limit, budget)?;
                if known.exact {
                    bounds.raise(*roll, -known.value);
                    if bounds.is_cutoff() {
                        return Some(false);
                    }
                }
            }
        }
        Some(true)
    }
}
