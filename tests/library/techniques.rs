//! Every technique of the search against plain expectimax, and many threads against one: faster, never different.

use crate::common::game;
use crate::common::positions::SMALL;
use astragal::board::{Position, Rolled};
use astragal::bots::BudgetedBot;
use astragal::rules::{Turn, outcomes};
use astragal::search::{Event, Expectimax, ExpectimaxSettings, Filters, Info, PreRanker, Task, Techniques};

/// Values are kept to 2⁻⁴⁰ of themselves; sums of them differ a little more.
const CLOSE: f64 = 1e-10;

struct Answer {
    turn: Turn,
    value: f64,
    nodes: u64,
}

fn answer(rolled: &Rolled, depth: u32, settings: ExpectimaxSettings) -> Option<Answer> {
    let mut task = Task::new(*rolled);
    task.limits.depth = Some(depth);
    let mut best: Option<Info> = None;
    let turn = Expectimax::new(settings).choose(&task, None, &mut |event| {
        if let Event::Info(info) = event {
            best = Some(info);
        }
    });
    best.map(|info| Answer { turn, value: info.score.equity().value(), nodes: info.nodes })
}

fn settings(techniques: Techniques, candidate_limit: usize) -> ExpectimaxSettings {
    ExpectimaxSettings { techniques, candidate_limit, hash: 1, ..ExpectimaxSettings::linear() }
}

const ALL_ON: Techniques = Techniques { probing: true, table: true, filters: Filters::NONE, roll_subset: 0 };

/// The value must be the same, and so must the turn unless another one is worth as much.
fn same(rolled: &Rolled, depth: u32, candidate_limit: usize) -> (u64, u64) {
    let plain = answer(rolled, depth, settings(Techniques::PLAIN, candidate_limit));
    let Some(plain) = plain else { return (0, 0) };
    let mut nodes = 0;
    for probing in [false, true] {
        for table in [false, true] {
            let techniques = Techniques { probing, table, ..Techniques::PLAIN };
            let fast = answer(rolled, depth, settings(techniques, candidate_limit));
            let Some(fast) = fast else { panic!("{rolled}: no answer with {techniques:?}") };
            let difference = (fast.value - plain.value).abs();
            assert!(difference < CLOSE, "{rolled} depth {depth} {techniques:?}: {} {}", fast.value, plain.value);
            assert_eq!(fast.turn, plain.turn, "{rolled} depth {depth} {techniques:?}");
            nodes = fast.nodes;
        }
    }
    (plain.nodes, nodes)
}

#[test]
fn two_plies_are_those_of_plain_expectimax() {
    let (mut plain, mut fast) = (0, 0);
    for rolled in game::random_positions(101, 500) {
        let (slow, quick) = same(&rolled, 2, 10);
        plain += slow;
        fast += quick;
    }
    println!("nodes: {fast} with every technique, {plain} without");
    assert!(5 * fast < 3 * plain, "{fast} of {plain}");
}

#[test]
fn three_plies_are_those_of_plain_expectimax() {
    for dfen in SMALL {
        let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
        same(&rolled, 3, 3);
    }
}

#[test]
#[ignore = "takes 20 s; part of .ci/run"]
fn four_plies_are_those_of_plain_expectimax() {
    for dfen in ["8/2k5/8/8/8/8/6K1/8 b - - 94 30 ppk", "k7/8/8/8/8/8/8/7K w - - 0 30 PNK"] {
        let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
        same(&rolled, 4, 2);
    }
}

#[test]
fn mirrored_positions_have_mirrored_values() {
    const LIMIT: usize = 8;
    let rank = |position: &Position| PreRanker::default().value(position).value();
    let mut compared = 0;
    for rolled in game::random_positions(103, 40) {
        let flipped = Rolled { position: rolled.position.flip_colors(), dice: rolled.dice };
        let one = answer(&rolled, 2, settings(ALL_ON, LIMIT)).map(|answer| answer.value);
        let other = answer(&flipped, 2, settings(ALL_ON, LIMIT)).map(|answer| answer.value);
        assert_eq!(one.is_some(), other.is_some());
        // Where the pre-ranker holds the last candidate and the first one cut for equal, either may be cut.
        let mut ranks: Vec<f64> = outcomes(&rolled).distinct.iter().map(|outcome| rank(&outcome.position)).collect();
        ranks.sort_by(|a, b| b.total_cmp(a));
        let is_clear = ranks.get(LIMIT).is_none_or(|&cut| cut < ranks[LIMIT - 1]);
        if let (Some(one), Some(other), true) = (one, other, is_clear) {
            assert!((one - other).abs() < CLOSE, "{rolled}: {one} {other}");
            compared += 1;
        }
        let plain = |rolled| answer(rolled, 2, settings(ALL_ON, 0)).map(|answer| answer.value);
        if outcomes(&rolled).distinct.len() < 40 {
            let (Some(one), Some(other)) = (plain(&rolled), plain(&flipped)) else { continue };
            assert!((one - other).abs() < CLOSE, "{rolled}: {one} {other}");
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn more_threads_choose_the_same_at_fixed_depth() {
    let filters = Filters { candidates: 4, replies: 1, ..Filters::default() };
    let techniques = Techniques { filters, ..ALL_ON };
    for rolled in game::random_positions(107, 60) {
        let of = |threads| answer(&rolled, 2, ExpectimaxSettings { threads, ..settings(techniques, 30) });
        let (one, three) = (of(1), of(3));
        let key = |answer: Option<Answer>| answer.map(|answer| (answer.turn, answer.value.to_bits()));
        assert_eq!(key(one), key(three), "{rolled}");
    }
    for rolled in game::random_positions(109, 6) {
        let of = |threads| answer(&rolled, 3, ExpectimaxSettings { threads, ..settings(techniques, 8) });
        let (one, three) = (of(1), of(3));
        let key = |answer: Option<Answer>| answer.map(|answer| (answer.turn, answer.value.to_bits()));
        assert_eq!(key(one), key(three), "{rolled}");
    }
}

/// The best turns of the deepest iteration with their values, to the last bit.
fn best_turns(rolled: &Rolled, depth: u32, multi_pv: usize, settings: ExpectimaxSettings) -> Vec<(Turn, u32, u64)> {
    let mut task = Task::new(*rolled);
    (task.limits.depth, task.multi_pv) = (Some(depth), multi_pv);
    let mut lines = Vec::new();
    let turn = Expectimax::new(settings).choose(&task, None, &mut |event| {
        if let Event::Info(Info { depth, multipv, score, turn: Some(turn), .. }) = event {
            lines.truncate(multipv - 1);
            lines.push((turn, depth, score.equity().value().to_bits()));
        }
    });
    assert!(lines.first().is_none_or(|(best, ..)| *best == turn), "{rolled}");
    lines
}

#[test]
fn threads_that_share_one_candidate_find_the_same_best_turns() {
    let few = Filters { candidates: 4, replies: 2, ..Filters::default() };
    for (filters, techniques) in [(Filters::NONE, ALL_ON), (few, ALL_ON), (few, Techniques::PLAIN)] {
        let techniques = Techniques { filters, ..techniques };
        let deep = [("8/2k5/8/8/8/8/6K1/8 b - - 94 30 ppk", 4)].into_iter().filter(|_| filters == few);
        let small = SMALL.into_iter().map(|dfen| (dfen, 3)).chain(deep);
        for (dfen, depth) in small {
            let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
            for multi_pv in [1, 3] {
                let of = |threads| {
                    best_turns(&rolled, depth, multi_pv, ExpectimaxSettings { threads, ..settings(techniques, 6) })
                };
                let one = of(1);
                assert!(!one.is_empty(), "{dfen}");
                (2..=3).for_each(|threads| assert_eq!(of(threads), one, "{dfen} {multi_pv} {threads} {techniques:?}"));
            }
        }
    }
}

#[test]
fn threads_that_share_a_node_before_the_roll_find_its_value() {
    for dfen in SMALL {
        let mut rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
        rolled.dice = astragal::board::Dice::NONE;
        let techniques = Techniques { filters: Filters { replies: 2, ..Filters::default() }, ..ALL_ON };
        let of = |threads| answer(&rolled, 3, ExpectimaxSettings { threads, ..settings(techniques, 0) });
        let [one, three] = [1, 3].map(|threads| of(threads).map(|answer| answer.value.to_bits()));
        assert!(one.is_some() && one == three, "{dfen}");
    }
}
