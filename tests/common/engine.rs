//! The real program over pipes, as a hostile GUI would drive it.
//!
//! Whatever else a test looks at, the form of every line is checked as it is taken, and when the engine is dropped all
//! that it wrote to stderr must be nothing: the level of the log is at its default.

use astragal::board::Rolled;
use astragal::rules::{Turn, apply_roll};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a test waits for what must come. Only a hang takes longer, however busy the machine is.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A line of output without its newline, and when it was read.
#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub at: Instant,
}

/// A running engine; killed when dropped.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<(Vec<u8>, Instant)>,
    /// Tells the thread that reads the output to let go of it after the next line.
    deaf: Arc<AtomicBool>,
    /// Whether the thread that reads the output is to wait.
    paused: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<String>>,
}

/// Tests of one file run side by side. Those that look at the clock hold this, one at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    // A test that failed while it held the lock has nothing to do with the next one.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a line, the values of `time` and `nps` replaced.
pub fn timeless(line: &str) -> String {
    let mut measured = false;
    let words = line.split(' ').map(|word| {
        let shown = if measured { "?" } else { word };
        measured = matches!(word, "time" | "nps");
        shown
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Checks that `answer` is a `bestmove` with a legal turn of that position.
pub fn assert_legal(dfen: &str, answer: &str, what: &str) {
    let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
    let text = answer.strip_prefix("bestmove ").unwrap_or_else(|| panic!("{what}: {answer}"));
    let turn: Turn = text.parse().unwrap_or_else(|error| panic!("{what}: {answer}: {error}"));
    if let Err(error) = apply_roll(&rolled, turn) {
        panic!("{what}: {dfen}: {answer}: {error}");
    }
}

/// Starts a program with pipes to and from it.
pub fn spawn(command: &mut Command) -> Child {
    let command = command.env_remove("RUST_LOG").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

impl Engine {
    /// Starts a session.
    pub fn start() -> Self {
        Self::with_arguments(&[])
    }

    /// Starts the program with these arguments.
    pub fn with_arguments(arguments: &[&str]) -> Self {
        Self::by(Command::new(env!("CARGO_BIN_EXE_astragal")).args(arguments))
    }

    /// Starts a session by the shell, after a command of its that sets a limit.
    pub fn under_limit(limit: &str) -> Self {
        let program = env!("CARGO_BIN_EXE_astragal");
        Self::by(Command::new("sh").args(["-c", &format!("{limit} && exec \"$0\""), program]))
    }

    fn by(command: &mut Command) -> Self {
        let mut child = spawn(command);
        let input = child.stdin.take();
        let output = child.stdout.take().expect("stdout is a pipe");
        let mut stderr = child.stderr.take().expect("stderr is a pipe");
        let (sender, lines) = channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let paused = Arc::new(AtomicBool::new(false));
        let (listening, turn) = (Arc::clone(&deaf), Arc::clone(&paused));
        let reader = Some(thread::spawn(move || read_lines(output, &sender, &listening, &turn)));
        let errors = Some(thread::spawn(move || {
            let mut text = Vec::new();
            // Whatever could be read is what counts.
            let _ = stderr.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        }));
        Self { child, input, lines, deaf, paused, reader, errors }
    }

    /// Sends a line, or several joined by newlines.
    pub fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is still open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine reads its input");
    }

    /// The next line, if one comes in that time.
    pub fn next(&mut self, within: Duration) -> Option<Line> {
        let (bytes, at) = self.lines.recv_timeout(within).ok()?;
        Some(Line { text: checked(bytes), at })
    }

    /// The lines up to the first that begins with `prefix`, that one included.
    pub fn until(&mut self, prefix: &str) -> Vec<Line> {
        let mut seen: Vec<Line> = Vec::new();
        let give_up = Instant::now() + PATIENCE;
        loop {
            let Some(line) = self.next(give_up.saturating_duration_since(Instant::now())) else {
                let last: Vec<&str> = seen.iter().rev().take(5).map(|line| &line.text[..]).collect();
                panic!("no '{prefix}' came; the last lines, newest first: {last:?}");
            };
            seen.push(line);
            if seen.last().is_some_and(|line| line.text.starts_with(prefix)) {
                return seen;
            }
        }
    }

    /// The first line that begins with `prefix`; those before it are dropped.
    pub fn expect(&mut self, prefix: &str) -> Line {
        self.until(prefix).pop().expect("the line that was waited for is there")
    }

    /// Sends a line and returns the texts up to the one that begins with `last`.
    pub fn ask(&mut self, line: &str, last: &str) -> Vec<String> {
        self.send(line);
        self.until(last).into_iter().map(|line| line.text).collect()
    }

    /// Asks `isready` and returns the lines that came before the answer.
    pub fn sync(&mut self) -> Vec<Line> {
        self.send("isready");
        let mut lines = self.until("readyok");
        assert_eq!(lines.pop().map(|line| line.text).as_deref(), Some("readyok"));
        lines
    }

    /// Waits until nothing but `info` lines has come for that long; a `bestmove` fails the test.
    pub fn no_answer_for(&mut self, time: Duration, what: &str) {
        let end = Instant::now() + time;
        while let Some(line) = self.next(end.saturating_duration_since(Instant::now())) {
            assert!(line.text.starts_with("info "), "{what}: {}", line.text);
        }
    }

    /// Takes no more lines from the engine, or goes on taking them. A line that the reader already waits for is taken.
    pub fn pause_reading(&self, pause: bool) {
        self.paused.store(pause, Ordering::SeqCst);
    }

    /// Closes the engine's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the reading end of the engine's output. When this returns it is closed.
    pub fn close_output(&mut self) {
        self.deaf.store(true, Ordering::SeqCst);
        // The reader notices at the next line.
        self.send("isready");
        let reader = self.reader.take().expect("the output is still open");
        reader.join().expect("the reader of the output does not panic");
    }

    /// Waits for the process to end; `None` if it does not in that time.
    pub fn ended(&mut self, within: Duration) -> Option<ExitStatus> {
        let give_up = Instant::now() + within;
        loop {
            if let Some(status) = self.child.try_wait().expect("the process can be waited for") {
                return Some(status);
            }
            if Instant::now() >= give_up {
                return None;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Says `quit`, checks that the process ends well, and returns the lines that nobody has taken.
    pub fn quit(mut self) -> Vec<Line> {
        self.send("quit");
        let status = self.ended(PATIENCE).expect("the process ends");
        assert_eq!(status.code(), Some(0));
        std::iter::from_fn(|| self.next(PATIENCE)).collect()
    }
}

/// A test that fails anyway is not told about stderr by a second panic, but by a line.
impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let errors = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if thread::panicking() {
            eprintln!("stderr of the engine: {errors:?}");
            return;
        }
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reader of the output does not panic");
        }
        while self.next(Duration::ZERO).is_some() {}
        assert_eq!(errors, "", "nothing is written to stderr");
    }
}

fn read_lines(output: ChildStdout, lines: &Sender<(Vec<u8>, Instant)>, deaf: &AtomicBool, paused: &AtomicBool) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        while paused.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(2));
        }
        let read = output.read_until(b'\n', &mut line);
        let at = Instant::now();
        // A line without an end is what an engine that was told to go could not finish.
        if read.is_err() || line.pop() != Some(b'\n') || lines.send((line, at)).is_err() {
            return;
        }
        if deaf.load(Ordering::SeqCst) {
            return;
        }
    }
}

/// The text of a line, if its form is that of every line.
fn checked(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).unwrap_or_else(|error| panic!("a line that is not UTF-8: {error}"));
    let start: String = text.chars().take(200).collect();
    assert_eq!(text.trim_end().len(), text.len(), "a line with trailing blanks: {start:?}");
    assert!(!text.contains(char::is_control), "a line with control characters: {start:?}");
    text
}
