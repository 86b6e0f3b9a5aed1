//! Games of the evaluation against itself, fast and with some chance.

use astragal::board::{Position, Rolled, STARTPOS};
use astragal::eval::{ReplyFinder, evaluate};
use astragal::rules::below;
use astragal::rules::{Outcome, Roll, outcomes};
use clap::Args;
use indicatif::ProgressBar;
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// The number of turns after which a game without a result is dropped.
const LONGEST: u64 = 300;

/// Turns at the beginning of a game that may be any: fewer than this.
const RANDOM_TURNS: u64 = 4;

/// One turn in this number is one of the best ten, so that the fit sees what good play avoids.
const STRAYING: u64 = 20;

#[derive(Args)]
pub struct Play {
    /// How many games; each gives about 17 positions
    #[arg(long, default_value_t = 10_000)]
    games: u64,
    /// The seed of the games; the first of as many seeds as there are games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the positions, whole games at a time: a line each with the DFEN, the weight (of 216) of the rolls
    /// that capture the king, the number of the game, its result for the side to roll, what the evaluation says of the
    /// position, and what it says one turn deeper
    #[arg(long)]
    out: PathBuf,
}

/// A position before its roll, as it was seen in a game.
struct Seen {
    position: Position,
    /// The weight, of 216, of the rolls that capture the king.
    captures: u32,
    /// What the evaluation says of it.
    value: f64,
    /// What it says one turn deeper.
    deeper: f64,
}

impl Play {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let mut out = BufWriter::new(File::create(&self.out)?);
        let start = Rolled::from_dfen(STARTPOS)?.position;
        let bar = ProgressBar::new(self.games);
        let mut finder = ReplyFinder::default();
        for game in 0..self.games {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed.wrapping_add(game));
            let (seen, result) = play(start, &mut finder, &mut rng);
            for (number, Seen { position, captures, value, deeper }) in seen.iter().enumerate() {
                // The last position's side to roll won, or nobody did.
                let result = if (seen.len() - number) % 2 == 1 { result } else { -result };
                writeln!(out, "{position}\t{captures}\t{game}\t{result}\t{value:.6}\t{deeper:.6}")?;
            }
            out.flush()?;
            bar.inc(1);
        }
        bar.finish();
        Ok(())
    }
}

/// The positions of a game from the first that was not reached by random turns, and the result for the side to roll in
/// the last.
fn play(start: Position, finder: &mut ReplyFinder, rng: &mut ChaCha8Rng) -> (Vec<Seen>, i32) {
    let opening = below(rng, RANDOM_TURNS);
    let mut seen = Vec::new();
    let mut position = start;
    for turn in 0..LONGEST {
        let roll = Roll::from_throw(below(rng, 216) as u32);
        let next = if turn < opening {
            choose(&position, roll, usize::MAX, rng)
        } else {
            let replies = finder.find(&position);
            let value = evaluate(&position).value();
            seen.push(Seen { position, captures: replies.won().weight(), value, deeper: replies.mean() });
            let best = replies.best(roll).map(|(_, next)| next);
            if best.is_some() && below(rng, STRAYING) == 0 { choose(&position, roll, 10, rng) } else { best }
        };
        let Some(next) = next else { return (seen, 1) };
        if next.is_drawn() {
            return (seen, 0);
        }
        position = next;
    }
    (Vec::new(), 0)
}

/// One of the best outcomes by the evaluation, of the first `most`; none if the roll captures the king.
fn choose(position: &Position, roll: Roll, most: usize, rng: &mut ChaCha8Rng) -> Option<Position> {
    let found = outcomes(&Rolled { position: *position, dice: roll.dice() });
    if found.king_capture.is_some() {
        return None;
    }
    let mut choices: Vec<(f64, Outcome)> =
        found.distinct.into_iter().map(|outcome| (evaluate(&outcome.position).value(), outcome)).collect();
    choices.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.turn.cmp(&b.1.turn)));
    // No outcome at all is impossible (a pass is one), but costs nothing to allow for.
    choices.get(below(rng, choices.len().clamp(1, most) as u64) as usize).map(|choice| choice.1.position)
}
