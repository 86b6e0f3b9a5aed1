//! `astragal review`.

use crate::record::Records;
use crate::report::{pool_text, review_text};
use crate::review::{Level, Pool, ReviewSettings, Reviewer};
use clap::Args;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Tells of every turn of a game what was luck and what was a mistake.
#[derive(Args)]
pub(super) struct Review {
    /// A journal, a text record, or histories of the platform; `-` reads standard input.
    file: PathBuf,
    /// Only this game, counted from 1; may be given several times.
    #[arg(long)]
    game: Vec<u64>,
    /// Only games of this player.
    #[arg(long)]
    player: Option<String>,
    /// Turns to look ahead.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::search::MOST_DEPTH)))]
    depth: u32,
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
}

impl Review {
    /// The reviews, and with several games the table of players. Progress and what cannot be read go to standard error.
    pub(super) fn run(self) -> Result<String, String> {
        let shown = self.file.display();
        let source: Box<dyn BufRead> = if self.file.as_os_str() == "-" {
            Box::new(std::io::stdin().lock())
        } else {
            Box::new(BufReader::new(File::open(&self.file).map_err(|error| format!("{shown}: {error}"))?))
        };
        let mut records = Records::new(source).map_err(|error| format!("{shown}: {error}"))?;
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let settings = ReviewSettings { level: Level::Depth(self.depth), ..ReviewSettings::default() };
        let (mut reviewer, mut pool) = (Reviewer::new(settings, threads), Pool::default());
        let (mut texts, mut bad) = (Vec::new(), 0);
        let mut number = 0;
        while let Some(game) = records.next_game() {
            number += 1;
            let is_wanted = self.game.is_empty() || self.game.contains(&number);
            let game = match game {
                Ok(game)
                    if is_wanted
                        && self.player.as_ref().is_none_or(|name| game.seats.iter().any(|seat| seat.name == *name)) =>
                {
                    game
                }
                Ok(_) => continue,
                Err(error) => {
                    eprintln!("astragal: {shown}: {error}");
                    bad += 1;
                    continue;
                }
            };
            eprintln!("game {number}: {} turns", game.plies.len());
            match reviewer.review(&game, &()) {
                Ok(review) => {
                    pool.add(&review);
                    texts.push(review_text(&review));
                }
                Err(error) => {
                    eprintln!("astragal: {shown}: game {number}: {error}");
                    bad += 1;
                }
            }
        }
        if texts.is_empty() {
            return Err(format!("{shown}: no game to review ({bad} that cannot be read)"));
        }
        if texts.len() > 1 {
            texts.push(pool_text(&pool.rows(settings.seed)));
        }
        Ok(texts.join("\n"))
    }
}
