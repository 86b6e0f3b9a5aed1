//! Ten thousand random interleavings of commands: every `go` is answered once, in order, with a turn that is legal in
//! its position, and `isready` is answered at once all the while.

use crate::common::engine::{Engine, Line, PATIENCE};
use crate::common::game;
use astragal::board::{Dice, Rolled};
use astragal::rules::below;
use astragal::rules::{Turn, TurnEnd, apply_roll, legal_turns};
use rand_chacha::ChaCha8Rng;
use rand_core::SeedableRng;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const INTERLEAVINGS: u64 = 10_000;

/// The two that stand for all others come more often.
const BOTS: [&str; 10] = [
    "expectimax",
    "greedy",
    "expectimax",
    "greedy",
    "expectimax",
    "monte-carlo",
    "aggressive",
    "greedy-v2",
    "checkmate-aware",
    "random",
];

/// Positions that have something special about them.
const SPECIAL: [&str; 8] = [
    // One outcome; a pass; captures of the king, at once and at the end of a turn; a game that is drawn.
    "k7/8/8/8/8/P7/8/K7 w - - 0 1 PNB",
    "k7/8/8/8/8/8/8/K7 b - - 0 1 pnb",
    "k7/8/8/8/8/8/8/K6R w - - 0 1 RRR",
    "4k3/8/8/8/8/8/pppppppp/R3K2R b - - 0 1 ppp",
    "4k3/8/8/8/8/8/8/R3K3 w Q - 120 90 RRK",
    // A turn under way, with targets of both sides.
    "4k3/8/8/2p1p3/1P1P1P2/8/8/4K3 w - c6e6 0 30 PP",
    // Promotions, and more outcomes than any game has.
    "8/PPPPPPPP/8/4k3/8/8/8/4K3 w - - 0 1 PPP",
    "kqqq4/qqqq4/qqqq4/qqqq4/4QQQQ/4QQQQ/4QQQQ/4QQQK w - - 0 1 QQQ",
];

/// A position that the engine can be told, and some of its legal turns.
struct Case {
    command: String,
    rolled: Rolled,
    turns: Vec<Turn>,
}

impl Case {
    fn new(rng: &mut ChaCha8Rng, command: String, rolled: Rolled) -> Self {
        let legal = legal_turns(&rolled);
        let turns = if legal.is_empty() { vec![] } else { (0..3).map(|_| *pick(rng, &legal)).collect() };
        Self { command, rolled, turns }
    }
}

fn pick<'a, T>(rng: &mut ChaCha8Rng, items: &'a [T]) -> &'a T {
    &items[below(rng, items.len() as u64) as usize]
}

/// Positions of random games, told in all the ways there are.
fn cases(rng: &mut ChaCha8Rng, count: usize) -> Vec<Case> {
    let mut cases = Vec::with_capacity(count);
    let (mut position, mut moves) = (game::start(), String::new());
    while cases.len() < count {
        let rolled = game::roll(rng, position);
        let legal = legal_turns(&rolled);
        let two = rolled.dice.iter().next().and_then(|die| rolled.dice.without(die)).unwrap_or_default();
        let fields = position.to_string();
        let fen = fields.trim_end_matches(" -");
        let (command, dice) = match below(rng, 6) {
            0 => (format!("position dfen {rolled}"), rolled.dice),
            1 => (format!("position fen {fen} dice {}", rolled.dice), rolled.dice),
            2 => (format!("position startpos{moves}"), Dice::NONE),
            3 => (format!("position startpos{moves} dice {two}"), two),
            _ => (format!("position startpos{moves} dice {}", rolled.dice), rolled.dice),
        };
        cases.push(Case::new(rng, command, Rolled { position, dice }));
        let turn = if legal.is_empty() { Turn::PASS } else { *pick(rng, &legal) };
        let with_roll = if below(rng, 2) == 0 { format!("{}:", rolled.dice) } else { String::new() };
        let first = if moves.is_empty() { " moves" } else { "" };
        match apply_roll(&rolled, turn) {
            Ok(TurnEnd::Position(next)) if !next.is_drawn() => {
                moves = format!("{moves}{first} {with_roll}{turn}");
                position = next;
            }
            Ok(_) => (position, moves) = (game::start(), String::new()),
            Err(error) => panic!("{rolled}: {turn}: {error}"),
        }
    }
    cases
}

/// What lets an answer out, other than `stop` and the next `go`.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    No,
    ByPonder,
    ByInfinite,
}

/// A `go` that has not been answered yet.
struct Order {
    command: String,
    rolled: Rolled,
    /// The turns of `searchmoves`.
    only: Vec<Turn>,
    held: Held,
    /// Whether the search ends by itself once it is not held back.
    ends: bool,
    /// When its answer was let out.
    released: Option<Instant>,
}

struct Gui {
    engine: Engine,
    rng: ChaCha8Rng,
    cases: Vec<Case>,
    current: usize,
    orders: VecDeque<Order>,
    pings: VecDeque<Instant>,
    latencies: Vec<Duration>,
    answered: [u64; 3],
}

impl Gui {
    fn below(&mut self, n: u64) -> u64 {
        below(&mut self.rng, n)
    }

    fn act(&mut self) {
        match self.below(16) {
            0..=2 => self.position(),
            3..=6 => self.go(),
            7..=8 => self.stop(),
            9..=10 => self.ponder_hit(),
            11..=13 => {
                self.pings.push_back(Instant::now());
                self.engine.send("isready");
            }
            14 => self.set_option(),
            _ => self.engine.send("ucinewgame"),
        }
        // Most commands come at once after one another, some in the middle of a search.
        let wait = if self.below(8) == 0 { Duration::from_micros(self.below(2000)) } else { Duration::ZERO };
        let end = Instant::now() + wait;
        while let Some(line) = self.engine.next(end.saturating_duration_since(Instant::now())) {
            self.hear(&line);
        }
    }

    fn position(&mut self) {
        let ordinary = (self.cases.len() - SPECIAL.len()) as u64;
        self.current = match self.below(100) {
            0..=7 => ordinary + self.below(SPECIAL.len() as u64),
            _ => self.below(ordinary),
        } as usize;
        self.engine.send(&self.cases[self.current].command);
    }

    fn go(&mut self) {
        let n = self.below(21);
        let (words, held, ends) = match self.below(12) {
            0 => ("depth 1".to_owned(), Held::No, true),
            1 => (format!("nodes {}", n * 50), Held::No, true),
            2 => (format!("depth 2 nodes {}", n * 50), Held::No, true),
            3 | 4 => (format!("movetime {n}"), Held::No, true),
            5 => (format!("wtime {n} btime {n} winc 1 binc 2000"), Held::No, true),
            6 => (format!("btime {} wtime {} movestogo {}", n * 3, n * 2, n % 3), Held::No, true),
            7 => ("infinite".to_owned(), Held::ByInfinite, false),
            8 => (format!("infinite ponder depth 1 movetime {n}"), Held::ByInfinite, false),
            9 => ("ponder".to_owned(), Held::ByPonder, false),
            10 => (format!("ponder movetime {n}"), Held::ByPonder, true),
            _ => (format!("wtime {n} ponder btime {n}"), Held::ByPonder, true),
        };
        let only = if self.below(4) == 0 { self.cases[self.current].turns.clone() } else { vec![] };
        let turns: String = only.iter().map(|turn| format!(" {turn}")).collect();
        // A turn that is never legal is passed over.
        let restriction = if only.is_empty() { String::new() } else { format!(" searchmoves a1a1{turns}") };
        let command = format!("go {words}{restriction}");
        let now = Instant::now();
        self.release(now);
        self.engine.send(&command);
        let rolled = self.cases[self.current].rolled;
        let released = if held == Held::No { Some(now) } else { None };
        self.orders.push_back(Order { command, rolled, only, held, ends, released });
    }

    fn stop(&mut self) {
        self.release(Instant::now());
        self.engine.send("stop");
        if let Some(order) = self.orders.back_mut() {
            order.ends = true;
        }
    }

    fn ponder_hit(&mut self) {
        if self.orders.back().is_some_and(|order| order.held == Held::ByPonder) {
            self.release(Instant::now());
        }
        self.engine.send("ponderhit");
    }

    /// The latest answer may come from now on.
    fn release(&mut self, now: Instant) {
        if let Some(order) = self.orders.back_mut() {
            order.released.get_or_insert(now);
        }
    }

    fn set_option(&mut self) {
        let n = self.below(5);
        let bot = BOTS[self.below(BOTS.len() as u64) as usize];
        let policy = ["empirical-v1", "legacy-linear-v1", "basic-v1", "hyatt-v1"][n as usize % 4];
        let time_use = ["fixed", "adaptive"][n as usize % 2];
        let option = match self.below(9) {
            0..=1 => format!("Bot value {bot}"),
            2 => format!("MultiPV value {}", n + 1),
            3 => format!("Seed value {n}"),
            4 => format!("Move Overhead value {}", n * 20),
            5 => format!("TimePolicy value {policy}"),
            6 => format!("TimeUse value {time_use}"),
            7 => format!("Auto Overhead value {}", n < 3),
            _ => format!("UCI_ShowWDL value {}", n < 3),
        };
        self.engine.send(&format!("setoption name {option}"));
    }

    fn hear(&mut self, line: &Line) {
        match line.text.split_once(' ') {
            None if line.text == "readyok" => {
                let asked = self.pings.pop_front().expect("a readyok that nobody asked for");
                self.latencies.push(line.at - asked);
            }
            Some(("bestmove", turn)) => self.check_answer(turn, line.at),
            Some(("info", rest)) => {
                // Turns that are not legal are named.
                let rest = rest.strip_prefix("string error searchmoves").unwrap_or(rest);
                let complaint = rest.starts_with("string error") || rest.starts_with("string unknown");
                assert!(!complaint, "{}", line.text);
            }
            _ => panic!("what is '{}'?", line.text),
        }
    }

    fn check_answer(&mut self, text: &str, at: Instant) {
        let order = self.orders.pop_front().expect("a bestmove that nobody asked for");
        let Order { command, rolled, only, held, released, .. } = order;
        let turn: Turn = text.parse().unwrap_or_else(|error| panic!("bestmove {text}: {error}"));
        if let Err(error) = apply_roll(&rolled, turn) {
            panic!("{rolled}, {command}: bestmove {turn}: {error}");
        }
        assert!(only.is_empty() || only.contains(&turn), "{rolled}, {command}: bestmove {turn}");
        let in_time = released.is_some_and(|released| released <= at);
        assert!(in_time, "{rolled}, {command}: an answer before it was let out");
        self.answered[held as usize] += 1;
    }

    /// Waits for every answer that is due.
    fn finish(&mut self) {
        if self.orders.back().is_some_and(|order| order.released.is_none() || !order.ends) {
            self.stop();
        }
        let give_up = Instant::now() + PATIENCE;
        while !self.orders.is_empty() || !self.pings.is_empty() {
            let left = give_up.saturating_duration_since(Instant::now());
            let Some(line) = self.engine.next(left) else {
                let missing: Vec<&str> = self.orders.iter().map(|order| &order.command[..]).collect();
                panic!("no answer to {missing:?} and {} isready", self.pings.len());
            };
            self.hear(&line);
        }
    }
}

#[test]
fn every_go_is_answered_once_in_order_and_legally() {
    let mut rng = ChaCha8Rng::seed_from_u64(0x0A57_4A6A);
    let mut cases = cases(&mut rng, 400);
    for dfen in SPECIAL {
        let rolled = Rolled::from_dfen(dfen).unwrap_or_else(|error| panic!("{dfen}: {error}"));
        cases.push(Case::new(&mut rng, format!("position dfen {dfen}"), rolled));
    }
    let engine = Engine::start();
    let (orders, pings) = (VecDeque::new(), VecDeque::new());
    let mut gui = Gui { engine, rng, cases, current: 0, orders, pings, latencies: vec![], answered: [0; 3] };
    // Without a clock nothing else bounds the rollouts.
    gui.engine.send("setoption name Rollouts value 1");
    gui.position();
    let started = Instant::now();
    let mut asked = 0;
    for _ in 0..INTERLEAVINGS {
        let before = gui.orders.len() + gui.answered.iter().sum::<u64>() as usize;
        for _ in 0..4 {
            gui.act();
        }
        gui.go();
        asked += gui.orders.len() + gui.answered.iter().sum::<u64>() as usize - before;
        // The others run on into the next one.
        if gui.below(2) == 0 || gui.orders.len() > 20 {
            gui.finish();
        }
    }
    gui.finish();
    let Gui { engine, mut latencies, answered, .. } = gui;
    assert!(engine.quit().is_empty(), "nothing comes after the last answer");
    assert_eq!(answered.iter().sum::<u64>(), asked as u64);
    assert!(answered.iter().all(|&count| count > INTERLEAVINGS / 10), "{answered:?}");

    latencies.sort();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    let late = latencies.iter().filter(|&&latency| latency > Duration::from_millis(50)).count();
    println!(
        "{asked} searches, {} readyok in {:.1?}: median {:.2?}, p99 {:.2?}, p99.9 {:.2?}, worst {:.2?}, {late} over 50 ms",
        latencies.len(),
        started.elapsed(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    // The engine shares the machine: one in a thousand may be held up by others.
    assert!(late * 1000 <= latencies.len(), "{late} of {} readyok took more than 50 ms", latencies.len());
    assert!(at(1.0) <= Duration::from_millis(500), "a readyok took {:?}", at(1.0));
}
