//! The supervisor: starts everything, adopts games, ends everything.

use crate::account::{Errand, errands, listen, self_check};
use crate::api::{Account, Seat, is_sound_id};
use crate::config::{Config, ConfigError, Mode};
use crate::decide::{Backoff, Overhead, Waits};
use crate::engine::{EngineSetup, Pool};
use crate::keep::Keeper;
use crate::metrics::Metrics;
use crate::net::{AddressError, Server};
use crate::play::{End, Notice, Shared, Stop, jitter, play};
use crate::state_file::{StateError, StateFile};
use crate::{health, webhook};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Why the bridge does not run (any more).
#[derive(Debug, Error)]
pub enum RunError {
    /// The settings.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The address.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The state or its lock.
    #[error(transparent)]
    State(#[from] StateError),
    /// The journal.
    #[error("journal {0}: {1}")]
    Journal(String, std::io::Error),
    /// The token.
    #[error(
        "the server does not accept the token (401): it was rotated, or it belonged to an anonymous bot and the server has been restarted; get a new one and start again"
    )]
    Unauthorized,
    /// The server does not serve us.
    #[error("the server refuses us: {0}")]
    Refused(String),
    /// Everything else.
    #[error("{0}")]
    Other(String),
}

/// The engine of the settings, or the built-in one: this program itself.
///
/// # Errors
/// The system does not tell where this program is.
pub fn engine_setup(config: &Config) -> Result<EngineSetup, RunError> {
    let engine = &config.engine;
    let command = if engine.command.is_empty() {
        let own = std::env::current_exe().map_err(|error| RunError::Other(format!("the built-in engine: {error}")))?;
        vec![own.to_string_lossy().into_owned(), "engine".to_owned()]
    } else {
        engine.command.clone()
    };
    let waits = config.waits();
    Ok(EngineSetup {
        command,
        folder: engine.folder.clone(),
        options: engine.options.clone(),
        environment: engine.environment.clone(),
        withheld: config.secret_variables().into(),
        start: waits.engine_start,
        retry: waits.engine_retry,
    })
}

/// Asks the server who we are: so many times, or for as long as it takes.
///
/// # Errors
/// The token does not hold, the server refuses us, or it has not answered.
pub async fn who_are_we(server: &Server, waits: &Waits, attempts: Option<u32>) -> Result<Account, RunError> {
    let mut backoff = Backoff::default();
    loop {
        let mut last = "the answer cannot be read".to_owned();
        match server.get("/bot/account", waits.answer_most).await {
            Ok(answered) if answered.status == 200 => {
                if let Some(account) = answered.read("account") {
                    return Ok(account);
                }
            }
            Ok(answered) if answered.status == 401 => return Err(RunError::Unauthorized),
            // One who looks is told at once; one who plays for weeks goes on asking, for a proxy may be in a bad mood.
            Ok(answered) if answered.status == 403 && attempts.is_some() => {
                return Err(RunError::Refused(answered.shown()));
            }
            Ok(answered) if answered.status == 403 => last = format!("the server refuses us: {}", answered.shown()),
            Ok(answered) => last = format!("the server answers {}", answered.shown()),
            Err(error) => last = error.to_string(),
        }
        let wait = backoff.fail(waits, None, jitter());
        if attempts.is_some_and(|most| backoff.failures() >= most) {
            return Err(RunError::Other(last));
        }
        tracing::warn!(event = "start", "{last}");
        sleep(wait).await;
    }
}

/// Everything that games share, and the inbox of the supervisor.
///
/// # Errors
/// Something cannot be opened.
pub async fn prepare(
    config: Config,
    insecure: bool,
) -> Result<(Arc<Shared>, mpsc::UnboundedReceiver<Notice>), RunError> {
    let token = config.token()?;
    let server = Server::new(&config.server, Some(&token), insecure)?;
    let state = StateFile::open(&config.state_dir, token.reveal())?;
    let journal = config.keep.journal.clone().unwrap_or_else(|| config.state_dir.join("games.jsonl"));
    let keeper = Keeper::open(&journal, config.keep.json_dir.as_deref())
        .map_err(|error| RunError::Journal(journal.display().to_string(), error))?;
    let waits = config.waits();
    let account = who_are_we(&server, &waits, None).await?;
    let pool = Pool::new(engine_setup(&config)?, config.concurrency as usize);
    let (notices, inbox) = mpsc::unbounded_channel();
    let shared = Shared {
        waits,
        server,
        pool,
        keeper,
        state,
        metrics: Metrics::default(),
        overhead: Mutex::new(Overhead::new(waits.overhead_floor)),
        account,
        notices,
        stop: watch::Sender::new(Stop::Running),
        playing: Mutex::new(BTreeMap::new()),
        config,
    };
    shared.metrics.set_overhead(waits.overhead_floor);
    Ok((Arc::new(shared), inbox))
}

/// The most games at a time, whatever the server says: each has an engine of its own.
const MOST_GAMES: usize = 100;

/// Before a game whose task has failed is taken up again.
const AFTER_PANIC: Duration = Duration::from_millis(500);

struct Supervisor {
    shared: Arc<Shared>,
    games: JoinSet<(String, End)>,
    playing: BTreeMap<String, tokio::task::Id>,
    /// Games that are over and not kept; lists that were read before may still name them.
    done: BTreeMap<String, Instant>,
}

impl Supervisor {
    /// Takes a game up, unless that has been done.
    fn adopt(&mut self, id: String, seat: Option<Seat>) {
        self.adopt_after(id, seat, Duration::ZERO);
    }

    fn adopt_after(&mut self, id: String, seat: Option<Seat>, wait: Duration) {
        if self.playing.contains_key(&id) {
            return;
        }
        if self.done.contains_key(&id) || self.shared.keeper.has(&id) {
            // Whoever took a place for it did so too late.
            self.shared.release(&id);
            return;
        }
        if !is_sound_id(&id) || self.playing.len() >= MOST_GAMES {
            let shown: String = id.chars().take(100).collect();
            tracing::error!(
                event = "game",
                "the game {} is not taken up: {}",
                shown.escape_default(),
                if is_sound_id(&id) { "there are too many" } else { "its id is none" }
            );
            self.shared.release(&id);
            return;
        }
        self.shared.reserve(&id, None);
        let (shared, name) = (Arc::clone(&self.shared), id.clone());
        let task = self.games.spawn(async move {
            sleep(wait).await;
            let end = play(shared, name.clone(), seat).await;
            (name, end)
        });
        self.playing.insert(id, task.id());
    }

    fn ended(&mut self, id: &str) {
        self.playing.remove(id);
        self.shared.release(id);
        // Those that were kept are known to the keeper.
        if !self.shared.keeper.has(id) {
            self.done.insert(id.to_owned(), Instant::now());
        }
        self.done.retain(|_, at| at.elapsed() < Duration::from_secs(600));
    }
}

/// Runs until it is told to stop, or the token does not hold any more.
///
/// # Errors
/// It cannot begin, or the token does not hold.
pub async fn run(config: Config, insecure: bool, now: bool) -> Result<(), RunError> {
    let (shared, inbox) = prepare(config, insecure).await?;
    let account = shared.account.shown().chars().take(100).collect::<String>().escape_default().to_string();
    tracing::info!(
        event = "start",
        "playing as {account}, {:?} mode, {} at once",
        shared.config.mode,
        shared.config.concurrency
    );
    tracing::info!(event = "start", "games are kept in {}", shared.keeper.path().display());
    let (to_errands, errand_inbox) = mpsc::unbounded_channel();
    let mut services = JoinSet::new();
    if let Some(address) = shared.config.metrics {
        let listener = bind(address, "metrics").await?;
        let shared = Arc::clone(&shared);
        services.spawn(async move { health::serve(listener, shared).await });
    }
    if shared.config.mode == Mode::Webhook {
        let listener = bind(shared.config.webhook.listen, "webhook").await?;
        let hook = webhook::Hook::new(Arc::clone(&shared))?;
        services.spawn(async move { webhook::serve(listener, hook).await });
    }
    if shared.config.mode == Mode::Stream {
        services.spawn(listen(Arc::clone(&shared), to_errands.clone()));
    }
    {
        // Beside everything else: games that wait for us are not to wait for this.
        let shared = Arc::clone(&shared);
        services.spawn(async move {
            if let Err(error) = self_check(&shared.server, &shared.pool, &shared.waits).await {
                // It plays all the same, by the instant bot if need be; but somebody should know.
                shared.alarm("check", &error);
            }
        });
    }
    let errand_task = tokio::spawn(errands(Arc::clone(&shared), errand_inbox));
    let mut supervisor = Supervisor {
        shared: Arc::clone(&shared),
        games: JoinSet::new(),
        playing: BTreeMap::new(),
        done: BTreeMap::new(),
    };
    let unfinished: Vec<(String, Option<Seat>)> =
        shared.state.look(|state| state.games.iter().map(|(id, game)| (id.clone(), game.seat)).collect());
    for (id, seat) in unfinished {
        if shared.keeper.has(&id) {
            // It was written, and then we were killed.
            shared.state.change(|state| state.games.remove(&id));
        } else {
            supervisor.adopt(id, seat);
        }
    }
    let result = supervise(&mut supervisor, inbox, &to_errands, now).await;
    shared.stop.send_replace(Stop::Now);
    drop(to_errands);
    let _ = tokio::time::timeout(shared.waits.farewell * 2, errand_task).await;
    services.shutdown().await;
    tracing::info!(event = "stop", "the bridge ends");
    // That nobody reads it any more is no reason to fail.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), shared.metrics.summary().as_bytes());
    result
}

async fn bind(address: std::net::SocketAddr, what: &str) -> Result<tokio::net::TcpListener, RunError> {
    tokio::net::TcpListener::bind(address).await.map_err(|error| RunError::Other(format!("{what}: {address}: {error}")))
}

async fn supervise(
    supervisor: &mut Supervisor,
    mut inbox: mpsc::UnboundedReceiver<Notice>,
    to_errands: &mpsc::UnboundedSender<Errand>,
    now: bool,
) -> Result<(), RunError> {
    let shared = Arc::clone(&supervisor.shared);
    let mut signals = Signals::new()?;
    loop {
        let stop = *shared.stop.borrow();
        if stop == Stop::Draining && supervisor.playing.is_empty() {
            return Ok(());
        }
        tokio::select! {
            notice = inbox.recv() => match notice {
                None => return Ok(()),
                Some(Notice::Unauthorized) => {
                    return Err(RunError::Unauthorized);
                }
                Some(Notice::Start(id)) => supervisor.adopt(id, None),
                Some(Notice::Games(list)) => {
                    for game in list.games {
                        supervisor.adopt(game.game_id, Some(game.seat));
                    }
                }
                Some(Notice::Finished { lost_on_time, ladder, .. }) => {
                    let _ = to_errands.send(Errand::Finished { lost_on_time, ladder });
                }
            },
            Some(ended) = supervisor.games.join_next() => match ended {
                Ok((id, End::Left)) => {
                    supervisor.playing.remove(&id);
                }
                Ok((id, _)) => supervisor.ended(&id),
                Err(error) => {
                    // Which game it was is found by the list; its clock must not run out for it.
                    shared.alarm("panic", &format!("the task of a game failed: {error}"));
                    let failed = supervisor.playing.iter().find(|(_, task)| **task == error.id()).map(|(id, _)| id.clone());
                    if let Some(id) = failed {
                        supervisor.playing.remove(&id);
                        supervisor.adopt_after(id, None, AFTER_PANIC);
                    }
                }
            },
            () = signals.next() => {
                if now || stop != Stop::Running {
                    tracing::info!(event = "stop", "stopping at once; {} games go on without us", supervisor.playing.len());
                    return Ok(());
                }
                tracing::info!(event = "stop", "stopping when {} games have ended; once more to stop at once", supervisor.playing.len());
                shared.stop.send_replace(Stop::Draining);
            }
        }
    }
}

/// SIGTERM, Ctrl-C, and the end of the terminal.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self, RunError> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let get = |kind| signal(kind).map_err(|error| RunError::Other(format!("signals: {error}")));
            Ok(Self {
                terminate: get(SignalKind::terminate())?,
                interrupt: get(SignalKind::interrupt())?,
                hangup: get(SignalKind::hangup())?,
            })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
