//! Before the roll: each of the 56 rolls by itself, and the mean of them all, against slow definitions and against the
//! search of one roll.

use crate::common::game;
use crate::common::positions::{MINOR_PIECES, SMALL};
use astragal::board::{Dice, Position, Rolled};
use astragal::bots::BudgetedBot;
use astragal::eval::{Score, evaluate};
use astragal::rules::{Roll, Turn, TurnEnd, apply_roll, outcomes, winning_rolls};
use astragal::search::{Event, Expectimax, ExpectimaxSettings, Filters, Info, Mode, RollInfo, Task, Techniques};
use astragal::time::StopSignal;

/// Values are kept to 2⁻⁴⁰ of themselves; sums of them differ a little more.
const CLOSE: f64 = 1e-9;

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn task(position: Position, depth: u32, each_roll: bool) -> Task {
    let mut task = Task::new(Rolled { position, dice: Dice::NONE });
    task.limits.depth = Some(depth);
    if each_roll {
        task.mode = Mode::EachRoll { until_stopped: false };
    }
    task
}

fn settings(filters: Filters, threads: usize) -> ExpectimaxSettings {
    let techniques = Techniques { filters, ..Techniques::default() };
    ExpectimaxSettings { techniques, threads, hash: 1, ..ExpectimaxSettings::linear() }
}

/// The tables of all depths: 56 lines each, and the line of the position.
fn tables(settings: ExpectimaxSettings, task: &Task) -> Vec<(Vec<RollInfo>, Info)> {
    let (mut tables, mut lines) = (Vec::new(), Vec::new());
    let turn = Expectimax::new(settings).choose(task, None, &mut |event| match event {
        Event::Roll(line) => lines.push(line),
        Event::Info(info) => tables.push((std::mem::take(&mut lines), info)),
        other => panic!("{other:?}"),
    });
    assert_eq!(turn, Turn::PASS);
    assert!(lines.is_empty(), "a table that was not completed");
    tables
}

/// The table of the last depth.
fn table(settings: ExpectimaxSettings, position: Position, depth: u32) -> (Vec<RollInfo>, Info) {
    let tables = tables(settings, &task(position, depth, true));
    assert_eq!(tables.len() as u32, depth);
    tables.into_iter().next_back().expect("depth is not 0")
}

fn value(line: &RollInfo) -> f64 {
    line.score.equity().value()
}

/// The equity of a position after a turn, to the side that has made it, `depth` turns ahead of its chance node.
fn slow_after(position: &Position, depth: u32) -> f64 {
    if position.is_drawn() {
        return 0.0;
    }
    if depth == 0 {
        return -evaluate(position).value();
    }
    let sum: f64 = Roll::all().map(|roll| f64::from(roll.weight()) * slow_roll(position, roll, depth)).sum();
    -sum / f64::from(Roll::TOTAL_WEIGHT)
}

/// The value of a roll by definition: 1 if it captures the king, else that of the best outcome.
fn slow_roll(position: &Position, roll: Roll, depth: u32) -> f64 {
    let found = outcomes(&Rolled { position: *position, dice: roll.dice() });
    if found.king_capture.is_some() {
        return 1.0;
    }
    found.distinct.iter().map(|outcome| slow_after(&outcome.position, depth - 1)).fold(f64::NEG_INFINITY, f64::max)
}

/// Compares at depth 1 in small and random positions, and at depth 2 in some of the small ones.
fn small_and_random(seed: u64, count: usize, compare: impl Fn(Position, u32)) {
    for dfen in SMALL.into_iter().chain([MINOR_PIECES]) {
        compare(position(dfen), 1);
    }
    for rolled in game::random_positions(seed, count) {
        compare(rolled.position, 1);
    }
    for dfen in [SMALL[1], SMALL[4], SMALL[5]] {
        compare(position(dfen), 2);
    }
}

#[test]
fn every_roll_comes_once_in_dice_order_at_every_depth() {
    for rolled in game::random_positions(201, 10) {
        let tables = tables(settings(Filters::default(), 1), &task(rolled.position, 2, true));
        assert_eq!(tables.iter().map(|(_, info)| info.depth).collect::<Vec<_>>(), [1, 2]);
        for (lines, info) in tables {
            assert!(lines.iter().map(|line| line.roll).eq(Roll::all()), "{rolled}");
            assert!(lines.iter().all(|line| line.depth == info.depth), "{rolled}");
        }
    }
}

#[test]
fn rolls_are_worth_what_the_definition_says() {
    let compare = |position: Position, depth: u32| {
        let (lines, _) = table(settings(Filters::NONE, 1), position, depth);
        for line in lines {
            let expected = slow_roll(&position, line.roll, depth);
            assert!((value(&line) - expected).abs() < CLOSE, "{position} {} depth {depth}: {expected}", line.roll);
            let rolled = Rolled { position, dice: line.roll.dice() };
            match apply_roll(&rolled, line.turn) {
                Ok(TurnEnd::KingCaptured) => assert_eq!(line.score, Score::KingCapture, "{rolled}"),
                Ok(TurnEnd::Position(next)) => {
                    let own = slow_after(&next, depth - 1);
                    assert!((own - expected).abs() < CLOSE, "{rolled} {}: {own} {expected}", line.turn);
                }
                Err(error) => panic!("{rolled} {}: {error}", line.turn),
            }
        }
    };
    small_and_random(203, 12, compare);
}

#[test]
fn a_roll_that_captures_the_king_is_mate_and_one_without_a_turn_is_a_pass() {
    let (mut captures, mut passes) = (0, 0);
    for rolled in game::random_positions(205, 30) {
        let position = rolled.position;
        let won = winning_rolls(&position);
        let (lines, _) = table(settings(Filters::default(), 1), position, 1);
        for RollInfo { roll, score, turn, .. } in lines {
            assert_eq!(score == Score::KingCapture, won.has(roll), "{position} {roll}");
            let found = outcomes(&Rolled { position, dice: roll.dice() });
            if won.has(roll) {
                captures += 1;
                assert_eq!(Some(turn), found.king_capture, "{position} {roll}");
            }
            let stuck = found.legal_turns() == 0;
            passes += u32::from(stuck);
            assert_eq!(turn == Turn::PASS, stuck, "{position} {roll}");
        }
    }
    assert!(captures > 20 && passes > 20, "{captures} {passes}");
}

#[test]
fn the_mean_of_the_rolls_is_the_value_of_the_position() {
    let node = |position: Position, depth: u32| {
        let mut last = None;
        Expectimax::new(settings(Filters::NONE, 1)).choose(&task(position, depth, false), None, &mut |event| {
            if let Event::Info(info) = event {
                last = Some(info.score.equity().value());
            }
        });
        last.expect("a position is worth something")
    };
    let compare = |position: Position, depth: u32| {
        let (lines, info) = table(settings(Filters::NONE, 1), position, depth);
        let mean = lines.iter().map(|line| f64::from(line.roll.weight()) * value(line)).sum::<f64>() / 216.0;
        assert!((info.score.equity().value() - mean).abs() < CLOSE, "{position}");
        // The turn of the roll counts as one turn here, and is a turn beyond the position itself there.
        let node = node(position, depth + 1);
        assert!((node - mean).abs() < CLOSE, "{position} depth {depth}: {node} {mean}");
    };
    small_and_random(207, 20, compare);
}

#[test]
fn a_roll_is_decided_as_if_it_had_been_thrown() {
    for (rolled, depth) in game::random_positions(209, 3).into_iter().zip([2, 2, 3]) {
        let filters = Filters { candidates: 2, replies: 1, ..Filters::default() };
        let (lines, _) = table(settings(filters, 1), rolled.position, depth);
        // A few of them tell.
        for line in lines.iter().step_by(9) {
            let mut task = Task::new(Rolled { position: rolled.position, dice: line.roll.dice() });
            task.limits.depth = Some(depth);
            let mut last = None;
            let turn = Expectimax::new(settings(filters, 1)).choose(&task, None, &mut |event| {
                if let Event::Info(info) = event {
                    last = Some(info);
                }
            });
            assert_eq!(line.turn, turn, "{rolled} {}", line.roll);
            // A decision without a rival ends before its depth, and its value is that of a smaller one.
            if let Some(last) = last.filter(|last| last.depth == depth) {
                assert!((last.score.equity().value() - value(line)).abs() < CLOSE, "{rolled} {}", line.roll);
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let filters = Filters { candidates: 2, replies: 1, ..Filters::default() };
    for rolled in game::random_positions(211, 6) {
        let of = |threads| table(settings(filters, threads), rolled.position, 2);
        let ((one, one_mean), (three, three_mean)) = (of(1), of(3));
        assert_eq!(one, three, "{rolled}");
        assert_eq!(one_mean.score, three_mean.score, "{rolled}");
    }
}

#[test]
fn threads_change_nothing_in_the_value_of_a_position() {
    for (number, rolled) in game::random_positions(213, 6).into_iter().enumerate() {
        for probing in [true, false] {
            let values = |threads| {
                let mut settings = settings(Filters { replies: 1 + number % 2, ..Filters::default() }, threads);
                settings.techniques.probing = probing;
                let mut values = Vec::new();
                Expectimax::new(settings).choose(&task(rolled.position, 3, false), None, &mut |event| {
                    if let Event::Info(info) = event {
                        values.push((info.depth, info.score.equity().value().to_bits()));
                    }
                });
                values
            };
            let one = values(1);
            assert_eq!(one.len(), 3, "{rolled}");
            assert_eq!(one, values(3), "{rolled}");
        }
    }
}

#[test]
fn a_search_that_is_stopped_leaves_whole_tables_only() {
    for rolled in game::random_positions(215, 8) {
        for nodes in [1, 3_000, 40_000, 200_000] {
            for threads in [1, 2] {
                let mut task = task(rolled.position, 3, true);
                task.limits.nodes = Some(nodes);
                for (lines, _) in tables(settings(Filters::default(), threads), &task) {
                    assert_eq!(lines.len(), Roll::COUNT, "{rolled} {nodes}");
                }
            }
        }
        let mut bot = Expectimax::new(settings(Filters::default(), 1));
        let raised = StopSignal::new();
        raised.raise();
        let turn = bot.choose(&task(rolled.position, 1, true), Some(&raised), &mut |event| panic!("{event:?}"));
        assert_eq!(turn, Turn::PASS);
    }
}
