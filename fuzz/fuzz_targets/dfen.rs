//! A DFEN is read or refused; what is read is written so that it reads the same again.
#![no_main]

use astragal::board::Rolled;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(rolled) = Rolled::from_dfen(text) {
        assert_eq!(Rolled::from_dfen(&rolled.to_string()), Ok(rolled));
        assert_eq!(rolled.position.key(), rolled.position.key_from_scratch());
    }
});
