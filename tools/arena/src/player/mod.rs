//! The players: one trait for bots in process, programs over pipes and HTTP bots.

mod builtin;
mod info;
mod process;
mod webhook;

pub use builtin::Builtin;
pub use process::Process;
pub use webhook::Webhook;

use crate::cancel::Cancel;
use crate::ends::{Failed, Failure};
use crate::record::{PlayerRecord, ScoreRecord};
use crate::spec::{Spec, Target};
use astragal::board::{Color, Position, Rolled};
use astragal::record::{ClockView, Control, Said};
use astragal_client::{Action, Hook};
use std::time::Duration;
use thiserror::Error;

/// What a player is told of a game before it begins.
#[derive(Clone, Copy, Debug)]
pub struct GameStart {
    /// The seed of the event.
    pub seed: u64,
    /// The number of the game.
    pub number: u64,
    /// The number of its pair.
    pub pair: u64,
}

/// The question what to play.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The position with its roll; there is at least one micro-move.
    pub rolled: &'a Rolled,
    /// What bounds the thinking.
    pub control: &'a Control,
    /// The clocks, if there are any.
    pub clock: Option<ClockView>,
    /// How long until the mover's flag falls; none if nothing is timed.
    pub flag_after: Option<Duration>,
}

/// What a player chose.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What it does.
    pub action: Action,
    /// Whether it offers a draw with it.
    pub offers_draw: bool,
    /// What it said of its search.
    pub info: Said,
    /// From our write of `go` to the read of `bestmove`.
    pub took: Duration,
}

/// Anything that plays.
pub trait Player: Send {
    /// Gets ready for a game: starts what has to be started, and clears what was learned. A player that failed is
    /// started anew.
    ///
    /// # Errors
    /// It cannot be started or does not answer.
    fn new_game(&mut self, start: &GameStart) -> Result<(), Failure>;

    /// Chooses a turn.
    ///
    /// # Errors
    /// There is no answer to judge.
    fn choose(&mut self, ask: &Ask<'_>) -> Result<Answer, Failed>;

    /// Tells it the position that it has left to the opponent, who has not rolled yet, and the clocks: it may think until
    /// it is asked again. Whatever goes wrong shows in the next [`choose`](Self::choose).
    fn ponder(&mut self, _position: &Position, _clock: Option<ClockView>) {}

    /// The last lines it wrote, for a record of its failure.
    fn last_lines(&self) -> Vec<String> {
        Vec::new()
    }

    /// Lets go of it after a failure or at the end; a program is ended. May be called more than once.
    fn quit(&mut self);
}

/// The bounds of waiting for players, none of which decides a sound game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// For the answers to `uci` and `isready`.
    pub handshake: Duration,
    /// For an answer after the flag has fallen and `stop` was sent.
    pub grace: Duration,
    /// For an answer when nothing is timed.
    pub untimed: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { handshake: seconds(10), grace: seconds(3), untimed: seconds(600) }
    }
}

/// Why a player cannot take part.
#[derive(Debug, Error)]
#[error("player '{spec}': {what}")]
pub struct SetupError {
    /// Its spec.
    pub spec: String,
    /// What is wrong.
    pub what: String,
}

/// A player that was looked at and can be made as often as there are games at the same time.
#[derive(Clone)]
pub struct Contender {
    spec: Spec,
    record: PlayerRecord,
    patience: Patience,
    cancel: Cancel,
    hook: Option<Hook>,
}

impl Contender {
    /// Looks at a player: starts it once, checks its options, and lets go of it again.
    ///
    /// # Errors
    /// It cannot be reached, or an option or the control does not suit it.
    pub fn inspect(
        mut spec: Spec,
        time_policy: Option<&str>,
        control: &Control,
        patience: Patience,
        cancel: &Cancel,
    ) -> Result<Self, SetupError> {
        if let Some(policy) = time_policy {
            spec.options.retain(|(name, _)| !name.eq_ignore_ascii_case("TimePolicy"));
            spec.options.push(("TimePolicy".to_owned(), policy.to_owned()));
        }
        let record = match &spec.target {
            Target::Builtin(bot) => Builtin::inspect(&spec, bot),
            Target::Cmd(words) => Process::inspect(&spec, words, patience, cancel),
            Target::Webhook { url, secret } => {
                if time_policy.is_some() {
                    Err("a webhook minds its clock itself; it takes no time policy".to_owned())
                } else {
                    Webhook::inspect(&spec, url, secret, control, patience, cancel)
                }
            }
        };
        match record {
            Ok(record) => Ok(Self { spec, record, patience, cancel: cancel.clone(), hook: None }),
            Err(what) => Err(SetupError { spec: spec.to_string(), what }),
        }
    }

    /// The same with something that is told every line in either direction, if it is a program.
    #[must_use]
    pub fn with_hook(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }

    /// What the journal says of it.
    pub const fn record(&self) -> &PlayerRecord {
        &self.record
    }

    /// Makes one of it; nothing is started before its first game. `place` is its place among the players.
    pub fn player(&self, place: usize) -> Box<dyn Player> {
        match &self.spec.target {
            Target::Builtin(_) => Box::new(Builtin::new(&self.spec, place)),
            Target::Cmd(words) => {
                let process =
                    Process::new(words.clone(), self.spec.options.clone(), self.patience, self.cancel.clone());
                Box::new(process.with_hook(self.hook.clone()))
            }
            Target::Webhook { url, secret } => Box::new(Webhook::new(url.clone(), secret.clone(), self.cancel.clone())),
        }
    }
}

/// The name of a colour as webhooks spell it.
const fn seat(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// A score of the library as a record.
fn score_record(score: astragal::eval::Score) -> ScoreRecord {
    match score {
        astragal::eval::Score::Equity(_) | astragal::eval::Score::Drawn => {
            ScoreRecord::Cp(i64::from(score.equity().centipawns()))
        }
        astragal::eval::Score::KingCapture => ScoreRecord::Mate(1),
    }
}
