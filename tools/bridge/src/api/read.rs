//! Reading JSON of the platform: tolerant, and telling once what is new.

use parking_lot::Mutex;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;
use std::collections::BTreeSet;
use thiserror::Error;

/// The most names of unknown things that are remembered: a server that makes up names must not fill the memory.
const MOST_NOVELTIES: usize = 500;

static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A text that is not what the platform was to send.
#[derive(Debug, Error)]
#[error("{what}: {why}")]
pub struct ReadError {
    /// What was to be read.
    pub what: &'static str,
    /// Why it cannot be; without the text itself, which may hold secrets.
    pub why: String,
}

/// Tells the log about something unknown, once for each name.
pub(super) fn tell_once(name: String) {
    let mut seen = SEEN.lock();
    if seen.len() < MOST_NOVELTIES && !seen.contains(&name) {
        tracing::info!(event = "unknown", "the platform sent {name}, which this bridge does not know: ignored");
        seen.insert(name);
    }
}

/// An error of the parser for the log: without what it found in the text, which may be a secret, and on one line.
pub(super) fn told(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let mut plain = String::new();
    // `invalid type: string "…", expected …`: what stands between the first quotation mark and the last is the text's own.
    match (text.find('"'), text.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            plain.push_str(&text[..first]);
            plain.push('…');
            plain.push_str(&text[last + 1..]);
        }
        _ => plain.push_str(&text),
    }
    plain.chars().take(200).flat_map(|c| if c == '…' { vec![c] } else { c.escape_default().collect() }).collect()
}

/// Whether a text can stand as the id of something in a path: nothing in it may lead elsewhere.
pub fn is_sound_id(id: &str) -> bool {
    (1..=100).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        && !id.bytes().all(|byte| byte == b'.')
}

/// Whether a text can be the name of a bot or a team.
pub fn is_slug(word: &str) -> bool {
    (1..=32).contains(&word.len())
        && !word.starts_with('-')
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// What unknown fields and events have been seen so far.
pub fn novelties() -> Vec<String> {
    SEEN.lock().iter().cloned().collect()
}

/// Reads a body or a line.
///
/// # Errors
/// It is no JSON, or has not the fields that the bridge cannot do without.
pub fn read<T: DeserializeOwned>(what: &'static str, text: &[u8]) -> Result<T, ReadError> {
    let value: Value = serde_json::from_slice(text).map_err(|error| ReadError { what, why: told(&error) })?;
    read_value(what, value)
}

/// Reads a value that has been parsed.
///
/// # Errors
/// It has not the fields that the bridge cannot do without.
pub fn read_value<T: DeserializeOwned>(what: &'static str, value: Value) -> Result<T, ReadError> {
    serde_ignored::deserialize(value, |path| {
        let path = path.to_string();
        let plain: Vec<&str> = path
            .split('.')
            .filter(|part| *part != "?" && !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit()))
            .map(|part| part.get(..40).unwrap_or(part))
            .collect();
        tell_once(format!("the field {what}.{}", plain.join(".").escape_default()));
    })
    .map_err(|error| ReadError { what, why: told(&error) })
}

/// For fields of no weight: what cannot be read is taken as missing.
///
/// # Errors
/// The text is no JSON.
pub fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    let value = Option::<Value>::deserialize(from)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}

/// The same with what stands for nothing: for a missing field, null, and what cannot be read.
///
/// # Errors
/// The text is no JSON.
pub fn or_default<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(from: D) -> Result<T, D::Error> {
    lenient(from).map(Option::unwrap_or_default)
}

/// A list without those of its elements that cannot be read: one that is broken must not hide the others.
///
/// # Errors
/// The text is no JSON.
pub fn each<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let list = Option::<Vec<Value>>::deserialize(from)?.unwrap_or_default();
    let read = |value| {
        read_value::<T>("element", value).map_err(|error| tracing::warn!(event = "unreadable", "skipped: {error}")).ok()
    };
    Ok(list.into_iter().filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_show_nothing_of_the_text() {
        #[derive(Debug, serde::Deserialize)]
        struct Number {
            #[expect(dead_code, reason = "only its form matters")]
            number: u64,
        }
        for text in [r#"{"number":"t0p-\u001b[31msecret \" x"}"#, r#"{"number":"t0p"#, r#"["t0p"]"#] {
            let error = read::<Number>("a number", text.as_bytes()).expect_err(text).to_string();
            assert!(!error.contains("t0p") && !error.contains('\u{1b}') && error.starts_with("a number"), "{error}");
        }
    }

    #[test]
    fn ids_lead_nowhere_else() {
        for id in ["challenge-0", "8da61d43-63dd-422c-8212-ae296213345f", "a.b", "_"] {
            assert!(is_sound_id(id), "{id}");
        }
        for id in ["", ".", "..", "a/b", "a?b", "a#b", "%2e%2e", "a b", "é", &"x".repeat(101)] {
            assert!(!is_sound_id(id), "{id}");
        }
        assert!(is_slug("knights-2") && !is_slug("-x") && !is_slug("X") && !is_slug("") && !is_slug("a\u{1b}"));
    }

    #[test]
    fn null_is_nothing_and_one_broken_element_hides_no_other() {
        use crate::api::{Challenges, GameList, GameState, History};
        let state = r#"{"version":null,"dfen":"x","activeSeat":"White","dicePending":null,"status":null,"players":null,
            "clocks":null,"legalMoves":null,"timeControl":null}"#;
        let state: GameState = read("state", state.as_bytes()).expect("a state");
        assert!(state.version == 0 && !state.dice_pending && state.players.white.name.is_none());
        let state = r#"{"dfen":"x","activeSeat":"White","players":{"white":null,"black":{"name":null}}}"#;
        assert!(read::<GameState>("state", state.as_bytes()).is_ok());
        let list = r#"{"games":[{"gameId":7},null,{"gameId":"g","seat":"Black","version":null,"dicePending":null}]}"#;
        let list: GameList = read("games", list.as_bytes()).expect("a list");
        assert_eq!(list.games.iter().map(|game| game.game_id.as_str()).collect::<Vec<_>>(), ["g"]);
        let challenges = r#"{"in":[{"challenger":7},{"id":"c"}],"out":null}"#;
        let challenges: Challenges = read("challenges", challenges.as_bytes()).expect("a list");
        assert_eq!((challenges.incoming.len(), challenges.outgoing.len()), (1, 0));
        let history = r#"{"gameId":"g","players":null,"result":null,"turns":[{"turnNumber":null,"activeColor":"White",
            "dice":[1,1,1],"moves":null,"fenAfter":null}],"fairness":null}"#;
        assert!(read::<History>("history", history.as_bytes()).is_ok_and(|history| history.result.is_none()));
    }
}
