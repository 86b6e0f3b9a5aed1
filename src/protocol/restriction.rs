//! `searchmoves`: which of the turns given can be played, and what to say of the others.

use crate::rules::apply_roll;
use crate::search::Task;
use crate::time::{StopCheck, StopSignal};

/// Turns that are named one by one; of more only the number is told.
const NAMED: usize = 20;

/// Leaves only the legal turns in the restriction of a task, and says what is wrong with each of the others; no turn at
/// all is no restriction. Once the signal is raised the rest of the turns are taken as they are, for a search skips what
/// is not legal.
pub(super) fn restrict(task: &mut Task, stop: &StopSignal, mut error: impl FnMut(&str)) {
    if task.search_moves.is_empty() {
        return;
    }
    if task.rolled.dice.is_empty() {
        error("searchmoves: there are no dice to play, so they do not matter");
        task.search_moves.clear();
        return;
    }
    let rolled = task.rolled;
    let mut wrong = 0;
    let mut stopped = false;
    task.search_moves.retain(|&mut turn| {
        stopped = stopped || stop.should_stop();
        if stopped {
            return true;
        }
        let Err(problem) = apply_roll(&rolled, turn) else { return true };
        wrong += 1;
        if wrong <= NAMED {
            error(&format!("searchmoves: '{turn}' is skipped: {problem}"));
        }
        false
    });
    if wrong > NAMED {
        error(&format!("searchmoves: {} more turns are skipped", wrong - NAMED));
    }
    if task.search_moves.is_empty() {
        error("searchmoves: no turn is left, so all are looked at");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};
    use crate::rules::Turn;

    /// What is left of these turns for the roll P, N, B, and what is said.
    fn restricted(turns: &str, dice: &str, stop: &StopSignal) -> (Vec<String>, Vec<String>) {
        let dfen = STARTPOS.replace(" 1 -", &format!(" 1 {dice}"));
        let mut task = Task::new(Rolled::from_dfen(&dfen).expect("the starting position"));
        task.search_moves = turns.split(' ').map(|turn| turn.parse::<Turn>().expect("a turn")).collect();
        let mut errors = Vec::new();
        restrict(&mut task, stop, |error| errors.push(error.to_owned()));
        (task.search_moves.iter().map(Turn::to_string).collect(), errors)
    }

    #[test]
    fn legal_turns_are_left_and_the_others_told() {
        let (left, errors) = restricted("e2e4,f1b5,b1c3 e2e5 b1c3,e2e4,f1b5 g1f3", "PNB", &StopSignal::new());
        assert_eq!(left, ["e2e4,f1b5,b1c3", "b1c3,e2e4,f1b5"]);
        assert!(errors.len() == 2 && errors[0].starts_with("searchmoves: 'e2e5' is skipped: "), "{errors:?}");
        assert!(errors[1].starts_with("searchmoves: 'g1f3' is skipped: the turn uses 1 dice"), "{errors:?}");
    }

    #[test]
    fn without_a_legal_turn_there_is_no_restriction() {
        let (left, errors) = restricted("e2e5", "PNB", &StopSignal::new());
        assert!(left.is_empty() && errors.len() == 2 && errors[1].ends_with("all are looked at"), "{errors:?}");
        let (left, errors) = restricted("e2e4", "-", &StopSignal::new());
        assert!(left.is_empty() && errors.len() == 1, "{errors:?}");
    }

    #[test]
    fn of_many_only_the_number_is_told() {
        let (_, errors) = restricted(&["e2e5"; 50].join(" "), "PNB", &StopSignal::new());
        assert_eq!(errors.len(), NAMED + 2);
        assert_eq!(errors[NAMED], "searchmoves: 30 more turns are skipped");
    }

    #[test]
    fn a_stop_leaves_the_rest_to_the_search() {
        let stop = StopSignal::new();
        stop.raise();
        let (left, errors) = restricted("e2e5 e2e4", "PNB", &stop);
        assert!(left.len() == 2 && errors.is_empty(), "{errors:?}");
    }
}
