//! Makes the positions that the evaluation is fitted to: games of the engine against itself, fast and with some chance,
//! and for each position before a roll what the search says of it two turns deep.
//!
//! One line a position: the DFEN, a tab, the equity of the side to move, a tab, the weight (0..216) of the rolls that
//! capture the king. `fit.py` beside this crate turns such lines into the tables of `src/eval/weights.rs`.

use astragal::board::{Dice, Position, Rolled, STARTPOS};
use astragal::eval::evaluate;
use astragal::rules::{Outcome, Roll, outcomes, winning_rolls};
use astragal::search::{Bot, Event, Expectimax, ExpectimaxSettings, Task, below};
use clap::Parser;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

/// Makes positions with their equities, for fitting the evaluation.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// How many positions.
    #[arg(long, default_value_t = 100_000)]
    positions: usize,
    /// The seed of the games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to write them; standard output if not given.
    #[arg(long)]
    out: Option<std::path::PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match harvest(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tune: {error}");
            ExitCode::FAILURE
        }
    }
}

fn harvest(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let sink: Box<dyn Write> = match &arguments.out {
        Some(path) => Box::new(std::fs::File::create(path)?),
        None => Box::new(std::io::stdout()),
    };
    let mut out = BufWriter::new(sink);
    let start = Rolled::from_dfen(STARTPOS)?.position;
    let mut rng = ChaCha8Rng::seed_from_u64(arguments.seed);
    let mut bot = Expectimax::new(ExpectimaxSettings::default());
    let mut written = 0;
    while written < arguments.positions {
        let mut position = start;
        let opening = below(&mut rng, 4);
        for turn in 0.. {
            let Some(next) = play(&position, turn < opening, &mut rng) else { break };
            position = next;
            // Neighbours in a game are much alike.
            if below(&mut rng, 2) == 0 {
                let equity = two_turns_deep(&mut bot, &position);
                writeln!(out, "{position}\t{equity:.6}\t{}", winning_rolls(&position).weight())?;
                written += 1;
                if written % 10_000 == 0 {
                    eprintln!("{written} of {} positions", arguments.positions);
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// The position after a turn that is mostly good: the best by the evaluation, or one of the ten best, or (`anything`) any.
/// `None` when the game is over.
fn play(position: &Position, anything: bool, rng: &mut ChaCha8Rng) -> Option<Position> {
    let dice = Roll::from_throw(below(rng, 216) as u32).dice();
    let found = outcomes(&Rolled { position: *position, dice });
    if found.king_capture.is_some() {
        return None;
    }
    let mut choices: Vec<(f64, Outcome)> =
        found.distinct.into_iter().map(|outcome| (evaluate(&outcome.position).value(), outcome)).collect();
    choices.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.turn.cmp(&b.1.turn)));
    let range = match below(rng, 4) {
        _ if anything => choices.len(),
        0 => choices.len().min(10),
        _ => 1,
    };
    let chosen = choices.get(below(rng, range as u64) as usize)?;
    Some(chosen.1.position).filter(|position| !position.is_drawn())
}

fn two_turns_deep(bot: &mut Expectimax, position: &Position) -> f64 {
    let mut task = Task::new(Rolled { position: *position, dice: Dice::NONE });
    task.limits.depth = Some(2);
    let mut equity = 0.0;
    bot.choose(&task, &mut |event| {
        if let Event::Info(info) = event {
            equity = info.score.equity().value();
        }
    });
    equity
}
