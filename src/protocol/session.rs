//! The protocol thread: one loop that hears messages, keeps the deadline and answers.

use super::command::Command;
use super::excerpt;
use super::go::Go;
use super::input::{Message, read_lines, watch_stdout};
use super::inspect;
use super::job::{GoJob, Job, Workload};
use super::memory::check_hash;
use super::options::{OptionError, Options};
use super::output::Output;
use super::overhead::MeasuredOverhead;
use super::setup;
use super::worker::{self, LastBookMove};
use crate::board::{Rolled, STARTPOS};
use crate::eval::network::SHIPPED;
use crate::rollout::RolloutSettings;
use crate::search::{Limits, Task};
use crate::time::StopSignal;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded, never, select, unbounded};
use std::io::{Read, Write};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether anybody still reads the output, once the input has ended. (On Unix that is told.)
const LOOK_AT_OUTPUT: Duration = Duration::from_millis(100);

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
    /// Whether the last `position` was refused, so that the one before it is still in force.
    refused: bool,
    jobs: Sender<Job>,
    /// Searches, countings and benches that are not done.
    workload: Workload,
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

/// Runs a session on these streams until `quit`, until the input ends and what was ordered is done, or until nobody reads
/// the output. `stdout` says that the output is the process's standard output, which can then be watched. Returns the
/// moment the session ends; a search thread that still runs is left to end with the process.
///
/// # Errors
/// The system does not start the two threads that a session needs.
pub fn run(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    stdout: bool,
) -> std::io::Result<()> {
    let (messages, inbox) = unbounded();
    let (jobs, work) = unbounded();
    let output = Arc::new(Output::new(output));
    if stdout {
        let messages = messages.clone();
        // Without it a closed output is noticed at the next write.
        let watch = thread::Builder::new().name("output".to_owned()).spawn(move || watch_stdout(&messages));
        watch.map_or_else(|error| log::info!("the output is not watched: {error}"), drop);
    }
    thread::Builder::new().name("input".to_owned()).spawn(move || read_lines(input, &messages))?;
    let (finished, all_done) = bounded::<()>(0);
    let last_book_move = Arc::new(LastBookMove::default());
    let (at_work, told) = (Arc::clone(&output), Arc::clone(&last_book_move));
    thread::Builder::new().name("search".to_owned()).spawn(move || {
        worker::work(&work, at_work, told);
        drop(finished);
    })?;
    let start = Rolled::from_dfen(STARTPOS);
    // The starting position is sound: the tests of DFEN read it.
    let Ok(rolled) = start else { return Ok(()) };
    let session = Session {
        options: Options::default(),
        rolled,
        refused: false,
        jobs,
        workload: Workload::default(),
        output,
        last_book_move,
        overhead: MeasuredOverhead::default(),
        prepared: false,
        pending: None,
        others: Vec::new(),
    };
    session.listen(&inbox, &all_done);
    Ok(())
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
                    return self.finish(inbox.clone(), all_done);
                }
            }
            if self.output.is_closed() {
                return self.stop_everything();
            }
        }
    }

    /// The input has ended: what was ordered is done, but for a search that only more input could end.
    fn finish(mut self, mut inbox: Receiver<Message>, all_done: &Receiver<()>) {
        if self.pending.as_ref().is_some_and(|pending| pending.hold.is_some()) {
            self.stop_search();
        }
        // Without a sender the search thread ends when it has done everything. A deadline it keeps by itself.
        self.jobs = unbounded().0;
        loop {
            select! {
                // Nothing is ever sent: this is the end of the search thread.
                recv(all_done) -> _ => return,
                recv(inbox) -> message => match message {
                    Ok(Message::OutputClosed) => return self.stop_everything(),
                    Ok(_) => {}
                    Err(_) => inbox = never(),
                },
                default(LOOK_AT_OUTPUT) => {
                    if self.output.is_closed() {
                        return self.stop_everything();
                    }
                }
            }
        }
    }

    fn act(&mut self, command: Command, at: Instant) {
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => {
                if self.workload.is_done() {
                    self.prepared = true;
                    self.order(Job::Ready(Box::new(self.options.bot.clone())));
                } else {
                    self.prepare();
                    self.say("readyok");
                }
            }
            Command::NewGame => {
                self.prepare();
                self.overhead = MeasuredOverhead::default();
                self.order(Job::NewGame);
            }
            Command::Debug => {}
            Command::SetOption { name, value } => {
                self.prepared = false;
                if let Err(error) = self.set_option(&name, &value) {
                    let option = format!("option {}", excerpt(&name).escape_default());
                    self.error(&format!("{}: {error}", option.trim_end()));
                }
            }
            Command::Position(words) => match setup::parse(&words) {
                Ok(rolled) => (self.rolled, self.refused) = (rolled, false),
                Err(error) => {
                    self.refused = true;
                    self.error(&error.to_string());
                }
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
                    self.order(Job::Perft { rolled: self.rolled, depth, stop, work: self.workload.add() });
                }
                _ => {
                    self.error(&format!("perft: the depth must be a whole number from 1 to {}", inspect::DEEPEST_PERFT))
                }
            },
            Command::Eval => self.say(&inspect::eval(&self.rolled.position)),
            Command::KingCapture => self.say(&inspect::king_capture(&self.rolled.position)),
            Command::Budget(go) => {
                let last_book_move = self.last_book_move.get();
                self.say(&inspect::budget(&go, &self.rolled.position, &self.options_in_force(), last_book_move));
            }
            Command::Bench => {
                let stop = self.stop_for_other();
                self.order(Job::Bench { stop, work: self.workload.add() });
            }
            Command::Help => self.say(HELP),
            Command::Unknown(word) => self.say(&format!("info string unknown command '{}'", word.escape_default())),
        }
    }

    fn introduce(&self) {
        let mut lines = vec![
            format!("id name Astragal {} net {:08x}", crate::VERSION, SHIPPED.id()),
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
        let refused =
            || format!("the last position command was refused: this is about the earlier one, {}", self.rolled);
        let remarks = self.refused.then(refused).into_iter().collect();
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
            remarks,
            work: self.workload.add(),
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

    /// Sets an option. More memory than there is is refused, as a value out of range is.
    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let before = self.options.bot.expectimax.hash;
        self.options.set(name, value)?;
        let hash = &mut self.options.bot.expectimax.hash;
        if *hash > before
            && let Err(error) = check_hash(*hash)
        {
            *hash = before;
            return Err(OptionError::Hash(error));
        }
        Ok(())
    }

    /// The options, with the overhead as far as it has been measured.
    fn options_in_force(&self) -> Options {
        Options { measured_overhead: self.overhead.estimate_ms(), ..self.options.clone() }
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
info string uci, isready, ucinewgame, setoption name N [value V], debug, help, quit
info string position {startpos | dfen <4, 6 or 7 fields> | fen <the same>} [moves <turn>...] [dice <letters>]
info string go [wtime btime winc binc wdelay bdelay movestogo movetime depth nodes infinite ponder searchmoves]
info string go rolls: each of the 56 rolls before the roll; go rollout [games turns]: games played on; stop; ponderhit
info string d: the board; eval: the terms of its value; kcp: chance to capture the king; perft [depth]: legal turns
info string budget <clock words of go>: time for this turn; bench: speed and signature";
