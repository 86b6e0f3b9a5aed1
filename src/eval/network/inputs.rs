//! What the network sees of a position.

use crate::board::{Bitboard, Color, PieceType, Position};
use crate::eval::Accumulator;

/// The inputs of the network that are on: 24 planes of 64 squares.
///
/// Everything is seen by the side to roll, with the ranks mirrored when that is Black. Planes 0 to 5 are its pawns, knights,
/// bishops, rooks, queens and king, 6 to 11 the other side's; 12 to 17 the squares that each type of its pieces attacks (up
/// to and including the first piece on every line), 18 to 23 the same for the other side. Input `64 × plane + square` is on
/// if the square is in the plane. Castling rights, en passant targets and counters are no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetworkInputs(pub [u64; Self::PLANES]);

impl NetworkInputs {
    /// The number of planes.
    pub const PLANES: usize = 24;
    /// The number of inputs.
    pub const COUNT: usize = 64 * Self::PLANES;

    /// The inputs of a position.
    pub fn of(position: &Position) -> Self {
        Self::with(position, &Accumulator::new(position))
    }

    /// The same, if the linear evaluation of that position is there: it knows what is attacked.
    #[inline]
    pub(super) fn with(position: &Position, linear: &Accumulator) -> Self {
        let us = position.side();
        let mut planes = [0; Self::PLANES];
        for (other, color) in [us, !us].into_iter().enumerate() {
            for kind in PieceType::ALL {
                let plane = 6 * other + kind.index();
                planes[plane] = seen_by(us, position.pieces(color, kind));
                planes[12 + plane] = seen_by(us, linear.attacked(color, kind));
            }
        }
        Self(planes)
    }

    /// The same with the left and the right of the board exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        // The eight squares of a rank are a byte.
        Self(self.0.map(|plane| plane.reverse_bits().swap_bytes()))
    }

    /// The numbers of the inputs that are on, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0
            .into_iter()
            .enumerate()
            .flat_map(|(plane, squares)| Bitboard(squares).map(move |at| 64 * plane + at.index()))
    }
}

#[inline]
fn seen_by(us: Color, squares: Bitboard) -> u64 {
    if us == Color::White { squares.0 } else { squares.flip_ranks().0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, attacks};

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -";

    #[test]
    fn planes_are_pieces_and_what_they_attack() {
        let position = Rolled::from_dfen(KIWIPETE).unwrap().position;
        let inputs = NetworkInputs::of(&position);
        for (other, color) in [Color::White, Color::Black].into_iter().enumerate() {
            for kind in PieceType::ALL {
                let pieces = position.pieces(color, kind);
                let attacked = pieces
                    .fold(Bitboard::EMPTY, |all, square| all | attacks::of(kind, color, square, position.occupied()));
                assert_eq!(inputs.0[6 * other + kind.index()], pieces.0, "{color} {kind:?}");
                assert_eq!(inputs.0[12 + 6 * other + kind.index()], attacked.0, "{color} {kind:?}");
            }
        }
        let on: Vec<usize> = inputs.iter().collect();
        assert!(on.is_sorted());
        assert_eq!(on.len() as u32, inputs.0.iter().map(|plane| plane.count_ones()).sum::<u32>());
        assert_eq!(on[0], 8, "the pawn on a2");
    }

    #[test]
    fn a_position_with_colours_exchanged_looks_the_same() {
        let position = Rolled::from_dfen(KIWIPETE).unwrap().position;
        assert_eq!(NetworkInputs::of(&position), NetworkInputs::of(&position.flip_colors()));
        let inputs = NetworkInputs::of(&position);
        assert_ne!(inputs.mirrored(), inputs);
        assert_eq!(inputs.mirrored().mirrored(), inputs);
        assert_eq!(inputs.mirrored().0[0].count_ones(), 8);
    }
}
