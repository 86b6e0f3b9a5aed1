//! What is said of a turn in the comments of a text record.

use crate::review::TurnReview;
use std::fmt::Write;

/// The remark of a turn, in one line: its mark and loss with the better turn, the luck of the roll, the equity before it.
///
/// It holds no brace, and nothing of it is read again: a record with it is the game that it was without.
pub fn remark(turn: &TurnReview) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(decision) = &turn.decision {
        if decision.is_forced() {
            text.push_str("forced; ");
        } else if decision.loss() > 0.0 {
            if let Some(mark) = decision.mark() {
                let _ = write!(text, "{mark} ");
            }
            if decision.missed_capture {
                text.push_str("the king could be captured; ");
            }
            let _ = write!(text, "loss {:.3}, best {}; ", decision.loss(), decision.best);
        }
    }
    let _ = write!(text, "luck {:+.3}, equity {:+.3}", turn.luck, turn.equity);
    text
}
