//! One game of a rollout, and the statistics of many.

use super::Moments;
use super::throws::Throws;
use crate::board::{Position, Rolled};
use crate::eval::RollReplies;
use crate::rules::{Roll, TurnEnd, apply_roll, below};
use crate::search::{ChanceSearch, SearchBudget, share};
use crate::time::StopCheck;
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How a game ended, for the side to roll at its beginning.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Game {
    /// 1 won, −1 lost, or what the evaluation says.
    plain: f64,
    /// The luck of that side less that of the other.
    luck: f64,
    /// Turns played.
    turns: u32,
}

impl Game {
    pub(super) fn of_the_other_side(self) -> Self {
        Self { plain: -self.plain, luck: -self.luck, ..self }
    }

    /// How it ended, less luck.
    pub(super) fn adjusted(self) -> f64 {
        self.plain - self.luck
    }
}

/// What a game without a result is worth after its last turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// What the evaluation says of the position.
    Still,
    /// The mean over all rolls of what it says after the best turn of each.
    OneTurnDeep,
}

/// Plays games; one thread has one.
pub(super) struct Player {
    search: ChanceSearch,
    turns: u32,
    ends: Ends,
    throws: Throws,
    /// The first two turns of all games from a position meet the same few positions. Looked up only, so that its order
    /// does not matter.
    known: HashMap<u64, Arc<RollReplies>>,
}

/// Turns of a game whose positions are kept, and the most positions kept: those of a handful of candidates.
const TURNS_KEPT: u32 = 2;
const MOST_KEPT: usize = 4096;

impl Player {
    pub(super) fn new(search: ChanceSearch, turns: u32, ends: Ends, throws: Throws) -> Self {
        Self { search, turns, ends, throws, known: HashMap::new() }
    }

    /// Plays the game of that number from every position; `None` if that was interrupted.
    fn round<S: StopCheck>(
        &mut self,
        positions: &[Position],
        number: u32,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Vec<Game>> {
        let (first, rng) = self.throws.of_game(number);
        positions.iter().map(|&position| self.play(position, first, rng.clone(), budget)).collect()
    }

    /// Plays a game from a position before its roll; `None` if it was interrupted.
    fn play<S: StopCheck>(
        &mut self,
        mut position: Position,
        first: Roll,
        mut rng: ChaCha8Rng,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Game> {
        let mut luck = 0.0;
        // 1 if the side to roll is the one that began.
        let mut sign = 1.0;
        for turn in 0..self.turns {
            if budget.is_spent() {
                return None;
            }
            if position.is_drawn() {
                return Some(Game { plain: 0.0, luck, turns: turn });
            }
            let rolls = self.look(&position, turn, budget)?;
            let roll = match turn {
                0 => first,
                _ => Roll::from_throw(below(&mut rng, u64::from(Roll::TOTAL_WEIGHT)) as u32),
            };
            luck += sign * rolls.luck(roll);
            let Some((turn, _)) = rolls.best(roll) else { return Some(Game { plain: sign, luck, turns: turn + 1 }) };
            match apply_roll(&Rolled { position, dice: roll.dice() }, turn) {
                Ok(TurnEnd::Position(next)) => position = next,
                // The turn is an outcome of that roll and captures no king.
                Ok(TurnEnd::KingCaptured) | Err(_) => return None,
            }
            sign = -sign;
        }
        if budget.is_spent() {
            return None;
        }
        let value = match self.ends {
            Ends::OneTurnDeep if !position.is_drawn() => self.look(&position, self.turns, budget)?.mean(),
            Ends::OneTurnDeep | Ends::Still => {
                budget.add(1);
                self.search.leaf_value(&position)
            }
        };
        Some(Game { plain: sign * value, luck, turns: self.turns })
    }

    fn look<S: StopCheck>(
        &mut self,
        position: &Position,
        turn: u32,
        budget: &SearchBudget<'_, S>,
    ) -> Option<Arc<RollReplies>> {
        // Equal keys mean equal values only as long as the half-move clock does not matter.
        let keep = turn < TURNS_KEPT && position.halfmove() < CLOCK_MATTERS;
        if keep && let Some(known) = self.known.get(&position.key()) {
            return Some(Arc::clone(known));
        }
        let rolls = Arc::new(self.search.roll_replies(position, budget)?);
        if keep && self.known.len() < MOST_KEPT {
            self.known.insert(position.key(), Arc::clone(&rolls));
        }
        Some(rolls)
    }
}

/// Plays one game from every position for each number, shared out among the players. Only whole rounds count, so that
/// all positions have equally many games, and only those before the first that was interrupted, so that the throws are
/// those of the first games.
pub(super) fn play_rounds<S: StopCheck + Sync>(
    players: &mut [Player],
    positions: &[Position],
    numbers: Range<u32>,
    budget: &SearchBudget<'_, S>,
) -> Vec<Vec<Game>> {
    // Wider than the numbers, as every thread goes one beyond the end.
    let next = AtomicU64::new(u64::from(numbers.start));
    let work = |player: &mut Player| {
        let mut played = Vec::new();
        while let Ok(number) = u32::try_from(next.fetch_add(1, Relaxed))
            && number < numbers.end
            && let Some(round) = player.round(positions, number, budget)
        {
            played.push((number, round));
        }
        played
    };
    let Some((first, others)) = players.split_first_mut() else { return Vec::new() };
    let (mut played, theirs) = share(others, || work(first), work);
    // The rounds of a thread that has panicked are missing, like those that were interrupted.
    played.extend(theirs.into_iter().flatten().flatten());
    played.sort_by_key(|&(number, _)| number);
    let whole = numbers.zip(played).take_while(|(wanted, (number, _))| wanted == number);
    whole.map(|(_, (_, round))| round).collect()
}

/// From here on the half-move clock could reach 100 within a turn.
const CLOCK_MATTERS: u32 = Position::clock_matters_from(1);

/// The results of games.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Results {
    pub plain: Moments,
    /// Less luck. What evening out the first rolls saves is not in its error: the true one is a little smaller.
    pub adjusted: Moments,
    /// Turns of the longest game.
    pub longest: u32,
}

impl Results {
    pub(super) fn add(&mut self, game: Game) {
        self.plain.add(game.plain);
        self.adjusted.add(game.adjusted());
        self.longest = self.longest.max(game.turns);
    }

    pub(super) fn games(&self) -> u32 {
        self.plain.count()
    }
}
