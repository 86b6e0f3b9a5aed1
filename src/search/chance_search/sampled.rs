//! A chance node by a sample of its rolls.

use super::{ChanceSearch, LowerBounds, ROUNDING};
use crate::board::Position;
use crate::eval::rounded;
use crate::rules::Roll;
use crate::search::budget::SearchBudget;
use crate::search::roll_sample::RollSample;
use crate::search::table::Entry;
use crate::time::StopCheck;

impl ChanceSearch {
    /// The value of a node, looking `depth` turns ahead after the rolls of the sample only: the exact value one turn
    /// deep, corrected by how far the rolls of the sample are worth something else on a deeper look. So only those
    /// differences are estimated (a control variate). With all rolls it is the value of [`ChanceSearch::search`] to
    /// rounding, and it treats `beta` alike. Helpers take part as in [`ChanceSearch::search_together`]. `None` if the
    /// budget is spent before.
    pub(in crate::search) fn sampled<S: StopCheck + Sync>(
        &mut self,
        helpers: &mut [ChanceSearch],
        (position, depth): (&Position, u32),
        sample: &RollSample,
        beta: f64,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Entry> {
        if depth < 2 || position.is_drawn() {
            return self.search(position, depth, beta, budget);
        }
        let shallow = self.roll_replies(position, budget)?;
        let mut ply = self.take_ply(depth);
        // Rolls that win are worth the same on any look.
        let left_out = sample.rolls().complement().union(shallow.won());
        let total = f64::from(Roll::TOTAL_WEIGHT);
        let worth: f64 = Roll::all().map(|roll| sample.weight(roll) * shallow.value(roll)).sum();
        let enough = worth + total * (beta + ROUNDING - shallow.mean());
        let mut bounds = LowerBounds::weighted(left_out, sample.weights(), enough);
        let done = self
            .choose_all_together(helpers, &mut ply, position, left_out, budget)
            .and_then(|()| self.over_chosen_together(helpers, &ply.chosen, depth, &mut bounds, budget));
        self.plies[depth as usize] = ply;
        let exact = done?;
        let looked_at = Roll::all().filter(|&roll| !left_out.has(roll));
        let differences = looked_at.map(|roll| sample.weight(roll) * (bounds.of[roll.index()] - shallow.value(roll)));
        let correction = differences.sum::<f64>() / total;
        let value = rounded((shallow.mean() + correction).clamp(-1.0, 1.0));
        Some(Entry { value, exact, can_capture: shallow.won().weight() > 0, depth })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{POSITIONS, position, worker};
    use super::*;
    use crate::search::techniques::Techniques;
    use crate::time::Never;
    use std::sync::atomic::AtomicU64;

    fn search() -> ChanceSearch {
        worker(None, Techniques::default())
    }

    #[test]
    fn all_rolls_are_the_whole_node() {
        for dfen in POSITIONS {
            let position = position(dfen);
            for depth in [1, 2] {
                let nodes = AtomicU64::new(0);
                let budget = SearchBudget::new(&Never, &nodes, None);
                let all = RollSample::new(Roll::COUNT);
                let sampled = search().sampled(&mut [], (&position, depth), &all, f64::INFINITY, &budget);
                let whole = search().search(&position, depth, f64::INFINITY, &budget);
                let (Some(sampled), Some(whole)) = (sampled, whole) else { panic!("{dfen}: nothing limits it") };
                assert!((sampled.value - whole.value).abs() < 1e-10, "{dfen} {depth}: {sampled:?} {whole:?}");
                assert_eq!((sampled.exact, sampled.can_capture), (whole.exact, whole.can_capture), "{dfen} {depth}");
            }
        }
    }

    #[test]
    fn a_cut_is_a_bound_that_suffices() {
        for dfen in POSITIONS {
            let position = position(dfen);
            let nodes = AtomicU64::new(0);
            let budget = SearchBudget::new(&Never, &nodes, None);
            let sample = RollSample::new(14);
            let whole = search().sampled(&mut [], (&position, 2), &sample, f64::INFINITY, &budget);
            let Some(whole) = whole else { panic!("{dfen}: nothing limits it") };
            for offset in [-0.3, -0.01, 0.01, 0.3] {
                let beta = whole.value + offset;
                let Some(known) = search().sampled(&mut [], (&position, 2), &sample, beta, &budget) else {
                    panic!("{dfen}")
                };
                if offset > 0.0 {
                    assert_eq!(known, whole, "{dfen} {offset}");
                } else {
                    assert!(!known.exact && known.value >= beta && known.value <= whole.value, "{dfen} {offset}");
                }
            }
        }
    }

    #[test]
    fn a_sample_is_nearer_than_the_depth_before() {
        let (mut sampled_error, mut shallow_error) = (0.0, 0.0);
        for dfen in POSITIONS {
            let position = position(dfen);
            let nodes = AtomicU64::new(0);
            let budget = SearchBudget::new(&Never, &nodes, None);
            let value = |known: Option<Entry>| known.map_or(f64::NAN, |known| known.value);
            let whole = value(search().search(&position, 2, f64::INFINITY, &budget));
            let shallow = value(search().search(&position, 1, f64::INFINITY, &budget));
            let sampled =
                value(search().sampled(&mut [], (&position, 2), &RollSample::new(14), f64::INFINITY, &budget));
            sampled_error += (sampled - whole).abs();
            shallow_error += (shallow - whole).abs();
        }
        assert!(sampled_error < shallow_error, "{sampled_error} {shallow_error}");
    }
}
