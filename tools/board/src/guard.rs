//! The end of engines where the server cannot see to it: a process of its own, which outlives a kill of the server.
//!
//! Most engines end when their input does. One that does not read it, or has lost itself in thought, would stay for good. So the
//! numbers of the engines that run are told to a guard; when the server is gone its input ends, and it ends who is left.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::process::ChildStdin;
use std::sync::Arc;
use std::time::Duration;

/// The hidden command of this program that is a guard.
pub const COMMAND: &str = "engine-guard";

/// How long engines have to end by themselves.
const PATIENCE: Duration = Duration::from_millis(500);

/// The way to the guard, which is started when there is something to guard.
#[derive(Default)]
pub struct Guard(Mutex<Option<ChildStdin>>);

/// An engine is guarded while this is there.
pub struct Guarded(Arc<Guard>, u32);

impl Guard {
    /// Has an engine guarded. Where no guard can be started there is none: all else is as it was.
    pub fn watch(self: &Arc<Self>, pid: u32) -> Guarded {
        let mut input = self.0.lock();
        if input.is_none() {
            *input = start();
        }
        drop(input);
        self.tell('+', pid);
        Guarded(Arc::clone(self), pid)
    }

    fn tell(&self, what: char, pid: u32) {
        let mut input = self.0.lock();
        if let Some(guard) = input.as_mut()
            && writeln!(guard, "{what}{pid}").is_err()
        {
            *input = None;
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.0.tell('-', self.1);
    }
}

/// Starts the guard in a group of its own, where what ends the server does not reach it.
#[cfg(unix)]
fn start() -> Option<ChildStdin> {
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.arg(COMMAND).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    command.spawn().ok()?.stdin.take()
}

/// Groups of processes, which can be ended together, are a thing of Unix.
#[cfg(not(unix))]
fn start() -> Option<ChildStdin> {
    None
}

/// What the guard does: hears who runs, and ends who still does when the input ends.
pub fn run(input: impl BufRead) {
    let mut running = BTreeSet::new();
    for line in input.lines().map_while(Result::ok) {
        if let Some(pid) = line.strip_prefix('+').and_then(|pid| pid.parse::<u32>().ok()) {
            running.insert(pid);
        } else if let Some(pid) = line.strip_prefix('-').and_then(|pid| pid.parse::<u32>().ok()) {
            running.remove(&pid);
        }
    }
    if !running.is_empty() {
        std::thread::sleep(PATIENCE);
        running.into_iter().for_each(astragal_client::kill_group);
    }
}
