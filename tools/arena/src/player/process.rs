//! Programs that speak the engine protocol over pipes.
//!
//! Beyond the protocol there are two words after `bestmove`: `bestmove resign` gives the game up, and
//! `bestmove <turn> draw` offers a draw with the turn.
//!
//! With the option `Ponder=true` a program is told to think on the opponent's time: `go ponder` about the position before
//! the opponent's roll, and `stop` before it is asked again. It need not declare the option; any value but `true` and
//! `false` is refused.

use super::{Action, Answer, Ask, Declared, DeclaredKind, GameStart, InfoLine, Patience, Pipe, PipeError, Player};
use crate::cancel::Cancel;
use crate::control::Control;
use crate::ends::{Failed, Failure};
use crate::game_clock::ClockView;
use crate::record::{PlayerKind, PlayerRecord};
use crate::spec::Spec;
use astragal::board::{Dice, Position, Rolled};
use astragal::rules::Turn;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Lines that mean nothing to us, in one turn or between two: more is a flood.
const MOST_GARBAGE: usize = 10_000;

/// Bytes of output in one turn: more is a flood.
const MOST_BYTES: usize = 1 << 30;

/// How long a program may take to end when asked to.
const FAREWELL: Duration = Duration::from_millis(1000);

/// The option that is the arena's own.
const PONDER: &str = "Ponder";

fn is_ponder(name: &str) -> bool {
    name.eq_ignore_ascii_case(PONDER)
}

/// A program over pipes. It is started with its first game, and again after a failure.
pub struct Process {
    words: Vec<String>,
    options: Vec<(String, String)>,
    /// Whether it is told to think on the opponent's time.
    ponders: bool,
    /// Whether it has a `go ponder` to answer.
    pondering: bool,
    patience: Patience,
    cancel: Cancel,
    pipe: Option<Pipe>,
    last_lines: Vec<String>,
}

/// What a program says of itself.
struct Introduction {
    name: Option<String>,
    declared: Vec<Declared>,
}

impl Process {
    /// Starts it, checks the options, and ends it again; `Err` says what is wrong.
    pub(super) fn inspect(
        spec: &Spec,
        words: &[String],
        patience: Patience,
        cancel: &Cancel,
    ) -> Result<PlayerRecord, String> {
        let ponder = Declared { name: PONDER.to_owned(), default: None, kind: DeclaredKind::Check };
        for (_, value) in spec.options.iter().filter(|(name, _)| is_ponder(name)) {
            ponder.check(value).map_err(|error| error.to_string())?;
        }
        let mut process = Self::new(words.to_vec(), spec.options.clone(), patience, cancel.clone());
        let introduced = process.start();
        process.quit();
        let with_last_lines = |failure: Failure| {
            if matches!(failure, Failure::Protocol(_)) {
                return failure.to_string();
            }
            let lines: String = process.last_lines.iter().map(|line| format!("\n  | {line}")).collect();
            format!("{failure}{lines}")
        };
        let introduction = introduced.map_err(with_last_lines)?;
        let (_, options) =
            Declared::check_all(&introduction.declared, &process.options).map_err(|error| error.to_string())?;
        let by_name = |wanted: &str| options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let time_policy = by_name("TimePolicy").map_or_else(|| "own".to_owned(), |(_, value)| value.clone());
        let whole = introduction.name.unwrap_or_else(|| words.first().cloned().unwrap_or_default());
        // By habit the version is the last word, and begins with a digit.
        let (name, version) = match whole.rsplit_once(' ') {
            Some((name, last)) if last.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit()) => {
                (name.to_owned(), Some(last.to_owned()))
            }
            _ => (whole, None),
        };
        Ok(PlayerRecord { spec: spec.to_string(), name, version, kind: PlayerKind::Cmd, time_policy, options })
    }

    /// A program that is not started yet.
    pub fn new(words: Vec<String>, options: Vec<(String, String)>, patience: Patience, cancel: Cancel) -> Self {
        let (ponder, options): (Vec<_>, Vec<_>) = options.into_iter().partition(|(name, _)| is_ponder(name));
        let ponders = ponder.last().is_some_and(|(_, value)| value.eq_ignore_ascii_case("true"));
        Self { words, options, ponders, pondering: false, patience, cancel, pipe: None, last_lines: Vec::new() }
    }

    /// Starts the program and brings it to where a game can begin.
    fn start(&mut self) -> Result<Introduction, Failure> {
        self.quit();
        self.pondering = false;
        self.last_lines.clear();
        self.pipe = Some(Pipe::spawn(&self.words).map_err(Failure::Crash)?);
        let introduction = self.introduce()?;
        let checked = Declared::check_all(&introduction.declared, &self.options);
        let (options, _) = checked.map_err(|error| Failure::Protocol(error.to_string()))?;
        for (name, value) in options {
            let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
            self.send(&format!("setoption name {name}{value}\n"))?;
        }
        Ok(introduction)
    }

    fn introduce(&mut self) -> Result<Introduction, Failure> {
        self.send("uci\n")?;
        let mut introduction = Introduction { name: None, declared: Vec::new() };
        let mut bad_option = None;
        self.await_line("uci", |line| {
            if let Some(name) = line.strip_prefix("id name ") {
                introduction.name = Some(name.trim().to_owned());
            } else if line.starts_with("option ") {
                match Declared::parse(line) {
                    Ok(declared) => introduction.declared.push(declared),
                    Err(error) => bad_option = Some(error),
                }
            }
            line == "uciok"
        })?;
        bad_option.map_or(Ok(introduction), |error| Err(Failure::Protocol(error.to_string())))
    }

    fn await_ready(&mut self) -> Result<(), Failure> {
        self.send("isready\n")?;
        self.await_line("isready", |line| line == "readyok")
    }

    /// Reads lines until one is the last; what was asked is for the error.
    fn await_line(&mut self, asked: &str, mut is_last: impl FnMut(&str) -> bool) -> Result<(), Failure> {
        let deadline = Instant::now() + self.patience.handshake;
        for _ in 0..MOST_GARBAGE {
            let cancel = self.cancel.clone();
            let Some(pipe) = &mut self.pipe else { return Err(not_running()) };
            match pipe.receive(deadline, &cancel) {
                Ok((line, _)) if is_last(line.trim()) => return Ok(()),
                Ok(_) => {}
                Err(PipeError::Timeout) => {
                    let seconds = self.patience.handshake.as_secs_f64();
                    return Err(Failure::Stall(format!("no answer to {asked} within {seconds} s")));
                }
                Err(error) => return Err(failure(error)),
            }
        }
        Err(Failure::Protocol(format!("more than {MOST_GARBAGE} lines in answer to {asked}")))
    }

    fn send(&mut self, lines: &str) -> Result<Instant, Failure> {
        self.pipe.as_mut().ok_or_else(not_running)?.send(lines).map_err(failure)
    }

    /// Skips what was said since the last answer.
    fn skip_stray_lines(&mut self) -> Result<(), Failure> {
        let pipe = self.pipe.as_mut().ok_or_else(not_running)?;
        for _ in 0..MOST_GARBAGE {
            match pipe.try_receive() {
                None => return Ok(()),
                Some(line) if line.starts_with("bestmove") => {
                    return Err(Failure::Protocol("a bestmove that nobody asked for".to_owned()));
                }
                Some(_) => {}
            }
        }
        Err(Failure::Protocol(format!("a flood: more than {MOST_GARBAGE} lines between two turns")))
    }

    /// Ends what it was told to ponder, if anything; its answer is of no interest.
    fn stop_pondering(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.pondering) {
            self.send("stop\n")?;
            self.await_line("stop", |line| line.starts_with("bestmove"))?;
        }
        Ok(())
    }

    /// Asks and waits for `bestmove`. `began` is set when the clock starts.
    fn ask(&mut self, ask: &Ask<'_>, began: &mut Instant) -> Result<Answer, Failure> {
        self.stop_pondering()?;
        self.skip_stray_lines()?;
        *began = self.send(&format!("position dfen {}\n{}\n", ask.rolled, go_line(ask)))?;
        let flag = *began + ask.flag_after.unwrap_or(self.patience.untimed);
        let mut told_to_stop = false;
        let mut info = InfoLine::default();
        let (mut garbage, mut bytes) = (0, 0);
        loop {
            let deadline = if told_to_stop { flag + self.patience.grace } else { flag };
            let cancel = self.cancel.clone();
            let pipe = self.pipe.as_mut().ok_or_else(not_running)?;
            let (line, at) = match pipe.receive(deadline, &cancel) {
                Ok(heard) => heard,
                Err(PipeError::Timeout) if told_to_stop => {
                    let seconds = self.patience.grace.as_secs_f64();
                    let when = if ask.flag_after.is_some() { "its flag fell" } else { "it was told to stop" };
                    return Err(Failure::Stall(format!("no bestmove within {seconds} s after {when}")));
                }
                Err(PipeError::Timeout) => {
                    told_to_stop = true;
                    // An engine that does not read it will be found out when the grace is over.
                    let _ = pipe.send("stop\n");
                    continue;
                }
                Err(error) => return Err(failure(error)),
            };
            bytes += line.len() + 1;
            let mut words = line.split_ascii_whitespace();
            match words.next() {
                Some("info") => info.read(words),
                Some("bestmove") => {
                    let took = at.saturating_duration_since(*began);
                    let (action, offers_draw) = read_answer(words);
                    return Ok(Answer { action, offers_draw, info, took });
                }
                _ => garbage += 1,
            }
            if garbage > MOST_GARBAGE || bytes > MOST_BYTES {
                return Err(Failure::Protocol(format!("a flood: {garbage} strange lines, {bytes} bytes in one turn")));
            }
        }
    }
}

/// The words after `bestmove`: what it does, and whether it offers a draw.
fn read_answer<'a>(mut words: impl Iterator<Item = &'a str>) -> (Action, bool) {
    let text = words.next().unwrap_or_default();
    let offers_draw = words.any(|word| word == "draw");
    let action = match text.parse::<Turn>() {
        Ok(turn) => Action::Play(turn),
        Err(_) if text == "resign" => Action::Resign,
        Err(error) => Action::Unreadable(format!("'{}': {error}", text.chars().take(60).collect::<String>())),
    };
    (action, offers_draw)
}

/// The `go` line.
fn go_line(ask: &Ask<'_>) -> String {
    let mut line = "go".to_owned();
    // Writing to a string cannot fail.
    let _ = match (ask.control, ask.clock) {
        (Control::Depth(depth), _) => write!(line, " depth {depth}"),
        (Control::Nodes(nodes), _) => write!(line, " nodes {nodes}"),
        (Control::MoveTime(time), _) => write!(line, " movetime {}", time.as_millis()),
        (Control::Clock(_), Some(view)) => write!(line, "{}", clock_words(&view)),
        _ => Ok(()),
    };
    line
}

/// The words of `go` for clocks, each with a space before it.
fn clock_words(view: &ClockView) -> String {
    let [white, black] = view.left_ms;
    let mut words = format!(" wtime {white} btime {black} winc {0} binc {0}", view.increment_ms);
    // Writing to a string cannot fail.
    if view.delay_ms > 0 {
        let _ = write!(words, " wdelay {0} bdelay {0}", view.delay_ms);
    }
    if let Some(turns) = view.turns_to_go {
        let _ = write!(words, " movestogo {turns}");
    }
    words
}

fn failure(error: PipeError) -> Failure {
    match error {
        PipeError::Closed(what) => Failure::Crash(what),
        PipeError::Cancelled => Failure::Cancelled,
        PipeError::NotReading => Failure::Stall(error.to_string()),
        PipeError::Timeout => Failure::Stall(error.to_string()),
    }
}

fn not_running() -> Failure {
    Failure::Crash("the program does not run".to_owned())
}

impl Player for Process {
    fn new_game(&mut self, _: &GameStart) -> Result<(), Failure> {
        // One that ended between two games has failed nobody yet.
        if self.pipe.as_mut().is_none_or(Pipe::has_exited) {
            self.start()?;
        }
        self.stop_pondering()?;
        self.skip_stray_lines()?;
        self.send("ucinewgame\n")?;
        self.await_ready()
    }

    fn choose(&mut self, ask: &Ask<'_>) -> Result<Answer, Failed> {
        let mut began = Instant::now();
        self.ask(ask, &mut began).map_err(|failure| Failed { failure, took: began.elapsed() })
    }

    fn ponder(&mut self, position: &Position, clock: Option<ClockView>) {
        // Lines of a flood would fill the queue and hold it up, no more; what it says while it ponders is read with the
        // answer.
        if self.ponders && !self.pondering {
            let rolled = Rolled { position: *position, dice: Dice::NONE };
            let clock = clock.map(|view| clock_words(&view)).unwrap_or_default();
            self.pondering = self.send(&format!("position dfen {rolled}\ngo ponder{clock}\n")).is_ok();
        }
    }

    fn last_lines(&self) -> Vec<String> {
        self.pipe.as_ref().map_or_else(|| self.last_lines.clone(), Pipe::tail)
    }

    fn quit(&mut self) {
        if let Some(mut pipe) = self.pipe.take() {
            pipe.end(if self.cancel.is_raised() { FAREWELL / 4 } else { FAREWELL });
            self.last_lines = pipe.tail();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_clock::GameClock;
    use astragal::board::{Rolled, STARTPOS};

    #[test]
    fn go_tells_what_the_control_knows() {
        let rolled = Rolled::from_dfen(STARTPOS).expect("the starting position");
        for (text, expected) in [
            ("untimed", "go"),
            ("depth=3", "go depth 3"),
            ("nodes=500", "go nodes 500"),
            ("st=0.25", "go movetime 250"),
            ("60+0.6", "go wtime 60000 btime 60000 winc 600 binc 600"),
            ("40/60", "go wtime 60000 btime 60000 winc 0 binc 0 movestogo 40"),
            ("60+0d2", "go wtime 60000 btime 60000 winc 0 binc 0 wdelay 2000 bdelay 2000"),
        ] {
            let control: Control = text.parse().expect(text);
            let clock = GameClock::new(control, Duration::ZERO).view(rolled.position.side());
            let ask = Ask { rolled: &rolled, control: &control, clock, flag_after: None };
            assert_eq!(go_line(&ask), expected);
        }
    }

    #[test]
    fn answers_are_read() {
        let read = |text: &'static str| read_answer(text.split_ascii_whitespace());
        let turn: Turn = "e2e4,g1f3".parse().expect("a turn");
        assert_eq!(read("e2e4,g1f3"), (Action::Play(turn), false));
        assert_eq!(read("e2e4,g1f3 draw"), (Action::Play(turn), true));
        assert_eq!(read("e2e4,g1f3 ponder e7e5"), (Action::Play(turn), false));
        assert_eq!(read("resign"), (Action::Resign, false));
        assert!(matches!(read(""), (Action::Unreadable(_), false)));
        assert!(matches!(read("(none)"), (Action::Unreadable(_), false)));
    }
}
