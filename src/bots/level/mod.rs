//! Playing weaker by a measure: a bot that values all turns, made to choose so that its mean loss is a given one.
//!
//! The search inside knows nothing of it: it is asked for the values of all turns, and the choice is made of those. A
//! capture of the king has no rival there, so that none is ever missed.

mod choice;
mod elo;

pub(super) use elo::mean_loss_of;
pub use elo::{LEAST_ELO, MOST_ELO};

use super::BudgetedBot;
use crate::rules::{Turn, below, decision_rng};
use crate::search::{Event, Info, Reporter, Task, Width};
use crate::time::StopSignal;

/// The most turns that a bot which plays weaker looks ahead: farther ahead not all turns have a value.
pub(super) const MOST_DEPTH: u32 = 2;

/// The largest mean loss that can be asked for, in thousandths of equity. All turns alike lose some 230.
pub const MOST_MEAN_LOSS: u32 = 200;

/// The mean loss to aim at in each position so that games come to this one, both as they are: thousandths of equity in,
/// equity out. More is to be lost where it can be, for there are positions whose turns lose less all together, and the
/// king is always captured. Measured (docs/levels.md).
fn aim(mean_loss: u32) -> f64 {
    const SHORTFALL: f64 = 420.0;
    let wanted = f64::from(mean_loss.min(MOST_MEAN_LOSS));
    wanted / (1.0 - wanted / SHORTFALL) / 1000.0
}

/// A bot that chooses among the turns by what they lose against the best one, by the judgement of the bot inside.
pub(super) struct Weakened<B> {
    inner: B,
    seed: u64,
    /// The mean loss over games that is wanted, in thousandths of equity.
    mean_loss: u32,
}

/// What a search says of all turns, depth by depth.
#[derive(Default)]
struct Lines {
    /// The lines of depth 1 and of depth 2.
    depths: [Vec<Info>; MOST_DEPTH as usize],
    width: Width,
}

impl Lines {
    fn see(&mut self, event: &Event) {
        match event {
            Event::Info(info) => {
                let Some(lines) = self.depths.get_mut(info.depth.saturating_sub(1) as usize) else { return };
                if info.multipv == 1 {
                    lines.clear();
                }
                lines.push(*info);
            }
            Event::Width(width) => self.width = *width,
            _ => {}
        }
    }

    /// The lines of the deepest depth that all turns were searched to.
    fn complete(self) -> Vec<Info> {
        let [first, second] = self.depths;
        if self.width.completed > 0 && self.width.abandoned == 0 { second } else { first }
    }
}

impl<B> Weakened<B> {
    /// That bot with this mean loss in thousandths of equity, at most [`MOST_MEAN_LOSS`]. It must report a line for each
    /// turn if so many are asked for, and look no farther than [`MOST_DEPTH`].
    pub(super) fn new(inner: B, seed: u64, mean_loss: u32) -> Self {
        Self { inner, seed, mean_loss }
    }

    fn weigh(&self, task: &Task, lines: &[Info], report: &mut Reporter<'_>) -> Option<Turn> {
        let values = || lines.iter().map(|line| line.score.equity().value());
        let best = values().fold(f64::NEG_INFINITY, f64::max);
        let losses: Vec<f64> = values().map(|value| best - value).collect();
        let draw = below(&mut decision_rng(self.seed, &task.rolled), DRAWS) as f64 / DRAWS as f64;
        let place = choice::choose(&losses, aim(self.mean_loss), draw);
        let line = Info { multipv: 1, ..*lines.get(place)? };
        let loss = 1000.0 * losses.get(place)?;
        if lines.len() > 1 {
            report(Event::Note(format!("level loss {loss:.0} turn {} of {}", place + 1, lines.len())));
        }
        report(Event::Info(line));
        line.turn
    }
}

/// Draws are multiples of one by this, a power of two, so that all are exact.
const DRAWS: u64 = 1 << 53;

impl<B: BudgetedBot> BudgetedBot for Weakened<B> {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        if task.rolled.dice.is_empty() {
            return self.inner.choose(task, stop, report);
        }
        let ask = Task { multi_pv: usize::MAX, ..task.clone() };
        let mut lines = Lines::default();
        let best = self.inner.choose(&ask, stop, &mut |event| {
            lines.see(&event);
            if !matches!(&event, Event::Info(info) if info.multipv > task.multi_pv) {
                report(event);
            }
        });
        self.weigh(task, &lines.complete(), report).unwrap_or(best)
    }

    fn new_game(&mut self) {
        self.inner.new_game();
    }
}

#[cfg(test)]
mod tests;
