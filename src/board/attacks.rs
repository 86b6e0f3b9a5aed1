//! Where pieces attack: step tables, and sliding attacks by hyperbola quintessence.
//!
//! Sliding attacks need no large tables (the whole of it fits the first-level cache), which matters more here than in
//! chess: a chance node touches thousands of positions with little else in between. The method, `o ^ (o − r)` on the
//! masked line and on its mirror image, is described by G. Osborne and A. Ludviksson; on ranks, where a byte swap does
//! not mirror, a 512-byte table is used.

use super::{Bitboard, Color, PieceType, Square};

const KNIGHT_STEPS: [(i8, i8); 8] = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)];
const KING_STEPS: [(i8, i8); 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];

const fn step_bit(square: usize, files: i8, ranks: i8) -> u64 {
    let file = (square % 8) as i8 + files;
    let rank = (square / 8) as i8 + ranks;
    if 0 <= file && file < 8 && 0 <= rank && rank < 8 { 1 << (file + 8 * rank) } else { 0 }
}

const fn step_table(steps: &[(i8, i8)]) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            table[square] |= step_bit(square, steps[i].0, steps[i].1);
            i += 1;
        }
        square += 1;
    }
    table
}

const fn line_table(files: i8, ranks: i8) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut distance = 1;
        while distance < 8 {
            table[square] |= step_bit(square, files * distance, ranks * distance);
            table[square] |= step_bit(square, -files * distance, -ranks * distance);
            distance += 1;
        }
        square += 1;
    }
    table
}

/// `RANK_ATTACKS[file + 8 * inner]`: the files attacked along a rank, by the six inner squares that are occupied.
const fn rank_table() -> [u8; 512] {
    let mut table = [0; 512];
    let mut inner = 0;
    while inner < 64 {
        let occupied = (inner as u8) << 1;
        let mut file = 0;
        while file < 8 {
            let mut attacks = 0u8;
            let mut at = file as i8 + 1;
            while at < 8 {
                attacks |= 1 << at;
                if occupied >> at & 1 != 0 {
                    break;
                }
                at += 1;
            }
            at = file as i8 - 1;
            while at >= 0 {
                attacks |= 1 << at;
                if occupied >> at & 1 != 0 {
                    break;
                }
                at -= 1;
            }
            table[file + 8 * inner] = attacks;
            file += 1;
        }
        inner += 1;
    }
    table
}

const fn between_table() -> [[u64; 64]; 64] {
    let mut table = [[0; 64]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (files, ranks) = KING_STEPS[direction];
            let mut passed = 0;
            let mut distance = 1;
            while distance < 8 {
                let bit = step_bit(square, files * distance, ranks * distance);
                if bit == 0 {
                    break;
                }
                table[square][bit.trailing_zeros() as usize] = passed;
                passed |= bit;
                distance += 1;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

static KNIGHT: [u64; 64] = step_table(&KNIGHT_STEPS);
static KING: [u64; 64] = step_table(&KING_STEPS);
static PAWN: [[u64; 64]; 2] = [step_table(&[(-1, 1), (1, 1)]), step_table(&[(-1, -1), (1, -1)])];
static FILES: [u64; 64] = line_table(0, 1);
static DIAGONALS: [u64; 64] = line_table(1, 1);
static ANTI_DIAGONALS: [u64; 64] = line_table(1, -1);
static RANKS: [u8; 512] = rank_table();
static BETWEEN: [[u64; 64]; 64] = between_table();

#[inline]
fn line_attacks(square: Square, occupied: u64, mask: u64) -> u64 {
    let own = 1u64 << square.index();
    let forward = occupied & mask;
    let backward = forward.swap_bytes();
    let up = forward.wrapping_sub(own);
    let down = backward.wrapping_sub(own.swap_bytes());
    (up ^ down.swap_bytes()) & mask
}

#[inline]
fn rank_attacks(square: Square, occupied: u64) -> u64 {
    let shift = square.index() & 56;
    let inner = (occupied >> shift >> 1 & 63) as usize;
    u64::from(RANKS[(square.file() as usize) + 8 * inner]) << shift
}

/// The squares a knight attacks from here.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(KNIGHT[square.index()])
}

/// The squares a king attacks from here.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard(KING[square.index()])
}

/// The squares a pawn of that colour attacks from here; also the squares from which a pawn of the *other* colour
/// attacks this one.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(PAWN[color.index()][square.index()])
}

/// The squares a bishop attacks from here, up to and including the first occupied one on each line.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    let at = square.index();
    Bitboard(line_attacks(square, occupied.0, DIAGONALS[at]) | line_attacks(square, occupied.0, ANTI_DIAGONALS[at]))
}

/// The squares a rook attacks from here, up to and including the first occupied one on each line.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(line_attacks(square, occupied.0, FILES[square.index()]) | rank_attacks(square, occupied.0))
}

/// The squares a queen attacks from here.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// The squares that a piece of that type attacks from here. For a pawn, those it captures on.
#[inline]
pub fn of(kind: PieceType, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceType::Pawn => pawn(color, square),
        PieceType::Knight => knight(square),
        PieceType::Bishop => bishop(square, occupied),
        PieceType::Rook => rook(square, occupied),
        PieceType::Queen => queen(square, occupied),
        PieceType::King => king(square),
    }
}

/// The squares strictly between two squares of one rank, file or diagonal; empty for any other pair.
#[inline]
pub fn between(from: Square, to: Square) -> Bitboard {
    Bitboard(BETWEEN[from.index()][to.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks each line square by square.
    fn slow(square: Square, occupied: u64, steps: &[(i8, i8)]) -> u64 {
        let mut attacks = 0;
        for &(files, ranks) in steps {
            for distance in 1..8 {
                let bit = step_bit(square.index(), files * distance, ranks * distance);
                attacks |= bit;
                if bit == 0 || bit & occupied != 0 {
                    break;
                }
            }
        }
        attacks
    }

    #[test]
    fn sliding_attacks_equal_a_walk_along_the_lines() {
        let mut state = 1u64;
        for _ in 0..2000 {
            // A weak generator is enough to vary the occupancy.
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let occupied = state & state.rotate_left(21);
            for square in Square::all() {
                assert_eq!(rook(square, Bitboard(occupied)).0, slow(square, occupied, &KING_STEPS[..4]));
                assert_eq!(bishop(square, Bitboard(occupied)).0, slow(square, occupied, &KING_STEPS[4..]));
            }
        }
    }

    #[test]
    fn between_is_the_open_interval() {
        let square = |name: &[u8; 2]| Square::parse(name[0], name[1]).expect("a square");
        assert_eq!(between(square(b"a1"), square(b"d4")).count(), 2);
        assert_eq!(between(square(b"h8"), square(b"h1")).count(), 6);
        assert!(between(square(b"a1"), square(b"b3")).is_empty());
        assert!(between(square(b"a1"), square(b"a2")).is_empty());
    }
}
