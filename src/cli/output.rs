//! Standard output, written as work goes on.

use serde::Serialize;
use std::io::{self, BufWriter, StdoutLock, Write};

/// A line of JSON.
pub(super) fn json_line(value: &impl Serialize) -> Result<String, String> {
    Ok(serde_json::to_string(value).map_err(|error| error.to_string())? + "\n")
}

/// Standard output. That nobody reads it any more is no error, but there is no use in going on.
pub(super) struct Output {
    inner: BufWriter<StdoutLock<'static>>,
    /// Whether nobody reads it any more.
    pub closed: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { inner: BufWriter::new(io::stdout().lock()), closed: false }
    }

    /// Writes a text and hands it on, so that whoever reads sees what is done.
    pub(super) fn write(&mut self, text: &str) -> Result<(), String> {
        if self.closed {
            return Ok(());
        }
        match self.inner.write_all(text.as_bytes()).and_then(|()| self.inner.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => return Err(format!("standard output: {error}")),
            Ok(()) => {}
        }
        Ok(())
    }
}
