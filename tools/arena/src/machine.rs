//! What the arena runs on, for headers and reports.

use crate::record::Header;
use crate::text::{count, shown};
use serde::Serialize;
use std::fmt;

/// What games were played on, and by which arena.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Machine {
    /// The processor.
    pub cpu: String,
    /// The operating system.
    pub os: String,
    /// Games at the same time; only where the control is timed.
    pub concurrency: Option<usize>,
    /// The arena's version.
    pub arena: String,
}

impl Machine {
    /// That of a journal.
    pub fn of(header: &Header) -> Self {
        let Header { cpu, os, concurrency, arena, .. } = header.clone();
        Self { cpu, os, concurrency, arena }
    }
}

/// In one line, without the arena's version.
impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", shown(&self.cpu), shown(&self.os))?;
        self.concurrency.map_or(Ok(()), |games| write!(f, "; {} at a time", count(games as u64, "game")))
    }
}

/// The processor's model, as the system tells it.
pub fn cpu() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        line.split_once(':').map(|(_, model)| model.trim().to_owned())
    });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {}", count(cores() as u64, "core"))
}

/// The cores that may be used.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The operating system and its version.
pub fn os() -> String {
    #[cfg(unix)]
    {
        let name = rustix::system::uname();
        format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
    }
    #[cfg(not(unix))]
    std::env::consts::OS.to_owned()
}
