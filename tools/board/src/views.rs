//! Games of records as pages see them, and lines of pages as games of records.

use crate::clock::Clocks;
use crate::control::Control;
use crate::fail::Fail;
use crate::wire::{
    ClocksView, Dice, EndView, GameView, Line, Player, PlyView, RecordForm, Source, State, Summary, clean,
};
use astragal::board::{Color, Rolled, STARTPOS};
use astragal::record::{
    Converter, DiceSource, EndKind, EndRecord, Form, Game, Ply, Records, ReplayError, Replayer, Seat, Start,
};
use serde::Serialize;

/// The most games that are shown of what was pasted.
const MOST_PARSED: usize = 50;
/// The most plies of a line of a page.
const MOST_LINE: usize = 4000;
/// The most bytes of a text to be read.
pub const MOST_TEXT: usize = 1 << 20;

/// Every ply as pages see it, and the end of the way.
///
/// # Errors
/// It cannot have been played so.
pub fn played(opening: &str, plies: &[Ply]) -> Result<(Vec<PlyView>, Replayer), ReplayError> {
    let mut replayer = Replayer::new(opening)?;
    let mut views = Vec::with_capacity(plies.len());
    for ply in plies {
        let before = *replayer.roll(ply)?;
        replayer.play(ply)?;
        let after = (ply.turn.is_some() && !replayer.is_over()).then(|| *replayer.position());
        views.push(PlyView::of(ply, &before, after.as_ref()));
    }
    Ok((views, replayer))
}

/// The dice of a record as pages are told of them.
fn dice_of(source: &DiceSource) -> Dice {
    match source {
        DiceSource::Seed { seed, pair: 0 } => Dice { source: Source::Seed, seed: Some(*seed) },
        _ => Dice { source: Source::Typed, seed: None },
    }
}

/// A game that is over.
///
/// # Errors
/// It cannot have been played so.
pub fn ended_view(game: &Game, players: Option<[Player; 2]>) -> Result<GameView, Fail> {
    let (plies, replayer) = played(&game.opening, &game.plies).map_err(|error| Fail::new("record", error))?;
    let named = |seat: &Seat| Player { name: clean(&seat.name, 80), ..Player::default() };
    let here = replayer.position();
    let controls = game.seats.each_ref().map(|seat| Control::parse(&seat.control).unwrap_or_default());
    Ok(GameView {
        id: game.id.clone(),
        players: players.unwrap_or_else(|| game.seats.each_ref().map(named)),
        controls,
        dice: dice_of(&game.dice),
        opening: game.opening.clone(),
        started_ms: game.started_ms,
        ply: plies.len(),
        plies,
        state: State::Over,
        side: here.position.side().into(),
        position: here.to_string(),
        steps: None,
        clocks: last_clocks(game, controls),
        end: Some(EndView::of(&game.end, game.result)),
        notes: Vec::new(),
    })
}

/// The clocks at the end of a game: as they were after its last turn, but for a flag that has fallen.
fn last_clocks(game: &Game, controls: [Control; 2]) -> ClocksView {
    let first = Rolled::from_dfen(&game.opening).map_or(Color::White, |at| at.position.side());
    let (clocks, whole) = Clocks::after(controls, first, &game.plies);
    if !whole {
        return ClocksView::default();
    }
    let mut left_ms = Color::ALL.map(|of| clocks.left_ms(of, 0));
    if game.end.kind == EndKind::Time
        && let Some(fallen) = game.end.player.and_then(|player| left_ms.get_mut(player))
    {
        *fallen = Some(0);
    }
    ClocksView { left_ms, turns_to_go: Color::ALL.map(|of| clocks.turns_to_go(of)), running: None }
}

/// A game that is over, in a list.
pub fn ended_summary(game: &Game) -> Summary {
    let side = Rolled::from_dfen(&game.final_dfen).map_or(Color::White, |at| at.position.side());
    Summary {
        id: game.id.clone().unwrap_or_default(),
        names: game.seats.each_ref().map(|seat| clean(&seat.name, 80)),
        state: State::Over,
        plies: game.plies.len(),
        side: side.into(),
        position: game.final_dfen.clone(),
        started_ms: game.started_ms,
        end: Some(EndView::of(&game.end, game.result)),
    }
}

/// A game of these plies that has not ended, or has ended so.
pub fn game_of(start: &Start, plies: &[Ply], last: &Rolled, result: f64, end: EndRecord) -> Game {
    Game {
        number: 0,
        pair: 0,
        half: 0,
        id: Some(start.id.clone()).filter(|id| !id.is_empty()),
        white: 0,
        black: 1,
        seats: start.seats.clone(),
        started_ms: start.started_ms,
        dice: start.dice.clone(),
        luck_by: None,
        opening: start.opening.clone(),
        plies: plies.to_vec(),
        result,
        end,
        final_dfen: last.to_string(),
    }
}

/// A line of a page as a game.
///
/// # Errors
/// It cannot be played.
pub fn game_of_line(line: &Line) -> Result<Game, Fail> {
    if line.plies.len() > MOST_LINE {
        return Err(Fail::bad(format!("a line of more than {MOST_LINE} plies")));
    }
    let opening = line.opening.as_deref().unwrap_or(STARTPOS);
    let opening =
        Rolled::from_dfen(opening).map_err(|error| Fail::new("dfen", format!("{}: {error}", error.field())))?;
    let ply = |ply: &crate::wire::LinePly| Ply { roll: ply.roll.clone(), turn: ply.turn.clone(), ..Ply::default() };
    let plies: Vec<Ply> = line.plies.iter().map(ply).collect();
    let opening = opening.to_string();
    let (_, replayer) = played(&opening, &plies).map_err(|error| Fail::new("illegal", error))?;
    let seats = line.names.each_ref().map(|name| Seat { name: clean(name, 80), control: String::new() });
    let start = Start::new("", seats, &opening);
    let last = *replayer.position();
    let (result, end) = if replayer.is_over() {
        let white = last.position.side() == astragal::board::Color::White;
        let player = Some(usize::from(!white));
        (f64::from(u8::from(white)), EndRecord { player, ..EndRecord::new(EndKind::KingCapture) })
    } else if last.position.is_drawn() {
        (0.5, EndRecord::new(EndKind::HalfmoveClock))
    } else {
        end_of_line(line)?
    };
    Ok(game_of(&start, &plies, &last, result, end))
}

/// How a line ended on which neither a captured king nor the half-move clock has decided: White's points and why.
fn end_of_line(line: &Line) -> Result<(f64, EndRecord), Fail> {
    let even = |kind| Ok((0.5, EndRecord::new(kind)));
    // A player lost by what this player did.
    let lost = |result: f64, kind| {
        Ok((result, EndRecord { player: Some(usize::from(result == 1.0)), ..EndRecord::new(kind) }))
    };
    match (line.result, line.end) {
        (None, None | Some(EndKind::Aborted)) => even(EndKind::Aborted),
        (Some(0.5), None | Some(EndKind::AgreedDraw)) => even(EndKind::AgreedDraw),
        (Some(result @ (0.0 | 0.5 | 1.0)), Some(EndKind::Adjudicated)) => {
            Ok((result, EndRecord::new(EndKind::Adjudicated)))
        }
        (Some(result @ (0.0 | 1.0)), None) => lost(result, EndKind::Resignation),
        (
            Some(result @ (0.0 | 1.0)),
            Some(
                kind @ (EndKind::Resignation
                | EndKind::Time
                | EndKind::IllegalTurn
                | EndKind::Crash
                | EndKind::Stall
                | EndKind::Protocol),
            ),
        ) => lost(result, kind),
        (result, Some(kind)) => {
            let points = result.map_or_else(|| "none".to_owned(), |points| points.to_string());
            Err(Fail::bad(format!("a line that has ended so ({}) with that result ({points})", kind.name())))
        }
        (Some(_), None) => Err(Fail::bad("a result is 1, 0.5, 0 or null")),
    }
}

/// A record that was written.
#[derive(Debug, Serialize)]
pub struct Written {
    text: String,
    lost: Vec<&'static str>,
}

/// Writes a game as a record.
///
/// # Errors
/// It would be too long.
pub fn written(game: &Game, form: RecordForm) -> Result<Written, Fail> {
    let form = match form {
        RecordForm::Text => Form::Text,
        RecordForm::Journal => Form::Journal,
        RecordForm::History => Form::History,
    };
    let mut converter = Converter::new(form, None);
    let text = converter.game(game).map_err(|error| Fail::new("record", error.what))?;
    Ok(Written { text, lost: converter.lost().map(|(what, _)| what).collect() })
}

/// What was pasted.
#[derive(Debug, Serialize)]
pub struct Parsed {
    form: &'static str,
    dfen: Option<String>,
    games: Vec<GameView>,
    more: bool,
    problems: Vec<String>,
}

/// Reads a DFEN, or a record of any form.
///
/// # Errors
/// It is neither.
pub fn parse(text: &str) -> Result<Parsed, Fail> {
    if text.len() > MOST_TEXT {
        return Err(Fail::new("record", format!("a text of more than {} KiB", MOST_TEXT >> 10)));
    }
    let words = text.split_ascii_whitespace().count();
    if (4..=7).contains(&words)
        && let Ok(rolled) = Rolled::from_dfen(text.trim())
    {
        let dfen = Some(rolled.to_string());
        return Ok(Parsed { form: "dfen", dfen, games: Vec::new(), more: false, problems: Vec::new() });
    }
    let mut records = Records::new(text.as_bytes()).map_err(|error| Fail::new("record", error))?;
    let form = records.form().id();
    let (mut games, mut problems, mut more) = (Vec::new(), Vec::new(), false);
    while let Some(game) = records.next_game() {
        if games.len() + problems.len() == MOST_PARSED {
            more = true;
            break;
        }
        match game.map_err(|error| Fail::new("record", error)).and_then(|game| ended_view(&game, None)) {
            Ok(view) => games.push(GameView { id: None, ..view }),
            Err(fail) => problems.push(fail.message),
        }
    }
    // Free text is read as a game without turns.
    let is_nothing = problems.is_empty() && games.iter().all(|game| game.plies.is_empty()) && !text.contains('[');
    if games.is_empty() || (form == Form::Text.id() && is_nothing) {
        let why = problems.first().cloned().unwrap_or_else(|| "there is neither a DFEN nor a game in it".to_owned());
        return Err(Fail::new("record", why));
    }
    Ok(Parsed { form, dfen: None, games, more, problems })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::LinePly;

    #[test]
    fn a_line_is_written_and_read_again() {
        let ply = |roll: &str, turn: &str| LinePly { roll: roll.to_owned(), turn: Some(turn.to_owned()) };
        let plies = vec![ply("PNB", "b1c3,e2e4,f1c4"), ply("kkk", "0000")];
        let line =
            Line { names: ["A\u{1b}".to_owned(), "B".to_owned()], opening: None, plies, result: Some(1.0), end: None };
        let game = game_of_line(&line).expect("legal");
        assert_eq!((game.seats[0].name.as_str(), game.result), ("A", 1.0));
        for form in [RecordForm::Text, RecordForm::Journal, RecordForm::History] {
            let text = written(&game, form).expect("short").text;
            let parsed = parse(&text).expect("ours");
            assert_eq!((parsed.games.len(), parsed.problems.len()), (1, 0), "{form:?}");
            assert_eq!(parsed.games[0].plies.len(), 2);
        }
        let ended = |result, end| {
            game_of_line(&Line { result, end, ..line.clone() }).map(|game| (game.end.kind, game.end.player))
        };
        assert_eq!(ended(Some(0.0), Some(EndKind::Time)), Ok((EndKind::Time, Some(0))), "White's flag has fallen");
        assert_eq!(ended(Some(1.0), None), Ok((EndKind::Resignation, Some(1))));
        assert_eq!(ended(None, None), Ok((EndKind::Aborted, None)));
        for (result, end) in
            [(Some(0.5), EndKind::Time), (None, EndKind::Resignation), (Some(1.0), EndKind::KingCapture)]
        {
            assert_eq!(ended(result, Some(end)).expect_err("does not go together").code, "bad");
        }
        let bad = Line { plies: vec![ply("PNB", "e2e5")], ..line };
        assert_eq!(game_of_line(&bad).expect_err("no such move").code, "illegal");
    }

    #[test]
    fn what_is_pasted_is_a_dfen_or_a_record_or_neither() {
        let parsed = parse(" 4k3/8/8/8/8/8/8/4K3 b - - \n").expect("a position");
        assert_eq!((parsed.form, parsed.dfen.as_deref()), ("dfen", Some("4k3/8/8/8/8/8/8/4K3 b - - 0 1 -")));
        for text in ["", "hello", "{}", "[DFEN \"x\"]\n\n1. PNB e2e4 *\n", "\u{1b}[2J"] {
            assert_eq!(parse(text).expect_err(text).code, "record");
        }
    }
}
