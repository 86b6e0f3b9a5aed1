//! A whole game reviewed.

use super::turn::{TurnReview, sign};
use crate::board::Color;
use crate::record::{EndKind, Game};

/// The review of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct GameReview {
    /// Its number in its file, from 0.
    pub number: u64,
    /// What others call it.
    pub id: Option<String>,
    /// White and Black.
    pub names: [String; 2],
    /// The position it began with.
    pub opening: String,
    /// White's result: 1 won, 0 drawn, −1 lost. `None` if the game was broken off, or not reviewed to its end.
    pub result: Option<f64>,
    /// How it ended.
    pub end: EndKind,
    /// What the first position was worth to White.
    pub start_equity: f64,
    /// Every roll, in order.
    pub turns: Vec<TurnReview>,
    /// What is left for White between the last equity and the result: 0 where the king was captured or the half-move clock
    /// ran out, and what a resignation, a flag or an agreement has made of the game otherwise.
    pub last_term: f64,
    /// Whether all turns were reviewed.
    pub complete: bool,
}

/// The sums of a game from White's view. They add up to the result.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Account {
    /// What the first position was worth.
    pub start: f64,
    /// White's luck less Black's.
    pub luck: f64,
    /// What Black lost by its turns less what White lost.
    pub play: f64,
    /// The revaluations of White's turns less those of Black's.
    pub revaluation: f64,
    /// [`GameReview::last_term`].
    pub last: f64,
}

impl Account {
    /// All together: the result, if there was one.
    pub fn sum(&self) -> f64 {
        self.start + self.luck + self.play + self.revaluation + self.last
    }
}

impl GameReview {
    /// The sums of the game.
    pub fn account(&self) -> Account {
        let mut account = Account { start: self.start_equity, last: self.last_term, ..Account::default() };
        for turn in &self.turns {
            account.luck += turn.sign() * turn.luck;
            if let Some(decision) = &turn.decision {
                account.play -= turn.sign() * decision.loss();
                account.revaluation += turn.sign() * decision.revaluation;
            }
        }
        account
    }

    /// The name of a side.
    pub fn name(&self, side: Color) -> &str {
        &self.names[side.index()]
    }

    /// Puts a review together. `after` is what the last position is worth to the side that would roll in it, if it did
    /// not come to its end by a capture.
    pub(super) fn of(game: &Game, mut turns: Vec<TurnReview>, start: f64, after: (Color, f64), complete: bool) -> Self {
        let mut last_equity = sign(after.0) * after.1;
        for number in (0..turns.len()).rev() {
            let next = turns.get(number + 1).map(|next| next.sign() * next.equity);
            let turn = &mut turns[number];
            let sign = turn.sign();
            let next = next.unwrap_or(last_equity);
            match &mut turn.decision {
                Some(decision) => {
                    let next = if decision.captured { 1.0 } else { sign * next };
                    decision.revaluation += next - decision.value;
                    if number + 1 == turns.len() {
                        last_equity = sign * next;
                    }
                }
                // The roll was thrown, and that is where the game stood.
                None => last_equity = sign * (turn.equity + turn.luck),
            }
        }
        let result = (complete && game.end.kind.counts()).then_some(2.0 * game.result - 1.0);
        Self {
            number: game.number,
            id: game.id.clone(),
            names: [game.seats[0].name.clone(), game.seats[1].name.clone()],
            opening: game.opening.clone(),
            result,
            end: game.end.kind,
            start_equity: start,
            turns,
            last_term: result.map_or(0.0, |result| result - last_equity),
            complete,
        }
    }
}
