//! Engines: programs whose lines are passed on, each to the page that started it.
//!
//! A thread waits for the lines of each. It hands them to a queue that waits for the page, so that an engine which says more
//! than a page reads has to wait itself. When the page goes, the queue does, and with it the thread and the engine.

use crate::fail::Fail;
use crate::guard::Guard;
use astragal_client::{Cancel, Launch, Pipe, PipeError, PipeWriter, escaped};
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;

/// How long an engine has to end by itself.
const PATIENCE: Duration = Duration::from_millis(500);

/// How long a wait for lines lasts; then the next one begins.
const WAIT: Duration = Duration::from_secs(3600);

/// A program that can be started.
#[derive(Clone, Debug, Serialize)]
pub struct Program {
    /// What pages call it.
    pub program: String,
    /// Its command line for people; empty for the built-in one.
    pub command: String,
    /// Its words.
    #[serde(skip)]
    pub words: Vec<String>,
}

/// A running engine.
pub struct RunningEngine {
    /// The page that it belongs to.
    pub page: u64,
    writer: PipeWriter,
    cancel: Cancel,
}

impl RunningEngine {
    /// Starts a program. Nothing is told of it before the sender of `may_tell` is gone; `gone` is called when it has ended.
    ///
    /// # Errors
    /// The system does not start it.
    pub fn start(
        program: &Program,
        (page, number): (u64, u64),
        guard: &Arc<Guard>,
        lines: Sender<String>,
        may_tell: Receiver<()>,
        gone: impl FnOnce() + Send + 'static,
    ) -> Result<Self, Fail> {
        let mut pipe = Pipe::spawn(&Launch::new(program.words.clone())).map_err(|what| Fail::new("engine", what))?;
        // The built-in one ends when its input does.
        let guarded = (!program.command.is_empty()).then(|| guard.watch(pipe.id()));
        let (writer, cancel) = (pipe.writer(), Cancel::new());
        let given_up = cancel.clone();
        let pass_on = move || {
            // Nothing is ever sent: the wait ends with the sender.
            let _ = may_tell.recv();
            let message = loop {
                match pipe.receive(Instant::now() + WAIT, &given_up) {
                    Ok((line, _)) => {
                        let told = json!({"type": "engine", "engine": number, "line": line}).to_string();
                        if lines.blocking_send(told).is_err() {
                            break "the page is gone".to_owned();
                        }
                    }
                    Err(PipeError::Timeout) => {}
                    Err(PipeError::Cancelled) => {
                        pipe.end(PATIENCE);
                        break "it was ended".to_owned();
                    }
                    Err(error) => break error.to_string(),
                }
            };
            let last: Vec<String> = pipe.tail().iter().map(|line| escaped(line, 200)).collect();
            drop(pipe);
            drop(guarded);
            gone();
            let told = json!({"type": "engine_gone", "engine": number, "message": message, "last": last});
            // A page that is gone need not know.
            let _ = lines.blocking_send(told.to_string());
        };
        let thread = std::thread::Builder::new().name(format!("engine {number}")).spawn(pass_on);
        thread.map_err(|error| Fail::new("engine", format!("no thread for it: {error}")))?;
        Ok(Self { page, writer, cancel })
    }

    /// A way in that needs no lock on anything else.
    pub fn writer(&self) -> PipeWriter {
        self.writer.clone()
    }

    /// Asks it to end.
    pub fn end(&self) {
        self.cancel.raise();
    }
}
