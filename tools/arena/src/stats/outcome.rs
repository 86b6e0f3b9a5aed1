//! Counts of results: wins, draws and losses, and the five results that a pair of games can have.

use super::moments::{Comoments, Moments};
use serde::Serialize;

/// How a game ended for one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 0 points.
    Loss,
    /// Half a point.
    Draw,
    /// 1 point.
    Win,
}

impl Outcome {
    /// 0, 1 or 2 half points.
    pub const fn half_points(self) -> u8 {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }

    /// 0, 0.5 or 1 point.
    pub const fn points(self) -> f64 {
        self.half_points() as f64 / 2.0
    }

    /// The same game as its other player saw it.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// Games counted by their outcome, from one player's view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Wdl {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Wdl {
    /// Counts one game.
    pub fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Win => self.wins += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Loss => self.losses += 1,
        }
    }

    /// All games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// A win counts 1, a draw half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game, 0 to 1; `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The share of draws, 0 to 1; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }
}

impl FromIterator<Outcome> for Wdl {
    fn from_iter<I: IntoIterator<Item = Outcome>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        outcomes.into_iter().for_each(|outcome| counts.add(outcome));
        counts
    }
}

/// Complete pairs counted by the points that one player took from them: 0, ½, 1, 1½, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pentanomial {
    /// Entry i counts the pairs with i half points.
    pub counts: [u64; 5],
}

impl Pentanomial {
    /// Counts one complete pair.
    pub fn add(&mut self, first_half: Outcome, second_half: Outcome) {
        self.counts[usize::from(first_half.half_points() + second_half.half_points())] += 1;
    }

    /// All pairs.
    pub fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The moments of the mean score per game of a pair: 0, ¼, ½, ¾ or 1.
    pub fn moments(&self) -> Moments {
        let mut moments = Moments::default();
        for (half_points, &count) in self.counts.iter().enumerate() {
            moments.push_many(half_points as f64 / 4.0, count);
        }
        moments
    }

    /// Pairs won (1½ or 2 points) for every pair lost (½ or 0). Infinite when none was lost, `None` when none was
    /// decided either way.
    pub fn pair_ratio(&self) -> Option<f64> {
        let lost = self.counts[0] + self.counts[1];
        let won = self.counts[3] + self.counts[4];
        (lost + won > 0).then(|| won as f64 / lost as f64)
    }

    /// The share of pairs that ended 1 : 1, 0 to 1; `None` without pairs.
    pub fn drawn_pair_ratio(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.counts[2] as f64 / self.pairs() as f64)
    }
}

impl FromIterator<(Outcome, Outcome)> for Pentanomial {
    fn from_iter<I: IntoIterator<Item = (Outcome, Outcome)>>(pairs: I) -> Self {
        let mut counts = Self::default();
        pairs.into_iter().for_each(|(first, second)| counts.add(first, second));
        counts
    }
}

/// Pearson's correlation, −1 to 1, between the scores that one player took from the two halves of the pairs.
///
/// With mirrored dice the same dice serve the player in one half and the opponent in the other. The more the dice
/// decide, the closer this comes to −1, and the fewer pairs a match needs: the variance of a pair's mean is
/// (1 + correlation) / 2 of a game's. `None` with fewer than two pairs or where one half has always the same score.
pub fn half_correlation(pairs: impl IntoIterator<Item = (Outcome, Outcome)>) -> Option<f64> {
    let mut moments = Comoments::default();
    pairs.into_iter().for_each(|(first, second)| moments.push(first.points(), second.points()));
    moments.correlation()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Draw, Loss, Win};

    #[test]
    fn games_are_counted_and_scored() {
        let counts: Wdl = [Win, Win, Draw, Loss].into_iter().collect();
        assert_eq!(counts, Wdl { wins: 2, draws: 1, losses: 1 });
        assert_eq!((counts.games(), counts.points()), (4, 2.5));
        assert_eq!((counts.score(), counts.draw_ratio()), (Some(0.625), Some(0.25)));
        assert_eq!((Wdl::default().score(), Wdl::default().draw_ratio()), (None, None));
        for outcome in [Win, Draw, Loss] {
            assert_eq!(outcome.points() + outcome.reversed().points(), 1.0);
        }
    }

    #[test]
    fn pairs_fall_into_five_classes() {
        let all = [Loss, Draw, Win];
        let pairs: Pentanomial = all.into_iter().flat_map(|a| all.map(|b| (a, b))).collect();
        assert_eq!(pairs.counts, [1, 2, 3, 2, 1]);
        assert_eq!((pairs.pairs(), pairs.pair_ratio(), pairs.drawn_pair_ratio()), (9, Some(1.0), Some(1.0 / 3.0)));
        // Each game's variance is 1/6; the mean of two independent ones has half of it.
        let moments = pairs.moments();
        assert!((moments.mean() - 0.5).abs() < 1e-15 && (moments.variance() - 1.0 / 12.0).abs() < 1e-15);
    }

    #[test]
    fn the_pair_ratio_without_lost_or_decided_pairs() {
        assert_eq!(Pentanomial { counts: [0, 0, 3, 1, 0] }.pair_ratio(), Some(f64::INFINITY));
        assert_eq!(Pentanomial { counts: [2, 0, 3, 0, 0] }.pair_ratio(), Some(0.0));
        assert_eq!(Pentanomial { counts: [0, 0, 3, 0, 0] }.pair_ratio(), None);
        assert_eq!(Pentanomial::default().drawn_pair_ratio(), None);
    }

    #[test]
    fn halves_correlate_as_the_dice_decide() {
        assert_eq!(half_correlation([(Win, Loss), (Loss, Win), (Win, Loss)]), Some(-1.0));
        assert_eq!(half_correlation([(Win, Win), (Loss, Loss)]), Some(1.0));
        assert_eq!(half_correlation([(Win, Win), (Loss, Loss), (Win, Loss), (Loss, Win)]), Some(0.0));
        // x = 1, 1, ½, 0 and y = 0, ½, ½, 1, with means 5/8 and 1/2: Σ of products −0.5, of squares 0.6875 and 0.5.
        let by_hand = -0.5 / (0.6875_f64 * 0.5).sqrt();
        let halves = [(Win, Loss), (Win, Draw), (Draw, Draw), (Loss, Win)];
        assert!((half_correlation(halves).expect("both halves vary") - by_hand).abs() < 1e-12);
        assert_eq!(half_correlation([(Win, Loss)]), None);
        assert_eq!(half_correlation([(Win, Loss), (Win, Win)]), None);
    }
}
