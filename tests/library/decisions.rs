//! The set of decisions in `benches/decisions.jsonl`.

use astragal::board::Rolled;
use astragal::eval::network::SHIPPED;
use astragal::review::{DecisionLine, DecisionSet};
use astragal::rules::{TurnEnd, apply_roll};

const FILE: &str = include_str!("../../benches/decisions.jsonl");

#[test]
fn the_set_is_what_it_is_said_to_be() {
    let set = DecisionSet::read(FILE.as_bytes()).unwrap();
    assert_eq!((set.decisions.len(), set.header.candidates, set.header.turns), (300, 5, 8));
    assert_eq!(set.header.player, SHIPPED.name(), "turns outside the set are compared by the built-in network");
    assert!(set.header.error <= 0.005);
    assert_eq!(set.decisions.iter().filter(|decision| decision.close).count(), 150);

    let lines: Vec<DecisionLine> = FILE.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|line| line.source == "ending") && lines.iter().any(|line| line.source == "start"));
    for (number, line) in lines.iter().enumerate() {
        assert_eq!(line.number as usize, number);
        assert!(line.games < set.header.most, "{number}: the error was reached");
        let rolled = Rolled::from_dfen(&line.dfen).unwrap();
        assert_eq!(rolled.dice.to_string().len(), 3, "{number}");
        assert!((2..=5).contains(&line.turns.len()), "{number}");
        let best = line.turns[0].equity;
        let mut keys = Vec::new();
        for turn in &line.turns {
            assert!(turn.error <= set.header.error && turn.loss >= 0.0, "{number} {}", turn.turn);
            assert!((best - turn.equity - turn.loss).abs() < 2e-6, "{number} {}", turn.turn);
            match apply_roll(&rolled, turn.turn.parse().unwrap()).unwrap() {
                TurnEnd::Position(position) => keys.push(position.key()),
                TurnEnd::KingCaptured => panic!("{number}: no decision is needed to capture the king"),
            }
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), line.turns.len(), "{number}: the turns lead to different positions");
    }
}
