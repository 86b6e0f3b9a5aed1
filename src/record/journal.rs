//! The journal: games on disk, one JSON line each, written as games end.
//!
//! A line is written with one call, so that whatever kills the writer costs at most the last line, which is then left out
//! when the journal is read.

use super::event::{EventKind, FORMAT, Header, difference};
use super::game::Game;
use super::line::{GameLine, Line};
use super::reader::{MOST_LINE_BYTES, ReadError, Reader, read_line};
use super::whole::write_whole;
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a journal cannot be read or written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The system's word.
    #[error("journal {0}: {1}")]
    Io(PathBuf, io::Error),
    /// There is one already.
    #[error("journal {0} exists; --resume continues it")]
    Exists(PathBuf),
    /// A folder or a device.
    #[error("journal {0} is no file")]
    NoFile(PathBuf),
    /// Another program writes it.
    #[error("journal {0} is in use by another arena")]
    InUse(PathBuf),
    /// It cannot be read.
    #[error("journal {0}: {1}")]
    Read(PathBuf, ReadError),
    /// It is the journal of something else.
    #[error("journal {0} is of another event: {1} differs")]
    Differs(PathBuf, &'static str),
    /// It is of a format that is read and no longer written.
    #[error(
        "journal {0} is of format {1}, which is read but not continued; `arena merge` writes it anew in format {FORMAT}"
    )]
    OldFormat(PathBuf, u32),
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    header: Header,
}

/// What reading a journal found besides its games.
#[derive(Debug)]
pub struct Contents {
    /// Its header, with all players that games named.
    pub header: Header,
    /// How many bytes of it are whole lines.
    whole_bytes: u64,
    /// Something to tell: the last line was torn.
    pub note: Option<String>,
}

/// Reads a journal that must be sound; `visit` is given each game. [`Reader`] goes on after bad lines.
///
/// # Errors
/// It cannot be read, a line is too long, or anything but the last line is broken.
pub fn read(path: &Path, mut visit: impl FnMut(Game)) -> Result<Contents, JournalError> {
    let file = File::open(path).map_err(|error| JournalError::Io(path.to_owned(), error))?;
    let failed = |error| match error {
        ReadError::Io(error) => JournalError::Io(path.to_owned(), error),
        error => JournalError::Read(path.to_owned(), error),
    };
    let mut reader = Reader::new(BufReader::new(file)).map_err(failed)?;
    while let Some(game) = reader.next_game() {
        visit(game.map_err(failed)?);
    }
    let note = reader.torn().map(|line| format!("journal {}: line {line} was torn and is dropped", path.display()));
    Ok(Contents { header: reader.header().clone(), whole_bytes: reader.whole_bytes(), note })
}

impl Journal {
    /// Begins a journal.
    ///
    /// # Errors
    /// The file exists or cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let opened = OpenOptions::new().read(true).append(true).create_new(true).open(path);
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists if !path.is_file() => JournalError::NoFile(path.to_owned()),
            io::ErrorKind::AlreadyExists => JournalError::Exists(path.to_owned()),
            _ => JournalError::Io(path.to_owned(), error),
        })?;
        let mut journal = Self { path: path.to_owned(), file, header: header.clone() };
        journal.lock()?;
        journal.write_header()?;
        Ok(journal)
    }

    /// Goes on with a journal of the same event; `visit` is given the games it holds. A torn last line is cut off.
    ///
    /// # Errors
    /// It cannot be read or written, or is of another event.
    pub fn resume(path: &Path, header: &Header, visit: impl FnMut(Game)) -> Result<(Self, Contents), JournalError> {
        let io_error = |error| JournalError::Io(path.to_owned(), error);
        // A device might have no end.
        if !std::fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(JournalError::NoFile(path.to_owned()));
        }
        let file = OpenOptions::new().read(true).append(true).open(path).map_err(io_error)?;
        let mut journal = Self { path: path.to_owned(), file, header: header.clone() };
        journal.lock()?;
        // Killed before the header was whole, it holds nothing yet.
        let mut first = Vec::new();
        let length = read_line(&mut BufReader::new(&journal.file), &mut first).map_err(io_error)?;
        if length <= MOST_LINE_BYTES
            && !first.ends_with(b"\n")
            && (first.is_empty() || first.starts_with(b"{\"type\":\"header\""))
        {
            journal.file.set_len(0).map_err(io_error)?;
            journal.write_header()?;
        }
        let contents = read(path, visit)?;
        if contents.header.format != FORMAT {
            return Err(JournalError::OldFormat(path.to_owned(), contents.header.format));
        }
        let mut written = contents.header.clone();
        if written.event == EventKind::Free {
            // Those after them are known from games only.
            written.players.truncate(header.players.len());
        }
        if let Some(what) = difference(&written, header) {
            return Err(JournalError::Differs(path.to_owned(), what));
        }
        journal.file.set_len(contents.whole_bytes).map_err(io_error)?;
        Ok((journal, contents))
    }

    fn lock(&self) -> Result<(), JournalError> {
        match self.file.try_lock() {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(JournalError::InUse(self.path.clone())),
            // Some file systems have no locks; that must not keep anybody from playing.
            Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    fn write_header(&mut self) -> Result<(), JournalError> {
        let line = serde_json::to_string(&Line::Header(Box::new(Cow::Borrowed(&self.header))));
        self.write(line)
    }

    /// Writes a game.
    ///
    /// # Errors
    /// The system cannot write it.
    pub fn append(&mut self, game: &Game) -> Result<(), JournalError> {
        let line = serde_json::to_string(&Line::Game(Box::new(GameLine::of(game, &self.header))));
        self.write(line)
    }

    fn write(&mut self, line: serde_json::Result<String>) -> Result<(), JournalError> {
        let io_error = |error| JournalError::Io(self.path.clone(), error);
        let mut text = line.map_err(|error| io_error(error.into()))?;
        text.push('\n');
        if text.len() > MOST_LINE_BYTES {
            // It could not be read again.
            let what = format!("a line would have more than {} MiB", MOST_LINE_BYTES >> 20);
            return Err(io_error(io::Error::new(io::ErrorKind::FileTooLarge, what)));
        }
        write_whole(&mut self.file, text.as_bytes()).map_err(io_error)
    }

    /// Puts the games in order of their numbers, without those that `keep` is false for. The file is replaced at
    /// once, so that it is whole at any time.
    ///
    /// # Errors
    /// It cannot be read or written; the journal is then as it was.
    pub fn put_in_order(self, keep: impl Fn(u64) -> bool) -> Result<(), JournalError> {
        let Self { path, mut file, .. } = self;
        sort(&path, &mut file, keep).map_err(|error| JournalError::Io(path, error))
    }
}

/// What a game's line is sorted by.
#[derive(Deserialize)]
struct Numbered {
    number: u64,
    pair: u64,
}

fn sort(path: &Path, file: &mut File, keep: impl Fn(u64) -> bool) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    let mut reader = BufReader::new(&*file);
    let mut line = Vec::new();
    let header = read_line(&mut reader, &mut line)?;
    let mut place = header as u64;
    let mut games: Vec<(u64, u64, usize)> = Vec::new();
    let mut dropped = false;
    loop {
        let length = read_line(&mut reader, &mut line)?;
        if length == 0 {
            break;
        }
        let Numbered { number, pair } = serde_json::from_slice(&line)?;
        if keep(pair) {
            games.push((number, place, length));
        } else {
            dropped = true;
        }
        place += length as u64;
    }
    if !dropped && games.is_sorted() {
        return Ok(());
    }
    games.sort_unstable();
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut writer = BufWriter::new(File::create(&beside)?);
    for (place, length) in std::iter::once((0, header)).chain(games.iter().map(|&(_, place, length)| (place, length))) {
        reader.seek(SeekFrom::Start(place))?;
        line.resize(length, 0);
        reader.read_exact(&mut line)?;
        writer.write_all(&line)?;
    }
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&beside, path)
}
