//! An engine double for the tests: it plays the first legal turn it finds, and misbehaves as its arguments say.
//!
//! `double <how> [<at which go, from 1>] [--pids FILE]`; the number is 1 if it is left out. With `--pids` it adds its
//! process id to a file when it starts. `double real` is the project's own engine.

use astragal::board::Rolled;
use astragal::rules::first_legal_turn;
use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::process::exit;
use std::thread::sleep;
use std::time::Duration;

struct Double {
    how: String,
    at: u64,
    asked: u64,
    /// Whether it ponders, and whether it has since its last turn.
    ponders: bool,
    pondered: bool,
    position: Option<Rolled>,
}

fn say(line: &str) {
    let mut output = std::io::stdout().lock();
    if writeln!(output, "{line}").and_then(|()| output.flush()).is_err() {
        exit(0);
    }
}

fn forever() -> ! {
    loop {
        sleep(Duration::from_secs(3600));
    }
}

/// Adds this process to the file of those started; returns how many there were before.
fn sign_in(path: &str) -> usize {
    let before = std::fs::read_to_string(path).unwrap_or_default().lines().count();
    let file = OpenOptions::new().append(true).create(true).open(path);
    // One write, so that engines which start together do not write into each other's lines.
    let line = format!("{}\n", std::process::id());
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.expect("the file of process ids can be written");
    before
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let mut starts_before = 0;
    if let Some(place) = words.iter().position(|word| word == "--pids") {
        starts_before = sign_in(&words[place + 1]);
        words.drain(place..place + 2);
    }
    let how = words.first().cloned().unwrap_or_else(|| "honest".to_owned());
    let at = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(1);
    match how.as_str() {
        "real" => {
            astragal::protocol::run(std::io::stdin(), std::io::stdout(), true).expect("the session runs");
            return;
        }
        "die-at-start" => {
            eprintln!("cannot find my network");
            exit(7);
        }
        // The first start is the arena's look at it, the second the first game's.
        "die-at-third-start" if starts_before >= 2 => exit(7),
        "mute" => forever(),
        _ => {}
    }
    let mut double = Double { how, at, asked: 0, ponders: false, pondered: false, position: None };
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        double.hear(&line);
    }
    if double.how == "immortal" {
        forever();
    }
}

impl Double {
    fn hear(&mut self, line: &str) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        match command {
            "uci" => {
                let hostile = self.how.starts_with("hostile");
                say(if hostile { "id name Ev\u{1b}[31mil\u{202e}\u{9b}2J" } else { "id name Double 1.0" });
                say("id author nobody");
                say("option name Level type spin default 1 min 0 max 9");
                say("option name Style type combo default Calm var Calm var Very Wild");
                say("option name TimePolicy type combo default none var none var basic-v1");
                say("uciok");
            }
            "isready" if self.how == "never-ready" => {}
            "isready" => say("readyok"),
            "position" => {
                self.position = rest.strip_prefix("dfen ").and_then(|dfen| Rolled::from_dfen(dfen).ok());
            }
            "ucinewgame" => self.pondered = true,
            "go" if rest.starts_with("ponder") => self.ponder(),
            "stop" if std::mem::take(&mut self.ponders) => say("bestmove 0000"),
            "go" => self.go(),
            "quit" if self.how == "immortal" => forever(),
            "quit" => exit(0),
            _ => {}
        }
    }

    /// Ponders as a `ponderer` is to be made to: before the opponent's roll, once between two turns.
    fn ponder(&mut self) {
        let unrolled = self.position.as_ref().is_some_and(|rolled| rolled.dice.is_empty());
        if self.how != "ponderer" || !unrolled || self.ponders {
            exit(9);
        }
        (self.ponders, self.pondered) = (true, true);
    }

    fn go(&mut self) {
        self.asked += 1;
        if self.ponders || self.how == "ponderer" && !std::mem::take(&mut self.pondered) {
            exit(9);
        }
        let turn = self.position.as_ref().map(first_legal_turn).unwrap_or(astragal::rules::Turn::PASS);
        say(&format!("info depth 1 score cp 0 nodes {} time 0", self.asked));
        let misbehave = self.asked == self.at;
        match self.how.as_str() {
            "slow" => sleep(Duration::from_millis(20)),
            "draw" => return say(&format!("bestmove {turn} draw")),
            "chatty" => (0..5000).for_each(|number| say(&format!("info string line {number}"))),
            _ => {}
        }
        match self.how.as_str() {
            "hostile" if misbehave => return say("bestmove \u{1b}]0;title\u{7}"),
            "hostile-crash" if misbehave => {
                eprintln!("\u{1b}[2J\u{1b}[H all is \u{202e}well\u{8}\u{8}");
                exit(3);
            }
            "crash" if misbehave => {
                eprintln!("thread 'main' panicked: a bad day");
                exit(3);
            }
            "crash-with-child" if misbehave => {
                // The child keeps our output open after we are gone.
                let child = std::process::Command::new("sleep").arg("3600").spawn();
                drop(child);
                exit(3);
            }
            "stall" if misbehave => forever(),
            "ignore-stop" if misbehave => return,
            "late" if misbehave => sleep(Duration::from_millis(400)),
            "illegal" if misbehave => return say("bestmove a1a8,a8a1"),
            "unreadable" if misbehave => return say("bestmove (none)"),
            "pass" if misbehave => return say("bestmove 0000"),
            "resign" if misbehave => return say("bestmove resign"),
            "twice" if misbehave => say(&format!("bestmove {turn}")),
            "close" if misbehave => exit(0),
            "flood" if misbehave => loop {
                say("what a beautiful day it is, and how much there is to say of it");
            },
            "long-line" if misbehave => say(&"x".repeat(10_000_000)),
            _ => {}
        }
        say(&format!("bestmove {turn}"));
    }
}
