//! All legal turns of a roll, every order of micro-moves counted.

use super::{Turn, castling_moves, micro_moves};
use crate::board::{Dice, MicroMove, PieceType, Position, Rolled};

/// Calls `visit` with every sequence of micro-moves from here, in no particular order: the sequence so far, the
/// position after it and the dice left, or no position when the sequence captures the king. `visit` says whether to
/// go on; after a `false` nothing more is visited.
fn visit_sequences(
    position: &Position,
    dice: Dice,
    prefix: Turn,
    visit: &mut dyn FnMut(Turn, Option<&Position>, Dice) -> bool,
) -> bool {
    if !visit(prefix, Some(position), dice) {
        return false;
    }
    let mut go_on = true;
    let mut follow = |kind: PieceType, mv: MicroMove, rest: Dice| {
        if !go_on {
            return;
        }
        let turn = prefix.then(mv);
        go_on = if position.takes_king(mv) {
            visit(turn, None, rest)
        } else {
            visit_sequences(&position.after(kind, mv), rest, turn, visit)
        };
    };
    for die in dice.faces() {
        if let Some(rest) = dice.without(die) {
            micro_moves(position, die, |mv| follow(die, mv, rest));
        }
    }
    if let Some(rest) = without_castling_dice(dice) {
        castling_moves(position, |mv| follow(PieceType::King, mv, rest));
    }
    go_on
}

/// The dice left after castling, or `None` if there is no K or no R die.
pub(super) fn without_castling_dice(dice: Dice) -> Option<Dice> {
    dice.without(PieceType::King)?.without(PieceType::Rook)
}

/// The largest number of dice that a sequence which captures no king can use, 0..=3.
pub(super) fn most_dice_used(rolled: &Rolled) -> usize {
    let all = rolled.dice.len();
    let mut most = 0;
    visit_sequences(&rolled.position, rolled.dice, Turn::PASS, &mut |_, position, rest| {
        if position.is_some() {
            most = most.max(all - rest.len());
        }
        most < all
    });
    most
}

/// Calls `visit` with every legal turn of a rolled position and whether it captures the king; a pass is not visited.
/// The order is fixed but has no meaning. `visit` says whether to go on.
pub fn visit_legal_turns(rolled: &Rolled, mut visit: impl FnMut(Turn, bool) -> bool) {
    let most = most_dice_used(rolled);
    let all = rolled.dice.len();
    visit_sequences(&rolled.position, rolled.dice, Turn::PASS, &mut |turn, position, rest| {
        let captures = position.is_none();
        if captures || (!turn.is_empty() && all - rest.len() == most) { visit(turn, captures) } else { true }
    });
}

/// Every legal turn, in ASCII order; empty when the player passes.
pub fn legal_turns(rolled: &Rolled) -> Vec<Turn> {
    let mut turns = Vec::new();
    visit_legal_turns(rolled, |turn, _| {
        turns.push(turn);
        true
    });
    turns.sort_by(|a, b| a.moves().cmp(b.moves()));
    turns
}

/// Some turn that captures the king, if there is one.
pub fn first_capturing_turn(rolled: &Rolled) -> Option<Turn> {
    let mut first = None;
    visit_sequences(&rolled.position, rolled.dice, Turn::PASS, &mut |turn, position, _| {
        first = position.is_none().then_some(turn);
        first.is_none()
    });
    first
}

/// Some legal turn, found at once; a pass if there is no other.
pub fn first_legal_turn(rolled: &Rolled) -> Turn {
    let mut first = Turn::PASS;
    visit_legal_turns(rolled, |turn, _| {
        first = turn;
        false
    });
    first
}
