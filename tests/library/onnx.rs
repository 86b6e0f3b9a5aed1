//! The bots over a model: what they choose, and that the game goes on when there is no model or when it fails.

use crate::common::engine::{Engine, assert_legal};
use crate::common::game;
use astragal::board::Rolled;
use astragal::bots::{Bot, BotConfig, BotKind};
use astragal::rules::{Turn, TurnEnd, apply_roll, outcomes};
use astragal::search::{Event, Task};
use astragal::time::StopSignal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PNB";

const ONNX_BOTS: [BotKind; 2] = [BotKind::OnnxEval, BotKind::OnnxExpectimax];

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name).with_extension("onnx")
}

fn config(kind: BotKind, name: &str) -> BotConfig {
    BotConfig { eval_file: Some(model(name)), ..BotConfig::of(kind, 0) }
}

/// A task of moderate size.
fn task(rolled: Rolled) -> Task {
    let mut task = Task::new(rolled);
    task.limits.nodes = Some(3_000);
    task
}

/// The answer and the remarks that came with it.
fn ask(bot: &mut Bot, task: &Task) -> (Turn, Vec<String>) {
    let mut notes = Vec::new();
    let turn = bot.choose(task, None, &mut |event| {
        if let Event::Note(note) = event {
            notes.push(note);
        }
    });
    (turn, notes)
}

#[test]
fn without_a_usable_file_the_built_in_evaluation_plays_and_this_is_said_once() {
    for kind in ONNX_BOTS {
        for file in [None, Some(model("missing")), Some(PathBuf::from("tests"))] {
            let mut bot = BotConfig { eval_file: file.clone(), ..BotConfig::of(kind, 0) }.build();
            let mut builtin = BotConfig::of(BotKind::Expectimax, 0).build();
            for (number, rolled) in game::random_positions(61, 20).into_iter().enumerate() {
                let (turn, notes) = ask(&mut bot, &task(rolled));
                assert_eq!(notes.len(), usize::from(number == 0), "{kind} {file:?}: {notes:?}");
                assert!(notes.iter().all(|note| note.starts_with("error model")), "{notes:?}");
                let mut plain = task(rolled);
                if kind == BotKind::OnnxEval {
                    plain.limits.depth = Some(1);
                }
                assert_eq!(turn, ask(&mut builtin, &plain).0, "{kind} {rolled}");
            }
        }
    }
}

#[test]
fn a_signal_raised_beforehand_still_gives_a_legal_turn() {
    let past = StopSignal::with_deadline(Instant::now() - Duration::from_secs(1));
    for name in ["material", "rawboard", "nan_later", "missing"] {
        for kind in ONNX_BOTS {
            let mut bot = config(kind, name).build();
            for rolled in game::random_positions(62, 60) {
                assert!(bot.is_budgeted(), "{kind} is budgeted");
                let turn = bot.choose(&Task::new(rolled), Some(&past), &mut |_| ());
                let legal = apply_roll(&rolled, turn);
                assert!(legal.is_ok(), "{kind} {rolled} {turn}: {legal:?}");
                if outcomes(&rolled).king_capture.is_some() {
                    assert_eq!(legal, Ok(TurnEnd::KingCaptured), "{kind} {rolled}");
                }
            }
        }
    }
}

/// Which turn the program answers with, and all that it says before.
fn go(engine: &mut Engine, commands: &str) -> (String, Vec<String>) {
    let mut said = engine.ask(commands, "bestmove ");
    (said.pop().unwrap_or_default(), said)
}

#[test]
fn the_program_says_what_is_wrong_with_a_file_and_plays_on() {
    for kind in ONNX_BOTS {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Bot value {kind}\nsetoption name EvalFile value no such file.onnx"));
        for number in 0..2 {
            let (answer, said) = go(&mut engine, "position startpos dice PNB\ngo movetime 50");
            assert_legal(START, &answer, kind.id());
            let errors: Vec<&String> = said.iter().filter(|line| line.starts_with("info string error")).collect();
            assert_eq!(errors.len(), usize::from(number == 0), "{said:?}");
            let start = "info string error model no such file.onnx: ";
            assert!(errors.iter().all(|line| line.starts_with(start) && line.contains("built-in")), "{errors:?}");
        }
        assert!(engine.quit().is_empty());
    }
}

/// A number without an end, and a text of 4 TiB, for a reader that believes what it is told.
#[cfg(feature = "onnx")]
#[test]
fn the_program_survives_files_that_mean_ill() {
    let ones = [0xff; 11];
    let endless = [&std::fs::read(model("material")).expect("a model")[..], &ones].concat();
    let long = [&[0x08, 0x08, 0x12][..], &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]].concat();
    for (number, bytes) in [&ones[..], &endless, &long].into_iter().enumerate() {
        let file = std::env::temp_dir().join(format!("astragal-{}-ill-{number}.onnx", std::process::id()));
        std::fs::write(&file, bytes).expect("a scratch file");
        let mut engine = Engine::start();
        engine.send(&format!("setoption name Bot value onnx-eval\nsetoption name EvalFile value {}", file.display()));
        let (answer, said) = go(&mut engine, "position startpos dice PNB\ngo movetime 50");
        assert_legal(START, &answer, "onnx-eval");
        assert!(said.iter().any(|line| line.contains("the file is damaged: a model has a")), "{said:?}");
        assert!(engine.quit().is_empty());
        std::fs::remove_file(&file).expect("it was there");
    }
}

#[cfg(not(feature = "onnx"))]
#[test]
fn a_build_without_the_runtime_says_so() {
    let (_, notes) = ask(&mut config(BotKind::OnnxEval, "material").build(), &task(game::random_positions(1, 1)[0]));
    assert!(notes[0].contains("cargo feature 'onnx'"), "{notes:?}");
}

#[cfg(feature = "onnx")]
mod with_runtime {
    use super::*;
    use astragal::board::{Dice, Position};
    use astragal::eval::network::SHIPPED;
    use astragal::eval::{EvalOutput, OnnxModel, evaluate_by};
    use astragal::rules::{Roll, winning_rolls};
    use rand_chacha::ChaCha8Rng;
    use rand_core::SeedableRng;

    fn load(name: &str) -> OnnxModel {
        OnnxModel::load(&model(name), EvalOutput::Probability).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// What each position is worth to the side to move.
    fn values(model: &mut OnnxModel, positions: &[Position]) -> Vec<f64> {
        let mut values = Vec::new();
        model.try_evaluate(positions, &mut values).expect("the model works");
        values.into_iter().map(|value| value.value()).collect()
    }

    #[test]
    fn a_nan_in_the_game_is_reported_once_and_the_built_in_evaluation_plays_on() {
        let bare = Rolled::from_dfen("r3k3/8/8/3p4/8/8/4P3/R3K1N1 w - - 0 1 PRN").expect("sound");
        let full = game::random_positions(65, 1)[0];
        for kind in ONNX_BOTS {
            let mut bot = config(kind, "nan_later").build();
            let mut builtin = BotConfig::of(BotKind::Expectimax, 0).build();
            let (_, notes) = ask(&mut bot, &task(full));
            assert!(notes.len() == 1 && notes[0].starts_with("model inputs material output probability"), "{notes:?}");
            let mut plain = task(bare);
            if kind == BotKind::OnnxEval {
                plain.limits.depth = Some(1);
            }
            let expected = ask(&mut builtin, &plain).0;
            for number in 0..3 {
                let (turn, notes) = ask(&mut bot, &task(bare));
                assert_eq!(turn, expected, "{kind}");
                assert_eq!(notes.len(), usize::from(number == 0), "{notes:?}");
                assert!(notes.iter().all(|note| note.contains("NaN")), "{notes:?}");
            }
        }
    }

    #[test]
    fn onnx_eval_takes_the_best_value_and_of_equals_the_first_turn() {
        for name in ["material", "kcp", "rawboard"] {
            let mut bot = config(BotKind::OnnxEval, name).build();
            let mut model = load(name);
            for rolled in game::random_positions(66, 60) {
                let found = outcomes(&rolled);
                if found.king_capture.is_some() || found.distinct.is_empty() {
                    continue;
                }
                let value = |position: &Position, model: &mut OnnxModel| {
                    if position.is_drawn() { 0.0 } else { -values(model, &[*position])[0] }
                };
                let valued = found.distinct.iter().map(|outcome| (value(&outcome.position, &mut model), outcome.turn));
                let best = valued.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
                let (turn, _) = ask(&mut bot, &Task::new(rolled));
                assert_eq!(best.map(|(_, turn)| turn), Some(turn), "{name} {rolled}");
            }
        }
    }

    #[test]
    fn onnx_expectimax_averages_the_best_replies() {
        let mut model = load("kcp");
        for dfen in ["8/5k2/1p2p3/4P3/5K2/5R2/8/2r5 w - - 0 45 PKK", "8/P6k/8/8/3K4/8/p7/8 b - - 0 60 pkk"] {
            let rolled = Rolled::from_dfen(dfen).expect("sound");
            let mut best = f64::NEG_INFINITY;
            for outcome in &outcomes(&rolled).distinct {
                let mut sum = 0.0;
                for roll in Roll::all() {
                    let found = outcomes(&Rolled { position: outcome.position, dice: roll.dice() });
                    let replies: Vec<Position> = found.distinct.iter().map(|reply| reply.position).collect();
                    let reply = values(&mut model, &replies).into_iter().map(|value| -value).fold(-1.0, f64::max);
                    sum += f64::from(roll.weight()) * if found.king_capture.is_some() { 1.0 } else { reply };
                }
                best = best.max(-sum / 216.0);
            }
            let mut score = f64::NAN;
            let mut task = Task::new(rolled);
            task.limits.depth = Some(2);
            config(BotKind::OnnxExpectimax, "kcp").build().choose(&task, None, &mut |event| {
                if let Event::Info(info) = event
                    && info.multipv == 1
                {
                    score = info.score.equity().value();
                }
            });
            assert!((score - best).abs() < 1e-9, "{dfen}: {score} for {best}");
        }
    }

    #[test]
    fn the_same_question_has_the_same_answer() {
        for kind in ONNX_BOTS {
            let play = || {
                let mut bot = config(kind, "kcp").build();
                let mut events = Vec::new();
                for rolled in game::random_positions(67, 12) {
                    bot.choose(&task(rolled), None, &mut |event| events.push(event));
                }
                events
            };
            assert_eq!(play(), play());
        }
    }

    /// Positions that differ to this model differ by much more than the last bits of a sum, so this holds on any machine.
    /// Searches are complete, so it does not depend on the built-in evaluation.
    #[test]
    fn one_game_of_each_is_pinned() {
        let start = Rolled::from_dfen("4k3/pppp4/2n5/8/8/5B2/4PPPP/4K3 w - - 0 1 -").expect("sound").position;
        for (kind, expected) in [
            (BotKind::OnnxEval, "0000 c6a5 e1d1,f3b7 a5b7 d1c1 b7a5,e8d8 e2e3 a5b3,b3c1"),
            (BotKind::OnnxExpectimax, "0000 c6a5 e1d1,f3g4 a5c6 d1c1 c6a5,e8d8 f2f3 a5b3,b3c1"),
        ] {
            let mut bot = config(kind, "material").build();
            let mut rng = ChaCha8Rng::seed_from_u64(72);
            let mut position = start;
            let mut turns = Vec::new();
            for _ in 0..10 {
                let mut task = Task::new(game::roll(&mut rng, position));
                task.limits.depth = Some(2);
                let (turn, _) = ask(&mut bot, &task);
                turns.push(turn.to_string());
                match apply_roll(&task.rolled, turn) {
                    Ok(TurnEnd::Position(next)) => position = next,
                    Ok(TurnEnd::KingCaptured) => break,
                    Err(error) => panic!("{kind} {} {turn}: {error}", task.rolled),
                }
            }
            assert_eq!(turns.join(" "), expected, "{kind}");
        }
    }

    #[test]
    fn a_limit_of_nodes_cuts_at_a_batch() {
        let rolled = game::random_positions(68, 40).into_iter().find(|rolled| outcomes(rolled).distinct.len() > 100);
        let mut task = Task::new(rolled.expect("some roll has many outcomes"));
        task.limits.nodes = Some(33);
        let mut width = None;
        config(BotKind::OnnxEval, "material").build().choose(&task, None, &mut |event| {
            if let Event::Width(found) = event {
                width = Some((found.completed, found.completed + found.abandoned == found.outcomes));
            }
        });
        assert_eq!(width, Some((64, true)));
    }

    #[test]
    fn a_position_before_its_roll_is_valued() {
        let position = game::random_positions(69, 5)[4].position;
        let task = Task::new(Rolled { position, dice: Dice::NONE });
        let score = |bot: &mut Bot| {
            let mut score = None;
            let turn = bot.choose(&task, None, &mut |event| {
                if let Event::Info(info) = event {
                    score = score.or(Some(info.score.equity().value()));
                }
            });
            assert_eq!(turn, Turn::PASS);
            score
        };
        let expected = values(&mut load("rich"), &[position])[0];
        assert_eq!(score(&mut config(BotKind::OnnxEval, "rich").build()), Some(expected));
        assert_eq!(
            score(&mut BotConfig::of(BotKind::OnnxEval, 0).build()),
            Some(evaluate_by(&SHIPPED, &position).value())
        );
    }

    /// Outputs of centipawns are without the chance to capture the king, so the bots add it.
    #[test]
    fn the_capture_of_the_king_is_added_to_centipawns() {
        let mut model =
            OnnxModel::load(&model("logit"), EvalOutput::Centipawns).expect("any number is one of centipawns");
        for dfen in [
            "4k3/8/8/8/8/8/8/K3R3 w - - 0 1 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
        ] {
            let position = Rolled::from_dfen(dfen).expect("sound").position;
            let mut quiet = Vec::new();
            model.try_evaluate(&[position], &mut quiet).expect("the model works");
            let chance = f64::from(winning_rolls(&position).weight()) / 216.0;
            let expected = chance + (1.0 - chance) * quiet[0].value();
            for kind in ONNX_BOTS {
                let mut scores = Vec::new();
                let config = BotConfig { eval_output: EvalOutput::Centipawns, ..config(kind, "logit") };
                let mut task = Task::new(Rolled { position, dice: Dice::NONE });
                task.limits.depth = Some(1);
                config.build().choose(&task, None, &mut |event| {
                    if let Event::Info(info) = event {
                        scores.push(info.score.equity().value());
                    }
                });
                if kind == BotKind::OnnxEval {
                    assert!((scores[0] - expected).abs() < 1e-12, "{dfen}: {scores:?} for {expected}");
                }
                assert!(chance > 0.0 && !scores.is_empty(), "{dfen}");
            }
        }
    }

    #[test]
    fn deadlines_are_kept_with_legal_turns() {
        for kind in ONNX_BOTS {
            let mut bot = config(kind, "kcp").build();
            for (number, rolled) in game::random_positions(70, 30).into_iter().enumerate() {
                let budget = Duration::from_millis(1 + number as u64 % 10);
                let stop = StopSignal::with_deadline(Instant::now() + budget);
                assert!(bot.is_budgeted(), "{kind} is budgeted");
                let turn = bot.choose(&Task::new(rolled), Some(&stop), &mut |_| ());
                assert!(apply_roll(&rolled, turn).is_ok(), "{kind} {rolled} {turn}");
            }
        }
    }

    #[test]
    fn the_program_plays_by_a_model() {
        for kind in ONNX_BOTS {
            let mut engine = Engine::start();
            engine.send(&format!("setoption name Bot value {kind}\nsetoption name EvalOutput value logit"));
            let file = model("logit").display().to_string();
            engine.send(&format!("setoption name EvalFile value {file}\nposition startpos dice PNB"));
            let (answer, said) = go(&mut engine, "go movetime 100");
            assert_legal(START, &answer, kind.id());
            assert_eq!(said[0], format!("info string model inputs material output logit file {file}"));
            let (_, said) = go(&mut engine, "go movetime 100");
            assert!(said.iter().all(|line| !line.contains(" model ")), "{said:?}");
            let (answer, said) = go(&mut engine, "setoption name EvalFile value <empty>\ngo movetime 100");
            assert_legal(START, &answer, kind.id());
            assert!(said[0].starts_with("info string error model: no EvalFile"), "{said:?}");
            assert!(engine.quit().is_empty());
        }
    }
}
