//! Positions with what is known of them, as `train play` wrote them.

use super::features::{Feature, features};
use super::packed::{self, PackedError, Sample};
use std::path::PathBuf;

/// All positions of all games, in their order.
#[derive(Default)]
pub struct Samples {
    features: Vec<Feature>,
    /// Where the features of each position end.
    ends: Vec<usize>,
    /// The exact chance to capture the king with the next roll.
    pub captures: Vec<f64>,
    /// What the evaluation that played said of the position.
    pub values: Vec<f64>,
    /// What it said one turn deeper: the mean over all rolls of the best turn.
    pub deeper: Vec<f64>,
    /// How many pieces are on the board.
    pub pieces: Vec<u32>,
    /// The number of the game, counted over all files.
    pub games: Vec<u64>,
}

impl Samples {
    /// Reads files of packed records. The games of a file are counted on from those of the one before.
    pub fn read(paths: &[PathBuf]) -> Result<Self, PackedError> {
        let mut samples = Self::default();
        for path in paths {
            let first_game = samples.games.last().map_or(0, |game| game + 1);
            let mut found = Vec::new();
            packed::read(path, |sample| samples.add(&sample, first_game, &mut found))?;
        }
        Ok(samples)
    }

    fn add(&mut self, sample: &Sample, first_game: u64, found: &mut Vec<Feature>) {
        features(&sample.position, found);
        self.features.extend_from_slice(found);
        self.ends.push(self.features.len());
        self.captures.push(f64::from(sample.captures) / 216.0);
        self.values.push(f64::from(sample.value));
        self.deeper.push(f64::from(sample.deeper));
        self.pieces.push(sample.position.occupied().count());
        // The result is for those who read the file otherwise: the luck of the dice is in it.
        self.games.push(first_game + u64::from(sample.game));
    }

    #[cfg(test)]
    pub fn add_for_test(&mut self, sample: &Sample) {
        self.add(sample, 0, &mut Vec::new());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn features(&self, position: usize) -> &[Feature] {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.features[start..self.ends[position]]
    }
}
