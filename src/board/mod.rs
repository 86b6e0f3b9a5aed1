//! The board: squares, pieces, bitboards, attacks, positions, DFEN and hashing.
//!
//! This module knows how pieces stand and move one at a time. It knows nothing of dice policy (which dice may be
//! played, and how many), of search or of time.
//!
//! ```
//! use astragal::board::{Color, PieceType, Rolled, STARTPOS};
//!
//! let start = Rolled::from_dfen(STARTPOS)?;
//! let position = start.position;
//! assert_eq!(position.side(), Color::White);
//! assert_eq!(position.pieces(Color::White, PieceType::Pawn).count(), 8);
//! assert_eq!(position.king(Color::Black).to_string(), "e8");
//! // The text of a position is canonical: it reads back to itself.
//! assert_eq!(start.to_string(), STARTPOS);
//! // What is no position is told with the field at fault.
//! let error = Rolled::from_dfen("8/8/8/8/8/8/8/8 w - - 0 1 -").unwrap_err();
//! assert_eq!(error.field().to_string(), "placement");
//! # Ok::<(), astragal::board::DfenError>(())
//! ```

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
