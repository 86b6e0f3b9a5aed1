//! `astragal review`.

use super::Done;
use super::output::{Output, json_line};
use super::source::Source;
use super::watch::{Watcher, duration};
use crate::record::{Game, Header, Records, TextWriter};
use crate::report::{
    BasisJson, ReviewLine, game_json, page_begin, page_end, page_game, players_json, pool_text, remark, review_text,
};
use crate::review::{GameReview, Level, Pool, PoolRow, ReviewSettings, Reviewer};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Tells of every turn of a game what was luck and what was a mistake.
#[derive(Args)]
pub(super) struct Review {
    /// A journal, a text record, or histories of the platform; `-` reads standard input.
    file: PathBuf,
    /// Only this game, counted from 1; may be given several times.
    #[arg(long)]
    game: Vec<u64>,
    /// Only games after this one.
    #[arg(long, value_name = "GAME", default_value_t = 0, hide_default_value = true)]
    after: u64,
    /// Only every N-th game from the I-th on, as a part for `astragal merge`: no table of players.
    #[arg(long, value_name = "I/N", requires = "json", value_parser = shard)]
    shard: Option<(u64, u64)>,
    /// Only games of this player.
    #[arg(long)]
    player: Option<String>,
    /// Turns to look ahead.
    #[arg(long, default_value_t = 2, conflicts_with = "time", value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::search::MOST_DEPTH)))]
    depth: u32,
    /// Time to search a turn, such as 5s or 500ms, instead of a depth.
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// Roll out turns whose loss is close to the border of a mark, with so many games of either turn (648 if none is said).
    #[arg(long, value_name = "GAMES", num_args = 0..=1, default_missing_value = "648", require_equals = true, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    rollout: Option<u32>,
    /// The seed of rollouts and intervals.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    form: Form,
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    parsed.filter(|&(index, count)| (1..=count).contains(&index)).ok_or_else(|| "say 1/n to n/n".to_owned())
}

/// What is written; text for people if nothing is said.
#[derive(Args, Clone, Copy)]
#[group(multiple = false)]
struct Form {
    /// Write JSON, a line a game.
    #[arg(long)]
    json: bool,
    /// Write a page for the browser, a file that needs no other.
    #[arg(long)]
    html: bool,
    /// Write the games as text records with remarks, which can be reviewed again.
    #[arg(long)]
    record: bool,
}

/// Writes reviews in one of the forms.
struct Writer {
    form: Form,
    basis: BasisJson,
    records: Option<TextWriter>,
    output: Output,
    games: u64,
}

impl Writer {
    /// Writes a game, which has that place in its source.
    fn game(&mut self, place: u64, game: &Game, header: Option<&Header>, review: &GameReview) -> Result<(), String> {
        self.games += 1;
        let text = if self.form.json {
            let mut line = game_json(review, &self.basis);
            if let ReviewLine::Game(game) = &mut line {
                game.place = Some(place);
            }
            json_line(&line)?
        } else if self.form.html {
            let begin = if self.games == 1 { page_begin() } else { String::new() };
            begin + &page_game(review, &self.basis, self.games)
        } else if self.form.record {
            let new = || header.map_or_else(TextWriter::new, TextWriter::of_journal);
            let writer = self.records.get_or_insert_with(new);
            writer.annotated(game, |ply| review.turns.get(ply).map(remark))
        } else {
            format!("{}{}", if self.games == 1 { "" } else { "\n" }, review_text(review))
        };
        self.output.write(&text)
    }

    fn end(&mut self, rows: Option<&[PoolRow]>) -> Result<(), String> {
        let text = match rows {
            _ if self.form.html => page_end(rows),
            None => return Ok(()),
            Some(rows) if self.form.json => json_line(&players_json(rows))?,
            Some(_) if self.form.record => return Ok(()),
            Some(rows) => format!("\n{}", pool_text(rows)),
        };
        self.output.write(&text)
    }
}

impl Review {
    /// Whether a game is among those asked for, by its number.
    fn is_wanted(&self, number: u64) -> bool {
        number > self.after
            && (self.game.is_empty() || self.game.contains(&number))
            && self.shard.is_none_or(|(index, count)| number % count == index % count)
    }

    /// Writes the reviews, and with several games the table of players. Progress and what cannot be read go to standard
    /// error.
    pub(super) fn run(self) -> Result<Done, String> {
        let source = Source::open(&self.file)?;
        let (shown, size, taken) = (source.name.clone(), source.size, source.taken());
        let mut records = Records::new(source).map_err(|error| format!("{shown}: {error}"))?;
        let watcher = Watcher::new(self.time, size, taken)?;
        let threads = super::threads(self.threads);
        let level = if self.time.is_some() { Level::Timed } else { Level::Depth(self.depth) };
        let defaults = ReviewSettings::default();
        let settings = ReviewSettings { level, rollout_games: self.rollout, seed: self.seed, ..defaults };
        let (mut reviewer, mut pool) = (Reviewer::new(settings, threads), Pool::default());
        // A day has fewer milliseconds than the type can hold.
        let basis = BasisJson::of(&settings, self.time.map(|time| time.as_millis() as u64));
        let mut writer = Writer { form: self.form, basis, records: None, output: Output::new(), games: 0 };
        let last_wanted = self.game.iter().max().copied();
        let (mut number, mut bad) = (0, 0);
        while !watcher.is_ended() && !writer.output.closed && last_wanted.is_none_or(|last| number < last) {
            let Some(game) = records.next_game() else { break };
            number += 1;
            if !self.is_wanted(number) {
                continue;
            }
            let game = match game {
                Ok(game) => game,
                Err(error) => {
                    eprintln!("astragal: {shown}: {error}");
                    bad += 1;
                    continue;
                }
            };
            if self.player.as_ref().is_some_and(|name| game.seats.iter().all(|seat| seat.name != *name)) {
                continue;
            }
            watcher.begin(format!("game {number}, turn"), game.plies.len());
            match reviewer.review(&game, &watcher) {
                Ok(review) => {
                    pool.add(&review);
                    writer.game(number, &game, records.journal_header(), &review)?;
                }
                Err(error) => {
                    eprintln!("astragal: {shown}: game {number}: {error}");
                    bad += 1;
                }
            }
        }
        if let Some(line) = records.torn() {
            eprintln!("astragal: {shown}: line {line} was torn and is left out");
        }
        // A part may have none.
        if writer.games == 0 && !watcher.is_ended() && self.shard.is_none() {
            return Err(format!("{shown}: no game to review ({bad} that cannot be read)"));
        }
        if writer.games > 0 && self.shard.is_none() {
            let mut rows = if writer.games > 1 { Some(pool.rows(settings.seed)) } else { None };
            if let (Some(rows), Some(name)) = (&mut rows, &self.player) {
                // The table is of the player who was asked for.
                rows.retain(|row| row.name == *name);
            }
            writer.end(rows.as_deref())?;
        }
        Ok(match bad {
            _ if watcher.is_ended() => Done::Interrupted,
            0 => Done::All,
            _ => Done::Partly,
        })
    }
}
