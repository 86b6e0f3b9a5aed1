//! Games of any form written in another one; what that form cannot hold is counted.

use super::any::game_line;
use super::line::header_line;
use super::reader::json_problem;
use super::{BadLine, EventKind, FORMAT, Form, Game, Header, TextWriter, to_history};
use crate::VERSION;
use std::collections::BTreeMap;

/// Writes games in a form, one after another.
///
/// # Examples
/// ```
/// use astragal::record::{Converter, Form, Records};
///
/// let mut records = Records::new("[White \"A\"]\n\n1. PNB b1c3,e2e4,f1c4 kkk 0000 1/2-1/2\n".as_bytes())?;
/// let mut converter = Converter::new(Form::History, records.journal_header());
/// while let Some(game) = records.next_game() {
///     let line = converter.game(&game?)?;
///     assert!(line.starts_with('{') && line.ends_with('\n'));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Converter {
    to: Form,
    header: Header,
    /// Whether the games come from a journal, directly or not.
    of_journal: bool,
    text: TextWriter,
    begun: bool,
    games: u64,
    /// The places that a reader of the journal will give to players whom its header does not name.
    places: BTreeMap<String, usize>,
    lost: BTreeMap<&'static str, u64>,
}

impl Converter {
    /// A converter to that form of games from a journal with that header, if they come from one.
    pub fn new(to: Form, header: Option<&Header>) -> Self {
        let of_journal = header.is_some();
        // Format 1 is read and no longer written.
        let header = header.map_or_else(
            || Header::free(&format!("astragal {VERSION}"), Vec::new()),
            |header| Header { format: FORMAT, ..header.clone() },
        );
        let text = if of_journal { TextWriter::of_journal(&header) } else { TextWriter::new() };
        // The first of two of one name is meant.
        let players = header.players.iter().enumerate().rev();
        let places = players.map(|(place, player)| (player.name.clone(), place)).collect();
        Self { to, header, of_journal, text, begun: false, games: 0, places, lost: BTreeMap::new() }
    }

    /// A game, with whatever has to come before it.
    ///
    /// # Errors
    /// It would be too long to be read again.
    pub fn game(&mut self, game: &Game) -> Result<String, BadLine> {
        let written = match self.to {
            Form::Text => self.text.game(game),
            Form::Journal => {
                let line = game_line(&self.placed(game), &self.header)?;
                self.begin()? + &line
            }
            Form::History => {
                let (value, lost) = to_history(game);
                lost.into_iter().for_each(|what| self.lose(what));
                if game.number != self.games {
                    self.lose("numbers of games");
                }
                if game.luck_by.is_some() {
                    self.lose("the evaluator of luck");
                }
                if self.of_journal && self.games == 0 {
                    self.lose("the header of the journal");
                }
                value.to_string() + "\n"
            }
        };
        self.games += 1;
        Ok(written)
    }

    /// What has to stand there even if there is no game: the header of a journal.
    ///
    /// # Errors
    /// It would be too long to be read again.
    pub fn end(&mut self) -> Result<String, BadLine> {
        match self.to {
            Form::Journal => self.begin(),
            Form::Text | Form::History => Ok(String::new()),
        }
    }

    /// What was lost so far, and of how many games.
    pub fn lost(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.lost.iter().map(|(&what, &games)| (what, games))
    }

    fn lose(&mut self, what: &'static str) {
        *self.lost.entry(what).or_default() += 1;
    }

    fn begin(&mut self) -> Result<String, BadLine> {
        if self.begun {
            return Ok(String::new());
        }
        self.begun = true;
        header_line(&self.header).map_err(|error| BadLine { number: 1, what: json_problem(&error) })
    }

    /// The game with its players in the places that a reader of the journal will give them: where games name their players
    /// the order of the games decides, and some may have been left out.
    fn placed(&mut self, game: &Game) -> Game {
        if self.header.event != EventKind::Free {
            return game.clone();
        }
        let mut placed = game.clone();
        let next = |places: &mut BTreeMap<String, usize>, name: &str| {
            let new = places.len().max(self.header.players.len());
            *places.entry(name.to_owned()).or_insert(new)
        };
        placed.white = next(&mut self.places, &game.seats[0].name);
        placed.black = next(&mut self.places, &game.seats[1].name);
        placed.end.player = match game.end.player {
            Some(player) if player == game.white => Some(placed.white),
            Some(player) if player == game.black => Some(placed.black),
            other => other,
        };
        placed
    }
}
