//! A whole chance node at once: the distinct outcomes of every roll from one position.
//!
//! The positions reachable by each sub-multiset of dice are grown from each other, 6 single sets, 21 pair sets and
//! then the 56 triple sets, so rolls share their prefixes and permutations meet early. Of the last layer only keys
//! are made; a position only for the leaves that the caller wants to look at.

use super::{KeyMap, Roll, RollSet, Turn, castling_moves, micro_moves};
use crate::board::{Bitboard, MicroMove, PieceType, Position};

/// The distinct outcomes of all rolls from a position; keeps its buffers from one position to the next.
#[derive(Clone, Debug, Default)]
pub struct ChanceNode {
    base: Option<Position>,
    singles: [Vec<Step>; 6],
    pairs: [Vec<Step>; 21],
    seen: KeyMap,
}

/// A position in the middle of a turn, and a sequence of micro-moves that leads there.
#[derive(Clone, Copy, Debug)]
struct Step {
    position: Position,
    turn: Turn,
}

impl Step {
    #[inline]
    fn then(&self, kind: PieceType, mv: MicroMove) -> Self {
        Self { position: self.position.after(kind, mv), turn: self.turn.then(mv) }
    }
}

/// An outcome of a roll as [`ChanceNode::visit`] finds it: the position before the last micro-move, that move (none
/// if the turn ended earlier), and the key of the outcome.
#[derive(Clone, Copy, Debug)]
pub struct Leaf<'a> {
    before: &'a Step,
    last: Option<(PieceType, MicroMove)>,
    key: u64,
}

impl Leaf<'_> {
    /// The key of the outcome.
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The outcome: the turn has ended, the other side is to move. Its half-move clock is that of one of the turns
    /// which lead there, not necessarily of the one that stands for the outcome.
    #[inline]
    pub fn position(&self) -> Position {
        match self.last {
            Some((kind, mv)) => self.before.position.after(kind, mv).end_turn(),
            None => self.before.position.end_turn(),
        }
    }

    /// A turn that leads there, not necessarily the one that stands for the outcome.
    #[inline]
    pub fn turn(&self) -> Turn {
        match self.last {
            Some((_, mv)) => self.before.turn.then(mv),
            None => self.before.turn,
        }
    }
}

/// The number 0..21 of a pair of faces, in either order.
#[inline]
const fn pair_index(a: PieceType, b: PieceType) -> usize {
    let (a, b) = (a.index(), b.index());
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    // Pairs with a lower first face come first: 6 + 5 + … of them.
    low * (11 - low) / 2 + high
}

impl ChanceNode {
    /// A node with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes this the chance node of that position, ready for the rolls of `wanted`.
    pub fn expand(&mut self, position: &Position, wanted: RollSet) {
        let complete = self.expand_while(position, wanted, || true);
        debug_assert!(complete);
    }

    /// [`ChanceNode::expand`] as long as `go_on` says so; it is asked once for each position on the way. Returns
    /// whether the node is complete; one that is not must not be visited.
    #[must_use]
    pub fn expand_while(&mut self, position: &Position, wanted: RollSet, mut go_on: impl FnMut() -> bool) -> bool {
        self.base = Some(*position);
        let base = Step { position: *position, turn: Turn::PASS };
        for die in PieceType::ALL {
            self.singles[die.index()].clear();
            if !RollSet::holding(die).is_disjoint(wanted) {
                let singles = &mut self.singles[die.index()];
                quiet_moves(position, die, |mv| singles.push(base.then(die, mv)));
            }
        }
        for (number, a) in PieceType::ALL.into_iter().enumerate() {
            for b in PieceType::ALL.into_iter().skip(number) {
                self.pairs[pair_index(a, b)].clear();
                if !RollSet::holding_both(a, b).is_disjoint(wanted) && !self.grow_pair(&base, a, b, &mut go_on) {
                    return false;
                }
            }
        }
        true
    }

    fn grow_pair(&mut self, base: &Step, a: PieceType, b: PieceType, mut go_on: impl FnMut() -> bool) -> bool {
        let Self { singles, pairs, seen, .. } = self;
        let pair = &mut pairs[pair_index(a, b)];
        seen.clear(EXPECTED_PAIR_OUTCOMES);
        let mut grow = |first: PieceType, second: PieceType| {
            for before in &singles[first.index()] {
                if !go_on() {
                    return false;
                }
                quiet_moves(&before.position, second, |mv| {
                    let next = before.then(second, mv);
                    if seen.insert(next.position.key(), 0).is_none() {
                        pair.push(next);
                    }
                });
            }
            true
        };
        if !grow(a, b) || (a != b && !grow(b, a)) {
            return false;
        }
        if is_castling_pair(a, b) {
            // No walk of one K and one R die ends where castling does, so these are new.
            castling_moves(&base.position, |mv| pair.push(base.then(PieceType::King, mv)));
        }
        true
    }

    /// Calls `visit` with each distinct outcome of a roll out of those wanted when the node was expanded; returns
    /// how many there are. Turns that capture the king lead to no outcome. 0 means a pass (or that only such
    /// captures are possible).
    pub fn visit(&mut self, roll: Roll, mut visit: impl FnMut(Leaf<'_>)) -> usize {
        self.visit_while(roll, |leaf| {
            visit(leaf);
            true
        });
        self.seen.len()
    }

    /// [`ChanceNode::visit`] as long as `visit` says so; returns whether it went to the end.
    #[inline]
    pub fn visit_while(&mut self, roll: Roll, mut visit: impl FnMut(Leaf<'_>) -> bool) -> bool {
        let [a, b, c] = roll.faces();
        let Self { singles, pairs, seen, .. } = self;
        seen.clear(EXPECTED_OUTCOMES);
        let mut go_on = true;
        let mut last = |before: &Step, die: PieceType, mv: MicroMove| {
            let key = before.position.key_after(die, mv);
            if go_on && seen.insert(key, 0).is_none() {
                go_on = visit(Leaf { before, last: Some((die, mv)), key });
            }
            go_on
        };
        let mut grow = |pair: &[Step], die: PieceType| {
            for before in pair {
                let mut go_on = true;
                quiet_moves(&before.position, die, |mv| go_on = last(before, die, mv));
                if !go_on {
                    break;
                }
            }
        };
        grow(&pairs[pair_index(a, b)], c);
        if b != c {
            grow(&pairs[pair_index(a, c)], b);
        }
        if a != b {
            grow(&pairs[pair_index(b, c)], a);
        }
        if let Some(third) = third_beside_castling(roll) {
            for before in &singles[third.index()] {
                castling_moves(&before.position, |mv| _ = last(before, PieceType::King, mv));
            }
        }
        if seen.is_empty() {
            let pair_sets = [pair_index(a, b), pair_index(a, c), pair_index(b, c)].map(|pair| &pairs[pair]);
            let single_sets = [a, b, c].map(|die| &singles[die.index()]);
            let most = if pair_sets.iter().any(|set| !set.is_empty()) { pair_sets } else { single_sets };
            for before in most.into_iter().flatten() {
                let key = before.position.key_at_end();
                if go_on && seen.insert(key, 0).is_none() {
                    go_on = visit(Leaf { before, last: None, key });
                }
            }
        }
        go_on
    }

    /// The position after a pass: what a roll without outcomes leads to.
    pub fn passed(&self) -> Option<Position> {
        self.base.map(|base| base.end_turn())
    }
}

/// How many slots to begin with: most pair sets and rolls have fewer distinct positions than this.
const EXPECTED_PAIR_OUTCOMES: usize = 128;
const EXPECTED_OUTCOMES: usize = 512;

fn is_castling_pair(a: PieceType, b: PieceType) -> bool {
    matches!((a, b), (PieceType::Rook, PieceType::King) | (PieceType::King, PieceType::Rook))
}

/// The third die of a roll that holds a K and an R die.
fn third_beside_castling(roll: Roll) -> Option<PieceType> {
    roll.dice().without(PieceType::King)?.without(PieceType::Rook)?.faces().next()
}

/// The micro-moves of a die that do not capture the king.
#[inline]
fn quiet_moves(position: &Position, die: PieceType, mut visit: impl FnMut(MicroMove)) {
    let king = Bitboard::of(position.king(!position.side()));
    micro_moves(position, die, |mv| {
        if !king.has(mv.to()) {
            visit(mv);
        }
    });
}
