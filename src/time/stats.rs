//! What a search has seen of its turn, as far as it bears on the time: plain numbers, without board or dice.

/// The point of a search at which it asks whether it has seen enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checkpoint {
    /// An iteration is complete; to go on is to begin a deeper one.
    #[default]
    Iteration,
    /// A candidate within an iteration is complete, or some other piece of work after which the best turn is known.
    Candidate,
}

/// What a search has seen so far.
///
/// Equities are in -1..=1, from the mover's view. Any value of any field is legal: what is out of its range counts as
/// the end of the range, and NaN as nothing seen. The default is a search that has seen nothing in particular.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SearchStats {
    /// Where the search stands.
    pub checkpoint: Checkpoint,
    /// How often the best turn has changed from iteration to iteration, from 0 on; each change counts half as much with
    /// every iteration after it, so that this stays below 2. `None` if it is not known.
    pub best_changes: Option<f64>,
    /// Equity that the best turn is worth less than in an earlier iteration that compares with this one; negative if it is
    /// worth more.
    pub score_drop: f64,
    /// The difference between the highest and the lowest score of the last iterations that compare, 0..=2.
    pub score_swing: f64,
    /// The share of the nodes of the last iteration that were under the best turn, 0..=1; `None` if it is not known.
    pub effort_share: Option<f64>,
    /// Equity by which the best turn is surely ahead of all others, 0..=2.
    pub lead: f64,
    /// If the best turn is new: equity by which it was behind the one before it in the last iteration, 0..=2; else 0.
    pub surprise: f64,
    /// What the next iteration costs before it can change the choice, in units of all work so far; `None` if that cannot
    /// be told.
    pub next_cost: Option<f64>,
}
