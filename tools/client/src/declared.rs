//! The options an engine advertises, and whether a value suits one.

use astragal::record::{Escaped, escaped};
use std::collections::BTreeMap;
use thiserror::Error;

/// An option as an `option` line declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// Its default, where it has one.
    pub default: Option<String>,
    /// What it may be set to.
    pub kind: DeclaredKind,
}

/// The type of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeclaredKind {
    /// `true` or `false`.
    Check,
    /// A whole number in a range.
    Spin(i64, i64),
    /// One of some choices.
    Combo(Vec<String>),
    /// Something that is done when it is set, without a value.
    Button,
    /// Any text.
    Text,
}

/// Why an option or its value does not suit. The message is fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionProblem {
    /// No such option.
    #[error("it has no option '{}'; it has {}", Escaped(.0), Escaped(.1))]
    Unknown(String, String),
    /// A value of the wrong form.
    #[error("option '{}': '{}' is not {}", Escaped(.0), Escaped(.1), Escaped(.2))]
    Value(String, String, String),
    /// A line that declares no option.
    #[error("not an option line: '{}'", escaped(.0, 80))]
    Line(String),
}

impl Declared {
    /// Reads an `option name … type …` line.
    ///
    /// # Examples
    /// ```
    /// use astragal_client::Declared;
    ///
    /// let hash = Declared::parse("option name Hash type spin default 16 min 1 max 65536")?;
    /// assert_eq!(hash.check("64").as_deref(), Ok("64"));
    /// assert!(hash.check("much").is_err());
    /// # Ok::<(), astragal_client::OptionProblem>(())
    /// ```
    ///
    /// # Errors
    /// It is malformed.
    pub fn parse(line: &str) -> Result<Self, OptionProblem> {
        let bad = || OptionProblem::Line(line.to_owned());
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [first, second, rest @ ..] = words.as_slice() else { return Err(bad()) };
        if (*first, *second) != ("option", "name") {
            return Err(bad());
        }
        let type_at = rest.iter().position(|&word| word == "type").filter(|&at| at > 0).ok_or_else(bad)?;
        let (name, rest) = rest.split_at(type_at);
        let (kind_word, mut rest) = rest[1..].split_first().ok_or_else(bad)?;
        // Values may hold blanks: each goes on to the next keyword.
        let mut fields: Vec<(&str, String)> = Vec::new();
        while let Some((key, after)) = rest.split_first() {
            let end = after.iter().position(|word| matches!(*word, "default" | "min" | "max" | "var"));
            let (value, next) = after.split_at(end.unwrap_or(after.len()));
            fields.push((key, value.join(" ")));
            rest = next;
        }
        let field = |key| fields.iter().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
        let number = |key| field(key).and_then(|text| text.parse().ok());
        let kind = match *kind_word {
            "check" => DeclaredKind::Check,
            "spin" => DeclaredKind::Spin(number("min").unwrap_or(i64::MIN), number("max").unwrap_or(i64::MAX)),
            "combo" => {
                let choices = fields.iter().filter(|(key, _)| *key == "var").map(|(_, value)| value.clone());
                DeclaredKind::Combo(choices.collect())
            }
            "button" => DeclaredKind::Button,
            "string" => DeclaredKind::Text,
            _ => return Err(bad()),
        };
        Ok(Self { name: name.join(" "), default: field("default"), kind })
    }

    /// Checks a value; returns it as the engine spells it.
    ///
    /// # Errors
    /// It does not suit.
    pub fn check(&self, value: &str) -> Result<String, OptionProblem> {
        let wrong = |what: String| Err(OptionProblem::Value(self.name.clone(), value.to_owned(), what));
        if value.contains(['\n', '\r']) {
            return wrong("one line".to_owned());
        }
        match &self.kind {
            DeclaredKind::Check => match value.to_ascii_lowercase().as_str() {
                known @ ("true" | "false") => Ok(known.to_owned()),
                _ => wrong("true or false".to_owned()),
            },
            &DeclaredKind::Spin(min, max) => match value.parse::<i64>() {
                Ok(number) if (min..=max).contains(&number) => Ok(value.to_owned()),
                _ => wrong(format!("a whole number from {min} to {max}")),
            },
            DeclaredKind::Combo(choices) => match choices.iter().find(|choice| choice.eq_ignore_ascii_case(value)) {
                Some(choice) => Ok(choice.clone()),
                None => wrong(format!("one of {}", choices.join(", "))),
            },
            DeclaredKind::Button | DeclaredKind::Text => Ok(value.to_owned()),
        }
    }

    /// Checks options against those declared; returns them with the names and values as the engine spells them, and
    /// all options with the values that are then in force.
    ///
    /// # Errors
    /// The first that does not suit.
    #[expect(clippy::type_complexity, reason = "two plain lists")]
    pub fn check_all(
        declared: &[Self],
        options: &[(String, String)],
    ) -> Result<(Vec<(String, String)>, BTreeMap<String, String>), OptionProblem> {
        let mut in_force: BTreeMap<String, String> =
            declared.iter().filter_map(|option| Some((option.name.clone(), option.default.clone()?))).collect();
        let mut checked = Vec::new();
        for (name, value) in options {
            let Some(option) = declared.iter().find(|option| option.name.eq_ignore_ascii_case(name)) else {
                let known: Vec<&str> = declared.iter().map(|option| option.name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(OptionProblem::Unknown(name.clone(), known));
            };
            let value = option.check(value)?;
            in_force.insert(option.name.clone(), value.clone());
            checked.push((option.name.clone(), value));
        }
        Ok((checked, in_force))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let spin = Declared::parse("option name Move Overhead type spin default 50 min 0 max 60000").expect("a spin");
        assert_eq!((spin.name.as_str(), spin.default.as_deref()), ("Move Overhead", Some("50")));
        assert_eq!(spin.kind, DeclaredKind::Spin(0, 60_000));
        let combo = Declared::parse("option name Style type combo default Very Solid var Very Solid var Wild");
        let combo = combo.expect("a combo");
        assert_eq!(combo.kind, DeclaredKind::Combo(vec!["Very Solid".to_owned(), "Wild".to_owned()]));
        assert_eq!(combo.check("very solid").as_deref(), Ok("Very Solid"));
        assert!(combo.check("calm").is_err());
        let text = Declared::parse("option name Book type string default").expect("a text");
        assert_eq!(text.default.as_deref(), Some(""));
        for line in ["", "option", "option name", "option name X", "option name type spin", "option name X type y"] {
            assert!(Declared::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn everything_the_library_declares_is_understood() {
        let lines = astragal::protocol::Options::describe();
        let declared: Vec<Declared> = lines.iter().map(|line| Declared::parse(line).expect(line)).collect();
        let options = [("seed".to_owned(), "5".to_owned()), ("bot".to_owned(), "GREEDY".to_owned())];
        let (checked, in_force) = Declared::check_all(&declared, &options).expect("sound options");
        assert_eq!(checked[0], ("Seed".to_owned(), "5".to_owned()));
        assert_eq!(in_force.get("Bot").map(String::as_str), Some("greedy"));
        assert_eq!(in_force.get("Move Overhead").map(String::as_str), Some("50"));
        let unknown = [("Contempt".to_owned(), "1".to_owned())];
        let error = Declared::check_all(&declared, &unknown).expect_err("no such option").to_string();
        assert!(error.contains("Contempt") && error.contains("TimePolicy"), "{error}");
        for value in ["-1", "x", ""] {
            assert!(Declared::check_all(&declared, &[("Seed".to_owned(), value.to_owned())]).is_err());
        }
    }
}
