//! How long a turn may take, and how a search learns that its time is over.
//!
//! Two layers that know nothing of each other:
//!
//! - **Allocation** ([`ClockState`], [`TimePolicy`], [`TimeManager`], [`Bounds`], joined in [`TimeRules::allot`]) is pure
//!   arithmetic. It reads no clock, so the same input gives the same budget on any machine, and tests can check it row by
//!   row. So is what makes more or less of a budget by what the search has [`SearchStats`] ([`adaptive`]), and the measured
//!   overhead ([`OverheadEstimator`]).
//! - **Honouring** ([`StopSignal`], [`StopCheck`]) is where this room reads the clock, and nowhere else.
//!
//! The caller joins the two: it turns a budget into a deadline and gives that to a signal. This room must not know
//! the board, the dice, the search or the protocol; it imports nothing from the rest of the crate.

pub mod adaptive;
mod allotment;
mod bounds;
mod clock;
mod manager;
mod overhead;
mod policy;
mod stats;
mod stop;

pub use allotment::{Allotment, Overhead, TimeRules};
pub use bounds::{Bounds, TimeUse, UnknownTimeUse, bottom};
pub use clock::ClockState;
pub use manager::{
    MAX_FRACTION, MIN_THINK, PANIC_BUDGET, PANIC_THRESHOLD, RESERVE_FLOOR, RESERVE_FRACTION, TimeBudget, TimeManager,
    fixed_time_ms,
};
pub use overhead::{OBSERVED_AT_LEAST, OVERHEAD_FLOOR, OverheadEstimator, SentClock};
pub use policy::{Horizon, TimePolicy, UnknownTimePolicy};
pub use stats::{Checkpoint, SearchStats};
pub use stop::{Never, StopCheck, StopSignal};
