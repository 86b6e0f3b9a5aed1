//! `astragal book`.

use crate::bots::{BookBuilder, BookRules};
use clap::Subcommand;
use std::path::PathBuf;

/// What can be done with books.
#[derive(Subcommand)]
pub(super) enum BookCommand {
    /// Make a book from journals of the arena and write it to standard output, or to a file.
    Build {
        /// Journals, one JSON object a line.
        #[arg(required = true)]
        journals: Vec<PathBuf>,
        /// Take this many turns of each player from the beginning of each game.
        #[arg(long, default_value_t = 6)]
        turns: u32,
        /// Take turns that were played in at least this many games.
        #[arg(long, default_value_t = 2)]
        games: u32,
        /// The file to write.
        #[arg(long)]
        out: Option<PathBuf>,
    },
}

impl BookCommand {
    /// What is printed at the end is the book itself, or, if it went to a file, how much that is.
    pub(super) fn run(self) -> Result<String, String> {
        let Self::Build { journals, turns, games, out } = self;
        let mut builder = BookBuilder::new(BookRules { turns, games });
        for path in journals {
            let problems = builder.add_file(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            problems.iter().for_each(|problem| eprintln!("{} {problem}; skipped", path.display()));
        }
        let lines = builder.lines();
        let Some(path) = out else { return Ok(lines.join("\n")) };
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(format!("{}: {} turns from {} games", path.display(), lines.len(), builder.games()))
    }
}
