//! A journal, or the file of a running game, is read game by game: each is played through, or refused with its reason.
#![no_main]

use astragal::bots::{BookBuilder, BookRules};
use astragal::record::{Reader, recover, replay};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut reader) = Reader::new(bytes) {
        while let Some(next) = reader.next_game() {
            match next {
                Ok(game) => drop(replay(&game, |_, _, _| ())),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    drop(recover(bytes));
    let mut builder = BookBuilder::new(BookRules { turns: 200, games: 1 });
    for line in String::from_utf8_lossy(bytes).lines() {
        if let Err(error) = builder.add_line(line) {
            assert!(!error.to_string().is_empty());
        }
    }
});
