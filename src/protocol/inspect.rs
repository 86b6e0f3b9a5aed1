//! The commands beside UCI that look at a position: `d`, `eval`, `perft`, `kcp`, `budget`.

use super::go::Go;
use super::options::Options;
use super::output::Output;
use crate::board::{Position, Rolled};
use crate::eval::{Equity, EvalTerms, king_capture_probability};
use crate::rules::{Roll, count_deep, count_position, count_roll, legal_turns, winning_rolls};
use crate::time::{Allotment, ClockState, StopCheck, StopSignal};

/// `d`: the board, then the canonical DFEN.
pub(super) fn display(rolled: &Rolled) -> String {
    format!("{}\n\ndfen {rolled}", rolled.position.diagram())
}

/// `kcp`: the exact probability that the side to move captures the king with its next roll.
pub(super) fn king_capture(position: &Position) -> String {
    let weight = winning_rolls(position).weight();
    format!("kcp {weight}/{} {:.6}", Roll::TOTAL_WEIGHT, king_capture_probability(position))
}

/// What the clock words of `go` come to for the side to move, or `None` when no time is given. `last_book_move` is the
/// full-move number of the last turn from a book, 0 if there was none.
pub(super) fn allot(go: &Go, position: &Position, options: &Options, last_book_move: u32) -> Option<Allotment> {
    let side = position.side().index();
    let move_number = position.fullmove();
    // A book turn that is not behind us belongs to another game.
    let last_book_move = if last_book_move < move_number { last_book_move } else { 0 };
    let clock = go.time[side].map(|remaining_ms| ClockState {
        remaining_ms,
        increment_ms: go.increment[side],
        delay_ms: go.delay[side],
        move_number,
        moves_to_go: go.moves_to_go,
        turns_out_of_book: move_number.saturating_sub(last_book_move + 1),
    });
    options.time_rules().allot(clock.as_ref(), go.move_time)
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

/// `eval`: the terms of the evaluation of a position before its roll, and what they come to.
pub(super) fn eval(position: &Position) -> String {
    let terms = EvalTerms::of(position);
    let mut lines = Vec::new();
    for (name, [white, black]) in terms.by_side() {
        lines.push(format!("eval {name} white {white} black {black}"));
    }
    lines.push(format!("eval tempo {}", terms.tempo));
    lines.push(format!("eval quiet cp {} equity {:+.6}", terms.quiet(), terms.quiet_equity().value()));
    lines.push(format!("eval capture {}/{}", terms.capturing, Roll::TOTAL_WEIGHT));
    let side = position.side().letter();
    let drawn = if position.is_drawn() { " drawn" } else { "" };
    let total = |equity: Equity| format!("side {side} cp {} equity {:+.6}{drawn}", equity.centipawns(), equity.value());
    lines.push(format!("eval total {}", total(terms.equity())));
    lines.push(format!("eval network correction {} {}", terms.network, total(terms.network_equity())));
    lines.join("\n")
}

/// Far more turns than anybody waits for. The count goes down one call a turn, and passes make no game longer: without
/// a bound it could run out of stack.
pub(super) const DEEPEST_PERFT: u32 = 64;

/// `perft`: turns and outcomes of the roll, or of all 56; the totals only beyond depth 1. Returns the last line, which is
/// yet to be written.
pub(super) fn perft(rolled: &Rolled, depth: u32, stop: &StopSignal, output: &Output) -> String {
    let stopped = || "info string perft stopped".to_owned();
    let mut complete = true;
    let mut go_on = || {
        complete = !stop.should_stop() && !output.is_closed();
        complete
    };
    if depth > 1 {
        let count = count_deep(rolled, depth, &mut go_on);
        let (turns, outcomes, captures) = (count.total.turns, count.total.outcomes, count.total.captures);
        if count.incomplete || !complete {
            return stopped();
        }
        return format!("perft depth {depth} turns {turns} outcomes {outcomes} captures {captures}");
    }
    if rolled.dice.is_empty() {
        let (counts, weight) = count_position(&rolled.position, &mut go_on);
        if !complete {
            return stopped();
        }
        let (mut turns, mut outcomes) = (0, 0);
        for (roll, count) in counts {
            output.line(&format!("roll {roll} turns {} outcomes {}", count.turns, count.outcomes));
            turns += count.turns;
            outcomes += count.outcomes;
        }
        return format!("perft turns {turns} outcomes {outcomes} capture {weight}/{}", Roll::TOTAL_WEIGHT);
    }
    let count = count_roll(rolled, &mut go_on);
    if !complete {
        return stopped();
    }
    for turns in legal_turns(rolled).chunks(LINES_AT_ONCE) {
        let lines: Vec<String> = turns.iter().map(|turn| format!("turn {turn}")).collect();
        output.line(&lines.join("\n"));
    }
    format!("perft turns {} outcomes {} captures {}", count.turns, count.outcomes, count.captures)
}

/// Lines written with one call.
const LINES_AT_ONCE: usize = 256;
