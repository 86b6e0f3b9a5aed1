//! Playing a game over, every roll and turn checked by the rules.

use super::escape::escaped;
use super::game::{Game, Ply};
use crate::board::{Dice, Rolled};
use crate::rules::{Roll, Turn, TurnEnd, apply_roll};
use thiserror::Error;

/// Why a game cannot have been played as it was written down. The message is fit to be shown.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ReplayError {
    /// The position it begins from.
    #[error("opening: {0}")]
    Opening(String),
    /// A roll or a turn.
    #[error("ply {ply}: {what}")]
    Ply {
        /// Its number, from 1.
        ply: usize,
        /// What is wrong.
        what: String,
    },
    /// The position it ends with.
    #[error("it leads to {found}, and the record says {}", escaped(.said, 120))]
    Final {
        /// Where the plies lead.
        found: String,
        /// What the record says.
        said: String,
    },
}

/// A game that is played over, ply after ply.
#[derive(Clone, Debug)]
pub struct Replayer {
    here: Rolled,
    /// Rolls so far.
    plies: usize,
    over: bool,
}

impl Replayer {
    /// At the beginning of a game, before the first roll.
    ///
    /// # Errors
    /// The opening is no position, or has dice.
    pub fn new(opening: &str) -> Result<Self, ReplayError> {
        let bad = |what: String| ReplayError::Opening(escaped(&what, 200));
        let here = Rolled::from_dfen(opening).map_err(|error| bad(format!("{}: {error}", error.field())))?;
        if !here.dice.is_empty() {
            return Err(bad("it has dice already".to_owned()));
        }
        Ok(Self { here, plies: 0, over: false })
    }

    /// The position now: before a roll without dice; after a roll that has not been played, or that captured the king, with
    /// them.
    pub const fn position(&self) -> &Rolled {
        &self.here
    }

    /// Whether the king was captured, after which nothing can be played.
    pub const fn is_over(&self) -> bool {
        self.over
    }

    /// Throws the dice of a ply. Returns the position with them.
    ///
    /// # Errors
    /// They are no roll, the game is over, or the roll before was not played.
    pub fn roll(&mut self, ply: &Ply) -> Result<&Rolled, ReplayError> {
        let number = self.plies + 1;
        let bad = |what: String| Err(ReplayError::Ply { ply: number, what: escaped(&what, 200) });
        if self.over {
            return bad("the king has been captured".to_owned());
        }
        if !self.here.dice.is_empty() {
            return bad("the roll before it was not played".to_owned());
        }
        let roll = match Dice::parse(&ply.roll) {
            Ok(dice) => Roll::from_dice(dice),
            Err(error) => return bad(error.to_string()),
        };
        let Some(roll) = roll else { return bad(format!("'{}' is no roll of three dice", ply.roll)) };
        if ply.thrown.as_deref().is_some_and(|thrown| Dice::parse(thrown) != Ok(roll.dice())) {
            return bad(format!("the dice thrown are not {}", ply.roll));
        }
        self.here.dice = roll.dice();
        self.plies = number;
        Ok(&self.here)
    }

    /// Plays the turn of a ply whose dice were thrown; without a turn nothing happens.
    ///
    /// # Errors
    /// The turn is not legal.
    pub fn play(&mut self, ply: &Ply) -> Result<(), ReplayError> {
        let number = self.plies;
        let bad = |what: String| ReplayError::Ply { ply: number, what: escaped(&what, 200) };
        let Some(text) = &ply.turn else { return Ok(()) };
        let turn: Turn = text.parse().map_err(|error| bad(format!("'{text}': {error}")))?;
        match apply_roll(&self.here, turn) {
            Ok(TurnEnd::Position(next)) => self.here = Rolled { position: next, dice: Dice::NONE },
            Ok(TurnEnd::KingCaptured) => self.over = true,
            Err(error) => return Err(bad(format!("{turn}: {error}"))),
        }
        Ok(())
    }
}

/// Plays a game over; `visit` is given the number of each ply, from 1, the position with its dice, and the ply. Returns the
/// last position, as [`Game::final_dfen`] has it. Where the dice came from is [`DiceSource::check`](super::DiceSource::check)'s.
///
/// # Errors
/// It cannot have been played so.
pub fn replay(game: &Game, mut visit: impl FnMut(usize, &Rolled, &Ply)) -> Result<Rolled, ReplayError> {
    let mut replayer = Replayer::new(&game.opening)?;
    for (number, ply) in (1..).zip(&game.plies) {
        visit(number, replayer.roll(ply)?, ply);
        replayer.play(ply)?;
    }
    let last = *replayer.position();
    if last.to_string() != game.final_dfen {
        return Err(ReplayError::Final { found: last.to_string(), said: game.final_dfen.clone() });
    }
    Ok(last)
}
