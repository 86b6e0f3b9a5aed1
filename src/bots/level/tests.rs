use super::*;
use crate::board::{Dice, Rolled, STARTPOS};
use crate::bots::{Bot, BotConfig, BotKind};
use crate::rules::{Roll, TurnEnd, apply_roll, outcomes};
use crate::search::ExpectimaxSettings;
use crate::time::StopSignal;

fn weak(seed: u64, mean_loss: u32, depth: u32) -> BotConfig {
    let mut config = BotConfig { mean_loss, ..BotConfig::of(BotKind::Expectimax, seed) };
    config.expectimax = ExpectimaxSettings { max_depth: depth, hash: 1, ..ExpectimaxSettings::linear() };
    config
}

/// What it answers, and all that it reports.
fn ask(bot: &mut Bot, task: &Task, stop: Option<&StopSignal>) -> (Turn, Vec<Event>) {
    let mut events = Vec::new();
    let turn = bot.choose(task, stop, &mut |event| events.push(event));
    (turn, events)
}

/// Rolled positions of games in which both sides play with that mean loss, and the turns played there.
fn games(count: u64, mean_loss: u32, depth: u32) -> Vec<(Rolled, Turn)> {
    let mut played = Vec::new();
    for game in 0..count {
        let mut bots = [0, 1].map(|side| weak(2 * game + side, mean_loss, depth).build());
        let mut rolled = Rolled::from_dfen(STARTPOS).expect("sound");
        let mut rng = decision_rng(game, &rolled);
        for ply in 0..200 {
            rolled.dice = Roll::from_throw(below(&mut rng, 216) as u32).dice();
            let (turn, _) = ask(&mut bots[ply % 2], &Task::new(rolled), None);
            played.push((rolled, turn));
            match apply_roll(&rolled, turn).expect("a legal turn") {
                TurnEnd::Position(next) if !next.is_drawn() => rolled = Rolled { position: next, dice: Dice::NONE },
                _ => break,
            }
        }
    }
    played
}

/// What that turn loses by the judgement of full strength at that depth; `None` if there was nothing to choose.
fn loss(rolled: &Rolled, turn: Turn, depth: u32) -> Option<f64> {
    let found = outcomes(rolled);
    if found.distinct.len() + usize::from(found.king_capture.is_some()) < 2 {
        return None;
    }
    let mut strong = weak(0, 0, depth).build();
    let mut value = |only: Option<Turn>| {
        let mut task = Task { multi_pv: usize::MAX, ..Task::new(*rolled) };
        // With a depth to reach even an only turn is searched.
        task.limits.depth = Some(depth);
        task.search_moves.extend(only);
        let values = ask(&mut strong, &task, None).1.into_iter().filter_map(|event| match event {
            Event::Info(info) if info.depth == depth || info.score == crate::eval::Score::KingCapture => {
                Some(info.score.equity().value())
            }
            _ => None,
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    };
    Some(value(None) - value(Some(turn)))
}

#[test]
fn the_mean_loss_over_games_is_what_was_asked_for() {
    for mean_loss in [10, 30, 80, 150, MOST_MEAN_LOSS] {
        let losses: Vec<f64> = games(100, mean_loss, 1).iter().filter_map(|(at, turn)| loss(at, *turn, 1)).collect();
        let mean = 1000.0 * losses.iter().sum::<f64>() / losses.len() as f64;
        let ratio = mean / f64::from(mean_loss);
        assert!((0.85..1.15).contains(&ratio), "{mean_loss}: {mean:.1} in {} decisions", losses.len());
    }
}

#[test]
fn two_turns_deep_the_loss_is_by_the_values_of_that_depth() {
    let mut noted = 0;
    for (rolled, _) in games(1, 50, 1).into_iter().take(8) {
        let (turn, events) = ask(&mut weak(3, 50, 2).build(), &Task::new(rolled), None);
        let said = events.iter().find_map(|event| match event {
            Event::Note(note) => note.strip_prefix("level loss ")?.split(' ').next()?.parse::<f64>().ok(),
            _ => None,
        });
        if let (Some(said), Some(loss)) = (said, loss(&rolled, turn, 2)) {
            assert!((said - 1000.0 * loss).abs() <= 0.51, "{rolled}: {said} for {loss}");
            noted += 1;
        }
    }
    assert!(noted >= 4);
}

#[test]
fn the_same_seed_gives_the_same_turns_and_another_one_others() {
    let positions = games(3, 80, 1);
    let all = |seed: u64, threads: usize| -> Vec<Turn> {
        let mut config = weak(seed, 80, 1);
        config.expectimax.threads = threads;
        let mut bot = config.build();
        positions.iter().map(|(rolled, _)| ask(&mut bot, &Task::new(*rolled), None).0).collect()
    };
    let first = all(7, 1);
    assert_eq!(first, all(7, 1));
    assert_eq!(first, all(7, 2));
    assert_ne!(first, all(8, 1));
}

#[test]
fn a_capture_of_the_king_is_never_missed() {
    let mut captures = 0;
    for (rolled, turn) in games(100, MOST_MEAN_LOSS, 1) {
        if outcomes(&rolled).king_capture.is_some() {
            captures += 1;
            assert_eq!(apply_roll(&rolled, turn), Ok(TurnEnd::KingCaptured), "{rolled}");
        }
    }
    assert!(captures >= 90, "{captures}");
}

#[test]
fn the_last_line_is_that_of_the_answer_and_no_more_lines_are_shown_than_asked_for() {
    for multi_pv in [1, 3] {
        for (rolled, _) in games(2, 100, 1) {
            let task = Task { multi_pv, ..Task::new(rolled) };
            let (turn, events) = ask(&mut weak(5, 100, 1).build(), &task, None);
            let lines: Vec<Info> = events
                .iter()
                .filter_map(|event| if let Event::Info(info) = event { Some(*info) } else { None })
                .collect();
            assert!(lines.iter().all(|line| line.multipv <= multi_pv), "{rolled}");
            if let Some(last) = lines.last() {
                assert_eq!((last.multipv, last.turn), (1, Some(turn)), "{rolled}");
            }
        }
    }
}

#[test]
fn with_no_time_at_all_there_is_a_legal_turn_and_without_dice_a_value() {
    let past = StopSignal::new();
    past.raise();
    let mut bot = weak(5, 100, 2).build();
    for (rolled, _) in games(1, 100, 1) {
        let (turn, _) = ask(&mut bot, &Task::new(rolled), Some(&past));
        assert!(apply_roll(&rolled, turn).is_ok(), "{rolled}: {turn}");
        let before = Task::new(Rolled { dice: Dice::NONE, ..rolled });
        let strong = ask(&mut weak(0, 0, 1).build(), &before, None);
        assert_eq!(ask(&mut weak(5, 100, 1).build(), &before, None), strong);
    }
}

#[test]
fn full_strength_is_the_search_itself() {
    for (rolled, _) in games(2, 100, 1) {
        let task = Task::new(rolled);
        let mut events = Vec::new();
        let mut search = crate::search::Expectimax::new(weak(9, 0, 1).expectimax);
        let turn = search.choose(&task, None, &mut |event| events.push(event));
        assert_eq!(ask(&mut weak(9, 0, 1).build(), &task, None), (turn, events));
    }
}

#[test]
fn a_rating_rests_on_the_linear_evaluation_one_turn_ahead() {
    let rated = |elo: u32, change: fn(&mut BotConfig)| {
        let mut config = BotConfig { limit_strength: true, elo, ..BotConfig::of(BotKind::Expectimax, 4) };
        change(&mut config);
        config.build()
    };
    for (rolled, _) in games(2, 100, 1) {
        let task = Task::new(rolled);
        let top = ask(&mut rated(MOST_ELO, |_| ()), &task, None);
        assert_eq!(top, ask(&mut weak(4, 0, 1).build(), &task, None));
        assert_eq!(top.0, ask(&mut rated(MOST_ELO, |config| config.mean_loss = 100), &task, None).0);
        let low = ask(&mut rated(LEAST_ELO, |_| ()), &task, None);
        assert_eq!(low, ask(&mut weak(4, MOST_MEAN_LOSS, 1).build(), &task, None));
        let other = |config: &mut BotConfig| {
            config.expectimax =
                ExpectimaxSettings { candidate_limit: 1, root_blend: 50, ..ExpectimaxSettings::default() };
            config.eval_file = Some("no such file".into());
        };
        assert_eq!(low, ask(&mut rated(LEAST_ELO, other), &task, None));
    }
}
