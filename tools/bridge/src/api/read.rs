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

/// What unknown fields and events have been seen so far.
pub fn novelties() -> Vec<String> {
    SEEN.lock().iter().cloned().collect()
}

/// Reads a body or a line.
///
/// # Errors
/// It is no JSON, or has not the fields that the bridge cannot do without.
pub fn read<T: DeserializeOwned>(what: &'static str, text: &[u8]) -> Result<T, ReadError> {
    let value: Value = serde_json::from_slice(text).map_err(|error| ReadError { what, why: error.to_string() })?;
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
    .map_err(|error| ReadError { what, why: error.to_string() })
}

/// For fields of no weight: what cannot be read is taken as missing.
///
/// # Errors
/// The text is no JSON.
pub fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Option<T>, D::Error> {
    let value = Option::<Value>::deserialize(from)?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()))
}
