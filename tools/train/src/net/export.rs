//! `train export`: the network as an ONNX model, for programs that read no file of Astragal's.
//!
//! The model takes the inputs `network` of [`FeatureSet`] and gives centipawns. Its floats are whole numbers below 2²⁴
//! throughout, or parts of them by a power of two, so that it says exactly what the network says whatever the order of
//! its sums; where weights could bring a sum beyond that, nothing is written. The graph is that of the head of
//! `src/eval/network/mod.rs`, operator by operator.

use super::proto::{Message, float_tensor, int_tensor, node, value};
use astragal::eval::FeatureSet;
use astragal::eval::network::{HIDDEN, MOST_CORRECTION, Network, NetworkInputs, NetworkWeights, SECOND};
use clap::Args;
use std::error::Error;
use std::path::PathBuf;

/// Up to here all whole numbers are floats.
const EXACT: i64 = 1 << 24;

/// The most that an activation of the first or of the second layer is.
const ACTIVE: i64 = 254;

/// Weights of the output are taken apart by this power of two, and the rest of their unit is a quarter.
const LOW_BITS: u32 = 12;

#[derive(Args)]
pub struct Export {
    /// A network that `train net` has written
    network: PathBuf,
    /// Where to write the model
    #[arg(long)]
    out: PathBuf,
}

impl Export {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let shown = self.network.display();
        let network = Network::load(&self.network).map_err(|error| format!("{shown} {error}"))?;
        let weights = NetworkWeights::load(&self.network).map_err(|error| format!("{shown} {error}"))?;
        let model = model(&network.name(), &weights)?;
        std::fs::write(&self.out, model).map_err(|error| format!("{}: {error}", self.out.display()))?;
        eprintln!("{} as a model: inputs network, EvalOutput centipawns", network.name());
        Ok(())
    }
}

/// The bytes of the model of that name.
pub fn model(name: &str, weights: &NetworkWeights) -> Result<Vec<u8>, String> {
    let small = |numbers: &[i16]| numbers.iter().map(|&number| f32::from(number)).collect::<Vec<_>>();
    let large = |numbers: &[i32]| numbers.iter().map(|&number| number as f32).collect::<Vec<_>>();
    for (row, &bias) in weights.second.chunks(HIDDEN).zip(&weights.second_bias) {
        exact(row.iter().map(|&weight| i64::from(weight)), bias)?;
    }
    let high = |number: &i32| number >> LOW_BITS;
    let low = |number: &i32| number & ((1 << LOW_BITS) - 1);
    for half in [high, low] {
        exact(weights.output.iter().map(|weight| i64::from(half(weight))), half(&weights.output_bias))?;
    }
    // Of each unit of the second layer its two weights.
    let output: Vec<i32> = weights.output.iter().flat_map(|weight| [high(weight), low(weight)]).collect();
    let output_bias = [high(&weights.output_bias), low(&weights.output_bias)];
    // Rows of the engine's second layer are units; the columns of a matrix are.
    let second: Vec<i16> =
        (0..HIDDEN).flat_map(|at| (0..SECOND).map(move |unit| weights.second[unit * HIDDEN + at])).collect();
    let (inputs, hidden, units) = (NetworkInputs::COUNT as i64, HIDDEN as i64, SECOND as i64);

    let mut graph = Message::default();
    for node in [
        node("Split", &["x", "parts"], &["board", "linear"], Some(("axis", 1))),
        node("Gemm", &["board", "first", "first_bias"], &["sums"], None),
        node("Clip", &["sums", "zero", "one"], &["cut"], None),
        node("Mul", &["cut", "cut"], &["squared"], None),
        node("Mul", &["squared", "by_256"], &["scaled"], None),
        node("Add", &["scaled", "half"], &["raised"], None),
        node("Floor", &["raised"], &["active"], None),
        node("Gemm", &["active", "second", "second_bias"], &["second_sums"], None),
        node("Mul", &["second_sums", "by_256"], &["second_scaled"], None),
        node("Floor", &["second_scaled"], &["second_whole"], None),
        node("Clip", &["second_whole", "zero", "second_one"], &["second_active"], None),
        node("Gemm", &["second_active", "output", "output_bias"], &["halves"], None),
        node("Mul", &["halves", "half_units"], &["halves_scaled"], None),
        node("Floor", &["halves_scaled"], &["halves_whole"], None),
        node("MatMul", &["halves_whole", "quarters"], &["whole"], None),
        node("Floor", &["whole"], &["rounded"], None),
        node("Clip", &["rounded", "least", "most"], &["correction"], None),
        node("Add", &["correction", "linear"], &["centipawns"], None),
    ] {
        graph.message(1, node);
    }
    graph.text(2, name);
    for tensor in [
        int_tensor("parts", &[inputs, 1]),
        float_tensor("first", &[inputs, hidden], &small(&weights.first)),
        float_tensor("first_bias", &[hidden], &small(&weights.first_bias)),
        float_tensor("second", &[hidden, units], &small(&second)),
        float_tensor("second_bias", &[units], &large(&weights.second_bias)),
        float_tensor("output", &[units, 2], &large(&output)),
        float_tensor("output_bias", &[2], &large(&output_bias)),
        float_tensor("half_units", &[2], &[1.0, 1.0 / (1 << LOW_BITS) as f32]),
        float_tensor("quarters", &[2, 1], &[0.25; 2]),
        float_tensor("zero", &[], &[0.0]),
        float_tensor("one", &[], &[255.0]),
        float_tensor("second_one", &[], &[ACTIVE as f32]),
        float_tensor("by_256", &[], &[1.0 / 256.0]),
        float_tensor("half", &[], &[0.5]),
        float_tensor("least", &[], &[-MOST_CORRECTION as f32]),
        float_tensor("most", &[], &[MOST_CORRECTION as f32]),
    ] {
        graph.message(5, tensor);
    }
    graph.message(11, value("x", FeatureSet::Network.width() as i64));
    graph.message(12, value("centipawns", 1));

    let mut operators = Message::default();
    operators.text(1, "");
    operators.int(2, 17);
    let mut model = Message::default();
    model.int(1, 8);
    model.text(2, "astragal train");
    model.message(7, graph);
    model.message(8, operators);
    Ok(model.into_bytes())
}

/// Refuses weights by which a sum over active units, and a bias, can leave the whole numbers that floats have.
fn exact(weights: impl Iterator<Item = i64>, bias: i32) -> Result<(), String> {
    let most = weights.map(|weight| weight.abs() * ACTIVE).sum::<i64>() + i64::from(bias).abs();
    if most < EXACT { Ok(()) } else { Err("its weights are too large for a model of 32-bit floats".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::board::{Position, Rolled};
    use astragal::bots::{BotConfig, BotKind};
    use astragal::eval::network::SHIPPED;
    use astragal::eval::{EvalOutput, Evaluator, OnnxModel, evaluate_by, with_king_capture};
    use astragal::search::{Event, Task};

    fn shipped() -> NetworkWeights {
        NetworkWeights::from_bytes(include_bytes!("../../../../src/eval/network/network.bin")).unwrap()
    }

    /// The positions of a file of vectors.
    fn positions() -> Vec<Position> {
        let vectors = include_str!("../../../../tests/vectors/kcp.json");
        let of_line = |line: &str| Some(line.strip_prefix("{\"dfen\": \"")?.split_once('"')?.0.to_owned());
        let dfens: Vec<String> = vectors.lines().filter_map(of_line).collect();
        assert!(dfens.len() >= 200);
        dfens.iter().map(|dfen| Rolled::from_dfen(dfen).unwrap().position).collect()
    }

    /// Not only within a centipawn: the very same.
    #[test]
    fn the_model_says_what_the_network_says() {
        let bytes = model(&SHIPPED.name(), &shipped()).unwrap();
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        let mut model = OnnxModel::from_bytes(bytes, EvalOutput::Centipawns).unwrap();
        assert_eq!((model.features(), model.lacks_king_capture()), (FeatureSet::Network, true));
        let positions = positions();
        let mut values = Vec::new();
        model.try_evaluate(&positions, &mut values).unwrap();
        let (mut corrected, mut captures) = (0, 0);
        for (&quiet, position) in values.iter().zip(&positions) {
            let full = with_king_capture(quiet, position);
            assert_eq!(full, evaluate_by(&SHIPPED, position), "{position}");
            corrected += u32::from(SHIPPED.correction(&NetworkInputs::of(position)) != 0);
            captures += u32::from(full != quiet);
        }
        assert!(corrected > 190 && captures > 50, "{corrected} {captures}");
    }

    /// One weight of many thousands, so that the test above can fail.
    #[test]
    fn another_weight_is_another_value() {
        let mut weights = shipped();
        weights.output_bias += 1 << 14;
        let mut model = OnnxModel::from_bytes(model("other", &weights).unwrap(), EvalOutput::Centipawns).unwrap();
        let mut values = Vec::new();
        let position = Rolled::from_dfen(astragal::board::STARTPOS).unwrap().position;
        model.try_evaluate(&[position], &mut values).unwrap();
        let built_in = evaluate_by(&SHIPPED, &position).centipawns();
        assert_eq!(values[0].centipawns(), built_in + 1);
        weights.output_bias = i32::MAX;
        weights.output = vec![i32::MAX; SECOND];
        assert!(super::model("other", &weights).is_err(), "no float has such sums");
    }

    #[test]
    fn a_search_by_the_model_is_a_search_by_the_network() {
        let folder = std::env::temp_dir().join(format!("astragal-export-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (network, out) = (folder.join("network.bin"), folder.join("network.onnx"));
        std::fs::write(&network, include_bytes!("../../../../src/eval/network/network.bin")).unwrap();
        Export { network, out: out.clone() }.run().unwrap();
        let searched = |kind, file| {
            let eval_output = EvalOutput::Centipawns;
            let mut bot = BotConfig { eval_file: file, eval_output, ..BotConfig::of(kind, 0) }.build();
            let mut told = Vec::new();
            for dfen in ["8/5k2/1p2p3/4P3/5K2/5R2/8/2r5 w - - 0 45 PKK", "8/P6k/8/8/3K4/8/p7/8 b - - 0 60 pkk"] {
                let mut task = Task::new(Rolled::from_dfen(dfen).unwrap());
                task.limits.depth = Some(2);
                let turn = bot.choose(&task, None, &mut |event| {
                    if let Event::Info(info) = event {
                        told.push(info);
                    }
                });
                assert!(told.last().is_some_and(|info| info.turn == Some(turn)));
            }
            told
        };
        let built_in = searched(BotKind::Expectimax, None);
        assert_eq!(searched(BotKind::OnnxExpectimax, Some(out.clone())), built_in);
        let broken = Export { network: out, out: folder.join("other.onnx") }.run();
        assert!(broken.is_err_and(|error| error.to_string().contains("is no network of Astragal")));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
