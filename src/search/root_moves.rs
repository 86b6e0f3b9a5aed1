//! The candidates of a decision.

use super::{Event, Info, Reporter, Task};
use crate::board::Rolled;
use crate::rules::{
    KeyMap, Outcome, Roll, Turn, TurnEnd, apply_roll, first_capturing_turn, first_legal_turn, outcomes_while,
    winning_rolls,
};

/// What there is to choose from.
pub(super) enum Root {
    /// A turn that captures the king; nothing is better.
    KingCapture(Turn),
    /// Nothing to choose: no dice, a pass, or a roll too large to list in the time given. The turn is legal.
    Only(Turn),
    /// Distinct outcomes, at least one, and the number of legal turns that lead to them.
    Candidates { outcomes: Vec<Outcome>, turns: u64 },
}

/// Positions that are expanded before the first question whether to stop: more than 99 of 100 rolls need, and done in
/// some ten milliseconds even among thirty queens.
const ALWAYS_EXPANDED: u32 = 500;

/// Lists the candidates of a task. `go_on` is asked on the way, and an exceptionally large list is cut short when it
/// says no.
pub(crate) fn candidates(task: &Task, mut go_on: impl FnMut() -> bool) -> Root {
    let rolled = &task.rolled;
    if rolled.dice.is_empty() {
        return Root::Only(Turn::PASS);
    }
    let restricted = restricted_to(task, &mut go_on);
    if let Some(root) = restricted {
        return root;
    }
    let mut expanded = 0;
    let found = outcomes_while(rolled, || {
        expanded += 1;
        expanded < ALWAYS_EXPANDED || go_on()
    });
    let missed = || if found.incomplete && can_capture(rolled) { first_capturing_turn(rolled) } else { None };
    match found.king_capture.or_else(missed) {
        Some(turn) => Root::KingCapture(turn),
        None if found.distinct.is_empty() => Root::Only(first_legal_turn(rolled)),
        None => Root::Candidates { turns: found.legal_turns(), outcomes: found.distinct },
    }
}

/// The candidates of a task with the number of legal turns, as [`candidates`] lists them; or the turn to answer with
/// where there is nothing to weigh. A capture of the king is reported.
pub(crate) fn candidates_or_answer(
    task: &Task,
    go_on: impl FnMut() -> bool,
    report: &mut Reporter<'_>,
) -> Result<(Vec<Outcome>, u64), Turn> {
    match candidates(task, go_on) {
        Root::Only(turn) => Err(turn),
        Root::KingCapture(turn) => {
            report(Event::Info(Info::king_capture(turn)));
            Err(turn)
        }
        Root::Candidates { outcomes, turns } => Ok((outcomes, turns)),
    }
}

/// Whether the roll can capture the king, so far as three dice tell.
pub(crate) fn can_capture(rolled: &Rolled) -> bool {
    Roll::from_dice(rolled.dice).is_some_and(|roll| winning_rolls(&rolled.position).has(roll))
}

/// The candidates among the turns that the task is restricted to, `None` if it is not or none of them is legal. `go_on`
/// cuts short an exceptionally long restriction, too.
fn restricted_to(task: &Task, mut go_on: impl FnMut() -> bool) -> Option<Root> {
    let mut known = KeyMap::new();
    let mut distinct: Vec<Outcome> = Vec::new();
    for (number, &turn) in (0..).zip(&task.search_moves) {
        if number >= ALWAYS_EXPANDED && !go_on() {
            break;
        }
        match apply_roll(&task.rolled, turn) {
            Ok(TurnEnd::KingCaptured) => return Some(Root::KingCapture(turn)),
            Ok(TurnEnd::Position(position)) => {
                if known.insert(position.key(), 0).is_none() {
                    distinct.push(Outcome { position, turn, ways: 1 });
                }
            }
            Err(_) => {}
        }
    }
    if distinct.is_empty() { None } else { Some(Root::Candidates { turns: distinct.len() as u64, outcomes: distinct }) }
}
