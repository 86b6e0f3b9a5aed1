//! A program that speaks the engine protocol: its handshake, its games, its searches.

use crate::answer::Answer;
use crate::cancel::Cancel;
use crate::declared::{Declared, OptionProblem};
use crate::go::Go;
use crate::info::Info;
use crate::log::Hook;
use crate::pipe::{Input, Launch, Pipe, PipeError};
use astragal::board::Rolled;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;

/// Lines that mean nothing to us, in one search or between two: more is a flood.
const MOST_GARBAGE: usize = 10_000;

/// Bytes of output in one search: more is a flood.
const MOST_BYTES: usize = 1 << 30;

/// How long a program may take for its introduction and to become ready, if nothing else is said.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// What a program is started with.
#[derive(Clone)]
pub struct Setup {
    /// The program.
    pub launch: Launch,
    /// Options to set, checked against those that it declares.
    pub options: Vec<(String, String)>,
    /// How long it may take for the answers to `uci`, `isready` and `stop`.
    pub handshake: Duration,
    /// Ends every wait when it is raised.
    pub cancel: Cancel,
}

impl Setup {
    /// A program and its arguments, without options, with 10 s for each answer of the handshake.
    pub fn new(words: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { launch: Launch::new(words), options: Vec::new(), handshake: HANDSHAKE, cancel: Cancel::new() }
    }

    /// The same with an option.
    #[must_use]
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with something that is told every line in either direction.
    #[must_use]
    pub fn hook(mut self, hook: Hook) -> Self {
        self.launch.hook = Some(hook);
        self
    }
}

/// What a program says of itself, as it came: [`Escaped`](crate::Escaped) makes it fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Introduction {
    /// The text of `id name`.
    pub name: Option<String>,
    /// The text of `id author`.
    pub author: Option<String>,
    /// Its options.
    pub declared: Vec<Declared>,
}

/// How a program failed. After an error it is in no known state: [`quit`](Engine::quit) it and start it anew.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EngineError {
    /// It ended, closed its output, or could not be started.
    #[error("{0}")]
    Gone(String),
    /// It does not read its input.
    #[error("it does not read its input")]
    NotReading,
    /// It did not answer in time.
    #[error("no answer to {asked} within {} s", .within.as_secs_f64())]
    NoAnswer {
        /// To what.
        asked: &'static str,
        /// How long it had.
        within: Duration,
    },
    /// It broke the protocol beyond what can be skipped.
    #[error("{0}")]
    Broken(String),
    /// An option that it does not have, or a value that does not suit.
    #[error("{0}")]
    Option(#[from] OptionProblem),
    /// The signal of the [`Setup`] was raised.
    #[error("the wait was given up")]
    Cancelled,
}

impl From<PipeError> for EngineError {
    fn from(error: PipeError) -> Self {
        match error {
            PipeError::Closed(what) => Self::Gone(what),
            PipeError::NotReading => Self::NotReading,
            PipeError::Cancelled => Self::Cancelled,
            // Every wait turns it into the answer that is missing.
            PipeError::Timeout => Self::Broken(error.to_string()),
        }
    }
}

/// Why a program cannot be driven.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{error}")]
pub struct StartError {
    /// What went wrong.
    pub error: EngineError,
    /// The last lines that it wrote, as they came.
    pub last_lines: Vec<String>,
}

/// Something that a program says during a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// An `info` line.
    Info(Info),
    /// The answer, after which the search is over, and when it was read.
    Answer(Answer, Instant),
    /// Any other line.
    Other(String),
}

/// A program that has introduced itself.
pub struct Engine {
    pipe: Pipe,
    handshake: Duration,
    cancel: Cancel,
    introduction: Introduction,
    options: BTreeMap<String, String>,
    /// Whether it owes an answer.
    searching: bool,
    /// What came in this search.
    garbage: usize,
    bytes: usize,
}

/// Ends searches of an [`Engine`] that another thread waits for.
#[derive(Clone)]
pub struct Remote(Arc<Mutex<Input>>);

impl Remote {
    /// Tells the program to stop its search: the thread that waits gets the answer. Without a search it does nothing.
    ///
    /// # Errors
    /// The program is gone or does not read.
    pub fn stop(&self) -> Result<(), EngineError> {
        Ok(self.0.lock().send("stop\n").map(drop)?)
    }
}

/// The instant after a time, however long that is.
fn after(begin: Instant, time: Duration) -> Instant {
    const YEAR: Duration = Duration::from_secs(365 * 86_400);
    begin + time.min(YEAR)
}

impl Engine {
    /// Starts a program, has it introduce itself, and sets the options.
    ///
    /// # Errors
    /// It cannot be started, does not introduce itself, or an option does not suit it. It has ended then.
    pub fn start(setup: &Setup) -> Result<Self, StartError> {
        let pipe = Pipe::spawn(&setup.launch).map_err(|what| {
            let error = EngineError::Gone(what);
            StartError { error, last_lines: Vec::new() }
        })?;
        let mut engine = Self {
            pipe,
            handshake: setup.handshake,
            cancel: setup.cancel.clone(),
            introduction: Introduction::default(),
            options: BTreeMap::new(),
            searching: false,
            garbage: 0,
            bytes: 0,
        };
        match engine.introduce().and_then(|()| engine.set_options(&setup.options)) {
            Ok(()) => Ok(engine),
            Err(error) => {
                let patience = if setup.cancel.is_raised() { FAREWELL / 4 } else { FAREWELL };
                let last_lines = engine.quit(patience);
                Err(StartError { error, last_lines })
            }
        }
    }

    fn introduce(&mut self) -> Result<(), EngineError> {
        self.send("uci\n")?;
        let mut introduction = Introduction::default();
        let mut bad_option = None;
        self.await_line("uci", |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                introduction.name = Some(name.trim().to_owned());
            } else if let Some(author) = line.strip_prefix("id author ") {
                introduction.author = Some(author.trim().to_owned());
            } else if line.starts_with("option ") {
                match Declared::parse(line) {
                    Ok(declared) => introduction.declared.push(declared),
                    Err(error) => bad_option = Some(error),
                }
            }
            line == "uciok"
        })?;
        self.introduction = introduction;
        bad_option.map_or(Ok(()), |error| Err(EngineError::Broken(error.to_string())))
    }

    fn set_options(&mut self, options: &[(String, String)]) -> Result<(), EngineError> {
        let (checked, in_force) = Declared::check_all(&self.introduction.declared, options)?;
        self.options = in_force;
        for (name, value) in checked {
            self.send_option(&name, &value)?;
        }
        Ok(())
    }

    fn send_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.send(&format!("setoption name {name}{value}\n")).map(drop)
    }

    /// What it says of itself.
    pub const fn introduction(&self) -> &Introduction {
        &self.introduction
    }

    /// Every option with the value in force, as far as it is known.
    pub const fn options(&self) -> &BTreeMap<String, String> {
        &self.options
    }

    /// Sets an option; during a search it counts from the next one on.
    ///
    /// # Errors
    /// It has no such option, the value does not suit (nothing is sent then), or it is gone.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), EngineError> {
        let option = [(name.to_owned(), value.to_owned())];
        let (checked, _) = Declared::check_all(&self.introduction.declared, &option)?;
        for (name, value) in checked {
            self.send_option(&name, &value)?;
            self.options.insert(name, value);
        }
        Ok(())
    }

    /// Has it forget what it has learned, and waits until it is ready. Ends a search before that.
    ///
    /// # Errors
    /// It failed.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.halt()?;
        self.skip_stray_lines()?;
        self.send("ucinewgame\n")?;
        self.ready()
    }

    /// Waits until it is ready. Ends a search before that.
    ///
    /// # Errors
    /// It failed.
    pub fn ready(&mut self) -> Result<(), EngineError> {
        self.halt()?;
        self.send("isready\n")?;
        self.await_line("isready", |line| line == "readyok")
    }

    /// Begins a search, after the end of the one before. Returns when its lines were written.
    ///
    /// # Errors
    /// It failed.
    pub fn go(&mut self, rolled: &Rolled, go: &Go) -> Result<Instant, EngineError> {
        self.halt()?;
        self.skip_stray_lines()?;
        (self.garbage, self.bytes) = (0, 0);
        let began = self.send(&format!("position dfen {rolled}\n{go}\n"))?;
        self.searching = true;
        Ok(began)
    }

    /// The next thing that it says, `None` if there is none until the deadline.
    ///
    /// # Errors
    /// It failed.
    pub fn next(&mut self, deadline: Instant) -> Result<Option<Event>, EngineError> {
        let (line, at) = match self.pipe.receive(deadline, &self.cancel) {
            Ok(heard) => heard,
            Err(PipeError::Timeout) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        self.bytes += line.len() + 1;
        let text = line.trim_start();
        let (word, rest) = text.split_once(|letter: char| letter.is_ascii_whitespace()).unwrap_or((text, ""));
        let event = match word {
            "info" => Event::Info(Info::parse(rest)),
            "bestmove" => {
                self.searching = false;
                return Ok(Some(Event::Answer(Answer::parse(rest), at)));
            }
            _ => {
                self.garbage += 1;
                Event::Other(line)
            }
        };
        if self.garbage > MOST_GARBAGE || self.bytes > MOST_BYTES {
            let (garbage, bytes) = (self.garbage, self.bytes);
            return Err(EngineError::Broken(format!("a flood: {garbage} strange lines, {bytes} bytes in one turn")));
        }
        Ok(Some(event))
    }

    /// Waits for the answer to the search; what it says of it is handed to `hear`. At the deadline it is told to stop, and
    /// has the grace to answer. Returns the answer and when it was read.
    ///
    /// # Errors
    /// It failed, or is silent beyond the grace ([`EngineError::NoAnswer`] to `stop`).
    pub fn wait(
        &mut self,
        deadline: Instant,
        grace: Duration,
        hear: &mut dyn FnMut(&Info),
    ) -> Result<(Answer, Instant), EngineError> {
        let mut told_to_stop = false;
        loop {
            let until = if told_to_stop { after(deadline, grace) } else { deadline };
            match self.next(until)? {
                Some(Event::Info(info)) => hear(&info),
                Some(Event::Answer(answer, at)) => return Ok((answer, at)),
                Some(Event::Other(_)) => {}
                None if told_to_stop => return Err(EngineError::NoAnswer { asked: "stop", within: grace }),
                None => {
                    told_to_stop = true;
                    // A program that does not read it will be found out when the grace is over.
                    let _ = self.stop();
                }
            }
        }
    }

    /// Tells it to stop its search; the answer is still to come.
    ///
    /// # Errors
    /// It is gone or does not read.
    pub fn stop(&mut self) -> Result<(), EngineError> {
        self.send("stop\n").map(drop)
    }

    /// Ends a search whose answer is of no interest, if there is one.
    ///
    /// # Errors
    /// It failed.
    pub fn halt(&mut self) -> Result<(), EngineError> {
        if std::mem::take(&mut self.searching) {
            self.send("stop\n")?;
            self.await_line("stop", |line| line.starts_with("bestmove"))?;
        }
        Ok(())
    }

    /// Whether it owes an answer.
    pub const fn is_searching(&self) -> bool {
        self.searching
    }

    /// A handle by which another thread can end a search.
    pub fn remote(&self) -> Remote {
        Remote(self.pipe.input())
    }

    /// Whether it has ended.
    pub fn has_exited(&mut self) -> bool {
        self.pipe.has_exited()
    }

    /// The last lines that it wrote, as they came.
    pub fn last_lines(&self) -> Vec<String> {
        self.pipe.tail()
    }

    /// Has it quit, and kills it if it has not within the patience. Returns its last lines.
    pub fn quit(mut self, patience: Duration) -> Vec<String> {
        self.pipe.end(patience);
        self.pipe.tail()
    }

    /// Reads lines until one is the last; what was asked is for the error.
    fn await_line(&mut self, asked: &'static str, mut is_last: impl FnMut(&str) -> bool) -> Result<(), EngineError> {
        let deadline = after(Instant::now(), self.handshake);
        for _ in 0..MOST_GARBAGE {
            match self.pipe.receive(deadline, &self.cancel) {
                Ok((line, _)) if is_last(line.trim()) => return Ok(()),
                Ok(_) => {}
                Err(PipeError::Timeout) => return Err(EngineError::NoAnswer { asked, within: self.handshake }),
                Err(error) => return Err(error.into()),
            }
        }
        Err(EngineError::Broken(format!("more than {MOST_GARBAGE} lines in answer to {asked}")))
    }

    fn send(&mut self, lines: &str) -> Result<Instant, EngineError> {
        Ok(self.pipe.send(lines)?)
    }

    /// Skips what was said since the last answer.
    fn skip_stray_lines(&mut self) -> Result<(), EngineError> {
        for _ in 0..MOST_GARBAGE {
            match self.pipe.try_receive() {
                None => return Ok(()),
                Some(line) if line.starts_with("bestmove") => {
                    return Err(EngineError::Broken("a bestmove that nobody asked for".to_owned()));
                }
                Some(_) => {}
            }
        }
        Err(EngineError::Broken(format!("a flood: more than {MOST_GARBAGE} lines between two turns")))
    }
}

/// How long a program that did not suit may take to end.
const FAREWELL: Duration = Duration::from_secs(1);
