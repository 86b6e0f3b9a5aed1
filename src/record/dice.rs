//! Where the dice of a game came from, and whether its rolls are those.

use super::game::Game;
use crate::board::{Dice, PieceType};
use crate::rules::{Roll, below};
use hmac::{Hmac, KeyInit, Mac};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Where the dice came from.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(tag = "source", rename_all = "kebab-case")]
pub enum DiceSource {
    /// A function of a seed, the number of a pair of games, and the number of the roll: [`seeded_roll`].
    Seed {
        /// The seed of the event.
        seed: u64,
        /// The number of the pair.
        pair: u64,
    },
    /// Nobody could know them before: [`fair_throw`].
    Fair {
        /// The SHA-256 of the server's seed in hexadecimal, told before the game.
        commit: String,
        /// The server's seed in hexadecimal, told after the game.
        #[serde(default)]
        seed: Option<String>,
        /// The seeds of White and Black.
        #[serde(default)]
        client_seeds: Option<[String; 2]>,
    },
    /// Somebody said so.
    #[default]
    Given,
}

/// Why the rolls of a game are not those of their source.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DiceProblem {
    /// Another roll.
    #[error("ply {ply}: the roll is {}, and {by} gives {expected}", super::escaped(.roll, 12))]
    Roll {
        /// The number of the ply, from 1.
        ply: usize,
        /// The roll of the record.
        roll: String,
        /// What gives another one.
        by: &'static str,
        /// The other one.
        expected: String,
    },
    /// The seed is not the one committed to.
    #[error("the server's seed is not the one that it committed to")]
    Commitment,
    /// A seed is not hexadecimal.
    #[error("the server's seed is not hexadecimal")]
    Hexadecimal,
    /// Fair dice whose seeds were never told.
    #[error("the seeds of the dice are not told")]
    NoSeeds,
}

/// What a number is drawn for; keeps the streams of a seed apart.
const ROLL: u64 = 1;
const BOT_SEED: u64 = 2;

/// The stream of random numbers of a seed that belongs to these words.
fn stream(words: [u64; 4]) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (chunk, word) in key.chunks_exact_mut(8).zip(words) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

/// The roll of a ply (from 0, forced passes counted) of the games of a pair: a pure function of its arguments.
///
/// # Examples
/// ```
/// use astragal::record::seeded_roll;
///
/// assert_eq!(seeded_roll(7, 0, 0).to_string(), "PRR");
/// ```
pub fn seeded_roll(seed: u64, pair: u64, ply: u64) -> Roll {
    // Below 216, so it fits.
    Roll::from_throw(below(&mut stream([seed, pair, ply, ROLL]), u64::from(Roll::TOTAL_WEIGHT)) as u32)
}

/// The seed, from 0 to 2³² − 1, of a bot that was given none, by its place among the players of an event: the same in
/// both games of a pair.
///
/// # Examples
/// ```
/// use astragal::record::bot_seed;
///
/// assert_eq!(bot_seed(7, 0, 1), 3_077_632_754);
/// ```
pub fn bot_seed(seed: u64, pair: u64, player: usize) -> u64 {
    stream([seed, pair, player as u64, BOT_SEED]).next_u64() >> 32
}

/// The three dice of a roll in the order thrown, as the platform makes them: from HMAC-SHA256 under the server's seed, of
/// the seeds of White and Black and the number of the roll (from 0, forced passes counted).
pub fn fair_throw(seed: &[u8], [white, black]: [&str; 2], roll: u64) -> [PieceType; 3] {
    let mut faces = Vec::with_capacity(3);
    for block in 0_i32.. {
        // A key of any length will do, so there is no error.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(seed) else { break };
        for text in [white, black] {
            mac.update(&(text.len() as u32).to_be_bytes());
            mac.update(text.as_bytes());
        }
        mac.update(&roll.to_be_bytes());
        mac.update(&block.to_be_bytes());
        for byte in mac.finalize().into_bytes() {
            // Above it not every face would be as likely.
            if byte < 252 {
                faces.push(PieceType::ALL[usize::from(byte % 6)]);
            }
            if let [one, two, three] = faces[..] {
                return [one, two, three];
            }
        }
    }
    [PieceType::Pawn; 3]
}

/// Dice as upper-case letters in the order given.
pub fn letters(throw: [PieceType; 3]) -> String {
    throw.iter().map(|face| face.letter()).collect()
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

impl DiceSource {
    /// Checks the rolls of a game.
    ///
    /// # Errors
    /// A roll is another one than the source gives, or the source cannot be trusted.
    pub fn check(&self, game: &Game) -> Result<(), DiceProblem> {
        match self {
            Self::Given => Ok(()),
            Self::Seed { seed, pair } => check(game, "the seed", |ply| (seeded_roll(*seed, *pair, ply).dice(), None)),
            Self::Fair { seed: None, .. } | Self::Fair { client_seeds: None, .. } => Err(DiceProblem::NoSeeds),
            Self::Fair { commit, seed: Some(seed), client_seeds: Some([white, black]) } => {
                let seed = bytes_of(seed).ok_or(DiceProblem::Hexadecimal)?;
                if bytes_of(commit).is_none_or(|commit| commit != Sha256::digest(&seed)[..]) {
                    return Err(DiceProblem::Commitment);
                }
                check(game, "the seeds", |ply| {
                    let throw = fair_throw(&seed, [white, black], ply);
                    // Three are never too many.
                    (Dice::new(&throw).unwrap_or_default(), Some(letters(throw)))
                })
            }
        }
    }
}

/// Compares rolls, and the order thrown where both are known.
fn check(game: &Game, by: &'static str, roll: impl Fn(u64) -> (Dice, Option<String>)) -> Result<(), DiceProblem> {
    for (number, ply) in game.plies.iter().enumerate() {
        let (expected, thrown) = roll(number as u64);
        let order = ply.thrown.as_ref().zip(thrown.as_ref());
        if Dice::parse(&ply.roll) != Ok(expected) || order.is_some_and(|(one, other)| !one.eq_ignore_ascii_case(other))
        {
            let (roll, expected) = match order {
                Some((one, other)) => (one.clone(), other.clone()),
                None => (ply.roll.clone(), expected.to_string()),
            };
            return Err(DiceProblem::Roll { ply: number + 1, roll, by, expected });
        }
    }
    Ok(())
}
