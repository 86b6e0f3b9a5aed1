//! The distinct outcomes of a roll, each with the turn that stands for it.

use super::turns::without_castling_dice;
use super::{KeyMap, Turn, castling_moves, micro_moves};
use crate::board::{Dice, MicroMove, PieceType, Position, Rolled};
use smallvec::{SmallVec, smallvec};

/// A distinct position that a roll can lead to, and the turn that stands for it: of all that lead there the one with
/// the fewest micro-moves, then the first in ASCII order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The position after the turn has ended; the counters are those of `turn`.
    pub position: Position,
    /// The turn.
    pub turn: Turn,
    /// How many turns lead there, every order of micro-moves counted.
    pub ways: u64,
}

/// All that a roll can lead to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcomes {
    /// Of the turns that capture the king the first (fewest micro-moves, then ASCII), if there is one.
    pub king_capture: Option<Turn>,
    /// How many turns capture the king.
    pub capturing_turns: u64,
    /// The distinct positions that legal turns without such a capture lead to. Empty only when every sequence of
    /// micro-moves captures the king, or when nothing was rolled; a pass is an outcome with an empty turn.
    pub distinct: Vec<Outcome>,
    /// Whether the list was cut short by the caller.
    pub incomplete: bool,
}

/// The positions reached with one sub-multiset of the dice, before the turn ends.
struct Layer {
    used: Dice,
    left: Dice,
    reached: Vec<Outcome>,
    by_key: KeyMap,
}

impl Layer {
    fn new(used: Dice, left: Dice) -> Self {
        Self { used, left, reached: Vec::new(), by_key: KeyMap::new() }
    }

    fn add(&mut self, key: u64, reached: Outcome) {
        match self.by_key.insert(key, self.reached.len() as u32) {
            None => self.reached.push(reached),
            Some(index) => {
                let known = &mut self.reached[index as usize];
                let ways = known.ways + reached.ways;
                if reached.turn < known.turn {
                    *known = reached;
                }
                known.ways = ways;
            }
        }
    }
}

impl Outcomes {
    /// How many legal turns there are, every order of micro-moves counted; a pass is none.
    pub fn legal_turns(&self) -> u64 {
        let moved = self.distinct.iter().filter(|outcome| !outcome.turn.is_empty());
        self.capturing_turns + moved.map(|outcome| outcome.ways).sum::<u64>()
    }
}

/// All distinct outcomes of a roll.
pub fn outcomes(rolled: &Rolled) -> Outcomes {
    outcomes_while(rolled, || true)
}

/// All distinct outcomes of a roll, as long as `go_on` says so: it is asked for each position on the way. When it
/// says no, the list holds only legal turns still, but perhaps not all, and a capture of the king may be missing.
pub fn outcomes_while(rolled: &Rolled, mut go_on: impl FnMut() -> bool) -> Outcomes {
    let mut result = Outcomes::default();
    let mut layers = layers_of(rolled);
    for number in 0..layers.len() {
        let reached = std::mem::take(&mut layers[number].reached);
        let left = layers[number].left;
        for from in &reached {
            if !left.is_empty() && !go_on() {
                result.incomplete = true;
                break;
            }
            expand(from, left, &mut layers, &mut result);
        }
        layers[number].reached = reached;
    }
    let most = layers.iter().filter(|layer| !layer.reached.is_empty()).map(|layer| layer.used.len()).max();
    // A list cut short may not have reached the dice that must be used; the caller then has no outcome to rely on.
    let most = if result.incomplete { Some(rolled.dice.len()) } else { most };
    let mut ended = Layer::new(Dice::NONE, Dice::NONE);
    'ending: for layer in layers.iter().filter(|layer| Some(layer.used.len()) == most) {
        for reached in &layer.reached {
            if !ended.reached.is_empty() && !go_on() {
                result.incomplete = true;
                break 'ending;
            }
            let position = reached.position.end_turn();
            ended.add(position.key(), Outcome { position, ..*reached });
        }
    }
    let only_captures = most == Some(0) && result.king_capture.is_some();
    if !only_captures {
        result.distinct = ended.reached;
    }
    result
}

/// Three different dice have eight sub-multisets, no dice have more.
type Layers = SmallVec<[Layer; 1 << Dice::MOST]>;

/// A layer for each sub-multiset of the dice, smaller ones first.
fn layers_of(rolled: &Rolled) -> Layers {
    let mut layers: Layers = smallvec![Layer::new(Dice::NONE, rolled.dice)];
    layers[0].add(rolled.position.key(), Outcome { position: rolled.position, turn: Turn::PASS, ways: 1 });
    let mut number = 0;
    while number < layers.len() {
        let (used, left) = (layers[number].used, layers[number].left);
        for die in left.faces() {
            if let Some(rest) = left.without(die)
                && layers.iter().all(|layer| layer.left != rest)
            {
                layers.push(Layer::new(used.with(die), rest));
            }
        }
        number += 1;
    }
    layers
}

fn expand(from: &Outcome, left: Dice, layers: &mut [Layer], result: &mut Outcomes) {
    let mut follow = |kind: PieceType, mv: MicroMove, rest: Dice| {
        let turn = from.turn.then(mv);
        if from.position.takes_king(mv) {
            result.capturing_turns += from.ways;
            if result.king_capture.is_none_or(|best| turn < best) {
                result.king_capture = Some(turn);
            }
        } else if let Some(layer) = layers.iter_mut().find(|layer| layer.left == rest) {
            let position = from.position.after(kind, mv);
            layer.add(position.key(), Outcome { position, turn, ways: from.ways });
        }
    };
    for die in left.faces() {
        if let Some(rest) = left.without(die) {
            micro_moves(&from.position, die, |mv| follow(die, mv, rest));
        }
    }
    if let Some(rest) = without_castling_dice(left) {
        castling_moves(&from.position, |mv| follow(PieceType::King, mv, rest));
    }
}
