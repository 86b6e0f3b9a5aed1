//! The folder of the games: a file for each that runs, and the journal of those that are over.
//!
//! `<id>.game.jsonl` is the library's file of a running game, `<id>.players.json` what only pages know of its players;
//! both go when the game is a line of `games.jsonl`. Whatever kills the server costs at most the line being written.

use crate::fail::Fail;
use crate::views::ended_summary;
use crate::wire::{Player, Source, Summary};
use astragal::record::{EventKind, Game, Header, Journal, Reader, Recovered, RunningGame, Start, WholeWrites, recover};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// What a page said of a game that its file has no place for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Aside {
    /// White and Black.
    pub players: [Player; 2],
    /// Where the dice come from.
    pub dice: Source,
}

/// A finished game in the journal.
struct Entry {
    summary: Summary,
    at: u64,
    bytes: u64,
}

/// The folder.
pub struct Store {
    folder: PathBuf,
    _lock: File,
    journal: Journal,
    header: Header,
    finished: Vec<Entry>,
    names: BTreeMap<String, usize>,
    ids: BTreeSet<String>,
    next_number: u64,
}

/// A game that ran when the server ended.
pub struct Left {
    /// What is in its file.
    pub recovered: Recovered,
    /// What pages said of it, if that is still there.
    pub aside: Option<Aside>,
}

fn disk(what: &str, error: impl std::fmt::Display) -> Fail {
    Fail::new("disk", format!("{what}: {error}"))
}

impl Store {
    /// Opens the folder, or makes it. Returns the games that run, and what people should be told.
    ///
    /// # Errors
    /// It is in use, cannot be read or written, or its journal is none.
    pub fn open(folder: &Path) -> Result<(Self, Vec<Left>, Vec<String>), String> {
        let problem = |what: String| move |error: io::Error| format!("{what}: {error}");
        std::fs::create_dir_all(folder).map_err(problem(folder.display().to_string()))?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).open(folder.join("lock"));
        let lock = lock.map_err(problem(folder.display().to_string()))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("another board uses {}; choose another folder with --games", folder.display()));
            }
            // Some file systems have no locks; that must not keep anybody from playing.
            Err(TryLockError::Error(_)) => {}
        }
        let path = folder.join("games.jsonl");
        let mut store =
            if path.exists() { Self::resume(folder, &path, lock)? } else { Self::begin(folder, &path, lock)? };
        let (left, notes) = store.left().map_err(problem(folder.display().to_string()))?;
        Ok((store, left, notes))
    }

    fn new(folder: &Path, lock: File, journal: Journal, header: Header) -> Self {
        Self {
            folder: folder.to_owned(),
            _lock: lock,
            journal,
            header,
            finished: Vec::new(),
            names: BTreeMap::new(),
            ids: BTreeSet::new(),
            next_number: 0,
        }
    }

    fn begin(folder: &Path, path: &Path, lock: File) -> Result<Self, String> {
        let header = Header::free(concat!("board ", env!("CARGO_PKG_VERSION")), Vec::new());
        let journal = Journal::create(path, &header).map_err(|error| error.to_string())?;
        Ok(Self::new(folder, lock, journal, header))
    }

    fn resume(folder: &Path, path: &Path, lock: File) -> Result<Self, String> {
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let fresh = Header::free(concat!("board ", env!("CARGO_PKG_VERSION")), Vec::new());
        // The header stays as it was written, whatever version did.
        let header = match Reader::new(BufReader::new(File::open(path).map_err(|error| said(&error))?)) {
            Ok(reader) => reader.header().clone(),
            // Killed before the header was whole.
            Err(_) => fresh,
        };
        if header.event != EventKind::Free {
            return Err(said(&"it is the journal of a match, not of a board"));
        }
        let (journal, contents) = Journal::resume(path, &header, |_| ()).map_err(|error| error.to_string())?;
        drop(contents);
        let mut store = Self::new(folder, lock, journal, header);
        let mut reader = Reader::new(BufReader::new(File::open(path).map_err(|error| said(&error))?))
            .map_err(|error| said(&error))?;
        let mut at = reader.whole_bytes();
        while let Some(game) = reader.next_game() {
            let game = game.map_err(|error| said(&error))?;
            let end = reader.whole_bytes();
            store.note(&game, at, end - at);
            at = end;
        }
        Ok(store)
    }

    fn note(&mut self, game: &Game, at: u64, bytes: u64) {
        self.next_number = self.next_number.max(game.number + 1);
        let mut summary = ended_summary(game);
        if summary.id.is_empty() {
            summary.id = format!("number-{}", game.number + 1);
        }
        self.ids.insert(summary.id.clone());
        for seat in &game.seats {
            let next = self.names.len();
            self.names.entry(seat.name.clone()).or_insert(next);
        }
        self.finished.push(Entry { summary, at, bytes });
    }

    /// The games whose files are there; those that have ended go into the journal.
    fn left(&mut self) -> io::Result<(Vec<Left>, Vec<String>)> {
        let (mut left, mut notes) = (Vec::new(), Vec::new());
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&self.folder)?.filter_map(|file| Some(file.ok()?.path())).collect();
        files.sort();
        for path in files {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let Some(id) = name.strip_suffix(".game.jsonl").map(str::to_owned) else { continue };
            match File::open(&path)
                .map_err(|error| error.to_string())
                .and_then(|file| recover(BufReader::new(file)).map_err(|error| error.to_string()))
            {
                Err(error) => notes.push(format!("{}: {error}; it is left alone", path.display())),
                Ok(recovered) if recovered.start().id != id || !is_id(&id) => {
                    notes.push(format!("{}: it is the file of another game; it is left alone", path.display()));
                }
                Ok(recovered) => {
                    if let Some(game) = recovered.ended() {
                        match self.finish(game) {
                            Ok(_) => {}
                            Err(fail) => notes.push(fail.message),
                        }
                        continue;
                    }
                    let aside = std::fs::read(self.aside_path(&id)).ok();
                    let aside = aside.and_then(|bytes| serde_json::from_slice(&bytes).ok());
                    left.push(Left { recovered, aside });
                }
            }
        }
        Ok((left, notes))
    }

    fn running_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.game.jsonl"))
    }

    fn aside_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.players.json"))
    }

    /// Begins the file of a game.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin_game(&self, start: Start, aside: &Aside) -> Result<RunningGame<WholeWrites>, Fail> {
        let id = start.id.clone();
        let bytes = serde_json::to_vec(aside).map_err(|error| disk("players", error))?;
        let begin = || {
            std::fs::write(self.aside_path(&id), bytes).map_err(|error| disk("players", error))?;
            let file = OpenOptions::new().append(true).create_new(true).open(self.running_path(&id));
            let file = WholeWrites::new(file.map_err(|error| disk("the game", error))?);
            RunningGame::begin(file, start).map_err(|error| disk("the game", error))
        };
        begin().inspect_err(|_| self.remove(&id))
    }

    /// Takes the files of a game away. What stays there is read and dropped at the next start.
    fn remove(&self, id: &str) {
        let _ = std::fs::remove_file(self.running_path(id));
        let _ = std::fs::remove_file(self.aside_path(id));
    }

    /// Goes on with a game that was read, behind its last whole line.
    ///
    /// # Errors
    /// Its file cannot be written.
    pub fn go_on(&self, recovered: Recovered) -> Result<RunningGame<WholeWrites>, Fail> {
        let path = self.running_path(&recovered.start().id);
        let file = OpenOptions::new().append(true).open(path).map_err(|error| disk("the game", error))?;
        file.set_len(recovered.whole_bytes()).map_err(|error| disk("the game", error))?;
        Ok(RunningGame::go_on(WholeWrites::new(file), recovered))
    }

    /// Writes the file of a game anew, with these plies; it is replaced at once.
    ///
    /// # Errors
    /// It cannot be written; the old one is then still there.
    pub fn rewrite(&self, start: &Start, plies: &[astragal::record::Ply]) -> Result<RunningGame<WholeWrites>, Fail> {
        let path = self.running_path(&start.id);
        let beside = self.folder.join(format!("{}.game.new", start.id));
        let failed = |error: &dyn std::fmt::Display| disk("the game", error);
        let file = File::create(&beside).map_err(|error| failed(&error))?;
        let mut game = RunningGame::begin(WholeWrites::new(file), start.clone()).map_err(|error| failed(&error))?;
        for ply in plies {
            game.write(ply.clone()).map_err(|error| failed(&error))?;
        }
        std::fs::rename(&beside, &path).map_err(|error| failed(&error))?;
        Ok(game)
    }

    /// Puts a game that is over into the journal and takes its files away.
    ///
    /// # Errors
    /// It cannot be written; its file is still there, and the next start of the server tries again.
    pub fn finish(&mut self, mut game: Game) -> Result<Summary, Fail> {
        let id = game.id.clone().unwrap_or_default();
        if !self.ids.contains(&id) {
            game.number = self.next_number;
            game.pair = game.number;
            self.place(&mut game);
            let path = self.folder.join("games.jsonl");
            let length = || std::fs::metadata(&path).map(|data| data.len()).map_err(|error| disk("the journal", error));
            let before = length()?;
            self.journal.append(&game).map_err(|error| disk("the journal", error))?;
            let bytes = length()?.saturating_sub(before);
            self.note(&game, before, bytes);
        }
        self.remove(&id);
        Ok(ended_summary(&game))
    }

    /// The players in the places that a reader of the journal gives them: in the order in which games name them.
    fn place(&mut self, game: &mut Game) {
        let mut place = |seat: usize| {
            let next = self.names.len();
            *self.names.entry(game.seats[seat].name.clone()).or_insert(next)
        };
        let places = [place(0), place(1)];
        game.end.player = game.end.player.and_then(|side| places.get(side).copied());
        [game.white, game.black] = places;
    }

    /// Finished games, the latest first, and whether there are more.
    pub fn finished(&self, before: usize, count: usize) -> (Vec<Summary>, bool) {
        let games: Vec<Summary> =
            self.finished.iter().rev().skip(before).take(count).map(|entry| entry.summary.clone()).collect();
        let more = self.finished.len() > before.saturating_add(games.len());
        (games, more)
    }

    /// A finished game.
    pub fn read(&self, id: &str) -> Option<Result<Game, Fail>> {
        let entry = self.finished.iter().rev().find(|entry| entry.summary.id == id)?;
        Some(self.read_at(entry).map_err(|error| disk("the journal", error)))
    }

    fn read_at(&self, entry: &Entry) -> Result<Game, String> {
        let mut file = File::open(self.folder.join("games.jsonl")).map_err(|error| error.to_string())?;
        file.seek(SeekFrom::Start(entry.at)).map_err(|error| error.to_string())?;
        let header = astragal::record::header_line(&self.header).map_err(|error| error.to_string())?;
        let text = io::Cursor::new(header).chain(file.take(entry.bytes));
        let mut reader = Reader::new(BufReader::new(text)).map_err(|error| error.to_string())?;
        let game = reader.next_game().ok_or("the game is not there any more")?;
        let mut game = game.map_err(|error| error.to_string())?;
        game.id.get_or_insert_with(|| entry.summary.id.clone());
        Ok(game)
    }
}

/// Whether a text can be a part of the name of a file and of an address.
pub fn is_id(text: &str) -> bool {
    (1..=80).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}
