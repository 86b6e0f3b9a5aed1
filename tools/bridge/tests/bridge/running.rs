//! A bridge that runs, with a folder of its own.

use crate::double::{Double, TOKEN};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub struct Bridge {
    pub folder: PathBuf,
    child: Option<Child>,
    address: String,
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

pub fn program() -> &'static str {
    env!("CARGO_BIN_EXE_bridge")
}

impl Bridge {
    /// A folder with settings for this double; more settings come last.
    pub fn new(double: &Double, top: &str, tables: &str) -> Self {
        Self::at(&double.address, top, tables)
    }

    /// The same for a server at this address.
    pub fn at(address: &str, top: &str, tables: &str) -> Self {
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let folder = std::env::temp_dir().join(format!("bridge-test-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = format!("server = \"{address}\"\nstate_dir = \"state\"\n{top}\n{tables}\n");
        std::fs::write(folder.join("bridge.toml"), text).expect("ours");
        Self { folder, child: None, address: address.to_owned() }
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(words).current_dir(&self.folder).env("BRIDGE_TOKEN", TOKEN);
        // One lock for each test, not one for all: they share a token but no server.
        command.env("TMPDIR", &self.folder).env_remove("XDG_RUNTIME_DIR");
        command
    }

    pub fn start(&mut self) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log_path()).expect("a log");
        let mut command = self.command(&["run", "--insecure-http"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        self.child = Some(command.spawn().expect("it starts"));
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    pub fn log_path(&self) -> PathBuf {
        self.folder.join("log")
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    pub fn journal(&self) -> PathBuf {
        self.folder.join("state/games.jsonl")
    }

    /// The ids in the journal, in order.
    pub fn kept(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.journal()).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["id"].as_str().map(str::to_owned))
            .collect()
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn signal(&self, signal: &str) {
        let pid = self.pid().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
    }

    /// Waits for its end; the exit code.
    pub fn wait(&mut self, most: Duration) -> Option<i32> {
        let child = self.child.as_mut().expect("it runs");
        let began = Instant::now();
        while began.elapsed() < most {
            if let Some(status) = child.try_wait().expect("it is ours") {
                self.child = None;
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end: {} {}", self.address, self.log());
    }

    pub fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|child| child.try_wait().expect("it is ours").is_none())
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let tail: Vec<&str> = log.lines().rev().take(60).collect();
            eprintln!("{}", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
        } else {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Waits until something holds.
pub fn until(most: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < most, "not within {most:?}: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Children of a process, by their program.
pub fn children(pid: u32) -> Vec<u32> {
    let list = std::fs::read_dir("/proc").expect("Linux");
    list.filter_map(|entry| {
        let child: u32 = entry.ok()?.file_name().to_string_lossy().parse().ok()?;
        let stat = std::fs::read_to_string(Path::new("/proc").join(child.to_string()).join("stat")).ok()?;
        let parent: u32 = stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()?;
        (parent == pid).then_some(child)
    })
    .collect()
}
