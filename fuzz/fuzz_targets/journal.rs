//! A line of a journal is a game, or it is refused with its reason.
#![no_main]

use astragal::bots::{BookBuilder, BookRules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut builder = BookBuilder::new(BookRules { turns: 200, games: 1 });
    for line in text.lines() {
        if let Err(error) = builder.add_line(line) {
            assert!(!error.to_string().is_empty());
        }
    }
});
