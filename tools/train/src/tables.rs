//! Weights as Rust source, written and read back: `src/eval/weights.rs`.

use super::layout::{
    CENTIPAWN_SCALE, DIAGONAL, DIAGONALS, ENEMY_KING, HITS, MOBILITY, OWN_KING, PLACES, SQUARE, STRAIGHT, STRAIGHTS,
    TEMPO, WEIGHTS, near_file,
};
use nalgebra::DVector;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// A file of weights that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: no table {name} of {count} whole numbers", path.display())]
    Table { path: PathBuf, name: &'static str, count: usize },
}

/// The tables but the first: name, what its comment says, shape (outermost first) and where its weights begin. In these
/// every weight stands once, in the order of the vector.
const TABLES: [(&str, &str, &[usize], usize); 6] = [
    (
        "ENEMY_KING",
        "By type (no king) and place: 8 × (7 + ranks ahead of the enemy king) + files away from it.",
        &[5, PLACES],
        ENEMY_KING,
    ),
    ("OWN_KING", "The same as seen from the own king.", &[5, PLACES], OWN_KING),
    ("DIAGONAL", "By the number of squares seen from the own king's square on diagonals.", &[DIAGONALS], DIAGONAL),
    (
        "STRAIGHT",
        "By the number of squares seen from the own king's square on its rank and file.",
        &[STRAIGHTS],
        STRAIGHT,
    ),
    (
        "HITS",
        "By whose attack (the side to roll first), the attacker's type and the type of what it attacks.",
        &[2, 6, 6],
        HITS,
    ),
    (
        "MOBILITY",
        "For each square that a type of piece attacks, by whose (the side to roll first) and type.",
        &[2, 6],
        MOBILITY,
    ),
];

/// Reads weights, in units of 1000 centipawns.
pub fn read(path: &Path) -> Result<DVector<f64>, TablesError> {
    let source = fs::read_to_string(path).map_err(|source| TablesError::Io { path: path.to_owned(), source })?;
    let table = |name: &'static str, count: usize| {
        numbers(&source, name).filter(|found| found.len() == count).ok_or_else(|| TablesError::Table {
            path: path.to_owned(),
            name,
            count,
        })
    };
    let mut weights = DVector::zeros(WEIGHTS);
    for (entry, weight) in table("SQUARE", 6 * 64)?.into_iter().enumerate() {
        weights[SQUARE + 32 * (entry / 64) + near_file(entry % 64)] = weight;
    }
    for (name, _, shape, start) in TABLES {
        for (entry, weight) in table(name, shape.iter().product())?.into_iter().enumerate() {
            weights[start + entry] = weight;
        }
    }
    weights[TEMPO] = table("TEMPO", 1)?[0];
    Ok(weights / CENTIPAWN_SCALE)
}

/// The whole numbers between the `=` after a name and the next `;`.
fn numbers(source: &str, name: &str) -> Option<Vec<f64>> {
    let (_, declared) = source.split_once(&format!(" {name}: "))?;
    let (_, value) = declared.split_once(" = ").or_else(|| declared.split_once(" =\n"))?;
    let (value, _) = value.split_once(";\n")?;
    let words = value.split(|c: char| !c.is_ascii_digit() && c != '-').filter(|word| !word.is_empty());
    words.map(|word| word.parse::<i16>().ok().map(f64::from)).collect()
}

/// Writes weights, rounded to centipawns. How the lines are broken is `cargo fmt`'s business.
pub fn write(path: &Path, weights: &DVector<f64>, positions: usize) -> Result<(), TablesError> {
    fs::write(path, render(weights, positions)).map_err(|source| TablesError::Io { path: path.to_owned(), source })
}

fn render(weights: &DVector<f64>, positions: usize) -> String {
    let centipawns = |index: usize| (weights[index] * CENTIPAWN_SCALE).round() as i16;
    let mut text = format!(
        "//! The weights of the evaluation, in centipawns. Made by `tools/train` from {positions} positions; do not edit.\n"
    );
    let squares: Vec<i16> =
        (0..6 * 64).map(|entry| centipawns(SQUARE + 32 * (entry / 64) + near_file(entry % 64))).collect();
    let what = "By type and square, seen from the side of the piece's owner; material is in it.";
    table(&mut text, "SQUARE", what, &[6, 64], &squares);
    for (name, what, shape, start) in TABLES {
        let entries: Vec<i16> = (0..shape.iter().product()).map(|entry| centipawns(start + entry)).collect();
        table(&mut text, name, what, shape, &entries);
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "\n/// For the right to roll next.\npub(super) const TEMPO: i32 = {};\n", centipawns(TEMPO));
    text
}

/// Adds a table of that shape.
fn table(text: &mut String, name: &str, what: &str, shape: &[usize], entries: &[i16]) {
    let kind = shape.iter().rev().fold("i16".to_owned(), |inner, length| format!("[{inner}; {length}]"));
    let _ = write!(text, "\n/// {what}\npub(super) static {name}: {kind} = {};\n", nested(shape, entries));
}

fn nested(shape: &[usize], entries: &[i16]) -> String {
    let parts: Vec<String> = match shape {
        [] | [_] => entries.iter().map(i16::to_string).collect(),
        [_, inner @ ..] => entries.chunks(inner.iter().product()).map(|part| nested(inner, part)).collect(),
    };
    format!("[{}]", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::features;
    use astragal::board::Rolled;
    use astragal::eval::evaluate_quietly;

    const WEIGHTS_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../src/eval/weights.rs");

    #[test]
    fn what_is_written_is_read_back() {
        let weights = DVector::from_fn(WEIGHTS, |index, _| ((index * 37) % 2001) as f64 / 1000.0 - 1.0);
        let path = std::env::temp_dir().join(format!("astragal-weights-{}.rs", std::process::id()));
        write(&path, &weights, 1).unwrap_or_else(|error| panic!("{error}"));
        let back = read(&path);
        let _ = fs::remove_file(&path);
        let back = back.unwrap_or_else(|error| panic!("{error}"));
        assert!((&back - &weights).amax() < 1e-9);
    }

    #[test]
    fn features_and_weights_give_the_evaluation_of_the_engine() {
        let weights = read(Path::new(WEIGHTS_FILE)).unwrap_or_else(|error| panic!("{error}"));
        for dfen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1 -",
            "8/5k2/3q4/8/2Q5/8/1K6/8 b - - 0 1 -",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{error}")).position;
            let mut found = Vec::new();
            features(&position, &mut found);
            let sum: f64 = found.iter().map(|&(index, count)| weights[usize::from(index)] * f64::from(count)).sum();
            assert_eq!((sum * CENTIPAWN_SCALE).round() as i32, evaluate_quietly(&position), "{dfen}");
        }
    }
}
