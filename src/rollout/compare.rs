//! Turns of one roll against each other by rollouts, until it is known well enough how much each loses.
//!
//! All turns are played on with the same throws, so what counts is not how exactly the value of each is known but that of
//! the difference to the best. Unlike in [`super::Rollout`], the end of a game is valued one turn deep.

use super::Moments;
use super::game::{Ends, Player, play_rounds};
use super::throws::{IN_A_BLOCK, Throws};
use crate::board::{Position, Rolled};
use crate::eval::BuiltinEvaluator;
use crate::eval::network::{Network, SHIPPED};
use crate::rules::{Turn, TurnEnd, TurnError, apply_roll};
use crate::search::{ChanceSearch, SearchBudget, Techniques};
use crate::time::StopCheck;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use thiserror::Error;

/// How turns are compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The seed of the throws. Those of a game depend on it, the rolled position and the number of the game only.
    pub seed: u64,
    /// Turns of a game, after which it is valued.
    pub turns: u32,
    /// The standard error that the difference of every turn to the best is to have, in equity.
    pub error: f64,
    /// The most games for each turn, whatever the error is then; rounded up to whole blocks of 216.
    pub most: u32,
    /// What both sides play by, one turn deep, and what the end is valued by.
    pub network: Arc<Network>,
    /// Threads, at least 1. The result does not depend on it.
    pub threads: usize,
}

impl Default for Comparison {
    fn default() -> Self {
        Self { seed: 0, turns: 8, error: 0.005, most: 40 * IN_A_BLOCK, network: SHIPPED.clone(), threads: 1 }
    }
}

/// What came out of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct Differences {
    /// Games played for each turn.
    pub games: u32,
    /// The turns in the order in which they were given.
    pub turns: Vec<ComparedTurn>,
}

/// One of the turns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ComparedTurn {
    /// The turn.
    pub turn: Turn,
    /// What it is worth to the player, in −1..=1; luck may take it a little beyond.
    pub equity: f64,
    /// What it is worth less than the best, at least 0.
    pub loss: f64,
    /// The standard error of the loss, by the differences game by game; 0 for the best turn itself.
    pub error: f64,
}

/// Why there is no comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ComparisonError {
    /// A turn that the roll does not allow.
    #[error("{0}: {1}")]
    Illegal(Turn, TurnError),
    /// A turn that captures the king is worth 1: there is nothing to compare.
    #[error("{0} captures the king")]
    KingCaptured(Turn),
    /// The stop signal was raised.
    #[error("interrupted")]
    Interrupted,
}

impl Comparison {
    /// Plays the turns on until every difference to the best is known as well as asked for, or the most games are played.
    ///
    /// # Errors
    /// See [`ComparisonError`].
    pub fn compare<S: StopCheck + Sync>(
        &self,
        rolled: &Rolled,
        turns: &[Turn],
        stop: &S,
    ) -> Result<Differences, ComparisonError> {
        let positions = turns.iter().map(|&turn| after(rolled, turn)).collect::<Result<Vec<_>, _>>()?;
        let player = |_| {
            let search =
                ChanceSearch::new(BuiltinEvaluator::Network.evaluator_by(&self.network), None, Techniques::default());
            Player::new(search, self.turns, Ends::OneTurnDeep, Throws::new(self.seed, rolled))
        };
        let mut players: Vec<Player> = (0..self.threads.max(1)).map(player).collect();
        let nodes = AtomicU64::new(0);
        let budget = SearchBudget::new(stop, &nodes, None);
        // What every game of every turn has come to, for the player of the turn.
        let mut values: Vec<Vec<f64>> = vec![Vec::new(); turns.len()];
        let mut games = 0;
        loop {
            let rounds = play_rounds(&mut players, &positions, games..games + IN_A_BLOCK, &budget);
            if rounds.len() < IN_A_BLOCK as usize {
                return Err(ComparisonError::Interrupted);
            }
            for round in rounds {
                values.iter_mut().zip(round).for_each(|(all, game)| all.push(game.of_the_other_side().adjusted()));
            }
            games += IN_A_BLOCK;
            let compared = differences(turns, &values);
            if games >= self.most || compared.iter().all(|turn| turn.error <= self.error) {
                return Ok(Differences { games, turns: compared });
            }
        }
    }
}

/// The position after a turn.
fn after(rolled: &Rolled, turn: Turn) -> Result<Position, ComparisonError> {
    match apply_roll(rolled, turn) {
        Ok(TurnEnd::Position(position)) => Ok(position),
        Ok(TurnEnd::KingCaptured) => Err(ComparisonError::KingCaptured(turn)),
        Err(error) => Err(ComparisonError::Illegal(turn, error)),
    }
}

/// The turns with their means, and the differences to the one with the best.
fn differences(turns: &[Turn], values: &[Vec<f64>]) -> Vec<ComparedTurn> {
    let means: Vec<f64> = values.iter().map(|values| moments(values.iter().copied()).mean()).collect();
    // Of equal ones the first.
    let best = (0..means.len()).rev().max_by(|&a, &b| means[a].total_cmp(&means[b]));
    let compared = |(at, &turn): (usize, &Turn)| {
        let best = best.unwrap_or(at);
        let of = moments(values[best].iter().zip(&values[at]).map(|(best, own)| best - own));
        let (loss, error) = if at == best { (0.0, 0.0) } else { (of.mean().max(0.0), of.error()) };
        ComparedTurn { turn, equity: means[at], loss, error }
    };
    turns.iter().enumerate().map(compared).collect()
}

fn moments(values: impl Iterator<Item = f64>) -> Moments {
    let mut moments = Moments::default();
    values.for_each(|value| moments.add(value));
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTPOS;
    use crate::eval::ReplyFinder;
    use crate::rules::outcomes;
    use crate::time::{Never, StopSignal};

    fn rolled(dfen: &str) -> Rolled {
        Rolled::from_dfen(dfen).unwrap()
    }

    fn turns(rolled: &Rolled) -> Vec<Turn> {
        outcomes(rolled).distinct.iter().map(|outcome| outcome.turn).collect()
    }

    #[test]
    fn differences_are_paired() {
        let [a, b] = [0, 1].map(|at| turns(&rolled(&STARTPOS.replace(" 0 1 -", " 0 1 PPP")))[at]);
        // The second is always 0.1 worse, however much both vary.
        let values = [vec![0.9, -0.7, 0.2], vec![0.8, -0.8, 0.1]];
        let found = differences(&[a, b], &values);
        assert_eq!((found[0].loss, found[0].error), (0.0, 0.0));
        assert!((found[1].loss - 0.1).abs() < 1e-12 && found[1].error < 1e-12, "{found:?}");
    }

    #[test]
    fn a_hanging_queen_costs_what_the_rolls_say_and_any_number_of_threads_say_the_same() {
        // The king may step out of the rook's file or stay in it.
        let rolled = rolled("4r2k/8/8/8/8/8/8/4K3 w - - 0 1 KPP");
        let all = turns(&rolled);
        let of = |threads| Comparison { turns: 2, most: 216, threads, ..Comparison::default() };
        let one = of(1).compare(&rolled, &all, &Never).unwrap();
        assert_eq!(one, of(3).compare(&rolled, &all, &Never).unwrap());
        assert_eq!(one.games, 216);
        assert_eq!(one.turns.iter().filter(|turn| turn.loss == 0.0).count(), 1);
        let value = |text: &str| one.turns.iter().find(|turn| turn.turn.to_string() == text).unwrap();
        assert!(value("e1e2").loss > value("e1d1").loss + 0.1, "{one:?}");
    }

    #[test]
    fn a_game_of_no_turns_is_worth_the_mean_of_all_rolls() {
        let rolled = rolled(&STARTPOS.replace(" 0 1 -", " 0 1 NNP"));
        let all = turns(&rolled);
        let comparison = Comparison { turns: 0, ..Comparison::default() };
        let found = comparison.compare(&rolled, &all, &Never).unwrap();
        let mut finder = ReplyFinder::by(BuiltinEvaluator::Network.evaluator().as_ref());
        for (turn, found) in all.iter().zip(&found.turns) {
            let exact = -finder.find(&after(&rolled, *turn).unwrap()).mean();
            assert!((found.equity - exact).abs() < 1e-9, "{found:?} {exact}");
        }
        let best = found.turns.iter().map(|turn| turn.equity).fold(f64::MIN, f64::max);
        assert!(found.turns.iter().all(|turn| (best - turn.equity - turn.loss).abs() < 1e-9 && turn.error < 1e-9));
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let rolled = rolled("4k3/8/8/8/8/8/8/4RK2 w - - 0 1 RRR");
        let of = |turn: &str| Comparison::default().compare(&rolled, &[turn.parse().unwrap()], &Never);
        assert!(matches!(of("e1e8"), Err(ComparisonError::KingCaptured(_))));
        assert!(matches!(of("a1a8"), Err(ComparisonError::Illegal(..))));
        let raised = StopSignal::new();
        raised.raise();
        let some = Rolled::from_dfen("4r2k/8/8/8/8/8/8/4K3 w - - 0 1 KPP").unwrap();
        assert_eq!(Comparison::default().compare(&some, &turns(&some), &raised), Err(ComparisonError::Interrupted));
    }
}
