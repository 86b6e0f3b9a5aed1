//! Models by themselves: their values against those that Python computed, and what is said of bad ones.

use crate::common::{below, chance, game, pick, seeded};
use astragal::board::{Position, Rolled};
use astragal::eval::{Equity, EvalOutput, Evaluator, FeatureSet, ModelError, OnnxModel};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Inputs and what onnxruntime made of them.
#[derive(Deserialize)]
struct Reference {
    /// The inputs; for the 768 of a board, where the ones are.
    input: Vec<f32>,
    output: f32,
}

/// The kinds of inputs that have a model of that name here; one of the network's own kind is made, and tried, by `tools/train`.
const KINDS: [FeatureSet; 4] = [FeatureSet::Material, FeatureSet::Rich, FeatureSet::Captures, FeatureSet::RawBoard];

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name).with_extension("onnx")
}

fn load(name: &str) -> OnnxModel {
    let output = if name == "logit" { EvalOutput::Logit } else { EvalOutput::Probability };
    OnnxModel::load(&model(name), output).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn error_of(name: &str, output: EvalOutput) -> ModelError {
    match OnnxModel::load(&model(name), output) {
        Ok(_) => panic!("{name} loads"),
        Err(error) => error,
    }
}

fn positions(seed: u64, count: usize) -> Vec<Position> {
    game::random_positions(seed, count).into_iter().map(|rolled| rolled.position).collect()
}

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn values(model: &mut OnnxModel, positions: &[Position]) -> Vec<Equity> {
    let mut values = Vec::new();
    model.try_evaluate(positions, &mut values).expect("the model works");
    values
}

#[test]
fn outputs_are_those_of_another_runtime() {
    let file = std::fs::read_to_string(model("references").with_extension("json")).expect("the references");
    let references: BTreeMap<String, Vec<Reference>> = serde_json::from_str(&file).expect("JSON");
    assert!(KINDS.iter().all(|set| references.contains_key(set.id())));
    for (name, cases) in references {
        let mut model = load(&name);
        let mut rows = Vec::new();
        for case in &cases {
            match model.features() {
                FeatureSet::RawBoard => {
                    let start = rows.len();
                    rows.resize(start + 768, 0.0);
                    case.input.iter().for_each(|&at| rows[start + at as usize] = 1.0);
                }
                _ => rows.extend(&case.input),
            }
        }
        let outputs = model.run(&rows).expect("the model works");
        assert_eq!(outputs.len(), cases.len());
        for (output, case) in outputs.iter().zip(&cases) {
            assert!((output - case.output).abs() < 1e-5, "{name}: {output} for {}", case.output);
        }
    }
}

#[test]
fn widths_tell_the_inputs() {
    for set in KINDS {
        assert_eq!(load(set.id()).features(), set);
    }
    assert_eq!(load("planes").features(), FeatureSet::RawBoard, "[batch, 12, 8, 8]");
}

#[test]
fn a_position_has_the_same_value_in_every_batch() {
    let positions = positions(63, 70);
    for name in ["material", "rich", "kcp", "rawboard", "planes", "logit", "flat_output", "fixed_batch"] {
        let mut model = load(name);
        let together = values(&mut model, &positions);
        for size in [1, 2, 3, 5, 31, 32, 33] {
            let parts: Vec<Equity> = positions.chunks(size).flat_map(|part| values(&mut model, part)).collect();
            assert_eq!(together, parts, "{name} in batches of {size}");
        }
    }
}

#[test]
fn outputs_become_equities() {
    let positions = positions(64, 50);
    let (mut logit, mut probability, mut fixed) = (load("logit"), load("flat_output"), load("fixed_batch"));
    // The three have the same weights.
    let (logits, probabilities) = (values(&mut logit, &positions), values(&mut probability, &positions));
    for (a, b) in logits.iter().zip(&probabilities) {
        assert!((a.value() - b.value()).abs() < 1e-5, "{a:?} {b:?}");
    }
    for (a, b) in values(&mut fixed, &positions).iter().zip(&probabilities) {
        assert!((a.value() - b.value()).abs() < 1e-6, "{a:?} {b:?}");
    }
    let rook_up = position("4k3/8/8/8/8/8/8/K3R3 w - - 0 1 -");
    for set in KINDS {
        let value = values(&mut load(set.id()), &[rook_up])[0].value();
        assert!(value > 0.3, "{}: {value} for a rook more", set.id());
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let probability = EvalOutput::Probability;
    for (name, part) in [
        ("missing", "cannot read the file"),
        ("wrong_width", "has the shape [batch, 8]"),
        ("three_values", "gave 9 values for 3 positions"),
        ("two_outputs", "1 inputs and 2 outputs"),
        ("two_inputs", "2 inputs and 1 outputs"),
        ("integer_input", "its types are others"),
        ("integer_output", "its types are others"),
        ("nan", "gave the value NaN"),
        ("logit", "is EvalOutput logit?"),
    ] {
        let error = error_of(name, probability).to_string();
        assert!(error.contains(part), "{name}: {error}");
    }
    assert!(OnnxModel::load(Path::new("tests"), probability).is_err(), "a directory");
}

#[test]
fn another_thread_has_the_same_model() {
    let positions = positions(71, 40);
    let mut model = load("kcp");
    let mut other = model.for_another_thread();
    let expected = values(&mut model, &positions);
    let found = std::thread::scope(|scope| {
        let evaluate = || {
            let mut values = Vec::new();
            other.evaluate(&positions, &mut values);
            values
        };
        scope.spawn(evaluate).join().expect("it does not panic")
    });
    assert_eq!(found, expected);
    // A failure is seen from everywhere.
    let (failing, bare) = (load("nan_later"), position("4k3/8/8/8/8/8/8/K3R3 w - - 0 1 -"));
    failing.for_another_thread().evaluate(&[bare], &mut Vec::new());
    assert!(failing.failure().get().is_some());
}

/// A file with these bytes, away again when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("astragal-{}-{name}.onnx", std::process::id()));
        std::fs::write(&path, bytes).expect("a scratch file");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn garbage_and_torn_files_are_errors() {
    let whole = std::fs::read(model("material")).expect("the model");
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("text", b"this is no model\n"),
        ("zeros", &[0; 1000]),
        ("torn", &whole[..whole.len() / 2]),
        ("short", &whole[..whole.len() - 1]),
    ] {
        let file = Scratch::new(name, bytes);
        let error = OnnxModel::load(&file.0, EvalOutput::Probability).err();
        assert!(error.is_some(), "{name} loads");
    }
}

#[test]
fn a_model_that_fails_is_seen_to_have_failed() {
    let mut model = load("nan_later");
    let failure = model.failure();
    let full = game::start();
    let bare = position("4k3/8/8/8/8/8/8/K3R3 w - - 0 1 -");
    let mut values = Vec::new();
    model.evaluate(&[full; 2], &mut values);
    assert!(failure.get().is_none() && values[0] != Equity::DRAWN);
    model.evaluate(&[full, bare], &mut values);
    assert!(matches!(failure.get(), Some(ModelError::NotFinite(value)) if value.is_nan()));
    model.evaluate(&[full; 3], &mut values);
    assert_eq!(values[2..], [Equity::DRAWN; 5]);
}

/// The variable that says how many damaged copies of models are tried; 20,000 are a full run.
const MUTATIONS: &str = "ASTRAGAL_MUTATIONS";

/// How many are tried without it.
const FEW: usize = 5_000;

/// Tells the process of a batch its first copy and how many there are.
const BATCH: &str = "ASTRAGAL_MUTATION_BATCH";

/// How many copies one process tries.
const BATCH_SIZE: usize = 1000;

/// The address space of that process in KiB: 1 GiB, and half a GiB for the program with its threads.
const ADDRESSES: usize = (1 << 20) + (1 << 19);

/// The time for one copy.
const SECOND: Duration = Duration::from_secs(1);

/// A copy of a model with up to sixteen other bytes, or torn, or with something behind it.
fn damaged(number: usize, models: &[Vec<u8>]) -> Vec<u8> {
    let rng = &mut seeded(120_000 + number as u64);
    let mut bytes = models[below(rng, models.len())].clone();
    match below(rng, 10) {
        0 => bytes.truncate(below(rng, bytes.len())),
        1 => {
            let all_ones = chance(rng, 1, 2);
            let more = 1 + below(rng, 40);
            bytes.extend((0..more).map(|_| if all_ones { 0xff } else { below(rng, 256) as u8 }));
        }
        _ => {
            for _ in 0..=below(rng, 16) {
                change(rng, &mut bytes);
            }
        }
    }
    bytes
}

fn change(rng: &mut ChaCha8Rng, bytes: &mut [u8]) {
    // Most bytes of a large model are weights; the words between them are at its ends.
    let place = match below(rng, 4) {
        0 => below(rng, bytes.len()),
        1 => bytes.len() - 1 - below(rng, bytes.len().min(400)),
        _ => below(rng, bytes.len().min(400)),
    };
    bytes[place] = match below(rng, 3) {
        0 => below(rng, 256) as u8,
        1 => bytes[place] ^ 1 << below(rng, 8),
        _ => pick(rng, &[0, 1, 0x7f, 0x80, 0xff]),
    };
}

/// Tries a batch and reports: before each copy its number, at the end how many of them were
/// models, and at how many the runtime panicked.
fn try_batch(batch: &str) {
    let mut words = batch.split(' ').map(|word| word.parse().expect("a number"));
    let (first, count): (usize, usize) = (words.next().expect("the first"), words.next().expect("how many"));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).expect("models").map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "onnx"));
    files.sort();
    let models: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).expect("a model")).collect();
    let (mut good, mut caught) = (0, 0);
    for number in first..first + count {
        println!("copy {number}");
        let bytes = damaged(number, &models);
        // Again if it took long: perhaps it was another process that did.
        let slow = (0..3).all(|_| {
            let start = Instant::now();
            match OnnxModel::from_bytes(bytes.clone(), EvalOutput::Logit) {
                Ok(mut model) => {
                    good += 1;
                    let rows = vec![0.5; 40 * model.features().width()];
                    assert!(model.run(&rows).is_err() || model.run(&rows).is_ok_and(|outputs| outputs.len() == 40));
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(text.chars().all(|c| !c.is_control()), "{text:?}");
                    caught += usize::from(text.contains("panicked"));
                }
            }
            start.elapsed() > SECOND
        });
        assert!(!slow, "copy {number} takes more than a second");
    }
    println!("found {good} {caught}");
}

/// Runs one batch in a process of its own, whose memory and time have a limit: how many of its copies were models, and
/// at how many the runtime panicked.
fn batch_in_a_process(first: usize, count: usize) -> [usize; 2] {
    let program = std::env::current_exe().expect("the path of this test");
    let name = "onnx_models::damaged_models_end_with_an_error_or_a_number";
    let mut command = if cfg!(target_os = "linux") {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -v {ADDRESSES}; exec \"$0\" \"$@\"")]).arg(program);
        shell
    } else {
        Command::new(program)
    };
    // One heap: the address space that glibc reserves for more has nothing to do with what is asked for.
    command.args(["--exact", name, "--nocapture"]).env(BATCH, format!("{first} {count}")).env("MALLOC_ARENA_MAX", "1");
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
    let mut output = child.stdout.take().expect("its output");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).map(|_| text)
    });
    let end = Instant::now() + Duration::from_secs(60) + SECOND * count as u32 / 4;
    let status = loop {
        match child.try_wait().expect("its state") {
            Some(status) => break Some(status),
            None if Instant::now() > end => {
                child.kill().expect("it runs");
                child.wait().expect("it ends");
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let text = reader.join().expect("no panic").expect("text");
    let last = text.lines().rfind(|line| line.contains("copy ")).unwrap_or_default();
    assert!(status.is_some_and(|status| status.success()), "{last}: {status:?} (no status: it did not end)");
    let found = text.lines().find_map(|line| line.strip_prefix("found ")).expect("the result");
    let mut numbers = found.split(' ').map(|number| number.parse().expect("a number"));
    [numbers.next().expect("the models"), numbers.next().expect("the panics")]
}

#[test]
fn damaged_models_end_with_an_error_or_a_number() {
    if let Ok(batch) = std::env::var(BATCH) {
        return try_batch(&batch);
    }
    let count = std::env::var(MUTATIONS).ok().map_or(FEW, |count| count.parse().expect("a number"));
    let batches = (0..count).step_by(BATCH_SIZE);
    let batches = batches.map(|first| batch_in_a_process(first, BATCH_SIZE.min(count - first)));
    let [good, caught] = batches.fold([0, 0], |sum, batch| [sum[0] + batch[0], sum[1] + batch[1]]);
    println!("{count} damaged models: {good} could be loaded, at {caught} the runtime panicked and was caught");
    // Where only a weight has changed it is a model all the same.
    assert!(good > count / 50, "only {good} of {count} could be loaded");
}
