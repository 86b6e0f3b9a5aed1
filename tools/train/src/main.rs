//! Makes the evaluations: plays games of the engine against itself, fits the tables of `src/eval/weights.rs` to how they
//! go on, and trains the network.

mod features;
mod fit;
mod layout;
mod net;
mod packed;
mod play;
mod samples;
mod start;
mod tables;
mod targets;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Makes the evaluations out of games of the engine against itself.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plays games of an evaluation against itself, one turn deep, and writes their positions
    Play(play::Play),
    /// Fits the weights of the linear evaluation to such positions and writes them as Rust source
    Fit(fit::Fit),
    /// Trains the network on such positions
    Net(net::Net),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Play(play) => play.run(),
        Command::Fit(fit) => fit.run(),
        Command::Net(net) => net.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}
