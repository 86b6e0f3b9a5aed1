//! The program: arguments, exit code; nothing else.

fn main() -> std::process::ExitCode {
    arena::cli::main()
}
