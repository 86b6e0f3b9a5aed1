//! The answer to a search.

use astragal::record::escaped;
use astragal::rules::Turn;

/// A `bestmove` line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// What the program does.
    pub action: Action,
    /// Whether it offers a draw with it (`bestmove <turn> draw`).
    pub offers_draw: bool,
}

/// What a player does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// It plays a turn, which nobody has checked yet.
    Play(Turn),
    /// It gives the game up (`bestmove resign`).
    Resign,
    /// It said something that is no turn; the text is fit to be shown.
    Unreadable(String),
}

impl Answer {
    /// Reads what follows the word `bestmove`.
    ///
    /// # Examples
    /// ```
    /// use astragal_client::{Action, Answer};
    ///
    /// let answer = Answer::parse("e2e4,g1f3 draw");
    /// assert!(answer.offers_draw);
    /// assert_eq!(answer.action, Action::Play("e2e4,g1f3".parse()?));
    /// assert_eq!(Answer::parse("resign").action, Action::Resign);
    /// assert!(matches!(Answer::parse("").action, Action::Unreadable(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(rest: &str) -> Self {
        let mut words = rest.split_ascii_whitespace();
        let text = words.next().unwrap_or_default();
        let offers_draw = words.any(|word| word == "draw");
        let action = match text.parse::<Turn>() {
            Ok(turn) => Action::Play(turn),
            Err(_) if text == "resign" => Action::Resign,
            Err(error) => Action::Unreadable(format!("'{}': {error}", escaped(text, 60))),
        };
        Self { action, offers_draw }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let read = |text: &str| {
            let Answer { action, offers_draw } = Answer::parse(text);
            (action, offers_draw)
        };
        let turn: Turn = "e2e4,g1f3".parse().expect("a turn");
        assert_eq!(read("e2e4,g1f3"), (Action::Play(turn), false));
        assert_eq!(read(" e2e4,g1f3 draw"), (Action::Play(turn), true));
        assert_eq!(read("e2e4,g1f3 ponder e7e5"), (Action::Play(turn), false));
        assert_eq!(read("resign"), (Action::Resign, false));
        assert!(matches!(read(""), (Action::Unreadable(_), false)));
        assert!(matches!(read("(none)"), (Action::Unreadable(_), false)));
        assert!(matches!(read("\u{1b}[2J"), (Action::Unreadable(text), _) if text.starts_with("'\\u{1b}[2J'")));
    }
}
