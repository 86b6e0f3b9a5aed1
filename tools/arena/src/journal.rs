//! The journal: records on disk, one JSON line each, written as games end.
//!
//! A line is written with one call, so that whatever kills the arena costs at most the last line, which is then dropped
//! when the journal is read. Games stand in the order in which they ended; when an event that repeats is over they are
//! put in order of their numbers, so that the file does not depend on how many were played at the same time.

use crate::record::{FORMAT, Game, Header, Line};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The most bytes of a line, its end included. A game of a thousand turns has a quarter of a MiB, and a header a hundred
/// bytes for each opening; what has more is no journal, and need not be read to its end (a device may have none).
const MOST_LINE_BYTES: usize = 64 << 20;

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
    /// Another arena writes it.
    #[error("journal {0} is in use by another arena")]
    InUse(PathBuf),
    /// It does not begin with a header.
    #[error("journal {0}: line 1 is no header of an arena's journal")]
    NoHeader(PathBuf),
    /// It was written by another version.
    #[error("journal {0}: its format is {1}, this arena reads {FORMAT}")]
    Format(PathBuf, u32),
    /// A line in the middle that cannot be read.
    #[error("journal {0}: line {1}: {2}")]
    Line(PathBuf, usize, String),
    /// A line without an end in sight.
    #[error("journal {0}: line {1} has more than {most} MiB", most = MOST_LINE_BYTES >> 20)]
    LongLine(PathBuf, usize),
    /// It is the journal of something else.
    #[error("journal {0} is of another event: {1} differs")]
    Differs(PathBuf, &'static str),
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

/// What reading a journal found besides its games.
#[derive(Debug)]
pub struct Contents {
    /// Its header.
    pub header: Header,
    /// How many bytes of it are whole lines.
    whole_bytes: u64,
    /// Something to tell: the last line was torn.
    pub note: Option<String>,
}

/// Reads the next line into `line`, which is cleared; returns its length, 0 at the end. A line that is too long is not
/// read further than that shows: it has more than [`MOST_LINE_BYTES`].
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    reader.take(MOST_LINE_BYTES as u64 + 1).read_until(b'\n', line)
}

/// Reads a journal; `visit` is given each game.
///
/// # Errors
/// It cannot be read, a line is too long, or anything but the last line is broken.
pub fn read(path: &Path, mut visit: impl FnMut(Game)) -> Result<Contents, JournalError> {
    let io_error = |error| JournalError::Io(path.to_owned(), error);
    let mut reader = BufReader::new(File::open(path).map_err(io_error)?);
    let mut bytes = Vec::new();
    let mut whole_bytes = 0;
    let mut header = None;
    let mut note = None;
    let mut seen = BTreeSet::new();
    for number in 1.. {
        match read_line(&mut reader, &mut bytes).map_err(io_error)? {
            0 => break,
            1..=MOST_LINE_BYTES => {}
            _ => return Err(JournalError::LongLine(path.to_owned(), number)),
        }
        let is_last = !bytes.ends_with(b"\n") || reader.fill_buf().map_err(io_error)?.is_empty();
        let broken = |what: String| JournalError::Line(path.to_owned(), number, what);
        let parsed: Result<Line, String> = match bytes.ends_with(b"\n") {
            true => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
            false => Err("it has no end".to_owned()),
        };
        match (parsed, &header) {
            (Ok(Line::Header(found)), None) if found.format == FORMAT => header = Some(*found),
            (Ok(Line::Header(found)), None) => return Err(JournalError::Format(path.to_owned(), found.format)),
            (_, None) => return Err(JournalError::NoHeader(path.to_owned())),
            (Ok(Line::Header(_)), Some(_)) => return Err(broken("a second header".to_owned())),
            (Ok(Line::Game(game)), Some(header)) => {
                if !seen.insert(game.number) {
                    return Err(broken(format!("game {} for the second time", game.number + 1)));
                }
                if game.white.max(game.black) >= header.players.len() {
                    return Err(broken("a player that the header does not name".to_owned()));
                }
                visit(*game);
            }
            (Err(_), Some(_)) if is_last => {
                note = Some(format!("journal {}: line {number} was torn and is dropped", path.display()));
                break;
            }
            (Err(error), Some(_)) => return Err(broken(error)),
        }
        whole_bytes += bytes.len() as u64;
    }
    let header = header.ok_or_else(|| JournalError::NoHeader(path.to_owned()))?;
    Ok(Contents { header, whole_bytes, note })
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
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        journal.write(&Line::Header(Box::new(header.clone())))?;
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
        let mut journal = Self { path: path.to_owned(), file };
        journal.lock()?;
        // Killed before the header was whole, it holds nothing yet.
        let mut first = Vec::new();
        let length = read_line(&mut BufReader::new(&journal.file), &mut first).map_err(io_error)?;
        if length <= MOST_LINE_BYTES
            && !first.ends_with(b"\n")
            && (first.is_empty() || first.starts_with(b"{\"type\":\"header\""))
        {
            journal.file.set_len(0).map_err(io_error)?;
            journal.write(&Line::Header(Box::new(header.clone())))?;
        }
        let contents = read(path, visit)?;
        if let Some(what) = difference(&contents.header, header) {
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

    /// Writes a game.
    ///
    /// # Errors
    /// The system cannot write it.
    pub fn append(&mut self, game: &Game) -> Result<(), JournalError> {
        self.write(&Line::Game(Box::new(game.clone())))
    }

    fn write(&mut self, line: &Line) -> Result<(), JournalError> {
        let io_error = |error| JournalError::Io(self.path.clone(), error);
        let mut text = serde_json::to_string(line).map_err(|error| io_error(error.into()))?;
        text.push('\n');
        if text.len() > MOST_LINE_BYTES {
            // It could not be read again.
            let what = format!("a line would have more than {} MiB", MOST_LINE_BYTES >> 20);
            return Err(io_error(io::Error::new(io::ErrorKind::FileTooLarge, what)));
        }
        self.file.write_all(text.as_bytes()).map_err(io_error)
    }

    /// Puts the games in order of their numbers, without those that `keep` is false for. The file is replaced at
    /// once, so that it is whole at any time.
    ///
    /// # Errors
    /// It cannot be read or written; the journal is then as it was.
    pub fn put_in_order(self, keep: impl Fn(u64) -> bool) -> Result<(), JournalError> {
        let Self { path, mut file } = self;
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

/// What makes two headers belong to different events; what they were played on is no part of that.
pub fn difference(one: &Header, other: &Header) -> Option<&'static str> {
    let differs = [
        (one.event != other.event, "the kind of event"),
        (one.players != other.players, "a player"),
        (one.seed != other.seed, "the seed"),
        (one.control != other.control, "the time control"),
        (one.margin_ms != other.margin_ms, "the margin"),
        (one.games_per_pairing != other.games_per_pairing, "the number of games"),
        (one.mirrored != other.mirrored, "whether pairs are mirrored"),
        (one.openings != other.openings, "the openings"),
        (one.adjudication != other.adjudication, "the adjudication"),
        (one.sprt != other.sprt, "the sequential test"),
        (one.luck != other.luck, "whether luck is computed"),
        (one.shard != other.shard, "the shard"),
        (one.engine != other.engine, "the version of the engine library"),
    ];
    differs.into_iter().find_map(|(differs, what)| differs.then_some(what))
}
