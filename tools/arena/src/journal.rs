//! The journals of events: those of the engine library.

pub use astragal::record::{Contents, Journal, JournalError, difference, read};
