//! One game: asks the players, adds to the library's [`Referee`] what only an arena has (failures, offers of a draw,
//! adjudication), and writes the game down.

use crate::adjudicate::{Adjudicator, Ruling};
use crate::cancel::Cancel;
use crate::ends::{Failed, Failure};
use crate::player::{Answer, Ask, GameStart, Player};
use crate::record::{Adjudication, EndKind, Game};
use crate::schedule::Fixture;
use astragal::board::{Color, Position};
use astragal::record::{Control, Ending, Referee, Said, Setting};
use astragal::review::LuckMeter;
use astragal_client::Action;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What holds for every game of an event.
#[derive(Clone, Debug)]
pub struct GameRules {
    /// The seed of the dice.
    pub seed: u64,
    /// What bounds each player.
    pub controls: Vec<Control>,
    /// Forgiven below zero on a clock.
    pub margin: Duration,
    /// When games are ended early.
    pub adjudication: Adjudication,
    /// Whether to compute luck.
    pub luck: bool,
    /// The starting positions.
    pub openings: Vec<Position>,
    /// The names of the players, in their order.
    pub names: Vec<String>,
}

impl GameRules {
    /// What bounds a player.
    pub fn control(&self, player: usize) -> Control {
        self.controls.get(player).copied().unwrap_or_default()
    }

    /// Whether wall-clock time decides anything for any player.
    pub fn is_timed(&self) -> bool {
        self.controls.iter().any(Control::is_timed)
    }
}

/// A game in progress.
struct Table<'a> {
    rules: &'a GameRules,
    referee: Referee,
    adjudicator: Adjudicator,
    /// Whose latest answer came with an offer of a draw.
    offers: [bool; 2],
}

/// An end, and the last lines of a program that failed.
type Over = (Ending, Vec<String>);

/// Plays a game; White's player comes first. None if the arena was told to stop before its end.
pub fn play(
    fixture: Fixture,
    rules: &GameRules,
    [white, black]: [&mut dyn Player; 2],
    meter: &mut LuckMeter,
    cancel: &Cancel,
) -> Option<Game> {
    let Fixture { number, pair, half, .. } = fixture;
    let players = [fixture.white, fixture.black];
    let controls = players.map(|player| rules.control(player));
    let setting = Setting {
        number,
        pair,
        half,
        players,
        names: players.map(|player| rules.names.get(player).cloned().unwrap_or_default()),
        controls,
        margin: rules.margin,
        started_ms: rules.is_timed().then(now_ms),
        seed: rules.seed,
        // The schedule was made for this number of openings.
        opening: *rules.openings.get(fixture.opening)?,
    };
    let mut table = Table {
        rules,
        referee: Referee::new(setting),
        adjudicator: Adjudicator::new(rules.adjudication),
        offers: [false; 2],
    };
    let start = GameStart { seed: rules.seed, number, pair };
    for (color, player) in [(Color::White, &mut *white), (Color::Black, &mut *black)] {
        if let Err(failure) = player.new_game(&start) {
            let over = failed(color, &failure, player.last_lines())?;
            return Some(table.game(over, None));
        }
    }
    loop {
        if cancel.is_raised() {
            return None;
        }
        if let Some(ending) = table.referee.throw() {
            return Some(table.game((ending, Vec::new()), Some(meter)));
        }
        let rolled = *table.referee.position();
        let side = rolled.position.side();
        let player: &mut dyn Player = match side {
            Color::White => &mut *white,
            Color::Black => &mut *black,
        };
        let clock = table.referee.clock();
        let ask = Ask {
            rolled: &rolled,
            control: &controls[side.index()],
            clock: clock.view(side),
            flag_after: clock.flag_after(side),
        };
        let over = match player.choose(&ask) {
            Err(Failed { failure, took }) => {
                table.referee.book(Said::default(), took);
                failed(side, &failure, player.last_lines())?
            }
            Ok(answer) => match table.judge(answer) {
                Some(ending) => (ending, Vec::new()),
                None => {
                    let (referee, position) = (&table.referee, &table.referee.position().position);
                    player.ponder(position, referee.clock().view(side));
                    continue;
                }
            },
        };
        return Some(table.game(over, Some(meter)));
    }
}

impl Table<'_> {
    /// Judges an answer: the end, if this is it.
    fn judge(&mut self, answer: Answer) -> Option<Ending> {
        let Answer { action, offers_draw, info, took } = answer;
        let before = self.referee.position().position;
        let side = before.side();
        let turn = match action {
            Action::Play(turn) => Ok(turn),
            Action::Resign => Err((EndKind::Resignation, String::new())),
            Action::Unreadable(text) => Err((EndKind::IllegalTurn, text)),
        };
        if let Some(ending) = self.referee.answer(turn, info, took) {
            return Some(ending);
        }
        self.offers[side.index()] = offers_draw;
        if self.offers == [true; 2] {
            return Some(Ending::drawn(EndKind::AgreedDraw, String::new()));
        }
        let ruling = self.adjudicator.hear(side, info.score, before.fullmove())?;
        Some(match ruling {
            Ruling::Draw => Ending::drawn(EndKind::Adjudicated, "drawn".to_owned()),
            Ruling::Lost(loser) => {
                Ending { through: None, ..Ending::lost(loser, EndKind::Adjudicated, format!("{loser} is lost")) }
            }
        })
    }

    /// The game, with the luck of every roll if there is a meter and the event wants it: after the game, so that it is on
    /// nobody's clock.
    fn game(self, (ending, last_lines): Over, meter: Option<&mut LuckMeter>) -> Game {
        let mut game = self.referee.game(ending);
        game.end.last_lines = last_lines;
        if let Some(meter) = meter.filter(|_| self.rules.luck) {
            // What a referee has led can be played over: there is no error.
            let _ = meter.measure(&mut game);
        }
        game
    }
}

/// The end that a failure makes; none if the game does not count.
fn failed(side: Color, failure: &Failure, last_lines: Vec<String>) -> Option<Over> {
    let kind = failure.end_kind()?;
    let last_lines = if kind.needs_restart() { last_lines } else { Vec::new() };
    Some((Ending::lost(side, kind, failure.to_string()), last_lines))
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}
