//! Engines: a pool of programs, each driven by a thread of its own, and the instant bot that stands in for them.
//!
//! The client of programs blocks, so each lives on a thread; games speak to it by channels and never wait longer than they
//! can afford. A program that dies, hangs or breaks the protocol is ended and started anew by its thread; meanwhile its game
//! is played by the instant bot.

use crate::decide::EngineTime;
use astragal::board::Rolled;
use astragal::bots::{BotConfig, BotKind};
use astragal::rules::{Turn, first_legal_turn};
use astragal::search::Task;
use astragal_client::{Action, Clocks, Engine, EngineError, Go, Remote, Score, Setup, escaped};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// What a mate is worth in centipawns.
const MATE: i64 = 30_000;

/// How long a program may take to end when it is told to.
const FAREWELL: Duration = Duration::from_millis(500);

/// What programs are started with.
#[derive(Clone)]
pub struct EngineSetup {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The folder that it starts in.
    pub folder: Option<std::path::PathBuf>,
    /// Options to set.
    pub options: BTreeMap<String, String>,
    /// Variables of its environment.
    pub environment: BTreeMap<String, String>,
    /// Variables that it is not to see.
    pub withheld: Vec<String>,
    /// How long it may take to start.
    pub start: Duration,
    /// Between two starts of one that does not start.
    pub retry: Duration,
}

impl EngineSetup {
    fn setup(&self) -> Setup {
        let mut setup = Setup::new(self.command.clone());
        setup.launch.folder.clone_from(&self.folder);
        setup.launch.environment = self.environment.clone().into_iter().collect();
        setup.launch.withheld.clone_from(&self.withheld);
        setup.options = self.options.clone().into_iter().collect();
        setup.handshake = self.start;
        setup
    }
}

/// What an engine came to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Thought {
    /// Its turn; none if it resigns.
    pub turn: Option<Turn>,
    /// Whether it offers a draw.
    pub offers_draw: bool,
    /// Its score in centipawns.
    pub score: Option<i64>,
    /// The depth it tells.
    pub depth: Option<u32>,
    /// The nodes it tells.
    pub nodes: Option<u64>,
    /// The time it tells, in milliseconds.
    pub engine_time_ms: Option<u64>,
    /// From the question to the answer.
    pub time: Duration,
}

enum Job {
    NewGame,
    Restart,
    Think { rolled: Box<Rolled>, time: EngineTime, asked: Instant, answer: oneshot::Sender<Result<Thought, String>> },
}

/// A program on its thread.
pub struct Worker {
    jobs: Sender<Job>,
    remote: Arc<Mutex<Option<Remote>>>,
    name: Arc<Mutex<Option<String>>>,
    starts: Arc<Mutex<u32>>,
}

impl Worker {
    fn start(setup: EngineSetup) -> Arc<Self> {
        let (jobs, inbox) = channel::<Job>();
        let remote = Arc::new(Mutex::new(None));
        let name = Arc::new(Mutex::new(None));
        let starts = Arc::new(Mutex::new(0));
        let worker =
            Arc::new(Self { jobs, remote: Arc::clone(&remote), name: Arc::clone(&name), starts: Arc::clone(&starts) });
        let mut driver = Driver { setup, engine: None, tried: None, remote, name, starts, overhead: None };
        thread::spawn(move || {
            loop {
                driver.keep_alive();
                match inbox.recv_timeout(Duration::from_secs(1)) {
                    Ok(job) => driver.act(job),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            driver.end();
        });
        worker
    }

    /// Has it forget the game before.
    pub fn new_game(&self) {
        let _ = self.jobs.send(Job::NewGame);
    }

    /// Has it killed and started anew, for it cannot be trusted.
    pub fn restart(&self) {
        let _ = self.jobs.send(Job::Restart);
    }

    /// Ends the search that runs, whose answer is of no use any more.
    pub fn stop(&self) {
        if let Some(remote) = self.remote.lock().clone() {
            let _ = remote.stop();
        }
    }

    /// What it calls itself, once it has started.
    pub fn name(&self) -> Option<String> {
        self.name.lock().clone()
    }

    /// How often it has been started.
    pub fn starts(&self) -> u32 {
        *self.starts.lock()
    }

    /// Has it think. The answer comes in time, or an error does.
    ///
    /// # Errors
    /// It is not there, failed, or is silent: for the log.
    pub async fn think(&self, rolled: Rolled, time: EngineTime) -> Result<Thought, String> {
        let (EngineTime::Clock { patience, grace, .. } | EngineTime::Fixed { patience, grace, .. }) = time else {
            return Err("no time for an engine".to_owned());
        };
        let (answer, answered) = oneshot::channel();
        let job = Job::Think { rolled: Box::new(rolled), time, asked: Instant::now(), answer };
        self.jobs.send(job).map_err(|_| "its thread has ended".to_owned())?;
        match tokio::time::timeout(patience + grace, answered).await {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err("its thread has ended".to_owned()),
            Err(_) => Err(format!("no answer within {:?}", patience + grace)),
        }
    }
}

/// What the thread of a program works with.
struct Driver {
    setup: EngineSetup,
    engine: Option<Engine>,
    tried: Option<Instant>,
    remote: Arc<Mutex<Option<Remote>>>,
    name: Arc<Mutex<Option<String>>>,
    starts: Arc<Mutex<u32>>,
    /// What `Move Overhead` is set to.
    overhead: Option<Duration>,
}

impl Driver {
    /// Starts the program if it is not there, but not too often; notices one that has died between two turns.
    fn keep_alive(&mut self) {
        if self.engine.as_mut().is_some_and(Engine::has_exited) {
            tracing::warn!(event = "engine", "the engine has ended between two turns");
            self.end();
        }
        if self.engine.is_some() || self.tried.is_some_and(|at| at.elapsed() < self.setup.retry) {
            return;
        }
        self.tried = Some(Instant::now());
        match Engine::start(&self.setup.setup()) {
            Ok(mut engine) => {
                if let Err(error) = engine.new_game() {
                    tracing::error!(event = "engine", "the engine is not ready: {error}");
                    engine.quit(FAREWELL);
                    return;
                }
                *self.remote.lock() = Some(engine.remote());
                *self.name.lock() = engine.introduction().name.as_deref().map(|name| escaped(name, 80));
                *self.starts.lock() += 1;
                self.engine = Some(engine);
                self.overhead = None;
            }
            Err(error) => {
                let last = error.last_lines.iter().map(|line| escaped(line, 200)).collect::<Vec<_>>().join(" | ");
                tracing::error!(
                    event = "engine",
                    "the engine does not start: {}; {last}",
                    escaped(&error.to_string(), 300)
                );
            }
        }
    }

    fn act(&mut self, job: Job) {
        match job {
            Job::NewGame => {
                if let Some(engine) = &mut self.engine
                    && let Err(error) = engine.new_game()
                {
                    self.failed(&error.to_string());
                }
            }
            Job::Restart => self.failed("it cannot be trusted"),
            Job::Think { rolled, time, asked, answer } => {
                if answer.is_closed() {
                    return;
                }
                let result = self.think(&rolled, time, asked);
                if let Err(error) = &result {
                    self.failed(error);
                }
                let _ = answer.send(result);
            }
        }
    }

    fn think(&mut self, rolled: &Rolled, time: EngineTime, asked: Instant) -> Result<Thought, String> {
        let engine = self.engine.as_mut().ok_or("the engine is not running")?;
        // What waited for the program to start has less time left.
        let waited = asked.elapsed();
        let (go, overhead, patience, grace) = match time {
            EngineTime::Instant => return Err("no time for an engine".to_owned()),
            EngineTime::Fixed { time, patience, grace } => {
                (Go::move_time(time.saturating_sub(waited)), Duration::ZERO, patience, grace)
            }
            EngineTime::Clock { mut left_ms, increment_ms, overhead, patience, grace } => {
                let side = rolled.position.side().index();
                let waited = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
                left_ms[side] = left_ms[side].saturating_sub(waited);
                (Go::clocks(Clocks { left_ms, increment_ms, ..Clocks::default() }), overhead, patience, grace)
            }
        };
        let go = set_overhead(engine, &mut self.overhead, overhead, rolled, go)?;
        let began = engine.go(rolled, &go).map_err(told)?;
        let mut thought = Thought::default();
        let waited_answer = engine.wait(asked + patience, grace, &mut |info| {
            if info.multipv.is_none_or(|rank| rank == 1) {
                let score = info.score.map(|score| match score {
                    Score::Cp(score) => score.clamp(-MATE, MATE),
                    Score::Mate(turns) => (MATE - turns.abs().min(1000)) * turns.signum(),
                });
                thought.score = score.or(thought.score);
                thought.depth = info.depth.or(thought.depth);
                thought.nodes = info.nodes.or(thought.nodes);
                thought.engine_time_ms = info.time_ms.or(thought.engine_time_ms);
            }
        });
        let (answer, at) = waited_answer.map_err(told)?;
        thought.time = at.saturating_duration_since(began);
        thought.offers_draw = answer.offers_draw;
        thought.turn = match answer.action {
            Action::Play(turn) => Some(turn),
            Action::Resign => None,
            Action::Unreadable(what) => return Err(format!("it answers {what}")),
        };
        Ok(thought)
    }

    fn failed(&mut self, error: &str) {
        if self.engine.is_some() {
            tracing::error!(event = "engine", "the engine failed and is started anew: {}", escaped(error, 300));
        }
        self.end();
        self.tried = None;
    }

    fn end(&mut self) {
        *self.remote.lock() = None;
        if let Some(engine) = self.engine.take() {
            let last = engine.quit(Duration::from_millis(50));
            if !last.is_empty() {
                let last = last.iter().map(|line| escaped(line, 200)).collect::<Vec<_>>().join(" | ");
                tracing::debug!(event = "engine", "its last lines: {last}");
            }
        }
    }
}

fn told(error: EngineError) -> String {
    error.to_string()
}

/// Has the engine subtract the overhead from its clock, or, if it has no such option, does it for it.
fn set_overhead(
    engine: &mut Engine,
    set: &mut Option<Duration>,
    overhead: Duration,
    rolled: &Rolled,
    mut go: Go,
) -> Result<Go, String> {
    let declared =
        engine.introduction().declared.iter().any(|option| option.name.eq_ignore_ascii_case("Move Overhead"));
    if declared {
        if *set != Some(overhead) {
            match engine.set_option("Move Overhead", &overhead.as_millis().to_string()) {
                Ok(()) => *set = Some(overhead),
                // It does not take such a value: then it is ours to subtract.
                Err(EngineError::Option(_)) => return Ok(subtract(go, overhead, rolled)),
                Err(error) => return Err(told(error)),
            }
        }
    } else {
        go = subtract(go, overhead, rolled);
    }
    Ok(go)
}

fn subtract(mut go: Go, overhead: Duration, rolled: &Rolled) -> Go {
    if let Some(clocks) = &mut go.clocks {
        let left = &mut clocks.left_ms[rolled.position.side().index()];
        *left = left.saturating_sub(u64::try_from(overhead.as_millis()).unwrap_or(u64::MAX)).max(1);
    }
    go
}

/// Engines that are ready, and those that are lent to games.
pub struct Pool {
    setup: EngineSetup,
    most_idle: usize,
    idle: Mutex<Vec<Arc<Worker>>>,
}

impl Pool {
    /// A pool that keeps so many warm; they start now.
    pub fn new(setup: EngineSetup, warm: usize) -> Self {
        let idle = (0..warm).map(|_| Worker::start(setup.clone())).collect();
        Self { setup, most_idle: warm, idle: Mutex::new(idle) }
    }

    /// An engine for a game, made to forget the one before.
    pub fn take(&self) -> Arc<Worker> {
        let worker = self.idle.lock().pop().unwrap_or_else(|| Worker::start(self.setup.clone()));
        worker.new_game();
        worker
    }

    /// Gives it back after the game.
    pub fn give_back(&self, worker: Arc<Worker>) {
        let mut idle = self.idle.lock();
        if idle.len() < self.most_idle {
            idle.push(worker);
        }
    }
}

/// A turn of the instant bot, which takes a few milliseconds at most.
pub fn instant_turn(rolled: &Rolled) -> Turn {
    let mut bot = BotConfig::of(BotKind::GreedyV2, 0).build();
    let turn = bot.choose(&Task::new(*rolled), None, &mut |_| ());
    if astragal::rules::apply_roll(rolled, turn).is_ok() { turn } else { first_legal_turn(rolled) }
}
