//! The program: an exit code of what the command line asks for.

use std::process::ExitCode;

fn main() -> ExitCode {
    astragal::cli::main()
}
