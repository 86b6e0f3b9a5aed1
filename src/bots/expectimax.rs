//! `expectimax`: the search of that name as a bot.

use super::BudgetedBot;
use crate::rules::Turn;
use crate::search::{Expectimax, Reporter, Task};
use crate::time::{Never, StopSignal};

impl BudgetedBot for Expectimax {
    fn choose(&mut self, task: &Task, stop: Option<&StopSignal>, report: &mut Reporter<'_>) -> Turn {
        match stop {
            Some(stop) => self.search(task, stop, stop.deadline().is_some(), report),
            None => self.search(task, &Never, false, report),
        }
    }

    fn new_game(&mut self) {
        self.forget();
    }
}
