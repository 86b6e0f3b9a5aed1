//! What a mean loss is called.

use super::pool::PoolRow;

/// How well somebody plays, by the mean loss of a decision.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Grade {
    /// As `expectimax` that looks one turn ahead.
    Master,
    /// As `aggressive` and `greedy-v2`, which know what a king in danger is.
    Advanced,
    /// As `greedy`, which knows what pieces are worth.
    Intermediate,
    /// As `checkmate-aware`, which sees a king that can be captured and else moves at random.
    Casual,
    /// As who moves at random.
    Beginner,
}

/// Below which mean loss, in thousandths of equity, which grade begins; what is above all of them is a beginner's. Each
/// border lies between the means of two of our own bots, as `docs/review.md` has them measured at depth 2; the intervals of
/// some neighbours all but touch.
pub const GRADES: [(Grade, f64); 4] =
    [(Grade::Master, 30.0), (Grade::Advanced, 118.0), (Grade::Intermediate, 150.0), (Grade::Casual, 225.0)];

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
            Self::Advanced => "advanced",
            Self::Intermediate => "intermediate",
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
