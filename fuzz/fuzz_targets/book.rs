//! A book is read, and what is found in it can be played.
#![no_main]

use astragal::board::Rolled;
use astragal::bots::Book;
use astragal::rules::apply_roll;
use libfuzzer_sys::fuzz_target;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";

fuzz_target!(|text: &str| {
    let (book, bad) = Book::parse(text);
    assert!(bad.named.len() <= bad.count);
    let start = Rolled::from_dfen(START).expect("the starting position");
    for entry in book.lookup(&start) {
        assert!(apply_roll(&start, entry.turn).is_ok());
    }
});
