//! Showing a game of a journal, with every roll and turn checked on the way.

use crate::journal;
use crate::record::{DiceSource, Game, Header, Ply, ScoreRecord};
use crate::report::{align, labels};
use crate::text::shown;
use astragal::board::Rolled;
use astragal::record;
use std::fmt::Write;
use std::path::Path;

/// The text of a game by its number, counted from 1; an error if there is no such game or it cannot have been played so.
///
/// # Errors
/// What is wrong, for people.
pub fn replay(path: &Path, number: u64, boards: bool) -> Result<String, String> {
    let mut found = None;
    let contents = journal::read(path, |game| {
        if Some(game.number) == number.checked_sub(1) {
            found = Some(game);
        }
    });
    let contents = contents.map_err(|error| error.to_string())?;
    let game = found.ok_or_else(|| format!("journal {}: there is no game {number}", path.display()))?;
    show(&contents.header, &game, boards).map_err(|error| format!("game {number}: {error}"))
}

fn show(header: &Header, game: &Game, boards: bool) -> Result<String, String> {
    let labels = labels(header);
    let name = |player: usize| labels.get(player).map_or("?", String::as_str);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "game {} (pair {}, half {})", game.number + 1, game.pair + 1, game.half + 1);
    let _ = writeln!(text, "White: {}\nBlack: {}", name(game.white), name(game.black));
    let dice = match &game.dice {
        DiceSource::Seed { seed, pair } => format!("from seed {seed}, pair {}, checked", pair + 1),
        DiceSource::Fair { .. } => "fair, checked against the seeds".to_owned(),
        DiceSource::Given => "as given".to_owned(),
    };
    let _ = writeln!(text, "dice {dice}\nopening {}\n", game.opening);
    let heads = ["ply", "side", "roll", "turn", "score", "depth", "nodes", "ms", "clock ms", "luck"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    game.dice.check(game).map_err(|error| error.to_string())?;
    let mut diagrams = String::new();
    let last = record::replay(game, |number, here, ply| {
        rows.push(row(number, here, ply));
        if boards {
            let turn = ply.turn.as_deref().unwrap_or("no turn");
            let _ = writeln!(diagrams, "\n{}\n{here}\n{number}: {turn}", here.position.diagram());
        }
    });
    let last = last.map_err(|error| error.to_string())?;
    text.push_str(&align(&rows, &[0, 1, 2, 3]));
    text.push_str(&diagrams);
    let _ = writeln!(text, "\n{}\n{}", last.position.diagram(), game.final_dfen);
    let who = game.end.player.map_or_else(String::new, |player| format!(" by {}", name(player)));
    let detail = if game.end.detail.is_empty() { String::new() } else { format!(": {}", shown(&game.end.detail)) };
    let _ = writeln!(text, "{} – {}, {}{who}{detail}", game.result, 1.0 - game.result, game.end.kind.name());
    game.end.last_lines.iter().for_each(|line| _ = writeln!(text, "  | {}", shown(line)));
    Ok(text)
}

fn row(number: usize, here: &Rolled, ply: &Ply) -> Vec<String> {
    fn or_dash<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(|| "–".to_owned(), |value| value.to_string())
    }
    let turn = match (&ply.turn, ply.passed) {
        (_, true) => "(pass)".to_owned(),
        (turn, false) => or_dash(turn.as_ref()),
    };
    let score = ply.score.map(|score| match score {
        ScoreRecord::Cp(centipawns) => format!("{centipawns:+}"),
        ScoreRecord::Mate(turns) => format!("mate {turns}"),
    });
    vec![
        number.to_string(),
        here.position.side().to_string(),
        shown(&ply.roll).into_owned(),
        turn,
        or_dash(score),
        or_dash(ply.depth),
        or_dash(ply.nodes),
        or_dash(ply.time_ms.map(|ms| format!("{ms:.1}"))),
        or_dash(ply.clock_left_ms),
        or_dash(ply.luck.map(|luck| format!("{luck:+.3}"))),
    ]
}
