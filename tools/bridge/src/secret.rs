//! Secrets: where they come from, and that they are shown nowhere.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A token or a key. It has no `Display`, and its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, for the one place that sends it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// Why there is no secret.
#[derive(Debug, Error)]
pub enum SecretError {
    /// Neither a variable nor a file is named, or the variable is not set.
    #[error("no {what}: set the environment variable {variable}, or name a file with it (mode 600) in the settings")]
    None {
        /// What is wanted.
        what: &'static str,
        /// The variable looked at.
        variable: String,
    },
    /// The file cannot be read or written.
    #[error("{what}: {}: {why}", .path.display())]
    File {
        /// What is wanted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's word.
        why: std::io::Error,
    },
    /// Others can read the file.
    #[error("{what}: {} can be read by others (mode {mode:o}): chmod 600 it", .path.display())]
    Loose {
        /// What is wanted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Blanks, control characters, or nothing.
    #[error("{what}: not a single word of printable ASCII")]
    Form {
        /// What is wanted.
        what: &'static str,
    },
}

/// Reads a secret from a file that only its owner can read, or else from a variable of the environment.
///
/// # Errors
/// There is none, or the file is too open.
pub fn load(what: &'static str, variable: &str, file: Option<&Path>) -> Result<Secret, SecretError> {
    let text = match file {
        Some(path) => {
            let fail = |why| SecretError::File { what, path: path.to_owned(), why };
            let file = File::open(path).map_err(fail)?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = file.metadata().map_err(fail)?.permissions().mode() & 0o777;
                if mode & 0o077 != 0 {
                    return Err(SecretError::Loose { what, path: path.to_owned(), mode });
                }
            }
            let mut text = String::new();
            file.take(4096).read_to_string(&mut text).map_err(fail)?;
            text
        }
        None => std::env::var(variable).map_err(|_| SecretError::None { what, variable: variable.to_owned() })?,
    };
    let word = text.trim();
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(SecretError::Form { what });
    }
    Ok(Secret::new(word))
}

/// Writes a secret to a new file that only its owner can read.
///
/// # Errors
/// The file exists or cannot be written.
pub fn store(what: &'static str, path: &Path, secret: &Secret) -> Result<(), SecretError> {
    let fail = |why| SecretError::File { what, path: path.to_owned(), why };
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(fail)?;
    file.write_all(format!("{}\n", secret.reveal()).as_bytes()).and_then(|()| file.sync_all()).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owners_file_is_read_and_nothing_shows_it() {
        let path = std::env::temp_dir().join(format!("bridge-secret-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        store("token", &path, &Secret::new("t0p-secret")).expect("it is written");
        assert!(store("token", &path, &Secret::new("other")).is_err(), "nothing is overwritten");
        let secret = load("token", "UNSET_FOR_SURE", Some(&path)).expect("it is read");
        assert_eq!(secret.reveal(), "t0p-secret");
        assert!(!format!("{secret:?}").contains("t0p"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).expect("it is there").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            for loose in [0o640, 0o604, 0o644, 0o666] {
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(loose)).expect("ours");
                let error = load("token", "UNSET_FOR_SURE", Some(&path)).expect_err("too open").to_string();
                assert!(error.contains("chmod 600") && !error.contains("t0p"), "{error}");
            }
        }
        std::fs::remove_file(&path).expect("ours");
        let error = load("token", "UNSET_FOR_SURE", None).expect_err("none").to_string();
        assert!(error.contains("UNSET_FOR_SURE"), "{error}");
    }
}
