//! `Game` and `Ply`: a game as a record keeps it.

use crate::position::Position;
use crate::words::{self, value_error};
use astragal::board::Color;
use astragal::record::{self, Header, PlayerKind, PlayerRecord, Reader, ScoreRecord, TextWriter};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Adds the classes.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Game>()?;
    module.add_class::<Ply>()
}

/// One roll and what was made of it.
#[pyclass(frozen, module = "astragal")]
pub struct Ply {
    inner: record::Ply,
}

#[pymethods]
impl Ply {
    /// The three dice in the order P N B R Q K.
    #[getter]
    fn roll(&self) -> &str {
        &self.inner.roll
    }

    /// The dice in the order thrown, where that is known.
    #[getter]
    fn thrown(&self) -> Option<&str> {
        self.inner.thrown.as_deref()
    }

    /// The turn played, ``"0000"`` for a pass; ``None`` if the game ended before one was accepted.
    #[getter]
    fn turn(&self) -> Option<&str> {
        self.inner.turn.as_deref()
    }

    /// Whether no micro-move was possible, so that the player was not asked.
    #[getter]
    fn passed(&self) -> bool {
        self.inner.passed
    }

    /// The player's own score: ``("cp", centipawns)``, ``("mate", turns)``, or ``None``.
    #[getter]
    fn score(&self) -> Option<(&'static str, i64)> {
        self.inner.score.map(|score| match score {
            ScoreRecord::Cp(number) => ("cp", number),
            ScoreRecord::Mate(number) => ("mate", number),
        })
    }

    /// The depth that the player reported.
    #[getter]
    fn depth(&self) -> Option<u32> {
        self.inner.depth
    }

    /// The nodes that the player reported.
    #[getter]
    fn nodes(&self) -> Option<u64> {
        self.inner.nodes
    }

    /// Milliseconds that the player took; ``None`` where nothing was timed.
    #[getter]
    fn time_ms(&self) -> Option<f64> {
        self.inner.time_ms
    }

    /// The player's clock after the turn in milliseconds, if there was one.
    #[getter]
    fn clock_left_ms(&self) -> Option<i64> {
        self.inner.clock_left_ms
    }

    /// How lucky the roll was for White, as an equity; ``None`` if it was not computed.
    #[getter]
    fn luck(&self) -> Option<f64> {
        self.inner.luck
    }

    fn __repr__(&self) -> String {
        let turn = self.inner.turn.as_ref().map_or("None".to_owned(), |turn| format!("'{}'", turn.escape_debug()));
        format!("Ply('{}', {turn})", self.inner.roll.escape_debug())
    }
}

/// A game that has ended: who played, every roll and turn, how it ended.
#[pyclass(frozen, eq, module = "astragal")]
#[derive(PartialEq)]
pub struct Game {
    /// The game as the library has it.
    pub inner: record::Game,
}

/// More players than an event has.
const MOST_PLAYERS: u64 = 10_000;

/// A header in which the players of the game have their places.
fn header_of(game: &record::Game) -> Header {
    let count = game.white.max(game.black) + 1;
    let mut header = Header::free("", vec![PlayerRecord::named("", PlayerKind::Remote); count]);
    // Of games by a schedule the places are written down.
    header.event = record::EventKind::Match;
    header
}

#[pymethods]
impl Game {
    /// Reads a game from the JSON of a line of a journal. Raises ``ValueError`` if it is none.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        let mut header = Header::free("", Vec::new());
        // Places that the line names must be there; what it does not name is added.
        let line: serde_json::Value = serde_json::from_str(text).map_err(value_error)?;
        let places = ["white", "black"].map(|name| line[name].as_u64().unwrap_or(0));
        let count = places.iter().fold(1, |most, &place| most.max(place)).min(MOST_PLAYERS) + 1;
        header.players = (0..count).map(|_| PlayerRecord::named("", PlayerKind::Remote)).collect();
        let mut journal = record::header_line(&header).map_err(value_error)?;
        journal.extend(text.trim().chars().filter(|&character| character != '\n'));
        journal.push('\n');
        let mut reader = Reader::new(journal.as_bytes()).map_err(value_error)?;
        match reader.next_game() {
            Some(Ok(inner)) => Ok(Self { inner }),
            Some(Err(error)) => Err(value_error(error)),
            None => Err(value_error("this is no game of a journal")),
        }
    }

    /// The game as a line of a journal, without its end. Raises ``ValueError`` if it would be too long.
    fn to_json(&self) -> PyResult<String> {
        let line = record::game_line(&self.inner, &header_of(&self.inner)).map_err(value_error)?;
        Ok(line.trim_end().to_owned())
    }

    /// The game as a text record, for people; ``astragal.read`` reads it again.
    fn to_text(&self) -> String {
        TextWriter::new().game(&self.inner)
    }

    /// The number of the game in its event, from 0.
    #[getter]
    fn number(&self) -> u64 {
        self.inner.number
    }

    /// The number of its pair of games with the same dice, from 0.
    #[getter]
    fn pair(&self) -> u64 {
        self.inner.pair
    }

    /// Which half of the pair: 0, or 1 with the colours swapped.
    #[getter]
    fn half(&self) -> u8 {
        self.inner.half
    }

    /// What others call it, such as a platform.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.inner.id.as_deref()
    }

    /// The name of the player of the white pieces.
    #[getter]
    fn white(&self) -> &str {
        &self.inner.seats[0].name
    }

    /// The name of the player of the black pieces.
    #[getter]
    fn black(&self) -> &str {
        &self.inner.seats[1].name
    }

    /// White's place and Black's among the players of the event, from 0.
    #[getter]
    fn places(&self) -> (usize, usize) {
        (self.inner.white, self.inner.black)
    }

    /// The time controls of White and Black, such as ``"60+0.6"``, ``"depth=2"`` or ``"untimed"``; empty if not known.
    #[getter]
    fn controls(&self) -> (&str, &str) {
        (&self.inner.seats[0].control, &self.inner.seats[1].control)
    }

    /// When it began, in milliseconds since 1970 (UTC), if that is known.
    #[getter]
    fn started_ms(&self) -> Option<u64> {
        self.inner.started_ms
    }

    /// The evaluator that the luck was computed by, if it was.
    #[getter]
    fn luck_by(&self) -> Option<&str> {
        self.inner.luck_by.as_deref()
    }

    /// The luck of all rolls together from White's view, or ``None`` if it was not computed.
    #[getter]
    fn luck(&self) -> Option<f64> {
        self.inner.luck()
    }

    /// The DFEN of the starting position.
    #[getter]
    fn opening(&self) -> &str {
        &self.inner.opening
    }

    /// Every roll and turn.
    #[getter]
    fn plies(&self) -> Vec<Ply> {
        self.inner.plies.iter().map(|ply| Ply { inner: ply.clone() }).collect()
    }

    /// White's points: 1, 0.5 or 0; 0.5 if the game was broken off.
    #[getter]
    fn result(&self) -> f64 {
        self.inner.result
    }

    /// How it ended, such as ``"king-capture"``, ``"halfmove-clock"``, ``"time"`` or ``"aborted"``.
    #[getter]
    fn end(&self) -> &'static str {
        self.inner.end.kind.name()
    }

    /// Through whom it ended: ``"white"``, ``"black"`` or ``None``.
    #[getter]
    fn ended_by(&self) -> Option<&'static str> {
        let player = self.inner.end.player?;
        let places = [(self.inner.white, Color::White), (self.inner.black, Color::Black)];
        places.into_iter().find(|&(place, _)| place == player).map(|(_, side)| words::side_name(side))
    }

    /// What there is to say of the end, for people.
    #[getter]
    fn end_detail(&self) -> &str {
        &self.inner.end.detail
    }

    /// The DFEN of the last position; when the king was captured, of the one before that turn, with its dice.
    #[getter]
    fn final_dfen(&self) -> &str {
        &self.inner.final_dfen
    }

    /// Where the dice came from: a dictionary whose ``"source"`` is ``"seed"``, ``"fair"`` or ``"given"``.
    #[getter]
    fn dice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_object(py, &serde_json::to_string(&self.inner.dice).map_err(value_error)?)
    }

    /// Plays the game over by the rules: the position with its dice at each ply, in order. Raises ``ValueError`` if it
    /// cannot have been played so.
    fn positions(&self) -> PyResult<Vec<Position>> {
        let mut positions = Vec::with_capacity(self.inner.plies.len());
        record::replay(&self.inner, |_, rolled, _| positions.push((*rolled).into())).map_err(value_error)?;
        Ok(positions)
    }

    /// Checks that the rolls are those of their source. Raises ``ValueError`` if they are not, or if that cannot be told;
    /// given dice are believed.
    fn check_dice(&self) -> PyResult<()> {
        self.inner.dice.check(&self.inner).map_err(value_error)
    }

    /// All of the game as a dictionary of plain values, as in a line of a journal.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json_object(py, &self.to_json()?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json()?,)))
    }

    fn __repr__(&self) -> String {
        let game = &self.inner;
        let (white, black) = (game.seats[0].name.escape_debug(), game.seats[1].name.escape_debug());
        format!("<Game {}: {white} - {black}, {} by {}>", game.number, game.result, game.end.kind.name())
    }
}

/// JSON as an object of Python.
pub fn json_object<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// An object of Python as JSON.
pub fn json_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let options = PyDict::new(object.py());
    options.set_item("allow_nan", false)?;
    object.py().import("json")?.call_method("dumps", (object,), Some(&options))?.extract()
}
