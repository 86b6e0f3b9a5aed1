//! The bot that looks into the book first.

use super::{Book, Entry};
use crate::bots::{Bot, BudgetedBot, InstantBot};
use crate::rules::{Turn, below, decision_rng};
use crate::search::{Event, Reporter, Task, can_capture};
use crate::time::StopSignal;
use rand_chacha::ChaCha8Rng;
use std::path::Path;

/// Plays from a book where it has a legal entry, and leaves everything else to the bot inside, whose capabilities are
/// its own.
pub struct BookBot<B: ?Sized> {
    pages: Pages,
    inner: Box<B>,
}

/// The book, and how an entry of it is chosen.
struct Pages {
    book: Book,
    seed: u64,
    /// What went wrong on loading; said once.
    notes: Vec<String>,
}

/// At most this many bad lines of a book are named, the others counted.
const LINES_NAMED: usize = 10;

impl Bot {
    /// This bot with a book around it; `seed` decides between several entries by their weights.
    pub fn with_book(self, book: Book, seed: u64) -> Self {
        self.inside(Pages { book, seed, notes: Vec::new() })
    }

    /// This bot with the book of that file around it, or with the book that the program carries if there is none. What is wrong with the file is reported with the first answer, and
    /// the bot plays on without it.
    pub fn with_book_of(self, path: Option<&Path>, seed: u64) -> Self {
        let mut notes = Vec::new();
        let book = match path.map(Book::load) {
            None => Book::shipped(),
            Some(Err(error)) => {
                notes.push(format!("error {error}"));
                Book::default()
            }
            Some(Ok((book, errors))) => {
                let named = errors.named.iter().take(LINES_NAMED);
                notes.extend(named.map(|error| format!("error book {error}; skipped")));
                if errors.count > LINES_NAMED {
                    notes.push(format!("error book: {} more bad lines skipped", errors.count - LINES_NAMED));
                }
                book
            }
        };
        self.inside(Pages { book, seed, notes })
    }

    fn inside(self, pages: Pages) -> Self {
        match self {
            Self::Instant(inner) => Self::Instant(Box::new(BookBot { pages, inner })),
            Self::Budgeted(inner) => Self::Budgeted(Box::new(BookBot { pages, inner })),
        }
    }
}

impl Pages {
    fn look_up(&mut self, task: &Task, report: &mut Reporter<'_>) -> Option<Turn> {
        self.notes.drain(..).for_each(|note| report(Event::Note(note)));
        if can_capture(&task.rolled) {
            // No book knows better.
            return None;
        }
        let mut entries = self.book.lookup(&task.rolled);
        if !task.search_moves.is_empty() {
            entries.retain(|entry| task.search_moves.contains(&entry.turn));
        }
        let entry = draw_entry(&entries, &mut decision_rng(self.seed, &task.rolled))?;
        report(Event::Book { turn: entry.turn, weight: entry.weight, entries: entries.len() });
        Some(entry.turn)
    }
}

/// One of the entries, each as likely as its weight says; none if there are none.
pub fn draw_entry(entries: &[Entry], rng: &mut ChaCha8Rng) -> Option<Entry> {
    let total: u64 = entries.iter().map(|entry| u64::from(entry.weight)).sum();
    let mut left = below(rng, total);
    entries.iter().copied().find(|entry| {
        let chosen = left < u64::from(entry.weight);
        left = left.saturating_sub(u64::from(entry.weight));
        chosen
    })
}

impl InstantBot for BookBot<dyn InstantBot> {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        match self.pages.look_up(task, report) {
            Some(turn) => turn,
            None => self.inner.choose(task, report),
        }
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }
}

impl BudgetedBot for BookBot<dyn BudgetedBot> {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match self.pages.look_up(task, report) {
            Some(turn) => turn,
            None => self.inner.choose(task, stop, report),
        }
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Rolled;
    use crate::bots::{BotConfig, BotKind};

    const KEY: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP";
    const DFEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";

    fn task(dfen: &str) -> Task {
        Task::new(Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{error}")))
    }

    fn bot(text: &str, kind: BotKind, seed: u64) -> Bot {
        BotConfig::of(kind, seed).build().with_book(Book::parse(text).0, seed)
    }

    #[test]
    fn entries_are_chosen_by_weight() {
        let text = format!("{KEY}\te2e4,f1c4,g1f3\t3\n{KEY}\te2e4,f1c4,b1c3\t1\n{KEY}\td2d4,c1f4,b1c3\t0\n");
        let chosen = |seed| bot(&text, BotKind::Random, seed).choose(&task(DFEN), None, &mut |_| ()).to_string();
        let first = (0..400).filter(|&seed| chosen(seed) == "e2e4,f1c4,g1f3").count();
        let second = (0..400).filter(|&seed| chosen(seed) == "e2e4,f1c4,b1c3").count();
        assert_eq!(first + second, 400);
        assert!((260..340).contains(&first), "{first} of 400, expected about 300");
    }

    #[test]
    fn a_miss_is_left_to_the_bot_inside() {
        let text = format!("{KEY}\te2e5,f1c4,g1f3\n");
        let turn = bot(&text, BotKind::Greedy, 5).choose(&task(DFEN), None, &mut |_| ());
        assert_eq!(turn, BotConfig::of(BotKind::Greedy, 5).build().choose(&task(DFEN), None, &mut |_| ()));
    }

    #[test]
    fn the_capability_is_that_of_the_bot_inside() {
        for kind in BotKind::ALL.into_iter().filter(|&kind| kind != BotKind::Book) {
            let plain = BotConfig::of(kind, 0).build().is_budgeted();
            assert_eq!(bot("", kind, 0).is_budgeted(), plain, "{kind}");
        }
    }

    #[test]
    fn without_a_file_the_book_of_the_program_is_played_if_a_book_is_wanted() {
        let mut config = BotConfig::of(BotKind::Expectimax, 0);
        for own_book in [true, false] {
            config.own_book = own_book;
            let mut entries = Vec::new();
            let turn = config.build().choose(&task(DFEN), None, &mut |event| {
                if let Event::Book { turn, .. } = event {
                    entries.push(turn);
                }
            });
            assert_eq!(entries, if own_book { vec![turn] } else { Vec::new() });
        }
    }

    #[test]
    fn a_missing_file_is_said_once_and_the_game_goes_on() {
        let mut notes = Vec::new();
        let inner = BotConfig::of(BotKind::Greedy, 0).build();
        let mut bot = inner.with_book_of(Some(Path::new("no/such/book.tsv")), 0);
        for _ in 0..2 {
            let turn = bot.choose(&task(DFEN), None, &mut |event| {
                if let Event::Note(note) = event {
                    notes.push(note);
                }
            });
            assert!(!turn.is_empty());
        }
        assert!(notes.len() == 1 && notes[0].starts_with("error book no/such/book.tsv"), "{notes:?}");
    }
}
