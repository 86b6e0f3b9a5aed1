//! Rollouts: against exact values where there are some, with and without the luck, and always the same.

use crate::common::game;
use crate::common::positions::{MINOR_PIECES, SMALL};
use astragal::board::{Dice, Position, Rolled};
use astragal::bots::{BudgetedBot, MonteCarlo};
use astragal::eval::evaluate;
use astragal::rollout::{Rollout, RolloutSettings};
use astragal::rules::{Roll, Turn, apply_roll, outcomes};
use astragal::search::{Event, ExpectimaxSettings, Mode, RolloutInfo, Task};
use astragal::time::StopSignal;
use std::time::{Duration, Instant};

/// Values are kept to 2⁻⁴⁰ of themselves; sums of them differ a little more.
const CLOSE: f64 = 1e-9;

fn position(dfen: &str) -> Position {
    Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}")).position
}

fn bot(seed: u64, games: Option<u32>, turns: u32) -> Rollout {
    Rollout::new(seed, RolloutSettings { games, turns }, ExpectimaxSettings::linear())
}

/// The last line of every turn, the best first, and the answer.
fn last_lines(bot: &mut impl BudgetedBot, task: &Task) -> (Turn, Vec<RolloutInfo>) {
    let mut lines: Vec<RolloutInfo> = Vec::new();
    let turn = bot.choose(task, None, &mut |event| {
        if let Event::Rollout(line) = event {
            if lines.first().is_some_and(|first| first.games != line.games) {
                lines.clear();
            }
            lines.push(line);
        }
    });
    (turn, lines)
}

fn of_position(position: Position, seed: u64, games: u32, turns: u32) -> RolloutInfo {
    let task = Task::new(Rolled { position, dice: Dice::NONE });
    let (turn, lines) = last_lines(&mut bot(seed, Some(games), turns), &task);
    assert_eq!((turn, lines.len(), lines[0].turn), (Turn::PASS, 1, None));
    assert_eq!(lines[0].games, games);
    lines[0]
}

/// What the position after a turn is worth to the side that rolls there, without a look ahead.
fn still(position: &Position) -> f64 {
    if position.is_drawn() { 0.0 } else { evaluate(position).value() }
}

/// The outcomes of a roll that are best without a look ahead, and their value; none if it captures the king.
fn best_outcomes(position: &Position, roll: Roll) -> (f64, Vec<Position>) {
    let found = outcomes(&Rolled { position: *position, dice: roll.dice() });
    if found.king_capture.is_some() {
        return (1.0, Vec::new());
    }
    let best = found.distinct.iter().map(|outcome| -still(&outcome.position)).fold(f64::NEG_INFINITY, f64::max);
    let equal = |outcome: &&astragal::rules::Outcome| (best + still(&outcome.position)).abs() < CLOSE;
    (best, found.distinct.iter().filter(equal).map(|outcome| outcome.position).collect())
}

/// The exact mean of games of `turns` turns in which both sides play the best turn without a look ahead: the least and
/// the most it can be, as equally good turns may be chosen in any way.
fn exact(position: &Position, turns: u32) -> (f64, f64) {
    if turns == 0 || position.is_drawn() {
        return (still(position), still(position));
    }
    let (mut least, mut most) = (0.0, 0.0);
    for roll in Roll::all() {
        let weight = f64::from(roll.weight()) / 216.0;
        let (value, best) = best_outcomes(position, roll);
        let ends: Vec<(f64, f64)> = match best.as_slice() {
            [] => vec![(value, value)],
            best => best.iter().map(|next| exact(next, turns - 1)).map(|(least, most)| (-most, -least)).collect(),
        };
        least += weight * ends.iter().map(|end| end.0).fold(f64::INFINITY, f64::min);
        most += weight * ends.iter().map(|end| end.1).fold(f64::NEG_INFINITY, f64::max);
    }
    (least, most)
}

#[test]
fn no_turn_is_the_evaluation_and_one_turn_the_mean_of_the_rolls() {
    let games = game::random_positions(301, 12).into_iter().map(|rolled| rolled.position);
    for position in SMALL.map(position).into_iter().chain(games) {
        let line = of_position(position, 1, 3, 0);
        assert!((line.equity.value() - still(&position)).abs() < CLOSE && line.error < CLOSE, "{position} {line:?}");
        let (mean, _) = exact(&position, 1);
        // Without its luck every single game is worth the mean, whatever was thrown.
        let line = of_position(position, 1, 10, 1);
        assert!((line.equity.value() - mean).abs() < CLOSE && line.error < CLOSE, "{position} {line:?} {mean}");
        // With it, 216 games are, as every throw comes first once.
        let line = of_position(position, 1, 216, 1);
        assert!((line.plain.value() - mean).abs() < CLOSE, "{position} {line:?} {mean}");
    }
}

#[test]
fn the_estimate_is_that_of_all_games_there_are() {
    for dfen in SMALL.into_iter().chain([MINOR_PIECES]) {
        let position = position(dfen);
        let (least, most) = exact(&position, 2);
        let line = of_position(position, 7, 1296, 2);
        for (value, error) in [(line.equity.value(), line.error), (line.plain.value(), line.plain_error)] {
            let error = 4.0 * error + CLOSE;
            assert!(
                (least - error..=most + error).contains(&value),
                "{dfen}: {value} not in {least}..{most} ± {error}"
            );
        }
        assert!(line.error < line.plain_error, "{dfen}: {line:?}");
    }
}

#[test]
fn less_luck_is_the_same_mean_and_a_smaller_error() {
    let (mut adjusted, mut plain, mut count) = (0.0, 0.0, 0);
    for rolled in game::random_positions(303, 8) {
        let line = of_position(rolled.position, 11, 216, 4);
        let error = line.error.hypot(line.plain_error);
        let difference = line.equity.value() - line.plain.value();
        assert!(difference.abs() < 4.0 * error + CLOSE, "{rolled} {line:?}");
        adjusted += line.error.powi(2);
        plain += line.plain_error.powi(2);
        count += 1;
    }
    println!("variance of {count} positions: {adjusted:.6} in place of {plain:.6}");
    assert!(3.0 * adjusted < plain, "{adjusted} {plain}");
}

#[test]
fn a_king_that_every_roll_captures_is_a_win() {
    // A pawn, a knight, a bishop, a rook, a queen and the king attack it.
    let won = position("1B1R4/8/3k2Q1/2P1K3/4N3/8/8/8 w - - 0 1");
    assert_eq!(astragal::rules::winning_rolls(&won).weight(), 216);
    let line = of_position(won, 3, 50, 6);
    assert_eq!((line.equity.value(), line.error, line.plain.value()), (1.0, 0.0, 1.0));
    // A draw is one whatever is thrown.
    let drawn = position("7k/8/8/8/8/8/8/K7 w - - 100 60");
    assert_eq!(of_position(drawn, 3, 5, 6).equity.value(), 0.0);
}

#[test]
fn the_best_few_turns_are_rolled_out_with_the_same_throws() {
    for rolled in game::random_positions(305, 12) {
        let found = outcomes(&rolled);
        let mut task = Task::new(rolled);
        let (turn, lines) = last_lines(&mut bot(1, Some(8), 2), &task);
        if found.king_capture.is_some() {
            assert!(lines.is_empty() && Some(turn) == found.king_capture, "{rolled}");
            continue;
        }
        assert_eq!(lines.len(), found.distinct.len().min(5), "{rolled}");
        assert_eq!(lines[0].turn, Some(turn), "{rolled}");
        assert!(lines.is_sorted_by(|a, b| a.equity >= b.equity), "{rolled}");
        for line in &lines {
            assert!(apply_roll(&rolled, line.turn.expect("there are dice")).is_ok(), "{rolled} {line:?}");
        }
        task.multi_pv = 2;
        let (_, two) = last_lines(&mut bot(1, Some(8), 2), &task);
        assert_eq!(two.len(), found.distinct.len().min(2), "{rolled}");
        // A turn alone has the games that it has beside others.
        task.search_moves = two.iter().filter_map(|line| line.turn).take(1).collect();
        let (_, one) = last_lines(&mut bot(1, Some(8), 2), &task);
        assert_eq!(one, two[..1], "{rolled}");
    }
}

#[test]
fn the_same_seed_gives_the_same_rollout_and_another_one_another() {
    for rolled in game::random_positions(307, 4) {
        let position = rolled.position;
        let events = |seed| {
            let mut events = Vec::new();
            let task = Task::new(Rolled { position, dice: Dice::NONE });
            bot(seed, Some(40), 3).choose(&task, None, &mut |event| events.push(event));
            events
        };
        assert_eq!(events(1), events(1), "{rolled}");
        assert_ne!(events(1), events(2), "{rolled}");
    }
}

#[test]
fn threads_change_nothing() {
    for rolled in game::random_positions(311, 4) {
        let of = |threads| {
            let expectimax = ExpectimaxSettings { threads, ..ExpectimaxSettings::linear() };
            let mut bot = Rollout::new(5, RolloutSettings { games: Some(45), turns: 3 }, expectimax);
            let mut lines = Vec::new();
            let turn = bot.choose(&Task::new(rolled), None, &mut |event| {
                if let Event::Rollout(line) = event {
                    lines.push(line);
                }
            });
            (turn, lines)
        };
        assert_eq!(of(1), of(3), "{rolled}");
    }
}

#[test]
fn without_a_number_of_games_it_goes_on_until_it_is_stopped() {
    let start = game::start();
    let mut task = Task::new(Rolled { position: start, dice: Dice::NONE });
    task.mode = Mode::Analyse;
    let stop = StopSignal::new();
    let mut seen = 0;
    let mut rollout = bot(1, None, 1);
    rollout.choose(&task, Some(&stop), &mut |event| {
        if let Event::Rollout(line) = event {
            seen = line.games;
            if seen >= 3 * RolloutSettings::GAMES {
                stop.raise();
            }
        }
    });
    assert!(seen >= 3 * RolloutSettings::GAMES, "{seen}");
    task.mode = Mode::Decide;
    assert_eq!(last_lines(&mut bot(1, None, 1), &task).1[0].games, RolloutSettings::GAMES);
    // With dice there are legal answers even before the first game.
    for rolled in game::random_positions(309, 40) {
        let past = StopSignal::with_deadline(Instant::now() - Duration::from_secs(1));
        let mut rollout = bot(1, None, 8);
        let turn = rollout.choose(&Task::new(rolled), Some(&past), &mut |_| ());
        assert!(apply_roll(&rolled, turn).is_ok(), "{rolled} {turn}");
    }
}

#[test]
fn monte_carlo_goes_on_until_it_is_stopped() {
    let mut task = Task::new(Rolled::from_dfen("7k/8/8/8/8/8/4P3/K7 w - - 0 1 PRN").expect("sound"));
    let games = |task: &Task| {
        let stop = StopSignal::new();
        let mut most = 0;
        let mut bot = MonteCarlo::new(1, 16);
        bot.choose(task, Some(&stop), &mut |event| {
            if let Event::Note(note) = event
                && let Some(games) = note.split(' ').nth(1).and_then(|word| word.parse::<u32>().ok())
            {
                most = games;
                if most >= 256 {
                    stop.raise();
                }
            }
        });
        most
    };
    assert_eq!(games(&task), 16);
    task.mode = Mode::Analyse;
    assert!(games(&task) >= 256);
}
