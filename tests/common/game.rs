//! Seeded games between two bots in process, for tests that need positions or results.

use astragal::board::{Color, Position, Rolled, STARTPOS};
use astragal::bots::Bot;
use astragal::rules::below;
use astragal::rules::{Roll, TurnEnd, apply_roll};
use astragal::search::{Limits, Task};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

/// Longer games are given up as drawn.
const MOST_TURNS: u32 = 400;

/// The starting position.
pub fn start() -> Position {
    Rolled::from_dfen(STARTPOS).expect("the starting position is sound").position
}

/// A random roll.
pub fn roll(rng: &mut ChaCha8Rng, position: Position) -> Rolled {
    Rolled { position, dice: Roll::from_throw(below(rng, 216) as u32).dice() }
}

/// Positions with their rolls from random games, `count` of them.
pub fn random_positions(seed: u64, count: usize) -> Vec<Rolled> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut positions = Vec::with_capacity(count);
    let mut position = start();
    while positions.len() < count {
        let rolled = roll(&mut rng, position);
        positions.push(rolled);
        let found = astragal::rules::outcomes(&rolled);
        position = match found.distinct.get(below(&mut rng, found.distinct.len() as u64) as usize) {
            Some(outcome) if !outcome.position.is_drawn() => outcome.position,
            _ => start(),
        };
    }
    positions
}

/// Plays one game; the dice depend on `seed` only. Returns the winner, `None` for a draw. Every turn is checked.
pub fn play(white: &mut Bot, black: &mut Bot, limits: Limits, seed: u64) -> Option<Color> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start();
    for _ in 0..MOST_TURNS {
        let rolled = roll(&mut rng, position);
        let side = position.side();
        let mut task = Task::new(rolled);
        task.limits = limits;
        let turn = match side {
            Color::White => white.choose(&task, None, &mut |_| ()),
            Color::Black => black.choose(&task, None, &mut |_| ()),
        };
        match apply_roll(&rolled, turn) {
            Ok(TurnEnd::KingCaptured) => return Some(side),
            Ok(TurnEnd::Position(next)) if next.is_drawn() => return None,
            Ok(TurnEnd::Position(next)) => position = next,
            Err(error) => panic!("{side} plays {turn} at {rolled}: {error}"),
        }
    }
    None
}

/// Plays pairs of games with colours exchanged and the same dice; returns the first bot's points, a draw counting one
/// half, and the number of games.
pub fn match_points(first: &mut Bot, second: &mut Bot, limits: Limits, pairs: u64) -> (f64, u64) {
    let mut points = 0.0;
    for seed in 0..pairs {
        let value = |winner: Option<Color>, mine: Color| match winner {
            None => 0.5,
            Some(color) => f64::from(u8::from(color == mine)),
        };
        points += value(play(first, second, limits, seed), Color::White);
        points += value(play(second, first, limits, seed), Color::Black);
    }
    (points, 2 * pairs)
}
