//! A bot of one's own: it plays the turn that leaves the opponent the smallest chance to capture the king.
//! `cargo run --release --example own_bot` has it play a game against `greedy`.

use astragal::board::{Rolled, STARTPOS};
use astragal::bots::{Bot, BotConfig, BotKind, InstantBot};
use astragal::eval::king_capture_probability;
use astragal::rules::{Roll, Turn, TurnEnd, apply_roll, below, outcomes};
use astragal::search::{Reporter, Task};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;

struct Careful;

impl InstantBot for Careful {
    fn choose(&mut self, task: &Task, _: &mut Reporter<'_>) -> Turn {
        let found = outcomes(&task.rolled);
        if let Some(turn) = found.king_capture {
            return turn;
        }
        // In the positions after the turn it is the opponent who is to roll.
        let danger = |turn: &astragal::rules::Outcome| king_capture_probability(&turn.position);
        let safest = found.distinct.iter().min_by(|a, b| danger(a).total_cmp(&danger(b)));
        safest.map_or(Turn::PASS, |outcome| outcome.turn)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut players = [Bot::instant(Careful), BotConfig::of(BotKind::Greedy, 1).build()];
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut position = Rolled::from_dfen(STARTPOS)?.position;
    for ply in 0.. {
        let roll = Roll::from_throw(below(&mut rng, u64::from(Roll::TOTAL_WEIGHT)) as u32);
        let rolled = Rolled { position, dice: roll.dice() };
        let turn = players[ply % 2].choose(&Task::new(rolled), None, &mut |_| ());
        println!("{ply}: {} {turn}", rolled.dice);
        match apply_roll(&rolled, turn)? {
            TurnEnd::Position(next) if next.is_drawn() => {
                println!("a draw");
                break;
            }
            TurnEnd::Position(next) => position = next,
            TurnEnd::KingCaptured => {
                println!("{} captures the king", ["careful", "greedy"][ply % 2]);
                break;
            }
        }
    }
    Ok(())
}
