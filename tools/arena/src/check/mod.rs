//! The conformance run over an engine: a table of steps, each with what was sent, what was expected and what was seen.

mod steps;

use crate::cancel::Cancel;
use crate::report::align;
use crate::text::{count, shown};
use astragal::board::Rolled;
use astragal::rules::{Turn, apply_roll};
use astragal_client::{Launch, Pipe, PipeError, kill_all};
use std::time::{Duration, Instant};

/// A step that was done.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    name: &'static str,
    sent: String,
    expected: String,
    /// What was seen, and whether that is good.
    seen: Result<String, String>,
}

/// An engine being checked.
struct Checker {
    launch: Launch,
    pipe: Pipe,
    patience: Duration,
    cancel: Cancel,
    steps: Vec<Step>,
}

/// Runs the check; returns the table and whether every step was passed.
///
/// # Errors
/// The command is no command, or the engine cannot be started.
pub fn check(command: &str, patience_seconds: f64) -> Result<(String, bool), String> {
    let command = command.strip_prefix("cmd:").unwrap_or(command);
    let words = shlex::split(command).ok_or("a quote in the command is not closed")?;
    if words.first().is_none_or(String::is_empty) {
        return Err("there is no engine to check; say its path".to_owned());
    }
    let cancel = Cancel::new();
    let raised = cancel.clone();
    let handler = move || {
        if raised.raise() {
            kill_all();
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| format!("Ctrl-C cannot be caught: {error}"))?;
    let launch = Launch::new(words);
    let pipe = Pipe::spawn(&launch)?;
    let patience = Duration::from_secs_f64(patience_seconds);
    let mut checker = Checker { launch, pipe, patience, cancel, steps: Vec::new() };
    steps::all(&mut checker);
    let sound = checker.steps.iter().all(|step| step.seen.is_ok());
    Ok((checker.table(), sound))
}

/// Long lines of a table help nobody.
const WIDEST: usize = 60;

fn cut(text: &str) -> String {
    let text = shown(text);
    let cut: String = text.chars().take(WIDEST).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

impl Checker {
    fn table(&self) -> String {
        let mut text = String::new();
        let mut failed = 0;
        let heads = ["", "step", "sent", "expected", "seen"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        for step in &self.steps {
            let (verdict, seen) = match &step.seen {
                Ok(seen) => ("ok", seen),
                Err(seen) => {
                    failed += 1;
                    ("FAIL", seen)
                }
            };
            let cells = [verdict, step.name, &step.sent, &step.expected, seen];
            rows.push(cells.map(cut).to_vec());
        }
        text.push_str(&align(&rows, &[0, 1, 2, 3, 4]));
        let steps = count(self.steps.len() as u64, "step");
        let verdict =
            if failed == 0 { format!("\nall {steps} passed\n") } else { format!("\n{failed} of {steps} failed\n") };
        text + &verdict
    }

    /// Does a step: sends lines, and lets `see` say what came of it.
    fn step(
        &mut self,
        name: &'static str,
        lines: &str,
        expected: &str,
        see: impl FnOnce(&mut Self) -> Result<String, String>,
    ) {
        let sent = lines.trim_end().replace('\n', " ⏎ ");
        if !self.steps.is_empty() && self.pipe.has_exited() {
            self.start_again();
        }
        let seen = match self.pipe.send(lines) {
            Ok(_) => see(self),
            Err(error) => Err(error.to_string()),
        };
        self.steps.push(Step { name, sent, expected: expected.to_owned(), seen });
    }

    /// Starts the engine anew after it has ended, so that one crash does not hide what the other steps would show. If
    /// that fails, the step that needs it says so.
    fn start_again(&mut self) {
        if let Ok(pipe) = Pipe::spawn(&self.launch) {
            self.pipe = pipe;
            if self.pipe.send("uci\n").is_ok() {
                let _ = self.wait_for_line("uciok");
            }
        }
    }

    /// Reads lines until one suits; the others are handed to `other`.
    fn wait_for(
        &mut self,
        suits: impl Fn(&str) -> bool,
        mut other: impl FnMut(&str) -> Result<(), String>,
    ) -> Result<String, String> {
        let deadline = Instant::now() + self.patience;
        loop {
            match self.pipe.receive(deadline, &self.cancel) {
                Ok((line, _)) if suits(&line) => return Ok(line),
                Ok((line, _)) => other(&line)?,
                Err(PipeError::Timeout) => return Err(format!("nothing within {} s", self.patience.as_secs_f64())),
                Err(error) => return Err(error.to_string()),
            }
        }
    }

    fn wait_for_line(&mut self, wanted: &str) -> Result<String, String> {
        self.wait_for(|line| line.trim() == wanted, |_| Ok(()))
    }

    /// Waits for `bestmove` and checks the turn; returns it with the time it took from the call.
    fn wait_for_turn(&mut self, rolled: &Rolled) -> Result<(String, Duration), String> {
        let began = Instant::now();
        let line = self.wait_for(|line| line.split_ascii_whitespace().next() == Some("bestmove"), |_| Ok(()))?;
        let took = began.elapsed();
        let text = line.split_ascii_whitespace().nth(1).unwrap_or_default();
        let turn: Turn = text.parse().map_err(|error| format!("{line}: {error}"))?;
        if rolled.dice.is_empty() {
            return if turn == Turn::PASS {
                Ok((line, took))
            } else {
                Err(format!("{line}, though nothing was rolled"))
            };
        }
        apply_roll(rolled, turn).map_err(|error| format!("{line}: {error}"))?;
        Ok((line, took))
    }

    /// Whether nothing but `info` comes within a short time.
    fn is_silent(&mut self) -> Result<(), String> {
        let deadline = Instant::now() + Duration::from_millis(200);
        loop {
            match self.pipe.receive(deadline, &self.cancel) {
                Ok((line, _)) if line.starts_with("bestmove") => return Err(format!("{line}, a second answer")),
                Ok(_) => {}
                Err(PipeError::Timeout) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}
