//! The quiet evaluation of one position after another: only what differs from the last one is added up anew.
//!
//! A search looks at thousands of siblings in a row that differ in two or three squares. What a set of pieces attacks
//! stays the same as long as none of them has moved and nothing on the squares attacked has changed (these include the
//! first piece on every line). Values are those of [`evaluate_quietly`], whatever the order.

use super::placement::{Openness, enemy_king_worth, own_king_worth, piece_worth};
use super::threats::Threat;
use super::weights::TEMPO;
use crate::board::{Bitboard, Color, PieceType, Position, Square};

/// The parts of the evaluation of one position.
#[derive(Clone, Debug)]
pub struct Accumulator {
    position: Position,
    sides: [Side; 2],
}

/// What one colour has.
#[derive(Clone, Copy, Debug)]
struct Side {
    /// The sum of what its pieces are worth where they stand, seen from its own king and as material.
    by_own_king: i32,
    /// The same seen from the enemy king.
    by_enemy_king: i32,
    openness: Openness,
    threats: [Threat; 6],
}

impl Side {
    fn of(position: &Position, color: Color) -> Self {
        Self {
            by_own_king: own_king_worth(position, color),
            by_enemy_king: enemy_king_worth(position, color),
            openness: Openness::of(position, color),
            threats: PieceType::ALL.map(|kind| Threat::of(position, color, kind)),
        }
    }

    fn sum(&self) -> i32 {
        let threats: i32 = self.threats.iter().map(|threat| threat.worth).sum();
        self.by_own_king + self.by_enemy_king + self.openness.worth + threats
    }

    /// Makes this part of `last` that colour's part of another position with the same side to roll, in which only the
    /// squares `changed` have something else on them. Tells of every piece that came or went, as [`Accumulator::follow`]
    /// does.
    #[inline]
    fn update(
        &mut self,
        last: &Position,
        position: &Position,
        color: Color,
        changed: Bitboard,
        mut tell: impl FnMut(PieceType, Square, bool),
    ) {
        let own_king_moved = last.king(color) != position.king(color);
        for kind in PieceType::ALL {
            let now = position.pieces(color, kind);
            let moved = last.pieces(color, kind) ^ now;
            let threat = &mut self.threats[kind.index()];
            if moved.any() {
                *threat = Threat::of(position, color, kind);
                for square in moved {
                    let came = now.has(square);
                    tell(kind, square, came);
                    if kind != PieceType::King {
                        let [own, enemy] = piece_worth(position, color, kind, square);
                        let sign = if came { 1 } else { -1 };
                        self.by_own_king += sign * own;
                        self.by_enemy_king += sign * enemy;
                    }
                }
            } else if (threat.squares & changed).any() {
                *threat = Threat::of(position, color, kind);
            }
        }
        if own_king_moved {
            self.by_own_king = own_king_worth(position, color);
        }
        if last.king(!color) != position.king(!color) {
            self.by_enemy_king = enemy_king_worth(position, color);
        }
        if own_king_moved || (self.openness.squares & changed).any() {
            self.openness = Openness::of(position, color);
        }
    }
}

impl Accumulator {
    /// The parts of this position.
    pub fn new(position: &Position) -> Self {
        let sides = [Color::White, Color::Black].map(|color| Side::of(position, color));
        Self { position: *position, sides }
    }

    /// What the position is worth to the side to move without the chance to capture the king at once, in centipawns.
    pub fn value(&self) -> i32 {
        let us = self.position.side();
        self.sides[us.index()].sum() - self.sides[(!us).index()].sum() + TEMPO
    }

    /// Goes on to another position; any, but the less differs the less work it is.
    pub fn update(&mut self, position: &Position) {
        self.follow(position, |_, _, _, _| ());
    }

    /// Goes on to another position, and tells of every piece that is in one of the two and not in the other: its colour,
    /// its type, its square, and whether it is in the new one. If another side is to roll there it tells nothing, and
    /// returns false: everything has changed.
    #[inline]
    pub fn follow(&mut self, position: &Position, mut tell: impl FnMut(Color, PieceType, Square, bool)) -> bool {
        let last = std::mem::replace(&mut self.position, *position);
        if last.side() != position.side() {
            *self = Self::new(position);
            return false;
        }
        let mut changed = last.color(Color::White) ^ position.color(Color::White);
        changed |= last.color(Color::Black) ^ position.color(Color::Black);
        for kind in PieceType::ALL {
            changed |= last.kind(kind) ^ position.kind(kind);
        }
        if changed.any() {
            for color in [Color::White, Color::Black] {
                let side = &mut self.sides[color.index()];
                side.update(&last, position, color, changed, |kind, square, came| tell(color, kind, square, came));
            }
        }
        true
    }
}

/// What a position is worth to the side to move without the chance to capture the king at once, in centipawns.
#[inline]
pub fn evaluate_quietly(position: &Position) -> i32 {
    Accumulator::new(position).value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use crate::rules::{Roll, outcomes};

    /// Castling, promotions, en passant and captures all occur after these.
    const POSITIONS: [&str; 5] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
        "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6f6 0 3 -",
        "4k3/1P4P1/8/2n5/5N2/8/1p4p1/4K3 b - - 0 1 -",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 -",
    ];

    #[test]
    fn going_on_is_beginning_anew() {
        let mut last: Option<Accumulator> = None;
        let mut seen = 0;
        for dfen in POSITIONS {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position;
            for roll in Roll::all() {
                let found = outcomes(&Rolled { position, dice: roll.dice() });
                for outcome in found.distinct.iter().map(|outcome| outcome.position) {
                    let accumulator = last.get_or_insert_with(|| Accumulator::new(&outcome));
                    accumulator.update(&outcome);
                    assert_eq!(accumulator.value(), Accumulator::new(&outcome).value(), "{dfen} {roll}: {outcome}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 10_000, "{seen}");
    }
}
