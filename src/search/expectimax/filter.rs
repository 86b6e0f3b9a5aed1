//! The move filter: which candidates the iterations beyond depth 2 look at, and which of those cut come back.

use super::Expectimax;
use crate::search::candidates::Candidate;
use crate::search::techniques::Filters;

impl Expectimax {
    /// Leaves only those in the ranked that the iteration to `depth` is to look at. Returns the best of those that only
    /// the count kept out, the best first: as many as may come back.
    pub(super) fn filter(&self, ranked: &mut Vec<Candidate>, depth: u32, multi_pv: usize) -> Vec<Candidate> {
        let Filters { candidates, keep, threshold, .. } = self.settings.techniques.filters;
        let Some(best) = ranked.first().copied() else { return Vec::new() };
        let share = (3..depth).fold(candidates as f64, |count, _| count * keep);
        let limit = (share as usize).max(2);
        ranked.retain(|candidate| candidate.exact);
        // Of candidates beyond the threshold mostly bounds are known, and whether it is more than that is chance among
        // threads, so those are gone for good.
        let close = ranked.iter().take_while(|candidate| candidate.value.value() >= best.value.value() - threshold);
        let close = close.count();
        ranked.truncate(close.max(multi_pv));
        let mut cut = ranked.split_off(ranked.len().min(limit.max(multi_pv)));
        cut.truncate(limit);
        cut
    }
}

/// How a candidate that stayed did: its value by the last iteration, and by this one if that is exact.
pub(super) type Moved = (f64, Option<f64>);

/// How many of the candidates that were cut come back, given their values by the last iteration, the best first, and
/// what became of those that stayed: the ones that would now be among the best `wanted` if they had moved as those
/// did, and well up.
///
/// All values move with the depth: it matters who moves last. By the mean move alone none could ever come back, for
/// each was worth no more than any that stayed, and the best is no worse than the mean. So two standard deviations of
/// the moves are added. They are large next to the lead of the best where the last iteration has told little about
/// this one: there the filter had no good reason.
pub(super) fn readmitted(cut: &[f64], stayed: &[Moved], wanted: usize, threshold: f64) -> usize {
    let mut exact: Vec<f64> = stayed.iter().filter_map(|&(_, now)| now).collect();
    exact.sort_by(|a, b| b.total_cmp(a));
    let Some(&worst) = exact.get(wanted.saturating_sub(1)) else { return 0 };
    // How far a candidate is below the threshold depends on how it was searched, so it is not asked.
    let bound = worst - threshold;
    let moves = || stayed.iter().map(|&(before, now)| now.map_or(bound, |now| now.max(bound)) - before);
    let count = stayed.len() as f64;
    let mean = moves().sum::<f64>() / count;
    let variance = moves().map(|moved| (moved - mean).powi(2)).sum::<f64>() / count;
    let rise = mean + 2.0 * variance.sqrt();
    cut.partition_point(|before| before + rise > worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(values: &[(f64, f64)]) -> Vec<Moved> {
        values.iter().map(|&(before, now)| (before, Some(now))).collect()
    }

    #[test]
    fn nothing_comes_back_when_all_have_moved_alike() {
        let stayed = moved(&[(0.30, 0.10), (0.29, 0.09), (0.28, 0.08)]);
        assert_eq!(readmitted(&[0.279, 0.27], &stayed, 1, 0.04), 0);
        // Nor when the best one shows to be even better.
        let stayed = moved(&[(0.30, 0.40), (0.29, 0.30), (0.28, 0.29)]);
        assert_eq!(readmitted(&[0.279, 0.27], &stayed, 1, 0.04), 0);
    }

    #[test]
    fn what_was_close_comes_back_when_the_favourites_disappoint() {
        // Moves of -0.08, held at the threshold, and -0.039, -0.038, -0.037: -0.0485 in the mean, with 0.0182 around
        // it.
        let stayed = moved(&[(0.300, 0.10), (0.299, 0.26), (0.298, 0.26), (0.297, 0.26)]);
        assert_eq!(readmitted(&[0.2965, 0.280, 0.270], &stayed, 1, 0.04), 2);
        // It is the same if only a bound of the first is known.
        let mut bound = stayed.clone();
        bound[0].1 = None;
        assert_eq!(readmitted(&[0.2965, 0.280, 0.270], &bound, 1, 0.04), 2);
    }

    #[test]
    fn the_worst_of_the_wanted_is_what_counts() {
        let stayed = moved(&[(0.300, 0.300), (0.299, 0.270), (0.298, 0.290)]);
        let cut = [0.287, 0.275, 0.250];
        let counts = [1, 2, 3].map(|wanted| readmitted(&cut, &stayed, wanted, 0.04));
        assert_eq!(counts, [0, 1, 2]);
    }

    #[test]
    fn with_nothing_cut_or_no_threshold_nothing_comes_back() {
        let stayed = moved(&[(0.3, 0.1), (0.3, 0.3), (0.3, 0.2)]);
        assert_eq!(readmitted(&[], &stayed, 1, 0.04), 0);
        assert_eq!(readmitted(&[0.2999], &stayed, 1, 0.0), 0);
        assert_eq!(readmitted(&[0.2999], &[], 1, 0.04), 0);
    }
}
