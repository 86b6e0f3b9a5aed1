//! `monte-carlo`: random games to the end, with everything that can be computed taken out of the chance.
//!
//! A rollout does not wait for a king to be captured by luck: at every ply it adds the exact probability of a capture
//! with the next roll, weighted by the probability that the game is still alive, and goes on with a roll that captures
//! none (Rao–Blackwellization: the expectation over the last roll replaces the roll). Its result has the same mean as
//! that of a game played out, and a smaller variance.

use super::BudgetedBot;
use crate::board::Position;
use crate::eval::{Equity, Score, aggressive_score, evaluate_quietly};
use crate::rollout::Moments;
use crate::rules::{ChanceNode, Outcome, Roll, RollSet, Turn, below, decision_rng, winning_rolls};
use crate::search::{Event, Info, Reporter, Task, candidates_or_answer};
use crate::time::{Checkpoint, Never, SearchStats, StopCheck, StopSignal};
use rand_chacha::ChaCha8Rng;

/// Rollouts for each candidate when nothing else limits them.
pub const DEFAULT_ROLLOUTS: u32 = 128;

/// Candidates that get rollouts.
const CANDIDATES: usize = 16;

/// A rollout ends after at most this number of turns, or when the game is over with all but this probability; what is left of it is
/// worth what the evaluation says.
const MOST_TURNS: u32 = 24;
const HARDLY_ALIVE: f64 = 0.01;

/// Monte Carlo over the best candidates of a cheap score, with equal shares of the time.
#[derive(Clone, Debug)]
pub struct MonteCarlo {
    seed: u64,
    rollouts: u32,
    node: ChanceNode,
    /// Turns of the longest rollout of this search.
    longest: u32,
}

/// A candidate and the results of its rollouts, from the mover's view.
struct Candidate {
    outcome: Outcome,
    cheap: i32,
    results: Moments,
}

impl MonteCarlo {
    /// A bot with this seed; `rollouts` for each candidate (at least 1) when nobody is there to stop it and no node
    /// limit ends it before.
    pub fn new(seed: u64, rollouts: u32) -> Self {
        Self { seed, rollouts: rollouts.max(1), node: ChanceNode::new(), longest: 0 }
    }

    fn search<S: StopCheck>(&mut self, task: &Task, stop: &S, timed: bool, report: &mut Reporter<'_>) -> Turn {
        match candidates_or_answer(task, || !stop.should_stop(), report) {
            Err(turn) => turn,
            Ok((outcomes, _)) => self.compare(outcomes, task, stop, timed, report),
        }
    }

    /// Gives every candidate one rollout after the other, if `timed` or asked to until `stop` says so. Only whole rounds
    /// count, so that all have equally many.
    fn compare<S: StopCheck>(
        &mut self,
        outcomes: Vec<Outcome>,
        task: &Task,
        stop: &S,
        timed: bool,
        report: &mut Reporter<'_>,
    ) -> Turn {
        let mut ranked = rank(outcomes, stop);
        if ranked.len() < 2 && (timed || !task.asks_for_a_value()) {
            return ranked.first().map_or(Turn::PASS, |only| only.outcome.turn);
        }
        self.longest = 0;
        let most = if timed || task.mode.is_until_stopped() { u32::MAX } else { self.rollouts };
        let node_limit = task.limits.nodes.unwrap_or(u64::MAX);
        let mut rng = decision_rng(self.seed, &task.rolled);
        let mut nodes = 0;
        let mut rounds = 0;
        let mut results = Vec::with_capacity(ranked.len());
        while rounds < most && nodes < node_limit {
            results.clear();
            for candidate in &ranked {
                match self.rollout(candidate.outcome.position, &mut rng, &mut nodes, stop) {
                    Some(value) => results.push(-value),
                    None => break,
                }
            }
            if results.len() < ranked.len() {
                break;
            }
            for (candidate, result) in ranked.iter_mut().zip(&results) {
                candidate.results.add(*result);
            }
            rounds += 1;
            if rounds.is_power_of_two() && rounds >= FIRST_REPORT {
                self.report_best(&ranked, rounds, nodes, task.multi_pv, report);
            }
            if S::LISTENS && rounds.is_multiple_of(FIRST_REPORT) && stop.is_enough(&seen(&ranked)) {
                break;
            }
        }
        if rounds == 0 {
            report(Event::Note("no round of rollouts complete: the best of the cheap score".to_owned()));
        } else {
            self.report_best(&ranked, rounds, nodes, task.multi_pv, report);
        }
        by_mean(&ranked).first().map_or(Turn::PASS, |best| best.outcome.turn)
    }

    fn report_best(&self, ranked: &[Candidate], rounds: u32, nodes: u64, multi_pv: usize, report: &mut Reporter<'_>) {
        let sorted = by_mean(ranked);
        for (multipv, candidate) in (1..).zip(sorted.iter().take(multi_pv.max(1))) {
            let score = Score::of(&candidate.outcome.position, Equity::new(candidate.results.mean()));
            let turn = Some(candidate.outcome.turn);
            report(Event::Info(Info {
                depth: 1,
                seldepth: 1 + self.longest,
                multipv,
                score,
                nodes,
                hashfull: None,
                turn,
            }));
        }
        if let Some(best) = sorted.first() {
            let (candidates, error) = (ranked.len(), best.results.error());
            report(Event::Note(format!("rollouts {rounds} candidates {candidates} error {error:.4}")));
        }
    }

    /// The result of one game from here, for the side to move; `None` if it was interrupted.
    fn rollout<S: StopCheck>(
        &mut self,
        mut position: Position,
        rng: &mut ChaCha8Rng,
        nodes: &mut u64,
        stop: &S,
    ) -> Option<f64> {
        let mut result = 0.0;
        let mut alive = 1.0;
        let mut sign = 1.0;
        for turn in 0..MOST_TURNS {
            if stop.should_stop() {
                return None;
            }
            if position.is_drawn() {
                return Some(result);
            }
            let won = winning_rolls(&position);
            let captures = f64::from(won.weight()) / f64::from(Roll::TOTAL_WEIGHT);
            result += sign * alive * captures;
            alive *= 1.0 - captures;
            *nodes += 1;
            self.longest = self.longest.max(turn + 1);
            if alive < HARDLY_ALIVE {
                break;
            }
            position = self.follow(&position, quiet_roll(won, rng), rng, stop)?;
            sign = -sign;
        }
        if position.is_drawn() {
            return Some(result);
        }
        Some(result + sign * alive * Equity::from_centipawns(evaluate_quietly(&position)).value())
    }

    /// A good turn of that roll, found cheaply: the best of the evaluation, with a little chance.
    fn follow<S: StopCheck>(
        &mut self,
        position: &Position,
        roll: Roll,
        rng: &mut ChaCha8Rng,
        stop: &S,
    ) -> Option<Position> {
        let mut only = RollSet::EMPTY;
        only.insert(roll);
        if !self.node.expand_while(position, only, || !stop.should_stop()) {
            return None;
        }
        let mut best: Option<(i64, Position)> = None;
        let mut seen = 0u32;
        let complete = self.node.visit_while(roll, |leaf| {
            let next = leaf.position();
            // The other side is to move there. Up to half a pawn of chance keeps games from repeating themselves.
            let score = 64 * -i64::from(evaluate_quietly(&next)) + below(rng, 64 * 50) as i64;
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, next));
            }
            seen += 1;
            !seen.is_multiple_of(LEAVES_BETWEEN_POLLS) || !stop.should_stop()
        });
        if !complete {
            return None;
        }
        match best {
            Some((_, next)) => Some(next),
            None => self.node.passed(),
        }
    }
}

/// Rounds before the first report, and between two questions whether that is enough. Fewer say next to nothing.
const FIRST_REPORT: u32 = 8;

/// What bears on the time: by how much the best candidate is ahead of the next, chance apart. Two standard errors of the
/// difference may be chance.
fn seen(ranked: &[Candidate]) -> SearchStats {
    let lead = match by_mean(ranked)[..] {
        [best, second, ..] => {
            let error = best.results.error().hypot(second.results.error());
            best.results.mean() - second.results.mean() - 2.0 * error
        }
        _ => 0.0,
    };
    // It has no iterations, each round is as good as the last: it may go on to the end of the soft bound.
    SearchStats { checkpoint: Checkpoint::Candidate, lead, ..SearchStats::default() }
}

/// Leaves looked at between two polls of the stop signal: some microseconds of work.
const LEAVES_BETWEEN_POLLS: u32 = 64;

/// Candidates ranked between two polls: likewise.
const OUTCOMES_BETWEEN_POLLS: usize = 32;

/// A roll that captures no king, by weight; there must be one.
fn quiet_roll(won: RollSet, rng: &mut ChaCha8Rng) -> Roll {
    loop {
        let roll = Roll::from_throw(below(rng, u64::from(Roll::TOTAL_WEIGHT)) as u32);
        if !won.has(roll) {
            return roll;
        }
    }
}

/// The best candidates by the score of `aggressive`; out of those that can be looked at before `stop` says so.
fn rank<S: StopCheck>(outcomes: Vec<Outcome>, stop: &S) -> Vec<Candidate> {
    let mut ranked: Vec<Candidate> = Vec::with_capacity(outcomes.len());
    for outcome in outcomes {
        ranked.push(Candidate { cheap: aggressive_score(&outcome.position), outcome, results: Moments::default() });
        if ranked.len().is_multiple_of(OUTCOMES_BETWEEN_POLLS) && stop.should_stop() {
            break;
        }
    }
    ranked.sort_by(|a, b| b.cheap.cmp(&a.cheap).then_with(|| a.outcome.turn.cmp(&b.outcome.turn)));
    ranked.truncate(CANDIDATES);
    ranked
}

/// The candidates with the best mean first; equal ones in the order of the cheap score.
fn by_mean(ranked: &[Candidate]) -> Vec<&Candidate> {
    let mut sorted: Vec<&Candidate> = ranked.iter().collect();
    sorted.sort_by(|a, b| b.results.mean().total_cmp(&a.results.mean()));
    sorted
}

impl BudgetedBot for MonteCarlo {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match stop {
            Some(stop) => self.search(task, stop, stop.deadline().is_some(), report),
            None => self.search(task, &Never, false, report),
        }
    }
}
