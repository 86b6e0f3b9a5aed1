//! What a restart must know: one file, replaced whole, and a lock.

use crate::api::Seat;
use crate::decide::{Matchmaker, Parking};
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
    /// Whether we are on the ladder, as far as we know.
    pub on_ladder: bool,
    /// Losses on time in a row.
    pub parking: Parking,
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

/// Where the locks of tokens lie: a folder of this user alone, so that nobody else can hold one.
fn lock_folder() -> Result<PathBuf, StateError> {
    let runtime =
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|folder| folder.is_absolute() && folder.is_dir());
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, MetadataExt};
        let user = rustix::process::geteuid().as_raw();
        let folder = match runtime {
            Some(folder) => folder.join("astragal-bridge"),
            None => std::env::temp_dir().join(format!("astragal-bridge-{user}")),
        };
        let fail = |error| StateError::Io(folder.clone(), error);
        match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(fail(error)),
        }
        let found = std::fs::symlink_metadata(&folder).map_err(fail)?;
        if !found.is_dir() || found.uid() != user || found.mode() & 0o022 != 0 {
            return Err(fail(std::io::Error::other("it is not a folder that only we can write to")));
        }
        Ok(folder)
    }
    #[cfg(not(unix))]
    Ok(runtime.unwrap_or_else(std::env::temp_dir))
}

impl StateFile {
    /// Locks the folder, and the token on this machine, and reads what is remembered. A file that is no state is moved aside:
    /// games that go on are found by asking the server, so that playing on with nothing remembered is better than not playing.
    ///
    /// # Errors
    /// Another bridge runs, or the system does not let us.
    pub fn open(folder: &Path, token: &str) -> Result<Self, StateError> {
        std::fs::create_dir_all(folder).map_err(|error| StateError::Io(folder.to_owned(), error))?;
        let digest = hex::encode(&Sha256::digest(format!("astragal-bridge {token}"))[..12]);
        let locks = vec![lock(&folder.join("lock"))?, lock(&lock_folder()?.join(format!("{digest}.lock")))?];
        let path = folder.join(FILE);
        let remembered = match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).or_else(|error| {
                let aside = path.with_extension("json.broken");
                std::fs::rename(&path, &aside).map_err(|error| StateError::Io(path.clone(), error))?;
                tracing::error!(
                    event = "state",
                    "ALARM: {} is no state ({error}): it is moved to {}, and nothing is remembered",
                    path.display(),
                    aside.display()
                );
                Ok(Remembered::default())
            })?,
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
            tracing::error!(event = "state", "the state cannot be written: {error}");
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
        let state = StateFile::open(&folder, &token).expect("it begins anew");
        assert!(state.look(|state| !state.on_ladder && state.games.is_empty()));
        assert_eq!(std::fs::read_to_string(folder.join("state.json.broken")).ok().as_deref(), Some("{"));
        drop(state);
        std::fs::remove_dir_all(&folder).expect("ours");
    }
}
