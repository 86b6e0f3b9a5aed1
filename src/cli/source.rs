//! Files and standard input as sources of lines and records.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A line of the review of a game of 100,000 turns has less.
pub(super) const MOST_REVIEW_BYTES: usize = 128 << 20;

/// A source that counts what was taken from it.
pub(super) struct Source {
    inner: Box<dyn BufRead>,
    taken: Arc<AtomicU64>,
    /// How many bytes it has, if it is a file.
    pub size: Option<u64>,
    /// What it is called in messages.
    pub name: String,
}

impl Source {
    /// Opens a file; `-` is standard input.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let taken = Arc::default();
        if path.as_os_str() == "-" {
            let inner = Box::new(BufReader::new(io::stdin()));
            return Ok(Self { inner, taken, size: None, name: "standard input".to_owned() });
        }
        let name = crate::record::escaped(&path.to_string_lossy(), 200);
        let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
        let data = file.metadata().map_err(|error| format!("{name}: {error}"))?;
        if data.is_dir() {
            return Err(format!("{name}: it is a folder"));
        }
        let size = data.is_file().then_some(data.len());
        Ok(Self { inner: Box::new(BufReader::new(file)), taken, size, name })
    }

    /// The number of bytes taken, to be read while the source is in use.
    pub(super) fn taken(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.taken)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Relaxed);
        Ok(count)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.taken.fetch_add(count as u64, Relaxed);
        self.inner.consume(count);
    }
}

/// A line without its end, or the number of bytes of one that is too long, which is passed over.
pub(super) type Line = Result<String, usize>;

/// Reads the next line of at most so many bytes; `None` at the end. What is no UTF-8 is replaced.
pub(super) fn next_line(source: &mut impl BufRead, most: usize) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut length = source.by_ref().take(most as u64 + 1).read_until(b'\n', &mut bytes)?;
    if length == 0 {
        return Ok(None);
    }
    if length > most && bytes.last() != Some(&b'\n') {
        // The rest, piece by piece.
        loop {
            let part = source.fill_buf()?;
            let end = part.iter().position(|&byte| byte == b'\n');
            let count = end.map_or(part.len(), |at| at + 1);
            source.consume(count);
            length += count;
            if end.is_some() || count == 0 {
                return Ok(Some(Err(length)));
            }
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(Ok(text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']).to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_passed_over_and_the_next_one_read() {
        let text = format!("short\n{}\nnext\r\n\nlast", "x".repeat(100_000));
        let mut source = text.as_bytes();
        let mut next = || next_line(&mut source, 10).expect("memory");
        assert_eq!(next(), Some(Ok("short".to_owned())));
        assert_eq!(next(), Some(Err(100_001)));
        let rest: Vec<Option<Line>> = (0..4).map(|_| next()).collect();
        assert_eq!(rest, [Some(Ok("next".to_owned())), Some(Ok(String::new())), Some(Ok("last".to_owned())), None]);
    }
}
