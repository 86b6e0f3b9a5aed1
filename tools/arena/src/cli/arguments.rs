//! The raw arguments.

use crate::record::{DrawRule, ResignRule, Shard};
use crate::spec::{Each, is_name};
use crate::stats::sprt::SprtParameters;
use astragal::record::Control;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Matches and tournaments between Dice Chess engines.
///
/// Players: builtin:BOT, cmd:'PATH AND ARGUMENTS', both with options as ?name=value&name=value, or
/// webhook:URL?secret=…; name=… and tc=… among the options give a player its name and its own time control.
#[derive(Parser, Debug)]
#[command(version)]
pub struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    #[command(flatten)]
    Play(Event),
    /// Play one part of an event that is split over machines; `arena merge` makes one journal of theirs.
    Shard {
        /// Which part of how many, such as 1/4.
        #[arg(value_parser = parse_shard)]
        part: Shard,
        #[command(subcommand)]
        event: Event,
    },
    /// Compute the report anew from journals, those of shards merged.
    Stats(StatsArguments),
    /// Tell how the players of journals spent their clocks.
    Clocks {
        /// The journals; they may be of different events.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Also draw what was left at the end of games into this file.
        #[arg(long)]
        svg: Option<PathBuf>,
    },
    /// List the games of journals, one a line.
    Games {
        /// The journals; they may be of different events.
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Show a game of a journal, every turn checked.
    Replay {
        /// The journal.
        file: PathBuf,
        /// The number of the game, from 1.
        #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
        game: u64,
        /// Show the board before every roll.
        #[arg(long)]
        boards: bool,
    },
    /// Put the journals of parts of one event together into one, in the order of its games.
    Merge {
        /// The journals.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The file to write, which must not exist.
        #[arg(long)]
        out: PathBuf,
    },
    /// Make an opening book from the games of journals and write it to standard output, or to a file.
    Book {
        /// The journals.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Take this many turns of each player from the beginning of each game.
        #[arg(long, default_value_t = 6)]
        turns: u32,
        /// Take turns that were played in at least this many games.
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
        games: u32,
        /// The file to write.
        #[arg(long)]
        out: Option<PathBuf>,
    },
    /// Check that an engine keeps the protocol: a table of steps; the exit code is 0 if all are passed.
    Check {
        /// The engine: a path and arguments, with or without cmd: before it.
        command: String,
        /// Seconds to wait for each answer.
        #[arg(long, default_value_t = 5.0, value_parser = parse_seconds)]
        patience: f64,
    },
}

/// Players are texts here: what refuses an argument also prints it, and specs hold secrets.
#[derive(Subcommand, Debug)]
pub(super) enum Event {
    /// Two players against each other.
    Match {
        /// The first player.
        a: String,
        /// The second player.
        b: String,
        /// The first player's time policy.
        #[arg(long)]
        a_time_policy: Option<String>,
        /// The second player's time policy.
        #[arg(long)]
        b_time_policy: Option<String>,
        #[command(flatten)]
        settings: Settings,
    },
    /// The first player against each of the others.
    Gauntlet {
        /// The players.
        #[arg(required = true, num_args = 2..)]
        players: Vec<String>,
        #[command(flatten)]
        settings: Settings,
    },
    /// Everybody against everybody.
    RoundRobin {
        /// The players.
        #[arg(required = true, num_args = 2..)]
        players: Vec<String>,
        #[command(flatten)]
        settings: Settings,
    },
}

#[derive(Args, Debug)]
pub(super) struct Settings {
    /// Games of each pairing. With --resume an event can be made longer.
    #[arg(long, default_value_t = 100)]
    pub games: u64,
    /// What the event is called in reports.
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub event_name: Option<String>,
    /// Options for all players, such as 'Hash=16&Threads=1'; what a player's spec says itself comes first.
    #[arg(long, value_name = "OPTIONS", default_value = "", hide_default_value = true)]
    pub each: Each,
    /// Games at the same time; by default one less than there are cores.
    #[arg(long)]
    pub concurrency: Option<usize>,
    /// Allow more games at the same time than that.
    #[arg(long)]
    pub force_concurrency: bool,
    /// The seed of the dice.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// A file of starting positions, one DFEN (without dice) a line; # begins a comment.
    #[arg(long)]
    pub openings: Option<PathBuf>,
    /// The time control: 60+0.6, 40/60, 60+0d2 (delay), st=0.2 (a turn), depth=2, nodes=10000; times in seconds.
    /// A player has its own with ?tc=… in its spec.
    #[arg(long, conflicts_with = "untimed")]
    pub tc: Option<Control>,
    /// No clock: every player decides for itself when it has thought enough. Repeats bit for bit where the players do.
    #[arg(long)]
    pub untimed: bool,
    /// Play games that are not in pairs with the same dice and colours swapped.
    #[arg(long)]
    pub no_mirror: bool,
    /// Milliseconds below zero that a clock forgives.
    #[arg(long, default_value_t = 0)]
    pub margin: u64,
    /// Adjudicate a loss: centipawns behind in both players' opinion, and own turns in a row (1500,4).
    #[arg(long, value_name = "CP,TURNS")]
    pub adjudicate_loss: Option<ResignRule>,
    /// Adjudicate a draw: the first move, the most centipawns either way, and own turns in a row (60,20,8).
    #[arg(long, value_name = "MOVE,CP,TURNS")]
    pub adjudicate_draw: Option<DrawRule>,
    /// Stop a match in mirrored pairs when a sequential test of its results is decided: elo0,elo1,alpha,beta, such as
    /// 0,10,0.05,0.05 (also 0,10); with luck after it (0,10,luck) the test is of the luck-adjusted results.
    #[arg(long, allow_hyphen_values = true, value_name = "TEST")]
    pub sprt: Option<SprtParameters>,
    /// Do not compute the luck of every roll (which takes time after each game).
    #[arg(long)]
    pub no_luck: bool,
    /// Stop when a player's program crashes, stalls or breaks the protocol.
    #[arg(long)]
    pub no_recover: bool,
    /// Seconds that an engine has for the answers to uci and isready.
    #[arg(long, default_value_t = 10.0, value_parser = parse_seconds)]
    pub handshake_timeout: f64,
    /// Seconds after the fall of a flag until an engine counts as stalled.
    #[arg(long, default_value_t = 3.0, value_parser = parse_seconds)]
    pub grace: f64,
    /// Seconds that an engine has for a turn when nothing is timed.
    #[arg(long, default_value_t = 600.0, value_parser = parse_seconds)]
    pub stall_timeout: f64,
    /// Write all traffic with programs to the end of this file.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Write a journal: one JSON line a game.
    #[arg(long)]
    pub journal: Option<PathBuf>,
    /// Go on with the journal, if there is one.
    #[arg(long, requires = "journal")]
    pub resume: bool,
    #[command(flatten)]
    pub outputs: Outputs,
}

#[derive(Args, Debug)]
pub(super) struct StatsArguments {
    /// The journals.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Another sequential test than that of the journals: elo0,elo1,alpha,beta or elo0,elo1. It is told for results as
    /// they are and luck-adjusted; raw or luck after it says which of the two counts.
    #[arg(long, allow_hyphen_values = true, value_name = "TEST")]
    pub sprt: Option<SprtParameters>,
    /// What the event is called in the report, in place of what the journals say.
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub event_name: Option<String>,
    #[command(flatten)]
    pub outputs: Outputs,
}

/// Where reports go besides standard output.
#[derive(Args, Debug)]
pub(super) struct Outputs {
    /// Write the report as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Write the report as a page with plots, one file that needs no other.
    #[arg(long)]
    pub html: Option<PathBuf>,
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((index, count)) if (1..=count).contains(&index) => Ok(Shard { index, count }),
        _ => Err("say 1/n to n/n".to_owned()),
    }
}

fn parse_name(text: &str) -> Result<String, String> {
    if is_name(text) { Ok(text.to_owned()) } else { Err("say a name of 1 to 60 characters".to_owned()) }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("say seconds, at most a day".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
