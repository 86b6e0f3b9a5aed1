//! Writing text records.

use super::super::{DiceSource, EventKind, Game, Header, Ply, ScoreRecord};
use super::{CONTROLS, NAMES, result_text};
use crate::board::{Color, Rolled, STARTPOS};
use std::fmt::Write;

/// The length that lines are broken at, where they can be.
const WIDTH: usize = 100;

/// Writes games as text, one after another.
#[derive(Debug, Default)]
pub struct TextWriter {
    header: Option<Header>,
    begun: bool,
}

impl TextWriter {
    /// A writer of games of no journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer of the games of a journal, whose header the first game carries in a tag of its own.
    pub fn of_journal(header: &Header) -> Self {
        Self { header: Some(header.clone()), begun: false }
    }

    /// The text of a game, an empty line at its end.
    pub fn game(&mut self, game: &Game) -> String {
        self.annotated(game, |_| None)
    }

    /// The same with remarks: what `remark` says of a ply, by its number from 0. Braces in it become parentheses.
    pub fn annotated(&mut self, game: &Game, remark: impl Fn(usize) -> Option<String>) -> String {
        let mut text = String::new();
        let mut tag = |name: &str, value: &str| write_tag(&mut text, name, value);
        if !self.begun
            && let Some(header) = &self.header
            // None that a header can cause.
            && let Ok(json) = serde_json::to_string(header)
        {
            tag("Journal", &json);
        }
        self.begun = true;
        NAMES.iter().zip(&game.seats).for_each(|(name, seat)| tag(name, &seat.name));
        tag("Result", result_text(game.result, game.end.kind));
        tag("Game", &(u128::from(game.number) + 1).to_string());
        if game.pair != game.number {
            tag("Pair", &(u128::from(game.pair) + 1).to_string());
        }
        if game.half != 0 {
            tag("Half", &game.half.to_string());
        }
        if let Some(id) = &game.id {
            tag("Id", id);
        }
        if self.header.as_ref().is_some_and(|header| header.event != EventKind::Free) {
            tag("Players", &format!("{} {}", game.white, game.black));
        }
        for (name, seat) in CONTROLS.iter().zip(&game.seats) {
            if !seat.control.is_empty() {
                tag(name, &seat.control);
            }
        }
        if let Some(started) = game.started_ms {
            tag("StartedMs", &started.to_string());
        }
        if game.dice != DiceSource::Given
            && let Ok(json) = serde_json::to_string(&game.dice)
        {
            tag("Dice", &json);
        }
        if let Some(by) = &game.luck_by {
            tag("LuckBy", by);
        }
        tag("End", game.end.kind.name());
        match game.end.player {
            None => {}
            Some(player) if player == game.white => tag("EndBy", "white"),
            Some(player) if player == game.black => tag("EndBy", "black"),
            Some(player) => tag("EndBy", &player.to_string()),
        }
        if !game.end.detail.is_empty() {
            tag("EndDetail", &game.end.detail);
        }
        game.end.last_lines.iter().for_each(|line| tag("EndLine", line));
        if game.opening != STARTPOS {
            tag("DFEN", &game.opening);
        }
        let sorted = !game.plies.is_empty() && game.plies.iter().all(|ply| ply.thrown.is_none());
        if sorted {
            tag("Throws", "sorted");
        }
        text.push('\n');
        let start = Rolled::from_dfen(&game.opening).ok().map(|rolled| rolled.position);
        let mut side = start.map_or(Color::White, |position| position.side());
        let mut number = start.map_or(1, |position| u64::from(position.fullmove()));
        let mut line = Wrapped { text, column: 0 };
        for (place, ply) in game.plies.iter().enumerate() {
            let dice = ply.thrown.as_deref().unwrap_or(&ply.roll);
            // A line is not broken within a turn.
            let mut word = match side {
                Color::White => format!("{number}. {}", dice.to_ascii_uppercase()),
                Color::Black if place == 0 => format!("{number}... {}", dice.to_ascii_lowercase()),
                Color::Black => dice.to_ascii_lowercase(),
            };
            if let Some(turn) = &ply.turn {
                word.push(' ');
                word.push_str(turn);
            }
            line.add(&word);
            if let Some(comment) = comment(ply, sorted, remark(place)) {
                line.add(&format!("{{{comment}}}"));
            }
            number += u64::from(side == Color::Black);
            side = !side;
        }
        line.add(result_text(game.result, game.end.kind));
        line.text.push_str("\n\n");
        line.text
    }
}

struct Wrapped {
    text: String,
    column: usize,
}

impl Wrapped {
    fn add(&mut self, word: &str) {
        let length = word.chars().count();
        if self.column > 0 {
            let breaks = self.column + 1 + length > WIDTH;
            self.text.push(if breaks { '\n' } else { ' ' });
            self.column = if breaks { 0 } else { self.column + 1 };
        }
        self.text.push_str(word);
        self.column += length;
    }
}

/// A tag with its value in quotes; what would end the line or the quotes is escaped.
fn write_tag(text: &mut String, name: &str, value: &str) {
    text.push('[');
    text.push_str(name);
    text.push_str(" \"");
    for character in value.chars() {
        match character {
            '"' | '\\' => {
                text.push('\\');
                text.push(character);
            }
            character if character.is_control() => _ = write!(text, "{}", character.escape_unicode()),
            character => text.push(character),
        }
    }
    text.push_str("\"]\n");
}

/// What is in the braces after a ply, if anything.
fn comment(ply: &Ply, sorted: bool, remark: Option<String>) -> Option<String> {
    let mut words = Vec::new();
    if ply.thrown.is_none() && !sorted {
        words.push("[%sorted]".to_owned());
    }
    if ply.passed {
        words.push("[%passed]".to_owned());
    }
    match ply.score {
        Some(ScoreRecord::Cp(cp)) => words.push(format!("[%score cp {cp}]")),
        Some(ScoreRecord::Mate(mate)) => words.push(format!("[%score mate {mate}]")),
        None => {}
    }
    let mut number = |name: &str, value: Option<String>| words.extend(value.map(|value| format!("[%{name} {value}]")));
    number("depth", ply.depth.map(|value| value.to_string()));
    number("nodes", ply.nodes.map(|value| value.to_string()));
    number("time", ply.time_ms.map(|value| value.to_string()));
    number("enginetime", ply.engine_time_ms.map(|value| value.to_string()));
    number("clock", ply.clock_left_ms.map(|value| value.to_string()));
    number("luck", ply.luck.map(|value| value.to_string()));
    if let Some(remark) = remark {
        let fit = |character: char| match character {
            '{' | '[' => '(',
            '}' | ']' => ')',
            character if character.is_control() => ' ',
            character => character,
        };
        words.push(remark.chars().map(fit).collect());
    }
    (!words.is_empty()).then(|| words.join(" "))
}
