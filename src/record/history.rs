//! The platform's history of a game: `GET /games/{id}/history`.

use super::line::MOST_PLIES;
use super::{DiceSource, EndKind, EndRecord, Game, Ply, Replayer, Seat, escaped};
use crate::board::{Color, Dice, PieceType, Rolled, STARTPOS};
use crate::rules::Roll;
use serde_json::{Value, json};
use thiserror::Error;

/// A history that cannot be read; those after it can.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("game {game}{}: {what}", .turn.map(|turn| format!(", turn {turn}")).unwrap_or_default())]
pub struct HistoryError {
    /// Which game of the source, from 1.
    pub game: u64,
    /// Which of its turns, from 1, if it is one.
    pub turn: Option<usize>,
    /// What is wrong, fit to be shown.
    pub what: String,
}

/// The platform's words for how a game ended.
const TERMINATIONS: [(&str, EndKind); 5] = [
    ("king_captured", EndKind::KingCapture),
    ("timeout", EndKind::Time),
    ("resign", EndKind::Resignation),
    ("draw_agreement", EndKind::AgreedDraw),
    ("aborted", EndKind::Aborted),
];

/// What is wrong, and in which turn.
type Problem = (Option<usize>, String);

/// Reads a history, the whole answer or what a recording has as its `body`. `number` is the game's place in its source, from 0.
///
/// # Errors
/// It is none, a turn is not legal for its dice, or a `fenAfter` is not where the turn leads.
pub fn from_history(value: &Value, number: u64) -> Result<Game, HistoryError> {
    let body = value.get("body").filter(|body| body.get("turns").is_some()).unwrap_or(value);
    game(body, number).map_err(|(turn, what)| HistoryError { game: number + 1, turn, what: escaped(&what, 300) })
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn game(body: &Value, number: u64) -> Result<Game, Problem> {
    let of_game = |what: &str| (None, what.to_owned());
    let turns = body.get("turns").and_then(Value::as_array).ok_or_else(|| of_game("no list of turns"))?;
    if turns.len() > MOST_PLIES {
        return Err((None, format!("more than {MOST_PLIES} turns")));
    }
    let control = control_text(body.get("timeControl"));
    let seat = |side: &str| {
        let player = body.get("players").and_then(|players| players.get(side));
        let name = player.and_then(|player| text(player, "name").or_else(|| text(player, "kind")));
        Seat { name: name.unwrap_or("?").to_owned(), control: control.clone() }
    };
    let opening = text(body, "initialDfen").unwrap_or(STARTPOS);
    let start = Rolled::from_dfen(opening).map_err(|error| (None, format!("initialDfen: {error}")))?;
    let mut replayer = Replayer::new(opening).map_err(|error| (None, format!("initialDfen: {error}")))?;
    let mut plies = Vec::with_capacity(turns.len());
    for (at, turn) in (1..).zip(turns) {
        let ply = ply(turn, &mut replayer).map_err(|what| (Some(at), what))?;
        plies.push(ply);
    }
    let last = *replayer.position();
    let said = text(body, "termination").unwrap_or("aborted");
    let kind = TERMINATIONS.iter().find(|(name, _)| *name == said).map(|&(_, kind)| kind);
    let mut kind = kind.ok_or_else(|| (None, format!("no termination '{said}'")))?;
    let result = match body.get("result").and_then(Value::as_i64) {
        Some(1) => 1.0,
        Some(-1) => 0.0,
        Some(0) => 0.5,
        None if body.get("result").is_none_or(Value::is_null) => {
            kind = EndKind::Aborted;
            0.5
        }
        _ => return Err(of_game("a result that is not 1, 0 or -1")),
    };
    if kind == EndKind::AgreedDraw && result == 0.5 && last.position.is_drawn() {
        kind = EndKind::HalfmoveClock;
    }
    let mut end = EndRecord::new(kind);
    // White is player 0. Who resigned or ran out of time is who lost.
    end.player = match kind {
        _ if result == 0.5 => None,
        EndKind::KingCapture => Some(usize::from(result < 0.5)),
        EndKind::Time | EndKind::Resignation => Some(usize::from(result > 0.5)),
        _ => None,
    };
    Ok(Game {
        number,
        pair: number,
        half: 0,
        id: text(body, "gameId").map(str::to_owned),
        white: 0,
        black: 1,
        seats: [seat("white"), seat("black")],
        started_ms: None,
        dice: fairness(body.get("fairness")),
        luck_by: None,
        opening: start.to_string(),
        plies,
        result: if kind == EndKind::Aborted { 0.5 } else { result },
        end,
        final_dfen: last.to_string(),
    })
}

fn ply(turn: &Value, replayer: &mut Replayer) -> Result<Ply, String> {
    let here = replayer.position().position;
    let color = match text(turn, "activeColor") {
        Some("White" | "white" | "w") => Color::White,
        Some("Black" | "black" | "b") => Color::Black,
        _ => return Err("no activeColor".to_owned()),
    };
    if color != here.side() {
        return Err(format!("it is {}'s turn", here.side()));
    }
    let faces: Option<Vec<PieceType>> = turn.get("dice").and_then(Value::as_array).and_then(|dice| {
        let face = |die: &Value| PieceType::ALL.get(usize::try_from(die.as_u64()?.checked_sub(1)?).ok()?).copied();
        dice.iter().take(4).map(face).collect()
    });
    let Some([one, two, three]) = faces.as_deref() else { return Err("dice are three numbers from 1 to 6".to_owned()) };
    let roll = Roll::of([*one, *two, *three]);
    let moves = turn.get("moves").and_then(Value::as_array).ok_or("no list of moves")?;
    let moves: Option<Vec<&str>> = moves.iter().take(4).map(Value::as_str).collect();
    let moves = moves.ok_or("a move that is no text")?;
    let ply = Ply {
        roll: roll.to_string(),
        thrown: Some([one, two, three].iter().map(|face| face.letter()).collect()),
        turn: Some(if moves.is_empty() { "0000".to_owned() } else { moves.join(",") }),
        passed: moves.is_empty(),
        ..Ply::default()
    };
    replayer.roll(&ply).map_err(|error| error.to_string())?;
    replayer.play(&ply).map_err(|error| error.to_string())?;
    // After a capture of the king the platform's position has one king, which ours cannot have.
    if !replayer.is_over()
        && let Some(after) = text(turn, "fenAfter")
    {
        let said = Rolled::from_dfen(after).map_err(|error| format!("fenAfter: {error}"))?;
        let found = replayer.position();
        if said.position != found.position {
            return Err(format!("fenAfter is {after}, and the turn leads to {found}"));
        }
    }
    Ok(ply)
}

fn fairness(value: Option<&Value>) -> DiceSource {
    let Some(value) = value else { return DiceSource::Given };
    let Some(commit) = text(value, "commit") else { return DiceSource::Given };
    let seeds = value.get("clientSeeds");
    let seed_of = |side: &str| seeds.and_then(|seeds| text(seeds, side)).map(str::to_owned);
    DiceSource::Fair {
        commit: commit.to_owned(),
        seed: text(value, "seed").map(str::to_owned),
        client_seeds: seed_of("white").zip(seed_of("black")).map(|(white, black)| [white, black]),
    }
}

/// A control in our text, such as `60+1`; what has none there as the platform writes it.
fn control_text(value: Option<&Value>) -> String {
    let Some(value) = value.filter(|value| !value.is_null()) else { return String::new() };
    let seconds = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64);
    if let Some(fischer) = value.get("Fischer")
        && let (Some(initial), Some(increment)) =
            (seconds(fischer, "initialSeconds"), seconds(fischer, "incrementSeconds"))
    {
        return format!("{initial}+{increment}");
    }
    if let Some(initial) = value.get("SuddenDeath").and_then(|sudden| seconds(sudden, "initialSeconds")) {
        return format!("{initial}");
    }
    if value.get("Unlimited").is_some() {
        return "untimed".to_owned();
    }
    value.to_string()
}

/// A control as the platform writes it, if it can.
fn control_value(control: &str) -> Option<Value> {
    if control == "untimed" {
        return Some(json!({"Unlimited": {}}));
    }
    if let Ok(value @ Value::Object(_)) = serde_json::from_str(control) {
        return Some(value);
    }
    match control.split_once('+') {
        Some((initial, increment)) => {
            let (initial, increment) = (initial.parse::<u64>().ok()?, increment.parse::<u64>().ok()?);
            Some(json!({"Fischer": {"initialSeconds": initial, "incrementSeconds": increment}}))
        }
        None => Some(json!({"SuddenDeath": {"initialSeconds": control.parse::<u64>().ok()?}})),
    }
}

/// Names the fields of a history that a game does not hold.
pub(super) fn fields_passed_over(value: &Value, mut tell: impl FnMut(&str)) {
    const OF_GAME: [&str; 8] =
        ["gameId", "players", "timeControl", "result", "termination", "initialDfen", "turns", "fairness"];
    let body = value.get("body").filter(|body| body.get("turns").is_some()).unwrap_or(value);
    let mut others = |value: Option<&Value>, known: &[&str]| {
        let fields = value.and_then(Value::as_object).into_iter().flatten();
        fields.filter(|(name, _)| !known.contains(&name.as_str())).for_each(|(name, _)| tell(name));
    };
    others(Some(body), &OF_GAME);
    for side in ["white", "black"] {
        others(body.get("players").and_then(|players| players.get(side)), &["name"]);
    }
    for turn in body.get("turns").and_then(Value::as_array).into_iter().flatten() {
        others(Some(turn), &["turnNumber", "activeColor", "dice", "moves", "fenAfter"]);
    }
}

/// A game as the platform's history, and what of it that form cannot hold.
pub fn to_history(game: &Game) -> (Value, Vec<&'static str>) {
    let mut lost = Vec::new();
    let mut turns = Vec::with_capacity(game.plies.len());
    let mut replayer = Replayer::new(&game.opening).ok();
    for (at, ply) in (1..).zip(&game.plies) {
        let Some(turn) = &ply.turn else {
            lost.push("rolls without a turn");
            continue;
        };
        let side = replayer.as_ref().map_or(Color::White, |replayer| replayer.position().position.side());
        let played = replayer.as_mut().is_some_and(|replayer| replayer.roll(ply).is_ok() && replayer.play(ply).is_ok());
        // A turn that captures the king leads nowhere.
        let after = replayer.as_ref().filter(|replayer| played && !replayer.is_over());
        let after = after.map(|replayer| six_fields(replayer.position()));
        let faces = ply.thrown.as_deref().unwrap_or(&ply.roll);
        let number = |letter: char| {
            let face = u8::try_from(letter).ok().and_then(PieceType::from_letter);
            face.map_or(0, |face| face.index() + 1)
        };
        let moves: Vec<&str> = if turn == "0000" { Vec::new() } else { turn.split(',').collect() };
        turns.push(json!({
            "turnNumber": at,
            "activeColor": side.to_string(),
            "dice": faces.chars().map(number).collect::<Vec<_>>(),
            "moves": moves,
            "fenAfter": after,
        }));
        if ply.thrown.is_none() {
            lost.push("that the order of the dice is not known");
        }
        if ply.score.is_some() || ply.depth.is_some() || ply.nodes.is_some() {
            lost.push("scores, depths and nodes");
        }
        if ply.time_ms.is_some() || ply.engine_time_ms.is_some() || ply.clock_left_ms.is_some() {
            lost.push("times and clocks");
        }
        if ply.luck.is_some() {
            lost.push("luck");
        }
        if ply.passed && turn != "0000" || !ply.passed && turn == "0000" {
            lost.push("whether a pass was asked for");
        }
    }
    let termination = TERMINATIONS.iter().find(|(_, kind)| *kind == game.end.kind).map(|&(name, _)| name);
    let termination = termination.unwrap_or_else(|| {
        if game.end.kind != EndKind::HalfmoveClock {
            lost.push("how some games ended");
        }
        if game.result == 0.5 { "draw_agreement" } else { "resign" }
    });
    // A draw of either kind has one word, and whether the half-move clock has run out shows which it was.
    let has_run_out = replayer.as_ref().is_some_and(|replayer| replayer.position().position.is_drawn());
    if game.end.kind == EndKind::HalfmoveClock && !has_run_out || game.end.kind == EndKind::AgreedDraw && has_run_out {
        lost.push("how some games ended");
    }
    if game.end.player != ended_by(game) {
        lost.push("through whom games ended");
    }
    let fairness = match &game.dice {
        DiceSource::Fair { commit, seed, client_seeds } => {
            let seeds = client_seeds.as_ref().map(|[white, black]| json!({"white": white, "black": black}));
            json!({"commit": commit, "seed": seed, "clientSeeds": seeds})
        }
        DiceSource::Given => Value::Null,
        DiceSource::Seed { .. } => {
            lost.push("the seed of the dice");
            Value::Null
        }
    };
    let [white, black] = &game.seats;
    let control = control_value(&white.control);
    if white.control != black.control || control.is_none() && !white.control.is_empty() {
        lost.push("time controls");
    }
    if game.pair != game.number || game.half != 0 {
        lost.push("pairs of games");
    }
    if !game.end.detail.is_empty() || !game.end.last_lines.is_empty() {
        lost.push("details of ends");
    }
    if game.started_ms.is_some() {
        lost.push("when games began");
    }
    let result = match game.result {
        _ if game.end.kind == EndKind::Aborted => Value::Null,
        1.0 => json!(1),
        0.0 => json!(-1),
        _ => json!(0),
    };
    let opening = Rolled::from_dfen(&game.opening).map_or_else(|_| game.opening.clone(), |start| six_fields(&start));
    lost.sort_unstable();
    lost.dedup();
    let value = json!({
        "gameId": game.id,
        "players": {"white": {"name": white.name}, "black": {"name": black.name}},
        "timeControl": control,
        "result": result,
        "termination": termination,
        "initialDfen": opening,
        "turns": turns,
        "fairness": fairness,
    });
    (value, lost)
}

/// Through whom a history says that a game ended: the winner, or who lost by time or resignation.
fn ended_by(game: &Game) -> Option<usize> {
    let (winner, loser) = if game.result < 0.5 { (game.black, game.white) } else { (game.white, game.black) };
    match game.end.kind {
        _ if game.result == 0.5 => None,
        EndKind::KingCapture => Some(winner),
        EndKind::AgreedDraw | EndKind::Aborted => None,
        // What has no word of its own is written as a resignation.
        _ => Some(loser),
    }
}

/// A position as the platform writes it before a roll.
fn six_fields(rolled: &Rolled) -> String {
    let before = Rolled { position: rolled.position, dice: Dice::NONE };
    before.to_string().trim_end_matches(" -").to_owned()
}
