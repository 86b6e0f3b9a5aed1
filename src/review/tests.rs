use super::*;
use crate::board::{Color, Rolled, STARTPOS};
use crate::bots::{BotConfig, BotKind};
use crate::eval::ReplyFinder;
use crate::record::{DiceSource, EndKind, EndRecord, Ply, Seat, seeded_roll};
use crate::rules::{Roll, TurnEnd, apply_roll};
use crate::search::Task;
use std::sync::atomic::AtomicUsize;

/// A game of two bots, at most `most` turns long; then White resigns.
fn play(bots: [BotKind; 2], seed: u64, most: usize) -> Game {
    let mut bots = bots.map(|kind| {
        let mut config = BotConfig::of(kind, seed);
        config.expectimax = crate::search::ExpectimaxSettings::linear();
        config.expectimax.techniques.table = false;
        config.build()
    });
    let mut rolled = Rolled::from_dfen(STARTPOS).expect("sound");
    let mut game = Game {
        number: seed,
        pair: seed,
        half: 0,
        id: None,
        white: 0,
        black: 1,
        seats: ["one", "two"].map(|name| Seat { name: name.to_owned(), control: String::new() }),
        started_ms: None,
        dice: DiceSource::Given,
        luck_by: None,
        opening: STARTPOS.to_owned(),
        plies: Vec::new(),
        result: 0.0,
        end: EndRecord::new(EndKind::Resignation),
        final_dfen: String::new(),
    };
    for ply in 0..most as u64 {
        let side = rolled.position.side();
        rolled.dice = seeded_roll(seed, seed, ply).dice();
        let mut task = Task::new(rolled);
        task.limits.depth = Some(1);
        let turn = bots[side.index()].choose(&task, None, &mut |_| ());
        let roll = rolled.dice.to_string();
        game.plies.push(Ply { roll, turn: Some(turn.to_string()), ..Ply::default() });
        match apply_roll(&rolled, turn).expect("bots play legal turns") {
            TurnEnd::KingCaptured => {
                game.end = EndRecord::new(EndKind::KingCapture);
                game.result = if side == Color::White { 1.0 } else { 0.0 };
                break;
            }
            TurnEnd::Position(next) => rolled = Rolled { position: next, dice: crate::board::Dice::NONE },
        }
        if rolled.position.is_drawn() {
            game.end = EndRecord::new(EndKind::HalfmoveClock);
            game.result = 0.5;
            break;
        }
    }
    game.final_dfen = rolled.to_string();
    game
}

fn at_depth(depth: u32) -> ReviewSettings {
    ReviewSettings { level: Level::Depth(depth), ..ReviewSettings::default() }
}

#[test]
fn luck_loss_and_revaluation_add_up_to_the_result() {
    parts_add_up(20);
}

#[test]
#[ignore = "takes minutes"]
fn luck_loss_and_revaluation_add_up_over_two_hundred_games() {
    parts_add_up(200);
}

/// Reviews so many games one turn deep, and holds their parts against their definitions and their results.
fn parts_add_up(games: u64) {
    let kinds = [BotKind::Random, BotKind::Greedy, BotKind::GreedyV2, BotKind::Aggressive, BotKind::Expectimax];
    let mut reviewer = Reviewer::new(at_depth(1), 2);
    let (mut ended, mut cut) = (0, 0);
    let (mut luck_sum, mut play_sum, mut revaluation_sum) = (0.0, 0.0, 0.0);
    for seed in 0..games {
        let white = kinds[seed as usize % kinds.len()];
        let black = kinds[(seed as usize / kinds.len() + 1) % kinds.len()];
        // Some are broken off, so that a last term is needed.
        let game = play([white, black], seed, if seed % 4 == 3 { 9 } else { 300 });
        let review = reviewer.review(&game, &()).expect("sound");
        let account = review.account();
        let result = 2.0 * game.result - 1.0;
        assert!((account.sum() - result).abs() < 1e-9, "game {seed}: {account:?} {result}");
        if matches!(game.end.kind, EndKind::Resignation) {
            cut += 1;
        } else {
            ended += 1;
            assert!(account.last.abs() < 1e-9, "game {seed}: {account:?}");
        }
        let absolute = |value: f64| value.abs();
        for turn in &review.turns {
            // Each by its definition, from the bottom.
            let replies = ReplyFinder::by(EVALUATION.evaluator().as_ref()).find(&turn.rolled.position);
            let roll = Roll::from_dice(turn.rolled.dice).expect("three dice");
            assert_eq!((turn.equity, turn.luck), (replies.mean(), replies.luck(roll)));
            let decision = turn.decision.expect("every turn was played");
            assert!(decision.best_value >= decision.value && decision.loss() >= 0.0);
            // One turn deep the luck of a roll is what its best turn is worth.
            let best = turn.equity + turn.luck;
            assert!((decision.best_value - best).abs() < 1e-9, "game {seed} ply {}: {decision:?} {best}", turn.ply);
            luck_sum += absolute(turn.luck);
            play_sum += absolute(decision.loss());
            revaluation_sum += absolute(decision.revaluation);
        }
    }
    assert!(ended > 0 && cut > 0, "{ended} {cut}");
    assert!(play_sum > 0.0 && revaluation_sum > 0.0);
    // Shown with `--nocapture`; `docs/review.md` has the figures.
    let share = |part: f64| 100.0 * part / (luck_sum + play_sum + revaluation_sum);
    println!(
        "of all changes luck {:.1} %, losses {:.1} %, revaluations {:.1} %",
        share(luck_sum),
        share(play_sum),
        share(revaluation_sum)
    );
}

#[test]
fn two_turns_deep_the_value_of_a_turn_is_the_equity_after_it() {
    let game = play([BotKind::Greedy, BotKind::Aggressive], 5, 60);
    let review = Reviewer::new(at_depth(2), 2).review(&game, &()).expect("sound");
    assert!((review.account().sum() - (2.0 * game.result - 1.0)).abs() < 1e-9);
    for pair in review.turns.windows(2) {
        let decision = pair[0].decision.expect("played");
        // Beyond the rounding of the search: a move that ran out the clock has none after it.
        assert!((decision.value + pair[1].equity).abs() < 1e-9, "ply {}: {decision:?}", pair[0].ply);
        assert_eq!(decision.depth, 2);
    }
}

#[test]
fn who_plays_the_engines_choice_loses_nothing() {
    for depth in [1, 2] {
        let game = play([BotKind::Greedy, BotKind::Greedy], 3, 14);
        // The same rolls, but with the turns that the review finds best.
        let mut rolled = Rolled::from_dfen(STARTPOS).expect("sound");
        let mut bot = BotConfig {
            expectimax: crate::search::ExpectimaxSettings::linear(),
            ..BotConfig::of(BotKind::Expectimax, 0)
        }
        .build();
        let mut own = Game { plies: Vec::new(), result: 0.5, end: EndRecord::new(EndKind::AgreedDraw), ..game.clone() };
        for ply in &game.plies {
            rolled.dice = crate::board::Dice::parse(&ply.roll).expect("dice");
            let mut task = Task::new(rolled);
            task.limits.depth = Some(depth);
            let turn = bot.choose(&task, None, &mut |_| ());
            own.plies.push(Ply { roll: ply.roll.clone(), turn: Some(turn.to_string()), ..Ply::default() });
            match apply_roll(&rolled, turn).expect("legal") {
                TurnEnd::KingCaptured => break,
                TurnEnd::Position(next) => rolled = Rolled { position: next, dice: crate::board::Dice::NONE },
            }
        }
        own.final_dfen = rolled.to_string();
        let review = Reviewer::new(at_depth(depth), 2).review(&own, &()).expect("sound");
        for turn in &review.turns {
            let decision = turn.decision.expect("played");
            assert_eq!((decision.loss(), decision.mark()), (0.0, None), "depth {depth} ply {}", turn.ply);
        }
    }
}

#[test]
fn a_review_is_the_same_at_any_number_of_threads() {
    let game = play([BotKind::Random, BotKind::Greedy], 11, 16);
    let rollouts = ReviewSettings { rollout_games: Some(16), rollout_margin: 0.02, ..at_depth(2) };
    for settings in [at_depth(1), at_depth(2), rollouts] {
        let one = Reviewer::new(settings, 1).review(&game, &()).expect("sound");
        let three = Reviewer::new(settings, 3).review(&game, &()).expect("sound");
        assert_eq!(one, three);
        assert!((one.account().sum() - (2.0 * game.result - 1.0)).abs() < 1e-9, "{:?}", one.account());
    }
}

/// Reviews a game of one turn from a position.
fn one_turn(dfen: &str, roll: &str, turn: &str) -> (TurnReview, GameReview) {
    let text = format!("[DFEN \"{dfen}\"]\n\n1. {roll} {turn} *\n");
    let mut reader = crate::record::TextReader::new(text.as_bytes());
    let game = reader.next_game().expect("a game").expect("sound");
    let review = Reviewer::new(ReviewSettings::default(), 1).review(&game, &()).expect("sound");
    (review.turns[0].clone(), review)
}

#[test]
fn a_missed_capture_of_the_king_loses_all_that_is_left() {
    // The rook on h1 can take the king on h8 with the R die; it steps aside instead.
    let (turn, _) = one_turn("7k/8/8/8/8/8/8/K6R w - - 0 1", "RKK", "h1g1,a1a2,a2a1");
    let decision = turn.decision.expect("played");
    assert!(decision.missed_capture && decision.best.to_string() == "h1h8" && decision.best_value == 1.0);
    assert!((decision.loss() - (1.0 - decision.value)).abs() < 1e-12 && decision.loss() > 0.0);
    assert_eq!(decision.danger.best, 0);
    // The luck is what the capture is worth beyond the mean: of all throws 91 hold an R.
    assert!((turn.equity + turn.luck - 1.0).abs() < 1e-12);
    let (turn, review) = one_turn("7k/8/8/8/8/8/8/K6R w - - 0 1", "RKK", "h1h8");
    let decision = turn.decision.expect("played");
    assert!(decision.captured && decision.loss() == 0.0 && decision.revaluation.abs() < 1e-12);
    assert_eq!(review.result, None, "it has no result");
}

#[test]
fn the_danger_of_the_king_is_told_before_after_and_of_the_best_turn() {
    // Black's rook on a8 looks at White's king on a1: 91 of 216 throws hold an R. On b1 it takes R and R: 16.
    let (turn, _) = one_turn("r6k/8/8/8/8/8/8/K7 w - - 0 1", "PPK", "a1b1");
    let decision = turn.decision.expect("played");
    assert_eq!(decision.danger.before, 91);
    assert_eq!(decision.danger.after, 16, "two R of three dice: 3·5 + 1");
    assert!(decision.danger.best <= 16);
    assert_eq!((decision.turns, decision.outcomes), (3, 3), "a2, b1, b2");
}

#[test]
fn a_forced_turn_is_no_decision() {
    let (turn, review) = one_turn("7k/8/8/8/8/8/8/K7 w - - 0 1", "PPP", "0000");
    let decision = turn.decision.expect("played");
    assert!(decision.is_forced());
    assert_eq!((decision.turns, decision.outcomes), (1, 1), "the pass");
    let summary = SideSummary::of(&review, Color::White);
    assert_eq!((summary.turns, summary.forced, summary.all.decisions), (1, 1, 0));
    assert_eq!(summary.all.mean_loss(), None);
}

#[test]
fn a_roll_that_was_not_played_counts_as_luck_only() {
    let text = "[DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n[Result \"0-1\"]\n[End \"time\"]\n\n1. RKK 0-1\n";
    let game = crate::record::TextReader::new(text.as_bytes()).next_game().expect("a game").expect("sound");
    let review = Reviewer::new(ReviewSettings::default(), 1).review(&game, &()).expect("sound");
    assert!(review.turns[0].decision.is_none());
    // The capture was there to be played: from 1 to −1.
    assert!((review.last_term + 2.0).abs() < 1e-12, "{}", review.last_term);
    assert!((review.account().sum() + 1.0).abs() < 1e-12);
}

#[test]
fn a_game_without_turns_is_what_its_position_is_worth() {
    let game = Game { plies: Vec::new(), final_dfen: STARTPOS.to_owned(), ..play([BotKind::Random; 2], 0, 0) };
    let review = Reviewer::new(at_depth(1), 2).review(&game, &()).expect("sound");
    assert!(review.complete && review.turns.is_empty());
    assert!((review.account().sum() + 1.0).abs() < 1e-12, "{:?}", review.account());
}

/// Ends the review after so many turns.
struct After {
    turns: AtomicUsize,
    signal: StopSignal,
}

impl Watch for After {
    fn stop(&self) -> Option<&StopSignal> {
        Some(&self.signal)
    }

    fn turn_done(&self) {
        if self.turns.fetch_sub(1, Relaxed) == 1 {
            self.signal.raise();
        }
    }
}

#[test]
fn a_review_that_is_ended_holds_what_was_done() {
    let game = play([BotKind::Greedy, BotKind::Greedy], 2, 20);
    let whole = Reviewer::new(at_depth(1), 1).review(&game, &()).expect("sound");
    let watch = After { turns: AtomicUsize::new(5), signal: StopSignal::new() };
    let part = Reviewer::new(at_depth(1), 1).review(&game, &watch).expect("sound");
    assert!(!part.complete && part.result.is_none());
    assert_eq!(part.turns, whole.turns[..5]);
    // It adds up to where it stands.
    let next = &whole.turns[5];
    assert!((part.account().sum() - next.sign() * next.equity).abs() < 1e-9);
}

#[test]
fn a_turn_that_is_not_legal_is_told_with_its_place() {
    let mut game = play([BotKind::Greedy, BotKind::Greedy], 2, 6);
    game.plies[3].turn = Some("a1h8".to_owned());
    let error = Reviewer::new(at_depth(1), 1).review(&game, &()).expect_err("not legal");
    assert!(matches!(error, ReplayError::Ply { ply: 4, .. }), "{error}");
}

/// The bots, those first that are known to be the weaker ones.
const BY_STRENGTH: [BotKind; 6] = [
    BotKind::Random,
    BotKind::CheckmateAware,
    BotKind::Greedy,
    BotKind::GreedyV2,
    BotKind::Aggressive,
    BotKind::Expectimax,
];

/// The mean losses of the bots over so many games each against `greedy`, and the table of them.
fn losses_of_bots(games: u64, depth: u32) -> [f64; 6] {
    let mut reviewer = Reviewer::new(at_depth(depth), 2);
    println!("bot, games, mean loss with its interval, marks ?! ? ?? a game, kings not captured a game");
    BY_STRENGTH.map(|kind| {
        let mut pool = Pool::default();
        for seed in 0..games {
            let is_white = seed % 2 == 0;
            let sides = if is_white { [kind, BotKind::Greedy] } else { [BotKind::Greedy, kind] };
            let mut game = play(sides, seed, 120);
            let names = if is_white { ["it", "other"] } else { ["other", "it"] };
            game.seats = names.map(|name| Seat { name: name.to_owned(), control: String::new() });
            pool.add(&reviewer.review(&game, &()).expect("sound"));
        }
        let row = pool.rows(0).into_iter().find(|row| row.name == "it").expect("it has played");
        let loss = row.mean_loss.expect("decisions");
        let a_game = |count: u32| f64::from(count) / games as f64;
        let [doubtful, mistakes, blunders] = row.summary.marks.map(a_game);
        println!(
            "{kind} {games} {:.1} [{:.1}, {:.1}] {doubtful:.1} {mistakes:.1} {blunders:.1} {:.1}",
            loss.value,
            loss.low,
            loss.high,
            a_game(row.summary.missed_captures)
        );
        loss.value
    })
}

#[test]
fn bots_lose_the_less_the_better_they_are() {
    let losses = losses_of_bots(10, 1);
    // Whether `greedy-v2` or `aggressive` loses less takes more games to tell.
    let [random, aware, greedy, greedy_v2, aggressive, expectimax] = losses;
    assert!(random > aware && aware > greedy && greedy > greedy_v2.max(aggressive), "{losses:?}");
    assert!(greedy_v2.min(aggressive) > expectimax && expectimax == 0.0, "{losses:?}");
}

/// The table of `docs/review.md`, which the grades rest on; shown with `--nocapture`.
#[test]
#[ignore = "takes minutes"]
fn bots_lose_the_less_the_better_they_are_two_turns_deep() {
    let losses = losses_of_bots(100, 2);
    assert!(losses.is_sorted_by(|weaker, better| weaker >= better), "{losses:?}");
}
