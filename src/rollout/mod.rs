//! Rollouts: what a turn, or a position before its roll, is worth by games played on from it.
//!
//! Both sides play the best turn by the evaluation. A game ends after some turns, and what it has come to is what
//! the evaluation says then. The luck of every roll is taken out of the result, as backgammon programs do: how much
//! better the roll was than the mean of all 56. Luck has the mean 0, so the estimate stays what it is, and varies much
//! less.
//!
//! A game depends on the seed, the position and its number only, not on the thread that plays it. All candidates are
//! played with the same throws.

mod compare;
mod game;
mod moments;
mod throws;

use crate::board::Position;
use crate::eval::network::{Network, SHIPPED};
use crate::eval::{Equity, Score};
use crate::rules::{Turn, TurnEnd, apply_roll};
use crate::search::{
    ChanceSearch, Event, Expectimax, ExpectimaxSettings, Info, Mode, Reporter, RolloutInfo, SearchBudget, Task,
};
use crate::time::StopCheck;
use game::{Ends, Player, Results, play_rounds};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use throws::Throws;

pub use compare::{ComparedTurn, Comparison, ComparisonError, Differences};
pub use moments::Moments;

/// What is to be rolled out, and how far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RolloutSettings {
    /// Games for each candidate, at least 1. `None` for [`RolloutSettings::GAMES`], or as many as there is time for if
    /// something else limits the search.
    pub games: Option<u32>,
    /// Turns of a game, after which it is evaluated; 0 evaluates at once.
    pub turns: u32,
}

impl RolloutSettings {
    /// Games when nothing limits them: each of the 216 throws comes first in six of them.
    pub const GAMES: u32 = 1296;

    /// The turns of a game if nobody says otherwise.
    pub const TURNS: u32 = 8;
}

impl Default for RolloutSettings {
    fn default() -> Self {
        Self { games: None, turns: Self::TURNS }
    }
}

/// Candidates that are rolled out, unless the task asks for more lines.
const CANDIDATES: usize = 5;

/// Turns looked ahead to find them.
const SELECTION_DEPTH: u32 = 2;

/// Rolls out the best turns of a roll, or a position before its roll. Its answer is the turn with the best result.
pub struct Rollout {
    seed: u64,
    settings: RolloutSettings,
    expectimax: ExpectimaxSettings,
    network: Arc<Network>,
}

/// A turn, the position after it, and how its games ended from the view of the side to move at the root.
struct Candidate {
    turn: Option<Turn>,
    position: Position,
    results: Results,
}

impl Rollout {
    /// Rollouts with this seed. The candidates are chosen by `expectimax`, two turns deep; its leaf evaluation is the
    /// one that games are played by.
    pub fn new(seed: u64, settings: RolloutSettings, expectimax: ExpectimaxSettings) -> Self {
        Self { seed, settings, expectimax, network: SHIPPED.clone() }
    }

    /// The same, with this network where `expectimax` names `network`.
    #[must_use]
    pub fn with_network(self, network: Arc<Network>) -> Self {
        Self { network, ..self }
    }

    /// Picks a turn; `timed` if there is a deadline, so that the games need not be limited.
    pub(crate) fn search<S: StopCheck + Sync>(
        &self,
        task: &Task,
        stop: &S,
        timed: bool,
        report: &mut Reporter<'_>,
    ) -> Turn {
        let nodes = AtomicU64::new(0);
        let budget = SearchBudget::new(stop, &nodes, task.limits.nodes);
        let endless = timed || task.mode.is_until_stopped() || task.limits.nodes.is_some();
        let most = self.settings.games.unwrap_or(if endless { u32::MAX } else { RolloutSettings::GAMES }).max(1);
        if task.rolled.dice.is_empty() {
            let root = Candidate { turn: None, position: task.rolled.position, results: Results::default() };
            self.roll_out(vec![root], task, most, &budget, report);
            return Turn::PASS;
        }
        let (first, turns) = self.select(task, &budget, stop);
        let mut candidates = Vec::new();
        for turn in turns {
            match apply_roll(&task.rolled, turn) {
                Ok(TurnEnd::KingCaptured) => {
                    report(Event::Info(Info::king_capture(turn)));
                    return turn;
                }
                Ok(TurnEnd::Position(position)) => {
                    candidates.push(Candidate { turn: Some(turn), position, results: Results::default() });
                }
                // The search names legal turns only.
                Err(_) => {}
            }
        }
        self.roll_out(candidates, task, most, &budget, report).unwrap_or(first)
    }

    /// The turns to roll out, the best first, and before them the one to play if there is no time for it.
    fn select<S: StopCheck + Sync>(&self, task: &Task, budget: &SearchBudget<'_, S>, stop: &S) -> (Turn, Vec<Turn>) {
        let mut ask = task.clone();
        ask.multi_pv = if task.multi_pv > 1 { task.multi_pv } else { CANDIDATES };
        ask.limits.depth = Some(SELECTION_DEPTH);
        ask.mode = Mode::Decide;
        // One search of two turns has no use for a table.
        let mut settings = self.expectimax;
        settings.techniques.table = false;
        let (mut turns, mut nodes) = (Vec::new(), 0);
        let first = Expectimax::with_network(settings, self.network.clone()).search(&ask, stop, false, &mut |event| {
            if let Event::Info(info) = event {
                if info.multipv == 1 {
                    turns.clear();
                }
                turns.extend(info.turn);
                nodes = info.nodes;
            }
        });
        budget.add(nodes);
        (first, turns)
    }

    /// Plays rounds of one game from every candidate. Returns the turn with the best mean; `None` if no round was
    /// completed, or if there is no candidate.
    fn roll_out<S: StopCheck + Sync>(
        &self,
        mut candidates: Vec<Candidate>,
        task: &Task,
        most: u32,
        budget: &SearchBudget<'_, S>,
        report: &mut Reporter<'_>,
    ) -> Option<Turn> {
        if candidates.is_empty() {
            return None;
        }
        let ExpectimaxSettings { leaf, techniques, threads, .. } = self.expectimax;
        let player = |_| {
            let search = ChanceSearch::new(leaf.evaluator_by(&self.network), None, techniques);
            Player::new(search, self.settings.turns, Ends::Still, Throws::new(self.seed, &task.rolled))
        };
        let mut players: Vec<Player> = (0..threads.max(1)).map(player).collect();
        let positions: Vec<Position> = candidates.iter().map(|candidate| candidate.position).collect();
        let mut games = 0;
        while games < most {
            let until = next_report(games).min(most);
            let rounds = play_rounds(&mut players, &positions, games..until, budget);
            for round in &rounds {
                for (candidate, &game) in candidates.iter_mut().zip(round) {
                    // After a turn the other side is to roll.
                    candidate.results.add(if candidate.turn.is_some() { game.of_the_other_side() } else { game });
                }
            }
            games += rounds.len() as u32;
            if !rounds.is_empty() {
                self.report_all(&candidates, task, budget.nodes(), report);
            }
            if games < until {
                break;
            }
        }
        if games == 0 {
            report(Event::Note("no round of rollouts complete".to_owned()));
            return None;
        }
        by_mean(&candidates).first().and_then(|best| best.turn)
    }

    fn report_all(&self, candidates: &[Candidate], task: &Task, nodes: u64, report: &mut Reporter<'_>) {
        let sorted = by_mean(candidates);
        for Candidate { turn, results, .. } in &sorted {
            report(Event::Rollout(RolloutInfo {
                turn: *turn,
                games: results.games(),
                equity: Equity::new(results.adjusted.mean()),
                error: results.adjusted.error(),
                plain: Equity::new(results.plain.mean()),
                plain_error: results.plain.error(),
            }));
        }
        for (multipv, candidate) in (1..).zip(sorted.iter().take(task.multi_pv.max(1))) {
            let score = Score::of(&candidate.position, Equity::new(candidate.results.adjusted.mean()));
            let (turn, own) = (candidate.turn, u32::from(candidate.turn.is_some()));
            let seldepth = candidate.results.longest.saturating_add(own).max(1);
            report(Event::Info(Info { depth: 1, seldepth, multipv, score, nodes, hashfull: None, turn }));
        }
    }
}

/// The number of games before the first report.
const FIRST_REPORT: u32 = 8;

/// The number of games, above `games`, at which the next report is due: twice as many, or when a block is complete.
fn next_report(games: u32) -> u32 {
    let doubled = games.saturating_add(1).checked_next_power_of_two().unwrap_or(u32::MAX).max(FIRST_REPORT);
    let block = (games / throws::IN_A_BLOCK).saturating_add(1).saturating_mul(throws::IN_A_BLOCK);
    doubled.min(block)
}

/// The candidates with the best mean first; equal ones in the order in which they were chosen.
fn by_mean(candidates: &[Candidate]) -> Vec<&Candidate> {
    let mut sorted: Vec<&Candidate> = candidates.iter().collect();
    sorted.sort_by(|a, b| b.results.adjusted.mean().total_cmp(&a.results.adjusted.mean()));
    sorted
}
