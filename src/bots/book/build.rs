//! Making an opening book from the records of games.
//!
//! Records are the journals of the arena: one JSON object a line, of which those of type `game` are read.

use super::file::book_line;
use crate::board::{Dice, Position, Rolled};
use crate::rules::{Turn, TurnEnd, apply_roll};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use thiserror::Error;

/// Which turns go into the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookRules {
    /// Turns of each player from the beginning of a game.
    pub turns: u32,
    /// A turn must have been played in so many games, at least 1.
    pub games: u32,
}

/// Collects games and turns them into a book.
#[derive(Clone, Debug)]
pub struct BookBuilder {
    rules: BookRules,
    /// By the text of the position with its dice, and the key of the position after the turn: in an order that depends
    /// on the games only.
    played: BTreeMap<(String, u64), Played>,
    games: u64,
}

/// A turn and how it did.
#[derive(Clone, Debug)]
struct Played {
    rolled: Rolled,
    turn: Turn,
    games: u32,
    half_points: u32,
}

/// Why a line of a record is not used.
#[derive(Debug, Error)]
pub enum RecordError {
    /// It is not JSON of the right form.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The game cannot be played as recorded.
    #[error("ply {ply}: {problem}")]
    Game {
        /// Which roll of the game, from 1; 0 for the opening position.
        ply: usize,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Game(Game),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Game {
    opening: String,
    plies: Vec<Ply>,
    result: f64,
}

#[derive(Deserialize)]
struct Ply {
    roll: String,
    turn: Option<String>,
}

impl BookBuilder {
    /// A builder without games.
    pub const fn new(rules: BookRules) -> Self {
        Self { rules, played: BTreeMap::new(), games: 0 }
    }

    /// How many games have been added.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Adds the game on a line of a record; a line that is no game is passed over.
    ///
    /// # Errors
    /// The line is no record, or a turn in it is not legal; nothing of the game has been added then.
    pub fn add_line(&mut self, line: &str) -> Result<(), RecordError> {
        let Line::Game(game) = serde_json::from_str(line)? else { return Ok(()) };
        let error = |ply: usize, problem: String| RecordError::Game { ply, problem };
        let opening = Rolled::from_dfen(&game.opening);
        let mut position = opening.map_err(|problem| error(0, format!("{}: {problem}", problem.field())))?.position;
        let most = position.fullmove().saturating_add(self.rules.turns);
        let mut added: Vec<(Rolled, Turn, Position)> = Vec::new();
        for (number, ply) in (1..).zip(&game.plies) {
            let Some(turn) = &ply.turn else { break };
            if position.fullmove() >= most {
                break;
            }
            let dice = Dice::parse(&ply.roll).map_err(|problem| error(number, problem.to_string()))?;
            let turn: Turn = turn.parse().map_err(|problem| error(number, format!("{problem}")))?;
            let rolled = Rolled { position, dice };
            match apply_roll(&rolled, turn).map_err(|problem| error(number, problem.to_string()))? {
                TurnEnd::KingCaptured => break,
                TurnEnd::Position(next) => {
                    if !turn.is_empty() {
                        added.push((rolled, turn, next));
                    }
                    position = next;
                }
            }
        }
        let white = (2.0 * game.result.clamp(0.0, 1.0)).round() as u32;
        for (rolled, turn, next) in added {
            let half_points = if rolled.position.side() == crate::board::Color::White { white } else { 2 - white };
            self.add(rolled, turn, &next, half_points);
        }
        self.games += 1;
        Ok(())
    }

    /// Adds all games of a journal. Returns what is wrong with lines that were skipped, each with its number.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn add_file(&mut self, path: &Path) -> std::io::Result<Vec<String>> {
        let text = std::fs::read_to_string(path)?;
        let lines = (1..).zip(text.lines());
        Ok(lines.filter_map(|(number, line)| Some(format!("line {number}: {}", self.add_line(line).err()?))).collect())
    }

    fn add(&mut self, rolled: Rolled, turn: Turn, next: &Position, half_points: u32) {
        let key = (super::book_key(&rolled), next.key());
        let new = Played { rolled, turn, games: 0, half_points: 0 };
        let played = self.played.entry(key).or_insert(new);
        played.turn = played.turn.min(turn);
        played.games += 1;
        played.half_points += half_points;
    }

    /// The lines of the book: turns played often enough, each weighted with the half points that it earned; those that
    /// earned none are left out.
    pub fn lines(&self) -> Vec<String> {
        let kept = self.played.values().filter(|played| played.games >= self.rules.games && played.half_points > 0);
        kept.map(|played| book_line(&played.rolled, played.turn, played.half_points)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::Book;
    use rand_chacha::ChaCha8Rng;
    use rand_core::{Rng, SeedableRng};

    const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -";

    fn game(first: &str, result: f64) -> String {
        format!(
            r#"{{"type":"game","number":0,"opening":"{OPENING}","plies":[{{"roll":"PNB","turn":"{first}","score":null}},
            {{"roll":"RRQ","turn":"0000","passed":true}},{{"roll":"NNN","turn":null}}],"result":{result}}}"#
        )
    }

    #[test]
    fn turns_to_one_position_are_counted_together_and_weighted_by_points() {
        let mut builder = BookBuilder::new(BookRules { turns: 8, games: 2 });
        builder.add_line(r#"{"type":"header","format":1}"#).expect("a header is passed over");
        for (turn, result) in
            [("g1f3,e2e4,f1c4", 1.0), ("e2e4,g1f3,f1c4", 0.5), ("e2e4,f1b5,b1c3", 1.0), ("d2d4,c1f4,b1c3", 0.0)]
        {
            builder.add_line(&game(turn, result)).expect("a sound game");
        }
        let lines = builder.lines();
        let key = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - BNP";
        assert_eq!(lines, [format!("{key}\te2e4,g1f3,f1c4\t3")]);
        assert_eq!(Book::parse(&lines.join("\n")).1.count, 0);
        assert_eq!(builder.games(), 4);
    }

    #[test]
    fn bad_records_are_named() {
        let mut builder = BookBuilder::new(BookRules { turns: 8, games: 1 });
        assert!(matches!(builder.add_line("{"), Err(RecordError::Json(_))));
        assert!(matches!(builder.add_line(&game("e2e5,g1f3,f1c4", 1.0)), Err(RecordError::Game { ply: 1, .. })));
        assert!(builder.lines().is_empty());
    }
    /// Copies of games with other letters, torn or put together anew: a game is added or refused with its reason, and
    /// the book that comes of it can be read.
    #[test]
    fn damaged_records_are_read_without_a_panic() {
        let mut rng = ChaCha8Rng::seed_from_u64(78);
        let mut below = |bound: usize| rng.next_u32() as usize % bound;
        let (mut good, mut bad) = (0, 0);
        for _ in 0..4_000 {
            let mut builder = BookBuilder::new(BookRules { turns: 8, games: 1 });
            let mut bytes = game("g1f3,e2e4,f1c4", 1.0).into_bytes();
            for _ in 0..below(4) {
                let place = below(bytes.len());
                match below(8) {
                    0 => bytes.truncate(place.max(1)),
                    1 => bytes.extend_from_within(place..),
                    2 => bytes.insert(place, b"9[{,\"e"[below(6)]),
                    3..6 => bytes[place] = b"\"{}[]:,0123456789.-eabcdfghPNBRQK"[below(33)],
                    _ => bytes[place] = below(256) as u8,
                }
            }
            // Twice, for the sums.
            for _ in 0..2 {
                match builder.add_line(&String::from_utf8_lossy(&bytes)) {
                    Ok(()) => good += 1,
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        bad += 1;
                    }
                }
            }
            assert_eq!(Book::parse(&builder.lines().join("\n")).1.count, 0);
        }
        assert!(good > 1_000 && bad > 1_000, "{good} {bad}");
    }
}
