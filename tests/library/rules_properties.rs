//! The rules by properties: what must hold in every position of seeded random games and on boards scattered at random.

use crate::common::naive::Naive;
use crate::common::positions::{game_positions, only_captures, scattered, varied_positions};
use crate::common::{any_dice, below, chance, few_dice, pick, roll, seeded};
use astragal::board::{CastlingSide, Color, Dice, EndKeys, PieceType, Position, Rolled};
use astragal::rules::{
    ChanceNode, Outcomes, Roll, RollSet, Turn, TurnEnd, apply_roll, castling_moves, legal_turns, micro_moves, outcomes,
    outcomes_while, winning_rolls,
};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, HashSet};

fn dice_left(dice: Dice, kind: PieceType, castles: bool) -> Dice {
    let left = dice.without(kind).expect("the die is there");
    if castles { left.without(PieceType::Rook).expect("the die is there") } else { left }
}

/// A turn for the game to go on with: any legal one, or one that stands for an outcome, so that outcomes which few
/// turns lead to are as likely as the others. Castling, which is rare, is preferred.
fn random_turn(rng: &mut ChaCha8Rng, rolled: &Rolled) -> Turn {
    let mut turns = legal_turns(rolled);
    let distinct = outcomes(rolled).distinct;
    // None are distinct where every turn captures the king.
    if !distinct.is_empty() && chance(rng, 1, 2) {
        turns = distinct.iter().map(|outcome| outcome.turn).collect();
    }
    let castlings: Vec<Turn> = turns.iter().copied().filter(|turn| castles(rolled, *turn)).collect();
    match (turns.is_empty(), castlings.is_empty()) {
        (true, _) => Turn::PASS,
        (_, false) if chance(rng, 1, 2) => pick(rng, &castlings),
        _ => pick(rng, &turns),
    }
}

fn castles(rolled: &Rolled, turn: Turn) -> bool {
    let first = turn.moves().first().copied();
    let mut found = false;
    castling_moves(&rolled.position, |mv| found |= Some(mv) == first);
    found
}

/// All that must hold of a position, in the middle of a turn or at its start, with these dice left.
fn check_position(rolled: &Rolled, naive: &Naive) {
    let position = &rolled.position;
    let text = position.to_string();
    assert_eq!(text, naive.text());
    assert_eq!(position.key(), position.key_from_scratch(), "{text}");
    if !rolled.dice.is_empty() {
        // Without dice the reader takes the turn for not begun, and the mover can have no targets yet.
        assert_eq!(Rolled::from_dfen(&rolled.to_string()).as_ref(), Ok(rolled));
    }
    let ended = position.end_turn();
    assert_eq!(ended.to_string(), naive.end().text());
    assert_eq!(ended.key(), ended.key_from_scratch(), "{text}");
    assert_eq!(position.key_at_end(), ended.key(), "{text}");
    assert_eq!(Rolled::from_dfen(&ended.to_string()), Ok(Rolled { position: ended, dice: Dice::NONE }));
    let check_move = |kind, mv| {
        if position.takes_king(mv) {
            return;
        }
        let before = *position;
        let after = position.after(kind, mv);
        assert_eq!(*position, before, "{text} {mv}");
        assert_eq!(after.key(), after.key_from_scratch(), "{text} {mv}");
        assert_eq!(position.key_after(kind, mv), after.end_turn().key(), "{text} {mv}");
    };
    let keys = EndKeys::of(position);
    for kind in PieceType::ALL {
        micro_moves(position, kind, |mv| {
            check_move(kind, mv);
            if !position.takes_king(mv) {
                let keys = keys.from(kind, mv.from());
                let key = if kind == PieceType::Pawn { keys.pawn_to(mv) } else { keys.piece_to(mv) };
                assert_eq!(key, position.key_after(kind, mv), "{text} {mv}");
            }
        });
    }
    castling_moves(position, |mv| check_move(PieceType::King, mv));
}

/// Plays a random turn and checks the position after each micro-move; `None` when the king is captured.
fn check_random_turn(rng: &mut ChaCha8Rng, rolled: Rolled) -> Option<Position> {
    let mut here = rolled;
    let mut naive = Naive::read(&rolled.to_string());
    let turn = random_turn(rng, &rolled);
    check_position(&here, &naive);
    for &mv in turn.moves() {
        if here.position.takes_king(mv) {
            assert_eq!(apply_roll(&rolled, turn), Ok(TurnEnd::KingCaptured), "{rolled} {turn}");
            return None;
        }
        let kind = here.position.kind_at(mv.from()).expect("a piece moves");
        let dice = dice_left(here.dice, kind, castles(&here, Turn::PASS.then(mv)));
        here = Rolled { position: here.position.after(kind, mv), dice };
        naive = naive.after(mv);
        check_position(&here, &naive);
    }
    let ended = here.position.end_turn();
    assert_eq!(apply_roll(&rolled, turn), Ok(TurnEnd::Position(ended)), "{rolled} {turn}");
    Some(ended)
}

#[test]
fn keys_and_texts_hold_after_every_micro_move_of_random_games() {
    let rng = &mut seeded(1);
    for _ in 0..60 {
        let mut position = game_positions(rng, 0)[0];
        for _ in 0..60 {
            let dice = roll(rng).dice();
            let Some(next) = check_random_turn(rng, Rolled { position, dice }) else { break };
            position = next;
        }
    }
    for _ in 0..3000 {
        let dice = any_dice(rng);
        let rolled = scattered(rng, dice);
        check_random_turn(rng, rolled);
    }
}

#[test]
fn keys_tell_apart_what_differs_in_one_thing() {
    let mut texts = HashMap::new();
    let mut add = |dfen: String| {
        let position = Rolled::from_dfen(&dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position;
        let fields: Vec<String> = position.to_string().split(' ').take(4).map(String::from).collect();
        let known = texts.entry(position.key()).or_insert_with(|| fields.clone());
        assert_eq!(*known, fields);
    };
    let names: Vec<String> = "abcdefgh".chars().flat_map(|file| [format!("{file}3"), format!("{file}6")]).collect();
    for side in ["w", "b"] {
        for (n, target) in names.iter().enumerate() {
            add(format!("4k3/8/8/pppppppp/PPPPPPPP/8/8/4K3 {side} - {target} 0 1 N"));
            for other in &names[..n] {
                add(format!("4k3/8/8/pppppppp/PPPPPPPP/8/8/4K3 {side} - {target}{other} 0 1 N"));
            }
        }
        for set in 1..16 {
            let rights: String = (0..4).filter(|n| set >> n & 1 != 0).map(|n| ['K', 'Q', 'k', 'q'][n]).collect();
            add(format!("r3k2r/8/8/8/8/8/8/R3K2R {side} {rights} - 0 1 -"));
        }
        add(format!("r3k2r/8/8/8/8/8/8/R3K2R {side} - - 0 1 -"));
    }
    assert_eq!(texts.len(), 2 * (16 + 16 * 15 / 2 + 16));
}

#[test]
fn nothing_changes_when_the_colours_do() {
    let rng = &mut seeded(2);
    for (number, position) in varied_positions(rng, 400).into_iter().enumerate() {
        let dice = any_dice(rng);
        let position = if number % 2 == 0 { position } else { scattered(rng, dice).position };
        let flipped = position.flip_colors();
        assert_eq!(flipped.flip_colors(), position);
        assert_ne!(flipped.side(), position.side());
        assert_eq!(flipped.key(), flipped.key_from_scratch());
        assert_eq!(winning_rolls(&flipped), winning_rolls(&position), "{position}");
        let (rolled, mirror) = (Rolled { position, dice }, Rolled { position: flipped, dice });
        let turns: HashSet<Turn> = legal_turns(&rolled).iter().map(Turn::flip_ranks).collect();
        let mirrored = legal_turns(&mirror);
        assert_eq!(mirrored.len(), turns.len(), "{rolled}");
        assert!(mirrored.iter().all(|turn| turns.contains(turn)), "{rolled}");
        let (here, there) = (outcomes(&rolled), outcomes(&mirror));
        assert_eq!(here.king_capture.is_some(), there.king_capture.is_some(), "{rolled}");
        // Counters aside: two turns to one position may differ in them, and the other one may stand for it there.
        let keys = |found: &Outcomes, flip: fn(&Position) -> Position| -> HashSet<u64> {
            found.distinct.iter().map(|outcome| flip(&outcome.position).key()).collect()
        };
        assert_eq!(keys(&here, Position::flip_colors), keys(&there, |position| *position), "{rolled}");
        assert_eq!(here.distinct.len(), there.distinct.len(), "{rolled}");
    }
}

#[test]
fn flipping_colours_turns_the_text_upside_down() {
    let swap_case = |letter: char| {
        if letter.is_ascii_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
    };
    let rng = &mut seeded(3);
    for _ in 0..500 {
        let dice = few_dice(rng);
        let position = scattered(rng, dice).position;
        let (text, flipped) = (position.to_string(), position.flip_colors().to_string());
        let (fields, flipped): (Vec<&str>, Vec<&str>) = (text.split(' ').collect(), flipped.split(' ').collect());
        let rows: Vec<String> = fields[0].rsplit('/').map(|row| row.chars().map(swap_case).collect()).collect();
        assert_eq!(rows.join("/"), flipped[0]);
        let rights = |field: &str, color: Color| -> Vec<bool> {
            let has = |side: &CastlingSide| field.contains(side.letter as char);
            CastlingSide::of(color).iter().map(has).collect()
        };
        for color in Color::ALL {
            assert_eq!(rights(fields[2], color), rights(flipped[2], !color), "{text}");
        }
        // The ranks are exchanged, so two names of one file change places.
        let mut names: Vec<String> = fields[3].as_bytes().chunks(2).map(mirrored_name).collect();
        names.sort();
        assert_eq!(names.concat(), flipped[3], "{text}");
        assert_eq!(fields[4..], flipped[4..]);
    }
}

/// `e3` of `e6`, and the other way round; a dash stays.
fn mirrored_name(name: &[u8]) -> String {
    name.iter().map(|&byte| if byte.is_ascii_digit() { (b'0' + b'9' - byte) as char } else { byte as char }).collect()
}

/// What the slow, plain way gives for a roll; passes are not leaves.
fn outcome_keys(position: &Position, roll: Roll) -> HashSet<u64> {
    let found = outcomes(&Rolled { position: *position, dice: roll.dice() }).distinct;
    found.iter().filter(|outcome| !outcome.turn.is_empty()).map(|outcome| outcome.position.key()).collect()
}

#[test]
fn chance_nodes_have_the_outcomes_of_every_wanted_roll() {
    let rng = &mut seeded(4);
    // One node for all: what it keeps from one position must not show in the next.
    let mut node = ChanceNode::new();
    let mut positions = varied_positions(rng, 400);
    for at in (0..positions.len()).step_by(5) {
        // With targets of both sides, too.
        let dice = few_dice(rng);
        positions.insert(at, scattered(rng, dice).position);
        positions.push(only_captures(rng).position);
    }
    for (number, position) in positions.into_iter().enumerate() {
        let mut wanted = RollSet::ALL;
        if number % 4 != 0 {
            wanted = RollSet::EMPTY;
            (0..=below(rng, 6)).for_each(|_| wanted.insert(roll(rng)));
        }
        node.expand(&position, wanted);
        assert_eq!(node.passed(), Some(position.end_turn()));
        for roll in Roll::all().filter(|&roll| wanted.has(roll)) {
            let mut keys = HashSet::new();
            let count = node.visit(roll, |leaf| {
                let reached = leaf.position();
                assert_eq!(reached.key(), leaf.key());
                assert_eq!(reached.key_from_scratch(), leaf.key(), "{position} {roll}: {reached}");
                assert!(keys.insert(leaf.key()), "{position} {roll}: {reached} twice");
            });
            assert_eq!(count, keys.len());
            assert_eq!(keys, outcome_keys(&position, roll), "{position} {roll}");
        }
    }
}

#[test]
fn an_interrupted_list_of_outcomes_has_only_legal_turns() {
    let rng = &mut seeded(5);
    let (mut cut, mut whole) = (0, 0);
    for position in varied_positions(rng, 150) {
        let rolled = Rolled { position, dice: any_dice(rng) };
        let all = outcomes(&rolled);
        assert!(!all.incomplete);
        let turns: HashSet<Turn> = legal_turns(&rolled).into_iter().collect();
        let keys: HashSet<u64> = all.distinct.iter().map(|outcome| outcome.position.key()).collect();
        for exponent in 0..12 {
            let stop_after = below(rng, 1 << exponent);
            let mut asked = 0;
            let found = outcomes_while(&rolled, || {
                asked += 1;
                asked <= stop_after
            });
            assert_eq!(found.incomplete, asked > stop_after, "{rolled}");
            if !found.incomplete {
                whole += 1;
                assert_eq!(found, all, "{rolled}");
                continue;
            }
            cut += 1;
            assert!(found.king_capture.is_none_or(|turn| turns.contains(&turn)), "{rolled}");
            for outcome in found.distinct {
                assert!(turns.contains(&outcome.turn), "{rolled} {}", outcome.turn);
                assert!(keys.contains(&outcome.position.key()), "{rolled} {}", outcome.turn);
                let ended = apply_roll(&rolled, outcome.turn);
                assert_eq!(ended, Ok(TurnEnd::Position(outcome.position)), "{rolled} {}", outcome.turn);
            }
        }
    }
    assert!(cut > 300 && whole > 300, "{cut} cut short, {whole} not");
}
