//! `budget`: what a turn may spend of a clock.

use crate::words::value_error;
use astragal::time::{Allotment, Bounds, ClockState, Overhead, TimePolicy, TimeRules, TimeUse};
use pyo3::prelude::*;

/// What a turn may spend, in whole milliseconds.
#[pyclass(frozen, get_all, eq, module = "astragal")]
#[derive(PartialEq)]
pub struct Budget {
    /// What the turn should take, before the overhead is taken off.
    target: u64,
    /// What it may take when the search finds it worth while, before the overhead is taken off.
    hard_cap: u64,
    /// When the search must end.
    deadline: u64,
    /// When it may end, or ``None`` if it is to use all that it has.
    soft: Option<u64>,
}

impl Budget {
    /// When a search must end, and when it may.
    pub fn bounds(&self) -> Bounds {
        Bounds { soft_ms: self.soft, deadline_ms: self.deadline }
    }
}

impl From<Allotment> for Budget {
    fn from(allotment: Allotment) -> Self {
        let Allotment { budget, bounds } = allotment;
        Self {
            target: budget.target_ms,
            hard_cap: budget.hard_cap_ms,
            deadline: bounds.deadline_ms,
            soft: bounds.soft_ms,
        }
    }
}

#[pymethods]
impl Budget {
    fn __repr__(&self) -> String {
        let soft = self.soft.map_or("None".to_owned(), |ms| ms.to_string());
        let Self { target, hard_cap, deadline, .. } = self;
        format!("Budget(target={target}, hard_cap={hard_cap}, deadline={deadline}, soft={soft})")
    }
}

/// Adds the class and the function.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Budget>()?;
    module.add_function(wrap_pyfunction!(budget, module)?)
}

/// What a turn may spend of its clock; all times in whole milliseconds.
///
/// ``remaining`` is the time left, ``increment`` is credited after the turn, ``delay`` is given back of what it uses;
/// negative times count as 0. ``move_number`` is the full-move number, ``moves_to_go`` the own turns until the next time
/// control if the control is cyclic, ``turns_out_of_book`` the own turns since the last one from a book (by default
/// ``move_number - 1``). ``policy`` and ``time_use`` are values of the options TimePolicy and TimeUse, ``overhead`` is that of
/// Move Overhead.
///
/// Raises ``ValueError`` if there is no such policy or use of time.
#[pyfunction]
#[pyo3(signature = (remaining, increment = 0, delay = 0, *, move_number = 1, moves_to_go = None, turns_out_of_book = None, policy = None, time_use = None, overhead = 50))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
fn budget(
    remaining: i64,
    increment: i64,
    delay: i64,
    move_number: u32,
    moves_to_go: Option<u32>,
    turns_out_of_book: Option<u32>,
    policy: Option<&str>,
    time_use: Option<&str>,
    overhead: u64,
) -> PyResult<Budget> {
    let policy = policy.map_or(Ok(TimePolicy::default()), str::parse).map_err(value_error)?;
    let time_use = time_use.map_or(Ok(TimeUse::default()), str::parse).map_err(value_error)?;
    let clock = ClockState {
        remaining_ms: remaining,
        increment_ms: increment,
        delay_ms: delay,
        move_number,
        moves_to_go,
        turns_out_of_book: turns_out_of_book.unwrap_or(move_number.saturating_sub(1)),
    };
    let rules = TimeRules { policy, time_use, overhead: Overhead::set(overhead) };
    let allotment = rules.allot(Some(&clock), None);
    allotment.map(Budget::from).ok_or_else(|| value_error("there is no clock"))
}
