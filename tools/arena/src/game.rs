//! The referee: plays one game by the rules, on the clock, and says how it ended.

use crate::adjudicate::{Adjudicator, Ruling};
use crate::cancel::Cancel;
use crate::dice;
use crate::ends::{Failed, Failure};
use crate::luck::LuckMeter;
use crate::player::{Answer, Ask, GameStart, InfoLine, Player};
use crate::record::{Adjudication, DiceSource, EndKind, EndRecord, Game, LINEAR_EVALUATION, Ply, Seat};
use crate::schedule::Fixture;
use astragal::board::{Color, Position, Rolled};
use astragal::record::Control;
use astragal::record::{GameClock, Spent};
use astragal::rules::{Roll, Turn, TurnEnd, apply_roll, first_legal_turn};
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

/// The most rolls of a game: only positions in which nothing can move get near.
const MOST_PLIES: usize = 20_000;

/// A game in progress.
struct Referee<'a> {
    rules: &'a GameRules,
    fixture: Fixture,
    /// When the game began, if its times count.
    started_ms: Option<u64>,
    clock: GameClock,
    adjudicator: Adjudicator,
    /// Whose latest answer came with an offer of a draw.
    offers: [bool; 2],
    /// The positions before each roll.
    positions: Vec<Position>,
    rolls: Vec<Roll>,
    plies: Vec<Ply>,
}

/// An end: White's points and how.
struct End {
    result: f64,
    record: EndRecord,
}

/// Plays a game; White's player comes first. None if the arena was told to stop before its end.
pub fn play(
    fixture: Fixture,
    rules: &GameRules,
    [white, black]: [&mut dyn Player; 2],
    meter: &mut LuckMeter,
    cancel: &Cancel,
) -> Option<Game> {
    let controls = [fixture.white, fixture.black].map(|player| rules.control(player));
    let mut referee = Referee {
        rules,
        fixture,
        started_ms: rules.is_timed().then(now_ms),
        clock: GameClock::with(controls, rules.margin),
        adjudicator: Adjudicator::new(rules.adjudication),
        offers: [false; 2],
        positions: Vec::new(),
        rolls: Vec::new(),
        plies: Vec::new(),
    };
    // The schedule was made for this number of openings.
    let opening = *rules.openings.get(fixture.opening)?;
    let start = GameStart { seed: rules.seed, number: fixture.number, pair: fixture.pair };
    for (color, player) in [(Color::White, &mut *white), (Color::Black, &mut *black)] {
        if let Err(failure) = player.new_game(&start) {
            let end = referee.failed(color, &failure, player.last_lines())?;
            return Some(referee.record(opening, Rolled { position: opening, dice: Default::default() }, end));
        }
    }
    let mut position = opening;
    loop {
        if cancel.is_raised() {
            return None;
        }
        let rolled = referee.roll(position);
        let side = position.side();
        if referee.plies.len() > MOST_PLIES {
            let end = referee.end(EndKind::Adjudicated, None, 0.5, format!("no end after {MOST_PLIES} rolls"));
            let mut game = referee.record(opening, rolled, end);
            referee.measure_luck(&mut game, meter);
            return Some(game);
        }
        if first_legal_turn(&rolled) == Turn::PASS {
            position = referee.pass(&rolled);
            continue;
        }
        let player: &mut dyn Player = match side {
            Color::White => &mut *white,
            Color::Black => &mut *black,
        };
        let ask = Ask {
            rolled: &rolled,
            control: &controls[side.index()],
            clock: referee.clock.view(side),
            flag_after: referee.clock.flag_after(side),
        };
        match player.choose(&ask) {
            Err(Failed { failure, took }) => {
                referee.note(side, InfoLine::default(), took);
                let end = referee.failed(side, &failure, player.last_lines())?;
                let mut game = referee.record(opening, rolled, end);
                referee.measure_luck(&mut game, meter);
                return Some(game);
            }
            Ok(answer) => match referee.judge(&rolled, answer) {
                Ok(next) => {
                    position = next;
                    player.ponder(&position, referee.clock.view(side));
                }
                Err(over) => {
                    let (last, end) = *over;
                    let mut game = referee.record(opening, last, end);
                    referee.measure_luck(&mut game, meter);
                    return Some(game);
                }
            },
        }
    }
}

impl Referee<'_> {
    fn player(&self, color: Color) -> usize {
        match color {
            Color::White => self.fixture.white,
            Color::Black => self.fixture.black,
        }
    }

    /// Throws the dice of the next ply.
    fn roll(&mut self, position: Position) -> Rolled {
        let roll = dice::roll(self.rules.seed, self.fixture.pair, self.plies.len() as u64);
        self.positions.push(position);
        self.rolls.push(roll);
        self.plies.push(Ply { roll: roll.to_string(), ..Ply::default() });
        Rolled { position, dice: roll.dice() }
    }

    /// Passes for the mover: nobody is asked, and the clock stands still.
    fn pass(&mut self, rolled: &Rolled) -> Position {
        let left = self.clock.view(rolled.position.side()).map(|view| view.left_ms);
        if let Some(ply) = self.plies.last_mut() {
            ply.turn = Some(Turn::PASS.to_string());
            ply.passed = true;
            ply.clock_left_ms = left.map(|left| left[rolled.position.side().index()] as i64);
        }
        rolled.position.end_turn()
    }

    /// Books an answer's time and what the player said with it.
    fn note(&mut self, side: Color, info: InfoLine, took: Duration) -> Spent {
        let spent = self.clock.spend(side, took);
        let timed = self.rules.is_timed();
        if let Some(ply) = self.plies.last_mut() {
            ply.score = info.score;
            ply.depth = info.depth;
            ply.nodes = info.nodes;
            if timed {
                ply.time_ms = Some(took.as_micros() as f64 / 1000.0);
                ply.engine_time_ms = info.time_ms;
                ply.clock_left_ms = match spent {
                    Spent::Within(left) => left,
                    Spent::Flagged { over_ms } => Some(-(over_ms as i64)),
                };
            }
        }
        spent
    }

    /// Judges an answer: the position to go on from, or the last position and the end.
    fn judge(&mut self, rolled: &Rolled, answer: Answer) -> Result<Position, Box<(Rolled, End)>> {
        let side = rolled.position.side();
        let lost = |end: EndKind, detail: String| Box::new((*rolled, self.lost(side, end, detail)));
        let turn = match &answer.action {
            Action::Play(turn) => Ok(*turn),
            Action::Resign => Err(lost(EndKind::Resignation, String::new())),
            Action::Unreadable(text) => Err(lost(EndKind::IllegalTurn, text.clone())),
        };
        let played = turn.and_then(|turn| match apply_roll(rolled, turn) {
            Ok(end) => Ok((turn, end)),
            Err(error) => Err(lost(EndKind::IllegalTurn, format!("{turn} at {rolled}: {error}"))),
        });
        // The flag is judged first, whatever the answer is.
        if let Spent::Flagged { over_ms } = self.note(side, answer.info, answer.took) {
            return Err(Box::new((*rolled, self.lost(side, EndKind::Time, format!("{over_ms} ms too late")))));
        }
        let (turn, end) = played?;
        if let Some(ply) = self.plies.last_mut() {
            ply.turn = Some(turn.to_string());
        }
        let next = match end {
            TurnEnd::KingCaptured => {
                let record = EndRecord {
                    kind: EndKind::KingCapture,
                    player: Some(self.player(side)),
                    detail: String::new(),
                    last_lines: Vec::new(),
                };
                return Err(Box::new((*rolled, End { result: 1.0 - points_of_loss(side), record })));
            }
            TurnEnd::Position(next) => next,
        };
        let here = Rolled { position: next, dice: Default::default() };
        if next.is_drawn() {
            return Err(Box::new((here, self.end(EndKind::HalfmoveClock, None, 0.5, String::new()))));
        }
        self.offers[side.index()] = answer.offers_draw;
        if self.offers == [true; 2] {
            return Err(Box::new((here, self.end(EndKind::AgreedDraw, None, 0.5, String::new()))));
        }
        match self.adjudicator.hear(side, answer.info.score, rolled.position.fullmove()) {
            None => Ok(next),
            Some(Ruling::Draw) => Err(Box::new((here, self.end(EndKind::Adjudicated, None, 0.5, "drawn".to_owned())))),
            Some(Ruling::Lost(loser)) => {
                let detail = format!("{loser} is lost");
                Err(Box::new((here, self.end(EndKind::Adjudicated, None, points_of_loss(loser), detail))))
            }
        }
    }

    fn end(&self, kind: EndKind, player: Option<usize>, result: f64, detail: String) -> End {
        End { result, record: EndRecord { kind, player, detail, last_lines: Vec::new() } }
    }

    fn lost(&self, loser: Color, kind: EndKind, detail: String) -> End {
        self.end(kind, Some(self.player(loser)), points_of_loss(loser), detail)
    }

    /// The end that a failure makes; none if the game does not count.
    fn failed(&self, side: Color, failure: &Failure, last_lines: Vec<String>) -> Option<End> {
        let mut end = self.lost(side, failure.end_kind()?, failure.to_string());
        if end.record.kind.needs_restart() {
            end.record.last_lines = last_lines;
        }
        Some(end)
    }

    fn record(&mut self, opening: Position, last: Rolled, end: End) -> Game {
        let Fixture { number, pair, half, white, black, .. } = self.fixture;
        let seat = |player: usize| {
            let name = self.rules.names.get(player).cloned().unwrap_or_default();
            Seat { name, control: self.rules.control(player).to_string() }
        };
        Game {
            number,
            pair,
            half,
            id: None,
            white,
            black,
            seats: [seat(white), seat(black)],
            started_ms: self.started_ms,
            dice: DiceSource::Seed { seed: self.rules.seed, pair },
            luck_by: None,
            opening: opening.to_string(),
            plies: std::mem::take(&mut self.plies),
            result: end.result,
            end: end.record,
            final_dfen: last.to_string(),
        }
    }

    /// Adds the luck of every roll, after the game, so that it is on nobody's clock.
    fn measure_luck(&self, game: &mut Game, meter: &mut LuckMeter) {
        if !self.rules.luck {
            return;
        }
        for ((position, roll), ply) in self.positions.iter().zip(&self.rolls).zip(&mut game.plies) {
            let luck = meter.luck(position, *roll);
            ply.luck = Some(if position.side() == Color::White { luck } else { -luck });
        }
        game.luck_by = Some(LINEAR_EVALUATION.to_owned());
    }
}

/// Milliseconds since 1970.
fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64)
}

/// White's points when that colour loses.
const fn points_of_loss(loser: Color) -> f64 {
    match loser {
        Color::White => 0.0,
        Color::Black => 1.0,
    }
}
