//! The platform's Bot API: its types, its requests, its streams.
//!
//! Everything is read tolerantly: fields and events that are not known are skipped and told to the log once, fields that
//! are missing are taken as null, and a field of no weight that has an unexpected form is taken as missing.

mod events;
mod history;
mod lobby;
mod read;
mod state;
mod time_control;

pub use events::{AccountEvent, Challenge, Ended, GameEvent, Over};
pub use history::{Fairness, History, HistoryTurn, Seeds};
pub use lobby::{Account, Capacity, Challenges, Leader, Leaderboard, Registered, SeekPoll, SeekPosted};
pub use read::{ReadError, each, is_slug, is_sound_id, lenient, novelties, or_default, read, read_value};
pub use state::{
    ClocksMs, Decision, GameList, GameState, MoveList, MyGame, Player, Players, Seat, Status, Tree, Verdict,
};
pub use time_control::TimeControl;
