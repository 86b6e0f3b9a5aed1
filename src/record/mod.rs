//! Games as data: what a journal keeps of a game that is over, and the file of a game that still runs.
//!
//! | part | what is in it |
//! |---|---|
//! | [`Game`], [`Ply`], [`EndRecord`] | a game: who played, every roll and turn, how it ended |
//! | [`Header`], [`PlayerRecord`] | what a journal says once: the event and its players |
//! | [`Control`], [`GameClock`] | what bounds the players' thinking, and the clocks under it |
//! | [`DiceSource`] | where the dice came from, and whether a game's rolls are those |
//! | [`Referee`] | a game being played: dice by a seed, passes, clocks, ends |
//! | [`Replayer`], [`replay`] | a game played over, every turn checked by the rules |
//! | [`Reader`], [`Journal`], [`read`] | journals: one JSON line a game |
//! | [`TextReader`], [`TextWriter`] | the text record, for people |
//! | [`from_history`], [`to_history`] | the platform's history of a game |
//! | [`Records`], [`Converter`] | a source of any of these forms; games written in any of them |
//! | [`RunningGame`], [`recover`], [`WholeWrites`] | a game in progress, in a file of its own |
//!
//! This layer stands on the rules alone. It reads no clock (callers give the times), prints nothing, and believes nothing
//! that it reads: lines are bounded, and what is wrong is told with the number of its line.
//!
//! # Examples
//! ```no_run
//! use astragal::record::{Reader, replay};
//! use std::{fs::File, io::BufReader};
//!
//! let mut journal = Reader::new(BufReader::new(File::open("games.jsonl")?))?;
//! while let Some(game) = journal.next_game() {
//!     match game {
//!         Ok(game) => println!("{} – {}: {}", game.seats[0].name, game.seats[1].name, replay(&game, |_, _, _| ())?),
//!         Err(error) => println!("{error}"),
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod any;
mod control;
mod convert;
mod dice;
mod escape;
mod event;
mod game;
mod game_clock;
mod history;
mod journal;
mod line;
mod reader;
mod referee;
mod replay;
mod running;
mod text;
mod whole;

pub use any::{Form, Records, UnknownForm, game_line};
pub use control::{ClockControl, Control, ControlError};
pub use convert::Converter;
pub use dice::{DiceProblem, DiceSource, bot_seed, fair_throw, letters, seeded_roll};
pub use escape::{Escaped, escaped, is_hidden};
pub use event::{
    Adjudication, DrawRule, EventKind, FORMAT, Header, PlayerKind, PlayerRecord, ResignRule, Shard, difference,
};
pub use game::{EndKind, EndRecord, Game, LINEAR_EVALUATION, Ply, ScoreRecord, Seat};
pub use game_clock::{ClockView, GameClock, Spent};
pub use history::{HistoryError, from_history, to_history};
pub use journal::{Contents, Journal, JournalError, read};
pub use line::header_line;
pub use reader::{BadLine, ReadError, Reader};
pub use referee::{Ending, Referee, Said, Setting};
pub use replay::{ReplayError, Replayer, replay};
pub use running::{Recovered, RunningError, RunningGame, Start, recover};
pub use text::{TextError, TextReader, TextWriter};
pub use whole::WholeWrites;

#[cfg(test)]
mod tests;
