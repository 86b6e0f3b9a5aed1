//! Events of a search as lines of output.

use crate::eval::Score;
use crate::search::{Event, Info, RollInfo, RolloutInfo, Width};
use std::fmt::Write;
use std::time::Duration;

/// The line for an event. `show_wdl` adds wins, draws and losses in thousand games.
pub(super) fn event(event: &Event, elapsed: Duration, show_wdl: bool) -> String {
    match event {
        Event::Info(info) => info_line(info, elapsed, show_wdl),
        Event::Current { depth, turn, number, nodes } => {
            format!("info depth {depth} currmove {turn} currmovenumber {number} {}", effort(*nodes, elapsed))
        }
        Event::Book { turn, weight, entries } => {
            format!("info string book turn {turn} weight {weight} entries {entries}")
        }
        Event::Roll(roll) => roll_line(roll, show_wdl),
        Event::Rollout(rollout) => rollout_line(rollout),
        Event::Width(width) => {
            let Width { turns, outcomes, selected, completed, abandoned, fell_back } = width;
            let fell_back = if *fell_back { " fell back to the pre-ranker" } else { "" };
            format!(
                "info string width turns {turns} outcomes {outcomes} selected {selected} completed {completed} \
                 abandoned {abandoned}{fell_back}"
            )
        }
        Event::Note(text) => format!("info string {}", one_line(text)),
    }
}

/// A remark is one line whatever is in it: the name of a file may hold anything.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace(char::is_control, "\u{fffd}")
}

fn info_line(info: &Info, elapsed: Duration, show_wdl: bool) -> String {
    let score = score(info.score, show_wdl);
    let mut line = format!("info depth {} seldepth {} multipv {} {score}", info.depth, info.seldepth, info.multipv);
    // Writing to a string cannot fail.
    let _ = write!(line, " {}", effort(info.nodes, elapsed));
    if let Some(thousandths) = info.hashfull {
        let _ = write!(line, " hashfull {thousandths}");
    }
    if let Some(turn) = info.turn {
        let _ = write!(line, " pv {turn}");
    }
    line
}

fn score(score: Score, show_wdl: bool) -> String {
    let mut text = match score {
        Score::Equity(_) | Score::Drawn => format!("score cp {}", score.equity().centipawns()),
        Score::KingCapture => "score mate 1".to_owned(),
    };
    if show_wdl {
        let [win, draw, loss] = score.win_draw_loss();
        // Writing to a string cannot fail.
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    text
}

fn roll_line(line: &RollInfo, show_wdl: bool) -> String {
    let RollInfo { roll, depth, turn, .. } = line;
    format!("info string roll {roll} weight {} depth {depth} {} pv {turn}", roll.weight(), score(line.score, show_wdl))
}

fn rollout_line(line: &RolloutInfo) -> String {
    let what = line.turn.map_or_else(String::new, |turn| format!(" turn {turn}"));
    // Nothing is known of the error after one game; 2 is the width of all equities.
    let (error, plain_error) = (line.error.min(2.0), line.plain_error.min(2.0));
    format!(
        "info string rollout{what} games {} equity {:+.4} se {error:.4} plain {:+.4} plainse {plain_error:.4}",
        line.games,
        line.equity.value(),
        line.plain.value(),
    )
}

fn effort(nodes: u64, elapsed: Duration) -> String {
    format!("nodes {nodes} nps {} time {}", per_second(nodes, elapsed), elapsed.as_millis())
}

/// Nodes a second; 0 before any time has passed.
pub(super) fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    let seconds = elapsed.as_secs_f64();
    if seconds > 0.0 { (nodes as f64 / seconds) as u64 } else { 0 }
}
