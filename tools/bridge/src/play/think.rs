//! Choosing a turn: the engine's if it comes in time and is legal, else one that is.

use super::Shared;
use crate::api::{MoveList, Tree};
use crate::decide::EngineTime;
use crate::engine::{Thought, Worker, instant_turn};
use astragal::board::Rolled;
use astragal::rules::{Turn, apply_roll, first_legal_turn, legal_turns};

/// Turns of a tree that are looked through for one that suits.
const MOST_TURNS: usize = 2000;

/// What is to be played.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choice {
    /// The micro-moves; none if there is nothing to play.
    pub moves: Vec<String>,
    /// What the engine thought.
    pub thought: Option<Thought>,
    /// Whether the engine gives the game up.
    pub resigns: bool,
    /// Why the turn is not the engine's.
    pub fallback: Option<&'static str>,
}

fn words(turn: &Turn) -> Vec<String> {
    turn.moves().iter().map(ToString::to_string).collect()
}

fn holds(tree: &Tree, moves: &[String]) -> bool {
    tree.holds(moves.iter().map(String::as_str))
}

/// Chooses a turn for a position with dice. `refused` are those that the server has not taken for this roll.
pub async fn choose(
    shared: &Shared,
    id: &str,
    worker: &Worker,
    dfen: &str,
    tree: Option<&Tree>,
    refused: &[Vec<String>],
    time: EngineTime,
) -> Choice {
    let Ok(rolled) = Rolled::from_dfen(dfen) else {
        shared.alarm("position", &format!("game {id}: this position is none by our rules: {}", dfen.escape_default()));
        return from_server(shared, id, tree, refused).await;
    };
    if first_legal_turn(&rolled).is_empty() {
        // By our rules it is a pass. If the server sees turns, one of them is played.
        if tree.is_some_and(|tree| !tree.is_pass()) {
            shared.alarm(
                "tree",
                &format!("game {id}: the server has turns where we see none: {}", dfen.escape_default()),
            );
        }
        return from_server(shared, id, tree, refused).await;
    }
    let mut choice = if refused.is_empty() {
        ask_engine(shared, id, worker, &rolled, time).await
    } else {
        Choice { fallback: Some("refused"), ..Choice::default() }
    };
    if choice.resigns {
        return choice;
    }
    if choice.moves.is_empty() {
        choice.moves = blocking_instant(rolled).await;
    }
    let suits = |moves: &Vec<String>| !refused.contains(moves) && tree.is_none_or(|tree| holds(tree, moves));
    if suits(&choice.moves) {
        return choice;
    }
    if let Some(tree) = tree
        && refused.is_empty()
    {
        let turn = choice.moves.join(",");
        let dfen = dfen.escape_default();
        shared.alarm("tree", &format!("game {id}: the turn {turn} is not in the tree that was sent: {dfen}"));
        choice.fallback = Some("tree");
        let instant = blocking_instant(rolled).await;
        if holds(tree, &instant) {
            choice.moves = instant;
            return choice;
        }
    }
    let all: Vec<Vec<String>> = legal_turns(&rolled).iter().map(words).collect();
    let of_tree = tree.map(|tree| tree.turns(MOST_TURNS)).unwrap_or_default();
    let both = all.iter().find(|moves| suits(moves));
    let either = of_tree.iter().chain(&all).find(|moves| !refused.contains(moves));
    if let Some(moves) = both.or(either) {
        choice.moves.clone_from(moves);
    }
    choice
}

/// A turn of the instant bot, off the threads that play.
async fn blocking_instant(rolled: Rolled) -> Vec<String> {
    tokio::task::spawn_blocking(move || words(&instant_turn(&rolled))).await.unwrap_or_default()
}

async fn ask_engine(shared: &Shared, id: &str, worker: &Worker, rolled: &Rolled, time: EngineTime) -> Choice {
    let fell_back = |why: &'static str, text: &str| {
        shared.metrics.count("fallbacks_total", why);
        tracing::warn!(event = "fallback", game = id, why, "the instant bot plays this turn: {text}");
        Choice { fallback: Some(why), ..Choice::default() }
    };
    if time == EngineTime::Instant {
        return fell_back("time", "no time is left for the engine");
    }
    match worker.think(*rolled, time).await {
        Err(error) => {
            worker.stop();
            fell_back("engine", &format!("the engine: {}", astragal_client::escaped(&error, 200)))
        }
        Ok(thought) => match thought.turn {
            None => Choice { resigns: true, thought: Some(thought), ..Choice::default() },
            Some(turn) => match apply_roll(rolled, turn) {
                Ok(_) if !turn.is_empty() => {
                    Choice { moves: words(&turn), thought: Some(thought), ..Choice::default() }
                }
                result => {
                    worker.restart();
                    let why = result.err().map_or_else(|| "a pass".to_owned(), |error| error.to_string());
                    fell_back("illegal", &format!("the engine's {turn} is illegal in {rolled}: {why}"))
                }
            },
        },
    }
}

/// A turn that the server names itself.
async fn from_server(shared: &Shared, id: &str, tree: Option<&Tree>, refused: &[Vec<String>]) -> Choice {
    let pick = |tree: &Tree| tree.turns(MOST_TURNS).into_iter().find(|moves| !refused.contains(moves));
    let mut moves = tree.and_then(pick);
    if moves.is_none()
        && let Ok(answered) = shared.server.get(&format!("/games/{id}/moves"), shared.waits.answer_least * 4).await
        && answered.status == 200
        && let Some(list) = answered.read::<MoveList>("moves")
    {
        moves = list.legal_moves.as_ref().and_then(pick);
    }
    Choice { moves: moves.unwrap_or_default(), fallback: Some("rules"), ..Choice::default() }
}
