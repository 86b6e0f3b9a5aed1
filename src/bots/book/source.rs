//! Where the lines of a book come from: a file that is not believed to be one.

use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::path::Path;

/// Larger files are no books.
const MOST_BYTES: u64 = 1 << 30;

/// The most bytes of a line that is no comment.
pub(super) const MOST_LINE: usize = 4096;

/// A regular file of at most 1 GiB. Others are not even opened: a pipe may never have anything to say, and a device may
/// never end. One that grows beyond it meanwhile is cut off there.
pub(super) fn open(path: &Path) -> io::Result<impl Read> {
    let found = fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is no regular file"));
    }
    if found.len() > MOST_BYTES {
        let text = format!("there are more than {MOST_BYTES} bytes in it");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(File::open(path)?.take(MOST_BYTES))
}

/// Reads a line without its end, of a long one only the beginning: whether that is the whole line; `None` at the end of
/// the file.
pub(super) fn read_line(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let (mut whole, mut any) = (true, false);
    loop {
        let part = match file.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            part => part?,
        };
        if part.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = part.iter().position(|&byte| byte == b'\n');
        let content = &part[..end.unwrap_or(part.len())];
        let room = MOST_LINE - line.len();
        whole &= content.len() <= room;
        line.extend_from_slice(&content[..content.len().min(room)]);
        let used = end.map_or(part.len(), |end| end + 1);
        file.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}
