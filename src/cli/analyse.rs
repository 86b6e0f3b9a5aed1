//! `astragal analyse`.

use super::Done;
use super::output::{Output, json_line};
use super::source::{Source, next_line};
use super::watch::Watcher;
use crate::board::Rolled;
use crate::record::escaped;
use crate::report::{CubeQuestion, analysis_json, analysis_text};
use crate::review::{Analyser, CubeOwner};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Tells what positions are worth: the best turns of a roll, or the 56 rolls with what to do about the cube and a draw.
#[derive(Args)]
pub(super) struct Analyse {
    /// Positions as DFEN, each in quotes; without dice for all rolls.
    dfen: Vec<String>,
    /// A file with a position a line; `-` reads standard input. Empty lines and those that begin with # are passed over.
    #[arg(long, conflicts_with = "dfen", required_unless_present = "dfen")]
    file: Option<PathBuf>,
    /// Turns to look ahead.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::search::MOST_DEPTH)))]
    depth: u32,
    /// So many of the best turns.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    lines: u16,
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Write JSON, a line a position.
    #[arg(long)]
    json: bool,
    /// Who may double: centre (either), mine (the side to move) or theirs.
    #[arg(long, default_value_t)]
    cube: CubeOwner,
    /// What the game is worth now, in points.
    #[arg(long, default_value_t = 1.0, value_parser = stake)]
    stake: f64,
    /// Janowski's efficiency of the cube: 0 a dead one, 1 a live one.
    #[arg(long, default_value_t = 0.0, value_parser = efficiency)]
    efficiency: f64,
}

/// More bytes than a position has.
const MOST_LINE_BYTES: usize = 4096;

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (least..=most).contains(&value) => Ok(value),
        _ => Err(format!("say a number from {least} to {most}")),
    }
}

fn stake(text: &str) -> Result<f64, String> {
    number(text, 0.001, 1e9)
}

fn efficiency(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0)
}

impl Analyse {
    /// Writes the analyses; progress and bad positions go to standard error.
    pub(super) fn run(mut self) -> Result<Done, String> {
        let given = std::mem::take(&mut self.dfen);
        let source = self.file.as_deref().map(Source::open).transpose()?;
        let (size, taken) = source.as_ref().map_or((None, Default::default()), |it| (it.size, it.taken()));
        let watcher = Watcher::new(None, size, taken)?;
        let mut work = Work::new(&self, watcher);
        match source {
            None => {
                let count = given.len();
                work.watcher.begin("position".to_owned(), count);
                for (line, dfen) in (1..).zip(&given) {
                    if !work.goes_on() {
                        break;
                    }
                    work.position(line, dfen)?;
                }
            }
            Some(mut source) => {
                let name = source.name.clone();
                let mut line = 0;
                while work.goes_on() {
                    let Some(text) =
                        next_line(&mut source, MOST_LINE_BYTES).map_err(|error| format!("{name}: {error}"))?
                    else {
                        break;
                    };
                    line += 1;
                    work.watcher.begin(format!("{name}, line {line}, position"), 1);
                    match text {
                        Ok(text) if text.trim().is_empty() || text.starts_with('#') => {}
                        Ok(text) => work.position(line, &text)?,
                        Err(length) => work.bad(line, &format!("{length} bytes are too long for a position")),
                    }
                }
            }
        }
        Ok(match work.bad {
            _ if work.watcher.is_ended() => Done::Interrupted,
            0 => Done::All,
            _ => Done::Partly,
        })
    }
}

/// Positions that are being analysed.
struct Work {
    analyser: Analyser,
    question: CubeQuestion,
    json: bool,
    watcher: Watcher,
    output: Output,
    bad: u64,
    written: u64,
}

impl Work {
    fn new(asked: &Analyse, watcher: Watcher) -> Self {
        Self {
            analyser: Analyser::new(asked.depth, usize::from(asked.lines), super::threads(asked.threads)),
            question: CubeQuestion { owner: asked.cube, stake: asked.stake, efficiency: asked.efficiency },
            json: asked.json,
            watcher,
            output: Output::new(),
            bad: 0,
            written: 0,
        }
    }

    fn goes_on(&self) -> bool {
        !self.watcher.is_ended() && !self.output.closed
    }

    fn bad(&mut self, line: usize, what: &str) {
        eprintln!("astragal: line {line}: {}", escaped(what, 300));
        self.bad += 1;
    }

    fn position(&mut self, line: usize, dfen: &str) -> Result<(), String> {
        let rolled = match Rolled::from_dfen(dfen.trim()) {
            Ok(rolled) => rolled,
            Err(error) => {
                self.bad(line, &format!("{}: {error}", error.field()));
                return Ok(());
            }
        };
        match rolled.dice.len() {
            0 | 3 => {}
            count => {
                self.bad(line, &format!("dice: {count}, and a roll has three"));
                return Ok(());
            }
        }
        if rolled.position.is_drawn() {
            self.bad(line, "the game is drawn by the half-move clock");
            return Ok(());
        }
        let Some(analysis) = self.analyser.analyse(&rolled, Some(self.watcher.signal())) else {
            if !self.watcher.is_ended() {
                self.bad(line, "it has no analysis");
            }
            return Ok(());
        };
        self.watcher.piece_done();
        let text = if self.json {
            json_line(&analysis_json(&analysis, line, &self.question))?
        } else {
            format!("{}{}", if self.written == 0 { "" } else { "\n" }, analysis_text(&analysis, &self.question))
        };
        self.written += 1;
        self.output.write(&text)
    }
}
