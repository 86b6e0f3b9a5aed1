//! Positions as the trainer sees them.

use crate::packed::{self, PackedError, Sample};
use crate::targets::target;
use astragal::board::Position;
use astragal::eval::evaluate_quietly;
use astragal::eval::network::NetworkInputs;
use std::path::{Path, PathBuf};

/// Games with numbers that leave this remainder are kept out, to see how the network does on what it has not seen.
const HELD_OUT: (u32, u32) = (20, 19);

/// A position and what it is to be worth.
#[derive(Clone, Copy)]
pub struct Item {
    pub inputs: NetworkInputs,
    /// What the linear evaluation says, in 1000 centipawns.
    pub linear: f32,
    /// The chance to capture the king with the next roll.
    pub captures: f32,
    pub target: f32,
    /// The number of its game, among those of its file.
    pub game: u32,
}

#[derive(Default)]
pub struct Data {
    pub train: Vec<Item>,
    pub held_out: Vec<Item>,
}

impl Item {
    pub fn new(position: &Position, captures: f32, target: f32, game: u32) -> Self {
        let inputs = NetworkInputs::of(position);
        Self { inputs, linear: evaluate_quietly(position) as f32 / 1000.0, captures, target, game }
    }

    /// What the position is worth if the network adds `output`, in 1000 centipawns; and how steeply that depends on it.
    #[inline]
    pub fn value(&self, output: f32) -> (f32, f32) {
        let x = self.linear + output;
        let root = (x * x + 1.0).sqrt();
        let quiet = 1.0 - self.captures;
        (self.captures + quiet * x / root, quiet / (root * root * root))
    }
}

impl Data {
    pub fn read(paths: &[PathBuf], lambda: f64) -> Result<Self, PackedError> {
        let mut data = Self::default();
        for path in paths {
            games(path, |game| data.add(game, lambda))?;
        }
        Ok(data)
    }

    /// Of one file the positions that are kept out, those of a game side by side.
    pub fn read_held_out(path: &Path, lambda: f64) -> Result<Vec<Item>, PackedError> {
        let mut data = Self::default();
        games(path, |game| {
            if game.first().is_some_and(is_held_out) {
                data.add(game, lambda);
            }
        })?;
        Ok(data.held_out)
    }

    /// Adds a whole game.
    fn add(&mut self, game: &[Sample], lambda: f64) {
        let mut next: Option<(f64, f64)> = None;
        for sample in game.iter().rev() {
            let target = target(f64::from(sample.deeper), lambda, next);
            next = Some((f64::from(sample.value), target));
            let item = Item::new(&sample.position, f32::from(sample.captures) / 216.0, target as f32, sample.game);
            if is_held_out(sample) { &mut self.held_out } else { &mut self.train }.push(item);
        }
    }
}

fn is_held_out(sample: &Sample) -> bool {
    sample.game % HELD_OUT.0 == HELD_OUT.1
}

/// Calls `visit` for each whole game of a file; one that was cut off is left out.
fn games(path: &Path, mut visit: impl FnMut(&[Sample])) -> Result<(), PackedError> {
    let mut game: Vec<Sample> = Vec::new();
    packed::read(path, |sample| {
        game.push(sample);
        if sample.last {
            visit(&game);
            game.clear();
        }
    })
}

/// The root of the mean square error of the linear evaluation alone.
pub fn linear_error(items: &[Item]) -> f64 {
    let squares: f64 = items.iter().map(|item| f64::from(item.value(0.0).0 - item.target).powi(2)).sum();
    (squares / items.len() as f64).sqrt()
}
