//! The play of one side of a game.

use super::game::GameReview;
use super::mark::Mark;
use super::turn::Stage;
use crate::board::Color;

/// Decisions and what they lost.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StageSummary {
    /// Turns with something to choose.
    pub decisions: u32,
    /// What they lost together, in equity.
    pub loss: f64,
}

impl StageSummary {
    /// The mean loss of a decision in thousandths of equity; none without decisions.
    pub fn mean_loss(&self) -> Option<f64> {
        (self.decisions > 0).then(|| 1000.0 * self.loss / f64::from(self.decisions))
    }

    pub(super) fn add(&mut self, loss: f64) {
        self.decisions += 1;
        self.loss += loss;
    }
}

/// What counts of a decision.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Played {
    /// Whether there was nothing to choose.
    pub is_forced: bool,
    /// What the turn has lost.
    pub loss: f64,
    /// Whether the king could be captured and was not.
    pub missed_capture: bool,
}

/// How a side played, and what luck it had.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SideSummary {
    /// Turns played.
    pub turns: u32,
    /// Those among them that were forced.
    pub forced: u32,
    /// All decisions.
    pub all: StageSummary,
    /// The decisions of each [`Stage`].
    pub stages: [StageSummary; 3],
    /// Turns with each [`Mark`].
    pub marks: [u32; 3],
    /// King captures that were missed; each has a mark besides.
    pub missed_captures: u32,
    /// The luck of all rolls together.
    pub luck: f64,
}

impl SideSummary {
    /// The summary of a side of a game.
    pub fn of(review: &GameReview, side: Color) -> Self {
        let mut summary = Self::default();
        for turn in review.turns.iter().filter(|turn| turn.side() == side) {
            let played = turn.decision.as_ref().map(|decision| Played {
                is_forced: decision.is_forced(),
                loss: decision.loss(),
                missed_capture: decision.missed_capture,
            });
            summary.add_turn(turn.luck, turn.stage(), played);
        }
        summary
    }

    /// Adds a roll and what was made of it, if anything was.
    pub(crate) fn add_turn(&mut self, luck: f64, stage: Stage, played: Option<Played>) {
        self.luck += luck;
        let Some(Played { is_forced, loss, missed_capture }) = played else { return };
        self.turns += 1;
        if is_forced {
            self.forced += 1;
            return;
        }
        self.all.add(loss);
        self.stages[stage as usize].add(loss);
        if let Some(mark) = Mark::of(loss) {
            self.marks[mark as usize] += 1;
        }
        self.missed_captures += u32::from(missed_capture);
    }

    /// Adds another one.
    pub fn add(&mut self, other: &Self) {
        let sum = |to: &mut StageSummary, from: &StageSummary| {
            to.decisions += from.decisions;
            to.loss += from.loss;
        };
        self.turns += other.turns;
        self.forced += other.forced;
        sum(&mut self.all, &other.all);
        self.stages.iter_mut().zip(&other.stages).for_each(|(to, from)| sum(to, from));
        self.marks.iter_mut().zip(&other.marks).for_each(|(to, from)| *to += from);
        self.missed_captures += other.missed_captures;
        self.luck += other.luck;
    }

    /// How many turns have that mark.
    pub const fn marked(&self, mark: Mark) -> u32 {
        self.marks[mark as usize]
    }

    /// The decisions of that stage.
    pub const fn stage(&self, stage: Stage) -> StageSummary {
        self.stages[stage as usize]
    }
}
