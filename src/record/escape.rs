//! Text from outside, made fit to be shown.

use std::fmt::{self, Write};

/// Shows a text with everything escaped that a terminal or a page would act on instead of showing it: control
/// characters, line breaks, and characters that hide themselves or turn the direction of writing.
///
/// # Examples
/// ```
/// use astragal::record::Escaped;
///
/// assert_eq!(Escaped("Déjà vu 2.0").to_string(), "Déjà vu 2.0");
/// assert_eq!(Escaped("\u{1b}[2J\u{202e}x\n").to_string(), "\\u{1b}[2J\\u{202e}x\\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Escaped<'a>(pub &'a str);

/// A text as [`Escaped`] shows it, cut after `most` of its characters.
///
/// # Examples
/// ```
/// assert_eq!(astragal::record::escaped("a\tb, and so on", 4), "a\\tb,…");
/// ```
pub fn escaped(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    let cut = if end < text.len() { "…" } else { "" };
    format!("{}{cut}", Escaped(&text[..end]))
}

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            if is_hidden(character) {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        Ok(())
    }
}

/// Whether a character acts on what shows it, or cannot be seen: what [`Escaped`] escapes.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left() {
        for text in ["\u{1b}]0;title\u{7}", "a\r\nb", "\u{9b}31m", "\u{7f}\u{0}", "\u{2066}x\u{2069}", "\u{feff}x"] {
            let shown = Escaped(text).to_string();
            assert!(!shown.chars().any(is_hidden), "{shown}");
        }
    }

    #[test]
    fn characters_are_cut_whole() {
        assert_eq!(escaped("äöü", 2), "äö…");
        assert_eq!(escaped("äöü", 3), "äöü");
        assert_eq!(escaped("", 0), "");
    }
}
