//! Playing a turn that somebody gives: checked in full against a roll, or without one.

use super::turns::most_dice_used;
use super::{Turn, castling_moves, destinations, first_legal_turn, micro_moves};
use crate::board::{Bitboard, Dice, MicroMove, PieceType, Position, Rolled};
use thiserror::Error;

/// What a turn leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnEnd {
    /// The other side is to move.
    Position(Position),
    /// The mover has captured the king and won.
    KingCaptured,
}

/// Why a turn cannot be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum TurnError {
    /// A micro-move that no piece of the side to move can make there.
    #[error("{mv} (micro-move {number}) is not possible")]
    Impossible {
        /// The micro-move.
        mv: MicroMove,
        /// Which of the turn, from 1.
        number: usize,
    },
    /// A micro-move that the pieces allow but the dice left do not.
    #[error("{mv} (micro-move {number}) needs {needs}, and the dice left are {left}")]
    NoDie {
        /// The micro-move.
        mv: MicroMove,
        /// Which of the turn, from 1.
        number: usize,
        /// The dice that it uses up.
        needs: Dice,
        /// The dice left before it.
        left: Dice,
    },
    /// Micro-moves after the one that captured the king.
    #[error("the turn goes on after micro-move {0} has captured the king")]
    AfterCapture(usize),
    /// A turn that leaves dice which a better order or choice could play.
    #[error("the turn uses {used} dice, and {most} can be used")]
    TooFewDice {
        /// How many it uses.
        used: usize,
        /// How many a turn can use.
        most: usize,
    },
    /// A pass although there are micro-moves (all of them capture the king).
    #[error("a pass is legal only when no micro-move is possible")]
    NoPass,
    /// More than three dice in all.
    #[error("the turn needs more than 3 dice")]
    TooManyDice,
}

/// How many dice a legal turn of that roll that captures no king uses, 0..=3; 0 means a pass.
pub fn most_dice(rolled: &Rolled) -> usize {
    most_dice_used(rolled)
}

/// Plays a legal turn of a roll.
///
/// # Errors
/// The turn is not legal for these dice.
pub fn apply_roll(rolled: &Rolled, turn: Turn) -> Result<TurnEnd, TurnError> {
    let mut left = rolled.dice;
    let end = walk(&rolled.position, turn, |mv, number, needs| {
        left = needs.iter().try_fold(left, Dice::without).ok_or(TurnError::NoDie { mv, number, needs, left })?;
        Ok(())
    })?;
    if end == TurnEnd::KingCaptured || left.is_empty() {
        return Ok(end);
    }
    let used = rolled.dice.len() - left.len();
    let most = most_dice_used(rolled);
    if used < most {
        Err(TurnError::TooFewDice { used, most })
    } else if turn.is_empty() && first_legal_turn(rolled) != Turn::PASS {
        Err(TurnError::NoPass)
    } else {
        Ok(end)
    }
}

/// Plays a turn whose roll is not known: every micro-move must be possible, and three dice must suffice for all.
///
/// # Errors
/// A micro-move is not possible, or the turn needs more than three dice.
pub fn apply_unrolled(position: &Position, turn: Turn) -> Result<TurnEnd, TurnError> {
    let mut used = 0;
    walk(position, turn, |_, _, needs| {
        used += needs.len();
        if used > Dice::MOST { Err(TurnError::TooManyDice) } else { Ok(()) }
    })
}

/// Plays a turn of another position here, if it is possible with these dice, uses all of them and captures no king (such
/// a turn is legal); made to be fast, for turns that are likely to be possible.
#[inline]
pub fn replay(position: &Position, dice: Dice, turn: Turn) -> Option<Position> {
    let mut here = *position;
    let mut left = dice;
    for &mv in turn.moves() {
        let (from, to) = (mv.from(), mv.to());
        if !here.color(here.side()).has(from) || here.takes_king(mv) {
            return None;
        }
        let kind = here.kind_at(from)?;
        left = left.without(kind)?;
        if destinations(&here, kind, from).has(to) {
            let promotes = kind == PieceType::Pawn && Bitboard::LAST_RANKS.has(to);
            if promotes != mv.promotion().is_some() {
                return None;
            }
        } else {
            left = left.without(PieceType::Rook)?;
            let mut castles = false;
            castling_moves(&here, |possible| castles |= possible == mv);
            if kind != PieceType::King || !castles {
                return None;
            }
        }
        here = here.after(kind, mv);
    }
    if left.is_empty() { Some(here.end_turn()) } else { None }
}

/// Plays the micro-moves one by one; `spend` is told each with its number and the dice it uses up.
fn walk(
    position: &Position,
    turn: Turn,
    mut spend: impl FnMut(MicroMove, usize, Dice) -> Result<(), TurnError>,
) -> Result<TurnEnd, TurnError> {
    let mut here = *position;
    for (number, &mv) in (1..).zip(turn.moves()) {
        let (kind, needs) = dice_for(&here, mv).ok_or(TurnError::Impossible { mv, number })?;
        spend(mv, number, needs)?;
        if here.takes_king(mv) {
            return if number == turn.len() { Ok(TurnEnd::KingCaptured) } else { Err(TurnError::AfterCapture(number)) };
        }
        here = here.after(kind, mv);
    }
    Ok(TurnEnd::Position(here.end_turn()))
}

/// The type of piece that makes this micro-move and the dice it uses up, or `None` if it is not possible.
fn dice_for(position: &Position, mv: MicroMove) -> Option<(PieceType, Dice)> {
    let (color, kind) = position.piece_at(mv.from())?;
    if color != position.side() {
        return None;
    }
    let mut found = None;
    micro_moves(position, kind, |possible| {
        if possible == mv {
            found = Some((kind, Dice::NONE.with(kind)));
        }
    });
    if kind == PieceType::King && found.is_none() {
        castling_moves(position, |possible| {
            if possible == mv {
                found = Some((kind, Dice::NONE.with(PieceType::King).with(PieceType::Rook)));
            }
        });
    }
    found
}
