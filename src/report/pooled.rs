//! The players of reviews that were written as JSON before.

use super::json::{GameJson, TurnReviewJson};
use crate::board::{Color, Rolled};
use crate::review::{Played, Pool, SideSummary, Stage};

/// Adds a game to the players, as [`Pool::add`] does with its review.
///
/// # Errors
/// A position of it is none.
pub fn add_to_pool(pool: &mut Pool, game: &GameJson) -> Result<(), String> {
    let side = |side: Color| side_of(&game.turns, side);
    let sides = [side(Color::White)?, side(Color::Black)?];
    pool.add_sides([&game.white, &game.black], &sides, game.account.luck, game.result);
    Ok(())
}

/// The summary of a side: its sums are those of the turns, which the means of a line have lost.
fn side_of(turns: &[TurnReviewJson], side: Color) -> Result<SideSummary, String> {
    let mut summary = SideSummary::default();
    for turn in turns {
        let rolled = Rolled::from_dfen(&turn.dfen).map_err(|error| format!("turn {}: {error}", turn.ply))?;
        if rolled.position.side() != side {
            continue;
        }
        let played = turn.decision.as_ref().map(|decision| Played {
            is_forced: decision.forced,
            loss: decision.loss,
            missed_capture: decision.missed_capture,
        });
        summary.add_turn(turn.luck, Stage::of(rolled.position.occupied().count()), played);
    }
    Ok(summary)
}
