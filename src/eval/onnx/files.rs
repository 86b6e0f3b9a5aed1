//! Reads the file of a model, and those beside it that hold its weights, once and no more of them than is allowed.

use super::ModelError;
use super::check::{Checked, Refusal, check, shown};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path};

/// The most bytes of a model with its weights. The runtime keeps them up to three times.
const MOST_BYTES: u64 = 1 << 28;

/// A model that was read and checked.
pub(super) struct Loaded {
    pub(super) bytes: Vec<u8>,
    pub(super) checked: Checked,
    /// The files beside it, by the names that the model has for them.
    pub(super) beside: Vec<(String, Vec<u8>)>,
}

/// Reads and checks a model.
pub(super) fn load(path: &Path) -> Result<Loaded, ModelError> {
    let bytes = read(path, MOST_BYTES)?;
    let checked = check(&bytes)?;
    let mut left = MOST_BYTES.saturating_sub(bytes.len() as u64);
    let mut beside = Vec::with_capacity(checked.files.len());
    for (name, used) in &checked.files {
        // The runtime has the same rules for names, lest a model reads what is not meant for it.
        let plain = Path::new(name);
        let one = matches!(plain.components().collect::<Vec<_>>().as_slice(), [Component::Normal(_)]);
        let kind = plain.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !one || !(kind.starts_with("data") || kind.starts_with("onnx_data")) {
            return Err(Refusal::new(format!("{} is no name of a file for weights", shown(name))).into());
        }
        // The folder of the model itself, not of a link to it.
        let place = fs::canonicalize(path).map_err(|error| ModelError::File(error.to_string()))?;
        let bytes = read(&place.with_file_name(name), left).map_err(|error| match error {
            ModelError::File(text) => ModelError::File(format!("weights {}: {text}", shown(name))),
            other => other,
        })?;
        let length = bytes.len() as u64;
        if *used > length {
            return Err(Refusal::new(format!("the file {} has not all the weights", shown(name))).into());
        }
        left = left.saturating_sub(length);
        beside.push((name.clone(), bytes));
    }
    Ok(Loaded { bytes, checked, beside })
}

/// The whole of a regular file, if it has no more than so many bytes. Others are not even opened: a pipe may never have
/// anything to say, and a device may never end.
fn read(path: &Path, most: u64) -> Result<Vec<u8>, ModelError> {
    let failed = |error: io::Error| ModelError::File(error.to_string());
    let found = fs::metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(ModelError::File("not a file".to_owned()));
    }
    let too_large = || ModelError::File(format!("with its weights it has more than {MOST_BYTES} bytes"));
    if found.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that grows meanwhile.
    File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes)).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}
