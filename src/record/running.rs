//! A game in progress, in a file of its own: a line when it begins, a line a ply, each written at once.
//!
//! A ply may be written twice: when its dice are thrown, and when its turn is played; the later line counts. So whatever
//! kills the writer costs at most the line that it was writing.

use super::dice::DiceSource;
use super::escape::escaped;
use super::event::FORMAT;
use super::game::{EndRecord, Game, Ply, Seat};
use super::line::MOST_PLIES;
use super::reader::{BadLine, Lines, ReadError, json_problem};
use super::replay::{ReplayError, Replayer};
use crate::board::Rolled;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// What a game begins with.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The number of the format of its journal.
    pub format: u32,
    /// What others call it.
    pub id: String,
    /// White and Black.
    pub seats: [Seat; 2],
    /// When it began, in milliseconds since 1970 (UTC); none if it is not known.
    #[serde(default)]
    pub started_ms: Option<u64>,
    /// Where the dice come from, as far as it is known at the beginning.
    #[serde(default)]
    pub dice: DiceSource,
    /// The starting position.
    pub opening: String,
}

impl Start {
    /// A game from a position, with dice of which nothing is known.
    pub fn new(id: &str, seats: [Seat; 2], opening: &str) -> Self {
        let (id, opening) = (id.to_owned(), opening.to_owned());
        Self { format: FORMAT, id, seats, started_ms: None, dice: DiceSource::Given, opening }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Start(Box<Start>),
    Ply {
        /// From 1.
        number: usize,
        #[serde(flatten)]
        ply: Box<Ply>,
    },
    Dice(DiceSource),
    End {
        result: f64,
        end: EndRecord,
    },
}

/// Why a game in progress cannot be written.
#[derive(Debug, Error)]
pub enum RunningError {
    /// The system's word.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The ply is not one of this game; nothing was written.
    #[error("{0}")]
    Ply(#[from] ReplayError),
    /// A game without an end; nothing was written.
    #[error("the game has more than {MOST_PLIES} plies")]
    TooLong,
}

/// A game as far as it has come.
#[derive(Clone, Debug)]
struct State {
    start: Start,
    plies: Vec<Ply>,
    /// Before the last ply, if that one has no turn yet.
    before: Replayer,
    here: Replayer,
}

impl State {
    fn new(start: Start) -> Result<Self, ReplayError> {
        let here = Replayer::new(&start.opening)?;
        Ok(Self { start, plies: Vec::new(), before: here.clone(), here })
    }

    /// Whether the last ply has no turn yet.
    fn is_waiting(&self) -> bool {
        self.plies.last().is_some_and(|last| last.turn.is_none())
    }

    /// What a ply leads to: the states before and after it.
    fn next(&self, ply: &Ply) -> Result<[Replayer; 2], RunningError> {
        let is_waiting = self.is_waiting();
        if self.plies.len() == MOST_PLIES && !is_waiting {
            return Err(RunningError::TooLong);
        }
        let before = if is_waiting { self.before.clone() } else { self.here.clone() };
        let mut here = before.clone();
        here.roll(ply)?;
        here.play(ply)?;
        Ok([before, here])
    }

    /// Takes a ply with what it leads to, in place of the last one if that has no turn.
    fn take(&mut self, ply: Ply, [before, here]: [Replayer; 2]) {
        if self.is_waiting() {
            self.plies.pop();
        }
        (self.before, self.here) = (before, here);
        self.plies.push(ply);
    }

    fn game(&self, result: f64, end: EndRecord) -> Game {
        let Start { id, seats, started_ms, dice, opening, .. } = self.start.clone();
        Game {
            number: 0,
            pair: 0,
            half: 0,
            id: Some(id),
            white: 0,
            black: 1,
            seats,
            started_ms,
            dice,
            luck_by: None,
            opening,
            plies: self.plies.clone(),
            result,
            end,
            final_dfen: self.here.position().to_string(),
        }
    }
}

/// A game in progress and where it is written: a file, or memory.
///
/// # Examples
/// ```
/// use astragal::board::STARTPOS;
/// use astragal::record::{EndKind, EndRecord, Ply, RunningGame, Seat, Start, recover};
///
/// let mut file = Vec::new();
/// let start = Start::new("g1", [Seat::default(), Seat::default()], STARTPOS);
/// let mut game = RunningGame::begin(&mut file, start)?;
/// game.write(Ply { roll: "PNB".to_owned(), ..Ply::default() })?;
/// game.write(Ply { roll: "PNB".to_owned(), turn: Some("e2e4,g1f3,f1c4".to_owned()), ..Ply::default() })?;
/// assert_eq!(game.plies().len(), 1);
/// let game = game.end(0.0, EndRecord::new(EndKind::Resignation))?;
///
/// let recovered = recover(file.as_slice())?;
/// assert_eq!(recovered.ended(), Some(game));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RunningGame<W> {
    out: W,
    state: State,
}

impl<W: Write> RunningGame<W> {
    /// Begins a game.
    ///
    /// # Errors
    /// The opening is no position, or it cannot be written.
    pub fn begin(out: W, start: Start) -> Result<Self, RunningError> {
        let state = State::new(start)?;
        let mut game = Self { out, state };
        game.write_line(&Line::Start(Box::new(game.state.start.clone())))?;
        Ok(game)
    }

    /// Goes on with a game that was read; `out` writes at the end of its [whole lines](Recovered::whole_bytes).
    pub fn go_on(out: W, recovered: Recovered) -> Self {
        Self { out, state: recovered.state }
    }

    /// Writes a ply: with its dice alone when they are thrown, and again, with its turn, when it is played.
    ///
    /// # Errors
    /// The ply is not legal, or it cannot be written. The game is then as it was, and so is its file if its writes go into it
    /// whole or not at all: see [`WholeWrites`](super::WholeWrites).
    pub fn write(&mut self, ply: Ply) -> Result<(), RunningError> {
        let next = self.state.next(&ply)?;
        let number = self.state.plies.len() + usize::from(!self.state.is_waiting());
        self.write_line(&Line::Ply { number, ply: Box::new(ply.clone()) })?;
        self.state.take(ply, next);
        Ok(())
    }

    /// Says more of where the dice come from, such as seeds that are told in the course of the game.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn set_dice(&mut self, dice: DiceSource) -> io::Result<()> {
        self.write_line(&Line::Dice(dice.clone()))?;
        self.state.start.dice = dice;
        Ok(())
    }

    /// Writes the end, with White's points (1, 0.5 or 0). Returns the game for the journal: its number and that of its pair
    /// are 0, White's place among the players is 0 and Black's 1; its journal knows better. Nothing can be written after it.
    ///
    /// # Errors
    /// It cannot be written; the game then goes on.
    pub fn end(&mut self, result: f64, end: EndRecord) -> io::Result<Game> {
        self.write_line(&Line::End { result, end: end.clone() })?;
        Ok(self.state.game(result, end))
    }

    /// The game with this end, which is not written.
    pub fn end_as(&self, result: f64, end: EndRecord) -> Game {
        self.state.game(result, end)
    }

    /// What it began with.
    pub const fn start(&self) -> &Start {
        &self.state.start
    }

    /// Every ply so far; the last may have no turn yet.
    pub fn plies(&self) -> &[Ply] {
        &self.state.plies
    }

    /// The position now, with the dice that have not been played.
    pub const fn position(&self) -> &Rolled {
        self.state.here.position()
    }

    fn write_line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// A game that was read from its file, whole or half-written.
#[derive(Clone, Debug)]
pub struct Recovered {
    state: State,
    end: Option<(f64, EndRecord)>,
    whole_bytes: u64,
    problem: Option<BadLine>,
}

impl Recovered {
    /// What it began with.
    pub const fn start(&self) -> &Start {
        &self.state.start
    }

    /// Every ply that was written.
    pub fn plies(&self) -> &[Ply] {
        &self.state.plies
    }

    /// The position now, with the dice that have not been played.
    pub const fn position(&self) -> &Rolled {
        self.state.here.position()
    }

    /// The game, if its end was written: see [`RunningGame::end`].
    pub fn ended(&self) -> Option<Game> {
        let (result, end) = self.end.clone()?;
        Some(self.state.game(result, end))
    }

    /// The game with this end, in place of one that was never written.
    pub fn end_as(&self, result: f64, end: EndRecord) -> Game {
        self.state.game(result, end)
    }

    /// How many bytes of the file are good; what follows is to be cut off before anything more is written.
    pub const fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// The first line that is torn or otherwise bad; it and what follows are left out.
    pub const fn problem(&self) -> Option<&BadLine> {
        self.problem.as_ref()
    }
}

/// Reads the file of a game in progress up to its end or to the first bad line.
///
/// # Errors
/// It cannot be read, or does not begin as one: then there is no game in it.
pub fn recover(reader: impl BufRead) -> Result<Recovered, ReadError> {
    let mut lines = Lines::new(reader);
    let bad = |number: usize, what: String| BadLine { number, what: escaped(&what, 300) };
    let start = match parse(lines.next()?.unwrap_or_default()) {
        Ok(Line::Start(start)) if start.format > FORMAT => return Err(ReadError::Format(start.format)),
        Ok(Line::Start(start)) => *start,
        Ok(_) => return Err(bad(1, "it does not begin a game".to_owned()).into()),
        Err(what) => return Err(bad(1, what).into()),
    };
    let state = State::new(start).map_err(|error| bad(1, error.to_string()))?;
    let mut recovered = Recovered { state, end: None, whole_bytes: 0, problem: None };
    loop {
        let line = match lines.next() {
            Ok(Some(line)) => parse(line),
            Ok(None) => break,
            Err(ReadError::LongLine(_)) => Err("it is too long".to_owned()),
            Err(error) => return Err(error),
        };
        recovered.whole_bytes = lines.before;
        let what = match line {
            Ok(_) if recovered.end.is_some() => "the game has ended before it".to_owned(),
            Ok(Line::Start(_)) => "a second beginning".to_owned(),
            Ok(Line::Dice(dice)) => {
                recovered.state.start.dice = dice;
                continue;
            }
            Ok(Line::End { result, .. }) if ![0.0, 0.5, 1.0].contains(&result) => {
                "a result that is not 1, 0.5 or 0".to_owned()
            }
            Ok(Line::End { result, end }) => {
                recovered.end = Some((result, end));
                continue;
            }
            Ok(Line::Ply { number, ply }) => {
                let plies = &recovered.state.plies;
                let is_waiting = plies.last().is_some_and(|last| last.turn.is_none());
                if number != plies.len() + usize::from(!is_waiting) {
                    format!("ply {number} out of order")
                } else {
                    match recovered.state.next(&ply) {
                        Ok(next) => {
                            recovered.state.take(*ply, next);
                            continue;
                        }
                        Err(error) => error.to_string(),
                    }
                }
            }
            Err(what) => what,
        };
        recovered.problem = Some(bad(lines.number, what));
        return Ok(recovered);
    }
    recovered.whole_bytes = lines.before;
    Ok(recovered)
}

fn parse(line: &[u8]) -> Result<Line, String> {
    if !line.ends_with(b"\n") {
        return Err("it has no end".to_owned());
    }
    serde_json::from_slice(line).map_err(|error| json_problem(&error))
}
