//! Games of the evaluation against itself, fast and with some chance.

use crate::packed::{self, Sample, Source};
use crate::start::beginning;
use astragal::board::{Position, Rolled};
use astragal::eval::{BuiltinEvaluator, ReplyFinder, evaluate};
use astragal::rules::{Outcome, Roll, below, outcomes};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The number of turns after which a game without a result is dropped.
const LONGEST: u16 = 300;

/// Turns at the beginning of a game from the start position that may be any: fewer than this.
const RANDOM_TURNS: u64 = 6;

/// One turn in this number is one of the best ten, so that the fit sees what good play avoids.
const STRAYING: u64 = 16;

/// The most time that finished games stay in memory.
const FLUSH: Duration = Duration::from_millis(500);

#[derive(Args)]
pub struct Play {
    /// How many games there are in all; each gives about 16 positions
    #[arg(long, default_value_t = 10_000)]
    games: u32,
    /// The seed of the games
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Play only every n-th game, from the i-th on, counted from 0
    #[arg(long, value_name = "I/N", default_value = "0/1", value_parser = share)]
    shard: (u16, u16),
    /// Games at a time
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
    /// The evaluation that plays
    #[arg(long, default_value_t = BuiltinEvaluator::default().id().to_owned())]
    eval: String,
    /// Where to write the positions, as packed records (tools/train/src/packed.rs); a file that is there already is gone
    /// on with
    #[arg(long)]
    out: PathBuf,
}

pub fn share(text: &str) -> Result<(u16, u16), String> {
    let parsed = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    parsed.filter(|(i, n)| i < n).ok_or_else(|| "must be two numbers such as 0/8, the first one smaller".into())
}

impl Play {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let evaluator: BuiltinEvaluator = self.eval.parse()?;
        let numbers: Vec<u32> = (u32::from(self.shard.0)..self.games).step_by(usize::from(self.shard.1)).collect();
        let (file, done) = self.open()?;
        let done = numbers.partition_point(|&game| done.is_some_and(|done| game <= done));
        let bar = ProgressBar::new(numbers.len() as u64).with_style(ProgressStyle::with_template(
            "{elapsed_precise} {wide_bar} {pos}/{len} games, {per_sec}, {eta} left",
        )?);
        bar.set_position(done as u64);
        bar.reset_eta();
        let numbers = &numbers[done..];
        let next = AtomicU32::new(0);
        let (send, receive) = mpsc::sync_channel::<(u32, Vec<Sample>)>(1024);
        thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, 1024) {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || {
                    let mut finder = ReplyFinder::by(evaluator.evaluator().as_ref());
                    while let Some(&game) = numbers.get(next.fetch_add(1, Relaxed) as usize) {
                        // Nobody listens any more when a write has failed.
                        if send.send((game, game_of(self.seed, game, &mut finder))).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            write(file, numbers, receive, &bar)
        })?;
        bar.finish();
        Ok(())
    }

    /// The file, ready for more games, and the last game that is whole in it.
    fn open(&self) -> Result<(File, Option<u32>), Box<dyn Error>> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.out)?;
        let header = packed::header(self.seed, self.shard);
        let mut found = Vec::new();
        Read::by_ref(&mut file).take(packed::SIZE as u64).read_to_end(&mut found)?;
        if found.is_empty() {
            file.write_all(&header)?;
            return Ok((file, None));
        }
        if found != header {
            return Err(
                format!("{}: not positions of this seed and shard; name another file", self.out.display()).into()
            );
        }
        let (mut records, mut whole, mut last) = (0, 0, None);
        packed::read(&self.out, |sample| {
            records += 1;
            if sample.last {
                (whole, last) = (records, Some(sample.game));
            }
        })?;
        let end = (1 + whole) * packed::SIZE as u64;
        file.set_len(end)?;
        file.seek(SeekFrom::Start(end))?;
        Ok((file, last))
    }
}

/// Writes games as they come, in the order of their numbers.
fn write(
    file: File,
    numbers: &[u32],
    games: mpsc::Receiver<(u32, Vec<Sample>)>,
    bar: &ProgressBar,
) -> std::io::Result<()> {
    let mut file = BufWriter::new(file);
    let mut early = BTreeMap::new();
    let mut due = numbers.iter();
    let mut next = due.next();
    let mut flushed = Instant::now();
    for (game, samples) in games {
        early.insert(game, samples);
        while let Some(samples) = next.and_then(|game| early.remove(game)) {
            for sample in samples {
                file.write_all(&sample.pack())?;
            }
            next = due.next();
            bar.inc(1);
        }
        if flushed.elapsed() >= FLUSH {
            file.flush()?;
            flushed = Instant::now();
        }
    }
    file.flush()
}

/// The positions of a game from the first that was not reached by random turns; none if it had no result.
fn game_of(seed: u64, game: u32, finder: &mut ReplyFinder) -> Vec<Sample> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::from(game));
    let (source, start) = beginning(&mut rng);
    let opening = if source == Source::Start { below(&mut rng, RANDOM_TURNS) as u16 } else { 0 };
    let Some((mut samples, result)) = play(start, opening, finder, &mut rng) else { return Vec::new() };
    let count = samples.len();
    for (number, sample) in samples.iter_mut().enumerate() {
        // The side to roll in the last position won, or nobody did.
        sample.result = if (count - number) % 2 == 1 { result } else { -result };
        sample.last = number + 1 == count;
        (sample.source, sample.game) = (source, game);
    }
    samples
}

/// A game's positions and the result for the side to roll in the last; `None` if there is none after many turns.
fn play(start: Position, opening: u16, finder: &mut ReplyFinder, rng: &mut ChaCha8Rng) -> Option<(Vec<Sample>, i8)> {
    let mut samples = Vec::new();
    let mut position = start;
    for turn in 0..LONGEST {
        let roll = Roll::from_throw(below(rng, 216) as u32);
        let next = if turn < opening {
            choose(&position, roll, usize::MAX, rng)
        } else {
            let replies = finder.find(&position);
            samples.push(Sample {
                position,
                captures: replies.won().weight() as u8,
                result: 0,
                last: false,
                source: Source::Start,
                turn,
                value: finder.value(&position) as f32,
                deeper: replies.mean() as f32,
                game: 0,
            });
            stray_or(replies.best(roll).map(|(_, next)| next), &position, roll, rng)
        };
        let Some(next) = next else { return Some((samples, 1)) };
        if next.is_drawn() {
            return Some((samples, 0));
        }
        position = next;
    }
    None
}

/// The best outcome of the roll, or now and then one of the best ten; none if the roll captures the king.
pub fn stray_or(best: Option<Position>, position: &Position, roll: Roll, rng: &mut ChaCha8Rng) -> Option<Position> {
    if best.is_some() && below(rng, STRAYING) == 0 { choose(position, roll, 10, rng) } else { best }
}

/// One of the best outcomes by the linear evaluation, of the first `most`; none if the roll captures the king.
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
