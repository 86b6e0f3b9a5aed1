//! Makes the evaluations: plays games of the engine against itself, fits the tables of `src/eval/weights.rs` to how they
//! go on, and trains the network.

mod decisions;
mod features;
mod fit;
mod layout;
mod net;
mod packed;
mod placement;
mod play;
mod samples;
mod start;
mod tables;
mod targets;

use clap::{Parser, Subcommand};
use std::error::Error;
use std::process::ExitCode;

/// Makes the evaluations out of games of the engine against itself.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Plays games of an evaluation against itself, one turn deep, and writes their positions
    Play(play::Play),
    /// Fits the weights of the linear evaluation to such positions and writes them as Rust source
    Fit(fit::Fit),
    /// Trains the network on such positions
    Net(net::Net),
    /// Takes decisions from games and rolls their best turns out, to measure bots against
    Decisions(decisions::Decisions),
    /// Tells how well the evaluations predict the games that the network has not seen, as Markdown
    Card(net::Card),
    /// Writes a network as an ONNX model that says the same
    Export(net::Export),
}

impl Command {
    fn run(&self) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Play(play) => play.run(),
            Self::Fit(fit) => fit.run(),
            Self::Net(net) => net.run(),
            Self::Decisions(decisions) => decisions.run(),
            Self::Card(card) => card.run(),
            Self::Export(export) => export.run(),
        }
    }
}

fn main() -> ExitCode {
    match Arguments::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use astragal::eval::network::Network;
    use astragal::review::DecisionSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn run(words: &[&str]) -> Result<(), String> {
        let arguments = Arguments::try_parse_from(["train"].iter().chain(words)).map_err(|error| error.to_string())?;
        arguments.command.run().map_err(|error| error.to_string())
    }

    fn play(out: &Path, threads: &str, shard: &str) {
        let out = out.to_str().unwrap();
        run(&["play", "--games", "60", "--seed", "5", "--threads", threads, "--shard", shard, "--out", out]).unwrap();
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("astragal-train-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn games_are_gone_on_with_and_shards_share_them_out() {
        let folder = folder("play");
        let (whole, cut) = (folder.join("whole.bin"), folder.join("cut.bin"));
        play(&whole, "2", "0/1");
        let bytes = fs::read(&whole).unwrap();
        // The end of the program in the middle of a record of a game.
        fs::write(&cut, &bytes[..bytes.len() / 2 + 7]).unwrap();
        play(&cut, "1", "0/1");
        assert!(fs::read(&cut).unwrap() == bytes, "what was gone on with is what was played at once");

        let mut games = Vec::new();
        for shard in ["0/2", "1/2"] {
            let part = folder.join("part.bin");
            let _ = fs::remove_file(&part);
            play(&part, "1", shard);
            packed::read(&part, |sample| games.push((sample.game, sample.turn, sample.deeper.to_bits()))).unwrap();
        }
        games.sort_unstable();
        let mut expected = Vec::new();
        packed::read(&whole, |sample| expected.push((sample.game, sample.turn, sample.deeper.to_bits()))).unwrap();
        assert_eq!(games, expected);

        let other = run(&["play", "--games", "60", "--seed", "6", "--out", whole.to_str().unwrap()]);
        assert!(other.is_err_and(|error| error.contains("not positions of this seed")));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn decisions_are_gone_on_with_and_shards_share_them_out() {
        let folder = folder("decisions");
        let made = |name: &str, more: &[&str]| {
            let out = folder.join(name);
            let words = ["decisions", "--count", "3", "--seed", "4", "--error", "1", "--out", out.to_str().unwrap()];
            run(&[&words[..], more].concat()).map(|()| fs::read_to_string(&out).unwrap())
        };
        let whole = made("whole", &["--threads", "2"]).unwrap();
        let set = DecisionSet::read(whole.as_bytes()).unwrap();
        assert_eq!(set.decisions.iter().map(|decision| decision.number).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(set.decisions.iter().all(|decision| (2..=5).contains(&decision.turns.len())));
        // The end of the program in the middle of a line.
        fs::write(folder.join("cut"), &whole[..whole.len() * 2 / 3]).unwrap();
        assert!(made("cut", &["--threads", "1"]).unwrap() == whole);
        let part = made("part", &["--shard", "1/2"]).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(part.lines().collect::<Vec<_>>(), [lines[0], lines[2]]);
        assert!(made("whole", &["--seed", "5"]).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn training_repeats_to_the_same_file_with_any_number_of_threads() {
        let folder = folder("net");
        let (games, net) = (folder.join("games.bin"), folder.join("net"));
        play(&games, "2", "0/1");
        let train = |threads: &str| {
            let (games, net) = (games.to_str().unwrap(), net.to_str().unwrap());
            run(&["net", games, "--out", net, "--epochs", "2", "--batch", "64", "--threads", threads]).unwrap();
            fs::read(net).unwrap()
        };
        let one = train("1");
        assert!(one == train("3"));
        Network::from_bytes(&one).unwrap();
        // A network is gone on with: after an epoch of tiny steps it is what it was.
        let (games, on) = (games.to_str().unwrap(), folder.join("on"));
        let (from, on) = (net.to_str().unwrap(), on.to_str().unwrap());
        run(&["net", games, "--out", on, "--epochs", "1", "--rate", "1e-9", "--from", from]).unwrap();
        assert!(fs::read(on).unwrap() == one);
        assert!(run(&["net", games, "--out", on, "--from", games]).is_err_and(|error| error.contains("no network")));
        assert!(run(&["net", games, "--out", on, "--from", from, "--second", "16"]).is_err());
        assert!(run(&["net", net.to_str().unwrap(), "--out", "/nowhere"]).is_err_and(|error| error.contains("packed")));
        fs::remove_dir_all(&folder).unwrap();
    }
}
