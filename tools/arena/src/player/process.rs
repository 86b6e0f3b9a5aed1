//! Programs that speak the engine protocol over pipes.
//!
//! Beyond the protocol there are two words after `bestmove`: `bestmove resign` gives the game up, and
//! `bestmove <turn> draw` offers a draw with the turn.
//!
//! With the option `Ponder=true` a program is told to think on the opponent's time: `go ponder` about the position before
//! the opponent's roll, and `stop` before it is asked again. It need not declare the option; any value but `true` and
//! `false` is refused.

use super::{Answer, Ask, GameStart, Patience, Player, info};
use crate::cancel::Cancel;
use crate::ends::{Failed, Failure};
use crate::record::{PlayerKind, PlayerRecord};
use crate::spec::Spec;
use astragal::board::{Dice, Position, Rolled};
use astragal::record::{ClockView, Control, Said};
use astragal_client::{Clocks, Declared, DeclaredKind, Engine, EngineError, Go, Hook, Launch, Setup};
use std::time::{Duration, Instant};

/// How long a program may take to end when asked to.
const FAREWELL: Duration = Duration::from_millis(1000);

/// The option that is the arena's own.
const PONDER: &str = "Ponder";

fn is_ponder(name: &str) -> bool {
    name.eq_ignore_ascii_case(PONDER)
}

/// A program over pipes. It is started with its first game, and again after a failure.
pub struct Process {
    setup: Setup,
    /// Whether it is told to think on the opponent's time.
    ponders: bool,
    patience: Patience,
    engine: Option<Engine>,
    /// How it failed when it was told to ponder; shows when it is asked again.
    late: Option<Failure>,
    last_lines: Vec<String>,
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
        let introduced = process.start().map(|engine| (engine.introduction().name.clone(), engine.options().clone()));
        process.quit();
        let with_last_lines = |failure: Failure| {
            if matches!(failure, Failure::Protocol(_)) {
                return failure.to_string();
            }
            let lines: String = process.last_lines.iter().map(|line| format!("\n  | {line}")).collect();
            format!("{failure}{lines}")
        };
        let (name, options) = introduced.map_err(with_last_lines)?;
        let by_name = |wanted: &str| options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let time_policy = by_name("TimePolicy").map_or_else(|| "own".to_owned(), |(_, value)| value.clone());
        let whole = name.unwrap_or_else(|| words.first().cloned().unwrap_or_default());
        // By habit the version is the last word, and begins with a digit.
        let (name, version) = match whole.rsplit_once(' ') {
            Some((name, last)) if last.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit()) => {
                (name.to_owned(), Some(last.to_owned()))
            }
            _ => (whole, None),
        };
        Ok(PlayerRecord {
            spec: spec.to_string(),
            name,
            version,
            kind: PlayerKind::Cmd,
            time_policy,
            options,
            control: None,
        })
    }

    /// A program that is not started yet.
    pub fn new(words: Vec<String>, options: Vec<(String, String)>, patience: Patience, cancel: Cancel) -> Self {
        let (ponder, options): (Vec<_>, Vec<_>) = options.into_iter().partition(|(name, _)| is_ponder(name));
        let ponders = ponder.last().is_some_and(|(_, value)| value.eq_ignore_ascii_case("true"));
        let setup = Setup { launch: Launch::new(words), options, handshake: patience.handshake, cancel };
        Self { setup, ponders, patience, engine: None, late: None, last_lines: Vec::new() }
    }

    /// The same with something that is told every line in either direction.
    pub(super) fn with_hook(mut self, hook: Option<Hook>) -> Self {
        self.setup.launch.hook = hook;
        self
    }

    /// Starts the program and brings it to where a game can begin.
    fn start(&mut self) -> Result<&mut Engine, Failure> {
        self.quit();
        self.last_lines.clear();
        match Engine::start(&self.setup) {
            Ok(engine) => Ok(self.engine.insert(engine)),
            Err(failed) => {
                self.last_lines = failed.last_lines;
                Err(failure(failed.error))
            }
        }
    }

    /// Asks and waits for `bestmove`. `began` is set when the clock starts.
    fn ask(&mut self, ask: &Ask<'_>, began: &mut Instant) -> Result<Answer, Failure> {
        if let Some(late) = self.late.take() {
            return Err(late);
        }
        let engine = self.engine.as_mut().ok_or_else(not_running)?;
        engine.halt().map_err(failure)?;
        *began = engine.go(ask.rolled, &go(ask)).map_err(failure)?;
        let flag = *began + ask.flag_after.unwrap_or(self.patience.untimed);
        let mut said = Said::default();
        let waited = engine.wait(flag, self.patience.grace, &mut |line| info::hear(&mut said, line));
        let (answer, at) = waited.map_err(|error| match error {
            EngineError::NoAnswer { within, .. } => {
                let when = if ask.flag_after.is_some() { "its flag fell" } else { "it was told to stop" };
                Failure::Stall(format!("no bestmove within {} s after {when}", within.as_secs_f64()))
            }
            error => failure(error),
        })?;
        let took = at.saturating_duration_since(*began);
        Ok(Answer { action: answer.action, offers_draw: answer.offers_draw, info: said, took })
    }
}

/// The words of `go`.
fn go(ask: &Ask<'_>) -> Go {
    match (ask.control, ask.clock) {
        (Control::Depth(depth), _) => Go::depth(*depth),
        (Control::Nodes(nodes), _) => Go::nodes(*nodes),
        (Control::MoveTime(time), _) => Go::move_time(*time),
        (Control::Clock(_), Some(view)) => Go::clocks(clocks(&view)),
        _ => Go::default(),
    }
}

fn clocks(view: &ClockView) -> Clocks {
    Clocks {
        left_ms: view.left_ms,
        increment_ms: view.increment_ms,
        delay_ms: view.delay_ms,
        turns_to_go: view.turns_to_go,
    }
}

fn failure(error: EngineError) -> Failure {
    match error {
        EngineError::Gone(what) => Failure::Crash(what),
        EngineError::NotReading | EngineError::NoAnswer { .. } => Failure::Stall(error.to_string()),
        EngineError::Broken(what) => Failure::Protocol(what),
        EngineError::Option(problem) => Failure::Protocol(problem.to_string()),
        EngineError::Cancelled => Failure::Cancelled,
    }
}

fn not_running() -> Failure {
    Failure::Crash("the program does not run".to_owned())
}

impl Player for Process {
    fn new_game(&mut self, _: &GameStart) -> Result<(), Failure> {
        // One that ended between two games has failed nobody yet.
        if self.engine.as_mut().is_none_or(Engine::has_exited) {
            self.late = None;
            self.start()?;
        }
        match (self.late.take(), &mut self.engine) {
            (Some(late), _) => Err(late),
            (None, Some(engine)) => engine.new_game().map_err(failure),
            (None, None) => Err(not_running()),
        }
    }

    fn choose(&mut self, ask: &Ask<'_>) -> Result<Answer, Failed> {
        let mut began = Instant::now();
        self.ask(ask, &mut began).map_err(|failure| Failed { failure, took: began.elapsed() })
    }

    fn ponder(&mut self, position: &Position, clock: Option<ClockView>) {
        // Lines of a flood would fill the queue and hold it up, no more; what it says while it ponders is read with the
        // answer.
        if self.ponders
            && let Some(engine) = &mut self.engine
            && !engine.is_searching()
        {
            let rolled = Rolled { position: *position, dice: Dice::NONE };
            let words = Go { ponder: true, clocks: clock.map(|view| clocks(&view)), ..Go::default() };
            self.late = engine.go(&rolled, &words).err().map(failure);
        }
    }

    fn last_lines(&self) -> Vec<String> {
        self.engine.as_ref().map_or_else(|| self.last_lines.clone(), Engine::last_lines)
    }

    fn quit(&mut self) {
        self.late = None;
        if let Some(engine) = self.engine.take() {
            self.last_lines = engine.quit(if self.setup.cancel.is_raised() { FAREWELL / 4 } else { FAREWELL });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::{Rolled, STARTPOS};
    use astragal::record::GameClock;

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
            assert_eq!(go(&ask).to_string(), expected);
        }
    }
}
