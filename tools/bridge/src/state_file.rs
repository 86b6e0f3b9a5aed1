//! What a restart must know: one file, replaced whole, and a lock.

use crate::api::Seat;
use crate::decide::Matchmaker;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

const FILE: &str = "state.json";

/// Why the state cannot be used.
#[derive(Debug, Error)]
pub enum StateError {
    /// The system's word.
    #[error("state: {}: {}", .0.display(), .1)]
    Io(PathBuf, std::io::Error),
    /// It is no state.
    #[error("state: {}: {}; move it away to begin anew", .0.display(), .1)]
    Form(PathBuf, String),
    /// Another bridge plays with this token or this folder.
    #[error("another bridge runs already ({} is locked)", .0.display())]
    Locked(PathBuf),
}

/// A game that is being played, or whose record has not been written yet.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InPlay {
    /// Our side, if it is known.
    pub seat: Option<Seat>,
    /// The seed that we gave to the dice.
    pub seed: Option<String>,
    /// The commitment that the server told.
    pub commit: Option<String>,
    /// When we first saw it, in milliseconds since 1970.
    pub since_ms: u64,
}

/// Everything that is remembered.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// Games, by id.
    pub games: BTreeMap<String, InPlay>,
    /// Whether we are on the ladder.
    pub on_ladder: bool,
    /// Whether the server has taken us off it.
    pub parked: bool,
    /// When we rejoined it last, in seconds since 1970.
    pub last_rejoin: Option<u64>,
    /// Whom we have challenged.
    pub matchmaker: Matchmaker,
}

/// The state, its file and its locks. Clones share it.
#[derive(Clone, Debug)]
pub struct StateFile(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    folder: PathBuf,
    remembered: Remembered,
    /// Held until the end of the process, however that comes.
    _locks: Vec<File>,
}

fn lock(path: &Path) -> Result<File, StateError> {
    let fail = |error| StateError::Io(path.to_owned(), error);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path).map_err(fail)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StateError::Locked(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(fail(error)),
    }
}

impl StateFile {
    /// Locks the folder, and the token on this machine, and reads what is remembered.
    ///
    /// # Errors
    /// Another bridge runs, or the file cannot be read.
    pub fn open(folder: &Path, token: &str) -> Result<Self, StateError> {
        std::fs::create_dir_all(folder).map_err(|error| StateError::Io(folder.to_owned(), error))?;
        let digest = hex::encode(&Sha256::digest(format!("astragal-bridge {token}"))[..12]);
        let of_token = std::env::temp_dir().join(format!("astragal-bridge-{digest}.lock"));
        let locks = vec![lock(&folder.join("lock"))?, lock(&of_token)?];
        let path = folder.join(FILE);
        let remembered = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| StateError::Form(path, error.to_string()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Remembered::default(),
            Err(error) => return Err(StateError::Io(path, error)),
        };
        Ok(Self(Arc::new(Mutex::new(Inner { folder: folder.to_owned(), remembered, _locks: locks }))))
    }

    /// Looks at it.
    pub fn look<T>(&self, look: impl FnOnce(&Remembered) -> T) -> T {
        look(&self.0.lock().remembered)
    }

    /// Changes it, and writes the file if it has changed. That the file cannot be written is logged and keeps nobody from
    /// playing.
    pub fn change<T>(&self, change: impl FnOnce(&mut Remembered) -> T) -> T {
        let mut inner = self.0.lock();
        let before = inner.remembered.clone();
        let result = change(&mut inner.remembered);
        if inner.remembered != before
            && let Err(error) = write_whole(&inner.folder.join(FILE), &inner.remembered)
        {
            tracing::error!("the state cannot be written: {error}");
        }
        result
    }
}

/// Writes beside and renames, so that the file is whole at any time.
fn write_whole(path: &Path, remembered: &Remembered) -> std::io::Result<()> {
    let beside = path.with_extension("json.new");
    let mut file = File::create(&beside)?;
    file.write_all(&serde_json::to_vec_pretty(remembered)?)?;
    file.sync_data()?;
    std::fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_remembered_and_nobody_else_has_it() {
        let folder = std::env::temp_dir().join(format!("bridge-state-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let token = format!("token-{}", std::process::id());
        {
            let state = StateFile::open(&folder, &token).expect("a new one");
            state.change(|state| {
                state.on_ladder = true;
                state.games.insert("g".to_owned(), InPlay { seat: Some(Seat::Black), ..InPlay::default() });
            });
            let error = StateFile::open(&folder, "other").expect_err("the folder is taken").to_string();
            assert!(error.contains("another bridge"), "{error}");
            let error = StateFile::open(&folder.join("x"), &token).expect_err("the token is taken").to_string();
            assert!(error.contains("another bridge") && !error.contains(&token), "{error}");
        }
        let state = StateFile::open(&folder, &token).expect("it is free again");
        assert!(state.look(|state| state.on_ladder && state.games["g"].seat == Some(Seat::Black)));
        drop(state);
        std::fs::write(folder.join(FILE), "{").expect("ours");
        assert!(matches!(StateFile::open(&folder, &token), Err(StateError::Form(..))));
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
