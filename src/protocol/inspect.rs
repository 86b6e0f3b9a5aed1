//! The commands beside UCI that look at a position: `d`, `perft`, `kcp`, `budget`.

use super::go::Go;
use super::options::Options;
use super::output::Output;
use crate::board::{Position, Rolled};
use crate::eval::king_capture_probability;
use crate::rules::{Roll, count_deep, count_position, count_roll, legal_turns, winning_rolls};
use crate::time::{Bounds, ClockState, StopCheck, StopSignal, TimeBudget, TimeManager};

/// `d`: the board, then the canonical DFEN.
pub(super) fn display(rolled: &Rolled) -> String {
    format!("{}\n\ndfen {rolled}", rolled.position.diagram())
}

/// `kcp`: the exact probability that the side to move captures the king with its next roll.
pub(super) fn king_capture(position: &Position) -> String {
    let weight = winning_rolls(position).weight();
    format!("kcp {weight}/{} {:.6}", Roll::TOTAL_WEIGHT, king_capture_probability(position))
}

/// What the clock tokens of `go` come to for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Allotment {
    /// The budget whose deadline is the earlier one.
    pub budget: TimeBudget,
    /// When the search may and when it must end.
    pub bounds: Bounds,
}

/// The allotment, or `None` when no time is given. `last_book_move` is the full-move number of the last turn from a book,
/// 0 if there was none.
pub(super) fn allot(go: &Go, position: &Position, options: &Options, last_book_move: u32) -> Option<Allotment> {
    let side = position.side().index();
    let move_number = position.fullmove();
    // A book turn that is not behind us belongs to another game.
    let last_book_move = if last_book_move < move_number { last_book_move } else { 0 };
    let overhead = options.move_overhead;
    let by_clock = go.time[side].map(|remaining_ms| {
        let clock = ClockState {
            remaining_ms,
            increment_ms: go.increment[side],
            delay_ms: go.delay[side],
            move_number,
            moves_to_go: go.moves_to_go,
            turns_out_of_book: move_number.saturating_sub(last_book_move + 1),
        };
        let budget = TimeManager::new(options.time_policy).budget(&clock);
        Allotment { budget, bounds: Bounds::of_clock(&budget, remaining_ms, overhead, options.time_use) }
    });
    let by_move_time = go.move_time.map(|ms| {
        let whole = u64::try_from(ms).unwrap_or(0);
        let budget = TimeBudget { target_ms: whole, hard_cap_ms: whole };
        Allotment { budget, bounds: Bounds::of_move_time(ms, overhead) }
    });
    // Whichever ends first.
    by_clock.into_iter().chain(by_move_time).reduce(|clock, move_time| {
        let earlier = if move_time.bounds.deadline_ms < clock.bounds.deadline_ms { move_time } else { clock };
        Allotment { bounds: clock.bounds.and(move_time.bounds), ..earlier }
    })
}

/// `budget`: what `go` with the same words would allot.
pub(super) fn budget(go: &Go, position: &Position, options: &Options, last_book_move: u32) -> String {
    let Some(Allotment { budget, bounds }) = allot(go, position, options, last_book_move) else {
        return "info string error budget: say wtime or btime of the side to move, or movetime".to_owned();
    };
    let soft = bounds.soft_ms.map(|ms| format!(" soft {ms}")).unwrap_or_default();
    format!(
        "budget policy {} target {} hardcap {} deadline {}{soft}",
        options.time_policy, budget.target_ms, budget.hard_cap_ms, bounds.deadline_ms
    )
}

/// Far more turns than anybody waits for. The count goes down one call a turn, and passes make no game longer: without
/// a bound it could run out of stack.
pub(super) const DEEPEST_PERFT: u32 = 64;

/// `perft`: turns and outcomes of the roll, or of all 56; the totals only beyond depth 1.
pub(super) fn perft(rolled: &Rolled, depth: u32, stop: &StopSignal, output: &Output) {
    let mut complete = true;
    let mut go_on = || {
        complete = !stop.should_stop() && !output.is_closed();
        complete
    };
    if depth > 1 {
        let count = count_deep(rolled, depth, &mut go_on);
        let total = count.total;
        if !count.incomplete {
            let (turns, outcomes, captures) = (total.turns, total.outcomes, total.captures);
            output.line(&format!("perft depth {depth} turns {turns} outcomes {outcomes} captures {captures}"));
        }
    } else if rolled.dice.is_empty() {
        let (counts, weight) = count_position(&rolled.position, &mut go_on);
        if complete {
            let (mut turns, mut outcomes) = (0, 0);
            for (roll, count) in counts {
                output.line(&format!("roll {roll} turns {} outcomes {}", count.turns, count.outcomes));
                turns += count.turns;
                outcomes += count.outcomes;
            }
            output.line(&format!("perft turns {turns} outcomes {outcomes} capture {weight}/{}", Roll::TOTAL_WEIGHT));
        }
    } else {
        let count = count_roll(rolled, &mut go_on);
        if complete {
            for turns in legal_turns(rolled).chunks(LINES_AT_ONCE) {
                let lines: Vec<String> = turns.iter().map(|turn| format!("turn {turn}")).collect();
                output.line(&lines.join("\n"));
            }
            let (turns, outcomes, captures) = (count.turns, count.outcomes, count.captures);
            output.line(&format!("perft turns {turns} outcomes {outcomes} captures {captures}"));
        }
    }
    if !complete {
        output.line("info string perft stopped");
    }
}

/// Lines written with one call.
const LINES_AT_ONCE: usize = 256;
