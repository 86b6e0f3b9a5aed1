//! A few of the 56 rolls that stand for all of them, the same ones in every position.

use crate::board::PieceType;
use crate::rules::{Roll, RollSet};

/// Rolls with weights that add up to 216.
///
/// The rolls come in classes that a shift of all faces (pawn to knight, knight to bishop … king to pawn) maps to
/// themselves: in each every face is as frequent as any other. Samples of 6, 8, 14, 20, 26 … rolls consist of whole
/// classes. Rolls of three, two and one different faces are strata: those in the sample stand for all of their
/// stratum.
#[derive(Clone, Debug)]
pub(super) struct RollSample {
    rolls: RollSet,
    weights: [f64; Roll::COUNT],
}

/// One roll of each class, the classes in the order in which they are taken: first three different faces and then
/// two, as long as there are both. They hold 6, 2, 6, 6, 6, 6, 6, 6, 6 and 6 rolls.
const CLASSES: [[usize; 3]; 10] =
    [[0, 1, 3], [0, 2, 4], [0, 0, 3], [0, 1, 4], [0, 0, 1], [0, 1, 2], [0, 0, 5], [0, 0, 2], [0, 0, 4], [0, 0, 0]];

impl RollSample {
    /// A sample of `count` rolls; it is brought into 1..=56.
    pub(super) fn new(count: usize) -> Self {
        let shifted = |class: [usize; 3], by: usize| Roll::of(class.map(|face| PieceType::ALL[(face + by) % 6]));
        let mut rolls = RollSet::EMPTY;
        let mut left = count.clamp(1, Roll::COUNT);
        for class in CLASSES {
            for roll in (0..6).map(|by| shifted(class, by)) {
                if left > 0 && !rolls.has(roll) {
                    rolls.insert(roll);
                    left -= 1;
                }
            }
        }
        let mut weights = [0.0; Roll::COUNT];
        // A stratum that has no roll in the sample is left to the next one. The last always has.
        let mut total = 0;
        for stratum in [1, 3, 6] {
            let of_stratum = || Roll::all().filter(|roll| roll.weight() == stratum);
            total += of_stratum().count() as u32 * stratum;
            let taken = of_stratum().filter(|&roll| rolls.has(roll)).count();
            if taken > 0 {
                let each = f64::from(total) / taken as f64;
                of_stratum().filter(|&roll| rolls.has(roll)).for_each(|roll| weights[roll.index()] = each);
                total = 0;
            }
        }
        Self { rolls, weights }
    }

    /// The rolls.
    pub(super) fn rolls(&self) -> RollSet {
        self.rolls
    }

    /// How many of the 216 throws each roll stands for; 0 if it is not in the sample.
    pub(super) fn weights(&self) -> &[f64; Roll::COUNT] {
        &self.weights
    }

    /// How many of the 216 throws a roll stands for; 0 if it is not in the sample.
    pub(super) fn weight(&self, roll: Roll) -> f64 {
        self.weights[roll.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(sample: &RollSample) -> f64 {
        Roll::all().map(|roll| sample.weight(roll)).sum()
    }

    #[test]
    fn weights_add_up_and_are_those_of_the_rolls_at_last() {
        for count in 1..=Roll::COUNT {
            let sample = RollSample::new(count);
            assert_eq!(Roll::all().filter(|&roll| sample.rolls().has(roll)).count(), count);
            assert!((sum(&sample) - 216.0).abs() < 1e-9, "{count}");
            assert!(Roll::all().all(|roll| sample.rolls().has(roll) == (sample.weight(roll) > 0.0)), "{count}");
        }
        let all = RollSample::new(Roll::COUNT);
        assert!(Roll::all().all(|roll| all.weight(roll) == f64::from(roll.weight())));
    }

    #[test]
    fn whole_classes_show_every_face_equally_often() {
        for count in [6, 8, 14, 20, 26, 32, 38, 44, 50, 56] {
            let sample = RollSample::new(count);
            for face in PieceType::ALL {
                let shown = |roll: Roll| roll.faces().into_iter().filter(|&shown| shown == face).count() as f64;
                let mean = Roll::all().map(|roll| sample.weight(roll) * shown(roll)).sum::<f64>();
                assert!((mean - 108.0).abs() < 1e-9, "{count} {face:?}: {mean}");
            }
        }
    }
}
