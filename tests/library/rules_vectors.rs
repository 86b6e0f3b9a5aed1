//! The rules against the vectors of `tests/vectors/`, which an independent, slow reading of the rules made.

use astragal::board::{Position, Rolled};
use astragal::rules::{
    ChanceNode, Roll, RollSet, Turn, TurnEnd, apply_roll, count_position, legal_turns, outcomes, winning_rolls,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, HashSet};

fn load<T: DeserializeOwned>(name: &str) -> Vec<T> {
    let path = format!("{}/tests/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let cases: Vec<T> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert!(!cases.is_empty(), "{path} has no cases");
    cases
}

fn rolled(dfen: &str) -> Rolled {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {}: {error}", error.field()))
}

fn position(dfen: &str) -> Position {
    let rolled = rolled(dfen);
    assert!(rolled.dice.is_empty(), "{dfen}");
    rolled.position
}

#[derive(Deserialize)]
struct TurnsCase {
    dfen: String,
    turns: usize,
    distinct: usize,
    king_captures: usize,
    first: Vec<String>,
    sha256: String,
    list: Option<Vec<String>>,
    #[serde(default)]
    must_include: Vec<String>,
}

#[test]
fn legal_turns_are_those_of_the_vectors() {
    for case in load::<TurnsCase>("turns") {
        let rolled = rolled(&case.dfen);
        assert_eq!(rolled.to_string(), case.dfen);
        let turns = legal_turns(&rolled);
        let texts: Vec<String> = turns.iter().map(Turn::to_string).collect();
        assert!(texts.is_sorted(), "{}", case.dfen);
        if let Some(list) = &case.list {
            assert_eq!(&texts, list, "{}", case.dfen);
        }
        assert_eq!(texts.len(), case.turns, "{}", case.dfen);
        let hash: String = Sha256::digest(texts.join("\n")).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash, case.sha256, "{}", case.dfen);
        let first: BTreeSet<&str> = texts.iter().filter_map(|text| text.split(',').next()).collect();
        assert!(first.iter().eq(&case.first), "{}", case.dfen);
        let captures = turns.iter().filter(|turn| apply_roll(&rolled, **turn) == Ok(TurnEnd::KingCaptured)).count();
        assert_eq!(captures, case.king_captures, "{}", case.dfen);
        for turn in &case.must_include {
            assert!(texts.contains(turn), "{}: {turn}", case.dfen);
        }
    }
}

#[test]
fn outcomes_are_distinct_and_each_has_the_first_turn_that_leads_there() {
    for case in load::<TurnsCase>("turns") {
        let rolled = rolled(&case.dfen);
        let found = outcomes(&rolled);
        let mut first_turns: BTreeMap<u64, (Turn, Position)> = BTreeMap::new();
        let mut king_capture = None;
        for turn in legal_turns(&rolled) {
            match apply_roll(&rolled, turn).unwrap_or_else(|error| panic!("{}: {turn}: {error}", case.dfen)) {
                TurnEnd::KingCaptured => king_capture = king_capture.into_iter().chain([turn]).min(),
                TurnEnd::Position(position) => {
                    let known = first_turns.entry(position.key()).or_insert((turn, position));
                    if turn < known.0 {
                        *known = (turn, position);
                    }
                }
            }
        }
        assert_eq!(first_turns.len(), case.distinct, "{}", case.dfen);
        assert_eq!(found.king_capture, king_capture, "{}", case.dfen);
        if case.turns == 0 {
            assert_eq!(found.distinct.len(), 1, "{}: a pass", case.dfen);
            assert!(found.distinct[0].turn.is_empty());
            continue;
        }
        assert_eq!(found.distinct.len(), case.distinct, "{}", case.dfen);
        assert_eq!(found.legal_turns(), case.turns as u64, "{}", case.dfen);
        assert_eq!(found.capturing_turns, case.king_captures as u64, "{}", case.dfen);
        for outcome in found.distinct {
            let expected = (outcome.turn, outcome.position);
            assert_eq!(first_turns.get(&outcome.position.key()), Some(&expected), "{}", case.dfen);
        }
    }
}

#[derive(Deserialize)]
struct ApplyCase {
    dfen: String,
    turn: String,
    result: String,
}

#[test]
fn turns_lead_where_the_vectors_say() {
    for case in load::<ApplyCase>("apply") {
        let turn: Turn = case.turn.parse().unwrap_or_else(|error| panic!("{}: {error}", case.turn));
        match apply_roll(&rolled(&case.dfen), turn) {
            Ok(TurnEnd::Position(position)) => {
                assert_eq!(position.to_string(), case.result, "{}", case.dfen)
            }
            other => panic!("{} {}: {other:?}", case.dfen, case.turn),
        }
    }
}

#[derive(Deserialize)]
struct KingCaptureCase {
    dfen: String,
    weight: u32,
}

#[test]
fn king_capture_weights_are_those_of_the_vectors() {
    for case in load::<KingCaptureCase>("kcp") {
        assert_eq!(winning_rolls(&position(&case.dfen)).weight(), case.weight, "{}", case.dfen);
    }
}

#[derive(Deserialize)]
struct ChanceCase {
    dfen: String,
    turns: u64,
    distinct: u64,
    rolls: BTreeMap<String, (u64, u64)>,
}

#[test]
fn chance_nodes_are_those_of_the_vectors() {
    let mut node = ChanceNode::new();
    for case in load::<ChanceCase>("chance") {
        let position = position(&case.dfen);
        let (counts, weight) = count_position(&position, || true);
        assert_eq!(weight, winning_rolls(&position).weight());
        for (roll, count) in &counts {
            assert_eq!(case.rolls.get(&roll.to_string()), Some(&(count.turns, count.outcomes)), "{} {roll}", case.dfen);
        }
        assert_eq!(counts.iter().map(|(_, count)| count.turns).sum::<u64>(), case.turns);
        assert_eq!(counts.iter().map(|(_, count)| count.outcomes).sum::<u64>(), case.distinct);
        leaves_are_the_outcomes(&mut node, &position);
    }
}

/// The fast chance node against the plain outcomes, roll by roll.
fn leaves_are_the_outcomes(node: &mut ChanceNode, position: &Position) {
    node.expand(position, RollSet::ALL);
    for roll in Roll::all() {
        let mut keys = HashSet::new();
        node.visit(roll, |leaf| {
            assert_eq!(leaf.position().key(), leaf.key());
            assert_eq!(leaf.position().key_from_scratch(), leaf.key());
            assert!(keys.insert(leaf.key()));
        });
        let slow = outcomes(&Rolled { position: *position, dice: roll.dice() });
        let expected: HashSet<u64> = slow
            .distinct
            .iter()
            .filter(|outcome| !outcome.turn.is_empty())
            .map(|outcome| outcome.position.key())
            .collect();
        assert_eq!(keys, expected, "{position} {roll}");
    }
}

#[derive(Deserialize)]
struct GoodCase {
    dfen: String,
    canonical: String,
    why: String,
}

#[test]
fn odd_dfens_are_read_and_written_in_canonical_form() {
    for case in load::<GoodCase>("good_dfen") {
        assert_eq!(rolled(&case.dfen).to_string(), case.canonical, "{}", case.why);
        assert_eq!(rolled(&case.canonical).to_string(), case.canonical, "{}", case.why);
    }
}

#[derive(Deserialize)]
struct BadCase {
    dfen: String,
    field: String,
    why: String,
}

#[test]
fn bad_dfens_are_errors_that_name_the_field() {
    for case in load::<BadCase>("bad_dfen") {
        match Rolled::from_dfen(&case.dfen) {
            Ok(read) => panic!("{} was read as {read}: {}", case.dfen, case.why),
            Err(error) => assert_eq!(error.field().to_string(), case.field, "{}: {error}", case.why),
        }
    }
}
