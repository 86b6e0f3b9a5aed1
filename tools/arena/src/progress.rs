//! Telling of an event while it is played: a bar on a terminal, plain lines elsewhere.

use crate::record::Game;
use crate::tally::{GameSummary, PlayerTally};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Hears how an event goes.
pub trait Progress {
    /// It begins: so many games, some of them played before.
    fn begin(&mut self, total: u64, before: &[GameSummary]);

    /// A game has ended.
    fn game(&mut self, game: &Game);

    /// A remark, one line.
    fn note(&mut self, text: &str);

    /// It is over.
    fn end(&mut self);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _: u64, _: &[GameSummary]) {}
    fn game(&mut self, _: &Game) {}
    fn note(&mut self, _: &str) {}
    fn end(&mut self) {}
}

/// The one that suits standard error.
pub fn for_people(labels: Vec<String>) -> Box<dyn Progress> {
    let running = Running { labels, results: Vec::new(), total: 0, done: 0 };
    if std::io::stderr().is_terminal() {
        Box::new(Bar { running, bar: ProgressBar::hidden() })
    } else {
        Box::new(Plain { running, last: Instant::now() })
    }
}

/// The running score.
struct Running {
    labels: Vec<String>,
    results: Vec<[u64; 3]>,
    total: u64,
    done: u64,
}

impl Running {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.total = total;
        self.done = before.len() as u64;
        self.results = PlayerTally::of_all(before, self.labels.len()).iter().map(|tally| tally.results).collect();
    }

    fn game(&mut self, game: &Game) {
        self.done += 1;
        for (player, points) in [(game.white, game.result), (game.black, 1.0 - game.result)] {
            if let Some(results) = self.results.get_mut(player) {
                results[if points > 0.75 {
                    0
                } else if points > 0.25 {
                    1
                } else {
                    2
                }] += 1;
            }
        }
    }

    /// The points of two players, or the leader's of several.
    fn score(&self) -> String {
        let points = |[wins, draws, _]: [u64; 3]| wins as f64 + draws as f64 / 2.0;
        match (self.labels.as_slice(), self.results.as_slice()) {
            ([one, other], &[first, second]) => format!("{one} {} – {} {other}", points(first), points(second)),
            (labels, results) => {
                let rate = |results: &[u64; 3]| points(*results) / (results.iter().sum::<u64>().max(1)) as f64;
                let best = labels.iter().zip(results).max_by(|one, other| rate(one.1).total_cmp(&rate(other.1)));
                best.map_or_else(String::new, |(label, results)| format!("{label} leads with {:.3}", rate(results)))
            }
        }
    }

    /// The line of a game in which a player failed.
    fn failure(&self, game: &Game) -> Option<String> {
        let who = self.labels.get(game.end.player?)?;
        let end = game.end.kind;
        let failed = end.needs_restart() || matches!(end.name(), "time" | "illegal-turn");
        failed.then(|| format!("game {}: {who}: {}: {}", game.number, end.name(), game.end.detail))
    }
}

struct Bar {
    running: Running,
    bar: ProgressBar,
}

impl Progress for Bar {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.running.begin(total, before);
        self.bar = ProgressBar::new(total).with_position(before.len() as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {msg}  {eta} left") {
            self.bar.set_style(style);
        }
        self.bar.set_message(self.running.score());
    }

    fn game(&mut self, game: &Game) {
        self.running.game(game);
        if let Some(line) = self.running.failure(game) {
            self.bar.println(line);
        }
        self.bar.set_message(self.running.score());
        self.bar.inc(1);
    }

    fn note(&mut self, text: &str) {
        self.bar.println(text);
    }

    fn end(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Lines to standard error: failures at once, the score at most every few seconds.
struct Plain {
    running: Running,
    last: Instant,
}

/// How often the score is told.
const EVERY: Duration = Duration::from_secs(5);

/// Writes a line; nobody may be there to read it.
fn tell(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

impl Progress for Plain {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.running.begin(total, before);
        tell(&format!("{total} games, {} of them played before", before.len()));
    }

    fn game(&mut self, game: &Game) {
        self.running.game(game);
        if let Some(line) = self.running.failure(game) {
            tell(&line);
        }
        if self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            tell(&format!("{}/{}  {}", self.running.done, self.running.total, self.running.score()));
        }
    }

    fn note(&mut self, text: &str) {
        tell(text);
    }

    fn end(&mut self) {}
}
