//! The random numbers behind position keys (A. L. Zobrist, 1970).
//!
//! They are made at compile time by SplitMix64 (S. Vigna's constants), so that keys are the same in every build.

use super::{CastlingRights, Color, PieceType, Square};

pub(super) struct Zobrist {
    pieces: [[[u64; 64]; 6]; 2],
    castling: [u64; 16],
    /// By file: targets on rank 3 first, then those on rank 6.
    targets: [u64; 16],
    black_to_move: u64,
}

const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

static ZOBRIST: Zobrist = {
    let mut state = 0x0A57_4A6A_1D1C_EC4E;
    let mut table = Zobrist { pieces: [[[0; 64]; 6]; 2], castling: [0; 16], targets: [0; 16], black_to_move: 0 };
    let mut i = 0;
    while i < 2 * 6 * 64 {
        table.pieces[i / 384][i / 64 % 6][i % 64] = split_mix(&mut state);
        i += 1;
    }
    i = 0;
    while i < 16 {
        table.castling[i] = split_mix(&mut state);
        table.targets[i] = split_mix(&mut state);
        i += 1;
    }
    table.black_to_move = split_mix(&mut state);
    table
};

#[inline]
pub(super) fn piece(color: Color, kind: PieceType, square: Square) -> u64 {
    ZOBRIST.pieces[color.index()][kind.index()][square.index()]
}

#[inline]
pub(super) fn castling(rights: CastlingRights) -> u64 {
    ZOBRIST.castling[rights.index()]
}

/// The number of an en passant target on rank 3 or 6.
#[inline]
pub(super) fn target(square: Square) -> u64 {
    ZOBRIST.targets[(square.file() + (square.rank() & 4) * 2) as usize]
}

#[inline]
pub(super) fn black_to_move() -> u64 {
    ZOBRIST.black_to_move
}
