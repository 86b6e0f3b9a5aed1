//! Games of the evaluation against itself, fast and with some chance.

use astragal::board::{Position, Rolled, STARTPOS};
use astragal::eval::evaluate;
use astragal::rules::{Outcome, Roll, outcomes, winning_rolls};
use astragal::search::below;
use clap::Args;
use indicatif::ProgressBar;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// Games that get no result after so many turns are dropped.
const LONGEST: u64 = 300;

/// Turns at the beginning of a game that may be any: fewer than this.
const RANDOM_TURNS: u64 = 4;

/// One turn in so many is one of the best ten, so that the fit sees what good play avoids.
const STRAYING: u64 = 20;

#[derive(Args)]
pub struct Play {
    /// How many games; each gives about 17 positions
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// The seed of the games; the first of as many seeds as there are games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the positions: a line each with the DFEN, the weight (of 216) of the rolls that capture the king,
    /// the number of the game, and its result for the side to roll
    #[arg(long)]
    out: PathBuf,
}

impl Play {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut out = BufWriter::new(File::create(&self.out)?);
        let start = Rolled::from_dfen(STARTPOS)?.position;
        let bar = ProgressBar::new(self.games);
        for game in 0..self.games {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(game));
            let (positions, result) = play(start, &mut rng);
            for (number, position) in positions.iter().enumerate() {
                // The last position's side to roll won, or nobody did.
                let result = if (positions.len() - number) % 2 == 1 { result } else { -result };
                writeln!(out, "{position}\t{}\t{game}\t{result}", winning_rolls(position).weight())?;
            }
            bar.inc(1);
        }
        out.flush()?;
        bar.finish();
        Ok(())
    }
}

/// The positions of a game, each before its roll, from the first that was not reached by random turns; and the result for
/// the side to roll in the last.
fn play(start: Position, rng: &mut ChaCha8Rng) -> (Vec<Position>, i32) {
    let opening = below(rng, RANDOM_TURNS);
    let mut positions = Vec::new();
    let mut position = start;
    for turn in 0..LONGEST {
        if turn >= opening {
            positions.push(position);
        }
        let dice = Roll::from_throw(below(rng, 216) as u32).dice();
        let found = outcomes(&Rolled { position, dice });
        if found.king_capture.is_some() {
            return (positions, 1);
        }
        let Some(next) = choose(found.distinct, turn < opening, rng) else { break };
        if next.is_drawn() {
            return (positions, 0);
        }
        position = next;
    }
    (Vec::new(), 0)
}

/// Mostly the best outcome by the evaluation; any if `anything` is good enough.
fn choose(distinct: Vec<Outcome>, anything: bool, rng: &mut ChaCha8Rng) -> Option<Position> {
    let mut choices: Vec<(f64, Outcome)> =
        distinct.into_iter().map(|outcome| (evaluate(&outcome.position).value(), outcome)).collect();
    choices.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.turn.cmp(&b.1.turn)));
    let range = match anything {
        true => choices.len(),
        false if below(rng, STRAYING) == 0 => choices.len().min(10),
        false => 1,
    };
    // No outcome at all is impossible (a pass is one), but costs nothing to allow for.
    choices.get(below(rng, range.max(1) as u64) as usize).map(|choice| choice.1.position)
}
