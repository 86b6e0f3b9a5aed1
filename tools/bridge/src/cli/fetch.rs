//! `bridge fetch` and `bridge verify`: finished games of anybody.

use crate::api::{History, is_slug, is_sound_id};
use crate::decide::Waits;
use crate::fair::verify_history;
use crate::keep::{Keeper, Witness};
use crate::net::Server;
use crate::run::RunError;
use astragal_client::escaped;
use serde_json::Value;
use std::path::Path;

fn other(error: impl std::fmt::Display) -> RunError {
    RunError::Other(error.to_string())
}

async fn history(server: &Server, id: &str) -> Result<History, RunError> {
    if !is_sound_id(id) {
        return Err(other(format!("'{}' is neither a file nor the id of a game", id.escape_default())));
    }
    let answered = server.get(&format!("/games/{id}/history"), Waits::default().answer_most).await.map_err(other)?;
    match answered.status {
        200 => answered.read("history").ok_or_else(|| other(format!("game {id}: the history cannot be read"))),
        404 => Err(other(format!("game {id}: there is no such game, or it is not over"))),
        _ => Err(other(format!("game {id}: the server answers {}", answered.shown()))),
    }
}

/// A file holds a history, or an object whose `body` is one, or a list of such.
fn histories_of(text: &str) -> Option<Vec<History>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let one = |value: &Value| {
        let body = if value.get("turns").is_some() { value } else { value.get("body")? };
        serde_json::from_value::<History>(body.clone()).ok()
    };
    let found: Vec<History> = match &value {
        Value::Array(list) => list.iter().filter_map(one).collect(),
        value => one(value).into_iter().collect(),
    };
    (!found.is_empty()).then_some(found)
}

pub(super) async fn verify(games: &[String], base: &str, insecure: bool) -> Result<(), RunError> {
    let mut foul = 0;
    for game in games {
        let histories = if Path::new(game).is_file() {
            let text = std::fs::read_to_string(game).map_err(|error| other(format!("{game}: {error}")))?;
            histories_of(&text).ok_or_else(|| other(format!("{game}: no history of a game")))?
        } else {
            vec![history(&Server::new(base, None, insecure)?, game).await?]
        };
        for history in histories {
            let id = history.game_id.escape_default().to_string();
            match verify_history(&history, None, None) {
                Ok(rolls) => say!("{id}: dice verified, {rolls} rolls"),
                Err(error) => {
                    foul += 1;
                    say!("{id}: {}", escaped(&error.to_string(), 300));
                }
            }
        }
    }
    if foul > 0 { Err(other(format!("{foul} of the games do not hold"))) } else { Ok(()) }
}

pub(super) async fn fetch(
    what: &[String],
    journal: &Path,
    json: Option<&Path>,
    base: &str,
    insecure: bool,
) -> Result<(), RunError> {
    let server = Server::new(base, None, insecure)?;
    let keeper =
        Keeper::open(journal, json).map_err(|error| RunError::Journal(journal.display().to_string(), error))?;
    let mut ids = Vec::new();
    for word in what {
        match word.split_once('/') {
            None => ids.push(word.clone()),
            Some((team, name)) if is_slug(team) && is_slug(name) => ids.extend(listed(&server, team, name).await?),
            Some(_) => return Err(other(format!("'{}' is no team/name", word.escape_default()))),
        }
    }
    let (mut written, mut known, mut failed) = (0, 0, 0);
    for id in ids {
        if keeper.has(&id) {
            known += 1;
            continue;
        }
        let history = match history(&server, &id).await {
            Ok(history) => history,
            Err(error) => {
                // One that goes on yet, or is broken, keeps nobody from the others.
                complain!("bridge: {error}");
                failed += 1;
                continue;
            }
        };
        if keeper
            .write(&history, &Witness::default())
            .map_err(|error| other(format!("{}: {error}", journal.display())))?
        {
            written += 1;
        }
    }
    say!("{written} games written to {}, {known} were there", journal.display());
    if failed > 0 { Err(other(format!("{failed} games could not be fetched"))) } else { Ok(()) }
}

/// The games that the server lists of a bot: the page of its games, or the latest of its profile.
async fn listed(server: &Server, team: &str, name: &str) -> Result<Vec<String>, RunError> {
    let wait = Waits::default().answer_most;
    for path in [format!("/bots/{team}/{name}/games"), format!("/bots/{team}/{name}")] {
        let answered = server.get(&path, wait).await.map_err(other)?;
        if answered.status != 200 {
            continue;
        }
        let value: Value = serde_json::from_slice(&answered.body).map_err(other)?;
        let list = ["games", "recent"].iter().find_map(|key| value[*key].as_array()).or(value.as_array());
        if let Some(list) = list {
            return Ok(list
                .iter()
                .filter_map(|game| game["gameId"].as_str().map(str::to_owned))
                .filter(|id| is_sound_id(id))
                .collect());
        }
    }
    Err(other(format!("{team}/{name}: the server lists no games")))
}
