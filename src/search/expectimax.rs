//! `expectimax`: the expected result over all rolls of the opponent and its best reply to each.
//!
//! A pre-ranker orders the candidates by a look at the position after the turn; two plies add the 56 weighted rolls of
//! the opponent. The best completed candidate can be had at any time.

use super::aggressive::aggressive_score;
use super::chance_value::{ChanceValue, NodeValue, compare};
use super::effort::Effort;
use super::root::{Root, candidates};
use super::{Bot, Budgeted, Event, Info, Limits, Reporter, Task, Width};
use crate::board::Position;
use crate::eval::{BuiltinEvaluator, Equity, Evaluator, Score, evaluate, evaluate_quietly};
use crate::rules::{Outcome, Turn};
use crate::time::{Never, StopCheck, StopSignal};
use std::cmp::Ordering;

/// How candidates are ranked before they are searched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PreRanker {
    /// By material, activity and the opponent's exact chance to capture the king.
    #[default]
    Full,
    /// By material and activity.
    Quiet,
    /// By the score of the `aggressive` bot.
    Aggressive,
}

/// The knobs of `expectimax`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExpectimaxSettings {
    /// How many of the best candidates of the pre-ranker are searched; 0 for all.
    pub candidate_limit: usize,
    /// What orders the candidates.
    pub pre_ranker: PreRanker,
    /// What evaluates the positions after the opponent's reply.
    pub leaf: BuiltinEvaluator,
    /// How much of the pre-ranker's value is mixed into a candidate's final score, in percent, 0..=100. A candidate
    /// that loses the king on some roll is never lifted by it.
    pub root_blend: u32,
}

/// Two-ply expectimax over distinct outcomes.
pub struct Expectimax {
    settings: ExpectimaxSettings,
    chance: ChanceValue,
}

/// The most turns it looks ahead.
const MOST_DEPTH: u32 = 2;

/// Positions evaluated between two reports of the candidate at hand.
const NODES_BETWEEN_REPORTS: u64 = 2_000_000;

/// A turn to choose from, from the view of the mover.
#[derive(Clone, Copy)]
struct Candidate {
    outcome: Outcome,
    /// What the pre-ranker says.
    rank: Equity,
    /// The value by the deepest search it has had.
    value: Equity,
}

impl PreRanker {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Full, Self::Quiet, Self::Aggressive];

    /// Its stable name.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quiet => "quiet",
            Self::Aggressive => "aggressive",
        }
    }

    /// What the position after a turn is worth to the side that made it.
    fn value(self, position: &Position) -> Equity {
        if position.is_drawn() {
            return Equity::DRAWN;
        }
        match self {
            Self::Full => -evaluate(position),
            Self::Quiet => -Equity::from_centipawns(evaluate_quietly(position)),
            Self::Aggressive => Equity::from_centipawns(aggressive_score(position)),
        }
    }
}

impl std::str::FromStr for PreRanker {
    type Err = UnknownPreRanker;

    fn from_str(text: &str) -> Result<Self, UnknownPreRanker> {
        Self::ALL.into_iter().find(|ranker| ranker.id().eq_ignore_ascii_case(text)).ok_or(UnknownPreRanker)
    }
}

/// There is no pre-ranker of that name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no such pre-ranker; there are full, quiet and aggressive")]
pub struct UnknownPreRanker;

impl Expectimax {
    /// A bot with these settings and the built-in evaluation that they name.
    pub fn new(settings: ExpectimaxSettings) -> Self {
        Self::with_evaluator(settings, Box::new(settings.leaf))
    }

    /// A bot with these settings that evaluates leaves with `leaf` instead.
    pub fn with_evaluator(settings: ExpectimaxSettings, leaf: Box<dyn Evaluator>) -> Self {
        Self { settings, chance: ChanceValue::new(leaf) }
    }

    fn search<S: StopCheck>(&mut self, task: &Task, stop: &S, report: &mut Reporter<'_>) -> Turn {
        let effort = Effort::new(stop, task.limits.nodes);
        if task.rolled.dice.is_empty() {
            self.analyse(&task.rolled.position, task.limits, effort, report);
            return Turn::PASS;
        }
        match candidates(task, || !stop.should_stop()) {
            Root::Only(turn) => turn,
            Root::KingCapture(turn) => {
                report(Event::Info(Info::king_capture(turn)));
                turn
            }
            Root::Candidates { outcomes, turns } => self.decide(outcomes, turns, task, effort, report),
        }
    }

    /// Analyses a position before its roll.
    fn analyse<S: StopCheck>(
        &mut self,
        position: &Position,
        limits: Limits,
        mut effort: Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) {
        let depth = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let mut info = |depth, equity, nodes| {
            let score = Score::Equity(equity);
            report(Event::Info(Info { depth, seldepth: depth, multipv: 1, score, nodes, turn: None }));
        };
        effort.nodes += 1;
        info(1, self.chance.leaf_value(position), effort.nodes);
        if depth > 1
            && let Some(value) = self.chance.search(position, &mut effort)
        {
            info(2, value.equity, effort.nodes);
        }
    }

    fn decide<S: StopCheck>(
        &mut self,
        outcomes: Vec<Outcome>,
        turns: u64,
        task: &Task,
        mut effort: Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) -> Turn {
        let mut width = Width { turns, outcomes: outcomes.len(), ..Width::default() };
        let mut ranked = rank(outcomes, self.settings.pre_ranker, &mut effort);
        report_lines(1, &ranked, task.multi_pv, effort.nodes, report);
        if self.settings.candidate_limit > 0 {
            ranked.truncate(self.settings.candidate_limit);
        }
        width.selected = ranked.len();
        let depth = task.limits.depth.unwrap_or(MOST_DEPTH);
        if depth > 1 && ranked.len() > 1 {
            width.completed = self.deepen(&mut ranked, &mut effort, report);
            width.abandoned = width.selected - width.completed;
            if width.completed > 0 {
                ranked.truncate(width.completed);
                ranked.sort_by(best_first);
                report_lines(2, &ranked, task.multi_pv, effort.nodes, report);
            } else {
                width.fell_back = true;
            }
            report(Event::Width(width));
        }
        ranked.first().map_or(Turn::PASS, |best| best.outcome.turn)
    }

    /// Searches candidates in order to two plies, as long as it may. Returns how many are complete: a candidate cut
    /// half-way is not counted, and keeps the value it had.
    fn deepen<S: StopCheck>(
        &mut self,
        ranked: &mut [Candidate],
        effort: &mut Effort<'_, S>,
        report: &mut Reporter<'_>,
    ) -> usize {
        let mut best: Option<Equity> = None;
        let mut next_report = NODES_BETWEEN_REPORTS;
        for (number, candidate) in ranked.iter_mut().enumerate() {
            let turn = candidate.outcome.turn;
            if effort.nodes >= next_report {
                next_report = effort.nodes + NODES_BETWEEN_REPORTS;
                report(Event::Current { depth: 2, turn, number: number + 1, nodes: effort.nodes });
            }
            if effort.is_spent() {
                return number;
            }
            candidate.value = if candidate.outcome.position.is_drawn() {
                Equity::DRAWN
            } else {
                match self.chance.search(&candidate.outcome.position, effort) {
                    Some(value) => self.blend(candidate.rank, value),
                    None => return number,
                }
            };
            if best.is_none_or(|best| candidate.value > best) {
                best = Some(candidate.value);
                let score = Score::Equity(candidate.value);
                let nodes = effort.nodes;
                report(Event::Info(Info { depth: 2, seldepth: 2, multipv: 1, score, nodes, turn: Some(turn) }));
            }
        }
        ranked.len()
    }

    /// The final value of a candidate out of what the pre-ranker said and what the opponent's rolls are worth.
    fn blend(&self, rank: Equity, value: NodeValue) -> Equity {
        let searched = -value.equity;
        let share = f64::from(self.settings.root_blend.min(100)) / 100.0;
        let blended = Equity::new((1.0 - share) * searched.value() + share * rank.value());
        if value.can_capture && blended > searched { searched } else { blended }
    }
}

/// The best value first; equal ones in the order of their turns, so that nothing depends on how they were found.
fn best_first(a: &Candidate, b: &Candidate) -> Ordering {
    compare(b.value, a.value).then_with(|| a.outcome.turn.cmp(&b.outcome.turn))
}

/// Ranks outcomes by the pre-ranker. If the effort is spent on the way, those that it reached come first, ranked, and
/// the rest follow by the quiet part of the evaluation.
fn rank<S: StopCheck>(outcomes: Vec<Outcome>, by: PreRanker, effort: &mut Effort<'_, S>) -> Vec<Candidate> {
    let quietly = |outcome: Outcome| {
        let value = PreRanker::Quiet.value(&outcome.position);
        Candidate { outcome, rank: value, value }
    };
    let mut ranked: Vec<Candidate> = outcomes.into_iter().map(quietly).collect();
    ranked.sort_by(best_first);
    let mut done = 0;
    for candidate in &mut ranked {
        if effort.is_spent() {
            break;
        }
        candidate.rank = by.value(&candidate.outcome.position);
        candidate.value = candidate.rank;
        effort.nodes += 1;
        done += 1;
    }
    ranked[..done].sort_by(best_first);
    ranked
}

fn report_lines(depth: u32, ranked: &[Candidate], multi_pv: usize, nodes: u64, report: &mut Reporter<'_>) {
    for (multipv, candidate) in (1..).zip(ranked.iter().take(multi_pv.max(1))) {
        let score = Score::Equity(candidate.value);
        let turn = Some(candidate.outcome.turn);
        report(Event::Info(Info { depth, seldepth: depth, multipv, score, nodes, turn }));
    }
}

impl Bot for Expectimax {
    fn choose(&mut self, task: &Task, report: &mut Reporter<'_>) -> Turn {
        self.search(task, &Never, report)
    }

    fn budgeted(&mut self) -> Option<&mut dyn Budgeted> {
        Some(self)
    }
}

impl Budgeted for Expectimax {
    fn choose_within(&mut self, task: &Task, stop: &StopSignal, report: &mut Reporter<'_>) -> Turn {
        self.search(task, stop, report)
    }
}
