//! What a mean loss is called.

use super::pool::PoolRow;

/// How well somebody plays, by the mean loss of a decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// Who plays so loses as little as the engine that looks one turn ahead.
    Master,
    /// Better than the bots that look at the position after their own turn only.
    Expert,
    /// Like those.
    Advanced,
    /// Like the bots that know the value of pieces.
    Casual,
    /// Anything else.
    Beginner,
}

/// Below which mean loss, in thousandths of equity, which grade begins; what is above all of them is a beginner's. Each lies
/// between two of our own bots, as `docs/review.md` has them measured at depth 2.
pub const GRADES: [(Grade, f64); 4] =
    [(Grade::Master, 10.0), (Grade::Expert, 20.0), (Grade::Advanced, 40.0), (Grade::Casual, 80.0)];

impl Grade {
    /// Games from which on a player has a grade.
    pub const FROM_GAMES: usize = 10;

    /// The grade of a mean loss in thousandths of equity.
    pub fn of(mean_loss: f64) -> Self {
        GRADES.iter().find(|&&(_, below)| mean_loss < below).map_or(Self::Beginner, |&(grade, _)| grade)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Master => "master",
            Self::Expert => "expert",
            Self::Advanced => "advanced",
            Self::Casual => "casual",
            Self::Beginner => "beginner",
        }
    }
}

impl PoolRow {
    /// The grade, from [`Grade::FROM_GAMES`] games on.
    pub fn grade(&self) -> Option<Grade> {
        self.mean_loss.filter(|_| self.games >= Grade::FROM_GAMES).map(|loss| Grade::of(loss.value))
    }
}
