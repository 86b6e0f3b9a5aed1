//! The program: arguments, exit code; nothing else.

use arena::cli::{Arguments, run};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    run(Arguments::parse())
}
