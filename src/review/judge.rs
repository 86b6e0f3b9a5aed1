//! One turn judged: its luck by the best replies to all rolls, its loss by a search.

use super::turn::{Danger, Decision, RolloutLook, TurnReview};
use super::{EVALUATION, Level, Mark, ReviewSettings};
use crate::board::{Position, Rolled};
use crate::bots::BudgetedBot;
use crate::eval::ReplyFinder;
use crate::rollout::{Rollout, RolloutSettings};
use crate::rules::{Roll, Turn, TurnEnd, apply_roll, outcomes, winning_rolls};
use crate::search::{Event, Expectimax, ExpectimaxSettings, Task};
use crate::time::{Never, StopCheck, StopSignal};

/// A turn to be judged, as it was played.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub ply: usize,
    pub rolled: Rolled,
    pub thrown: Option<String>,
    pub turn: Option<Turn>,
    /// What the turn led to, if there was one.
    pub end: Option<TurnEnd>,
}

/// Judges turns; one thread has one.
pub(super) struct Judge {
    settings: ReviewSettings,
    search: Expectimax,
    replies: ReplyFinder,
}

/// The value of a turn to the player, and how deep it was searched.
#[derive(Clone, Copy)]
struct Valued {
    turn: Turn,
    value: f64,
    depth: u32,
}

/// The depth of turns that a search under a deadline does not look at, because there is nothing to choose.
const DEPTH_OF_FORCED: u32 = 2;

/// A depth from which on the same positions are met again, so that a table pays.
const TABLE_FROM: u32 = 3;

impl Judge {
    pub(super) fn new(settings: ReviewSettings) -> Self {
        let mut search = ExpectimaxSettings::linear();
        search.techniques.table = match settings.level {
            Level::Depth(depth) => depth >= TABLE_FROM,
            Level::Timed => true,
        };
        Self { settings, search: Expectimax::new(search), replies: ReplyFinder::by(EVALUATION.evaluator().as_ref()) }
    }

    /// What a position is worth before its roll to the side that rolls, one turn deep.
    pub(super) fn equity(&mut self, position: &Position) -> f64 {
        if position.is_drawn() { 0.0 } else { self.replies.find(position).mean() }
    }

    /// Judges a turn; `None` if `stop` is raised before. `clock` is the signal of this turn under a time limit.
    /// The revaluation is left at what this turn alone tells: the best turn's value beyond its luck.
    pub(super) fn judge(
        &mut self,
        asked: &Asked,
        stop: Option<&StopSignal>,
        clock: Option<&StopSignal>,
    ) -> Option<TurnReview> {
        let Asked { ply, rolled, thrown, turn, end } = asked.clone();
        let replies = self.replies.find(&rolled.position);
        let roll = Roll::from_dice(rolled.dice)?;
        let (equity, luck, one_deep) = (replies.mean(), replies.luck(roll), replies.value(roll));
        let mut review = TurnReview { ply, rolled, thrown, equity, luck, decision: None };
        if let (Some(turn), Some(end)) = (turn, end) {
            let mut decision = self.decision(&rolled, turn, end, stop, clock)?;
            decision.revaluation = decision.best_value - one_deep;
            review.decision = Some(decision);
        }
        Some(review)
    }

    fn decision(
        &mut self,
        rolled: &Rolled,
        turn: Turn,
        end: TurnEnd,
        stop: Option<&StopSignal>,
        clock: Option<&StopSignal>,
    ) -> Option<Decision> {
        let found = outcomes(rolled);
        let count = found.distinct.len() + usize::from(found.king_capture.is_some());
        let passed = winning_rolls(&rolled.position.end_turn()).weight();
        let mut decision = Decision {
            turn,
            best: turn,
            value: 1.0,
            best_value: 1.0,
            depth: 1,
            turns: found.legal_turns().max(1),
            outcomes: count,
            revaluation: 0.0,
            danger: Danger { before: passed, after: 0, best: 0 },
            captured: false,
            missed_capture: false,
            rollout: None,
        };
        let next = match end {
            TurnEnd::KingCaptured => {
                decision.captured = true;
                return Some(decision);
            }
            TurnEnd::Position(next) => next,
        };
        decision.danger.after = winning_rolls(&next).weight();
        decision.danger.best = decision.danger.after;
        if let Some(capture) = found.king_capture {
            let depth = self.fixed_depth();
            let played = self.value(rolled, turn, depth, stop)?;
            decision.missed_capture = true;
            decision.best = capture;
            decision.value = played.value;
            decision.depth = played.depth;
            decision.danger.best = 0;
            return Some(decision);
        }
        let (best, played) = self.both(rolled, turn, &next, count, stop, clock)?;
        decision.depth = played.depth;
        decision.value = played.value;
        decision.best_value = played.value;
        // A deeper look may show the turn played to be the better one.
        if best.value > played.value {
            decision.best = best.turn;
            decision.best_value = best.value;
            self.look_closer(rolled, &mut decision, stop);
        }
        if let Ok(TurnEnd::Position(after)) = apply_roll(rolled, decision.best) {
            decision.danger.best = winning_rolls(&after).weight();
        }
        Some(decision)
    }

    const fn fixed_depth(&self) -> u32 {
        match self.settings.level {
            Level::Depth(depth) => depth,
            Level::Timed => DEPTH_OF_FORCED,
        }
    }

    /// The best turn and the one played, both searched equally deep.
    fn both(
        &mut self,
        rolled: &Rolled,
        turn: Turn,
        next: &Position,
        count: usize,
        stop: Option<&StopSignal>,
        clock: Option<&StopSignal>,
    ) -> Option<(Valued, Valued)> {
        if count <= 1 {
            let only = self.value(rolled, turn, self.fixed_depth(), stop)?;
            return Some((only, only));
        }
        let mut best = match clock {
            Some(clock) => self.search(rolled, None, None, Some(clock))?,
            None => self.search(rolled, None, Some(self.fixed_depth()), stop)?,
        };
        if is_raised(stop) {
            return None;
        }
        let depth = if clock.is_some() { best.depth } else { self.fixed_depth() };
        if best.depth < depth {
            // It had no rival left, so its search ended early.
            best = self.value(rolled, best.turn, depth, stop)?;
        }
        let is_same = matches!(apply_roll(rolled, best.turn), Ok(TurnEnd::Position(to)) if to.key() == next.key());
        let played = if is_same { Valued { turn, ..best } } else { self.value(rolled, turn, depth, stop)? };
        Some((best, played))
    }

    /// The value of one turn at a depth.
    fn value(&mut self, rolled: &Rolled, turn: Turn, depth: u32, stop: Option<&StopSignal>) -> Option<Valued> {
        let valued = self.search(rolled, Some(turn), Some(depth), stop)?;
        (!is_raised(stop)).then_some(valued)
    }

    fn search(
        &mut self,
        rolled: &Rolled,
        only: Option<Turn>,
        depth: Option<u32>,
        stop: Option<&StopSignal>,
    ) -> Option<Valued> {
        let mut task = Task::new(*rolled);
        task.limits.depth = depth;
        task.search_moves.extend(only);
        let mut last: Option<Valued> = None;
        let answer = self.search.choose(&task, stop, &mut |event| {
            if let Event::Info(info) = event
                && info.multipv == 1
                && let Some(turn) = info.turn
            {
                last = Some(Valued { turn, value: info.score.equity().value(), depth: info.depth });
            }
        });
        last.filter(|last| last.turn == answer)
    }

    /// Rolls out the best turn and the one played where the choice is close to a border between marks.
    fn look_closer(&self, rolled: &Rolled, decision: &mut Decision, stop: Option<&StopSignal>) {
        let Some(games) = self.settings.rollout_games else { return };
        let loss = decision.loss();
        if Mark::distance(loss) > self.settings.rollout_margin {
            return;
        }
        let mut task = Task::new(*rolled);
        task.search_moves = [decision.best, decision.turn].into_iter().collect();
        task.multi_pv = 2;
        let settings = RolloutSettings { games: Some(games), ..RolloutSettings::default() };
        let mut rollout = Rollout::new(self.settings.seed, settings, ExpectimaxSettings::linear());
        let (mut best, mut played) = (None, None);
        rollout.choose(&task, stop, &mut |event| {
            if let Event::Rollout(info) = event {
                if info.turn == Some(decision.turn) {
                    played = Some(info);
                } else {
                    best = Some(info);
                }
            }
        });
        // One that was broken off tells nothing.
        let (Some(best), Some(played)) = (best, played) else { return };
        if best.games != games || played.games != games {
            return;
        }
        decision.rollout = Some(RolloutLook { games, loss_before: loss, error: best.error.hypot(played.error) });
        decision.value = played.equity.value();
        decision.best_value = best.equity.value();
        if decision.best_value <= decision.value {
            decision.best = decision.turn;
            decision.best_value = decision.value;
        }
    }
}

fn is_raised(stop: Option<&StopSignal>) -> bool {
    stop.map_or_else(|| Never.should_stop(), StopCheck::should_stop)
}
