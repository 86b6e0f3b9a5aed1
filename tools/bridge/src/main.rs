//! The program: an exit code, nothing else.

fn main() -> std::process::ExitCode {
    bridge::cli::main()
}
