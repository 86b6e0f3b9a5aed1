//! The command line: arguments, logging, one file a subcommand. Without a subcommand the program speaks its protocol.

mod bench;
mod overshoot;
mod review;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Astragal, a Dice Chess engine. Without a command it speaks its UCI-like protocol on stdin and stdout.
///
/// Type `help` in a session for the commands; protocol.md has them all. Logs go to stderr: set RUST_LOG=debug.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Search fixed positions and print the number of nodes (a signature of the search) and the speed.
    Bench,
    /// Measure how long past its deadline a bot answers.
    Overshoot(overshoot::Overshoot),
    /// Tell of every turn of a game what was luck and what was a mistake.
    Review(review::Review),
}

/// Does what the arguments of the process say, and returns its exit code.
pub fn main() -> ExitCode {
    env_logger::init();
    let done = match Arguments::parse().command {
        None => match crate::protocol::run(std::io::stdin(), std::io::stdout(), true) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => Err(format!("no thread to work with: {error}")),
        },
        Some(Command::Bench) => bench::run(),
        Some(Command::Overshoot(overshoot)) => overshoot.run(),
        Some(Command::Review(review)) => review.run(),
    };
    match done {
        Ok(text) => {
            // A closed output is no error.
            let _ = writeln!(std::io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("astragal: {error}");
            ExitCode::FAILURE
        }
    }
}
