//! What to do, without doing it: pure functions and small state machines, which know no sockets and no tasks.

mod challenges;
mod draws;
mod engine_time;
mod ladder;
mod matchmaker;
mod overhead;
mod verdict;
mod view;
mod waits;

pub use challenges::{Answer, ChallengeRules, Pattern, RatedRule};
pub use draws::{DrawRules, Outlook, ResignRules};
pub use engine_time::{EngineTime, TURN_CAP, engine_time, left_of};
pub use ladder::{Parking, Rejoin};
pub use matchmaker::{Matchmaker, MatchmakerRules};
pub use overhead::Overhead;
pub use verdict::{Next, Reply, next_step};
pub use view::{Due, Taken, View};
pub use waits::{Backoff, Waits};
