//! Text for people: what comes from outside made harmless, and numbers with their nouns.
//!
//! Names of engines, their lines, paths and journals are written by others. A control character in them could move the
//! cursor of a terminal, change its colours or its title; a bidirectional one could show a text in another order than
//! it has. Such characters are shown as escapes.

use astragal::record::is_hidden;
use std::borrow::Cow;
use std::fmt::Write;

fn escaped(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_bad(character) {
            // `\n`, `\t` and `\r` by their names, others as `\u{1b}`.
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// A piece of text from outside on one line: every hidden character, the end of a line too, as an escape such as
/// `\u{1b}`.
pub fn shown(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// A whole output of several lines: the same, but that ends of lines stay.
///
/// Every text goes through it on its way out, so that a piece that was not looked at does no harm.
pub fn shown_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |character| character != '\n' && is_hidden(character))
}

/// A JSON text with its hidden characters as JSON's own escapes, so that programs read the same from it. Ends of lines
/// stay: they can only be between the values.
pub fn shown_json(text: &str) -> Cow<'_, str> {
    let is_bad = |character: char| character != '\n' && is_hidden(character);
    if !text.contains(is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_bad(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// A number with its noun: `1 game`, `2 games`. The noun is one whose plural ends in -s.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {}", plural(number, noun))
}

/// The noun alone, in the number that is meant.
pub fn plural(number: u64, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_act_on_a_terminal_is_shown_as_an_escape() {
        for (text, expected) in [
            ("Stockfish 17", "Stockfish 17"),
            ("Größe ½ 騎", "Größe ½ 騎"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("two\nlines\r\t", "two\\nlines\\r\\t"),
            ("\u{9b}2J\u{7f}", "\\u{9b}2J\\u{7f}"),
            ("a\u{202e}b\u{2066}c\u{feff}", "a\\u{202e}b\\u{2066}c\\u{feff}"),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(shown_lines("a\n\u{1b}b\n"), "a\n\\u{1b}b\n");
    }

    #[test]
    fn json_stays_the_same_to_programs() {
        let value = serde_json::json!({ "name": "\u{1b}[2J\u{9b}1m\u{202e}x\n" });
        let text = format!("{value:#}\n");
        let shown = shown_json(&text);
        assert!(!shown.contains(|character| character != '\n' && is_hidden(character)), "{shown}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).expect("JSON"), value);
    }

    #[test]
    fn one_is_singular_and_all_others_are_plural() {
        assert_eq!([0, 1, 2].map(|number| count(number, "game")), ["0 games", "1 game", "2 games"]);
        assert_eq!(count(1, "complete pair"), "1 complete pair");
    }
}
