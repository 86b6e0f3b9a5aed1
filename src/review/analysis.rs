//! A position by itself: its best turns, or its 56 rolls.

use crate::board::Rolled;
use crate::bots::BudgetedBot;
use crate::rules::{Roll, Turn, TurnEnd, apply_roll, outcomes, winning_rolls};
use crate::search::{Event, Expectimax, ExpectimaxSettings, Mode, Task};
use crate::time::StopSignal;

/// A turn in an analysis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TurnLine {
    /// The turn.
    pub turn: Turn,
    /// What it is worth to the side to move.
    pub equity: f64,
    /// The value of the best turn less that.
    pub loss: f64,
    /// Throws out of 216 that capture the own king next; 0 if the turn captures the king.
    pub danger: u32,
    /// Whether it captures the king.
    pub captures: bool,
}

/// A roll in an analysis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RollLine {
    /// The roll.
    pub roll: Roll,
    /// What it is worth to the side that rolls.
    pub equity: f64,
    /// That less the mean.
    pub luck: f64,
    /// Its best turn.
    pub turn: Turn,
}

/// What is said of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The position.
    pub rolled: Rolled,
    /// Turns looked ahead.
    pub depth: u32,
    /// What it is worth to the side to move: its best turn, or the mean of its rolls.
    pub equity: f64,
    /// Legal turns and distinct outcomes; zero without dice.
    pub choice: (u64, usize),
    /// Throws out of 216 that capture the own king if the side passes.
    pub danger: u32,
    /// Throws out of 216 that let the side to move capture the enemy king.
    pub attack: u32,
    /// The best turns, the best first.
    pub turns: Vec<TurnLine>,
    /// All 56 rolls in dice order; empty with dice.
    pub rolls: Vec<RollLine>,
}

/// Analyses positions.
pub struct Analyser {
    search: Expectimax,
    depth: u32,
    lines: usize,
}

impl Analyser {
    /// An analyser that looks `depth` turns ahead, tells the `lines` best turns, and uses so many threads.
    pub fn new(depth: u32, lines: usize, threads: usize) -> Self {
        let settings = ExpectimaxSettings { threads: threads.max(1), ..ExpectimaxSettings::linear() };
        Self { search: Expectimax::new(settings), depth: depth.max(1), lines: lines.max(1) }
    }

    /// Analyses a position with three dice or none; `None` if `stop` is raised before, if there are one or two dice, or
    /// if the game is drawn.
    pub fn analyse(&mut self, rolled: &Rolled, stop: Option<&StopSignal>) -> Option<Analysis> {
        let position = &rolled.position;
        if position.is_drawn() {
            return None;
        }
        let mut analysis = Analysis {
            rolled: *rolled,
            depth: self.depth,
            equity: 0.0,
            choice: (0, 0),
            danger: winning_rolls(&position.end_turn()).weight(),
            attack: winning_rolls(position).weight(),
            turns: Vec::new(),
            rolls: Vec::new(),
        };
        if rolled.dice.is_empty() {
            self.rolls(&mut analysis, stop)?;
        } else {
            Roll::from_dice(rolled.dice)?;
            self.turns(&mut analysis, stop)?;
        }
        Some(analysis)
    }

    /// What one legal turn is worth to the side to move; `None` if it is not legal.
    pub fn value(&mut self, rolled: &Rolled, turn: Turn) -> Option<f64> {
        match apply_roll(rolled, turn).ok()? {
            TurnEnd::KingCaptured => return Some(1.0),
            TurnEnd::Position(_) => {}
        }
        let mut task = Task::new(*rolled);
        task.limits.depth = Some(self.depth);
        task.search_moves.extend([turn]);
        let mut value = None;
        self.search.choose(&task, None, &mut |event| {
            if let Event::Info(info) = event {
                value = Some(info.score.equity().value());
            }
        });
        value
    }

    fn rolls(&mut self, analysis: &mut Analysis, stop: Option<&StopSignal>) -> Option<()> {
        let mut task = Task::new(analysis.rolled);
        task.limits.depth = Some(self.depth);
        task.mode = Mode::EachRoll { until_stopped: false };
        let depth = self.depth;
        self.search.choose(&task, stop, &mut |event| match event {
            Event::Roll(info) if info.depth == depth => {
                let equity = info.score.equity().value();
                analysis.rolls.push(RollLine { roll: info.roll, equity, luck: 0.0, turn: info.turn });
            }
            Event::Info(info) if info.depth == depth => analysis.equity = info.score.equity().value(),
            _ => {}
        });
        if analysis.rolls.len() != Roll::COUNT {
            return None;
        }
        let mean = analysis.equity;
        analysis.rolls.iter_mut().for_each(|line| line.luck = line.equity - mean);
        Some(())
    }

    fn turns(&mut self, analysis: &mut Analysis, stop: Option<&StopSignal>) -> Option<()> {
        let rolled = analysis.rolled;
        let found = outcomes(&rolled);
        let count = found.distinct.len() + usize::from(found.king_capture.is_some());
        analysis.choice = (found.legal_turns().max(1), count);
        let mut task = Task::new(rolled);
        task.limits.depth = Some(self.depth);
        task.multi_pv = self.lines;
        let mut lines: Vec<TurnLine> = Vec::new();
        let mut reached = 0;
        self.search.choose(&task, stop, &mut |event| {
            let Event::Info(info) = event else { return };
            let Some(turn) = info.turn else { return };
            if info.multipv == 1 {
                lines.clear();
                reached = info.depth;
            }
            let end = apply_roll(&rolled, turn);
            let danger = match end {
                Ok(TurnEnd::Position(next)) => winning_rolls(&next).weight(),
                _ => 0,
            };
            let captures = end == Ok(TurnEnd::KingCaptured);
            lines.push(TurnLine { turn, equity: info.score.equity().value(), loss: 0.0, danger, captures });
        });
        let best = *lines.first()?;
        if stop.is_some_and(StopSignal::is_raised) {
            return None;
        }
        lines.iter_mut().for_each(|line| line.loss = best.equity - line.equity);
        analysis.depth = reached;
        analysis.equity = best.equity;
        analysis.turns = lines;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTPOS;

    #[test]
    fn the_rolls_of_a_position_have_the_mean_that_is_told() {
        let rolled = Rolled::from_dfen(STARTPOS).expect("sound");
        let analysis = Analyser::new(1, 3, 1).analyse(&rolled, None).expect("nothing stops it");
        let luck: f64 = analysis.rolls.iter().map(|line| line.roll.probability() * line.luck).sum();
        assert!(analysis.rolls.len() == 56 && luck.abs() < 1e-9, "{luck}");
    }

    #[test]
    fn turns_come_the_best_first_and_a_capture_has_no_rival() {
        let mut analyser = Analyser::new(2, 3, 1);
        let rolled = Rolled::from_dfen("4k3/8/8/8/8/8/4P3/4K2R w K - 0 1 PPR").expect("sound");
        let analysis = analyser.analyse(&rolled, None).expect("nothing stops it");
        assert_eq!(analysis.turns.len(), 3);
        assert!(analysis.turns[0].loss == 0.0 && analysis.turns.is_sorted_by(|a, b| a.equity >= b.equity));
        let rolled = Rolled::from_dfen("7k/8/8/8/8/8/8/K6R w - - 0 1 RKK").expect("sound");
        let analysis = analyser.analyse(&rolled, None).expect("nothing stops it");
        assert!(analysis.turns[0].captures && analysis.equity == 1.0 && analysis.attack == 91);
        let value = |text: &str, analyser: &mut Analyser| analyser.value(&rolled, text.parse().expect("a turn"));
        assert_eq!(value("h1h8", &mut analyser), Some(1.0));
        assert!(value("h1g1,a1a2,a2a1", &mut analyser).is_some_and(|value| value < 1.0));
        assert_eq!(value("h1h7", &mut analyser), None, "two more dice can be used");
    }

    #[test]
    fn no_answer_to_one_die_or_a_finished_game() {
        for dfen in ["7k/8/8/8/8/8/8/K6R w - - 0 1 R", "7k/8/8/8/8/8/8/K6R w - - 100 90 -"] {
            let rolled = Rolled::from_dfen(dfen).expect("sound");
            assert_eq!(Analyser::new(1, 1, 1).analyse(&rolled, None), None, "{dfen}");
        }
    }
}
