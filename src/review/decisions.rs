//! A set of decisions whose turns were rolled out: the truth that bots are measured against.
//!
//! A file of JSON lines: [`SetHeader`] first, then a [`DecisionLine`] for each decision.

use crate::board::Rolled;
use crate::eval::network::Network;
use crate::record::escaped;
use crate::rollout::{ComparedTurn, Comparison, Differences};
use crate::rules::{Roll, Turn, TurnEnd, apply_roll};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use thiserror::Error;

/// The first line: how the others were made. What equal headers were made with is the same in everything but the number.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SetHeader {
    /// [`SetHeader::FORMAT`].
    pub format: String,
    /// [`SetHeader::VERSION`].
    pub version: u32,
    /// The seed of the games that the decisions are from, and of the throws.
    pub seed: u64,
    /// The evaluation that played those games, chose the turns to compare and plays the rollouts.
    pub player: String,
    /// Turns looked ahead when the turns to compare were chosen.
    pub depth: u32,
    /// The most turns compared.
    pub candidates: u32,
    /// Turns of a game of a rollout; after them it is valued one turn deep.
    pub turns: u32,
    /// The standard error of a loss that ended the rollouts.
    pub error: f64,
    /// The most games for a turn.
    pub most: u32,
}

/// A decision, and what its best turns are worth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionLine {
    /// Its number, from 0.
    pub number: u32,
    /// The position with its dice.
    pub dfen: String,
    /// What the game that it is from began with: `start` or `ending`.
    pub source: String,
    /// Turns played in that game before it.
    pub ply: u32,
    /// Whether it was taken because the two best turns were close.
    pub close: bool,
    /// Games of each turn.
    pub games: u32,
    /// The turns, the best first.
    pub turns: Vec<RolledOutTurn>,
}

/// What a turn is worth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RolledOutTurn {
    /// The turn.
    pub turn: String,
    /// Its equity, in −1..=1.
    pub equity: f64,
    /// What it is worth less than the best.
    pub loss: f64,
    /// The standard error of the loss.
    pub error: f64,
}

/// A decision as it is measured against.
#[derive(Clone, PartialEq, Debug)]
pub struct KnownDecision {
    /// Its number.
    pub number: u32,
    /// The position with its dice.
    pub rolled: Rolled,
    /// Whether it was taken because the two best turns were close.
    pub close: bool,
    /// The turns, the best first; at least one.
    pub turns: Vec<KnownTurn>,
}

/// A turn of a decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct KnownTurn {
    /// The turn.
    pub turn: Turn,
    /// The key of the position after it.
    pub key: u64,
    /// What it is worth less than the best.
    pub loss: f64,
}

/// A set that was read.
#[derive(Clone, PartialEq, Debug)]
pub struct DecisionSet {
    /// How it was made.
    pub header: SetHeader,
    /// The decisions in the order of the file.
    pub decisions: Vec<KnownDecision>,
}

/// Why a file is no set of decisions.
#[derive(Debug, Error)]
pub enum DecisionSetError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The line says something else.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

/// The most bytes of a line.
const MOST_LINE_BYTES: u64 = 1 << 20;

/// Decimals of values: finer than any rollout is.
fn short(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

impl SetHeader {
    /// The name of the format.
    pub const FORMAT: &str = "astragal-decisions";
    /// The version of the format.
    pub const VERSION: u32 = 1;

    /// How rollouts are to be done so that they fit the set, by the network that is named in `player`.
    pub fn comparison(&self, network: Arc<Network>, threads: usize) -> Comparison {
        let Self { seed, turns, error, most, .. } = *self;
        Comparison { seed, turns, error, most, network, threads }
    }
}

impl DecisionLine {
    /// What was found of a decision, the best turn first.
    pub fn new(number: u32, rolled: &Rolled, source: &str, ply: u32, close: bool, found: &Differences) -> Self {
        let line = |turn: &ComparedTurn| RolledOutTurn {
            turn: turn.turn.to_string(),
            equity: short(turn.equity),
            loss: short(turn.loss),
            error: short(turn.error),
        };
        let mut turns: Vec<RolledOutTurn> = found.turns.iter().map(line).collect();
        turns.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        Self { number, dfen: rolled.to_string(), source: source.to_owned(), ply, close, games: found.games, turns }
    }

    fn known(&self) -> Result<KnownDecision, String> {
        let rolled = Rolled::from_dfen(&self.dfen).map_err(|error| format!("dfen: {error}"))?;
        if Roll::from_dice(rolled.dice).is_none() {
            return Err("dfen: a roll has three dice".to_owned());
        }
        let known = |line: &RolledOutTurn| {
            let turn: Turn = line.turn.parse().map_err(|error| format!("turn: {error}"))?;
            if !(0.0..=2.0).contains(&line.loss) {
                return Err(format!("loss of {turn}: must be from 0 to 2"));
            }
            match apply_roll(&rolled, turn) {
                Ok(TurnEnd::Position(next)) => Ok(KnownTurn { turn, key: next.key(), loss: line.loss }),
                Ok(TurnEnd::KingCaptured) => Err(format!("turn {turn}: captures the king")),
                Err(error) => Err(format!("turn {turn}: {error}")),
            }
        };
        let mut turns = self.turns.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        turns.sort_by(|a, b| a.loss.total_cmp(&b.loss));
        if turns.is_empty() {
            return Err("turns: none".to_owned());
        }
        Ok(KnownDecision { number: self.number, rolled, close: self.close, turns })
    }
}

impl DecisionSet {
    /// Reads a set.
    ///
    /// # Errors
    /// If it cannot be read, or a line is not what it should be.
    pub fn read(mut source: impl BufRead) -> Result<Self, DecisionSetError> {
        let bad = |line: usize, what: String| DecisionSetError::Line { line, what };
        let first = next_line(&mut source)?.unwrap_or_default();
        let header: SetHeader = serde_json::from_str(&first)
            .map_err(|_| bad(1, format!("is no header of a set of decisions ({})", SetHeader::FORMAT)))?;
        if (header.format.as_str(), header.version) != (SetHeader::FORMAT, SetHeader::VERSION) {
            let what = format!("is of another format than {} {}", SetHeader::FORMAT, SetHeader::VERSION);
            return Err(bad(1, what));
        }
        let mut decisions = Vec::new();
        let mut line = 1;
        while let Some(text) = next_line(&mut source)? {
            line += 1;
            let found: DecisionLine =
                serde_json::from_str(&text).map_err(|error| bad(line, escaped(&error.to_string(), 200)))?;
            let what = |what: String| bad(line, escaped(&what, 200));
            decisions.push(found.known().map_err(what)?);
        }
        Ok(Self { header, decisions })
    }
}

/// The next line; `None` at the end.
fn next_line(source: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut text = String::new();
    let length = source.by_ref().take(MOST_LINE_BYTES).read_line(&mut text)?;
    Ok((length > 0).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::SHIPPED;

    fn header() -> SetHeader {
        SetHeader {
            format: SetHeader::FORMAT.to_owned(),
            version: SetHeader::VERSION,
            seed: 3,
            player: "network 00000000".to_owned(),
            depth: 2,
            candidates: 5,
            turns: 8,
            error: 0.005,
            most: 216,
        }
    }

    fn line() -> DecisionLine {
        let turn =
            |turn: &str, loss: f64| RolledOutTurn { turn: turn.to_owned(), equity: 0.25 - loss, loss, error: 0.001 };
        DecisionLine {
            number: 7,
            dfen: "4r2k/8/8/8/8/8/8/4K3 w - - 0 1 KPP".to_owned(),
            source: "ending".to_owned(),
            ply: 3,
            close: true,
            games: 216,
            turns: vec![turn("e1d1", 0.0), turn("e1e2", 0.25)],
        }
    }

    fn read(lines: &[String]) -> Result<DecisionSet, String> {
        DecisionSet::read(lines.join("\n").as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_set_is_read_as_it_was_written() {
        let text = [serde_json::to_string(&header()).unwrap(), serde_json::to_string(&line()).unwrap()];
        let set = read(&text).unwrap();
        assert_eq!(set.header, header());
        assert_eq!((set.decisions.len(), set.decisions[0].number), (1, 7));
        let losses: Vec<f64> = set.decisions[0].turns.iter().map(|turn| turn.loss).collect();
        assert_eq!(losses, [0.0, 0.25]);
        assert_eq!(set.header.comparison(SHIPPED.clone(), 2).seed, 3);
    }

    #[test]
    fn what_is_no_set_is_refused_with_its_line() {
        let head = serde_json::to_string(&header()).unwrap();
        for text in ["", "{}", "not json", &head.replace("decisions", "others"), &head.replace(":1,", ":2,")] {
            assert!(read(&[text.to_owned()]).is_err_and(|error| error.starts_with("line 1: ")), "{text}");
        }
        let good = serde_json::to_string(&line()).unwrap();
        for (old, new) in
            [("e1d1", "e1e8"), ("e1d1", "\u{1b}[2J"), ("KPP", "-"), ("0.25,\"err", "9.0,\"err"), ("{", "")]
        {
            let bad = good.replace(old, new);
            assert_ne!(bad, good);
            let error = read(&[head.clone(), good.clone(), bad]).expect_err(new);
            assert!(error.starts_with("line 3: ") && !error.contains('\u{1b}'), "{error}");
        }
    }
}
