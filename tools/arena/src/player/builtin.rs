//! Bots of the library, in process.

use super::{Answer, Ask, GameStart, Player, score_record};
use crate::dice;
use crate::ends::{Failed, Failure};
use crate::record::{PlayerKind, PlayerRecord};
use crate::spec::{Spec, Target};
use astragal::bots::Bot;
use astragal::protocol::{Options, check_hash};
use astragal::record::{Control, Said};
use astragal::search::{Event, Limits, Task};
use astragal::time::{Bounds, ClockState, StopSignal};
use astragal_client::{Action, Declared};
use std::time::Instant;

/// A bot of the library. Where its spec gives no `Seed`, the seed is drawn anew for every pair, from the seed of the
/// event.
pub struct Builtin {
    options: Options,
    own_seed: bool,
    place: usize,
    bot: Bot,
}

/// The options of a spec, in force and as a record; `Err` says what is wrong.
fn options_of(spec: &Spec, bot: &str) -> Result<(Options, PlayerRecord), String> {
    let declared: Vec<Declared> = Options::describe().iter().filter_map(|line| Declared::parse(line).ok()).collect();
    let mut given = vec![("Bot".to_owned(), bot.to_owned())];
    if spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Bot")) {
        return Err("the bot is named after 'builtin:', not by an option".to_owned());
    }
    given.extend(spec.options.iter().cloned());
    let (checked, mut in_force) = Declared::check_all(&declared, &given).map_err(|error| error.to_string())?;
    let mut options = Options::default();
    for (name, value) in &checked {
        options.set(name, value).map_err(|error| format!("option '{name}': {error}"))?;
    }
    check_hash(options.bot.expectimax.hash).map_err(|error| format!("option 'Hash': {error}"))?;
    if !gives_seed(spec) {
        in_force.insert("Seed".to_owned(), "drawn for each pair".to_owned());
    }
    let record = PlayerRecord {
        spec: spec.to_string(),
        name: options.bot.kind.id().to_owned(),
        version: None,
        kind: PlayerKind::Builtin,
        time_policy: options.time_policy.id().to_owned(),
        options: in_force,
        control: None,
    };
    Ok((options, record))
}

fn gives_seed(spec: &Spec) -> bool {
    spec.options.iter().any(|(name, _)| name.eq_ignore_ascii_case("Seed"))
}

impl Builtin {
    /// Checks the bot and its options; `Err` says what is wrong.
    pub(super) fn inspect(spec: &Spec, bot: &str) -> Result<PlayerRecord, String> {
        options_of(spec, bot).map(|(_, record)| record)
    }

    /// A bot by a spec that was inspected; `place` is its place among the players.
    pub(super) fn new(spec: &Spec, place: usize) -> Self {
        let options = match &spec.target {
            // Inspected before, so the fallback is never taken.
            Target::Builtin(bot) => options_of(spec, bot).map(|(options, _)| options).unwrap_or_default(),
            _ => Options::default(),
        };
        let bot = options.bot.build();
        Self { options, own_seed: gives_seed(spec), place, bot }
    }

    /// When to stop thinking; none if nothing is timed.
    fn bounds(&self, ask: &Ask<'_>) -> Option<Bounds> {
        let rules = self.options.time_rules();
        let allotment = match (ask.control, ask.clock) {
            (Control::MoveTime(time), _) => {
                rules.allot(None, Some(i64::try_from(time.as_millis()).unwrap_or(i64::MAX)))
            }
            (Control::Clock(_), Some(view)) => {
                let position = &ask.rolled.position;
                let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
                let clock = ClockState {
                    remaining_ms: signed(view.left_ms[position.side().index()]),
                    increment_ms: signed(view.increment_ms[position.side().index()]),
                    delay_ms: signed(view.delay_ms[position.side().index()]),
                    move_number: position.fullmove(),
                    moves_to_go: view.turns_to_go,
                    turns_out_of_book: position.fullmove().saturating_sub(1),
                };
                rules.allot(Some(&clock), None)
            }
            _ => None,
        };
        allotment.map(|allotment| allotment.bounds)
    }
}

impl Player for Builtin {
    fn new_game(&mut self, start: &GameStart) -> Result<(), Failure> {
        let mut config = self.options.bot.clone();
        if !self.own_seed {
            config.seed = dice::bot_seed(start.seed, start.pair, self.place);
        }
        self.bot = config.build();
        Ok(())
    }

    fn choose(&mut self, ask: &Ask<'_>) -> Result<Answer, Failed> {
        let started = Instant::now();
        let mut task = Task::new(*ask.rolled);
        match ask.control {
            Control::Depth(depth) => task.limits = Limits { depth: Some(*depth), nodes: None },
            Control::Nodes(nodes) => task.limits = Limits { depth: None, nodes: Some(*nodes) },
            _ => {}
        }
        let mut info = Said::default();
        let mut report = |event| match event {
            Event::Info(line) => {
                info.nodes = Some(line.nodes);
                info.time_ms = Some(started.elapsed().as_millis() as u64);
                if line.multipv == 1 {
                    info.score = Some(score_record(line.score));
                    info.depth = Some(line.depth);
                }
            }
            Event::Current { nodes, .. } => info.nodes = Some(nodes),
            Event::Width(_) | Event::Book { .. } | Event::Note(_) | Event::Roll(_) | Event::Rollout(_) => {}
        };
        let stop = self.bounds(ask).map(|bounds| StopSignal::with_bounds(started, bounds));
        let turn = self.bot.choose(&task, stop.as_ref(), &mut report);
        Ok(Answer { action: Action::Play(turn), offers_draw: false, info, took: started.elapsed() })
    }

    fn quit(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::{Rolled, STARTPOS};
    use astragal::record::GameClock;

    /// The soft bound and the deadline of that bot's first turn.
    fn bounds(spec: &str, control: &str) -> Option<(Option<u64>, u64)> {
        let rolled = Rolled::from_dfen(STARTPOS).expect("the starting position");
        let control: Control = control.parse().expect("a control");
        let clock = GameClock::new(control, std::time::Duration::ZERO).view(rolled.position.side());
        let ask = Ask { rolled: &rolled, control: &control, clock, flag_after: None };
        let bounds = Builtin::new(&spec.parse().expect("a spec"), 0).bounds(&ask)?;
        Some((bounds.soft_ms, bounds.deadline_ms))
    }

    #[test]
    fn the_use_of_time_is_an_option_like_any_other() {
        let adaptive = "builtin:expectimax?TimeUse=adaptive&Move%20Overhead=20";
        assert_eq!(bounds("builtin:expectimax?TimeUse=fixed", "60+0"), Some((None, 7532)));
        assert_eq!(bounds(adaptive, "60+0"), Some((Some(7562), 11_980)));
        assert_eq!(bounds(adaptive, "st=0.5"), Some((None, 480)));
        assert_eq!(bounds(adaptive, "depth=2"), None);
    }
}
