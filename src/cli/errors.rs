//! `astragal errors`.

use super::Done;
use super::output::{Output, json_line};
use super::source::Source;
use super::watch::{Watcher, duration};
use crate::bots::Bot;
use crate::eval::network::{Network, SHIPPED};
use crate::protocol::Options;
use crate::record::escaped;
use crate::review::{DecisionSet, Errors, KnownDecision, OutsideTurn, SetHeader, Watch};
use crate::rollout::ComparisonError;
use crate::rules::Turn;
use crate::search::{Task, share};
use clap::Args;
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

/// Tells how much a bot loses on decisions whose turns were rolled out (`train decisions` makes them).
#[derive(Args)]
pub(super) struct ErrorsOf {
    /// The set of decisions.
    file: PathBuf,
    /// The bot.
    #[arg(long, default_value = "expectimax")]
    bot: String,
    /// An option of the protocol for it; may be given several times.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    #[command(flatten)]
    limit: Limit,
    /// A file that keeps what turns outside the set are worth, which takes seconds to find out for each.
    #[arg(long)]
    cache: Option<PathBuf>,
    /// The network that the set was judged by; if not given, the built-in one, or the file beside the set that ends in
    /// `.network`.
    #[arg(long, value_name = "NETWORK")]
    judge: Option<PathBuf>,
    /// Decisions at a time; all cores if not given, and one with a time.
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Write JSON, one line.
    #[arg(long)]
    json: bool,
}

/// How long it thinks; two turns deep if nothing is said.
#[derive(Args)]
#[group(multiple = false)]
struct Limit {
    /// Turns to look ahead.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(crate::search::MOST_DEPTH)))]
    depth: Option<u32>,
    /// Positions to evaluate.
    #[arg(long)]
    nodes: Option<u64>,
    /// Time for a decision, such as 100ms.
    #[arg(long, value_parser = duration)]
    movetime: Option<Duration>,
}

/// What is told, as JSON.
#[derive(Serialize)]
struct Told<'a> {
    bot: &'a str,
    options: &'a [String],
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime_ms: Option<u64>,
    /// Decisions that were made.
    decisions: u32,
    /// Mean loss and its standard error, in thousandths of equity.
    mean_loss: f64,
    error: Option<f64>,
    /// The same over those decisions that were taken because they are close.
    close_decisions: u32,
    close_mean_loss: f64,
    /// How often the best turn was chosen, or a better one.
    best: u32,
    /// How often a turn was chosen that is not in the set.
    outside: u32,
}

const DEFAULT_DEPTH: u32 = 2;

impl ErrorsOf {
    /// Writes the mean loss; progress goes to standard error.
    pub(super) fn run(self) -> Result<Done, String> {
        let shown = escaped(&self.file.to_string_lossy(), 200);
        let set = DecisionSet::read(Source::open(&self.file)?).map_err(|error| format!("{shown}: {error}"))?;
        if set.decisions.is_empty() {
            return Err(format!("{shown}: no decision in it"));
        }
        let mut options = Options::default();
        options.set("Bot", &self.bot).map_err(|error| format!("--bot: {error}"))?;
        for option in &self.options {
            let (name, value) = option.split_once('=').ok_or("--option: say Name=Value")?;
            options.set(name.trim(), value.trim()).map_err(|error| format!("--option: {error}"))?;
        }
        let judge = self.judge(&set.header)?;
        let cache = Cache::open(self.cache.as_deref())?;
        let watcher = Watcher::new(self.limit.movetime, None, Default::default())?;
        let comparison = set.header.comparison(judge, super::threads(None));
        let at_a_time = match self.threads {
            None if self.limit.movetime.is_some() => 1,
            asked => super::threads(asked),
        };
        watcher.begin("decision".to_owned(), set.decisions.len());
        let turns = self.turns(&set.decisions, &options, at_a_time, &watcher);
        let mut errors = Errors::default();
        let mut outside = Vec::new();
        for (decision, turn) in set.decisions.iter().zip(turns) {
            let Some(turn) = turn else { continue };
            match decision.loss(turn) {
                Some(loss) => errors.add(decision, loss, false),
                None => match cache.loss(decision, turn) {
                    Some(loss) => errors.add(decision, loss, true),
                    None => outside.push((decision, turn)),
                },
            }
        }
        watcher.begin("turn outside the set".to_owned(), outside.len());
        for (decision, turn) in outside {
            match OutsideTurn::roll_out(&comparison, decision, turn, watcher.signal()) {
                Ok(found) => {
                    errors.add(decision, found.loss, true);
                    cache.add(&found)?;
                    watcher.piece_done();
                }
                Err(ComparisonError::Interrupted) => break,
                Err(error) => return Err(format!("decision {}: {error}", decision.number)),
            }
        }
        let mut output = Output::new();
        let told = self.told(&errors);
        output.write(&if self.json { json_line(&told)? } else { told.text() })?;
        Ok(if watcher.is_ended() { Done::Interrupted } else { Done::All })
    }

    /// The network that outside turns are rolled out by: the one that the others of the set were rolled out by.
    fn judge(&self, header: &SetHeader) -> Result<Arc<Network>, String> {
        let wanted = &header.player;
        if self.judge.is_none() && SHIPPED.name() == *wanted {
            return Ok(SHIPPED.clone());
        }
        let beside = || Some(self.file.with_extension("network")).filter(|file| file.exists());
        let Some(file) = self.judge.clone().or_else(beside) else {
            let wanted = escaped(wanted, 100);
            return Err(format!(
                "--judge: say where {wanted} is, by which the set was judged; it is not the built-in one"
            ));
        };
        let shown = escaped(&file.to_string_lossy(), 200);
        let network = Network::load(&file).map_err(|error| format!("{shown} {error}"))?;
        if network.name() != *wanted {
            return Err(format!("{shown} is {}, and the set was judged by {}", network.name(), escaped(wanted, 100)));
        }
        Ok(Arc::new(network))
    }

    /// What the bot plays; none where that was interrupted.
    fn turns(
        &self,
        decisions: &[KnownDecision],
        options: &Options,
        at_a_time: usize,
        watcher: &Watcher,
    ) -> Vec<Option<Turn>> {
        let next = AtomicUsize::new(0);
        let work = |bot: &mut Bot| {
            let mut played = Vec::new();
            while let Some(decision) = decisions.get(next.fetch_add(1, Relaxed)) {
                if watcher.is_ended() {
                    break;
                }
                let turn = self.choose(bot, decision, watcher);
                if watcher.is_ended() {
                    break;
                }
                played.push((decision.number, turn));
                watcher.piece_done();
            }
            played
        };
        let mut own = options.bot.build();
        let mut others: Vec<Bot> = (1..at_a_time.min(decisions.len())).map(|_| options.bot.build()).collect();
        let (mut turns, theirs) = share(&mut others, || work(&mut own), work);
        // What a thread that has panicked would have said is missing, as if it had been interrupted.
        turns.extend(theirs.into_iter().flatten().flatten());
        turns.sort_by_key(|&(number, _)| number);
        let of = |decision: &KnownDecision| {
            turns.binary_search_by_key(&decision.number, |&(number, _)| number).ok().map(|at| turns[at].1)
        };
        decisions.iter().map(of).collect()
    }

    fn choose(&self, bot: &mut Bot, decision: &KnownDecision, watcher: &Watcher) -> Turn {
        // Decisions have nothing to do with each other.
        bot.new_game();
        let mut task = Task::new(decision.rolled);
        task.limits.nodes = self.limit.nodes;
        task.limits.depth = self.depth();
        match watcher.clock() {
            Some(clock) => bot.choose(&task, Some(&clock), &mut |_| {}),
            None => bot.choose(&task, Some(watcher.signal()), &mut |_| {}),
        }
    }

    fn depth(&self) -> Option<u32> {
        let Limit { depth, nodes, movetime } = self.limit;
        depth.or_else(|| (nodes.is_none() && movetime.is_none()).then_some(DEFAULT_DEPTH))
    }

    fn told<'a>(&'a self, errors: &Errors) -> Told<'a> {
        let thousandths = |value: f64| (1e6 * value).round() / 1e3;
        Told {
            bot: &self.bot,
            options: &self.options,
            depth: self.depth(),
            nodes: self.limit.nodes,
            // A day has fewer milliseconds than the type can hold.
            movetime_ms: self.limit.movetime.map(|time| time.as_millis() as u64),
            decisions: errors.losses().count(),
            mean_loss: thousandths(errors.losses().mean()),
            error: Some(thousandths(errors.losses().error())).filter(|error| error.is_finite()),
            close_decisions: errors.close().count(),
            close_mean_loss: thousandths(errors.close().mean()),
            best: errors.best(),
            outside: errors.outside(),
        }
    }
}

impl Told<'_> {
    fn text(&self) -> String {
        let Self { decisions, mean_loss, close_decisions, close_mean_loss, best, outside, .. } = self;
        let error = self.error.map_or(String::new(), |error| format!(" ± {:.1}", 1.96 * error));
        format!(
            "decisions     {decisions}\n\
             mean loss     {mean_loss:.1}{error} thousandths of equity (95 %)\n\
             close ones    {close_mean_loss:.1} over {close_decisions}\n\
             best turn     {best}\n\
             outside       {outside} turns that were not in the set\n"
        )
    }
}

/// What turns outside the set are worth, kept in a file if one is named.
struct Cache {
    known: Vec<OutsideTurn>,
    path: Option<PathBuf>,
}

impl Cache {
    /// What is in the file already. A line that was torn is cut off: what it told of will be found out again.
    fn open(path: Option<&Path>) -> Result<Self, String> {
        let mut cache = Self { known: Vec::new(), path: path.map(Path::to_owned) };
        let Some(path) = path.filter(|path| path.exists()) else { return Ok(cache) };
        let shown = escaped(&path.to_string_lossy(), 200);
        let failed = |error| format!("{shown}: {error}");
        let bytes = fs::read(path).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        for (line, text) in (1..).zip(bytes[..whole].split_inclusive(|&byte| byte == b'\n')) {
            let turn = serde_json::from_slice(text);
            cache.known.push(turn.map_err(|_| format!("{shown}: line {line}: is no turn that was rolled out"))?);
        }
        if whole < bytes.len() {
            let file = OpenOptions::new().write(true).open(path).map_err(failed)?;
            file.set_len(whole as u64).map_err(failed)?;
        }
        Ok(cache)
    }

    fn loss(&self, decision: &KnownDecision, turn: Turn) -> Option<f64> {
        self.known.iter().find(|known| known.is(decision, turn)).map(|known| known.loss)
    }

    /// Keeps what is not known yet.
    fn add(&self, turn: &OutsideTurn) -> Result<(), String> {
        let Some(path) = &self.path else { return Ok(()) };
        let failed = |error| format!("{}: {error}", escaped(&path.to_string_lossy(), 200));
        let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.write_all(json_line(turn)?.as_bytes()).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::NetworkWeights;

    #[test]
    fn a_cache_that_was_torn_is_gone_on_with() {
        let path = std::env::temp_dir().join(format!("astragal-outside-{}.jsonl", std::process::id()));
        let turn = |number| {
            let (dfen, turn) = ("4r2k/8/8/8/8/8/8/4K3 w - - 0 1 KPP".to_owned(), "e1e2".to_owned());
            OutsideTurn { number, dfen, turn, games: 216, loss: 0.25, error: 0.001 }
        };
        let known = || Cache::open(Some(&path)).map(|cache| cache.known);
        let whole = json_line(&turn(1)).expect("it is JSON");
        fs::write(&path, format!("{whole}{}", &whole[..20])).expect("a folder for such files");
        Cache::open(Some(&path)).and_then(|cache| cache.add(&turn(2))).expect("it can be written");
        assert_eq!(known(), Ok(vec![turn(1), turn(2)]));
        fs::write(&path, format!("{whole}else\n")).expect("a folder for such files");
        assert!(known().is_err_and(|error| error.contains("line 2")));
        fs::remove_file(&path).expect("it is there");
        assert_eq!(known(), Ok(Vec::new()));
    }

    #[test]
    fn the_judge_is_the_one_that_the_set_names() {
        let folder = std::env::temp_dir().join(format!("astragal-judge-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder for such files");
        let bytes = include_bytes!("../eval/network/network.bin");
        let mut weights = NetworkWeights::from_bytes(bytes).expect("the built-in network");
        weights.output_bias ^= 1;
        let bytes = weights.to_bytes().expect("a network of that shape");
        let other = Network::from_bytes(&bytes).expect("what was written");
        let header = |player: String| SetHeader {
            format: SetHeader::FORMAT.to_owned(),
            version: SetHeader::VERSION,
            seed: 0,
            player,
            depth: 2,
            candidates: 5,
            turns: 8,
            error: 0.005,
            most: 216,
        };
        let errors = |judge: Option<&str>| ErrorsOf {
            file: folder.join("set.jsonl"),
            bot: "expectimax".to_owned(),
            options: Vec::new(),
            limit: Limit { depth: None, nodes: None, movetime: None },
            cache: None,
            judge: judge.map(|name| folder.join(name)),
            threads: None,
            json: false,
        };
        let judge = |name: Option<&str>, player: String| errors(name).judge(&header(player)).map(|found| found.id());
        assert_eq!(judge(None, SHIPPED.name()), Ok(SHIPPED.id()));
        assert!(judge(None, other.name()).is_err_and(|error| error.starts_with("--judge: say where network ")));
        fs::write(folder.join("set.network"), &bytes).expect("it can be written");
        fs::write(folder.join("named"), &bytes).expect("it can be written");
        assert_eq!(judge(None, other.name()), Ok(other.id()));
        assert_eq!(judge(Some("named"), other.name()), Ok(other.id()));
        assert!(judge(Some("named"), SHIPPED.name()).is_err_and(|error| error.contains("and the set was judged by")));
        assert!(judge(Some("missing"), other.name()).is_err_and(|error| error.contains("cannot be read")));
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
