//! Running the real arena, and reading what it leaves behind.
#![allow(dead_code, reason = "each test file uses its own part")]

use arena::journal;
use arena::record::{EndKind, Game, Header};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// An empty folder of its own for a test.
pub fn folder() -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("arena-{}-{number}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a folder for temporary files");
    path
}

/// The engine double, which `cargo test` builds as an example.
pub fn double() -> String {
    let tests = std::env::current_exe().expect("the test has a path");
    let deps = tests.parent().and_then(Path::parent).expect("target/<profile>/deps");
    let path = deps.join("examples").join(format!("double{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: cargo build -p arena --example double", path.display());
    path.display().to_string()
}

/// The arena with these arguments.
pub fn arena(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_arena"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the arena to its end.
pub fn run(arguments: &[&str]) -> Output {
    arena(arguments).output().expect("the arena can be started")
}

/// Runs the arena, which must succeed; returns its output.
pub fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs the arena, which must fail with that code; returns what it says.
pub fn fail(code: i32, arguments: &[&str]) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
    text
}

/// A journal's header and games.
pub fn read(path: &Path) -> (Header, Vec<Game>) {
    let mut games = Vec::new();
    let contents = journal::read(path, |game| games.push(game)).expect("the journal is sound");
    (contents.header, games)
}

/// How often the games ended so through that player.
pub fn count(games: &[Game], kind: EndKind, player: Option<usize>) -> usize {
    games.iter().filter(|game| game.end.kind == kind && game.end.player == player).count()
}

/// Waits until something is so.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whole lines in a file.
pub fn lines(path: &Path) -> usize {
    std::fs::read(path).map_or(0, |bytes| bytes.iter().filter(|&&byte| byte == b'\n').count())
}

/// Waits until none of the processes that signed in is left; returns how many there were.
#[cfg(unix)]
pub fn all_gone(pids: &Path) -> usize {
    use rustix::process::{Pid, test_kill_process};
    let text = std::fs::read_to_string(pids).expect("engines have signed in");
    for line in text.lines() {
        let pid = Pid::from_raw(line.parse().expect("a process id")).expect("not 0");
        wait_until(&format!("the end of engine {line}"), || {
            // A process that nobody has waited for yet is gone as well.
            let stat = std::fs::read_to_string(format!("/proc/{line}/stat")).unwrap_or_default();
            test_kill_process(pid).is_err() || stat.contains(") Z ")
        });
    }
    text.lines().count()
}
