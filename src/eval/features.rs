//! Positions as numbers: the inputs that models are trained on, from the mover's view.
//!
//! Dice are no part of them: a position is looked at before its roll. "The opponent's" moves and attacks are those it
//! would have if it were to move in the same position; en passant is then not possible, since only the last turn's
//! targets could be taken, and those were its own.

use super::evaluate_quietly;
use super::network::NetworkInputs;
use crate::board::{Bitboard, Color, PieceType, Position};
use crate::rules::{Roll, RollSet, destinations, king_attackers, queen_winning_rolls, winning_rolls};

/// A kind of input, told apart by its width.
///
/// | id | width | inputs |
/// |---|---|---|
/// | `material` | 7 | own less opponent's number of P, N, B, R, Q; then the same in points (1, 3, 3, 5, 9); then the points of both sides together |
/// | `rich` | 9 | `material`; own less opponent's number of micro-moves; −2000 if the own king is attacked, +2000 if the opponent's is, 0 for both or neither |
/// | `kcp` | 13 | `rich`; four probabilities, 0..=1: the mover's next roll can capture the king; the opponent's could capture the mover's; the same two for some queen, 0 if there is none |
/// | `rawboard` | 768 | twelve planes of 64 squares, 1 where a piece stands: the mover's P, N, B, R, Q, K, then the opponent's; a1, b1, … h8, with the ranks mirrored when Black is to move |
/// | `network` | 769 | what the built-in network sees ([`NetworkInputs`]), now the same as `rawboard`; the linear evaluation in whole centipawns |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FeatureSet {
    /// Counts of pieces.
    Material,
    /// And mobility, and attacks on the kings.
    Rich,
    /// And exact probabilities of captures.
    Captures,
    /// The board itself.
    RawBoard,
    /// What the built-in network sees, and what it is added to.
    Network,
}

ids! {
    FeatureSet, UnknownFeatureSet, "kind of inputs":
    Material = "material",
    Rich = "rich",
    Captures = "kcp",
    RawBoard = "rawboard",
    Network = "network",
}

/// The types that have a value, and what each is worth in points.
const POINTS: [(PieceType, f32); 5] = [
    (PieceType::Pawn, 1.0),
    (PieceType::Knight, 3.0),
    (PieceType::Bishop, 3.0),
    (PieceType::Rook, 5.0),
    (PieceType::Queen, 9.0),
];

/// What an attacked king counts.
const KING_ATTACKED: f32 = 2000.0;

impl FeatureSet {
    /// How many numbers a position becomes.
    pub const fn width(self) -> usize {
        match self {
            Self::Material => 7,
            Self::Rich => 9,
            Self::Captures => 13,
            Self::RawBoard => 768,
            Self::Network => NetworkInputs::COUNT + 1,
        }
    }

    /// The kind of that width, if there is one.
    pub fn of_width(width: usize) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.width() == width)
    }

    /// Appends the inputs of a position, [`FeatureSet::width`] numbers, all finite.
    pub fn append(self, position: &Position, row: &mut Vec<f32>) {
        match self {
            Self::RawBoard => return append_planes(position, row),
            Self::Network => return append_network(position, row),
            Self::Material | Self::Rich | Self::Captures => append_material(position, row),
        }
        if self == Self::Material {
            return;
        }
        let theirs = position.end_turn();
        row.push(micro_move_count(position) as f32 - micro_move_count(&theirs) as f32);
        let attacked = |by: &Position| if king_attackers(by).any() { KING_ATTACKED } else { 0.0 };
        row.push(attacked(position) - attacked(&theirs));
        if self == Self::Captures {
            row.extend([winning_rolls(position), winning_rolls(&theirs)].map(probability));
            row.extend([queen_winning_rolls(position), queen_winning_rolls(&theirs)].map(probability));
        }
    }
}

/// The number of micro-moves of all six dice of the side to move, castling aside: captures of the king count, and each
/// promotion counts for four.
pub fn micro_move_count(position: &Position) -> u32 {
    let us = position.side();
    let promotes = Bitboard::LAST_RANKS & !Bitboard::of(position.king(!us));
    let mut count = 0;
    for kind in PieceType::ALL {
        for from in position.pieces(us, kind) {
            let to = destinations(position, kind, from);
            count += to.count();
            if kind == PieceType::Pawn {
                count += 3 * (to & promotes).count();
            }
        }
    }
    count
}

fn append_material(position: &Position, row: &mut Vec<f32>) {
    let us = position.side();
    let (mut difference, mut total) = (0.0, 0.0);
    for (kind, points) in POINTS {
        let own = position.pieces(us, kind).count() as f32;
        let their = position.pieces(!us, kind).count() as f32;
        row.push(own - their);
        difference += points * (own - their);
        total += points * (own + their);
    }
    row.extend([difference, total]);
}

fn append_planes(position: &Position, row: &mut Vec<f32>) {
    let start = row.len();
    row.resize(start + FeatureSet::RawBoard.width(), 0.0);
    let us = position.side();
    let planes = [us, !us].into_iter().flat_map(|color| PieceType::ALL.map(|kind| position.pieces(color, kind)));
    for (plane, pieces) in row[start..].chunks_exact_mut(64).zip(planes) {
        let pieces = if us == Color::White { pieces } else { pieces.flip_ranks() };
        for square in pieces {
            plane[square.index()] = 1.0;
        }
    }
}

fn append_network(position: &Position, row: &mut Vec<f32>) {
    let start = row.len();
    row.resize(start + NetworkInputs::COUNT, 0.0);
    for input in NetworkInputs::of(position).iter() {
        row[start + input] = 1.0;
    }
    // Far below 2²⁴, up to which these numbers are exact.
    row.push(evaluate_quietly(position) as f32);
}

fn probability(rolls: RollSet) -> f32 {
    rolls.weight() as f32 / Roll::TOTAL_WEIGHT as f32
}
