//! The protocol thread: one loop that hears messages, keeps the deadline and answers.

use super::command::Command;
use super::excerpt;
use super::go::Go;
use super::input::{Message, read_lines, watch_stdout};
use super::inspect;
use super::job::{GoJob, Job};
use super::options::Options;
use super::output::Output;
use super::overhead::MeasuredOverhead;
use super::setup;
use super::worker::{self, LastBookMove};
use crate::board::{Rolled, STARTPOS};
use crate::rollout::RolloutSettings;
use crate::search::{Limits, Task};
use crate::time::StopSignal;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, unbounded};
use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How long the end of input waits for what was ordered before it: answers to a script that closes its end at once.
const FAREWELL: Duration = Duration::from_millis(400);

/// A search that was ordered and may not have answered yet.
struct Pending {
    stop: Arc<StopSignal>,
    go: Go,
    /// The position it is about; `ponderhit` needs its side and move number.
    rolled: Rolled,
    /// The options that were in force.
    options: Options,
    /// Letting go of it lets the answer out.
    hold: Option<Sender<()>>,
}

struct Session {
    options: Options,
    rolled: Rolled,
    jobs: Sender<Job>,
    output: Arc<Output>,
    last_book_move: Arc<LastBookMove>,
    overhead: MeasuredOverhead,
    /// Whether the bot of the options in force has been ordered to be built.
    prepared: bool,
    /// The latest search; earlier ones have been stopped.
    pending: Option<Pending>,
    /// The signals of countings and benches ordered so far; stopped together with the search.
    others: Vec<Arc<StopSignal>>,
}

/// Runs a session on these streams until `quit`, the end of input, or until nobody reads the output. `stdout` says
/// that the output is the process's standard output, which can then be watched. Returns the moment the session ends; a
/// search thread that still runs is left to end with the process.
pub fn run(input: impl Read + Send + 'static, output: impl Write + Send + 'static, stdout: bool) {
    let (messages, inbox) = unbounded();
    let (jobs, work) = unbounded();
    let output = Arc::new(Output::new(output));
    if stdout {
        let messages = messages.clone();
        thread::spawn(move || watch_stdout(&messages));
    }
    thread::spawn(move || read_lines(input, &messages));
    let (finished, all_done) = bounded::<()>(0);
    let last_book_move = Arc::new(LastBookMove::default());
    let (at_work, told) = (Arc::clone(&output), Arc::clone(&last_book_move));
    thread::spawn(move || {
        worker::work(&work, &at_work, &told);
        drop(finished);
    });
    let start = Rolled::from_dfen(STARTPOS);
    // The starting position is sound: the tests of DFEN read it.
    let Ok(rolled) = start else { return };
    let session = Session {
        options: Options::default(),
        rolled,
        jobs,
        output,
        last_book_move,
        overhead: MeasuredOverhead::default(),
        prepared: false,
        pending: None,
        others: Vec::new(),
    };
    session.listen(&inbox, &all_done);
}

impl Session {
    fn listen(mut self, inbox: &Receiver<Message>, all_done: &Receiver<()>) {
        loop {
            let message = match self.deadline() {
                Some(deadline) => inbox.recv_deadline(deadline),
                None => inbox.recv().map_err(RecvTimeoutError::from),
            };
            match message {
                Err(RecvTimeoutError::Timeout) => self.raise_at_deadline(),
                Ok(Message::Line(line, at)) => {
                    log::debug!("> {}", line.trim_end());
                    match Command::parse(&line) {
                        Some(Command::Quit) => return self.stop_everything(),
                        Some(command) => self.act(command, at),
                        None => {}
                    }
                }
                Ok(Message::LongLine(bytes)) => self.error(&format!("line: {bytes} bytes are too many, skipped")),
                Ok(Message::OutputClosed) => return self.stop_everything(),
                Ok(Message::EndOfInput) | Err(RecvTimeoutError::Disconnected) => {
                    self.stop_search();
                    let Self { jobs, .. } = self;
                    drop(jobs);
                    // Either the work is done or it has had its time.
                    let _ = all_done.recv_timeout(FAREWELL);
                    return;
                }
            }
            if self.output.is_closed() {
                return self.stop_everything();
            }
        }
    }

    fn act(&mut self, command: Command, at: Instant) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                self.prepare();
                self.say("readyok");
            }
            Command::NewGame => {
                self.prepare();
                self.overhead = MeasuredOverhead::default();
                self.order(Job::NewGame);
            }
            Command::Debug => {}
            Command::SetOption { name, value } => {
                self.prepared = false;
                if let Err(error) = self.options.set(&name, &value) {
                    self.error(&format!("option {}: {error}", excerpt(&name).escape_default()));
                }
            }
            Command::Position(words) => match setup::parse(&words) {
                Ok(rolled) => self.rolled = rolled,
                Err(error) => self.error(&error.to_string()),
            },
            Command::Go(go) => self.go(go, at),
            Command::Stop => {
                self.stop_search();
                self.others.drain(..).for_each(|stop| stop.raise());
            }
            Command::PonderHit => self.ponder_hit(at),
            // The loop has seen to it.
            Command::Quit => {}
            Command::Display => self.say(&inspect::display(&self.rolled)),
            Command::Perft(depth) => match depth.as_deref().unwrap_or("1").parse() {
                Ok(depth @ 1..=inspect::DEEPEST_PERFT) => {
                    let stop = self.stop_for_other();
                    self.order(Job::Perft { rolled: self.rolled, depth, stop });
                }
                _ => {
                    self.error(&format!("perft: the depth must be a whole number from 1 to {}", inspect::DEEPEST_PERFT))
                }
            },
            Command::KingCapture => self.say(&inspect::king_capture(&self.rolled.position)),
            Command::Budget(go) => {
                let last_book_move = self.last_book_move.get();
                self.say(&inspect::budget(&go, &self.rolled.position, &self.options_in_force(), last_book_move));
            }
            Command::Bench => {
                let stop = self.stop_for_other();
                self.order(Job::Bench { stop });
            }
            Command::Help => self.say(HELP),
            Command::Unknown(word) => self.say(&format!("info string unknown command '{}'", word.escape_default())),
        }
    }

    fn introduce(&self) {
        let mut lines = vec![
            concat!("id name Astragal ", env!("CARGO_PKG_VERSION")).to_owned(),
            "id author the Astragal authors".to_owned(),
        ];
        lines.extend(Options::describe());
        lines.push("uciok".to_owned());
        self.say(&lines.join("\n"));
    }

    /// Orders a search. One that still runs is stopped and answers first.
    fn go(&mut self, go: Go, at: Instant) {
        self.stop_search();
        let answered = Arc::new(OnceLock::new());
        self.overhead.hear(&go, &self.rolled.position);
        self.overhead.ask(&go, &self.rolled.position, at, &answered);
        let options = self.options_in_force();
        let stop = Arc::new(StopSignal::new());
        let (hold, held) = if go.infinite || go.ponder {
            let (hold, held) = bounded(0);
            (Some(hold), Some(held))
        } else {
            self.set_bounds(&stop, &go, &self.rolled, &options, at);
            (None, None)
        };
        let task = Task {
            rolled: self.rolled,
            limits: Limits { depth: go.depth, nodes: go.nodes },
            search_moves: go.search_moves.clone(),
            multi_pv: self.options.multi_pv,
            mode: go.mode(),
        };
        let turns = go.turns.unwrap_or(RolloutSettings::TURNS);
        let rollout = go.rollout.then_some(RolloutSettings { games: go.games, turns });
        self.order(Job::Go(Box::new(GoJob {
            task,
            bot: self.options.bot.clone(),
            rollout,
            show_wdl: self.options.show_wdl,
            stop: Arc::clone(&stop),
            started: at,
            held,
            answered,
        })));
        self.pending = Some(Pending { stop, go, rolled: self.rolled, options, hold });
    }

    /// What was pondered on has come about: the clock runs from now. Without dice there is no turn to spend it on, so the
    /// search ends; what it has learned is kept for the turn to come.
    fn ponder_hit(&mut self, at: Instant) {
        let Some(mut pending) = self.pending.take() else { return };
        if pending.go.ponder {
            pending.go.ponder = false;
            if !pending.go.infinite {
                if pending.rolled.dice.is_empty() {
                    pending.stop.raise();
                } else {
                    self.set_bounds(&pending.stop, &pending.go, &pending.rolled, &pending.options, at);
                }
                pending.hold = None;
            }
        }
        self.pending = Some(pending);
    }

    /// The options, with the measured overhead if it is wanted and there is one.
    fn options_in_force(&self) -> Options {
        let mut options = self.options.clone();
        if options.auto_overhead
            && let Some(overhead) = self.overhead.estimate_ms()
        {
            options.move_overhead = overhead;
        }
        options
    }

    fn set_bounds(&self, stop: &StopSignal, go: &Go, rolled: &Rolled, options: &Options, from: Instant) {
        if let Some(allotment) = inspect::allot(go, &rolled.position, options, self.last_book_move.get()) {
            stop.set_bounds(from, allotment.bounds);
        }
    }

    /// Has the bot built before its first search, whose clock then does not run while files are read.
    fn prepare(&mut self) {
        if !self.prepared {
            self.prepared = true;
            self.order(Job::Prepare(Box::new(self.options.bot.clone())));
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.pending.as_ref().and_then(|pending| pending.stop.deadline())
    }

    /// A deadline has come, unless the search has moved it meanwhile.
    fn raise_at_deadline(&self) {
        if let Some(pending) = &self.pending
            && pending.stop.is_raised()
        {
            pending.stop.raise();
        }
    }

    /// Stops the search, if there is one, and lets its answer out.
    fn stop_search(&mut self) {
        if let Some(pending) = self.pending.take() {
            pending.stop.raise();
        }
    }

    fn stop_everything(mut self) {
        self.stop_search();
        self.others.drain(..).for_each(|stop| stop.raise());
    }

    fn stop_for_other(&mut self) -> Arc<StopSignal> {
        // Signals that only this list still holds are of work that is done.
        self.others.retain(|stop| Arc::strong_count(stop) > 1);
        let stop = Arc::new(StopSignal::new());
        self.others.push(Arc::clone(&stop));
        stop
    }

    fn order(&self, job: Job) {
        if self.jobs.send(job).is_err() {
            log::error!("the search thread is gone");
        }
    }

    fn say(&self, line: &str) {
        self.output.line(line);
    }

    fn error(&self, what: &str) {
        self.say(&format!("info string error {what}"));
    }
}

const HELP: &str = "\
info string uci, isready, ucinewgame, setoption name N [value V], position ..., go ..., stop, ponderhit, quit
info string position {startpos | dfen <7 fields> | fen <6 fields>} [moves <turn>...] [dice <letters>]
info string go [wtime btime winc binc wdelay bdelay movestogo movetime depth nodes infinite ponder searchmoves]
info string go rolls: each of the 56 rolls before the roll; go rollout [games turns]: games played on
info string d: the board; perft [depth]: legal turns; kcp: chance to capture the king
info string budget <clock words of go>: time for this turn; bench: speed and signature";
