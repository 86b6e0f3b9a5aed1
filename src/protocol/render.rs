//! Events of a search as lines of output.

use crate::eval::Score;
use crate::search::{Event, Info, Width};
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
    let score = match info.score {
        Score::Equity(equity) => format!("cp {}", equity.centipawns()),
        Score::KingCapture => "mate 1".to_owned(),
    };
    let mut line =
        format!("info depth {} seldepth {} multipv {} score {score}", info.depth, info.seldepth, info.multipv);
    // Writing to a string cannot fail.
    if show_wdl {
        let [win, draw, loss] = info.score.equity().win_draw_loss();
        let _ = write!(line, " wdl {win} {draw} {loss}");
    }
    let _ = write!(line, " {}", effort(info.nodes, elapsed));
    if let Some(thousandths) = info.hashfull {
        let _ = write!(line, " hashfull {thousandths}");
    }
    if let Some(turn) = info.turn {
        let _ = write!(line, " pv {turn}");
    }
    line
}

fn effort(nodes: u64, elapsed: Duration) -> String {
    format!("nodes {nodes} nps {} time {}", per_second(nodes, elapsed), elapsed.as_millis())
}

/// Nodes a second; 0 before any time has passed.
pub(super) fn per_second(nodes: u64, elapsed: Duration) -> u64 {
    let seconds = elapsed.as_secs_f64();
    if seconds > 0.0 { (nodes as f64 / seconds) as u64 } else { 0 }
}
