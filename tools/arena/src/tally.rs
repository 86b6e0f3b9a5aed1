//! What reports need of a game, small enough to keep for every game of an event, and sums of it.

use crate::record::{EndKind, Game};
use crate::stats::sprt::{SprtParameters, SprtRun, Verdict};
use std::collections::BTreeMap;

/// One side's part of a game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SideSummary {
    /// Rolls thrown, the forced passes among them.
    pub rolls: u32,
    /// Rolls with which nothing could move.
    pub passes: u32,
    /// Turns that were asked for and timed.
    pub timed_turns: u32,
    /// Time of those turns, in milliseconds.
    pub time_ms: f64,
    /// The longest of them.
    pub longest_ms: f64,
    /// The lowest that its clock stood at after a turn.
    pub lowest_clock_ms: Option<i64>,
    /// Positions it reports to have evaluated.
    pub nodes: u64,
    /// Its luck over all its rolls, from its own view.
    pub luck: f64,
}

/// A game in short.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameSummary {
    /// Its number.
    pub number: u64,
    /// The number of its pair.
    pub pair: u64,
    /// 0 or 1.
    pub half: u8,
    /// The players of White and Black.
    pub players: [usize; 2],
    /// White's points.
    pub result: f64,
    /// How it ended.
    pub end: EndKind,
    /// Through whom.
    pub end_player: Option<usize>,
    /// The parts of White and Black.
    pub sides: [SideSummary; 2],
    /// The luck of all rolls from White's view; none if it was not computed.
    pub luck: Option<f64>,
}

impl From<&Game> for GameSummary {
    fn from(game: &Game) -> Self {
        let mut sides = [SideSummary::default(); 2];
        // Who is to move alternates, forced passes included, so the opening's side decides.
        let black_first = game.opening.split(' ').nth(1) == Some("b");
        for (number, ply) in game.plies.iter().enumerate() {
            let black = (number % 2 == 1) != black_first;
            let side = &mut sides[usize::from(black)];
            side.rolls += 1;
            side.passes += u32::from(ply.passed);
            if let Some(ms) = ply.time_ms {
                side.timed_turns += 1;
                side.time_ms += ms;
                side.longest_ms = side.longest_ms.max(ms);
            }
            side.lowest_clock_ms = [side.lowest_clock_ms, ply.clock_left_ms].into_iter().flatten().min();
            side.nodes += ply.nodes.unwrap_or(0);
            let luck = ply.luck.unwrap_or(0.0);
            side.luck += if black { -luck } else { luck };
        }
        Self {
            number: game.number,
            pair: game.pair,
            half: game.half,
            players: [game.white, game.black],
            result: game.result,
            end: game.end.kind,
            end_player: game.end.player,
            sides,
            luck: game.luck(),
        }
    }
}

impl GameSummary {
    /// That player's points, if it took part.
    pub fn points(&self, player: usize) -> Option<f64> {
        match self.players {
            [white, _] if white == player => Some(self.result),
            [_, black] if black == player => Some(1.0 - self.result),
            _ => None,
        }
    }

    /// The luck of all rolls from that player's view.
    pub fn luck_of(&self, player: usize) -> Option<f64> {
        self.luck.map(|luck| if self.players[0] == player { luck } else { -luck })
    }
}

/// A complete pair from the view of the player who had White in its first half.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairSummary {
    /// Its number.
    pub pair: u64,
    /// The player it is seen from.
    pub player: usize,
    /// The other one.
    pub opponent: usize,
    /// The player's points in both halves.
    pub points: [f64; 2],
    /// The luck of both halves from the player's view.
    pub luck: [Option<f64>; 2],
}

/// The complete pairs in order; games must be those of an event with mirrored pairs.
pub fn pairs(games: &[GameSummary]) -> Vec<PairSummary> {
    let mut halves: BTreeMap<u64, [Option<&GameSummary>; 2]> = BTreeMap::new();
    for game in games {
        halves.entry(game.pair).or_default()[usize::from(game.half.min(1))] = Some(game);
    }
    halves.into_values().filter_map(|halves| PairSummary::of(halves[0]?, halves[1]?)).collect()
}

impl PairSummary {
    /// A pair of its halves; none if they are not two halves of a pair.
    pub fn of(first: &GameSummary, second: &GameSummary) -> Option<Self> {
        let [player, opponent] = first.players;
        if second.players != [opponent, player] || first.pair != second.pair {
            return None;
        }
        Some(Self {
            pair: first.pair,
            player,
            opponent,
            points: [first.result, 1.0 - second.result],
            luck: [first.luck_of(player), second.luck_of(player)],
        })
    }
}

/// Says after each pair whether the sequential test of a match is decided; never where there is none.
#[derive(Clone, Debug)]
pub struct StoppingRule(Option<SprtRun>);

impl StoppingRule {
    /// A rule that has seen nothing.
    pub fn new(test: Option<SprtParameters>) -> Self {
        Self(test.map(SprtRun::new))
    }

    /// Takes the next pair in the order of the schedule; whether the match ends with it.
    pub fn stops(&mut self, pair: &PairSummary) -> bool {
        let mean = |[one, two]: [f64; 2]| (one + two) / 2.0;
        let luck = pair.luck[0].zip(pair.luck[1]).map(|(one, two)| mean([one, two]));
        self.0.as_mut().is_some_and(|run| {
            run.push(mean(pair.points), luck);
            run.deciding().is_some_and(|state| state.verdict != Verdict::Continue)
        })
    }
}

/// What a player did over many games.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerTally {
    /// Games won, drawn and lost.
    pub results: [u64; 3],
    /// How the games ended that ended through this player (draws have none), by kind.
    pub ends: BTreeMap<EndKind, u64>,
    /// Its turns, rolls, times and luck.
    pub sums: SideSums,
}

/// Sums over one player's sides.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SideSums {
    /// Rolls.
    pub rolls: u64,
    /// Forced passes.
    pub passes: u64,
    /// Timed turns.
    pub timed_turns: u64,
    /// Their time in milliseconds.
    pub time_ms: f64,
    /// The longest.
    pub longest_ms: f64,
    /// The lowest clock.
    pub lowest_clock_ms: Option<i64>,
    /// Positions.
    pub nodes: u64,
    /// Luck from the own view, and the number of rolls it was computed for.
    pub luck: f64,
    /// Rolls whose luck was computed.
    pub luck_rolls: u64,
}

impl PlayerTally {
    /// Its points.
    pub fn points(&self) -> f64 {
        self.results[0] as f64 + self.results[1] as f64 / 2.0
    }

    /// Its games.
    pub fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// The tallies of `players` players.
    pub fn of_all(games: &[GameSummary], players: usize) -> Vec<Self> {
        let mut tallies = vec![Self::default(); players];
        for game in games {
            for (side, &player) in game.players.iter().enumerate() {
                let Some(tally) = tallies.get_mut(player) else { continue };
                let points = if side == 0 { game.result } else { 1.0 - game.result };
                let place = if points > 0.75 {
                    0
                } else if points > 0.25 {
                    1
                } else {
                    2
                };
                tally.results[place] += 1;
                if game.end_player == Some(player) {
                    *tally.ends.entry(game.end).or_default() += 1;
                }
                tally.sums.add(&game.sides[side], game.luck.is_some());
            }
        }
        tallies
    }
}

impl SideSums {
    /// Adds a game's side.
    fn add(&mut self, side: &SideSummary, with_luck: bool) {
        self.rolls += u64::from(side.rolls);
        self.passes += u64::from(side.passes);
        self.timed_turns += u64::from(side.timed_turns);
        self.time_ms += side.time_ms;
        self.longest_ms = self.longest_ms.max(side.longest_ms);
        self.lowest_clock_ms = [self.lowest_clock_ms, side.lowest_clock_ms].into_iter().flatten().min();
        self.nodes += side.nodes;
        if with_luck {
            self.luck += side.luck;
            self.luck_rolls += u64::from(side.rolls);
        }
    }
}
