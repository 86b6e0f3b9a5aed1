//! The best turn of a roll, and what it is worth: `cargo run --release --example best_turn -- "<DFEN with dice>"`.

use astragal::board::{DfenError, Rolled};
use astragal::bots::BotConfig;
use astragal::search::{Event, Task};

/// The position if none is given.
const MIDDLEGAME: &str = "r2qkb1r/ppp2ppp/2np1n2/4p3/2B1P1b1/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 2 6 BRK";

fn main() -> Result<(), DfenError> {
    let dfen = std::env::args().nth(1).unwrap_or_else(|| MIDDLEGAME.to_owned());
    let mut task = Task::new(Rolled::from_dfen(&dfen)?);
    task.limits.depth = Some(2);
    task.multi_pv = 3;
    let mut bot = BotConfig::default().build();
    let best = bot.choose(&task, None, &mut |event| {
        if let Event::Info(info) = event
            && let Some(turn) = info.turn
        {
            println!("depth {} number {} {turn} {:+.3}", info.depth, info.multipv, info.score.equity().value());
        }
    });
    println!("best: {best}");
    Ok(())
}
