//! The dice: what the commitment and the seeds say every roll must have been.
//!
//! The server commits to the SHA-256 of its seed before the first roll; both sides add seeds of their own; each roll is
//! then a function of the three seeds and its number, so that after the game anybody can compute all rolls.

use crate::api::{Fairness, History, Seat, Seeds};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Why the dice of a game are not what they had to be.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Unfair {
    /// Something that was to be revealed was not.
    #[error("the server has not told {0}, so nothing can be verified")]
    Missing(&'static str),
    /// The seed is no hex.
    #[error("the seed is no hexadecimal number")]
    Seed,
    /// The seed is not the one committed to.
    #[error("the revealed seed is not the one committed to: SHA-256 {computed}, committed {committed}")]
    Commit {
        /// That of the revealed seed.
        computed: String,
        /// That told before the first roll.
        committed: String,
    },
    /// The commitment changed between the beginning and the end.
    #[error("the commitment changed during the game: {before}, then {after}")]
    Changed {
        /// At the beginning.
        before: String,
        /// At the end.
        after: String,
    },
    /// A roll is another one.
    #[error("roll {number} was {rolled:?}, and the seeds give {computed:?}")]
    Roll {
        /// Its number, from 0.
        number: usize,
        /// What was rolled.
        rolled: Vec<u8>,
        /// What should have been.
        computed: [u8; 3],
    },
    /// Our seed is not the one that was used.
    #[error("the server did not use the seed that was sent for this side")]
    OurSeed,
}

/// The dice of a game that has ended, roll by roll.
#[derive(Clone)]
pub struct FairDice {
    key: Hmac<Sha256>,
    prefix: Vec<u8>,
}

/// The commitment to a seed of these bytes.
pub fn commitment(seed: &[u8]) -> String {
    hex::encode(Sha256::digest(seed))
}

impl FairDice {
    /// The dice made of these seeds.
    ///
    /// # Errors
    /// The server's seed is no hex.
    pub fn new(server_seed: &str, white: &str, black: &str) -> Result<Self, Unfair> {
        let seed = hex::decode(server_seed).map_err(|_| Unfair::Seed)?;
        let key = Hmac::<Sha256>::new_from_slice(&seed).map_err(|_| Unfair::Seed)?;
        let mut prefix = Vec::with_capacity(8 + white.len() + black.len());
        for text in [white, black] {
            let length = u32::try_from(text.len()).map_err(|_| Unfair::Seed)?;
            prefix.extend(length.to_be_bytes());
            prefix.extend(text.as_bytes());
        }
        Ok(Self { key, prefix })
    }

    /// Roll number `number`, from 0, in the order thrown: 1 P, 2 N, 3 B, 4 R, 5 Q, 6 K.
    pub fn roll(&self, number: u64) -> [u8; 3] {
        let mut dice = [0; 3];
        let mut found = 0;
        for block in 0i32.. {
            let mut mac = self.key.clone();
            mac.update(&self.prefix);
            mac.update(&number.to_be_bytes());
            mac.update(&block.to_be_bytes());
            for byte in mac.finalize().into_bytes() {
                if byte < 252 {
                    dice[found] = byte % 6 + 1;
                    found += 1;
                    if found == 3 {
                        return dice;
                    }
                }
            }
        }
        dice
    }
}

/// Checks the rolls of a game against what was revealed: `told_before` is the commitment seen while it was played, if any.
/// Returns the number of rolls.
///
/// # Errors
/// The first thing that does not hold.
pub fn verify<'a>(
    fairness: &Fairness,
    told_before: Option<&str>,
    rolls: impl IntoIterator<Item = &'a [u8]>,
) -> Result<usize, Unfair> {
    let committed = fairness.commit.as_deref().or(told_before).ok_or(Unfair::Missing("its commitment"))?;
    let seed = fairness.seed.as_deref().ok_or(Unfair::Missing("its seed"))?;
    let Seeds { white, black } = fairness.client_seeds.as_ref().ok_or(Unfair::Missing("the seeds of both sides"))?;
    if let Some(before) = told_before
        && !before.eq_ignore_ascii_case(committed)
    {
        return Err(Unfair::Changed { before: before.to_owned(), after: committed.to_owned() });
    }
    let computed = commitment(&hex::decode(seed).map_err(|_| Unfair::Seed)?);
    if !computed.eq_ignore_ascii_case(committed) {
        return Err(Unfair::Commit { computed, committed: committed.to_owned() });
    }
    let dice = FairDice::new(seed, white, black)?;
    let mut count = 0;
    for (number, rolled) in rolls.into_iter().enumerate() {
        let computed = dice.roll(number as u64);
        if rolled != computed {
            return Err(Unfair::Roll { number, rolled: rolled.to_vec(), computed });
        }
        count = number + 1;
    }
    Ok(count)
}

/// Checks a finished game; `ours` is our side and the seed that we sent, if it was sent in time.
///
/// # Errors
/// The first thing that does not hold.
pub fn verify_history(
    history: &History,
    told_before: Option<&str>,
    ours: Option<(Seat, &str)>,
) -> Result<usize, Unfair> {
    let fairness = history.fairness.as_ref().ok_or(Unfair::Missing("what the dice were made of"))?;
    let count = verify(fairness, told_before, history.turns.iter().map(|turn| turn.dice.as_slice()))?;
    if let (Some((seat, sent)), Some(seeds)) = (ours, &fairness.client_seeds) {
        let used = if seat == Seat::White { &seeds.white } else { &seeds.black };
        if used != sent {
            return Err(Unfair::OurSeed);
        }
    }
    Ok(count)
}
