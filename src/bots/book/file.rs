//! The opening book: a table of positions with their dice and the turns to play there.
//!
//! One line a turn: `<placement> <side> <castling> <en passant> <dice>`, a tab, the turn, and perhaps a tab and a weight.
//! This format is shared with other programs; its key keeps only what counts at once (see [`book_key`]).

use super::source::{MOST_LINE, open, read_line};
use crate::board::{DfenError, Dice, PieceType, Rolled, attacks};
use crate::rules::{Turn, TurnTextError, apply_roll};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::fmt::Write;
use std::io::{self, BufRead, BufReader};
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

/// The lines of a book that were skipped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BadLines {
    /// The first of them, at most 100.
    pub named: Vec<BookLineError>,
    /// How many there are.
    pub count: usize,
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
    /// More bytes than a line has.
    #[error("it has more than {MOST_LINE} bytes")]
    Long,
    /// The position has as many turns as it may have.
    #[error("there are more than {MOST_FOR_ONE} turns for this position")]
    Crowded,
    /// The book has as many turns as it may have; the rest of the file is not read.
    #[error("there are more than {MOST_TURNS} turns; the rest is not read")]
    Full,
    /// There are more bad lines than a book may have; the rest of the file is not read.
    #[error("there are more than {MOST_BAD} bad lines before it; the rest is not read")]
    NoBook,
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
    /// A byte order mark at the beginning is passed over.
    pub fn parse(text: &str) -> (Self, BadLines) {
        // Reading from memory does not fail.
        Self::read(text.as_bytes()).unwrap_or_default()
    }

    /// The book that the program carries: the first turns of games of the engine against itself. What made it stands at its
    /// beginning.
    pub fn shipped() -> Self {
        // A test sees to it that there are no bad lines.
        Self::parse(SHIPPED).0
    }

    /// Reads a book from a file; what is not UTF-8 makes its line a bad one.
    ///
    /// # Errors
    /// The file cannot be read, is no regular file, or has more than 1 GiB.
    pub fn load(path: &Path) -> Result<(Self, BadLines), BookError> {
        let read = || Self::read(BufReader::new(open(path)?));
        read().map_err(|source| BookError { path: path.to_owned(), source })
    }

    /// Reads a book line by line, so that no more than what is in the book is ever in memory.
    fn read(mut file: impl BufRead) -> io::Result<(Self, BadLines)> {
        let (mut book, mut bad) = (Self::default(), BadLines::default());
        let (mut bytes, mut turns) = (Vec::new(), 0);
        for line in 1.. {
            let Some(whole) = read_line(&mut file, &mut bytes)? else { break };
            let content = if line == 1 { bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes) } else { &bytes };
            let content = String::from_utf8_lossy(content);
            if content.trim().is_empty() && whole || content.starts_with('#') {
                continue;
            }
            let result = match (whole, turns, bad.count) {
                (_, MOST_TURNS, _) => Err(LineProblem::Full),
                (.., MOST_BAD) => Err(LineProblem::NoBook),
                (false, ..) => Err(LineProblem::Long),
                _ => parse_line(&content).and_then(|(key, entry)| book.add(key, entry)),
            };
            let Err(problem) = result else {
                turns += 1;
                continue;
            };
            let end = matches!(problem, LineProblem::Full | LineProblem::NoBook);
            bad.count += 1;
            // The last one says that much was not read, so it is always told.
            if bad.named.len() < MOST_NAMED {
                bad.named.push(BookLineError { line, problem });
            } else if end {
                bad.named.insert(0, BookLineError { line, problem });
                bad.named.truncate(MOST_NAMED);
            }
            if end {
                break;
            }
        }
        Ok((book, bad))
    }

    fn add(&mut self, key: String, entry: Entry) -> Result<(), LineProblem> {
        // Most positions have one.
        let entries = self.entries.entry(key).or_default();
        if entries.len() == MOST_FOR_ONE {
            return Err(LineProblem::Crowded);
        }
        entries.push(entry);
        Ok(())
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

const SHIPPED: &str = include_str!("opening.tsv");

/// The most turns of a book, each with a position of its own about half a GiB in memory.
const MOST_TURNS: usize = 1 << 21;

/// The most turns for one position with its dice.
const MOST_FOR_ONE: usize = 1000;

/// The number of bad lines at which a file is given up.
const MOST_BAD: usize = 100_000;

/// The most bad lines that are kept.
const MOST_NAMED: usize = 100;

/// What some editors write at the start of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

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
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

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
        assert_eq!(errors, BadLines::default());
        let found = book.lookup(&rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB"));
        let texts: Vec<(String, u32)> = found.iter().map(|entry| (entry.turn.to_string(), entry.weight)).collect();
        assert_eq!(texts, [("e2e4,f1c4,g1f3".to_owned(), 3), ("e2e4,f1c4,b1c3".to_owned(), 1)]);
        assert!(book.lookup(&rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PPP")).is_empty());
    }

    #[test]
    fn every_line_of_the_shipped_book_is_sound() {
        assert!(SHIPPED.len() < 200 << 10, "{} bytes", SHIPPED.len());
        let (book, errors) = Book::parse(SHIPPED);
        assert_eq!(errors.count, 0, "{:?}", errors.named.first());
        let mut positions = std::collections::BTreeSet::new();
        for line in SHIPPED.lines().filter(|line| !line.starts_with('#')) {
            let (key, entry) = parse_line(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            let fields: Vec<&str> = key.split(' ').collect();
            let dfen = format!("{} 0 1 {}", fields[..4].join(" "), fields[4]);
            assert!(apply_roll(&rolled(&dfen), entry.turn).is_ok() && entry.weight > 0, "{line}");
            positions.insert(key);
        }
        assert_eq!(positions.len(), book.len());
        // Every roll of the first turn that allows one: those without a pawn and without a knight do not.
        let first = positions.iter().filter(|key| key.starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w "));
        let playable = crate::rules::Roll::all().filter(|roll| {
            let dice = roll.dice();
            dice.has(PieceType::Pawn) || dice.has(PieceType::Knight)
        });
        assert_eq!(first.count(), playable.count());
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
        assert_eq!(errors.named.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
        assert_eq!(errors.count, 6);
        assert!(errors.named[2].to_string().contains("placement"), "{}", errors.named[2]);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over() {
        let line = "4k3/8/8/8/8/8/8/4K3 w - - KKK\te1e2,e2e3,e3e4\r\n";
        for text in [format!("\u{feff}{line}"), format!("\u{feff}# comment\r\n{line}"), format!("\u{feff}\r\n{line}")] {
            let (book, errors) = Book::parse(&text);
            assert_eq!((book.len(), errors), (1, BadLines::default()), "{text:?}");
        }
        let (book, errors) = Book::parse(&format!("{line}\u{feff}{line}"));
        assert_eq!((book.len(), errors.count), (1, 1), "one within the text is no mark");
    }

    #[test]
    fn long_lines_are_not_kept() {
        let line = "4k3/8/8/8/8/8/8/4K3 w - - KKK\te1e2,e2e3,e3e4\n";
        let (comment, long, blank) = ("# ".repeat(9_000), "x".repeat(MOST_LINE + 1), " ".repeat(9_000));
        let (book, errors) = Book::parse(&format!("{comment}\n{line}{long}\n{line}{blank}\n{line}{line}{long}"));
        let problems: Vec<(usize, &LineProblem)> =
            errors.named.iter().map(|error| (error.line, &error.problem)).collect();
        assert_eq!(problems, [(3, &LineProblem::Long), (5, &LineProblem::Long), (8, &LineProblem::Long)]);
        assert_eq!(book.lookup(&rolled("4k3/8/8/8/8/8/8/4K3 w - - 0 1 KKK")).len(), 4);
    }

    #[test]
    fn a_position_may_have_many_turns_but_not_any_number() {
        let line = "4k3/8/8/8/8/8/8/4K3 w - - KKK\te1e2,e2e3,e3e4\n";
        let (book, errors) = Book::parse(&line.repeat(MOST_FOR_ONE + 3));
        assert_eq!((book.entries.len(), errors.count), (1, 3));
        assert_eq!(errors.named[0].to_string(), "line 1001: there are more than 1000 turns for this position");
    }

    #[test]
    fn a_file_of_bad_lines_is_given_up() {
        let (book, errors) = Book::parse(&"x\n".repeat(MOST_BAD + 50));
        assert!(book.is_empty());
        assert_eq!((errors.count, errors.named.len()), (MOST_BAD + 1, MOST_NAMED));
        assert_eq!(
            errors.named[0].to_string(),
            "line 100001: there are more than 100000 bad lines before it; the rest is not read"
        );
    }

    /// Copies of a book with other bytes, torn or put together anew, and texts of nothing but odd bytes: whatever is in
    /// them, a line is either in the book or named, and what is found in the book can be played.
    #[test]
    fn damaged_books_are_read_without_a_panic() {
        let good = include_bytes!("../../../tests/books/small.tsv");
        let mut rng = ChaCha8Rng::seed_from_u64(77);
        let mut below = |bound: usize| rng.next_u32() as usize % bound;
        let start = rolled("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB");
        let (mut lines, mut bad, mut found) = (0, 0, 0);
        for round in 0..3_000 {
            let mut bytes = good.to_vec();
            if round % 10 == 0 {
                bytes = (0..below(400)).map(|_| below(256) as u8).collect();
            }
            for _ in 0..below(20) {
                if bytes.is_empty() {
                    break;
                }
                let place = below(bytes.len());
                match below(6) {
                    0 => bytes.truncate(place),
                    1 => bytes.rotate_left(place),
                    2 => bytes.extend_from_within(place..),
                    3 => bytes[place] = b"\t\n\r #-,0/KkPp8"[below(14)],
                    _ => bytes[place] = below(256) as u8,
                }
                bytes.truncate(20_000);
            }
            let (book, errors) = Book::read(bytes.as_slice()).expect("memory can be read");
            let text = String::from_utf8_lossy(&bytes);
            assert!(errors.count <= text.split('\n').count());
            errors.named.iter().for_each(|error| assert!(!error.to_string().contains('\u{1b}'), "{error:?}"));
            for entry in book.lookup(&start) {
                assert!(apply_roll(&start, entry.turn).is_ok(), "{}", entry.turn);
                found += 1;
            }
            (lines, bad) = (lines + book.len(), bad + errors.count);
        }
        assert!(lines > 1_000 && bad > 1_000 && found > 1_000, "{lines} {bad} {found}");
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
