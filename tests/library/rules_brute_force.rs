//! The rules against a naive second reading of them, on seeded random positions: every list, every verdict on a turn,
//! every roll that captures the king.

use crate::common::naive::{Line, Naive};
use crate::common::positions::{lines_through_en_passant, only_captures, scattered, varied_positions};
use crate::common::{any_dice, below, few_dice, pick, roll, seeded};
use astragal::board::{Dice, MicroMove, PieceType, Position, Rolled, Square};
use astragal::rules::{
    Roll, Turn, TurnEnd, TurnError, apply_roll, apply_unrolled, legal_turns, most_dice, outcomes, winning_rolls,
};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Turns, and the text of the position each leads to; none when it captures the king.
type Results = BTreeMap<Turn, Option<String>>;

fn results(lines: Vec<Line>) -> Results {
    lines.into_iter().map(|line| (line.turn, line.end.map(|end| end.text()))).collect()
}

/// Whether the library's verdict on a turn is the naive one.
fn agrees(expected: &Results, turn: Turn, verdict: &Result<TurnEnd, TurnError>) -> bool {
    match (verdict, expected.get(&turn)) {
        (Err(_), None) | (Ok(TurnEnd::KingCaptured), Some(None)) => true,
        (Ok(TurnEnd::Position(position)), Some(Some(text))) => position.to_string() == *text,
        _ => false,
    }
}

/// Positions with dice: out of games at the start of a turn, and scattered, these in the middle of one as well.
fn varied_rolled(rng: &mut ChaCha8Rng, count: usize) -> Vec<Rolled> {
    let mut positions = Vec::new();
    for position in varied_positions(rng, count / 2) {
        positions.push(Rolled { position, dice: any_dice(rng) });
        let dice = any_dice(rng);
        positions.push(scattered(rng, dice));
    }
    positions.extend((0..count / 20).map(|_| only_captures(rng)));
    positions
}

#[test]
fn legal_turns_and_outcomes_are_the_naive_ones() {
    let rng = &mut seeded(11);
    for rolled in varied_rolled(rng, 600) {
        let lines = Naive::read(&rolled.to_string()).legal(rolled.dice);
        let most = lines.iter().filter(|line| line.end.is_some()).map(|line| line.used).max();
        assert_eq!(most_dice(&rolled), most.unwrap_or(0), "{rolled}");
        let mut expected: Vec<String> =
            lines.iter().map(|line| line.turn.to_string()).filter(|text| text != "0000").collect();
        expected.sort();
        let found: Vec<String> = legal_turns(&rolled).iter().map(Turn::to_string).collect();
        assert_eq!(found, expected, "{rolled}");

        // The turn that stands for an outcome: fewest micro-moves, then ASCII.
        let mut stands_for = HashMap::new();
        for line in &lines {
            let rank = (line.turn.len(), line.turn.to_string());
            let known = stands_for.entry(line.end.map(|end| end.without_counters())).or_insert((rank.clone(), line));
            if rank < known.0 {
                *known = (rank, line);
            }
        }
        let found = outcomes(&rolled);
        assert_eq!(found.king_capture, stands_for.remove(&None).map(|(_, line)| line.turn), "{rolled}");
        assert_eq!(found.distinct.len(), stands_for.len(), "{rolled}");
        for outcome in found.distinct {
            let text = outcome.position.to_string();
            let line = stands_for.get(&Some(Naive::read(&text).without_counters())).map(|(_, line)| line);
            assert_eq!(line.map(|line| line.turn), Some(outcome.turn), "{rolled}: {text}");
            assert_eq!(line.and_then(|line| line.end).map(|end| end.text()), Some(text), "{rolled}");
        }
    }
}

/// Every from, to and promotion that a micro-move can name. Promotion to a king has no text, but a value.
fn all_micro_moves() -> Vec<MicroMove> {
    let mut moves = Vec::new();
    for from in Square::all() {
        for to in Square::all() {
            moves.push(MicroMove::new(from, to));
            let kinds = PieceType::PROMOTIONS.into_iter().chain([PieceType::King]);
            moves.extend(kinds.map(|kind| MicroMove::promoting(from, to, kind)));
        }
    }
    moves
}

/// Asks for a verdict on every sequence that goes on from a possible one (the empty one, and one after which the
/// king is gone, included) by any micro-move at all. Sequences that go on from an impossible one are tried at random.
fn check_every_verdict(rng: &mut ChaCha8Rng, position: &Position, all: &[MicroMove]) {
    let naive = Naive::read(&position.to_string());
    let possible = results(naive.possible());
    let mut dice: Vec<Dice> = vec![roll(rng).dice(), roll(rng).dice(), few_dice(rng)];
    dice.push(Dice::NONE.with(PieceType::King).with(PieceType::Rook).with(pick(rng, &PieceType::ALL)));
    let legal: Vec<(Rolled, Results)> =
        dice.iter().map(|&dice| (Rolled { position: *position, dice }, results(naive.legal(dice)))).collect();
    let check = |turn: Turn| {
        let verdict = apply_unrolled(position, turn);
        assert!(agrees(&possible, turn, &verdict), "{position} {turn}: {verdict:?}");
        for (rolled, legal) in &legal {
            let verdict = apply_roll(rolled, turn);
            assert!(agrees(legal, turn, &verdict), "{rolled} {turn}: {verdict:?}");
        }
    };
    check(Turn::PASS);
    let sequences: Vec<Turn> = possible.keys().copied().collect();
    for prefix in sequences.iter().filter(|prefix| prefix.len() < Dice::MOST) {
        // After two micro-moves only pieces that are there are tried, and few of the promotions.
        let last = prefix.len() == 2;
        let starts: HashSet<Square> = prefix.moves().iter().map(|mv| mv.to()).collect();
        let tried = |mv: &&MicroMove| {
            !last
                || ((position.occupied().has(mv.from()) || starts.contains(&mv.from()))
                    && mv.promotion().is_none_or(|kind| kind == PieceType::Queen))
        };
        all.iter().filter(tried).for_each(|&mv| check(prefix.then(mv)));
    }
    for _ in 0..2000 {
        let turn = Turn::PASS.then(pick(rng, all));
        let rest = pick(rng, &sequences);
        check(rest.moves().iter().fold(turn, |turn, &mv| turn.then(mv)));
    }
}

#[test]
fn no_sequence_is_accepted_but_the_legal_ones() {
    let rng = &mut seeded(12);
    let all = all_micro_moves();
    // Castling, en passant, promotion beside a king and a bare king, boxed in so that there is little else.
    for dfen in [
        "4k3/8/8/8/8/3p1p1p/3PpP1P/4K2R w K - 0 1 -",
        "r3k3/p2p4/P2P4/8/8/8/8/7K b q - 3 9 -",
        "8/8/8/k1pP4/8/8/8/7K w - c6 0 1 -",
        "8/8/8/8/pPp5/8/7p/K6k b - b3 0 1 -",
        "5k2/6P1/8/8/8/8/8/7K w - - 99 1 -",
    ] {
        check_every_verdict(rng, &Rolled::from_dfen(dfen).expect("sound").position, &all);
    }
    let mut small = 0;
    while small < 8 {
        let position = scattered(rng, Dice::NONE).position;
        if Naive::read(&position.to_string()).steps().len() <= 8 {
            small += 1;
            check_every_verdict(rng, &position, &all);
        }
    }
}

/// A turn a little different from a good one.
fn mutated(rng: &mut ChaCha8Rng, turn: Turn) -> Turn {
    let mut moves = turn.moves().to_vec();
    let at = below(rng, moves.len());
    let square = Square::new(below(rng, 64) as u8);
    match below(rng, 8) {
        0 => moves.reverse(),
        1 => moves.swap(0, at),
        2 => drop(moves.pop()),
        3 => drop(moves.remove(at)),
        4 => moves.push(moves[at]),
        5 => moves[at] = MicroMove::new(moves[at].from(), square),
        6 => moves[at] = MicroMove::new(square, moves[at].to()),
        _ => moves[at] = MicroMove::promoting(moves[at].from(), moves[at].to(), pick(rng, &PieceType::ALL)),
    }
    moves.into_iter().fold(Turn::PASS, Turn::then)
}

#[test]
fn turns_are_accepted_if_and_only_if_they_are_in_the_list() {
    let rng = &mut seeded(13);
    let (mut good, mut bad) = (0, 0);
    for rolled in varied_rolled(rng, 400) {
        let turns = legal_turns(&rolled);
        let known: HashSet<Turn> = turns.iter().copied().collect();
        assert_eq!(known.len(), turns.len(), "{rolled}: a turn twice");
        assert_eq!(apply_roll(&rolled, Turn::PASS).is_ok(), turns.is_empty(), "{rolled}");
        for &turn in turns.iter().step_by(1 + turns.len() / 300) {
            assert!(apply_roll(&rolled, turn).is_ok(), "{rolled} {turn}");
            let other = mutated(rng, turn);
            let accepted = apply_roll(&rolled, other).is_ok();
            assert_eq!(accepted, known.contains(&other), "{rolled} {other}");
            if accepted { good += 1 } else { bad += 1 }
        }
    }
    assert!(good > 1000 && bad > 1000, "{good} accepted, {bad} not");
}

#[test]
fn winning_rolls_are_those_of_brute_force() {
    let rng = &mut seeded(14);
    let (mut some, mut positions) = (0, varied_positions(rng, 1500));
    // In the middle of a turn there are targets of both sides; a search may ask there, too.
    for _ in 0..300 {
        let dice = few_dice(rng);
        positions.push(scattered(rng, dice).position);
        positions.push(lines_through_en_passant(rng));
    }
    // Beside where the king castles to: the one place that castling reaches and the three dice singly do not.
    for dfen in ["8/8/8/8/8/8/1k6/R3K3 w Q - 0 1 -", "r3k2r/1K6/8/8/8/8/8/8 b kq - 0 1 -"] {
        positions.push(Rolled::from_dfen(dfen).expect("sound").position);
    }
    for position in positions {
        let expected = Naive::read(&position.to_string()).winning_rolls();
        let found = winning_rolls(&position);
        for roll in Roll::all() {
            assert_eq!(found.has(roll), expected >> roll.index() & 1 != 0, "{position} {roll}");
        }
        let weight = Roll::all().filter(|&roll| found.has(roll)).map(Roll::weight).sum::<u32>();
        assert_eq!(found.weight(), weight);
        some += usize::from(weight > 0 && weight < Roll::TOTAL_WEIGHT);
    }
    assert!(some > 600, "{some} positions with a choice of rolls");
}
