//! `train decisions`: a set of decisions with the best turns of each rolled out, to measure bots against.

use crate::packed::Source;
use crate::play::{share, stray_or};
use crate::start::beginning;
use astragal::board::Rolled;
use astragal::bots::BudgetedBot;
use astragal::eval::{BuiltinEvaluator, ReplyFinder};
use astragal::review::{DecisionLine, SetHeader};
use astragal::rollout::Comparison;
use astragal::rules::{Roll, Turn, below, outcomes};
use astragal::search::{Event, Expectimax, ExpectimaxSettings, Task};
use astragal::time::Never;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::thread;

/// The turns of a decision that are compared.
const CANDIDATES: usize = 5;

/// Turns looked ahead to choose them.
const DEPTH: u32 = 2;

/// A decision is close if the second best turn is no more than this behind the best, by that look ahead.
const CLOSE: f64 = 0.02;

/// Turns of a game at most.
const LONGEST: u32 = 200;

#[derive(Args)]
pub struct Decisions {
    /// How many decisions there are in all
    #[arg(long, default_value_t = 300)]
    count: u32,
    /// The seed of the decisions and of the throws
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Do only every n-th decision, from the i-th on, counted from 0
    #[arg(long, value_name = "I/N", default_value = "0/1", value_parser = share)]
    shard: (u16, u16),
    /// The standard error at which rollouts end, in equity
    #[arg(long, default_value_t = 0.005)]
    error: f64,
    /// Turns of a game of a rollout, after which it is valued one turn deep
    #[arg(long, default_value_t = Comparison::default().turns, value_parser = clap::value_parser!(u32).range(1..=1000))]
    turns: u32,
    /// Threads; the result is the same with any number
    #[arg(long, default_value_t = thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
    /// Where to write the decisions, JSON lines; a file that is there already is gone on with
    #[arg(long)]
    out: PathBuf,
}

/// A position with its roll, and where it is from.
struct Found {
    rolled: Rolled,
    source: Source,
    ply: u32,
}

impl Decisions {
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        if !(1e-6..=1.0).contains(&self.error) {
            return Err("the error must be from 0.000001 to 1".into());
        }
        let comparison = Comparison {
            seed: self.seed,
            error: self.error,
            turns: self.turns,
            threads: self.threads.clamp(1, 256),
            ..Comparison::default()
        };
        let numbers: Vec<u32> = (u32::from(self.shard.0)..self.count).step_by(usize::from(self.shard.1)).collect();
        let (mut file, done) = self.open(&header(&comparison))?;
        let numbers = numbers.get(done..).ok_or("the file has more decisions than were asked for")?;
        let bar = ProgressBar::new((done + numbers.len()) as u64).with_style(ProgressStyle::with_template(
            "{elapsed_precise} {wide_bar} {pos}/{len} decisions, {eta} left",
        )?);
        bar.set_position(done as u64);
        bar.reset_eta();
        let mut maker = Maker::new(comparison);
        for &number in numbers {
            let line = serde_json::to_string(&maker.decision(number)?)?;
            file.write_all((line + "\n").as_bytes())?;
            file.flush()?;
            bar.inc(1);
        }
        bar.finish();
        Ok(())
    }

    /// The file, ready for more, and how many decisions are in it. A line that was torn is cut off.
    fn open(&self, header: &SetHeader) -> Result<(File, usize), Box<dyn Error>> {
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.out)?;
        let wanted = serde_json::to_string(header)? + "\n";
        let (mut whole, mut lines) = (0, 0_usize);
        let mut reader = BufReader::new(&mut file);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            if lines == 0 && line != wanted.as_bytes() {
                let shown = self.out.display();
                return Err(format!(
                    "{shown}: no decisions of this seed, error, length of games and network; name another file"
                )
                .into());
            }
            lines += 1;
            whole += line.len() as u64;
            line.clear();
        }
        if lines == 0 && !line.is_empty() && !wanted.as_bytes().starts_with(&line) {
            return Err(format!("{}: holds something else; name another file", self.out.display()).into());
        }
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        if lines == 0 {
            file.write_all(wanted.as_bytes())?;
        }
        Ok((file, lines.saturating_sub(1)))
    }
}

fn header(comparison: &Comparison) -> SetHeader {
    SetHeader {
        format: SetHeader::FORMAT.to_owned(),
        version: SetHeader::VERSION,
        seed: comparison.seed,
        player: comparison.network.name(),
        depth: DEPTH,
        candidates: CANDIDATES as u32,
        turns: comparison.turns,
        error: comparison.error,
        most: comparison.most,
    }
}

/// Finds decisions and compares their turns.
struct Maker {
    comparison: Comparison,
    finder: ReplyFinder,
    search: Expectimax,
}

impl Maker {
    fn new(comparison: Comparison) -> Self {
        let mut settings = ExpectimaxSettings { threads: comparison.threads, ..ExpectimaxSettings::default() };
        settings.techniques.table = false;
        let finder = ReplyFinder::by(BuiltinEvaluator::Network.evaluator().as_ref());
        Self { comparison, finder, search: Expectimax::new(settings) }
    }

    /// The decision of that number: a random one of a game; every other one close, by the look ahead.
    fn decision(&mut self, number: u32) -> Result<DecisionLine, Box<dyn Error>> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.comparison.seed);
        rng.set_stream(u64::from(number));
        let wants_close = number % 2 == 1;
        loop {
            let mut game = self.game(&mut rng);
            while !game.is_empty() {
                let found = game.swap_remove(below(&mut rng, game.len() as u64) as usize);
                let best = self.best(&found.rolled);
                let is_close = matches!(best[..], [(_, first), (_, second), ..] if first - second <= CLOSE);
                if best.len() < 2 || (wants_close && !is_close) {
                    continue;
                }
                let turns: Vec<Turn> = best.iter().map(|&(turn, _)| turn).collect();
                let compared = self.comparison.compare(&found.rolled, &turns, &Never)?;
                let Found { rolled, source, ply } = found;
                return Ok(DecisionLine::new(number, &rolled, source.name(), ply, wants_close, &compared));
            }
        }
    }

    /// The rolled positions of a game in which there is something to choose, and no king to capture.
    fn game(&mut self, rng: &mut ChaCha8Rng) -> Vec<Found> {
        let (source, mut position) = beginning(rng);
        let mut found = Vec::new();
        for ply in 0..LONGEST {
            let roll = Roll::from_throw(below(rng, 216) as u32);
            let rolled = Rolled { position, dice: roll.dice() };
            let best = self.finder.find(&position).best(roll).map(|(_, next)| next);
            let Some(next) = stray_or(best, &position, roll, rng) else { break };
            if outcomes(&rolled).distinct.len() > 1 {
                found.push(Found { rolled, source, ply });
            }
            if next.is_drawn() {
                break;
            }
            position = next;
        }
        found
    }

    /// The best turns with their equities, two turns deep.
    fn best(&mut self, rolled: &Rolled) -> Vec<(Turn, f64)> {
        let mut task = Task::new(*rolled);
        task.limits.depth = Some(DEPTH);
        task.multi_pv = CANDIDATES;
        let mut best: Vec<(Turn, f64)> = Vec::new();
        self.search.choose(&task, None, &mut |event| {
            if let Event::Info(info) = event
                && let Some(turn) = info.turn
            {
                if info.multipv == 1 {
                    best.clear();
                }
                best.push((turn, info.score.equity().value()));
            }
        });
        best
    }
}
