//! The opening book: a table of positions with their dice and the turns to play there.
//!
//! One line a turn: `<placement> <side> <castling> <en passant> <dice>`, a tab, the turn, and perhaps a tab and a weight.
//! This format is shared with other programs; its key keeps only what counts at once (see [`book_key`]).

use crate::board::{DfenError, Dice, PieceType, Rolled, attacks};
use crate::rules::{Turn, TurnTextError, apply_roll};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A turn of the book and how often it is to be chosen beside the others of its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The turn; its micro-moves may stand in any order.
    pub turn: Turn,
    /// Its weight; 0 is never chosen.
    pub weight: u32,
}

/// The entries of one position; most positions have few.
pub type Entries = SmallVec<[Entry; 2]>;

/// An opening book in memory.
#[derive(Clone, Debug, Default)]
pub struct Book {
    // Looked up only, never iterated over, so its order does not matter.
    entries: HashMap<String, Entries>,
}

/// A line that was skipped.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {problem}")]
pub struct BookLineError {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: LineProblem,
}

/// What can be wrong with a line of a book.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LineProblem {
    /// Not two or three columns.
    #[error("must be a position, a tab, a turn and perhaps a tab and a weight")]
    Columns,
    /// The first column has not five fields.
    #[error("the position must have 5 fields (placement, side, castling, en passant, dice), not {0}")]
    Fields(usize),
    /// The position is not sound.
    #[error("{}: {}", .0.field(), .0)]
    Position(DfenError),
    /// There are no dice.
    #[error("dice: there must be some")]
    NoDice,
    /// The turn is not one.
    #[error("turn: {0}")]
    Turn(#[from] TurnTextError),
    /// The weight is not one.
    #[error("weight: must be a whole number from 0 to 4294967295")]
    Weight,
}

/// Why a book cannot be read at all.
#[derive(Debug, Error)]
#[error("book {}: {source}", .path.display())]
pub struct BookError {
    path: PathBuf,
    source: io::Error,
}

/// The key of a position with its dice in the shared format: placement, side, the rights to castle, the en passant
/// targets that a pawn of the side to move attacks now, and the dice in alphabetical order (B K N P Q R), upper case for
/// White and lower case for Black.
pub fn book_key(rolled: &Rolled) -> String {
    let position = &rolled.position;
    let us = position.side();
    let mut targets: Vec<String> = position
        .enemy_targets()
        .filter(|&target| (attacks::pawn(!us, target) & position.pieces(us, PieceType::Pawn)).any())
        .map(|target| target.to_string())
        .collect();
    targets.sort();
    let mut dice: Vec<char> = rolled.dice.iter().map(|die| us.cased(die.letter())).collect();
    dice.sort_unstable();
    let dfen = position.to_string();
    let mut fields = dfen.split(' ');
    let mut key = String::with_capacity(dfen.len());
    // Writing to a string cannot fail.
    let _ = write!(key, "{} ", fields.next().unwrap_or_default());
    let _ = write!(key, "{} {} ", us.letter(), position.castling());
    key.push_str(if targets.is_empty() { "-" } else { "" });
    targets.iter().for_each(|target| key.push_str(target));
    key.push(' ');
    key.extend(dice);
    key
}

impl Book {
    /// Reads a book. Bad lines are skipped and returned beside it; blank ones and those that begin with `#` are comments.
    pub fn parse(text: &str) -> (Self, Vec<BookLineError>) {
        let mut book = Self::default();
        let mut errors = Vec::new();
        for (line, content) in (1..).zip(text.lines()) {
            if content.trim().is_empty() || content.starts_with('#') {
                continue;
            }
            match parse_line(content) {
                Ok((key, entry)) => book.entries.entry(key).or_default().push(entry),
                Err(problem) => errors.push(BookLineError { line, problem }),
            }
        }
        (book, errors)
    }

    /// Reads a book from a file; what is not UTF-8 makes its line a bad one.
    ///
    /// # Errors
    /// The file cannot be read, is no regular file, or has more than 1 GiB.
    pub fn load(path: &Path) -> Result<(Self, Vec<BookLineError>), BookError> {
        match read(path) {
            Ok(bytes) => Ok(Self::parse(&String::from_utf8_lossy(&bytes))),
            Err(source) => Err(BookError { path: path.to_owned(), source }),
        }
    }

    /// How many positions are in the book.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the book is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries for a position with its dice that are legal, in the order of the book, each turn in a legal order of
    /// its micro-moves (the one of the book, if it is legal).
    pub fn lookup(&self, rolled: &Rolled) -> Entries {
        let Some(entries) = self.entries.get(&book_key(rolled)) else { return Entries::new() };
        entries
            .iter()
            .filter(|entry| entry.weight > 0)
            .filter_map(|entry| Some(Entry { turn: legal_order(rolled, entry.turn)?, weight: entry.weight }))
            .collect()
    }
}

/// Larger files are no books.
const MOST_BYTES: u64 = 1 << 30;

/// The whole of a regular file. Others are not even opened: a pipe may never have anything to say, and a device may
/// never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that is too large, also one that grows meanwhile.
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let text = format!("there are more than {MOST_BYTES} bytes in it");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

fn parse_line(line: &str) -> Result<(String, Entry), LineProblem> {
    let mut columns = line.split('\t');
    let (Some(position), Some(turn), weight, None) = (columns.next(), columns.next(), columns.next(), columns.next())
    else {
        return Err(LineProblem::Columns);
    };
    let fields: Vec<&str> = position.split_ascii_whitespace().collect();
    let &[placement, side, castling, en_passant, dice] = fields.as_slice() else {
        return Err(LineProblem::Fields(fields.len()));
    };
    let rolled = Rolled::from_dfen(&format!("{placement} {side} {castling} {en_passant} 0 1 {dice}"))
        .map_err(LineProblem::Position)?;
    if rolled.dice.is_empty() {
        return Err(LineProblem::NoDice);
    }
    let weight = match weight.map(str::trim) {
        None | Some("") => 1,
        Some(weight) => weight.parse().map_err(|_| LineProblem::Weight)?,
    };
    Ok((book_key(&rolled), Entry { turn: turn.trim().parse()?, weight }))
}

/// The micro-moves of a turn in an order in which they are legal, the given one first.
fn legal_order(rolled: &Rolled, turn: Turn) -> Option<Turn> {
    let moves = turn.moves();
    orders(moves.len()).into_iter().find_map(|order| {
        let reordered = order.iter().fold(Turn::PASS, |turn, &number| turn.then(moves[number]));
        apply_roll(rolled, reordered).is_ok().then_some(reordered)
    })
}

/// All orders of `n` things, n at most 3.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let all = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let count = [1, 1, 2, 6][n.min(Dice::MOST)];
    // The orders of fewer things are those of three in which the others stay at the end.
    let short = all.into_iter().filter(|order| (n..Dice::MOST).all(|place| order[place] == place));
    short.take(count).map(|order| order[..n].to_vec()).collect()
}

/// One line of a book.
pub fn book_line(rolled: &Rolled, turn: Turn, weight: u32) -> String {
    format!("{}\t{turn}\t{weight}", book_key(rolled))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rolled(dfen: &str) -> Rolled {
        Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"))
    }

    #[test]
    fn the_key_keeps_only_what_counts() {
        let start = rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 RPB");
        assert_eq!(book_key(&start), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BPR");
        let nobody = rolled("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 knp");
        assert_eq!(book_key(&nobody), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - knp");
        let one = rolled("4k3/8/8/8/P1Pp4/8/8/4K3 b - a3c3 0 9 kkp");
        assert_eq!(book_key(&one), "4k3/8/8/8/P1Pp4/8/8/4K3 b - c3 kkp");
    }

    #[test]
    fn entries_match_by_their_micro_moves_in_any_order() {
        let key = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP";
        let text = format!("{key}\tf1c4,e2e4,g1f3\t3\n{key}\te2e4,f1c4,b1c3\n{key}\te2e5,f1c4,b1c3\t9\n");
        let (book, errors) = Book::parse(&text);
        assert!(errors.is_empty(), "{errors:?}");
        let found = book.lookup(&rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB"));
        let texts: Vec<(String, u32)> = found.iter().map(|entry| (entry.turn.to_string(), entry.weight)).collect();
        assert_eq!(texts, [("e2e4,f1c4,g1f3".to_owned(), 3), ("e2e4,f1c4,b1c3".to_owned(), 1)]);
        assert!(book.lookup(&rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PPP")).is_empty());
    }

    #[test]
    fn bad_lines_are_named_and_skipped() {
        let key = "4k3/8/8/8/8/8/8/4K3 w - - KKK";
        let text = format!(
            "# a comment\n\n{key}\te1e2,e2e3,e3e4\nnonsense\n4k3/8/8/8/8/8/8/4K3 w - -\te1e2\n\
             4k3/8/8/8/8/8/8/8 w - - KKK\te1e2\n{key}\te1\n{key}\te1e2,e2e3,e3e4\tmany\n4k3/8/8/8/8/8/8/4K3 w - - -\te1e2\n"
        );
        let (book, errors) = Book::parse(&text);
        assert_eq!(book.len(), 1);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
        assert!(errors[2].to_string().contains("placement"), "{}", errors[2]);
    }

    #[test]
    fn what_is_no_regular_file_is_refused_and_not_read() {
        let error = Book::load(Path::new("src")).map(|_| ()).expect_err("a directory").to_string();
        assert_eq!(error, "book src: this is no regular file");
        if cfg!(unix) {
            // It never ends.
            let error = Book::load(Path::new("/dev/zero")).map(|_| ()).expect_err("a device").to_string();
            assert_eq!(error, "book /dev/zero: this is no regular file");
        }
    }

    #[test]
    fn orders_are_all_and_the_given_one_is_first() {
        for (n, count) in [(0, 1), (1, 1), (2, 2), (3, 6)] {
            let mut found = orders(n);
            assert_eq!(found[0], (0..n).collect::<Vec<_>>());
            found.sort();
            found.dedup();
            assert_eq!(found.len(), count);
        }
    }
}
