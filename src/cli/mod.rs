//! The command line: arguments, logging, one file a subcommand. Without a subcommand the program speaks its protocol.

mod analyse;
mod bench;
mod convert;
mod errors;
mod merge;
mod output;
mod overshoot;
mod quiz;
mod review;
mod source;
mod watch;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::num::NonZeroUsize;
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
    /// Tell what positions are worth: the best turns, or the rolls with what to do about the cube and a draw.
    Analyse(analyse::Analyse),
    /// Write games in another form.
    Convert(convert::Convert),
    /// Put the reviews of parts of one file (`review --shard`) together, in the order of the games.
    Merge(merge::Merge),
    /// Ask for the best turn where reviews found mistakes.
    Quiz(quiz::Quiz),
    /// Tell how much a bot loses on decisions whose turns were rolled out.
    Errors(errors::ErrorsOf),
}

/// The number of threads asked for, or that of all cores.
fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}

/// How a command that works through many things ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Done {
    /// All of it is done.
    All,
    /// Some of it could not be read; the rest is done.
    Partly,
    /// Ctrl-C has ended it; what was done by then is written.
    Interrupted,
}

impl Done {
    /// 0, 3 or 130; a failure is 1, and arguments that are not understood are 2.
    fn exit_code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::All => 0,
            Self::Partly => 3,
            Self::Interrupted => watch::INTERRUPTED,
        })
    }
}

/// Does what the arguments of the process say, and returns its exit code.
pub fn main() -> ExitCode {
    env_logger::init();
    let said = |text: String| {
        // A closed output is no error.
        let _ = writeln!(std::io::stdout(), "{text}");
        Done::All
    };
    let done = match Arguments::parse().command {
        None => match crate::protocol::run(std::io::stdin(), std::io::stdout(), true) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(error) => Err(format!("no thread to work with: {error}")),
        },
        Some(Command::Bench) => bench::run().map(said),
        Some(Command::Overshoot(overshoot)) => overshoot.run().map(said),
        Some(Command::Review(review)) => review.run(),
        Some(Command::Analyse(analyse)) => analyse.run(),
        Some(Command::Convert(convert)) => convert.run(),
        Some(Command::Merge(merge)) => merge.run(),
        Some(Command::Quiz(quiz)) => quiz.run(),
        Some(Command::Errors(errors)) => errors.run(),
    };
    match done {
        Ok(done) => done.exit_code(),
        Err(error) => {
            eprintln!("astragal: {error}");
            ExitCode::FAILURE
        }
    }
}
