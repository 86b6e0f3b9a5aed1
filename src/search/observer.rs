//! Keeps an eye on a search by iterative deepening, for whoever decides how long it goes on.
//!
//! It only takes down what the search says anyway; it measures work in nodes and knows no clock.

use super::candidates::Candidate;
use crate::rules::Turn;
use crate::time::{Checkpoint, SearchStats};

/// The number of earlier scores that a score is held against, of every other iteration: whether the own side or the other one moves
/// last makes scores of odd and even depths differ, by far more than a turn gets better or worse.
const EARLIER: usize = 2;

/// What the first candidate of an iteration costs at most for each node that it cost in the iteration before, and what is
/// assumed while that is not known. From 20 (a few pawns) to 600 (open middlegames) was seen, with two replies to each
/// of 56 rolls. So where much is left to search this is a low estimate, and no iteration that could be of use is left
/// out; nor when the table had all that was asked last time.
const GROWTH: f64 = 100.0;

/// What has been seen of the iterations so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Observer {
    /// The candidates of the last complete iteration with their values, the best first.
    candidates: Vec<(Turn, f64)>,
    /// The best values of the iterations, oldest first. That of depth 1 is not among them: the pre-ranker need not speak of
    /// the same thing.
    scores: Vec<f64>,
    /// Changes of the best turn, older ones counted less.
    changes: f64,
    /// Nodes at the beginning of the iteration under way.
    begun: u64,
    /// Its candidates so far, in the order of search, and the nodes when they were complete.
    marks: Vec<(Turn, u64)>,
    /// The best value in the iteration under way.
    best: Option<(Turn, f64)>,
    /// Nodes of the first candidate in the last complete iteration.
    first_cost: Option<f64>,
    /// Whether threads share the candidates.
    shared: bool,
}

impl Observer {
    /// An observer of a search; `shared` if threads share the candidates, so that it cannot be told how much work went
    /// into which.
    pub(super) fn new(shared: bool) -> Self {
        Self { shared, ..Self::default() }
    }

    /// An iteration begins: the candidates as they are ranked so far, and the nodes until now.
    pub(super) fn begin(&mut self, candidates: &[Candidate], nodes: u64) {
        self.candidates.clear();
        self.join(candidates);
        self.marks.clear();
        self.begun = nodes;
        self.best = None;
    }

    /// These candidates may come back into the iteration that begins; none was worth more before it than any in the
    /// candidates.
    pub(super) fn join(&mut self, candidates: &[Candidate]) {
        self.candidates.extend(candidates.iter().map(|candidate| (candidate.outcome.turn, candidate.value.value())));
    }

    /// A candidate of the iteration under way is complete.
    pub(super) fn candidate(&mut self, candidate: &Candidate, nodes: u64) -> SearchStats {
        let (turn, value) = (candidate.outcome.turn, candidate.value.value());
        self.marks.push((turn, nodes));
        if candidate.exact && self.best.is_none_or(|(_, best)| value > best) {
            self.best = Some((turn, value));
        }
        let mut seen = self.seen(Checkpoint::Candidate);
        // The share and the lead are known at the end only.
        if self.has_changed() {
            seen.best_changes = Some(self.changes / 2.0 + 1.0);
        }
        seen
    }

    /// The iteration is complete; the best candidate comes first.
    pub(super) fn end(&mut self, candidates: &[Candidate], nodes: u64) -> SearchStats {
        let Some(best) = candidates.first() else { return SearchStats::default() };
        let (turn, value) = (best.outcome.turn, best.value.value());
        self.best = Some((turn, value));
        self.changes = self.changes / 2.0 + if self.has_changed() { 1.0 } else { 0.0 };
        let mut seen = self.seen(Checkpoint::Iteration);
        self.scores.push(value);
        // A bound of another candidate is above its value, so the lead is no smaller than this.
        seen.lead = candidates.get(1).map_or(0.0, |second| value - second.value.value());
        if !self.shared {
            seen.effort_share = self.share_of(turn, nodes);
            seen.next_cost = self.next_cost(nodes);
        }
        seen
    }

    /// Whether the best turn is another one than before the iteration.
    fn has_changed(&self) -> bool {
        self.best.zip(self.candidates.first()).is_some_and(|((turn, _), &(before, _))| turn != before)
    }

    /// What the best turn so far and its value tell.
    fn seen(&self, checkpoint: Checkpoint) -> SearchStats {
        let mut seen = SearchStats { checkpoint, best_changes: Some(self.changes), ..SearchStats::default() };
        let Some((turn, value)) = self.best else { return seen };
        let earlier = || self.scores.iter().rev().skip(1).step_by(2).take(EARLIER).copied();
        if let Some(last) = earlier().next() {
            seen.score_drop = last - value;
            seen.score_swing = earlier().fold(value, f64::max) - earlier().fold(value, f64::min);
        }
        if let Some((first, rest)) = self.candidates.split_first()
            && let Some((_, before)) = rest.iter().find(|(other, _)| *other == turn)
        {
            seen.surprise = (first.1 - before).max(0.0);
        }
        seen
    }

    /// The share of this iteration's nodes that were under that candidate.
    fn share_of(&self, turn: Turn, nodes: u64) -> Option<f64> {
        let at = self.marks.iter().position(|&(marked, _)| marked == turn)?;
        let start = if at == 0 { self.begun } else { self.marks[at - 1].1 };
        let total = nodes.saturating_sub(self.begun);
        (total > 0).then(|| self.marks[at].1.saturating_sub(start) as f64 / total as f64)
    }

    /// What the next iteration costs until its first candidate is complete, before which nothing can come of it: so many
    /// times more than in this one as that was more than in the last one, as far as that is known.
    fn next_cost(&mut self, nodes: u64) -> Option<f64> {
        let cost = self.marks.first()?.1.saturating_sub(self.begun) as f64;
        let growth = match self.first_cost.replace(cost) {
            Some(last) if last > 0.0 => (cost / last).min(GROWTH),
            _ => GROWTH,
        };
        (nodes > 0).then(|| cost * growth / nodes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use crate::eval::Equity;
    use crate::rules::outcomes;

    /// Candidates with these values; turns are the same in every call.
    fn candidates(values: &[(usize, f64)]) -> Vec<Candidate> {
        let start = Rolled::from_dfen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB");
        let found = outcomes(&start.expect("the starting position")).distinct;
        let candidate = |&(number, value): &(usize, f64)| {
            let value = Equity::new(value);
            Candidate { outcome: found[number], rank: value, value, exact: true }
        };
        values.iter().map(candidate).collect()
    }

    fn close(got: f64, want: f64) -> bool {
        (got - want).abs() < 1e-12
    }

    #[test]
    fn a_stable_search_shows_where_its_effort_went() {
        let mut observer = Observer::new(false);
        observer.begin(&candidates(&[(0, 0.2), (1, 0.1)]), 10);
        observer.candidate(&candidates(&[(0, 0.3)])[0], 90);
        observer.candidate(&candidates(&[(1, 0.1)])[0], 110);
        let seen = observer.end(&candidates(&[(0, 0.3), (1, 0.1)]), 110);
        assert!(close(seen.lead, 0.2) && close(seen.surprise, 0.0) && seen.best_changes == Some(0.0), "{seen:?}");
        assert_eq!((seen.effort_share, seen.next_cost), (Some(0.8), Some(80.0 * GROWTH / 110.0)));
        // Depth 1 is no score to fall from.
        assert!(close(seen.score_drop, 0.0) && close(seen.score_swing, 0.0), "{seen:?}");
        observer.begin(&candidates(&[(0, 0.3), (1, 0.1)]), 110);
        observer.candidate(&candidates(&[(0, 0.25)])[0], 910);
        let seen = observer.end(&candidates(&[(0, 0.25)]), 1000);
        // Nor is depth 2 one for depth 3.
        assert!(close(seen.score_drop, 0.0) && close(seen.score_swing, 0.0) && close(seen.lead, 0.0), "{seen:?}");
        // The first candidate cost 80, then 800: next it would be 8000, after 1000 in all.
        assert_eq!(seen.next_cost, Some(8.0));
    }

    #[test]
    fn scores_are_held_against_those_of_every_other_depth() {
        let mut observer = Observer::new(false);
        // The value of each iteration from depth 2 on, the fall and the swing.
        let rows = [
            (0.30, 0.0, 0.0),
            (0.10, 0.0, 0.0),
            (0.25, 0.05, 0.05),
            (0.12, -0.02, 0.02),
            (0.27, -0.02, 0.05),
            (0.05, 0.07, 0.07),
            // What was six iterations ago is forgotten.
            (0.26, 0.01, 0.02),
        ];
        for (number, (value, drop, swing)) in rows.into_iter().enumerate() {
            let best = candidates(&[(0, value)]);
            observer.begin(&best, 0);
            let within = observer.candidate(&best[0], 10);
            let end = observer.end(&best, 10);
            for seen in [within, end] {
                assert!(close(seen.score_drop, drop) && close(seen.score_swing, swing), "{number}: {seen:?}");
            }
        }
    }

    #[test]
    fn values_out_of_the_table_do_not_make_the_next_iteration_dear() {
        let mut observer = Observer::new(false);
        for (begun, first) in [(0, 1), (1, 1001)] {
            observer.begin(&candidates(&[(0, 0.2)]), begun);
            observer.candidate(&candidates(&[(0, 0.2)])[0], first);
            let seen = observer.end(&candidates(&[(0, 0.2)]), 2000);
            assert_eq!(seen.next_cost, Some((first - begun) as f64 * GROWTH / 2000.0));
        }
    }

    #[test]
    fn a_new_best_turn_is_a_change_and_may_be_a_surprise() {
        let mut observer = Observer::new(false);
        observer.begin(&candidates(&[(0, 0.2), (1, 0.15)]), 0);
        let seen = observer.candidate(&candidates(&[(0, 0.1)])[0], 50);
        assert!(seen.best_changes == Some(0.0) && seen.checkpoint == Checkpoint::Candidate, "{seen:?}");
        let seen = observer.candidate(&candidates(&[(1, 0.12)])[0], 150);
        assert!(seen.best_changes == Some(1.0) && close(seen.surprise, 0.05), "{seen:?}");
        let changed = candidates(&[(1, 0.12), (0, 0.1)]);
        let seen = observer.end(&changed, 200);
        assert!(seen.best_changes == Some(1.0) && close(seen.surprise, 0.05) && close(seen.lead, 0.02), "{seen:?}");
        assert_eq!(seen.effort_share, Some(0.5));
        observer.begin(&changed, 200);
        observer.candidate(&candidates(&[(1, 0.2)])[0], 300);
        let seen = observer.end(&candidates(&[(1, 0.2), (0, 0.1)]), 300);
        assert!(seen.best_changes == Some(0.5) && close(seen.surprise, 0.0), "{seen:?}");
    }

    #[test]
    fn a_bound_is_no_new_best_turn() {
        let mut observer = Observer::new(false);
        observer.begin(&candidates(&[(0, 0.2), (1, 0.15)]), 0);
        observer.candidate(&candidates(&[(0, 0.1)])[0], 50);
        let bound = Candidate { exact: false, ..candidates(&[(1, 0.9)])[0] };
        assert_eq!(observer.candidate(&bound, 60).best_changes, Some(0.0));
    }

    #[test]
    fn among_threads_effort_is_not_told() {
        let mut observer = Observer::new(true);
        for nodes in [0, 100] {
            observer.begin(&candidates(&[(0, 0.2), (1, 0.1)]), nodes);
            observer.candidate(&candidates(&[(0, 0.3)])[0], nodes + 50);
            let seen = observer.end(&candidates(&[(0, 0.3), (1, 0.1)]), nodes + 100);
            assert_eq!((seen.effort_share, seen.next_cost), (None, None));
        }
    }
}
