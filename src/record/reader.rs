//! Reading journals, whoever wrote them.

use super::escape::escaped;
use super::event::{FORMAT, Header};
use super::game::Game;
use super::history::HistoryError;
use super::line::Line;
use super::text::TextError;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// The most bytes of a line, its end included. A game of a thousand turns has a quarter of a MiB, and a header a hundred
/// bytes for each opening; what has more is no journal, and need not be read to its end (a device may have none).
pub(super) const MOST_LINE_BYTES: usize = 16 << 20;

/// What some editors begin a file with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Why a journal cannot be read, or not any further.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The system's word.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin with a header.
    #[error("line 1 is no header of a journal")]
    NoHeader,
    /// It was written by a later version.
    #[error("its format is {0}; formats 1 to {FORMAT} can be read")]
    Format(u32),
    /// A line without an end in sight; nothing after it is read.
    #[error("line {0} has more than {most} MiB", most = MOST_LINE_BYTES >> 20)]
    LongLine(usize),
    /// A line that cannot be read.
    #[error("{0}")]
    Line(#[from] BadLine),
    /// A game of a text that cannot be read.
    #[error("{0}")]
    Text(#[from] TextError),
    /// A game of a platform's history that cannot be read.
    #[error("{0}")]
    History(#[from] HistoryError),
}

/// A line that cannot be read; those after it can.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {number}: {what}")]
pub struct BadLine {
    /// Its number, from 1.
    pub number: usize,
    /// What is wrong, fit to be shown.
    pub what: String,
}

/// Reads the next line into `line`, which is cleared; returns its length, 0 at the end. A line that is too long is not
/// read further than that shows: it has more than [`MOST_LINE_BYTES`].
pub(super) fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    reader.take(MOST_LINE_BYTES as u64 + 1).read_until(b'\n', line)
}

/// The lines of a source, bounded and counted; a byte order mark before the first is left out.
pub(super) struct Lines<R> {
    reader: R,
    bytes: Vec<u8>,
    /// The number of the line in `bytes`.
    pub(super) number: usize,
    /// How many bytes of the source the lines before it have.
    pub(super) before: u64,
    length: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, bytes: Vec::new(), number: 0, before: 0, length: 0 }
    }

    /// The next line with its end, if it has one.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ReadError> {
        self.before += self.length as u64;
        self.number += 1;
        self.length = read_line(&mut self.reader, &mut self.bytes)?;
        if self.length > MOST_LINE_BYTES {
            return Err(ReadError::LongLine(self.number));
        }
        let mark = if self.number == 1 && self.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Ok((self.length > 0).then_some(&self.bytes[mark..]))
    }

    /// Whether nothing follows the line.
    pub(super) fn is_last(&mut self) -> io::Result<bool> {
        Ok(!self.bytes.ends_with(b"\n") || self.reader.fill_buf()?.is_empty())
    }
}

/// What is wrong with a text that is no JSON of the right form. The message may quote it, so it is escaped.
pub(super) fn json_problem(error: &serde_json::Error) -> String {
    escaped(&error.to_string(), 300)
}

/// A journal that is being read: its header, then game after game.
///
/// # Examples
/// ```
/// use astragal::record::Reader;
///
/// assert!(Reader::new("no journal\n".as_bytes()).is_err());
/// ```
pub struct Reader<R> {
    lines: Lines<R>,
    header: Header,
    names: BTreeMap<String, usize>,
    numbers: BTreeSet<u64>,
    whole_bytes: u64,
    torn: Option<usize>,
    over: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// There is none, or it is of a later format.
    pub fn new(reader: R) -> Result<Self, ReadError> {
        let mut lines = Lines::new(reader);
        let line = lines.next()?.unwrap_or_default();
        let header = match parse(line) {
            Ok(Line::Header(header)) => header.into_owned(),
            _ => return Err(ReadError::NoHeader),
        };
        if !(1..=FORMAT).contains(&header.format) {
            return Err(ReadError::Format(header.format));
        }
        let whole_bytes = lines.length as u64;
        Ok(Self {
            lines,
            header,
            names: BTreeMap::new(),
            numbers: BTreeSet::new(),
            whole_bytes,
            torn: None,
            over: false,
        })
    }

    /// The header, with the players that games have named so far.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The next game, `None` at the end. After a [`ReadError::Line`] the game after it can be asked for; any other error is
    /// the end.
    pub fn next_game(&mut self) -> Option<Result<Game, ReadError>> {
        if self.over {
            return None;
        }
        let game = self.read_game().transpose();
        self.over = !matches!(game, Some(Ok(_) | Err(ReadError::Line(_))));
        game
    }

    /// The number of the last line, if it was torn (whoever wrote it was killed), and so is left out.
    pub const fn torn(&self) -> Option<usize> {
        self.torn
    }

    /// How many bytes the journal has up to the last whole line that was read.
    pub const fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    fn read_game(&mut self) -> Result<Option<Game>, ReadError> {
        let parsed = match self.lines.next()? {
            None => return Ok(None),
            Some(line) => parse(line),
        };
        let number = self.lines.number;
        let broken = |what: &str| Err(BadLine { number, what: what.to_owned() }.into());
        let game = match parsed {
            Ok(Line::Header(_)) => return broken("a second header"),
            Ok(Line::Game(line)) => match line.game(&mut self.header, &mut self.names) {
                Ok(game) => game,
                Err(what) => return broken(what),
            },
            Err(_) if self.lines.is_last()? => {
                self.torn = Some(number);
                return Ok(None);
            }
            Err(what) => return broken(&what),
        };
        if !self.numbers.insert(game.number) {
            return broken(&format!("game {} for the second time", game.number + 1));
        }
        self.whole_bytes = self.lines.before + self.lines.length as u64;
        Ok(Some(game))
    }
}

fn parse(line: &[u8]) -> Result<Line<'static>, String> {
    if !line.ends_with(b"\n") {
        return Err("it has no end".to_owned());
    }
    Line::parse(line).map_err(|error| json_problem(&error))
}
