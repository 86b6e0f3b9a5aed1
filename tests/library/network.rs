//! What must hold of the network whatever its weights are, or it has learned something that is not the game.

use crate::common::game;
use astragal::board::{PieceType, Position, Rolled};
use astragal::bots::{BotConfig, BotKind, BudgetedBot};
use astragal::eval::network::{NetworkInputs, NetworkWeights, SHIPPED};
use astragal::eval::{evaluate, evaluate_by};
use astragal::rollout::RolloutSettings;
use astragal::search::{Event, Limits, Task};
use std::path::PathBuf;

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

#[test]
fn positions_with_colours_exchanged_are_worth_the_same() {
    for rolled in game::random_positions(211, 60) {
        let (one, other) = (rolled.position, rolled.position.flip_colors());
        assert_eq!(evaluate_by(&SHIPPED, &one), evaluate_by(&SHIPPED, &other), "{one}");
    }
}

#[test]
fn more_material_is_worth_more() {
    let value = |dfen| evaluate_by(&SHIPPED, &position(dfen)).value();
    let even = value("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1 -");
    let rook = value("4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K3 w - - 0 1 -");
    let queen = value("4k3/pppppppp/8/8/8/8/PPPPPPPP/Q3K3 w - - 0 1 -");
    assert!(queen > rook && rook > even, "{queen} {rook} {even}");
    let bare = value("4k3/8/8/8/8/8/8/4K3 w - - 0 1 -");
    assert!(bare.is_finite() && bare.abs() < 0.5, "{bare}");
}

#[test]
fn castling_and_targets_are_not_seen() {
    for (one, other) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 -", "r3k2r/8/8/8/8/8/8/R3K2R w - - 9 40 -"),
        (
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq d6f6 0 1 -",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1 -",
        ),
    ] {
        let value = |dfen| SHIPPED.correction(&NetworkInputs::of(&position(dfen)));
        assert_eq!(value(one), value(other));
    }
}

/// A queen more that attacks the enemy king is good for its side, in nearly all positions.
#[test]
fn an_attacker_of_the_king_is_seldom_a_loss() {
    let (mut tried, mut worse) = (0, 0);
    for rolled in game::random_positions(307, 2_000) {
        if tried == 200 {
            break;
        }
        let before = rolled.position;
        let (us, them) = (before.side(), !before.side());
        if before.pieces(us, PieceType::Queen).any() || before.color(us).count() >= 16 {
            continue;
        }
        let lines = astragal::board::attacks::queen(before.king(them), before.occupied());
        let Some(square) = lines.into_iter().find(|&square| !before.occupied().has(square)) else { continue };
        let dfen = with_queen(&before, square.index());
        let Ok(after) = Rolled::from_dfen(&dfen) else { continue };
        tried += 1;
        worse += u32::from(evaluate_by(&SHIPPED, &after.position).value() < evaluate_by(&SHIPPED, &before).value());
    }
    assert!(tried == 200 && worse <= 5, "{worse} of {tried}");
}

/// The DFEN of a position with a queen of the side to move more.
fn with_queen(position: &Position, square: usize) -> String {
    let dfen = position.to_string();
    let (placement, rest) = dfen.split_once(' ').unwrap();
    let empty = |c: char| c.to_digit(10).map_or(c.to_string(), |squares| ".".repeat(squares as usize));
    let mut ranks: Vec<String> = placement.split('/').map(|rank| rank.chars().map(empty).collect()).collect();
    let queen = if position.side().letter() == 'w' { "Q" } else { "q" };
    ranks[7 - square / 8].replace_range(square % 8..=square % 8, queen);
    // From the longest run on, so that no two digits stand side by side.
    let digits =
        |rank: &String| (1..=8).rev().fold(rank.clone(), |rank, run| rank.replace(&".".repeat(run), &run.to_string()));
    let ranks: Vec<String> = ranks.iter().map(digits).collect();
    format!("{} {rest}", ranks.join("/"))
}

/// The turn of `expectimax` with that `EvalFile`, and what it remarks.
fn answer(file: Option<PathBuf>) -> (String, Vec<String>) {
    let rolled = Rolled::from_dfen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 NBQ").unwrap();
    let mut bot = BotConfig { eval_file: file, ..BotConfig::of(BotKind::Expectimax, 0) }.build();
    let mut notes = Vec::new();
    let task = Task { limits: Limits { depth: Some(1), ..Limits::default() }, ..Task::new(rolled) };
    let turn = bot.choose(&task, None, &mut |event| {
        if let Event::Note(note) = event {
            notes.push(note);
        }
    });
    (turn.to_string(), notes)
}

#[test]
fn a_network_file_takes_the_place_of_the_built_in_one() {
    let network = include_bytes!("../../src/eval/network/network.bin");
    let folder = std::env::temp_dir().join(format!("astragal-network-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (same, damaged) = (folder.join("same.net"), folder.join("damaged.net"));
    std::fs::write(&same, network).unwrap();
    std::fs::write(&damaged, &network[..network.len() - 1]).unwrap();
    let (built_in, notes) = answer(None);
    assert!(notes.is_empty(), "{notes:?}");
    let (turn, notes) = answer(Some(same));
    assert_eq!(turn, built_in);
    assert!(
        matches!(notes.as_slice(), [note] if note.starts_with(&format!("network {:08x} file ", SHIPPED.id()))),
        "{notes:?}"
    );
    for file in [damaged, folder.join("missing.net"), PathBuf::from("tests/models/material.onnx")] {
        let (turn, notes) = answer(Some(file));
        assert_eq!(turn, built_in);
        assert!(
            matches!(notes.as_slice(), [note] if note.starts_with("error network ") && note.ends_with("; the built-in network plays")),
            "{notes:?}"
        );
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn rollouts_are_by_the_network_file_too() {
    let mut weights = NetworkWeights::from_bytes(include_bytes!("../../src/eval/network/network.bin")).unwrap();
    weights.output.fill(0);
    weights.output_bias = 0;
    let file = std::env::temp_dir().join(format!("astragal-nothing-{}.net", std::process::id()));
    std::fs::write(&file, weights.to_bytes().unwrap()).unwrap();
    let dfen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -";
    let rolled = Rolled::from_dfen(dfen).unwrap();
    // What adds nothing is the linear evaluation. To the bots with models the file is none.
    let (linear, network) = (evaluate(&rolled.position), evaluate_by(&SHIPPED, &rolled.position));
    assert!((linear.value() - network.value()).abs() > 1e-3);
    for (kind, expected, remarks) in [(BotKind::Expectimax, linear, true), (BotKind::OnnxEval, network, false)] {
        let config = BotConfig { eval_file: Some(file.clone()), ..BotConfig::of(kind, 0) };
        let (mut rollout, remark) = config.rollout(RolloutSettings { games: Some(1), turns: 0 });
        assert_eq!(remark.is_some(), remarks, "{remark:?}");
        let mut found = Vec::new();
        rollout.choose(&Task::new(rolled), None, &mut |event| {
            if let Event::Rollout(line) = event {
                found.push(line.equity.value());
            }
        });
        assert!(matches!(found.as_slice(), [value] if (value - expected.value()).abs() < 1e-9), "{kind}: {found:?}");
    }
    std::fs::remove_file(&file).unwrap();
}
