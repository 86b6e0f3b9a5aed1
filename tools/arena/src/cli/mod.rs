//! The command line: raw arguments, then checked ones, then what they ask for.

mod arguments;
mod event;
mod files;

use crate::book::{BookRules, book};
use crate::check::check;
use crate::clocks::clocks;
use crate::games::games;
use crate::merge::merge;
use crate::replay::replay;
use crate::text::shown_lines;
use arguments::{Arguments, Command};
use clap::Parser;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Reads the arguments of the program and does what they ask for; returns the exit code.
pub fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        // Help and the version, with their colours.
        Err(error) if !error.use_stderr() => error.exit(),
        // It quotes the arguments.
        Err(error) => {
            print_error(&error.render().to_string());
            ExitCode::from(2)
        }
    }
}

/// Does what the arguments ask for; returns the exit code.
fn run(arguments: Arguments) -> ExitCode {
    let done = match arguments.command {
        Command::Play(event) => event::play(event, None),
        Command::Shard { part, event } => event::play(event, Some(part)),
        Command::Stats(stats) => files::stats(&stats),
        Command::Clocks { files, svg } => {
            clocks(&files, svg.as_deref()).map(|text| print(&text)).map(|()| ExitCode::SUCCESS)
        }
        Command::Games { files } => games(&files).map(|text| print(&text)).map(|()| ExitCode::SUCCESS),
        Command::Replay { file, game, boards } => {
            replay(&file, game, boards).map(|text| print(&text)).map(|()| ExitCode::SUCCESS)
        }
        Command::Merge { files, out } => merge(&files, &out).map(|merged| {
            merged.notes.iter().for_each(|note| print_error(&format!("{note}\n")));
            print(&format!("{}: {}\n", out.display(), merged.summary));
            ExitCode::SUCCESS
        }),
        Command::Book { files, turns, games, out } => make_book(&files, BookRules { turns, games }, out.as_deref()),
        Command::Check { command, patience } => check(&command, patience).map(|(text, sound)| {
            print(&text);
            if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }),
    };
    done.unwrap_or_else(|error| {
        print_error(&format!("arena: {error}\n"));
        ExitCode::from(2)
    })
}

/// Writes a book to a file, and how much that is to standard output; without a file the book itself.
fn make_book(files: &[PathBuf], rules: BookRules, out: Option<&Path>) -> Result<ExitCode, String> {
    let made = book(files, rules)?;
    made.problems.iter().for_each(|problem| print_error(&format!("{problem}\n")));
    match out {
        Some(path) => {
            std::fs::write(path, made.text).map_err(|error| format!("{}: {error}", path.display()))?;
            print(&format!("{}: {}\n", path.display(), made.summary));
        }
        None => {
            // The book has tabs, and nothing in it that was not read and written anew.
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(made.text.as_bytes()).and_then(|()| output.flush());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a text; a closed output is no error.
fn print(text: &str) {
    let mut output = std::io::stdout().lock();
    let _ = output.write_all(shown_lines(text).as_bytes()).and_then(|()| output.flush());
}

/// Prints a text to standard error; nobody may be there to read it.
fn print_error(text: &str) {
    let _ = std::io::stderr().write_all(shown_lines(text).as_bytes());
}
