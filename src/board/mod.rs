//! The board: squares, pieces, bitboards, attacks, positions, DFEN and hashing.
//!
//! This room knows how pieces stand and move one at a time. It knows nothing of dice policy (which dice may be
//! played, and how many), of search or of time.

pub mod attacks;
mod bitboard;
mod castling;
mod dfen;
mod dice;
mod display;
mod end_keys;
mod micro_move;
mod piece;
mod position;
mod square;
mod targets;
mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, CastlingSide};
pub use dfen::{DfenError, DfenField, STARTPOS};
pub use dice::{Dice, DiceError};
pub use end_keys::{EndKeys, EndKeysFrom};
pub use micro_move::{MicroMove, MicroMoveError};
pub use piece::{Color, PieceType};
pub use position::{Position, Rolled};
pub use square::Square;
