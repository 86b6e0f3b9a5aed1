//! Files into which lines go whole or not at all.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// A file that is written at its end. Each write goes into it whole or not at all: a part of a line, as a full disk leaves it,
/// would make those that are written after it unreadable.
#[derive(Debug)]
pub struct WholeWrites(File);

impl WholeWrites {
    /// Writes to a file, at whose end it stands.
    pub const fn new(file: File) -> Self {
        Self(file)
    }
}

impl Write for WholeWrites {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_whole(&mut self.0, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes all of it at the end of a file. If that fails the file is as it was.
pub(super) fn write_whole(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    let length = file.metadata()?.len();
    file.write_all(bytes).inspect_err(|_| {
        // If that fails, too, the file has a torn line, which its readers find.
        let _ = file.set_len(length).and_then(|()| file.seek(SeekFrom::Start(length)));
    })
}
