//! How far past its deadline a bot answers.

use super::bench::POSITIONS;
use crate::board::Rolled;
use crate::bots::{BotConfig, BotKind};
use crate::rules::{Roll, Turn, TurnEnd, apply_roll};
use crate::rules::{below, decision_rng};
use crate::search::Task;
use crate::time::StopSignal;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How to measure.
#[derive(Clone, Debug)]
pub struct OvershootSettings {
    /// The bot.
    pub bot: BotKind,
    /// The model, for the bots that want one.
    pub eval_file: Option<PathBuf>,
    /// How many searches.
    pub searches: u32,
    /// The shortest deadline in ms; the others are spread evenly up to `longest_ms`.
    pub shortest_ms: u64,
    /// The longest deadline in ms.
    pub longest_ms: u64,
}

/// Times past the deadline over many searches. Only those that the deadline ended count: one that had nothing left to
/// search would only flatter the figures.
#[derive(Clone, Debug, Default)]
pub struct Overshoot {
    bot: BotKind,
    searches: usize,
    sorted: Vec<Duration>,
}

impl Overshoot {
    /// The overshoot that this share of the interrupted searches did not exceed; `share` in 0..=1.
    pub fn quantile(&self, share: f64) -> Duration {
        let last = self.sorted.len().saturating_sub(1);
        let index = (share.clamp(0.0, 1.0) * last as f64).round() as usize;
        self.sorted.get(index).copied().unwrap_or_default()
    }
}

impl fmt::Display for Overshoot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |share| self.quantile(share).as_secs_f64() * 1000.0;
        write!(
            f,
            "overshoot bot {} searches {} interrupted {} median {:.3} ms p99 {:.3} ms worst {:.3} ms",
            self.bot,
            self.searches,
            self.sorted.len(),
            ms(0.5),
            ms(0.99),
            ms(1.0)
        )
    }
}

/// Searches mixed positions (those of the benchmark, then what comes of them with random rolls, all from a fixed seed)
/// under deadlines, and measures how long past them the answer came. Stops early when `go_on` says no.
///
/// # Errors
/// The bot has no deadline to miss, or it answered with an illegal turn.
pub fn run_overshoot(settings: &OvershootSettings, mut go_on: impl FnMut(u32) -> bool) -> Result<Overshoot, String> {
    let mut bot =
        BotConfig { kind: settings.bot, eval_file: settings.eval_file.clone(), ..BotConfig::default() }.build();
    if !bot.is_budgeted() {
        return Err(format!("{} has no deadline to miss", settings.bot));
    }
    let mut result = Overshoot { bot: settings.bot, ..Overshoot::default() };
    // The positions are sound: a test of the benchmark reads them.
    let starts: Vec<Rolled> = POSITIONS.iter().filter_map(|dfen| Rolled::from_dfen(dfen).ok()).collect();
    let mut games = starts.clone();
    for number in 0..settings.searches {
        if !go_on(number) {
            break;
        }
        let place = number as usize % games.len();
        let rolled = games[place];
        let spread = settings.longest_ms.saturating_sub(settings.shortest_ms);
        let steps = u64::from(settings.searches.max(2) - 1);
        let budget = Duration::from_millis(settings.shortest_ms + spread * u64::from(number) / steps);
        let deadline = Instant::now() + budget;
        let turn = bot.choose(&Task::new(rolled), Some(&StopSignal::with_deadline(deadline)), &mut |_| ());
        let late = Instant::now().saturating_duration_since(deadline);
        result.searches += 1;
        if !late.is_zero() {
            result.sorted.push(late);
        }
        games[place] = follow(&rolled, turn, number)?.unwrap_or(starts[place]);
    }
    result.sorted.sort();
    Ok(result)
}

/// The position after the turn with a new roll; `None` when the game is over.
fn follow(rolled: &Rolled, turn: Turn, number: u32) -> Result<Option<Rolled>, String> {
    match apply_roll(rolled, turn) {
        Ok(TurnEnd::Position(position)) if !position.is_drawn() => {
            let mut next = Rolled { position, dice: rolled.dice };
            let throw = below(&mut decision_rng(u64::from(number), &next), u64::from(Roll::TOTAL_WEIGHT));
            next.dice = Roll::from_throw(throw as u32).dice();
            Ok(Some(next))
        }
        Ok(_) => Ok(None),
        Err(error) => Err(format!("an illegal turn: {rolled}: {turn}: {error}")),
    }
}
