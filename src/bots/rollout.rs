//! A rollout as a bot: it plays the turn with the best result.

use super::BudgetedBot;
use crate::rollout::Rollout;
use crate::rules::Turn;
use crate::search::{Reporter, Task};
use crate::time::{Never, StopSignal};

impl BudgetedBot for Rollout {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match stop {
            Some(stop) => self.search(task, stop, stop.deadline().is_some(), report),
            None => self.search(task, &Never, false, report),
        }
    }
}
