//! `Engine`: a bot in process.

use crate::attended::attended;
use crate::budget::Budget;
use crate::position::Position;
use crate::words::{self, value_error};
use astragal::board::Rolled;
use astragal::bots::{Bot, BotConfig};
use astragal::eval::Score;
use astragal::protocol::{Options, check_hash};
use astragal::rules::Roll;
use astragal::search::{Event, Info, Mode, RollInfo, Task};
use astragal::time::{ClockState, StopSignal};
use numpy::PyArray1;
use pyo3::exceptions::{PyRuntimeError, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// Adds the classes and the list of bots.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let bots = astragal::bots::BotKind::ALL.map(|kind| kind.id());
    module.add("BOTS", pyo3::types::PyTuple::new(module.py(), bots)?)?;
    module.add_class::<Engine>()?;
    module.add_class::<SearchResult>()?;
    module.add_class::<Line>()
}

/// A bot of the library, in this process.
///
/// ``bot`` is one of ``BOTS``. The keywords are the options of the engine, in any case and with underscores for blanks, such
/// as ``hash=64`` (MiB), ``threads=2``, ``seed=1``, ``multi_pv=3``, ``move_overhead=50`` (ms), ``eval_file="model.onnx"``.
/// Raises ``ValueError`` with the library's message if there is no such option or value.
///
/// An engine does one search at a time; other Python threads run meanwhile. For several at once make several engines.
#[pyclass(frozen, module = "astragal")]
pub struct Engine {
    options: Options,
    given: Vec<(String, String)>,
    bot: Mutex<Bot>,
}

/// One of the best turns of a search.
#[pyclass(frozen, get_all, module = "astragal")]
pub struct Line {
    /// The turn; ``None`` if the position has no dice and is itself what is valued.
    turn: Option<String>,
    /// What it is worth to the side to move, -1 to 1.
    equity: f64,
    /// Whether it captures the king.
    captures: bool,
    /// Turns looked ahead in full, the own one included.
    depth: u32,
}

/// What a search found.
#[pyclass(frozen, get_all, module = "astragal")]
pub struct SearchResult {
    /// The turn to play, ``"0000"`` for a pass; ``None`` if the position has no dice.
    turn: Option<String>,
    /// What that is worth to the side to move, -1 to 1; ``None`` if the bot did not say, as with an only turn.
    equity: Option<f64>,
    /// The same in centipawns, at most 9999 either way.
    centipawns: Option<i32>,
    /// Whether the turn captures the king.
    captures: bool,
    /// Turns looked ahead in full, the own one included; ``None`` if the bot did not say.
    depth: Option<u32>,
    /// Positions evaluated.
    nodes: u64,
    /// Seconds that the search took.
    time: f64,
    /// The best turns, the best first; as many as the option MultiPV says.
    lines: Vec<Py<Line>>,
    /// Whether the turn is from the opening book.
    from_book: bool,
    /// Remarks of the bot.
    notes: Vec<String>,
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        format!("Line({:?}, equity={:+.4}, depth={})", self.turn, self.equity, self.depth)
    }
}

#[pymethods]
impl SearchResult {
    fn __repr__(&self) -> String {
        let equity = self.equity.map_or("None".to_owned(), |equity| format!("{equity:+.4}"));
        let turn = self.turn.as_ref().map_or("None".to_owned(), |turn| format!("'{turn}'"));
        format!("SearchResult(turn={turn}, equity={equity}, depth={:?}, nodes={})", self.depth, self.nodes)
    }
}

/// What a search has reported.
#[derive(Default)]
struct Heard {
    lines: Vec<Info>,
    rolls: Vec<RollInfo>,
    nodes: u64,
    from_book: bool,
    notes: Vec<String>,
}

impl Heard {
    fn hear(&mut self, event: Event) {
        match event {
            Event::Info(info) => {
                self.nodes = info.nodes;
                if info.multipv == 1 {
                    self.lines.clear();
                }
                self.lines.push(info);
            }
            Event::Current { nodes, .. } => self.nodes = nodes,
            Event::Roll(info) => {
                if info.roll.index() == 0 {
                    self.rolls.clear();
                }
                self.rolls.push(info);
            }
            Event::Book { .. } => self.from_book = true,
            Event::Note(note) => self.notes.push(note),
            Event::Width(_) | Event::Rollout(_) => {}
        }
    }
}

/// The options by Python's keywords.
fn options_of(bot: &str, given: &[(String, String)]) -> PyResult<Options> {
    let plain = |name: &str| name.replace([' ', '_'], "").to_ascii_lowercase();
    let declared: Vec<String> = Options::describe()
        .iter()
        .filter_map(|line| Some(line.strip_prefix("option name ")?.split_once(" type ")?.0.to_owned()))
        .collect();
    let mut options = Options::default();
    let mut set = |name: &str, value: &str| {
        options.set(name, value).map_err(|error| value_error(format!("option {name}: {error}")))
    };
    set("Bot", bot)?;
    for (name, value) in given {
        let known = declared.iter().find(|known| plain(known) == plain(name) && *known != "Bot");
        set(known.unwrap_or(name), value)?;
    }
    check_hash(options.bot.expectimax.hash).map_err(|error| value_error(format!("option Hash: {error}")))?;
    Ok(options)
}

/// A limit in seconds as a duration.
fn duration(seconds: f64) -> PyResult<Duration> {
    let bad = || value_error(format!("time must be a number of seconds from 0 on, not {seconds}"));
    Duration::try_from_secs_f64(seconds).map_err(|_| bad())
}

impl Engine {
    fn bot(&self) -> PyResult<MutexGuard<'_, Bot>> {
        match self.bot.try_lock() {
            Ok(bot) => Ok(bot),
            // A bot that has panicked is one that answers still: every search begins with what is asked.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("this engine is busy with another search")),
        }
    }

    /// Asks the bot, and returns what it chose and said.
    fn ask(
        &self,
        py: Python<'_>,
        task: &Task,
        time: Option<f64>,
        budget: Option<&Budget>,
    ) -> PyResult<(astragal::rules::Turn, Heard)> {
        let time = time.map(duration).transpose()?;
        let started = Instant::now();
        let stop = match (time.and_then(|time| started.checked_add(time)), budget) {
            (Some(_), Some(_)) => return Err(value_error("give time or budget, not both")),
            (Some(deadline), None) => StopSignal::with_deadline(deadline),
            (None, Some(budget)) => StopSignal::with_bounds(started, budget.bounds()),
            (None, None) => StopSignal::new(),
        };
        let mut guard = self.bot()?;
        let bot = &mut *guard;
        let mut heard = Heard::default();
        let mut report = |event| heard.hear(event);
        let turn = if bot.is_budgeted() {
            let mut work = || bot.choose(task, Some(&stop), &mut report);
            attended(py, &stop, &mut work)?
        } else {
            // It answers at once.
            py.detach(|| bot.choose(task, None, &mut report))
        };
        drop(guard);
        for note in heard.notes.iter().filter(|note| note.starts_with("error")) {
            let text = CString::new(note.replace('\0', " "))?;
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
        }
        Ok((turn, heard))
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (bot = "expectimax", **options))]
    fn new(py: Python<'_>, bot: &str, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut given = Vec::new();
        for (name, value) in options.into_iter().flatten() {
            let text = if let Ok(on) = value.extract::<bool>() { on.to_string() } else { value.str()?.to_string() };
            given.push((name.extract()?, text));
        }
        let options = options_of(bot, &given)?;
        let bot = Mutex::new(py.detach(|| options.bot.build()));
        Ok(Self { options, given, bot })
    }

    /// The name of the bot.
    #[getter]
    fn name(&self) -> &'static str {
        self.options.bot.kind.id()
    }

    /// The options that were given, as texts.
    #[getter]
    fn options(&self) -> Vec<(String, String)> {
        self.given.clone()
    }

    /// Whether the option Seed was given.
    #[getter]
    fn has_seed(&self) -> bool {
        self.given.iter().any(|(name, _)| name.eq_ignore_ascii_case("seed"))
    }

    /// The id of the policy by which it shares out a clock.
    #[getter]
    fn time_policy(&self) -> &'static str {
        self.options.time_policy.id()
    }

    /// Picks a turn for a roll (by default the dice of the position); without any dice the position itself is valued.
    ///
    /// ``depth`` is in whole turns, the own one included; ``time`` in seconds; ``nodes`` in evaluated positions; ``budget``,
    /// in place of ``time``, is what a turn may spend of a clock (``Engine.budget``). The search ends at whichever comes first;
    /// without any of them at an end of its own (see each bot). Without ``time`` and ``budget``, and with one thread, the same
    /// engine gives the same answer. Ctrl-C ends the search within a dice roll, and ``KeyboardInterrupt`` is raised.
    ///
    /// Raises ``RuntimeError`` if the engine is busy in another thread.
    #[pyo3(signature = (position, roll = None, *, depth = None, time = None, nodes = None, budget = None))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn search(
        &self,
        py: Python<'_>,
        position: &Position,
        roll: Option<&str>,
        depth: Option<u32>,
        time: Option<f64>,
        nodes: Option<u64>,
        budget: Option<&Budget>,
    ) -> PyResult<SearchResult> {
        let rolled = match roll {
            Some(roll) => Rolled { dice: words::some_dice(roll)?, ..position.rolled },
            None => position.rolled,
        };
        let mut task = Task::new(rolled);
        (task.limits.depth, task.limits.nodes) = (depth, nodes);
        task.multi_pv = self.options.multi_pv;
        let started = Instant::now();
        let (turn, heard) = self.ask(py, &task, time, budget)?;
        let first = heard.lines.first();
        let lines = heard.lines.iter().map(|info| {
            let line = Line {
                turn: info.turn.map(|turn| turn.to_string()),
                equity: info.score.equity().value(),
                captures: info.score == Score::KingCapture,
                depth: info.depth,
            };
            Py::new(py, line)
        });
        Ok(SearchResult {
            turn: (!rolled.dice.is_empty()).then(|| turn.to_string()),
            equity: first.map(|info| info.score.equity().value()),
            centipawns: first.map(|info| info.score.equity().centipawns()),
            captures: first.is_some_and(|info| info.score == Score::KingCapture),
            depth: first.map(|info| info.depth),
            nodes: heard.nodes,
            time: started.elapsed().as_secs_f64(),
            lines: lines.collect::<PyResult<_>>()?,
            from_book: heard.from_book,
            notes: heard.notes,
        })
    }

    /// What each of the 56 rolls is worth to the side to move by a search ``depth`` whole turns deep: an array of float64 of
    /// shape ``(56,)`` in the order of ``ROLLS``, equities from -1 to 1.
    ///
    /// Raises ``ValueError`` if the bot does not search the rolls of a position.
    #[pyo3(signature = (position, *, depth = 1))]
    fn roll_values<'py>(
        &self,
        py: Python<'py>,
        position: &Position,
        depth: u32,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut task = Task::new(Rolled { dice: Default::default(), ..position.rolled });
        task.limits.depth = Some(depth);
        task.mode = Mode::EachRoll { until_stopped: false };
        let (_, heard) = self.ask(py, &task, None, None)?;
        if heard.rolls.len() != Roll::COUNT {
            return Err(value_error(format!("the bot {} does not value the rolls of a position", self.name())));
        }
        Ok(PyArray1::from_iter(py, heard.rolls.iter().map(|info| info.score.equity().value())))
    }

    /// What the clock words of ``go`` come to with the options of this engine, as the command ``budget`` of the protocol
    /// says; all times in whole milliseconds.
    ///
    /// ``last_book_move`` is the full-move number of the last turn from a book, 0 if there was none. Raises ``ValueError`` if
    /// neither ``movetime`` nor the clock of the side to move is given.
    #[pyo3(signature = (position, *, wtime = None, btime = None, winc = 0, binc = 0, wdelay = 0, bdelay = 0, movestogo = None, movetime = None, last_book_move = 0))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn budget(
        &self,
        position: &Position,
        wtime: Option<i64>,
        btime: Option<i64>,
        winc: i64,
        binc: i64,
        wdelay: i64,
        bdelay: i64,
        movestogo: Option<u32>,
        movetime: Option<i64>,
        last_book_move: u32,
    ) -> PyResult<Budget> {
        let side = position.rolled.position.side().index();
        let move_number = position.rolled.position.fullmove();
        // A book turn that is not behind us belongs to another game.
        let last_book_move = if last_book_move < move_number { last_book_move } else { 0 };
        let clock = [wtime, btime][side].map(|remaining_ms| ClockState {
            remaining_ms,
            increment_ms: [winc, binc][side],
            delay_ms: [wdelay, bdelay][side],
            move_number,
            moves_to_go: movestogo,
            turns_out_of_book: move_number.saturating_sub(last_book_move.saturating_add(1)),
        });
        let allotment = self.options.time_rules().allot(clock.as_ref(), movetime);
        allotment.map(Budget::from).ok_or_else(|| value_error("say wtime or btime of the side to move, or movetime"))
    }

    /// Forgets the game so far. With a ``seed``, what the bot chooses at random is drawn from that from now on.
    #[pyo3(signature = (seed = None))]
    fn new_game(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        let mut bot = self.bot()?;
        match seed {
            None => bot.new_game(),
            Some(seed) => {
                let config = BotConfig { seed, ..self.options.bot.clone() };
                *bot = py.detach(|| config.build());
            }
        }
        Ok(())
    }

    fn __repr__(&self) -> String {
        let options: String = self.given.iter().map(|(name, value)| format!(", {name}={value}")).collect();
        format!("Engine('{}'{options})", self.name())
    }
}
