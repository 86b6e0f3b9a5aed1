//! `book`: an opening book around any bot.

mod bot;
mod build;
mod file;
mod source;

pub use build::{BookBuilder, BookRules, RecordError};
pub use file::{BadLines, Book, BookError, BookLineError, Entries, Entry, LineProblem, book_key, book_line};
