//! Positions with what is known of them, as `tune play` wrote them.

use super::features::{Feature, features};
use astragal::board::Rolled;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

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

/// A file of positions that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SamplesError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}, line {line}: not a position as `tune play` writes it", path.display())]
    Line { path: PathBuf, line: usize },
}

impl Samples {
    pub fn read(paths: &[PathBuf]) -> Result<Self, SamplesError> {
        let mut samples = Self::default();
        for path in paths {
            samples.read_file(path)?;
        }
        Ok(samples)
    }

    fn read_file(&mut self, path: &Path) -> Result<(), SamplesError> {
        let wrong = |source| SamplesError::Io { path: path.to_owned(), source };
        let first_game = self.games.last().map_or(0, |game| game + 1);
        let mut found = Vec::new();
        for (number, line) in (1..).zip(BufReader::new(File::open(path).map_err(wrong)?).lines()) {
            let line = line.map_err(wrong)?;
            self.add(&line, first_game, &mut found)
                .ok_or_else(|| SamplesError::Line { path: path.to_owned(), line: number })?;
        }
        Ok(())
    }

    fn add(&mut self, line: &str, first_game: u64, found: &mut Vec<Feature>) -> Option<()> {
        let mut fields = line.split('\t');
        let rolled = Rolled::from_dfen(fields.next()?).ok()?;
        let weight: u32 = fields.next()?.parse().ok().filter(|&weight| weight <= 216)?;
        let game: u64 = fields.next()?.parse().ok()?;
        // The result is for those who read the file otherwise: the luck of the dice is in it.
        let _result: i32 = fields.next()?.parse().ok()?;
        let value: f64 = fields.next()?.parse().ok()?;
        let deeper: f64 = fields.next()?.parse().ok()?;
        features(&rolled.position, found);
        self.features.extend_from_slice(found);
        self.ends.push(self.features.len());
        self.captures.push(f64::from(weight) / 216.0);
        self.values.push(value);
        self.deeper.push(deeper);
        self.pieces.push(rolled.position.occupied().count());
        self.games.push(first_game.checked_add(game)?);
        Some(())
    }

    #[cfg(test)]
    pub fn add_for_test(&mut self, line: &str) {
        assert!(self.add(line, 0, &mut Vec::new()).is_some());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn features(&self, position: usize) -> &[Feature] {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.features[start..self.ends[position]]
    }
}
