//! `arena merge`: the parts of one event as one journal.

use crate::journal::{self, Journal, difference};
use crate::record::{EventKind, FORMAT, Header};
use crate::text::{count, shown};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// How many games from how many journals.
    pub summary: String,
    /// Torn lines that were left out.
    pub notes: Vec<String>,
}

/// Writes the games of all journals, in the order of their numbers, into a new one. Its header is that of the whole event:
/// where no clock counts it is what one machine would have written. Journals of format 1 become format 2.
///
/// # Errors
/// They are not parts of one event, a game is in two of them, one cannot be read, or the new one exists or cannot be
/// written; then there is no new one.
pub fn merge(files: &[PathBuf], out: &Path) -> Result<Merged, String> {
    if std::fs::symlink_metadata(out).is_ok() {
        return Err(format!("{} exists already; say another file", out.display()));
    }
    let header = header_of_all(files)?;
    // What is not finished does not look as if it were.
    let mut part = out.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let merged = write(files, &header, &part).and_then(|merged| {
        std::fs::rename(&part, out).map_err(|error| format!("{}: {error}", out.display()))?;
        Ok(merged)
    });
    if merged.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    merged
}

fn write(files: &[PathBuf], header: &Header, part: &Path) -> Result<Merged, String> {
    // One that is left over from a merge that was killed.
    let _ = std::fs::remove_file(part);
    let mut journal = Journal::create(part, header).map_err(|error| error.to_string())?;
    let mut sources: BTreeMap<u64, usize> = BTreeMap::new();
    let mut notes = Vec::new();
    for (place, path) in files.iter().enumerate() {
        let mut failed = None;
        let contents = journal::read(path, |game| {
            if failed.is_some() {
                return;
            }
            failed = match sources.insert(game.number, place) {
                Some(other) => Some(format!(
                    "journal {}: game {} is in journal {} too",
                    path.display(),
                    game.number + 1,
                    files[other].display()
                )),
                None => journal.append(&game).err().map(|error| error.to_string()),
            };
        });
        let contents = contents.map_err(|error| error.to_string())?;
        if let Some(what) = failed {
            return Err(what);
        }
        notes.extend(contents.note);
    }
    journal.put_in_order(|_| true).map_err(|error| error.to_string())?;
    let (games, journals) = (count(sources.len() as u64, "game"), count(files.len() as u64, "journal"));
    Ok(Merged { summary: format!("{games} from {journals}"), notes })
}

/// The header of the event that all journals are parts of.
fn header_of_all(files: &[PathBuf]) -> Result<Header, String> {
    let mut whole: Option<Header> = None;
    for path in files {
        let problem = |what: String| format!("journal {}: {what}", path.display());
        let file = File::open(path).map_err(|error| problem(error.to_string()))?;
        let reader = astragal::record::Reader::new(BufReader::new(file)).map_err(|error| problem(error.to_string()))?;
        let header = Header { shard: None, format: FORMAT, ..reader.header().clone() };
        let Some(whole) = &mut whole else {
            whole = Some(header);
            continue;
        };
        if header.event == EventKind::Free {
            return Err(problem("free games are parts of no event".to_owned()));
        }
        if let Some(what) = difference(whole, &header) {
            return Err(problem(format!(
                "it is of another event than {}: {what} differs",
                shown(&files[0].display().to_string())
            )));
        }
        join(&mut whole.arena, &header.arena);
        join(&mut whole.cpu, &header.cpu);
        join(&mut whole.os, &header.os);
        if let Some(name) = header.name {
            join(whole.name.get_or_insert_with(|| name.clone()), &name);
        }
        if whole.concurrency != header.concurrency {
            whole.concurrency = None;
        }
    }
    whole.ok_or_else(|| "no journal".to_owned())
}

/// Adds what is not among the parts yet.
fn join(whole: &mut String, part: &str) {
    if whole.split(" | ").all(|known| known != part) {
        whole.push_str(" | ");
        whole.push_str(part);
    }
}
