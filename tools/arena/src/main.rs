//! The program: arguments, exit code; nothing else.

fn main() {}
