//! The command line: raw arguments, then checked ones, then what they ask for.

mod arguments;
mod event;
mod files;

pub use arguments::Arguments;

use crate::check::check;
use crate::clocks::clocks;
use crate::replay::replay;
use arguments::Command;
use std::io::Write;
use std::process::ExitCode;

/// Does what the arguments ask for; returns the exit code.
pub fn run(arguments: Arguments) -> ExitCode {
    let done = match arguments.command {
        Command::Play(event) => event::play(event, None),
        Command::Shard { part, event } => event::play(event, Some(part)),
        Command::Stats(stats) => files::stats(&stats),
        Command::Clocks { files, svg } => {
            clocks(&files, svg.as_deref()).map(|text| print(&text)).map(|()| ExitCode::SUCCESS)
        }
        Command::Replay { file, game, boards } => {
            replay(&file, game, boards).map(|text| print(&text)).map(|()| ExitCode::SUCCESS)
        }
        Command::Check { command, patience } => check(&command, patience).map(|(text, sound)| {
            print(&text);
            if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }),
    };
    done.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "arena: {error}");
        ExitCode::from(2)
    })
}

/// Prints a text; a closed output is no error.
fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}
