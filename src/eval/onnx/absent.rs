//! The place of the model runtime in builds without it: no model loads, and so none ever runs.

use super::ModelError;
use std::convert::Infallible;
use std::path::Path;

/// A loaded model; there is none.
pub(super) struct Runtime(Infallible);

impl Runtime {
    /// Says that there is no runtime.
    pub(super) const fn load(_path: &Path) -> Result<Self, ModelError> {
        Err(ModelError::NotBuilt)
    }

    /// Says that there is no runtime.
    pub(super) fn from_bytes(_bytes: Vec<u8>) -> Result<Self, ModelError> {
        Err(ModelError::NotBuilt)
    }

    pub(super) const fn width(&self) -> usize {
        match self.0 {}
    }

    pub(super) const fn for_another_thread(&self) -> Self {
        match self.0 {}
    }

    pub(super) const fn run(&mut self, _rows: &[f32], _outputs: &mut Vec<f32>) -> Result<(), ModelError> {
        match self.0 {}
    }
}
