//! `Referee` and `Clock`: the library's referee, for games whose players live in Python.

use crate::game::Game;
use crate::position::Position;
use crate::words::value_error;
use astragal::board::Rolled;
use astragal::record::{self, ClockView, Control, EndKind, Ending, Said, ScoreRecord, Setting, escaped};
use astragal::review::LuckMeter;
use pyo3::prelude::*;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Adds the classes.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Clock>()?;
    module.add_class::<Referee>()
}

/// What a player sees of the clocks when it is to move, in whole milliseconds.
#[pyclass(frozen, get_all, eq, module = "astragal")]
#[derive(PartialEq)]
pub struct Clock {
    /// What White and Black have left.
    left: (u64, u64),
    /// What is credited to White and Black after each turn.
    increment: (u64, u64),
    /// Of what a turn uses, so much is not taken off the clock of White and Black.
    delay: (u64, u64),
    /// The mover's turns until its time is given again; ``None`` if it never is.
    turns_to_go: Option<u32>,
}

impl From<ClockView> for Clock {
    fn from(view: ClockView) -> Self {
        let pair = |[white, black]: [u64; 2]| (white, black);
        let (left, increment, delay) = (pair(view.left_ms), pair(view.increment_ms), pair(view.delay_ms));
        Self { left, increment, delay, turns_to_go: view.turns_to_go }
    }
}

#[pymethods]
impl Clock {
    fn __repr__(&self) -> String {
        let Self { left, increment, delay, .. } = self;
        let to_go = self.turns_to_go.map_or("None".to_owned(), |turns| turns.to_string());
        format!("Clock(left={left:?}, increment={increment:?}, delay={delay:?}, turns_to_go={to_go})")
    }
}

/// A game that is being played by the rules, as the arena plays it: its dice, its passes, its clocks, its ends.
///
/// ``throw()`` gives the position to answer, ``answer(turn, …)`` says whether that was the end, and ``game()`` is the record.
/// ``play_game`` does this with two players.
///
/// ``opening`` is a DFEN without dice; ``seed`` and ``pair`` make the dice (``seeded_roll``). ``control`` is a time control of
/// the arena: ``"60+0.6"``, ``"40/60"``, ``"60+0d2"`` (delay), ``"st=0.2"`` (a turn), ``"depth=2"``, ``"nodes=10000"``,
/// ``"untimed"``; times in seconds. ``margin`` is the number of milliseconds below zero that are forgiven. ``names`` and
/// ``places`` are White's and Black's: of the latter, where they stand among the players of an event. Raises ``ValueError``
/// with the library's message.
#[pyclass(module = "astragal")]
pub struct Referee {
    control: Control,
    pair: u64,
    inner: record::Referee,
    ending: Option<Ending>,
}

/// The pieces of a score in a record.
type Score = (String, i64);

#[pymethods]
impl Referee {
    #[new]
    #[pyo3(signature = (opening = astragal::board::STARTPOS, *, control = "untimed", margin = 0, seed = 0, pair = 0, number = None, half = 0, names = (String::new(), String::new()), places = (0, 1)))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        opening: &str,
        control: &str,
        margin: u64,
        seed: u64,
        pair: u64,
        number: Option<u64>,
        half: u8,
        names: (String, String),
        places: (usize, usize),
    ) -> PyResult<Self> {
        let Rolled { position, dice } = Position::from_dfen(opening)?.rolled;
        if !dice.is_empty() {
            return Err(value_error("an opening has no dice"));
        }
        let control: Control = control.parse().map_err(value_error)?;
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let setting = Setting {
            number: number.unwrap_or(pair.saturating_mul(2)),
            pair,
            half,
            players: [places.0, places.1],
            names: [names.0, names.1],
            controls: [control; 2],
            margin: Duration::from_millis(margin),
            started_ms: control.is_timed().then(now),
            seed,
            opening: position,
        };
        Ok(Self { control, pair, inner: record::Referee::new(setting), ending: None })
    }

    /// Throws the dice, and passes while nothing can move. The position to answer, with its dice; ``None`` if the game is over.
    fn throw(&mut self) -> Option<Position> {
        if self.ending.is_none() {
            self.ending = self.inner.throw();
        }
        self.ending.is_none().then(|| (*self.inner.position()).into())
    }

    /// Judges the mover's answer, and says whether the game is over.
    ///
    /// ``turn`` is a turn, or ``"resign"``; any other text is an illegal turn and loses. ``microseconds`` is what it took: whoever
    /// takes more than its clock holds loses, whatever the answer is. ``score`` (``("cp", 30)`` or ``("mate", 1)``), ``depth``,
    /// ``nodes`` and ``engine_time_ms`` are what the player says of its search. Raises ``ValueError`` if nobody is to answer.
    #[pyo3(signature = (turn, microseconds = 0, *, score = None, depth = None, nodes = None, engine_time_ms = None))]
    fn answer(
        &mut self,
        turn: &str,
        microseconds: u64,
        score: Option<Score>,
        depth: Option<u32>,
        nodes: Option<u64>,
        engine_time_ms: Option<u64>,
    ) -> PyResult<bool> {
        if self.ending.is_some() || self.inner.position().dice.is_empty() {
            return Err(value_error("nobody is to answer: the dice are not thrown, or the game is over"));
        }
        let score = match score {
            None => None,
            Some((kind, value)) if kind == "cp" => Some(ScoreRecord::Cp(value)),
            Some((kind, value)) if kind == "mate" => Some(ScoreRecord::Mate(value)),
            Some((kind, _)) => return Err(value_error(format!("no such score: '{}'", kind.escape_debug()))),
        };
        let turn = match turn {
            "resign" => Err((EndKind::Resignation, String::new())),
            text => text.parse().map_err(|_| (EndKind::IllegalTurn, escaped(text, 200))),
        };
        let said = Said { score, depth, nodes, time_ms: engine_time_ms };
        self.ending = self.inner.answer(turn, said, Duration::from_micros(microseconds));
        Ok(self.ending.is_some())
    }

    /// What the side to move sees of the clocks; ``None`` under a control without clocks.
    #[getter]
    fn clock(&self) -> Option<Clock> {
        self.inner.clock().view(self.inner.position().position.side()).map(Clock::from)
    }

    /// The number of its pair of games with the same dice.
    #[getter]
    const fn pair(&self) -> u64 {
        self.pair
    }

    /// The control in the arena's own words.
    #[getter]
    fn control(&self) -> String {
        self.control.to_string()
    }

    /// Whether time decides anything.
    #[getter]
    fn timed(&self) -> bool {
        self.control.is_timed()
    }

    /// What bounds every turn under the control, besides clocks: depth, nodes and milliseconds, ``None`` where there is no bound.
    #[getter]
    fn limits(&self) -> (Option<u32>, Option<u64>, Option<u64>) {
        match self.control {
            Control::Depth(depth) => (Some(depth), None, None),
            Control::Nodes(nodes) => (None, Some(nodes), None),
            Control::MoveTime(time) => (None, None, Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))),
            Control::Clock(_) | Control::Untimed => (None, None, None),
        }
    }

    /// The record of the game, with the luck of every roll by the library's evaluation, unless that is not wanted. Raises
    /// ``ValueError`` if it is not over.
    #[pyo3(signature = (*, luck = true))]
    fn game(&self, py: Python<'_>, luck: bool) -> PyResult<Game> {
        let ending = self.ending.clone().ok_or_else(|| value_error("the game is not over"))?;
        let mut game = self.inner.clone().game(ending);
        if luck {
            py.detach(|| LuckMeter::new().measure(&mut game)).map_err(value_error)?;
        }
        Ok(Game { inner: game })
    }

    fn __repr__(&self) -> String {
        format!("<Referee of {}: {}>", self.control, self.inner.position())
    }
}
