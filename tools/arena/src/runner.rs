//! Playing an event: worker threads that take games in order, and one thread that books what they bring.

use crate::cancel::Cancel;
use crate::game::{GameRules, play};
use crate::journal::{Journal, JournalError};
use crate::player::{Contender, Player};
use crate::progress::Progress;
use crate::record::Game;
use crate::schedule::{Fixture, Schedule};
use crate::tally::{GameSummary, PairSummary};
use astragal::review::LuckMeter;
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// An event ready to be played.
pub struct Plan {
    /// The players.
    pub contenders: Vec<Contender>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// What holds for every game.
    pub rules: GameRules,
    /// Whether games come in mirrored pairs.
    pub mirrored: bool,
    /// Games at the same time, at least 1.
    pub concurrency: usize,
    /// Whether to go on after a player's program has failed.
    pub recover: bool,
}

/// How an event came to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finish {
    /// All games are played.
    Complete,
    /// The stopping rule was met after the pair of this number; later ones do not count.
    Stopped(u64),
    /// The arena was told to stop.
    Interrupted,
    /// A player's program failed, and it was not to be started again; or no thread could be started to play games.
    NotRecovered(String),
}

/// Called with every complete pair in the order of their numbers; says whether to stop.
pub type StoppingRule<'a> = dyn FnMut(&PairSummary) -> bool + 'a;

/// Hands complete pairs to the stopping rule in order, whatever order games end in.
struct InOrder<'a> {
    /// The pairs of the schedule, the next one last.
    waiting: Vec<u64>,
    halves: BTreeMap<u64, Vec<GameSummary>>,
    rule: &'a mut StoppingRule<'a>,
}

impl<'a> InOrder<'a> {
    fn new(plan: &Plan, rule: &'a mut StoppingRule<'a>) -> Self {
        let mut waiting: Vec<u64> = Vec::new();
        if plan.mirrored {
            waiting.extend(plan.schedule.fixtures().filter(|game| game.half == 0).map(|game| game.pair));
            waiting.reverse();
        }
        Self { waiting, halves: BTreeMap::new(), rule }
    }

    /// Takes a game; returns the pair at which to stop, if the rule says so.
    fn take(&mut self, game: GameSummary) -> Option<u64> {
        if self.waiting.is_empty() {
            return None;
        }
        self.halves.entry(game.pair).or_default().push(game);
        while let Some(&pair) = self.waiting.last() {
            match self.halves.get(&pair).map(Vec::as_slice) {
                Some([one, two]) => {
                    let (first, second) = if one.half == 0 { (one, two) } else { (two, one) };
                    let summary = PairSummary::of(first, second);
                    self.halves.remove(&pair);
                    self.waiting.pop();
                    if summary.is_some_and(|summary| (self.rule)(&summary)) {
                        return Some(pair);
                    }
                }
                _ => break,
            }
        }
        None
    }
}

/// Plays the games of a plan that are not among those played `before`. Returns all games that count, and how it ended.
///
/// # Errors
/// The journal cannot be written.
pub fn run<'a>(
    plan: &Plan,
    mut games: Vec<GameSummary>,
    mut journal: Option<Journal>,
    progress: &mut dyn Progress,
    rule: &'a mut StoppingRule<'a>,
    cancel: &Cancel,
) -> Result<(Vec<GameSummary>, Finish), JournalError> {
    let mut finish = Finish::Complete;
    let mut in_order = InOrder::new(plan, rule);
    games.sort_by_key(|game| game.number);
    for game in &games {
        if let Some(pair) = in_order.take(*game) {
            finish = Finish::Stopped(pair);
            break;
        }
    }
    progress.begin(plan.schedule.count(), &games);
    if finish == Finish::Complete {
        let done: HashSet<u64> = games.iter().map(|game| game.number).collect();
        let fixtures = Mutex::new(plan.schedule.fixtures().filter(|fixture| !done.contains(&fixture.number)));
        let (bring, brought) = sync_channel(plan.concurrency);
        let mut failed = None;
        thread::scope(|scope| {
            for started in 0..plan.concurrency {
                let (bring, fixtures) = (bring.clone(), &fixtures);
                let work = move || work(plan, || fixtures.lock().next(), &bring, cancel);
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    let told = format!("{started} of {} games at a time: no more threads: {error}", plan.concurrency);
                    if started == 0 {
                        finish = Finish::NotRecovered(told);
                    } else {
                        progress.note(&told);
                    }
                    break;
                }
            }
            drop(bring);
            for game in brought {
                // Once the end is decided, what still comes in does not count.
                if finish != Finish::Complete || failed.is_some() {
                    continue;
                }
                if let Some(journal) = &mut journal
                    && let Err(error) = journal.append(&game)
                {
                    failed = Some(error);
                    cancel.raise();
                    continue;
                }
                let summary = GameSummary::from(&game);
                games.push(summary);
                progress.game(&game);
                if let Some(pair) = in_order.take(summary) {
                    finish = Finish::Stopped(pair);
                    cancel.raise();
                } else if !plan.recover && game.end.kind.needs_restart() {
                    let who = game.end.player.and_then(|player| plan.contenders.get(player));
                    let name = who.map_or("a player", |who| who.record().spec.as_str());
                    finish = Finish::NotRecovered(format!("{name}: {}: {}", game.end.kind.name(), game.end.detail));
                    cancel.raise();
                }
            }
        });
        if let Some(error) = failed {
            progress.end();
            return Err(error);
        }
        if finish == Finish::Complete && (games.len() as u64) < plan.schedule.count() {
            finish = Finish::Interrupted;
        }
    }
    progress.end();
    games.sort_by_key(|game| game.number);
    let last_pair = match finish {
        // Under a clock nothing repeats anyway, and every game that was played is told.
        Finish::Stopped(pair) if !plan.rules.is_timed() => pair,
        _ => u64::MAX,
    };
    games.retain(|game| game.pair <= last_pair);
    if let Some(journal) = journal
        && !plan.rules.is_timed()
    {
        journal.put_in_order(|pair| pair <= last_pair)?;
    }
    Ok((games, finish))
}

/// Plays games until there are none left or the arena is told to stop.
fn work(plan: &Plan, mut next: impl FnMut() -> Option<Fixture>, bring: &SyncSender<Game>, cancel: &Cancel) {
    let mut meter = LuckMeter::new();
    let mut players: Vec<Option<Box<dyn Player>>> = plan.contenders.iter().map(|_| None).collect();
    while !cancel.is_raised()
        && let Some(fixture) = next()
    {
        let Fixture { white, black, .. } = fixture;
        // Whoever does not play now is let go of, so that no more programs run than games need.
        for (place, player) in players.iter_mut().enumerate() {
            match player {
                Some(idle) if place != white && place != black => {
                    idle.quit();
                    *player = None;
                }
                None if place == white || place == black => {
                    *player = plan.contenders.get(place).map(|contender| contender.player(place));
                }
                _ => {}
            }
        }
        let Ok([Some(one), Some(other)]) = players.get_disjoint_mut([white, black]) else { continue };
        let Some(game) = play(fixture, &plan.rules, [one.as_mut(), other.as_mut()], &mut meter, cancel) else {
            break;
        };
        if game.end.kind.needs_restart()
            && let Some(Some(failed)) = game.end.player.and_then(|place| players.get_mut(place))
        {
            failed.quit();
        }
        if bring.send(game).is_err() {
            break;
        }
    }
    players.iter_mut().flatten().for_each(|player| player.quit());
}
