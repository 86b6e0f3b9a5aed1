//! What the network sees of a position.

use crate::board::{Bitboard, Color, PieceType, Position, Square};

/// The inputs of the network that are on: 12 planes of 64 squares.
///
/// Everything is seen by the side to roll, with the ranks mirrored when that is Black. Planes 0 to 5 are its pawns, knights,
/// bishops, rooks, queens and king, 6 to 11 the other side's. Input `64 × plane + square` is on if the square is in the
/// plane. Castling rights, en passant targets and counters are no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetworkInputs(pub [u64; Self::PLANES]);

impl NetworkInputs {
    /// The number of planes.
    pub const PLANES: usize = 12;
    /// The number of inputs.
    pub const COUNT: usize = 64 * Self::PLANES;

    /// The inputs of a position.
    #[inline]
    pub fn of(position: &Position) -> Self {
        let us = position.side();
        let mut planes = [0; Self::PLANES];
        for (other, color) in [us, !us].into_iter().enumerate() {
            for kind in PieceType::ALL {
                planes[6 * other + kind.index()] = seen_by(us, position.pieces(color, kind));
            }
        }
        Self(planes)
    }

    /// The number of the input that is on for a piece of that colour and type on that square, where `us` is to roll.
    #[inline]
    pub const fn number(us: Color, color: Color, kind: PieceType, square: Square) -> usize {
        let plane = kind.index() + if us as usize == color as usize { 0 } else { 6 };
        // For Black the ranks are mirrored.
        let square = square.index() ^ if us as usize == Color::White as usize { 0 } else { 56 };
        64 * plane + square
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
    use crate::board::Rolled;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -";

    #[test]
    fn planes_are_the_pieces() {
        let position = Rolled::from_dfen(KIWIPETE).unwrap().position;
        let inputs = NetworkInputs::of(&position);
        for (other, color) in [Color::White, Color::Black].into_iter().enumerate() {
            for kind in PieceType::ALL {
                assert_eq!(inputs.0[6 * other + kind.index()], position.pieces(color, kind).0, "{color} {kind:?}");
            }
        }
        for position in [position, position.flip_colors()] {
            let mut numbers: Vec<usize> = position
                .occupied()
                .filter_map(|square| position.piece_at(square).map(|piece| (square, piece)))
                .map(|(square, (color, kind))| NetworkInputs::number(position.side(), color, kind, square))
                .collect();
            numbers.sort_unstable();
            assert_eq!(numbers, NetworkInputs::of(&position).iter().collect::<Vec<_>>());
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
