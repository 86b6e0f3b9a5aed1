//! `book`: an opening book around any bot.

mod bot;
mod file;

pub use bot::BookBot;
pub use file::{Book, BookError, BookLineError, Entry, LineProblem, book_key, book_line};
