//! A journal is read to its end whatever is in it, and its games are played over or refused with a reason.
#![no_main]

use astragal::record::{Reader, recover, replay};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(mut reader) = Reader::new(bytes) {
        while let Some(game) = reader.next_game() {
            match game {
                Ok(game) => _ = (replay(&game, |_, _, _| ()), game.dice.check(&game)),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    // The file of a game in progress, too.
    let _ = recover(bytes);
});
