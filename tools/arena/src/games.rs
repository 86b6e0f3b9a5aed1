//! `arena games`: the games of journals, one a line.

use crate::journal;
use crate::record::{Game, Header};
use crate::report::{align, labels};
use crate::text::shown;
use std::path::PathBuf;

/// The lists of games, each in the order of their numbers.
///
/// # Errors
/// A journal cannot be read.
pub fn games(files: &[PathBuf]) -> Result<String, String> {
    let mut lists = Vec::new();
    for path in files {
        let mut games = Vec::new();
        let contents = journal::read(path, |game| games.push(Listed::of(&game))).map_err(|error| error.to_string())?;
        games.sort_by_key(|game| game.number);
        let mut text = contents.note.map_or_else(String::new, |note| format!("{note}\n"));
        if files.len() > 1 {
            text.push_str(&format!("{}\n", shown(&path.display().to_string())));
        }
        if let Some(name) = &contents.header.name {
            text.push_str(&format!("{}\n", shown(name)));
        }
        text.push_str(&list(&contents.header, &games));
        lists.push(text);
    }
    Ok(lists.join("\n"))
}

/// What the list shows of a game.
struct Listed {
    number: u64,
    cells: Vec<String>,
    players: [usize; 2],
    through: Option<usize>,
    opening: String,
}

impl Listed {
    fn of(game: &Game) -> Self {
        let result = match game.result {
            points if points > 0.75 => "1 – 0",
            points if points > 0.25 => "½ – ½",
            _ => "0 – 1",
        };
        let luck = game.luck().map_or_else(|| "–".to_owned(), |luck| format!("{luck:+.3}"));
        let cells = vec![result.to_owned(), game.end.kind.name().to_owned(), game.plies.len().to_string(), luck];
        Self {
            number: game.number,
            cells,
            players: [game.white, game.black],
            through: game.end.player,
            opening: game.opening.clone(),
        }
    }
}

fn list(header: &Header, games: &[Listed]) -> String {
    let labels = labels(header);
    let name = |player: usize| labels.get(player).cloned().unwrap_or_else(|| "?".to_owned());
    let with_openings = header.openings.len() > 1;
    let mut heads = ["game", "White", "Black", "result", "ended by", "through", "rolls", "White's luck"].to_vec();
    if with_openings {
        heads.push("opening");
    }
    let mut rows = vec![heads.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for game in games {
        let [white, black] = game.players.map(name);
        let [result, end, rolls, luck] = [0, 1, 2, 3].map(|cell| game.cells[cell].clone());
        let through = game.through.map_or_else(|| "–".to_owned(), name);
        let mut row = vec![(game.number + 1).to_string(), white, black, result, end, through, rolls, luck];
        if with_openings {
            let place = header.openings.iter().position(|opening| *opening == game.opening);
            row.push(place.map_or_else(|| "–".to_owned(), |place| (place + 1).to_string()));
        }
        rows.push(row);
    }
    align(&rows, &[1, 2, 3, 4, 5])
}
