//! What a search may use to save work, each with a switch, so that every one can be held against plain expectimax.

/// The techniques of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Techniques {
    /// Probe one reply to every roll before searching any to the end, and stop as soon as the bounds decide
    /// (B. W. Ballard's Star2).
    pub probing: bool,
    /// Keep what is known of chance nodes in a transposition table.
    pub table: bool,
    /// Which turns are looked at beyond two plies.
    pub filters: Filters,
    /// Look at so many rolls first at depth 3, the same for all candidates; 0 for none. Only where no depth was asked
    /// for: the choice may be by these rolls alone if there is no time for more.
    pub roll_subset: usize,
}

/// Move filters: beyond the full-width first two plies only the best turns of the ply before are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Filters {
    /// So many candidates at most go on to three plies, at least 1.
    pub candidates: usize,
    /// Each ply deeper keeps this share of them, in 0..=1, but never fewer than 2.
    pub keep: f64,
    /// Only candidates this close to the best one go on; a difference of equities.
    pub threshold: f64,
    /// So many replies to each roll are searched at nodes inside the tree, at least 1.
    pub replies: usize,
}

impl Default for Techniques {
    fn default() -> Self {
        Self { probing: true, table: true, filters: Filters::default(), roll_subset: 0 }
    }
}

impl Default for Filters {
    fn default() -> Self {
        Self { candidates: 8, keep: 0.5, threshold: 0.04, replies: 8 }
    }
}

impl Filters {
    /// Every turn is looked at.
    pub const NONE: Self = Self { candidates: usize::MAX, keep: 1.0, threshold: 2.0, replies: usize::MAX };
}

impl Techniques {
    /// Plain expectimax: every technique off.
    pub const PLAIN: Self = Self { probing: false, table: false, filters: Filters::NONE, roll_subset: 0 };
}
