//! The inputs of models: against positions worked out by hand, slow readings of their definitions, and the mirror.

use crate::common::game;
use astragal::board::{Dice, PieceType, Position, Rolled};
use astragal::eval::network::NetworkInputs;
use astragal::eval::{FeatureSet, evaluate_quietly, micro_move_count};
use astragal::rules::{Roll, castling_moves, micro_moves, queen_winning_rolls, winning_rolls};

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn row(set: FeatureSet, position: &Position) -> Vec<f32> {
    let mut row = Vec::new();
    set.append(position, &mut row);
    assert_eq!(row.len(), set.width());
    row
}

/// Positions of random games, and some where pawns promote, take en passant, or queens are about.
fn positions(seed: u64, count: usize) -> Vec<Position> {
    let mut all: Vec<Position> = game::random_positions(seed, count).iter().map(|rolled| rolled.position).collect();
    all.extend(
        [
            "8/P6k/8/8/3K4/8/p7/8 b - - 0 60 -",
            "1q5k/P6P/8/8/3K4/8/p6p/1Q6 w - - 0 60 -",
            "4k3/8/8/1PpPpP2/8/8/8/4K3 w - c6e6 0 30 -",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 -",
            "3q1rk1/5pp1/7p/1Q6/8/6P1/5P1P/3Q1RK1 b - - 0 30 -",
            "4k3/8/8/8/8/q7/8/R3K2R w KQ - 0 30 -",
            "8/8/8/3kq3/8/2p5/3PK3/8 w - - 0 30 -",
            "6qk/5P2/8/2pP4/8/q7/8/4K2B w - c6 0 30 -",
        ]
        .map(position),
    );
    all
}

/// By hand, White to move and the same position with Black to move.
#[test]
fn inputs_by_hand() {
    let p = |weight: f32| weight / 216.0;
    // A queen against the rook in front of her king. The queen has 22 squares and her king 3, the rook 12 and its king
    // 4. Two Q dice (16 of 216 throws have them) capture the king through the rook or over b5; two R dice do it over
    // a7; one R die (91 throws) captures the queen.
    let white = "4k3/4r3/8/8/8/8/4Q3/K7 w - - 0 1 -";
    let black = "4k3/4r3/8/8/8/8/4Q3/K7 b - - 0 1 -";
    let expected = [0.0, 0.0, 0.0, -1.0, 1.0, 4.0, 14.0, 9.0, 0.0, p(16.0), p(16.0), 0.0, p(91.0)];
    assert_eq!(row(FeatureSet::Captures, &position(white)), expected);
    let expected = [0.0, 0.0, 0.0, 1.0, -1.0, -4.0, 14.0, -9.0, 0.0, p(16.0), p(16.0), p(91.0), 0.0];
    assert_eq!(row(FeatureSet::Captures, &position(black)), expected);
    // A rook that attacks the king, 13 and 3 micro-moves against 5.
    let white = "4k3/8/8/8/8/8/8/K3R3 w - - 0 1 -";
    let black = "4k3/8/8/8/8/8/8/K3R3 b - - 0 1 -";
    let expected = [0.0, 0.0, 0.0, 1.0, 0.0, 5.0, 5.0, 11.0, 2000.0, p(91.0), 0.0, 0.0, 0.0];
    assert_eq!(row(FeatureSet::Captures, &position(white)), expected);
    let expected = [0.0, 0.0, 0.0, -1.0, 0.0, -5.0, 5.0, -11.0, -2000.0, 0.0, p(91.0), 0.0, 0.0];
    assert_eq!(row(FeatureSet::Captures, &position(black)), expected);
    // Both kings attacked cancel out.
    assert_eq!(row(FeatureSet::Rich, &position("4k3/8/8/8/8/8/r7/K3R3 w - - 0 1 -"))[8], 0.0);
    // The starting position is even, with 2 · (8 + 6 + 6 + 10 + 9) points.
    let start = row(FeatureSet::Captures, &game::start());
    assert_eq!(start, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 78.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn planes_by_hand() {
    let ones = |dfen: &str| -> Vec<usize> {
        let row = row(FeatureSet::RawBoard, &position(dfen));
        assert!(row.iter().all(|&value| value == 0.0 || value == 1.0));
        (0..row.len()).filter(|&at| row[at] == 1.0).collect()
    };
    let plane = |number: usize, square: usize| 64 * number + square;
    // White's queen e2 and king a1, then Black's rook e7 and king e8.
    let white = ones("4k3/4r3/8/8/8/8/4Q3/K7 w - - 0 1 -");
    assert_eq!(white, [plane(4, 12), plane(5, 0), plane(9, 52), plane(11, 60)]);
    // Black's rook, on e2 of the mirrored board, and king, on e1; then White's queen on e7 and king on a8.
    let black = ones("4k3/4r3/8/8/8/8/4Q3/K7 b - - 0 1 -");
    assert_eq!(black, [plane(3, 12), plane(5, 4), plane(10, 52), plane(11, 56)]);
}

#[test]
fn the_network_sees_the_board_and_what_it_corrects() {
    let mut different = 0;
    for position in positions(56, 100) {
        let row = row(FeatureSet::Network, &position);
        let (seen, linear) = row.split_at(NetworkInputs::COUNT);
        assert_eq!(linear, [evaluate_quietly(&position) as f32], "{position}");
        let on: Vec<usize> = (0..seen.len()).filter(|&at| seen[at] == 1.0).collect();
        assert!(on.iter().copied().eq(NetworkInputs::of(&position).iter()), "{position}");
        assert_eq!(seen.iter().sum::<f32>(), on.len() as f32, "{position}");
        different += u32::from(linear != [0.0]);
    }
    assert!(different > 50);
}

#[test]
fn widths_and_names_are_told_apart() {
    assert_eq!(FeatureSet::ALL.map(FeatureSet::width), [7, 9, 13, 768, 769]);
    for set in FeatureSet::ALL {
        assert_eq!(FeatureSet::of_width(set.width()), Some(set));
    }
    assert_eq!(FeatureSet::of_width(8), None);
}

#[test]
fn mirrored_positions_have_the_same_inputs() {
    for position in positions(51, 200) {
        for set in FeatureSet::ALL {
            assert_eq!(row(set, &position), row(set, &position.flip_colors()), "{} {position}", set.id());
        }
    }
}

#[test]
fn each_set_begins_with_the_narrower_one() {
    for position in positions(52, 50) {
        let widest = row(FeatureSet::Captures, &position);
        assert_eq!(row(FeatureSet::Material, &position), widest[..7]);
        assert_eq!(row(FeatureSet::Rich, &position), widest[..9]);
    }
}

#[test]
fn micro_moves_are_counted() {
    for position in positions(53, 200) {
        let mut count = 0;
        PieceType::ALL.into_iter().for_each(|die| micro_moves(&position, die, |_| count += 1));
        assert_eq!(micro_move_count(&position), count, "{position}");
    }
}

/// Whether some sequence of micro-moves of these dice, in this order and perhaps not to the end, takes a piece of that
/// type; castling where K and R follow each other.
fn takes(position: &Position, dice: &[PieceType], target: PieceType) -> bool {
    let Some((&die, rest)) = dice.split_first() else { return false };
    let prey = position.pieces(!position.side(), target);
    let mut found = false;
    micro_moves(position, die, |mv| {
        if !found {
            found = prey.has(mv.to()) || (!position.takes_king(mv) && takes(&position.after(die, mv), rest, target));
        }
    });
    if let ([PieceType::Rook, rest @ ..], PieceType::King) = (rest, die) {
        castling_moves(position, |mv| {
            found = found || takes(&position.after(PieceType::King, mv), rest, target);
        });
    }
    found
}

#[test]
fn queens_and_kings_are_captured_by_the_rolls_that_brute_force_finds() {
    let mut captures = 0;
    let mut rng = crate::common::seeded(55);
    let scattered: Vec<Position> =
        (0..150).map(|_| crate::common::positions::scattered(&mut rng, Dice::NONE).position).collect();
    for position in positions(54, 60).into_iter().chain(scattered) {
        for roll in Roll::all() {
            let [a, b, c] = roll.faces();
            let orders = [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]];
            let slowly = |target| orders.iter().any(|order| takes(&position, order, target));
            let queen = slowly(PieceType::Queen);
            assert_eq!(queen_winning_rolls(&position).has(roll), queen, "queen {position} {roll}");
            assert_eq!(winning_rolls(&position).has(roll), slowly(PieceType::King), "king {position} {roll}");
            captures += u32::from(queen);
        }
    }
    assert!(captures > 500, "only {captures} captures were looked at");
}
