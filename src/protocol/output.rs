//! Lines of output, from any thread.

use parking_lot::Mutex;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where the lines go. When the other end is closed, lines are dropped and [`Output::is_closed`] says so.
pub(super) struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    closed: AtomicBool,
}

impl Output {
    pub(super) fn new(writer: impl Write + Send + 'static) -> Self {
        Self { writer: Mutex::new(Box::new(writer)), closed: AtomicBool::new(false) }
    }

    /// Writes a line (or several, joined by newlines) at once and flushes.
    pub(super) fn line(&self, line: &str) {
        if self.is_closed() {
            return;
        }
        let mut text = String::with_capacity(line.len() + 1);
        text.push_str(line);
        text.push('\n');
        let mut writer = self.writer.lock();
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush()) {
            log::info!("output is closed: {error}");
            self.closed.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}
