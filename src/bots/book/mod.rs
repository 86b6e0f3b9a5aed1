//! `book`: an opening book around any bot.

mod bot;
mod file;
mod source;

pub use bot::draw_entry;
pub use file::{BadLines, Book, BookError, BookLineError, Entries, Entry, LineProblem, book_key, book_line};
