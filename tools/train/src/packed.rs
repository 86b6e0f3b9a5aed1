//! Positions of games with what is known of them, as packed records of 48 bytes.
//!
//! A file is a header of 48 bytes and records of 48 bytes, whole games in the order of their numbers. All numbers are
//! little-endian. The header: `ASTRAGAL POSITION` with 15 zero bytes after it (32 bytes), the version (u32, now 1), the
//! seed of the games (u64), the share of them (u16 number, u16 of how many). A record:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | the occupied squares as a bit board, a1 the lowest bit, h1 the eighth |
//! | 8..24 | their pieces in that order, a nibble each, the low nibble first: 0 to 5 for P N B R Q K, and 8 for Black |
//! | 24 | bit 0: Black rolls; bits 1 to 4: castling rights K Q k q |
//! | 25 | the files of the living en passant targets, a-file the lowest bit |
//! | 26 | the half-move clock |
//! | 27 | the weight, of 216, of the rolls that capture the king |
//! | 28 | the result of the game for the side to roll, −1, 0 or 1 (i8); 0 for a game that was broken off |
//! | 29 | bit 0: the last record of its game; bits 1 and up: [`Source`] |
//! | 30..32 | the number of the turn in its game, from 0 (u16) |
//! | 32..36 | what the evaluation that played says of the position, as an equity (f32) |
//! | 36..40 | what it says one turn deeper: the mean over all rolls of the best turn (f32) |
//! | 40..44 | the number of the game (u32) |
//! | 44..48 | 0 |

use crate::placement::placement;
use astragal::board::{Bitboard, CastlingSide, Color, PieceType, Position, Rolled};
use std::fmt::Write;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

/// The bytes of a record, and of the header.
pub const SIZE: usize = 48;

const MAGIC: &[u8; 17] = b"ASTRAGAL POSITION";
const VERSION: u32 = 1;

/// Where a game began, and how it was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The start position and some random turns.
    Start = 0,
    /// A made ending.
    Ending = 1,
    /// The start position, and turns of the opening book as long as it has any.
    Book = 2,
    /// The start position and some random turns, then play two turns deep.
    TwoTurns = 3,
}

impl Source {
    /// All of them, by their numbers.
    pub const ALL: [Self; 4] = [Self::Start, Self::Ending, Self::Book, Self::TwoTurns];

    /// What it is called in sets of decisions and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Ending => "ending",
            Self::Book => "book",
            Self::TwoTurns => "two turns deep",
        }
    }
}

/// What is recorded of a position before its roll.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    pub position: Position,
    pub captures: u8,
    pub result: i8,
    pub last: bool,
    pub source: Source,
    pub turn: u16,
    pub value: f32,
    pub deeper: f32,
    pub game: u32,
}

/// A file that is none of packed records.
#[derive(Debug, thiserror::Error)]
pub enum PackedError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: not a file of packed positions of version {VERSION}", path.display())]
    Header { path: PathBuf },
    #[error("{}, record {record}: not a position", path.display())]
    Record { path: PathBuf, record: u64 },
}

/// The header of a file of games with this seed and share.
pub fn header(seed: u64, share: (u16, u16)) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[32..36].copy_from_slice(&VERSION.to_le_bytes());
    bytes[36..44].copy_from_slice(&seed.to_le_bytes());
    bytes[44..46].copy_from_slice(&share.0.to_le_bytes());
    bytes[46..48].copy_from_slice(&share.1.to_le_bytes());
    bytes
}

fn is_header(bytes: &[u8; SIZE]) -> bool {
    bytes.starts_with(MAGIC) && bytes[32..36] == VERSION.to_le_bytes()
}

impl Sample {
    /// The record.
    pub fn pack(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        let position = &self.position;
        bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
        for (number, square) in position.occupied().enumerate() {
            // An occupied square has a piece.
            let (color, kind) = position.piece_at(square).unwrap_or((Color::White, PieceType::Pawn));
            let code = kind.index() as u8 | if color == Color::Black { 8 } else { 0 };
            bytes[8 + number / 2] |= code << (4 * (number % 2));
        }
        let rights = CastlingSide::ALL.iter().enumerate();
        let castling: u8 = rights.filter(|(_, side)| position.castling().has(side)).map(|(bit, _)| 2 << bit).sum();
        bytes[24] = castling | u8::from(position.side() == Color::Black);
        bytes[25] = position.targets().fold(0, |files, target| files | 1 << target.file());
        bytes[26] = position.halfmove().min(255) as u8;
        bytes[27] = self.captures;
        bytes[28] = self.result as u8;
        bytes[29] = u8::from(self.last) | (self.source as u8) << 1;
        bytes[30..32].copy_from_slice(&self.turn.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.value.to_le_bytes());
        bytes[36..40].copy_from_slice(&self.deeper.to_le_bytes());
        bytes[40..44].copy_from_slice(&self.game.to_le_bytes());
        bytes
    }

    /// What a record says; `None` if it says nothing that can be.
    pub fn unpack(bytes: &[u8; SIZE]) -> Option<Self> {
        let number = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let float = |at: usize| Some(f32::from_bits(number(at))).filter(|value| (-1.0..=1.0).contains(value));
        let result = bytes[28] as i8;
        let source = *Source::ALL.get(usize::from(bytes[29] >> 1))?;
        (bytes[27] <= 216 && (-1..=1).contains(&result)).then_some(())?;
        Some(Self {
            position: position(bytes)?,
            captures: bytes[27],
            result,
            last: bytes[29] & 1 == 1,
            source,
            turn: u16::from_le_bytes([bytes[30], bytes[31]]),
            value: float(32)?,
            deeper: float(36)?,
            game: number(40),
        })
    }
}

/// The position of a record. It is read as a DFEN, so that what is checked there is checked here.
fn position(bytes: &[u8; SIZE]) -> Option<Position> {
    let occupied = Bitboard(u64::from_le_bytes(bytes[..8].try_into().ok()?));
    (occupied.count() <= 32).then_some(())?;
    let mut board = [None; 64];
    for (number, square) in occupied.enumerate() {
        let code = bytes[8 + number / 2] >> (4 * (number % 2)) & 15;
        let letter = *b"PNBRQK".get(usize::from(code & 7))?;
        board[square.index()] = Some(if code & 8 == 0 { letter } else { letter.to_ascii_lowercase() });
    }
    let mut dfen = placement(&board);
    let black = bytes[24] & 1 == 1;
    dfen.push_str(if black { " b " } else { " w " });
    let rights = CastlingSide::ALL.iter().enumerate().filter(|(bit, _)| bytes[24] >> (bit + 1) & 1 == 1);
    let before = dfen.len();
    dfen.extend(rights.map(|(_, side)| char::from(side.letter)));
    if dfen.len() == before {
        dfen.push('-');
    }
    dfen.push(' ');
    let files = (0..8).filter(|file| bytes[25] >> file & 1 == 1);
    let before = dfen.len();
    for file in files {
        dfen.push(char::from(b'a' + file));
        dfen.push(if black { '3' } else { '6' });
    }
    if dfen.len() == before {
        dfen.push('-');
    }
    let _ = write!(dfen, " {} 1 -", bytes[26]);
    Rolled::from_dfen(&dfen).ok().map(|rolled| rolled.position)
}

/// Calls `visit` for each record of a file, in order. A record that is cut off at the end (the program that wrote it was
/// killed) is left out.
pub fn read(path: &Path, mut visit: impl FnMut(Sample)) -> Result<(), PackedError> {
    let wrong = |source| PackedError::Io { path: path.to_owned(), source };
    let mut file = BufReader::with_capacity(1 << 20, std::fs::File::open(path).map_err(wrong)?);
    let mut bytes = [0; SIZE];
    file.read_exact(&mut bytes).map_err(|_| PackedError::Header { path: path.to_owned() })?;
    if !is_header(&bytes) {
        return Err(PackedError::Header { path: path.to_owned() });
    }
    for record in 0.. {
        match file.read_exact(&mut bytes) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(wrong(error)),
        }
        visit(Sample::unpack(&bytes).ok_or_else(|| PackedError::Record { path: path.to_owned(), record })?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for dfen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 1 -",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6f6 0 1 -",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 99 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position;
            for source in Source::ALL {
                let sample = Sample {
                    position,
                    captures: 91,
                    result: -1,
                    last: true,
                    source,
                    turn: 300,
                    value: -0.25,
                    deeper: 0.75,
                    game: 123_456_789,
                };
                assert_eq!(Sample::unpack(&sample.pack()), Some(sample), "{dfen}");
            }
        }
    }

    #[test]
    fn records_that_cannot_be_are_refused() {
        let position = Rolled::from_dfen("4k3/8/8/8/8/8/8/4K3 w - - 0 1 -").unwrap().position;
        let (source, value) = (Source::Start, 0.0);
        let sample =
            Sample { position, captures: 0, result: 0, last: false, source, turn: 0, value, deeper: 0.0, game: 0 };
        let good = sample.pack();
        assert!(Sample::unpack(&good).is_some());
        for (at, byte) in [(0, 0xff), (1, 0xff), (8, 7), (8, 0), (26, 255), (27, 217), (28, 2), (29, 8), (35, 0x7f)] {
            let mut bad = good;
            bad[at] = byte;
            let found = Sample::unpack(&bad);
            // A half-move clock of 255 is none that a game reaches, but a position of the rules.
            assert_eq!(found.is_some(), at == 26, "{at} {byte}: {found:?}");
        }
    }
}
