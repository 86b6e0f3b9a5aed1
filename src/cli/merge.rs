//! `astragal merge`.

use super::Done;
use super::output::{Output, json_line};
use super::source::{MOST_REVIEW_BYTES, Source, next_line};
use crate::record::escaped;
use crate::report::{GameJson, ReviewLine, SCHEMA, add_to_pool, players_json};
use crate::review::Pool;
use clap::Args;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;

/// Writes the reviews of parts of one file as one, as if they had been made at once.
#[derive(Args)]
pub(super) struct Merge {
    /// Reviews as `astragal review --json --shard` writes them.
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// The table is of this player, as that of `review --player`.
    #[arg(long)]
    player: Option<String>,
}

/// A part, read line by line.
struct Part {
    source: Source,
    line: u64,
    /// The place of the last game.
    last: u64,
    /// The next game: its text and what that says.
    next: Option<(String, Box<GameJson>)>,
}

impl Part {
    /// Goes on to the next game; its place, if there is one.
    fn advance(&mut self) -> Result<Option<u64>, String> {
        self.next = None;
        let name = self.source.name.clone();
        while let Some(text) =
            next_line(&mut self.source, MOST_REVIEW_BYTES).map_err(|error| format!("{name}: {error}"))?
        {
            self.line += 1;
            let bad = |what: &str| format!("{name}: line {}: {}", self.line, escaped(what, 200));
            let text = text.map_err(|length| bad(&format!("{length} bytes are too many")))?;
            let line = serde_json::from_str(&text).map_err(|error| bad(&format!("no review: {error}")))?;
            // That of a part is not that of the whole.
            let ReviewLine::Game(game) = line else { continue };
            if game.schema != SCHEMA {
                return Err(bad(&format!("schema {}, and {SCHEMA} can be read", game.schema)));
            }
            let place = game.place.ok_or_else(|| bad("it does not say its place in its source"))?;
            if place <= self.last {
                return Err(bad(&format!("place {place} comes after place {}", self.last)));
            }
            self.last = place;
            self.next = Some((text, game));
            return Ok(Some(place));
        }
        Ok(None)
    }
}

impl Merge {
    /// Writes the games of all parts and, with several games, the table of players.
    pub(super) fn run(self) -> Result<Done, String> {
        let mut parts = Vec::new();
        let mut waiting = BinaryHeap::new();
        for (index, path) in self.parts.iter().enumerate() {
            let mut part = Part { source: Source::open(path)?, line: 0, last: 0, next: None };
            waiting.extend(part.advance()?.map(|place| Reverse((place, index))));
            parts.push(part);
        }
        let (mut pool, mut output, mut first) = (Pool::default(), Output::new(), None);
        let (mut games, mut last) = (0_u64, 0);
        while let Some(Reverse((place, index))) = waiting.pop() {
            let part = &mut parts[index];
            let told = |what: String| format!("{}: line {}: {what}", part.source.name, part.line);
            // Only parts with a game are waiting.
            let Some((text, game)) = &part.next else { continue };
            if place == last {
                return Err(told(format!("the game of place {place} is in another part, too")));
            }
            let basis = first.get_or_insert_with(|| game.basis.clone());
            if *basis != game.basis {
                return Err(told("it was reviewed in another way than the others".to_owned()));
            }
            add_to_pool(&mut pool, game).map_err(told)?;
            output.write(&format!("{text}\n"))?;
            (games, last) = (games + 1, place);
            waiting.extend(part.advance()?.map(|place| Reverse((place, index))));
        }
        if let Some(basis) = first
            && games > 1
        {
            let mut rows = pool.rows(basis.seed);
            if let Some(name) = &self.player {
                rows.retain(|row| row.name == *name);
            }
            output.write(&json_line(&players_json(&rows))?)?;
        }
        Ok(Done::All)
    }
}
