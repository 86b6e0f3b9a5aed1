//! A session takes any lines and ends with its input. Lines that order much work, or name files, are left out.
#![no_main]

use astragal::protocol;
use libfuzzer_sys::fuzz_target;
use std::io::{Cursor, sink};

/// What is not to be in a line: work without an end in sight, memory, and the names of files.
const LEFT_OUT: [&str; 9] = ["bench", "perft", "Hash", "Threads", "File", "Rollouts", "Bot", "infinite", "ponder"];

fuzz_target!(|text: &str| {
    let mut lines = String::new();
    for line in text.lines().filter(|line| LEFT_OUT.iter().all(|&word| !line.contains(word))) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        lines.push_str(line);
        // The last limits count.
        lines.push_str(if words.first() == Some(&"go") { " depth 1 nodes 100 games 1\n" } else { "\n" });
    }
    // An output that nobody reads is no fault of the session.
    let _ = protocol::run(Cursor::new(lines.into_bytes()), sink(), false);
});
