//! Games of the evaluation against itself, fast and with some chance.
//!
//! Most are one turn deep, from the start position after some random turns or from made endings. Where that is asked for,
//! some follow the opening book first, and some are played two turns deep, for what such play leads to.

use crate::packed::{self, Sample, Source};
use crate::start::{Shares, beginning_of};
use astragal::board::{Position, Rolled};
use astragal::bots::{Book, BudgetedBot, draw_entry};
use astragal::eval::{BuiltinEvaluator, ReplyFinder, evaluate};
use astragal::rules::{Outcome, Roll, Turn, TurnEnd, apply_roll, below, outcomes};
use astragal::search::{Expectimax, ExpectimaxSettings, PreRanker, Task};
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
    /// How many games of a hundred follow the opening book of the program as long as it has a turn
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=50))]
    book: u8,
    /// How many games of a hundred are played two turns deep: one takes as long as some forty others
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=50))]
    two_turns: u8,
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
                let shares = Shares { book: self.book, two_turns: self.two_turns };
                scope.spawn(move || {
                    let mut player = Player::new(evaluator, shares);
                    while let Some(&game) = numbers.get(next.fetch_add(1, Relaxed) as usize) {
                        // Nobody listens any more when a write has failed.
                        if send.send((game, player.game(self.seed, game))).is_err() {
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

/// Plays games; a thread has one.
struct Player {
    finder: ReplyFinder,
    two_deep: Expectimax,
    book: Book,
    shares: Shares,
}

impl Player {
    fn new(evaluator: BuiltinEvaluator, shares: Shares) -> Self {
        let finder = ReplyFinder::by(evaluator.evaluator().as_ref());
        let pre_ranker = if evaluator == BuiltinEvaluator::Network { PreRanker::Network } else { PreRanker::Full };
        let settings = ExpectimaxSettings { leaf: evaluator, pre_ranker, hash: 1, max_depth: 2, ..Default::default() };
        let book = if shares.book > 0 { Book::shipped() } else { Book::default() };
        Self { finder, two_deep: Expectimax::new(settings), book, shares }
    }

    /// The positions of a game from the first that was not reached by random turns; none if it had no result.
    fn game(&mut self, seed: u64, game: u32) -> Vec<Sample> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(u64::from(game));
        let (source, start) = beginning_of(self.shares, &mut rng);
        let Some((mut samples, result)) = self.play(source, start, &mut rng) else { return Vec::new() };
        let count = samples.len();
        for (number, sample) in samples.iter_mut().enumerate() {
            // The side to roll in the last position won, or nobody did.
            sample.result = if (count - number) % 2 == 1 { result } else { -result };
            sample.last = number + 1 == count;
            sample.game = game;
        }
        samples
    }

    /// A game's positions and the result for the side to roll in the last; `None` if there is none after many turns.
    fn play(&mut self, source: Source, start: Position, rng: &mut ChaCha8Rng) -> Option<(Vec<Sample>, i8)> {
        let opening = match source {
            Source::Start | Source::TwoTurns => below(rng, RANDOM_TURNS) as u16,
            Source::Ending | Source::Book => 0,
        };
        let mut in_book = source == Source::Book;
        let mut samples = Vec::new();
        let mut position = start;
        for turn in 0..LONGEST {
            let roll = Roll::from_throw(below(rng, 216) as u32);
            let next = if turn < opening {
                choose(&position, roll, usize::MAX, rng)
            } else {
                let replies = self.finder.find(&position);
                samples.push(Sample {
                    position,
                    captures: replies.won().weight() as u8,
                    result: 0,
                    last: false,
                    source,
                    turn,
                    value: self.finder.value(&position) as f32,
                    deeper: replies.mean() as f32,
                    game: 0,
                });
                let best = replies.best(roll).map(|(_, next)| next);
                let from_book = if in_book && best.is_some() { self.book_turn(&position, roll, rng) } else { None };
                in_book = from_book.is_some();
                match (from_book, source) {
                    (Some(next), _) => Some(next),
                    (None, Source::TwoTurns) if best.is_some() => {
                        stray_or(Some(self.two_turns_deep(&position, roll)), &position, roll, rng)
                    }
                    (None, _) => stray_or(best, &position, roll, rng),
                }
            };
            let Some(next) = next else { return Some((samples, 1)) };
            if next.is_drawn() {
                return Some((samples, 0));
            }
            position = next;
        }
        None
    }

    /// Where a turn of the book leads, chosen by weight; none if it has none.
    fn book_turn(&self, position: &Position, roll: Roll, rng: &mut ChaCha8Rng) -> Option<Position> {
        let rolled = Rolled { position: *position, dice: roll.dice() };
        after(&rolled, draw_entry(&self.book.lookup(&rolled), rng)?.turn)
    }

    /// Where the best turn by a search leads; the roll does not capture the king.
    fn two_turns_deep(&mut self, position: &Position, roll: Roll) -> Position {
        let rolled = Rolled { position: *position, dice: roll.dice() };
        let mut task = Task::new(rolled);
        task.limits.depth = Some(2);
        let turn = self.two_deep.choose(&task, None, &mut |_| ());
        // What a search picks is legal, and captures no king here.
        after(&rolled, turn).unwrap_or_else(|| panic!("{turn} in {rolled}"))
    }
}

/// The position after a turn; none if it captures the king or is not legal.
fn after(rolled: &Rolled, turn: Turn) -> Option<Position> {
    match apply_roll(rolled, turn) {
        Ok(TurnEnd::Position(position)) => Some(position),
        _ => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_game_is_played_and_repeats() {
        let shares = Shares { book: 40, two_turns: 20 };
        let source_of = |game: u32| {
            let mut rng = ChaCha8Rng::seed_from_u64(3);
            rng.set_stream(u64::from(game));
            beginning_of(shares, &mut rng).0
        };
        let mut player = Player::new(BuiltinEvaluator::Full, shares);
        for source in Source::ALL {
            let game = (0..100).find(|&game| source_of(game) == source).expect("there are games of all kinds");
            let samples = player.game(3, game);
            assert!(samples.last().expect("it has a result").last, "{source:?}");
            assert!(samples.iter().all(|sample| sample.source == source && sample.game == game), "{source:?}");
            let mut other = Player::new(BuiltinEvaluator::Full, shares);
            assert_eq!(other.game(3, game), samples, "what was played before is forgotten");
        }
    }

    #[test]
    fn the_book_is_followed_as_long_as_it_has_a_turn() {
        let mut player = Player::new(BuiltinEvaluator::Full, Shares { book: 50, two_turns: 0 });
        let mut followed = 0;
        for game in 0..40 {
            let samples = player.game(4, game);
            for (number, pair) in samples.windows(2).enumerate().take_while(|_| samples[0].source == Source::Book) {
                // Whatever the roll was, the position comes from a turn of the book for some roll.
                let turns = Roll::all().flat_map(|roll| {
                    let rolled = Rolled { position: pair[0].position, dice: roll.dice() };
                    player.book.lookup(&rolled).into_iter().filter_map(move |entry| after(&rolled, entry.turn))
                });
                if !turns.map(|next| next.key()).any(|key| key == pair[1].position.key()) {
                    break;
                }
                followed = followed.max(number + 1);
            }
        }
        assert!(followed >= 2, "{followed}");
    }
}
