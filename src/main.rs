//! The program: arguments, logging, exit code; nothing else.

use astragal::protocol::{OvershootSettings, run, run_bench, run_overshoot};
use astragal::search::BotKind;
use astragal::time::StopSignal;
use clap::{Parser, Subcommand};
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
    Overshoot {
        /// The bot, by its id.
        #[arg(long, default_value_t = BotKind::Expectimax)]
        bot: BotKind,
        /// How many searches.
        #[arg(long, default_value_t = 1000)]
        searches: u32,
        /// The shortest deadline, in milliseconds.
        #[arg(long, default_value_t = 20)]
        shortest: u64,
        /// The longest deadline, in milliseconds.
        #[arg(long, default_value_t = 200)]
        longest: u64,
    },
}

fn main() -> ExitCode {
    env_logger::init();
    match Arguments::parse().command {
        None => {
            run(std::io::stdin(), std::io::stdout(), true);
            ExitCode::SUCCESS
        }
        Some(Command::Bench) => match run_bench(&StopSignal::new()) {
            Some(result) => finish(Ok(result.to_string())),
            None => ExitCode::FAILURE,
        },
        Some(Command::Overshoot { bot, searches, shortest, longest }) => {
            let settings = OvershootSettings { bot, searches, shortest_ms: shortest, longest_ms: longest };
            let progress = |done| {
                if done % 100 == 0 {
                    eprintln!("{done} of {searches} searches");
                }
                true
            };
            finish(run_overshoot(&settings, progress).map(|result| result.to_string()))
        }
    }
}

/// Prints a result or an error. A closed output is no error.
fn finish(result: Result<String, String>) -> ExitCode {
    use std::io::Write;
    match result {
        Ok(line) => {
            let _ = writeln!(std::io::stdout(), "{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("astragal: {error}");
            ExitCode::FAILURE
        }
    }
}
