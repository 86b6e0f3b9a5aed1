//! Records of any form: which one a source has shows at its beginning.

use super::history::{fields_passed_over, from_history};
use super::reader::{BadLine, MOST_LINE_BYTES, json_problem};
use super::{Game, Header, HistoryError, PlayerKind, PlayerRecord, ReadError, Reader, TextReader, escaped};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead, Cursor, Read};

/// The forms that records come in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// A journal of the arena, the bridge or the board.
    Journal,
    /// The platform's history of a game.
    History,
    /// The text record.
    Text,
}

ids! {
    Form, UnknownForm, "form":
    Journal = "journal",
    History = "history",
    Text = "text",
}

/// What was read to find out the form, and the rest.
type Source<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// Records that are being read, game after game, whatever their form.
///
/// # Examples
/// ```
/// use astragal::record::{Form, Records};
///
/// let mut records = Records::new("1. PNB b1c3,e2e4,f1c4 *\n".as_bytes())?;
/// assert_eq!(records.form(), Form::Text);
/// assert!(records.next_game().is_some_and(|game| game.is_ok()));
/// # Ok::<(), astragal::record::ReadError>(())
/// ```
pub struct Records<R> {
    inner: Inner<R>,
    /// The header of a journal, as it was before games named more players.
    said: Option<Header>,
}

enum Inner<R> {
    Journal(Box<Reader<Source<R>>>),
    Text(Box<TextReader<Source<R>>>),
    History(Box<Histories<R>>),
}

/// Histories, one JSON value after another, or all in one list.
struct Histories<R> {
    reader: Source<R>,
    header: Header,
    names: BTreeMap<String, usize>,
    games: u64,
    /// Those of a list that are still to come, the last one first.
    waiting: Vec<Value>,
    over: bool,
    strange: Strange,
}

/// What is passed over, each by its name, and not without end.
#[derive(Debug, Default)]
pub(super) struct Strange(BTreeSet<String>);

impl Strange {
    const MOST: usize = 30;

    pub(super) fn add(&mut self, kind: &str, name: &str) {
        if self.0.len() < Self::MOST {
            self.0.insert(format!("{kind} {}", escaped(name, 40)));
        }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// More bytes than histories of one source have; what has more had better be a journal.
const MOST_HISTORY_BYTES: u64 = 256 << 20;

/// How much of a source tells its form.
const LOOKED_AT: u64 = 4096;

impl<R: BufRead> Records<R> {
    /// Finds out the form, and reads the header of a journal.
    ///
    /// # Errors
    /// The source cannot be read, or it is a journal of a later format.
    pub fn new(mut source: R) -> Result<Self, ReadError> {
        let mut begin = Vec::new();
        (&mut source).take(LOOKED_AT).read_to_end(&mut begin)?;
        let form = form_of(&begin);
        let reader = Cursor::new(begin).chain(source);
        let inner = match form {
            Form::Journal => Inner::Journal(Box::new(Reader::new(reader)?)),
            Form::Text => Inner::Text(Box::new(TextReader::new(reader))),
            Form::History => Inner::History(Box::new(Histories {
                reader,
                header: Header::free("", Vec::new()),
                names: BTreeMap::new(),
                games: 0,
                waiting: Vec::new(),
                over: false,
                strange: Strange::default(),
            })),
        };
        let said = match &inner {
            Inner::Journal(reader) => Some(reader.header().clone()),
            _ => None,
        };
        Ok(Self { inner, said })
    }

    /// The form.
    pub const fn form(&self) -> Form {
        match self.inner {
            Inner::Journal(_) => Form::Journal,
            Inner::Text(_) => Form::Text,
            Inner::History(_) => Form::History,
        }
    }

    /// The header of the journal, or one made up, with the players named so far.
    pub const fn header(&self) -> &Header {
        match &self.inner {
            Inner::Journal(reader) => reader.header(),
            Inner::Text(reader) => reader.header(),
            Inner::History(histories) => &histories.header,
        }
    }

    /// The header of the journal that the games come from, as it was written; none if they come from none. That of a text
    /// is known from its first game on.
    pub const fn journal_header(&self) -> Option<&Header> {
        match &self.inner {
            Inner::Journal(_) => self.said.as_ref(),
            Inner::Text(reader) => reader.journal_header(),
            Inner::History(_) => None,
        }
    }

    /// What else was passed over so far, which no [`Game`] holds: tags, marks and commands of a text, fields of a history.
    /// Fit to be shown, and no more than a few dozen.
    pub fn passed_over(&self) -> impl Iterator<Item = &str> {
        let strange = match &self.inner {
            Inner::Journal(_) => None,
            Inner::Text(reader) => Some(reader.strange()),
            Inner::History(histories) => Some(&histories.strange),
        };
        strange.into_iter().flat_map(Strange::iter)
    }

    /// How many comments for people were passed over so far, which no [`Game`] holds.
    pub const fn remarks(&self) -> usize {
        match &self.inner {
            Inner::Text(reader) => reader.remarks(),
            _ => 0,
        }
    }

    /// The number of the last line, if it was torn and so left out.
    pub const fn torn(&self) -> Option<usize> {
        match &self.inner {
            Inner::Journal(reader) => reader.torn(),
            _ => None,
        }
    }

    /// The next game, `None` at the end. After an error of one line or game the game after it can be asked for; any other
    /// error is the end.
    pub fn next_game(&mut self) -> Option<Result<Game, ReadError>> {
        match &mut self.inner {
            Inner::Journal(reader) => reader.next_game(),
            Inner::Text(reader) => reader.next_game(),
            Inner::History(histories) => histories.next_game(),
        }
    }
}

/// A journal begins with its header; a text record with a tag or a move; a history is any other JSON.
fn form_of(begin: &[u8]) -> Form {
    let begin = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
    match begin {
        [b'{', ..] => {
            // A brace begins a comment, too.
            let line = begin.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let within = |word: &[u8]| line.windows(word.len()).any(|part| part == word);
            if within(b"\"type\":\"header\"") || within(b"\"type\": \"header\"") {
                Form::Journal
            } else if begin[1..].trim_ascii_start().starts_with(b"\"") {
                Form::History
            } else {
                Form::Text
            }
        }
        [b'[', rest @ ..] if matches!(rest.trim_ascii_start(), [b'{' | b']', ..]) => Form::History,
        _ => Form::Text,
    }
}

impl<R: BufRead> Histories<R> {
    fn next_game(&mut self) -> Option<Result<Game, ReadError>> {
        loop {
            if let Some(value) = self.waiting.pop() {
                return Some(self.game(&value));
            }
            if self.over {
                return None;
            }
            let mut source = (&mut self.reader).take(MOST_HISTORY_BYTES);
            // A value at a time; the stream reads no byte beyond it, so that it can be begun anew.
            let value = serde_json::Deserializer::from_reader(&mut source).into_iter::<Value>().next();
            match value {
                None => self.over = true,
                Some(Ok(Value::Array(list))) => self.waiting = list.into_iter().rev().collect(),
                Some(Ok(value)) => return Some(self.game(&value)),
                Some(Err(error)) => {
                    // Where the next one begins cannot be told.
                    self.over = true;
                    let game = self.games + 1;
                    return Some(Err(HistoryError { game, turn: None, what: json_problem(&error) }.into()));
                }
            }
        }
    }

    fn game(&mut self, value: &Value) -> Result<Game, ReadError> {
        let number = self.games;
        self.games += 1;
        let mut game = from_history(value, number)?;
        fields_passed_over(value, |name| self.strange.add("field", name));
        let header = &mut self.header;
        let mut place = |name: &str| {
            *self.names.entry(name.to_owned()).or_insert_with(|| {
                header.players.push(PlayerRecord::named(name, PlayerKind::Remote));
                header.players.len() - 1
            })
        };
        let places = [place(&game.seats[0].name), place(&game.seats[1].name)];
        game.end.player = game.end.player.and_then(|side| places.get(side).copied());
        [game.white, game.black] = places;
        Ok(game)
    }
}

/// A game as a line of a journal with that header, with its end.
///
/// # Errors
/// The line would be too long to be read again.
pub fn game_line(game: &Game, header: &Header) -> Result<String, BadLine> {
    let line = super::line::Line::Game(Box::new(super::line::GameLine::of(game, header)));
    let bad = |what: String| BadLine { number: 0, what };
    let text = serde_json::to_string(&line).map_err(|error| bad(json_problem(&error)))? + "\n";
    if text.len() > MOST_LINE_BYTES {
        return Err(bad(format!("a line would have more than {} MiB", MOST_LINE_BYTES >> 20)));
    }
    Ok(text)
}
