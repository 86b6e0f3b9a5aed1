//! Lines of input as commands.

use super::excerpt;
use super::go::Go;

/// A command, its arguments not yet looked at where they need the state of the session.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Command {
    Uci,
    IsReady,
    NewGame,
    Debug,
    SetOption { name: String, value: String },
    Position(Vec<String>),
    Go(Go),
    Stop,
    PonderHit,
    Quit,
    Display,
    Perft(Option<String>),
    KingCapture,
    Eval,
    Budget(Go),
    Bench,
    Help,
    Unknown(String),
}

impl Command {
    /// Reads a line; `None` if it is empty.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next()?;
        Some(match first {
            "uci" => Self::Uci,
            "isready" => Self::IsReady,
            "ucinewgame" => Self::NewGame,
            "debug" => Self::Debug,
            "setoption" => set_option(line, words),
            "position" => Self::Position(words.map(str::to_owned).collect()),
            "go" => Self::Go(Go::parse(words)),
            "stop" => Self::Stop,
            "ponderhit" => Self::PonderHit,
            "quit" => Self::Quit,
            "d" => Self::Display,
            "perft" => Self::Perft(words.next().map(str::to_owned)),
            "eval" => Self::Eval,
            "kcp" => Self::KingCapture,
            "budget" => Self::Budget(Go::parse(words)),
            "bench" => Self::Bench,
            "help" => Self::Help,
            other => Self::Unknown(excerpt(other)),
        })
    }
}

/// `name <words> [value <text>]`: both may hold blanks, and the value may be empty. Blanks inside the value stay as they
/// are, for it may be the name of a file.
fn set_option<'a>(line: &'a str, words: impl Iterator<Item = &'a str>) -> Command {
    let mut words = words.skip_while(|&word| word != "name").skip(1);
    let mut name: Vec<&str> = Vec::new();
    let mut value = "";
    while let Some(word) = words.next() {
        if word == "value" {
            // The words are parts of the line, so their places in it can be told from their addresses.
            let start = words.next().map(|word| word.as_ptr() as usize - line.as_ptr() as usize);
            value = start.and_then(|start| line.get(start..)).unwrap_or("").trim_ascii_end();
            break;
        }
        name.push(word);
    }
    Command::SetOption { name: name.join(" "), value: value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, value: &str) -> Option<Command> {
        Some(Command::SetOption { name: name.to_owned(), value: value.to_owned() })
    }

    #[test]
    fn blanks_of_all_kinds_separate_words() {
        assert_eq!(Command::parse(" \t isready \r"), Some(Command::IsReady));
        assert_eq!(Command::parse(" \t \r"), None);
        assert_eq!(Command::parse("perft\t2"), Some(Command::Perft(Some("2".to_owned()))));
    }

    #[test]
    fn option_names_and_values_may_hold_blanks_or_be_empty() {
        assert_eq!(Command::parse("setoption name Move  Overhead value 30"), option("Move Overhead", "30"));
        assert_eq!(Command::parse("setoption name BookFile value a b"), option("BookFile", "a b"));
        assert_eq!(Command::parse("setoption name BookFile value  a  b \r"), option("BookFile", "a  b"));
        assert_eq!(Command::parse("setoption name BookFile value"), option("BookFile", ""));
        assert_eq!(Command::parse("setoption name Clear"), option("Clear", ""));
        assert_eq!(Command::parse("setoption"), option("", ""));
    }
}
