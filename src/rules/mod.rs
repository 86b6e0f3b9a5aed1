//! The rules of Dice Chess: rolls, micro-moves, legal turns, the distinct outcomes of a roll, whole chance nodes,
//! the rolls that capture the king or a queen, and perft.
//!
//! This module knows what is legal. It does not know what is good, and it never rolls dice itself; the random
//! choices of those that do come from [`decision_rng`].
//!
//! ```
//! use astragal::board::Rolled;
//! use astragal::rules::{Roll, TurnEnd, apply_roll, legal_turns, outcomes, winning_rolls};
//!
//! let rolled = Rolled::from_dfen("7k/8/8/8/8/8/8/K6R w - - 0 1 RKK")?;
//! // Every turn, and the distinct positions that they lead to.
//! let found = outcomes(&rolled);
//! assert!(found.distinct.len() < legal_turns(&rolled).len());
//! // The rook can take the king on h8, with the one R die.
//! let turn = found.king_capture.expect("h1h8 takes the king");
//! assert_eq!(turn.to_string(), "h1h8");
//! assert_eq!(apply_roll(&rolled, turn), Ok(TurnEnd::KingCaptured));
//! // It can with every roll that shows an R: 91 of 216 throws.
//! assert_eq!(winning_rolls(&rolled.position).weight(), 91);
//! assert_eq!(Roll::TOTAL_WEIGHT, 216);
//! # Ok::<(), astragal::board::DfenError>(())
//! ```

mod apply;
mod chance;
mod key_map;
mod king_capture;
mod moves;
mod outcomes;
mod perft;
mod rng;
mod roll;
mod step;
mod turn;
mod turns;

pub use apply::{TurnEnd, TurnError, apply_roll, apply_unrolled, most_dice, replay};
pub use chance::{ChanceNode, Leaf};
pub use key_map::KeyMap;
pub use king_capture::{king_attackers, queen_winning_rolls, winning_rolls, winning_rolls_below};
pub use moves::{castling_moves, destinations, micro_moves};
pub use outcomes::{Outcome, Outcomes, outcomes, outcomes_while};
pub use perft::{DeepCount, RollCount, count_deep, count_position, count_roll};
pub use rng::{below, decision_rng};
pub use roll::{Roll, RollSet};
pub use turn::{Turn, TurnTextError};
pub use turns::{first_capturing_turn, first_legal_turn, legal_turns, visit_legal_turns};
