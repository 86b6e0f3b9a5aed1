//! All turns of a roll: `cargo run --example turns -- "<DFEN with dice>"`.

use astragal::board::{DfenError, Rolled};
use astragal::rules::{legal_turns, outcomes};

/// The position if none is given: the start with a pawn, a knight and a bishop die.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";

fn main() -> Result<(), DfenError> {
    let dfen = std::env::args().nth(1).unwrap_or_else(|| START.to_owned());
    let rolled = Rolled::from_dfen(&dfen)?;
    for turn in legal_turns(&rolled) {
        println!("{turn}");
    }
    let distinct = outcomes(&rolled).distinct.len();
    println!("{} turns, {distinct} distinct positions after them", legal_turns(&rolled).len());
    Ok(())
}
