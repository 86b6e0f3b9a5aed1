//! The reader thread: bytes in, messages out. And the watch on the other end of the output.

use crossbeam_channel::Sender;
use std::io::{BufRead, BufReader, Read};
use std::time::Instant;

/// What the session hears.
pub(super) enum Message {
    /// A line, and when it came.
    Line(String, Instant),
    /// A line too long to be a command; its length in bytes.
    LongLine(u64),
    /// The end of input.
    EndOfInput,
    /// Nobody reads the output any more.
    OutputClosed,
}

/// Longer lines are skipped: room for a game of tens of thousands of turns, but not for filling the memory.
const LONGEST_LINE: u64 = 4 << 20;

/// What some programs put before the first word of UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines until the input ends. What is not UTF-8 is replaced by U+FFFD.
pub(super) fn read_lines(input: impl Read, messages: &Sender<Message>) {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut first = true;
    loop {
        line.clear();
        let read = input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let now = Instant::now();
        if std::mem::take(&mut first) && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let message = match read {
            Ok(0) => break,
            Ok(read) if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') => match skip_line(&mut input) {
                Ok(skipped) => Message::LongLine(LONGEST_LINE + skipped),
                Err(_) => break,
            },
            Ok(_) => Message::Line(String::from_utf8_lossy(&line).into_owned(), now),
            Err(error) => {
                log::info!("input: {error}");
                break;
            }
        };
        if messages.send(message).is_err() {
            return;
        }
    }
    // The session may be gone already; then nobody needs to know.
    let _ = messages.send(Message::EndOfInput);
}

/// Skips to the end of the line; returns how many bytes that were.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        skipped += used as u64;
        if done {
            return Ok(skipped);
        }
    }
}

/// Waits until nobody reads the process's standard output any more, and says so. A search may be silent for long, so
/// a failed write alone would be noticed too late.
#[cfg(unix)]
pub(super) fn watch_stdout(messages: &Sender<Message>) {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdout = std::io::stdout();
    loop {
        // No event is asked for: errors and a closed other end are always told.
        let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                log::debug!("cannot watch stdout: {error}");
                return;
            }
        }
    }
    // The session may be gone already.
    let _ = messages.send(Message::OutputClosed);
}

/// Elsewhere a closed output is noticed at the next write.
#[cfg(not(unix))]
pub(super) fn watch_stdout(_messages: &Sender<Message>) {}
