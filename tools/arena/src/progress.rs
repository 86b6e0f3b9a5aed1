//! Telling of an event while it is played: a bar on a terminal, plain lines elsewhere.

use crate::record::{Game, Header};
use crate::report::results::tournament_game;
use crate::report::{labels, sprt_of};
use crate::stats::elo::format_elo_interval;
use crate::stats::standings::{Meeting, RatingSettings, Standing, Standings, TournamentGame, standings};
use crate::stats::summary::Settings;
use crate::stats::units::Pairing;
use crate::tally::GameSummary;
use crate::text::{count, shown, shown_lines};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Hears how an event goes.
pub trait Progress {
    /// It begins: the number of games, and those of them played before.
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

/// The one that suits standard error, for an event with this header.
pub fn for_people(header: &Header) -> Box<dyn Progress> {
    let running = Running::new(header);
    if std::io::stderr().is_terminal() {
        Box::new(Bar { running, bar: ProgressBar::hidden(), last: Instant::now() })
    } else {
        Box::new(Plain { running, last: Instant::now() })
    }
}

/// Players whose standing is told while an event of many is played; the report has them all.
const MOST_STANDINGS: usize = 8;

/// Draws of the bootstrap for the errors of running ratings: few, for they are computed again and again.
const RUNNING_SAMPLES: u32 = 50;

/// The running score.
struct Running {
    labels: Vec<String>,
    settings: Settings,
    games: Vec<TournamentGame>,
    /// The points of each player, of games in incomplete pairs too.
    points: Vec<f64>,
    total: u64,
}

impl Running {
    fn new(header: &Header) -> Self {
        let labels = labels(header);
        let pairing = if header.mirrored { Pairing::Mirrored } else { Pairing::Single };
        let settings = Settings { pairing, sprt: sprt_of(header) };
        Self { settings, games: Vec::new(), points: vec![0.0; labels.len()], total: 0, labels }
    }

    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.total = total;
        before.iter().for_each(|game| self.add(game));
    }

    fn add(&mut self, game: &GameSummary) {
        self.games.push(tournament_game(game));
        for (player, points) in self.points.iter_mut().enumerate() {
            *points += game.points(player).unwrap_or(0.0);
        }
    }

    /// How it stands: the points of two players with the Elo difference, its error and the sequential test, or the
    /// ratings of several.
    fn score(&self) -> String {
        if self.games.is_empty() {
            return "no game yet".to_owned();
        }
        let samples = if self.labels.len() > 2 { RUNNING_SAMPLES } else { 0 };
        let ratings = RatingSettings { bootstrap_samples: samples, ..RatingSettings::default() };
        let standings = standings(self.labels.len(), &self.games, &self.settings, &ratings);
        match (self.labels.as_slice(), self.points.as_slice()) {
            ([one, other], [first, second]) => {
                let points = format!("{one} {first} – {second} {other}");
                [points].into_iter().chain(standings.meetings.first().into_iter().flat_map(match_words)).collect()
            }
            _ => self.standings_words(&standings),
        }
    }

    fn standings_words(&self, standings: &Standings) -> String {
        let word = |row: &Standing| {
            let name = self.labels.get(row.player).map_or("?", String::as_str);
            let (low, high) = (row.rating.low, row.rating.high);
            let error = if low.is_finite() && high.is_finite() {
                format!(" ± {:.0}", (high - low) / 2.0)
            } else {
                String::new()
            };
            let score = row.score.map_or_else(String::new, |score| format!(" ({:.1} %)", 100.0 * score));
            format!("{}. {name} {:+.0}{error}{score}", row.rank, row.rating.elo)
        };
        let mut words: Vec<String> = standings.table.iter().take(MOST_STANDINGS).map(word).collect();
        if let more @ 1.. = standings.table.len().saturating_sub(MOST_STANDINGS) {
            words.push(format!("and {more} more"));
        }
        words.join(", ")
    }

    /// The line of a game in which a player failed.
    fn failure(&self, game: &Game) -> Option<String> {
        let who = self.labels.get(game.end.player?)?;
        let end = game.end.kind;
        let failed = end.needs_restart() || matches!(end.name(), "time" | "illegal-turn");
        failed.then(|| format!("game {}: {who}: {}: {}", game.number + 1, end.name(), shown(&game.end.detail)))
    }
}

/// The Elo difference of a match and its sequential test, each with a comma before it.
fn match_words(meeting: &Meeting) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(elo) = &meeting.summary.elo {
        words.push(format!(", Elo {}", format_elo_interval(Some(elo))));
    }
    if let Some(test) = &meeting.summary.sprt
        && let Some(state) = test.deciding()
    {
        words.push(format!(", LLR {:+.2} ({:.2}, {:.2})", state.llr, test.lower_bound, test.upper_bound));
    }
    words
}

struct Bar {
    running: Running,
    bar: ProgressBar,
    last: Instant,
}

/// How often the score beside the bar is computed.
const EVERY_ON_A_TERMINAL: Duration = Duration::from_millis(500);

impl Progress for Bar {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.running.begin(total, before);
        self.bar = ProgressBar::new(total).with_position(before.len() as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len}  {eta} left  {wide_msg}") {
            self.bar.set_style(style);
        }
        self.bar.set_message(self.running.score());
    }

    fn game(&mut self, game: &Game) {
        self.running.add(&GameSummary::from(game));
        if let Some(line) = self.running.failure(game) {
            self.bar.println(line);
        }
        if self.last.elapsed() >= EVERY_ON_A_TERMINAL || self.running.games.len() == 1 {
            self.last = Instant::now();
            self.bar.set_message(self.running.score());
        }
        self.bar.inc(1);
    }

    fn note(&mut self, text: &str) {
        self.bar.println(shown_lines(text));
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
    let _ = writeln!(std::io::stderr(), "{}", shown_lines(text));
}

impl Progress for Plain {
    fn begin(&mut self, total: u64, before: &[GameSummary]) {
        self.running.begin(total, before);
        tell(&format!("{}, {} of them played before", count(total, "game"), before.len()));
    }

    fn game(&mut self, game: &Game) {
        self.running.add(&GameSummary::from(game));
        if let Some(line) = self.running.failure(game) {
            tell(&line);
        }
        if self.last.elapsed() >= EVERY {
            self.last = Instant::now();
            tell(&format!("{}/{}  {}", self.running.games.len(), self.running.total, self.running.score()));
        }
    }

    fn note(&mut self, text: &str) {
        tell(text);
    }

    fn end(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DiceSource, EndKind, EndRecord};
    use crate::report::testing::{header, summary};

    fn running(names: &[&str], games: &[([usize; 2], f64)]) -> Running {
        let mut running = Running::new(&header(names));
        let games: Vec<GameSummary> =
            (0..).zip(games).map(|(number, &(players, result))| summary(number, players, result)).collect();
        running.begin(240, &games);
        running
    }

    #[test]
    fn before_the_first_game_nobody_leads() {
        assert_eq!(running(&["one", "two"], &[]).score(), "no game yet");
        assert_eq!(running(&["one", "two", "three"], &[]).score(), "no game yet");
    }

    #[test]
    fn a_match_tells_points_elo_and_its_error() {
        let games = [([0, 1], 1.0), ([1, 0], 0.0), ([0, 1], 0.0), ([1, 0], 0.5), ([0, 1], 0.5)];
        let mut running = running(&["one", "two"], &games);
        let text = running.score();
        assert!(text.starts_with("A one 3 – 2 B two, Elo ") && !text.contains("LLR"), "{text}");
        running.settings.sprt = "0,10".parse().ok();
        assert!(running.score().contains(", LLR +0.0") && running.score().ends_with("(-2.94, 2.94)"), "{text}");
    }

    #[test]
    fn many_players_have_standings() {
        let games = [([0, 1], 1.0), ([1, 0], 0.0), ([0, 2], 1.0), ([2, 0], 0.5), ([1, 2], 0.0), ([2, 1], 0.5)];
        let text = running(&["one", "two", "three"], &games).score();
        assert!(
            text.starts_with("1. A one +") && text.contains(", 2. C three ") && text.contains(" %), 3. B"),
            "{text}"
        );
        let names: Vec<String> = (0..11).map(|number| number.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = running(&names, &[([0, 1], 1.0), ([1, 0], 0.0)]).score();
        assert!(text.ends_with(", and 3 more"), "{text}");
    }

    #[test]
    fn a_failure_is_told_with_its_game_counted_from_one_and_without_control_characters() {
        let running = running(&["o\u{1b}ne", "two"], &[]);
        let game = Game {
            number: 0,
            pair: 0,
            half: 0,
            id: None,
            white: 0,
            black: 1,
            seats: Default::default(),
            started_ms: None,
            dice: DiceSource::Given,
            luck_by: None,
            opening: String::new(),
            plies: Vec::new(),
            result: 0.0,
            end: EndRecord {
                kind: EndKind::IllegalTurn,
                player: Some(0),
                detail: "'\u{1b}[2J': no turn".to_owned(),
                last_lines: Vec::new(),
            },
            final_dfen: String::new(),
        };
        let told = running.failure(&game).expect("a failure");
        assert_eq!(told, "game 1: A o\\u{1b}ne: illegal-turn: '\\u{1b}[2J': no turn");
    }
}
