//! Makes the weights of the evaluation: plays games of the engine against itself, and fits the tables of
//! `src/eval/weights.rs` to how they end.

mod features;
mod fit;
mod layout;
mod play;
mod samples;
mod tables;
mod targets;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Fits the evaluation to games of the engine against itself.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plays games of the evaluation against itself, one turn deep, and writes their positions with the results
    Play(play::Play),
    /// Fits weights to such positions and writes them as Rust source
    Fit(fit::Fit),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Play(play) => play.run(),
        Command::Fit(fit) => fit.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune: {error}");
            ExitCode::FAILURE
        }
    }
}
