//! Making an event longer: the header of its journal is written anew with more games, and the rest stays.
//!
//! A game is a function of its number, so the games that are there stay what they are in the longer event. A part of an
//! event is not made longer, since the other parts would be of another event then, nor is a match that its sequential
//! test has decided: games after the verdict would change the score but not the verdict.

use crate::journal::{self, JournalError, difference};
use crate::record::{FORMAT, Header};
use crate::tally::{GameSummary, StoppingRule, pairs};
use crate::text::count;
use astragal::record::{Reader, header_line};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why an event cannot be made longer.
#[derive(Debug, Error)]
pub enum LengthenError {
    /// Its journal is that of another event, cannot be read or written, or is in use.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It would be shorter.
    #[error("journal {0} is of an event of {games} of each pairing; it can be made longer, not shorter", games = count(*.1, "game"))]
    Shorter(PathBuf, u64),
    /// It is one part of several.
    #[error(
        "journal {0} is a part of an event of {games} of each pairing, which cannot be made longer part by part; play \
         another event with another seed",
        games = count(*.1, "game")
    )]
    Shard(PathBuf, u64),
    /// Its sequential test has ended it.
    #[error(
        "journal {0}: the sequential test was decided after {pairs}, so that the event cannot be made longer; more games \
         would not count",
        pairs = count(*.1, "pair")
    )]
    Decided(PathBuf, u64),
}

/// Sees whether the journal is that of the same event with fewer games, and makes it as long as the header says.
/// Returns how many games of each pairing it had before; none if there was nothing to do, which is also the answer for
/// a file that holds no journal.
///
/// # Errors
/// It cannot be made longer.
pub fn lengthen(path: &Path, header: &Header) -> Result<Option<u64>, LengthenError> {
    let Some(before) = header_of(path) else { return Ok(None) };
    let (had, wanted) = (before.games_per_pairing, header.games_per_pairing);
    if had == wanted {
        return Ok(None);
    }
    let longer = Header { games_per_pairing: wanted, ..before };
    if let Some(what) = difference(&longer, header) {
        return Err(JournalError::Differs(path.to_owned(), what).into());
    }
    if wanted < had {
        return Err(LengthenError::Shorter(path.to_owned(), had));
    }
    if longer.shard.is_some() {
        return Err(LengthenError::Shard(path.to_owned(), had));
    }
    if let Some(pairs) = decided_after(path, &longer)? {
        return Err(LengthenError::Decided(path.to_owned(), pairs));
    }
    rewrite(path, &longer)?;
    Ok(Some(had))
}

/// The header of a journal that is a regular file and begins with one.
fn header_of(path: &Path) -> Option<Header> {
    if !path.is_file() {
        return None;
    }
    // Whatever else is wrong with the file is for its reader to say; so is that it is of an older format.
    let reader = Reader::new(BufReader::new(File::open(path).ok()?)).ok()?;
    Some(reader.header().clone()).filter(|header| header.format == FORMAT)
}

/// The most bytes of a header that are read here, as many as a line of a journal has.
const MOST_HEADER_BYTES: u64 = 16 << 20;

fn journal_lines(file: &File) -> impl BufRead + '_ {
    BufReader::new(file).take(MOST_HEADER_BYTES)
}

/// After how many pairs the sequential test of the event was decided; none if it was not, or there is none.
fn decided_after(path: &Path, header: &Header) -> Result<Option<u64>, JournalError> {
    let Some(test) = crate::report::sprt_of(header) else { return Ok(None) };
    let mut games: Vec<GameSummary> = Vec::new();
    journal::read(path, |game| games.push(GameSummary::from(&game)))?;
    let mut rule = StoppingRule::new(Some(test));
    let in_a_row = (0..).zip(pairs(&games)).take_while(|(number, pair)| pair.pair == *number);
    let decided = in_a_row.map(|(_, pair)| pair).find(|pair| rule.stops(pair));
    Ok(decided.map(|pair| pair.pair + 1))
}

/// Puts another header in the place of the first line. The file is replaced at once, so that it is whole at any time.
fn rewrite(path: &Path, header: &Header) -> Result<(), JournalError> {
    let io_error = |error| JournalError::Io(path.to_owned(), error);
    let mut file = OpenOptions::new().read(true).append(true).open(path).map_err(io_error)?;
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(JournalError::InUse(path.to_owned()));
    }
    with_header(path, &mut file, header).map_err(io_error)
}

fn with_header(path: &Path, file: &mut File, header: &Header) -> io::Result<()> {
    let mut first = Vec::new();
    let length = journal_lines(file).read_until(b'\n', &mut first)?;
    file.seek(SeekFrom::Start(length as u64))?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    let mut writer = BufWriter::new(File::create(&beside)?);
    writer.write_all(header_line(header)?.as_bytes())?;
    io::copy(file, &mut writer)?;
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&beside, path)
}
