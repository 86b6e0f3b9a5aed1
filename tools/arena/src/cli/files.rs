//! Files beside the journal: openings in, reports out; and reports made of journals.

use super::arguments::{Outputs, StatsArguments};
use super::{print, print_error};
use crate::journal;
use crate::machine::Machine;
use crate::record::{DiceSource, EventKind, Game, Header, Shard};
use crate::report::html::{self, Data};
use crate::report::{Report, sprt_of, summary, to_json, to_text};
use crate::spec::redacted;
use crate::stats::sprt::Basis;
use crate::tally::GameSummary;
use crate::text::{shown, shown_json};
use astragal::board::{Position, Rolled, STARTPOS};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The starting positions of a file, or the usual one.
pub(super) fn openings(path: Option<&Path>) -> Result<Vec<Position>, String> {
    let Some(path) = path else {
        return Ok(vec![Rolled::from_dfen(STARTPOS).map_err(|error| error.to_string())?.position]);
    };
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("openings {shown}: {error}"))?;
    let mut openings = Vec::new();
    // Some editors begin a file with a byte order mark.
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let dfen = line.split('#').next().unwrap_or_default().trim();
        if dfen.is_empty() {
            continue;
        }
        let bad = |what: String| format!("openings {shown}: line {number}: {what}");
        let rolled = Rolled::from_dfen(dfen).map_err(|error| bad(format!("{}: {error}", error.field())))?;
        if !rolled.dice.is_empty() {
            return Err(bad("an opening has no dice; the arena rolls them".to_owned()));
        }
        if rolled.position.is_drawn() {
            return Err(bad("its half-move clock stands at 100 or more, the game is drawn".to_owned()));
        }
        openings.push(rolled.position);
    }
    if openings.is_empty() {
        return Err(format!("openings {shown}: there is none in it"));
    }
    Ok(openings)
}

impl Outputs {
    /// Sees before anything is played that the reports can be written, and that none takes the place of another file
    /// of the event.
    pub(super) fn check<'a>(&self, others: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), String> {
        let mut taken: Vec<PathBuf> = others.into_iter().map(|path| whole(path)).collect();
        for path in [&self.json, &self.html].into_iter().flatten() {
            let shown = path.display();
            // Whoever reads a pipe would take the first close for its end.
            if path.exists() && !path.is_file() && !path.is_dir() {
                continue;
            }
            if taken.contains(&whole(path)) {
                return Err(format!("{shown}: a report needs a file of its own"));
            }
            let is_new = !path.exists();
            OpenOptions::new().append(true).create(true).open(path).map_err(|error| format!("{shown}: {error}"))?;
            taken.push(whole(path));
            if is_new {
                // It only showed that it can be made.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(())
    }
}

/// A path by which files can be compared, be they there yet or not.
fn whole(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    path.canonicalize().unwrap_or_else(|_| match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    })
}

/// Tells a report: on standard output, and in the files asked for. `games` gives every game that counts, for the page.
pub(super) fn tell(
    report: &Report,
    outputs: &Outputs,
    games: impl FnOnce(&mut dyn FnMut(&Game)) -> Result<(), String>,
) -> Result<(), String> {
    let statistics = summary(report);
    print(&to_text(report, &statistics));
    let write = |path: &Path, text: &str| std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    if let Some(path) = &outputs.json {
        write(path, &shown_json(&format!("{:#}\n", to_json(report, &statistics))))?;
    }
    if let Some(path) = &outputs.html {
        let mut data = Data::new(&report.header);
        games(&mut |game| data.add(game))?;
        let command = command_line();
        let context = html::Context {
            command: &command,
            // A report of journals has no end of its own.
            is_replayable: report.finish.is_some(),
            shards: &report.shards,
            sprt: sprt_of(&report.header),
            machines: &report.machines,
        };
        let page = html::render(&report.header, &data, &context).map_err(|error| error.to_string())?;
        write(path, &page)?;
    }
    Ok(())
}

/// The command line as a shell reads it, secrets left out.
fn command_line() -> String {
    let words: Vec<String> = std::env::args().skip(1).map(|word| redacted(&word)).collect();
    let words = std::iter::once("arena").chain(words.iter().map(String::as_str));
    // Only a word with a zero byte cannot be quoted, and no argument holds one.
    shlex::try_join(words).unwrap_or_default()
}

/// What the games of a journal have in common, as far as it matters for putting them together.
#[derive(Default)]
struct Pool {
    /// Every pair of time controls.
    controls: BTreeSet<[String; 2]>,
    /// A game whose dice are not those of an event, and of which: none if they have no seed.
    seeds: BTreeMap<Option<(u64, u64)>, u64>,
}

impl Pool {
    fn add(&mut self, game: &Game) {
        let mut controls = game.seats.each_ref().map(|seat| seat.control.clone());
        controls.sort();
        self.controls.insert(controls);
        let dice = match game.dice {
            // How far the pair is from that of the game: 0 in every event.
            DiceSource::Seed { seed, pair } => Some((seed, pair.wrapping_sub(game.pair))),
            _ => None,
        };
        self.seeds.entry(dice).or_insert(game.number);
    }

    /// Whether the games may be put together.
    fn check(&self, header: &Header) -> Result<(), String> {
        if header.event == EventKind::Free {
            return match self.controls.iter().collect::<Vec<_>>()[..] {
                [one, other, ..] => Err(format!(
                    "games at {} and at {} cannot be put together",
                    shown(&one.join(" against ")),
                    shown(&other.join(" against "))
                )),
                _ => Ok(()),
            };
        }
        let other = self.seeds.iter().find(|(dice, _)| **dice != Some((header.seed, 0)));
        match other {
            Some((_, number)) if header.mirrored => Err(format!(
                "the dice of game {} are not those of the event's seed, so that its pair cannot be one",
                number + 1
            )),
            _ => Ok(()),
        }
    }
}

/// Journals put together.
#[derive(Default)]
struct Merged {
    header: Option<Header>,
    names: Vec<String>,
    games: Vec<GameSummary>,
    machines: Vec<Machine>,
    shards: Vec<Shard>,
    /// Which journal each game is from.
    sources: BTreeMap<u64, usize>,
}

impl Merged {
    /// Adds the journal of that place in the list.
    fn add(&mut self, files: &[PathBuf], place: usize) -> Result<(), String> {
        let path = &files[place];
        let shown = path.display();
        let mut games = Vec::new();
        let mut pool = Pool::default();
        let contents = journal::read(path, |game| {
            pool.add(&game);
            if game.end.kind.counts() {
                games.push(GameSummary::from(&game));
            }
        });
        let contents = contents.map_err(|error| error.to_string())?;
        pool.check(&contents.header).map_err(|what| format!("journal {shown}: {what}"))?;
        if let Some(note) = contents.note {
            print_error(&format!("{note}\n"));
        }
        let machine = Machine::of(&contents.header);
        if !self.machines.contains(&machine) {
            self.machines.push(machine);
        }
        self.shards.extend(contents.header.shard);
        for name in contents.header.name.iter().filter(|name| !self.names.contains(name)).cloned().collect::<Vec<_>>() {
            self.names.push(name);
        }
        // Parts of one event differ in their shard. What the event is comes before its games: those of two events have
        // the same numbers.
        let header = Header { shard: None, ..contents.header };
        match &self.header {
            None => self.header = Some(header),
            Some(first) if first.event == EventKind::Free && header.event == EventKind::Free => {
                return Err(format!(
                    "journal {shown}: free games, which no schedule pairs, are told one journal at a time"
                ));
            }
            Some(first) => {
                if let Some(what) = journal::difference(first, &header) {
                    return Err(format!(
                        "journal {shown} is of another event than {}: {what} differs",
                        files[0].display()
                    ));
                }
            }
        }
        for game in games {
            if let Some(other) = self.sources.insert(game.number, place) {
                let other = files[other].display();
                return Err(format!("journal {shown}: game {} is in journal {other} too", game.number + 1));
            }
            self.games.push(game);
        }
        Ok(())
    }
}

/// `arena stats`: one report of journals that are parts of one event.
pub(super) fn stats(arguments: &StatsArguments) -> Result<ExitCode, String> {
    arguments.outputs.check(&arguments.files)?;
    let mut merged = Merged::default();
    (0..arguments.files.len()).try_for_each(|place| merged.add(&arguments.files, place))?;
    let Merged { header, names, mut games, machines, shards, .. } = merged;
    let mut header = header.ok_or("no journal")?;
    // Parts that were played under different names are still of one event.
    let names = (!names.is_empty()).then(|| names.join(" + "));
    header.name = arguments.event_name.clone().or(names);
    if let Some(sprt) = &arguments.sprt {
        if sprt.on == Basis::Luck && !header.luck {
            return Err(
                "the luck was not computed, so that a sequential test can only be of results as they are".to_owned()
            );
        }
        header.sprt = Some(sprt.to_string());
    }
    games.sort_by_key(|game| game.number);
    let report = Report { header, machines, shards, games, finish: None };
    tell(&report, &arguments.outputs, |visit| {
        let mut visit = |game: &Game| {
            if game.end.kind.counts() {
                visit(game);
            }
        };
        let mut read = |path| journal::read(path, |game| visit(&game)).map(drop).map_err(|error| error.to_string());
        arguments.files.iter().try_for_each(|path| read(path))
    })?;
    Ok(ExitCode::SUCCESS)
}
