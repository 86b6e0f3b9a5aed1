//! The buffers that a search keeps for each depth.

use crate::board::Position;
use crate::eval::ReplyList;
use crate::rules::{Roll, Turn};

/// The replies that were best at other nodes of the same depth, for each roll; the latest first. What answers a roll in
/// one position is mostly legal, and mostly good, in its siblings.
type Refutations = [[Turn; KEPT]; Roll::COUNT];

/// Refutations kept for a roll.
const KEPT: usize = 3;

/// The buffers of one depth.
#[derive(Clone, Debug)]
pub(super) struct Ply {
    pub list: ReplyList,
    /// Replies to search, with their roll and their number among those to this roll.
    pub chosen: Vec<(Roll, usize, Position)>,
    refutations: Box<Refutations>,
}

impl Default for Ply {
    fn default() -> Self {
        Self {
            list: ReplyList::default(),
            chosen: Vec::new(),
            refutations: Box::new([[Turn::PASS; KEPT]; Roll::COUNT]),
        }
    }
}

impl Ply {
    /// Turns that were best on this roll elsewhere.
    #[inline]
    pub(super) fn refutations(&self, roll: Roll) -> &[Turn] {
        &self.refutations[roll.index()]
    }

    /// Keeps a turn that was best on this roll.
    #[inline]
    pub(super) fn remember(&mut self, roll: Roll, turn: Turn) {
        let kept = &mut self.refutations[roll.index()];
        if kept[0] != turn {
            kept.rotate_right(1);
            kept[0] = turn;
        }
    }

    /// Forgets them all.
    pub(super) fn forget(&mut self) {
        *self.refutations = [[Turn::PASS; KEPT]; Roll::COUNT];
    }
}
