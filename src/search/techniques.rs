//! What a search may use to save work, each with a switch, so that every one can be held against plain expectimax.

/// The techniques of a search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Techniques {
    /// Probe one reply to every roll before searching any to the end, and stop as soon as the bounds decide
    /// (B. W. Ballard's Star2).
    pub probing: bool,
    /// Keep what is known of chance nodes in a transposition table.
    pub table: bool,
    /// Which turns are looked at beyond depth 2.
    pub filters: Filters,
    /// The number of rolls to look at first at depth 3, the same for all candidates; 0 for none. Only where no depth was asked
    /// for: these rolls alone decide if there is no time for more.
    pub roll_subset: usize,
}

/// Move filters: beyond the full-width depth 2 only the best turns of the depth before are looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Filters {
    /// The most candidates that go on to depth 3, at least 1.
    pub candidates: usize,
    /// Each depth beyond keeps this share of them, in 0..=1, but never fewer than 2.
    pub keep: f64,
    /// Only candidates this close to the best one go on; a difference of equities.
    pub threshold: f64,
    /// The most replies to each roll that are searched at nodes inside the tree, at least 1.
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
