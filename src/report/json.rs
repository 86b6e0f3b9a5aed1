//! Reviews as JSON, one line a game, for programs. `docs/review.md` describes the fields.
//!
//! The types are read as well as written: the quiz is made of what a review has written.

use super::text::pooled_level;
use crate::board::Color;
use crate::record::LINEAR_EVALUATION;
use crate::review::{
    Decision, GameReview, Interval, Level, Mark, PoolRow, ReviewSettings, SideSummary, Stage, TurnReview,
};
use serde::{Deserialize, Serialize};

/// The number of the schema. It goes up when a reader of the old one would misread the new one; new fields alone do not
/// change it.
pub const SCHEMA: u32 = 1;

/// A line of a review.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum ReviewLine {
    /// A game.
    Game(Box<GameJson>),
    /// The players over all games; the last line, if there were several games.
    Players {
        /// [`SCHEMA`].
        schema: u32,
        /// Who lost least first.
        players: Vec<PlayerJson>,
    },
}

/// What a review was made with.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BasisJson {
    /// The evaluation that all numbers rest on.
    pub evaluation: String,
    /// Turns looked ahead; null with a time limit.
    pub depth: Option<u32>,
    /// The time limit of a turn, in milliseconds.
    pub time_ms: Option<u64>,
    /// Games of a rollout of either turn, where there were rollouts.
    pub rollout_games: Option<u32>,
    /// How close to the border of a mark a loss is that is rolled out, in equity.
    pub rollout_margin: f64,
    /// The seed of the rollouts.
    pub seed: u64,
    /// The marks, with the loss in equity from which each is given.
    pub marks: Vec<(String, f64)>,
}

/// The review of a game. Equities are −1..=1; those of the game are White's, those of a turn the player's.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameJson {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Its place in its source, from 1, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<u64>,
    /// The number that it was given, from 1: in a journal that of the schedule.
    pub number: u64,
    /// What others call it.
    pub id: Option<String>,
    /// White.
    pub white: String,
    /// Black.
    pub black: String,
    /// The first position, as DFEN.
    pub opening: String,
    /// White's result: 1, 0 or −1; null without one.
    pub result: Option<f64>,
    /// How it ended, in the words of the journal.
    pub end: String,
    /// Whether all turns were reviewed.
    pub complete: bool,
    /// What the review was made with.
    pub basis: BasisJson,
    /// The sums.
    pub account: AccountJson,
    /// White and Black.
    pub sides: [SideJson; 2],
    /// Every roll.
    pub turns: Vec<TurnReviewJson>,
}

/// [`crate::review::Account`].
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct AccountJson {
    /// What the first position was worth.
    pub start: f64,
    /// White's luck less Black's.
    pub luck: f64,
    /// Black's loss less White's.
    pub play: f64,
    /// White's revaluations less Black's.
    pub revaluation: f64,
    /// What is left at the end.
    pub last: f64,
    /// All together.
    pub sum: f64,
}

/// The play of a side.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SideJson {
    /// Turns played.
    pub turns: u32,
    /// Those with nothing to choose.
    pub forced: u32,
    /// Those with something to choose.
    pub decisions: u32,
    /// What they lost together, in equity.
    pub loss: f64,
    /// What they lost on the mean, in thousandths of equity; null without decisions.
    pub mean_loss: Option<f64>,
    /// The stages of the game.
    pub stages: Vec<StageJson>,
    /// Turns with each mark.
    pub marks: Vec<(String, u32)>,
    /// King captures missed.
    pub missed_captures: u32,
    /// The luck of all rolls.
    pub luck: f64,
}

/// A side in a stage of the game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StageJson {
    /// The pieces on the board.
    pub pieces: String,
    /// Turns with something to choose.
    pub decisions: u32,
    /// What they lost on the mean, in thousandths of equity.
    pub mean_loss: Option<f64>,
}

/// A turn.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TurnReviewJson {
    /// Its number in the game, from 1, both sides counted.
    pub ply: usize,
    /// `white` or `black`.
    pub side: String,
    /// The position with its dice.
    pub dfen: String,
    /// The dice in the order thrown, where that is known.
    pub thrown: Option<String>,
    /// What the position was worth before the roll.
    pub equity: f64,
    /// What the roll was worth beyond that.
    pub luck: f64,
    /// What was made of it; null if the game ended before.
    pub decision: Option<DecisionJson>,
}

/// What was made of a roll.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionJson {
    /// The turn played.
    pub turn: String,
    /// The best turn; the one played if that is as good.
    pub best: String,
    /// What the turn played is worth.
    pub value: f64,
    /// What the best turn is worth.
    pub best_value: f64,
    /// The one less the other.
    pub loss: f64,
    /// The mark by the loss; null for none, and for forced turns.
    pub mark: Option<String>,
    /// Turns that both were searched ahead.
    pub depth: u32,
    /// Legal turns, every order of micro-moves counted.
    pub turns: u64,
    /// Different positions they led to.
    pub outcomes: usize,
    /// Whether there was nothing to choose.
    pub forced: bool,
    /// What is left between the value of the turn and the equity after it.
    pub revaluation: f64,
    /// Throws of 216 that capture the own king next.
    pub danger: DangerJson,
    /// Whether the turn captured the king.
    pub captured: bool,
    /// Whether the king could have been captured.
    pub missed_capture: bool,
    /// The closer look, if there was one.
    pub rollout: Option<RolloutJson>,
}

/// Throws of 216 that capture the own king next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DangerJson {
    /// If the player had passed.
    pub before: u32,
    /// After the turn played.
    pub after: u32,
    /// After the best turn.
    pub best: u32,
}

/// A closer look by rollouts; the values of the decision are by it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RolloutJson {
    /// Games from either turn.
    pub games: u32,
    /// The loss by the search before.
    pub loss_before: f64,
    /// The standard error of the loss.
    pub error: f64,
}

/// A player over several games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PlayerJson {
    /// The name.
    pub name: String,
    /// Games.
    pub games: usize,
    /// The play over all games.
    pub play: SideJson,
    /// The mean loss of a decision in thousandths of equity.
    pub mean_loss: Option<IntervalJson>,
    /// The level by it, from 10 games on.
    pub level: Option<String>,
    /// The mean result, −1..=1.
    pub result: Option<IntervalJson>,
    /// The same with the luck of both players taken out.
    pub without_luck: Option<IntervalJson>,
}

/// A value with its 95 % interval.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct IntervalJson {
    /// The value.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl BasisJson {
    /// What a review is made with. `time_ms` is the limit of a turn under [`Level::Timed`].
    pub fn of(settings: &ReviewSettings, time_ms: Option<u64>) -> Self {
        Self {
            evaluation: LINEAR_EVALUATION.to_owned(),
            depth: match settings.level {
                Level::Depth(depth) => Some(depth),
                Level::Timed => None,
            },
            time_ms,
            rollout_games: settings.rollout_games,
            rollout_margin: settings.rollout_margin,
            seed: settings.seed,
            marks: crate::review::MARKS.iter().map(|&(mark, from)| (mark.signs().to_owned(), from)).collect(),
        }
    }
}

impl SideJson {
    fn of(sum: &SideSummary) -> Self {
        let stage = |(stage, part): (Stage, &crate::review::StageSummary)| StageJson {
            pieces: stage.name().to_owned(),
            decisions: part.decisions,
            mean_loss: part.mean_loss(),
        };
        Self {
            turns: sum.turns,
            forced: sum.forced,
            decisions: sum.all.decisions,
            loss: sum.all.loss,
            mean_loss: sum.all.mean_loss(),
            stages: Stage::ALL.into_iter().zip(&sum.stages).map(stage).collect(),
            marks: Mark::ALL.iter().zip(sum.marks).map(|(mark, count)| (mark.signs().to_owned(), count)).collect(),
            missed_captures: sum.missed_captures,
            luck: sum.luck,
        }
    }
}

impl DecisionJson {
    fn of(decision: &Decision) -> Self {
        let danger = decision.danger;
        Self {
            turn: decision.turn.to_string(),
            best: decision.best.to_string(),
            value: decision.value,
            best_value: decision.best_value,
            loss: decision.loss(),
            mark: decision.mark().map(|mark| mark.signs().to_owned()),
            depth: decision.depth,
            turns: decision.turns,
            outcomes: decision.outcomes,
            forced: decision.is_forced(),
            revaluation: decision.revaluation,
            danger: DangerJson { before: danger.before, after: danger.after, best: danger.best },
            captured: decision.captured,
            missed_capture: decision.missed_capture,
            rollout: decision.rollout.map(|look| RolloutJson {
                games: look.games,
                loss_before: look.loss_before,
                error: look.error,
            }),
        }
    }
}

impl TurnReviewJson {
    fn of(turn: &TurnReview) -> Self {
        Self {
            ply: turn.ply,
            side: turn.side().to_string().to_lowercase(),
            dfen: turn.rolled.to_string(),
            thrown: turn.thrown.clone(),
            equity: turn.equity,
            luck: turn.luck,
            decision: turn.decision.as_ref().map(DecisionJson::of),
        }
    }
}

/// The line of a game.
pub fn game_json(review: &GameReview, basis: &BasisJson) -> ReviewLine {
    let account = review.account();
    ReviewLine::Game(Box::new(GameJson {
        schema: SCHEMA,
        place: None,
        number: review.number.saturating_add(1),
        id: review.id.clone(),
        white: review.names[0].clone(),
        black: review.names[1].clone(),
        opening: review.opening.clone(),
        result: review.result,
        end: review.end.name().to_owned(),
        complete: review.complete,
        basis: basis.clone(),
        account: AccountJson {
            start: account.start,
            luck: account.luck,
            play: account.play,
            revaluation: account.revaluation,
            last: account.last,
            sum: account.sum(),
        },
        sides: [Color::White, Color::Black].map(|side| SideJson::of(&SideSummary::of(review, side))),
        turns: review.turns.iter().map(TurnReviewJson::of).collect(),
    }))
}

/// The line of the players.
pub fn players_json(rows: &[PoolRow]) -> ReviewLine {
    let interval = |interval: Interval| IntervalJson { value: interval.value, low: interval.low, high: interval.high };
    let player = |row: &PoolRow| PlayerJson {
        name: row.name.clone(),
        games: row.games,
        play: SideJson::of(&row.summary),
        mean_loss: row.mean_loss.map(interval),
        level: pooled_level(row).map(str::to_owned),
        result: row.result.map(interval),
        without_luck: row.without_luck.map(interval),
    };
    ReviewLine::Players { schema: SCHEMA, players: rows.iter().map(player).collect() }
}
