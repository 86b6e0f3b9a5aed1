//! The program: arguments, logging, exit code; nothing else.

use astragal::bots::{BookBuilder, BookRules, BotKind};
use astragal::protocol::{OvershootSettings, run, run_bench, run_overshoot};
use astragal::time::StopSignal;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
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
    /// Opening books.
    #[command(subcommand)]
    Book(BookCommand),
    /// Measure how long past its deadline a bot answers.
    Overshoot {
        /// The bot, by its id.
        #[arg(long, default_value_t = BotKind::Expectimax)]
        bot: BotKind,
        /// The model of onnx-eval and onnx-expectimax.
        #[arg(long)]
        eval_file: Option<PathBuf>,
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

#[derive(Subcommand)]
enum BookCommand {
    /// Make a book from journals of the arena and write it to standard output, or to a file.
    Build {
        /// Journals, one JSON object a line.
        #[arg(required = true)]
        journals: Vec<PathBuf>,
        /// Take so many turns of each player from the beginning of each game.
        #[arg(long, default_value_t = 6)]
        turns: u32,
        /// Take turns that were played in at least so many games.
        #[arg(long, default_value_t = 2)]
        games: u32,
        /// The file to write.
        #[arg(long)]
        out: Option<PathBuf>,
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
        Some(Command::Book(BookCommand::Build { journals, turns, games, out })) => {
            finish(build_book(&journals, BookRules { turns, games }, out.as_deref()))
        }
        Some(Command::Overshoot { bot, eval_file, searches, shortest, longest }) => {
            let settings = OvershootSettings { bot, eval_file, searches, shortest_ms: shortest, longest_ms: longest };
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

/// Makes a book; what is printed at the end is the book itself, or, if it went to a file, how much that is.
fn build_book(journals: &[PathBuf], rules: BookRules, out: Option<&Path>) -> Result<String, String> {
    let mut builder = BookBuilder::new(rules);
    for path in journals {
        let problems = builder.add_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
        problems.iter().for_each(|problem| eprintln!("{} {problem}; skipped", path.display()));
    }
    let lines = builder.lines();
    let Some(path) = out else { return Ok(lines.join("\n")) };
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(format!("{}: {} turns from {} games", path.display(), lines.len(), builder.games()))
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
