//! A program with its streams: lines in, lines out, its last words, and its certain end.
//!
//! Threads drain its output, so that it never blocks us; what it writes beyond what is asked for stays bounded, for a
//! full queue makes it wait. Its input is written without waiting. It runs in a process group of its own, so that the
//! terminal's Ctrl-C does not reach it before we have seen to the journal, and so that what it started ends with it.

use crate::cancel::Cancel;
use crate::log::{Direction, Hook, Traffic};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};
use thiserror::Error;

/// Longer lines are cut off.
const LONGEST_LINE: usize = 1 << 16;

/// Lines that wait for us before the program has to.
const QUEUE: usize = 256;

/// How many of its last lines are kept, and how much of each.
const TAIL_LINES: usize = 12;
const TAIL_WIDTH: usize = 200;

/// How often a wait looks whether it is still wanted, and whether the program is alive.
const SLICE: Duration = Duration::from_millis(50);

/// How long a program may leave its input unread.
const WRITE_PATIENCE: Duration = Duration::from_secs(1);

/// How long the exit status and the last lines of a program that is gone are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The programs that run now, to be ended whatever happens to us.
static LIVE: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Ends every program that was started and not yet ended.
pub fn kill_all() {
    LIVE.lock().iter().for_each(|&pid| kill_group(pid));
}

/// Why there is no line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PipeError {
    /// It took too long.
    #[error("no answer")]
    Timeout,
    /// The program has ended or closed its output.
    #[error("{0}")]
    Closed(String),
    /// It does not read what we write.
    #[error("it does not read its input")]
    NotReading,
    /// The caller's signal to give up was raised.
    #[error("the wait was given up")]
    Cancelled,
}

/// How to start a program.
///
/// # Examples
/// ```
/// let launch = astragal_client::Launch::new(["./engine", "--fast"]);
/// assert_eq!(launch.words, ["./engine", "--fast"]);
/// ```
#[derive(Clone, Default)]
pub struct Launch {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder that it starts in; ours if there is none.
    pub folder: Option<PathBuf>,
    /// Variables of the environment, beside ours.
    pub environment: Vec<(String, String)>,
    /// Variables of our environment that it is not to see, such as those that hold secrets.
    pub withheld: Vec<String>,
    /// Is told every line in either direction.
    pub hook: Option<Hook>,
}

impl Launch {
    /// A program and its arguments.
    pub fn new(words: impl IntoIterator<Item: Into<String>>) -> Self {
        Self { words: words.into_iter().map(Into::into).collect(), ..Self::default() }
    }
}

/// A line, and when it was read.
struct Heard {
    text: String,
    at: Instant,
}

/// The way into a program, shared by all who write.
pub(crate) struct Input {
    stdin: Option<ChildStdin>,
    hook: Option<Hook>,
}

impl Input {
    /// Writes lines, each ended by a newline. Returns when the write began; `Closed` is without its reason.
    pub(crate) fn send(&mut self, lines: &str) -> Result<Instant, PipeError> {
        let gone = || PipeError::Closed("the program reads no more".to_owned());
        let began = Instant::now();
        let at = SystemTime::now();
        let mut rest = lines.as_bytes();
        while !rest.is_empty() {
            let Some(stdin) = &mut self.stdin else { return Err(gone()) };
            match stdin.write(rest) {
                Ok(written) => rest = &rest[written.min(rest.len())..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if began.elapsed() > WRITE_PATIENCE {
                        return Err(PipeError::NotReading);
                    }
                    thread::sleep(Duration::from_millis(1));
                }
                Err(_) => return Err(gone()),
            }
        }
        // After the write, so that nothing which waits for it waits for the log.
        if let Some(hook) = &self.hook {
            lines.lines().for_each(|text| hook(&Traffic { direction: Direction::Sent, text, at }));
        }
        Ok(began)
    }
}

/// Writes to a program while another thread waits for its lines. Clones share the way in.
#[derive(Clone)]
pub struct PipeWriter(Arc<Mutex<Input>>);

impl PipeWriter {
    /// Writes lines, each ended by a newline.
    ///
    /// # Errors
    /// The program is gone or does not read.
    pub fn send(&self, lines: &str) -> Result<(), PipeError> {
        self.0.lock().send(lines).map(drop)
    }
}

/// A program with its streams.
pub struct Pipe {
    child: Child,
    input: Arc<Mutex<Input>>,
    heard: Receiver<Heard>,
    tail: Arc<Mutex<VecDeque<String>>>,
    listeners: Vec<JoinHandle<()>>,
    reaped: Option<ExitStatus>,
    ended: bool,
}

impl Pipe {
    /// Starts a program.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn spawn(launch: &Launch) -> Result<Self, String> {
        let (program, arguments) = launch.words.split_first().ok_or("no program")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        launch.withheld.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(launch.environment.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &launch.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| format!("'{program}' cannot be started: {error}"))?;
        LIVE.lock().push(child.id());
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (to_us, heard) = sync_channel(QUEUE);
        let (output, errors, stdin) = (child.stdout.take(), child.stderr.take(), child.stdin.take());
        if let Some(stdin) = &stdin {
            do_not_block(stdin);
        }
        let input = Arc::new(Mutex::new(Input { stdin, hook: launch.hook.clone() }));
        // From here on the program ends with this value, also where a thread is refused.
        let mut pipe = Self { child, input, heard, tail, listeners: Vec::new(), reaped: None, ended: false };
        if let Some(output) = output {
            pipe.listen_to(output, Direction::Heard, launch.hook.clone(), Some(to_us))?;
        }
        if let Some(errors) = errors {
            pipe.listen_to(errors, Direction::Errors, launch.hook.clone(), None)?;
        }
        Ok(pipe)
    }

    /// Has a thread of its own [`listen`] to a stream.
    fn listen_to(
        &mut self,
        stream: impl Read + Send + 'static,
        direction: Direction,
        hook: Option<Hook>,
        to_us: Option<SyncSender<Heard>>,
    ) -> Result<(), String> {
        let tail = Arc::clone(&self.tail);
        let listen = move || listen(stream, &tail, direction, hook, to_us.as_ref());
        let thread = thread::Builder::new().spawn(listen).map_err(|error| format!("no thread to listen: {error}"))?;
        self.listeners.push(thread);
        Ok(())
    }

    /// Writes lines, each ended by a newline. Returns when the write began.
    ///
    /// # Errors
    /// The program is gone or does not read.
    pub fn send(&mut self, lines: &str) -> Result<Instant, PipeError> {
        let sent = self.input.lock().send(lines);
        match sent {
            Err(PipeError::Closed(_)) => Err(self.closed()),
            sent => sent,
        }
    }

    /// A way in for other threads, so that one can write while another waits for lines.
    pub fn writer(&self) -> PipeWriter {
        PipeWriter(self.input())
    }

    /// The number of its process, which is that of its group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its input, for others who write.
    pub(crate) fn input(&self) -> Arc<Mutex<Input>> {
        Arc::clone(&self.input)
    }

    /// The next line and when it was read, waiting until the deadline.
    ///
    /// # Errors
    /// There is none by then, or there will be none.
    pub fn receive(&mut self, deadline: Instant, cancel: &Cancel) -> Result<(String, Instant), PipeError> {
        loop {
            if cancel.is_raised() {
                return Err(PipeError::Cancelled);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left.min(SLICE)) {
                Ok(heard) => return Ok((heard.text, heard.at)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.closed()),
                Err(RecvTimeoutError::Timeout) => {
                    // Something it started may hold its output open after it has ended.
                    if self.has_exited() && matches!(self.heard.try_recv(), Err(TryRecvError::Empty)) {
                        return Err(self.closed());
                    }
                    if left.is_zero() {
                        return Err(PipeError::Timeout);
                    }
                }
            }
        }
    }

    /// A line that has come already.
    pub fn try_receive(&mut self) -> Option<String> {
        self.heard.try_recv().ok().map(|heard| heard.text)
    }

    /// Whether the program has ended.
    pub fn has_exited(&mut self) -> bool {
        if self.reaped.is_none() {
            self.reaped = self.child.try_wait().unwrap_or(None);
        }
        self.reaped.is_some()
    }

    /// Its last lines, as far as they have come, those of standard error after `stderr: `.
    pub fn tail(&self) -> Vec<String> {
        self.tail.lock().iter().cloned().collect()
    }

    /// Closes its input and waits for its end. Returns whether it ended by itself in that time.
    pub fn wait_for_end(&mut self, patience: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + patience;
        while !self.has_exited() && Instant::now() < deadline {
            // What it still writes must not keep it from ending.
            while self.heard.try_recv().is_ok() {}
            thread::sleep(Duration::from_millis(2));
        }
        self.reaped
    }

    /// Closes its input.
    pub fn close_input(&mut self) {
        self.input.lock().stdin = None;
    }

    /// Ends it: it is asked to quit, and killed when it does not within the patience.
    pub fn end(&mut self, patience: Duration) {
        if self.ended {
            return;
        }
        self.ended = true;
        if !patience.is_zero() && self.send("quit\n").is_ok() {
            self.close_input();
            self.wait_for_end(patience);
        }
        let pid = self.child.id();
        kill_group(pid);
        LIVE.lock().retain(|&live| live != pid);
        if self.reaped.is_none() {
            let _ = self.child.kill();
            self.reaped = self.child.wait().ok();
        }
    }

    /// The error for a program that is gone, with its exit status if it has one soon.
    fn closed(&mut self) -> PipeError {
        let status = self.wait_for_end(LAST_WORDS);
        // Its last words may still be on their way; what it started may keep the pipes open for good.
        let deadline = Instant::now() + LAST_WORDS;
        while !self.listeners.iter().all(JoinHandle::is_finished) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        PipeError::Closed(match status {
            Some(status) => format!("the program has ended ({status})"),
            None => "the program has closed its output".to_owned(),
        })
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

/// Reads lines to the end, keeping the last ones.
fn listen(
    stream: impl Read,
    tail: &Mutex<VecDeque<String>>,
    direction: Direction,
    hook: Option<Hook>,
    to_us: Option<&SyncSender<Heard>>,
) {
    let prefix = if direction == Direction::Errors { "stderr: " } else { "" };
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match read_line(&mut reader, &mut line) {
            Ok(true) => {}
            // An error of the pipe is its end.
            Ok(false) | Err(_) => return,
        }
        let at = Instant::now();
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        {
            let mut tail = tail.lock();
            if tail.len() == TAIL_LINES {
                tail.pop_front();
            }
            tail.push_back(prefix.chars().chain(text.chars()).take(TAIL_WIDTH).collect());
        }
        if let Some(hook) = &hook {
            hook(&Traffic { direction, text: &text, at: SystemTime::now() });
        }
        if let Some(to_us) = to_us
            && to_us.send(Heard { text, at }).is_err()
        {
            return;
        }
    }
}

/// Reads a line without its newline; what goes beyond the longest line is skipped. Returns whether there was one.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut any = false;
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        };
        if available.is_empty() {
            return Ok(any);
        }
        any = true;
        let newline = available.iter().position(|&byte| byte == b'\n');
        let end = newline.unwrap_or(available.len());
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&available[..end.min(room)]);
        reader.consume(newline.map_or(end, |at| at + 1));
        if newline.is_some() {
            return Ok(true);
        }
    }
}

/// Ends a program that was started here or by another process of ours, with what it has started.
#[cfg(unix)]
pub fn kill_group(pid: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // It may be gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Does nothing: groups of processes are a thing of Unix.
#[cfg(not(unix))]
pub fn kill_group(_: u32) {}

#[cfg(unix)]
fn do_not_block(input: &ChildStdin) {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    if let Ok(flags) = fcntl_getfl(input) {
        // If it fails, writes wait as they do elsewhere.
        let _ = fcntl_setfl(input, flags | OFlags::NONBLOCK);
    }
}

#[cfg(not(unix))]
fn do_not_block(_: &ChildStdin) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_the_next_is_whole() {
        let mut bytes = vec![b'x'; LONGEST_LINE + 5];
        bytes.extend_from_slice(b"\nnext\r\n\nlast");
        let mut reader = BufReader::new(bytes.as_slice());
        let mut lengths = Vec::new();
        let mut line = Vec::new();
        while read_line(&mut reader, &mut line).expect("memory does not fail") {
            lengths.push(line.len());
            line.clear();
        }
        assert_eq!(lengths, [LONGEST_LINE, 5, 0, 4]);
    }
}
