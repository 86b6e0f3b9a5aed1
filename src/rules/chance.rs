//! A whole chance node at once: the distinct outcomes of every roll from one position.
//!
//! The positions reachable by each sub-multiset of dice are grown from each other, 6 single sets, 21 pair sets and
//! then the 56 triple sets, so rolls share their prefixes and permutations meet early. Of the last layer only keys
//! are made; a position only for the leaves that the caller wants to look at.

use super::moves::moves_to;
use super::step::Step;
use super::{KeyMap, Roll, RollSet, Turn, castling_moves};
use crate::board::{EndKeys, MicroMove, PieceType, Position};

/// The distinct outcomes of all rolls from a position; keeps its buffers from one position to the next.
#[derive(Clone, Debug, Default)]
pub struct ChanceNode {
    base: Option<Position>,
    singles: [Vec<Step>; 6],
    pairs: [Vec<Step>; 21],
    seen: KeyMap,
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
            Some((kind, mv)) => self.before.position.after_last_of_key(kind, mv, self.key),
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
        let base = Step::first(position);
        for die in PieceType::ALL {
            let singles = &mut self.singles[die.index()];
            singles.clear();
            if !RollSet::holding(die).is_disjoint(wanted) {
                base.moves(die, |from, to| {
                    moves_to(die, from, to, |mv| {
                        singles.push(base.then(die, mv));
                        true
                    })
                });
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
        seen.clear(expected(singles[a.index()].len(), singles[b.index()].len()));
        // The order of dice that `Step` relies on: `b`, which is not lower, last.
        let mut grow = |first: PieceType, second: PieceType| {
            singles[first.index()].iter().all(|before| {
                go_on()
                    && before.moves(second, |from, to| {
                        moves_to(second, from, to, |mv| {
                            let next = before.then(second, mv);
                            if seen.insert(next.position.key(), 0).is_none() {
                                pair.push(next);
                            }
                            true
                        })
                    })
            })
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
        // The order of dice that `Step` relies on: with the highest face last, then with the next, then the lowest.
        let orders = [(pair_index(a, b), c), (pair_index(a, c), b), (pair_index(b, c), a)];
        let estimates = orders.map(|(pair, die)| expected(pairs[pair].len(), singles[die.index()].len()));
        seen.clear(estimates.into_iter().fold(0, usize::max));
        for (number, (pair, die)) in orders.into_iter().enumerate() {
            if number > 0 && die == orders[number - 1].1 {
                continue;
            }
            let steps = &pairs[pair];
            let complete = match die {
                PieceType::Pawn => end_with::<{ PieceType::Pawn.index() }>(steps, seen, &mut visit),
                PieceType::Knight => end_with::<{ PieceType::Knight.index() }>(steps, seen, &mut visit),
                PieceType::Bishop => end_with::<{ PieceType::Bishop.index() }>(steps, seen, &mut visit),
                PieceType::Rook => end_with::<{ PieceType::Rook.index() }>(steps, seen, &mut visit),
                PieceType::Queen => end_with::<{ PieceType::Queen.index() }>(steps, seen, &mut visit),
                PieceType::King => end_with::<{ PieceType::King.index() }>(steps, seen, &mut visit),
            };
            if !complete {
                return false;
            }
        }
        let mut go_on = true;
        if let Some(third) = third_beside_castling(roll) {
            for before in &singles[third.index()] {
                castling_moves(&before.position, |mv| {
                    let key = before.position.key_after(PieceType::King, mv);
                    if go_on && seen.insert(key, 0).is_none() {
                        go_on = visit(Leaf { before, last: Some((PieceType::King, mv)), key });
                    }
                });
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

/// Ends turns after each of these steps with the die of that number, as long as `visit` says so; returns whether it
/// went to the end. There is a copy of this innermost loop for every die, which saves a seventh of the time.
fn end_with<'a, const DIE: usize>(
    steps: &'a [Step],
    seen: &mut KeyMap,
    visit: &mut impl FnMut(Leaf<'a>) -> bool,
) -> bool {
    let die = PieceType::ALL[DIE];
    steps.iter().all(|before| {
        let keys = EndKeys::of(&before.position);
        before.moves(die, |from, to| {
            let keys = keys.from(die, from);
            let mut add = |mv: MicroMove, key: u64| {
                seen.insert(key, 0).is_some() || visit(Leaf { before, last: Some((die, mv)), key })
            };
            if die == PieceType::Pawn {
                moves_to(die, from, to, |mv| add(mv, keys.pawn_to(mv)))
            } else {
                to.into_iter().map(|to| MicroMove::new(from, to)).all(|mv| add(mv, keys.piece_to(mv)))
            }
        })
    })
}

/// About how many positions one die more makes of `steps`: most sequences that begin with the other dice are
/// permutations of these. A set with room for them all need not grow; huge ones are rare and may.
fn expected(steps: usize, moves_of_die: usize) -> usize {
    (steps * moves_of_die).min(1 << 13)
}

fn is_castling_pair(a: PieceType, b: PieceType) -> bool {
    matches!((a, b), (PieceType::Rook, PieceType::King) | (PieceType::King, PieceType::Rook))
}

/// The third die of a roll that holds a K and an R die.
fn third_beside_castling(roll: Roll) -> Option<PieceType> {
    roll.dice().without(PieceType::King)?.without(PieceType::Rook)?.faces().next()
}
