//! Reviews of games: what was luck and what was a mistake.
//!
//! | part | what is in it |
//! |---|---|
//! | [`Reviewer`] | judges games, its turns shared out among threads |
//! | [`GameReview`], [`TurnReview`], [`Decision`] | what is said of a game, a roll and a turn |
//! | [`Mark`], [`MARKS`] | the names of losses |
//! | [`LuckMeter`] | the luck of every roll of a game, without a review |
//! | [`SideSummary`], [`Pool`], [`Grade`] | the play of one side of a game, and of players over many |
//! | [`DecisionSet`] | decisions whose turns were rolled out, to measure bots against |
//! | [`Analysis`], [`CubeAdvice`], [`DrawAdvice`] | what is said of a position by itself |
//!
//! For every turn it holds that *equity before the roll + luck − loss + revaluation = equity after the turn*, all from the
//! view of the player, so that over a game everything adds up to the result ([`GameReview::account`]).
//!
//! Nothing here reads a clock, prints, or knows where games come from. With a fixed depth a review is the same at any number
//! of threads.
//!
//! # Examples
//! ```
//! use astragal::record::TextReader;
//! use astragal::review::{Reviewer, ReviewSettings};
//!
//! let text = "[DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n\n1. RKK h1h8 1-0\n";
//! let game = TextReader::new(text.as_bytes()).next_game().unwrap()?;
//! let review = Reviewer::new(ReviewSettings::default(), 1).review(&game, &())?;
//! assert_eq!(review.result, Some(1.0));
//! assert!((review.account().sum() - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod analysis;
mod decisions;
mod errors;
mod game;
mod grade;
mod judge;
mod luck;
mod mark;
mod pool;
mod summary;
pub(crate) mod turn;

pub use advice::{CubeAdvice, CubeOwner, DrawAdvice, UnknownCubeOwner};
pub use analysis::{Analyser, Analysis, RollLine, TurnLine};
pub use decisions::{DecisionLine, DecisionSet, DecisionSetError, KnownDecision, KnownTurn, RolledOutTurn, SetHeader};
pub use errors::{Errors, OutsideTurn};
pub use game::{Account, GameReview};
pub use grade::{GRADES, Grade};
pub use luck::LuckMeter;
pub use mark::{MARKS, Mark};
pub use pool::{Interval, Pool, PoolRow, Sample};
#[cfg(feature = "report")]
pub(crate) use summary::Played;
pub use summary::{SideSummary, StageSummary};
pub use turn::{Danger, Decision, RolloutLook, Stage, TurnReview};

use crate::board::Dice;
use crate::eval::BuiltinEvaluator;
use crate::record::{Game, ReplayError, Replayer};
use crate::search::share;
use crate::time::StopSignal;
use judge::{Asked, Judge};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// How deep turns are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// This number of turns ahead, the own one included, at least 1.
    Depth(u32),
    /// As long as [`Watch::clock`] says.
    Timed,
}

/// What a review is made with.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReviewSettings {
    /// How deep turns are looked at.
    pub level: Level,
    /// Games of a rollout from the best turn and from the one played, where the loss is close to the border of a mark.
    pub rollout_games: Option<u32>,
    /// How close that is, in equity.
    pub rollout_margin: f64,
    /// The seed of the rollouts.
    pub seed: u64,
}

impl Default for ReviewSettings {
    fn default() -> Self {
        Self { level: Level::Depth(2), rollout_games: None, rollout_margin: 0.015, seed: 0 }
    }
}

/// Who watches over a review: it ends one, gives turns their time, and hears how far it is. `()` does none of that.
pub trait Watch: Sync {
    /// A signal that ends the review when it is raised; what is done by then is the review.
    fn stop(&self) -> Option<&StopSignal> {
        None
    }

    /// The signal of a turn that is about to be searched, under [`Level::Timed`].
    fn clock(&self) -> Option<Arc<StopSignal>> {
        None
    }

    /// A turn is judged.
    fn turn_done(&self) {}
}

impl Watch for () {}

/// Reviews games.
pub struct Reviewer {
    judges: Vec<Judge>,
}

impl Reviewer {
    /// A reviewer with `threads` threads, at least 1.
    pub fn new(settings: ReviewSettings, threads: usize) -> Self {
        Self { judges: (0..threads.max(1)).map(|_| Judge::new(settings)).collect() }
    }

    /// Reviews a game.
    ///
    /// # Errors
    /// It cannot have been played so.
    pub fn review(&mut self, game: &Game, watch: &dyn Watch) -> Result<GameReview, ReplayError> {
        let (asked, replayer) = replayed(game)?;
        let next = AtomicUsize::new(0);
        let work = |judge: &mut Judge| {
            let mut done = Vec::new();
            while let Some(one) = asked.get(next.fetch_add(1, Relaxed)) {
                if watch.stop().is_some_and(StopSignal::is_raised) {
                    break;
                }
                let clock = watch.clock();
                let Some(turn) = judge.judge(one, watch.stop(), clock.as_deref()) else { break };
                watch.turn_done();
                done.push(turn);
            }
            done
        };
        let Some((first, others)) = self.judges.split_first_mut() else {
            // There is at least one.
            return Ok(GameReview::of(game, Vec::new(), 0.0, (crate::board::Color::White, 0.0), false));
        };
        let (mut turns, theirs) = share(others, || work(first), work);
        turns.extend(theirs.into_iter().flatten().flatten());
        turns.sort_by_key(|turn| turn.ply);
        let whole = (1..).zip(&turns).take_while(|&(ply, turn)| ply == turn.ply).count();
        turns.truncate(whole);
        let complete = turns.len() == asked.len();
        let last = asked.get(turns.len()).map_or(replayer.position().position, |one| one.rolled.position);
        let after = (last.side(), first.equity(&last));
        let start = match (turns.first(), asked.first()) {
            (Some(turn), _) => turn.sign() * turn.equity,
            (None, Some(one)) => turn::sign(one.rolled.position.side()) * first.equity(&one.rolled.position),
            (None, None) => turn::sign(after.0) * after.1,
        };
        Ok(GameReview::of(game, turns, start, after, complete))
    }
}

/// The evaluation that every number of a review rests on, [`crate::record::LINEAR_EVALUATION`], whatever bots play by.
const EVALUATION: BuiltinEvaluator = BuiltinEvaluator::Full;

/// Plays a game over: every turn to be judged.
fn replayed(game: &Game) -> Result<(Vec<Asked>, Replayer), ReplayError> {
    let mut replayer = Replayer::new(&game.opening)?;
    let mut asked = Vec::with_capacity(game.plies.len());
    for (number, ply) in (1..).zip(&game.plies) {
        let rolled = *replayer.roll(ply)?;
        replayer.play(ply)?;
        // The replayer has read it.
        let turn = ply.turn.as_deref().and_then(|text| text.parse().ok());
        let end = turn.and_then(|turn| crate::rules::apply_roll(&rolled, turn).ok());
        asked.push(Asked { ply: number, rolled, thrown: ply.thrown.clone(), turn, end });
    }
    let last = *replayer.position();
    // What is no position is not compared; records of others may leave it out.
    if !game.final_dfen.is_empty() && last.to_string() != game.final_dfen {
        return Err(ReplayError::Final { found: last.to_string(), said: game.final_dfen.clone() });
    }
    debug_assert!(
        replayer.is_over() || last.dice == Dice::NONE || game.plies.last().is_some_and(|ply| ply.turn.is_none())
    );
    Ok((asked, replayer))
}

#[cfg(test)]
mod tests;
