//! The end of a game: its history, its dice, its record.

use super::{Notice, Shared, jitter};
use crate::api::{History, Seat, TimeControl};
use crate::decide::Backoff;
use crate::fair::{Unfair, verify_history};
use crate::keep::Witness;
use std::sync::Arc;
use tokio::time::sleep;

/// Gets the history of a game, however long that takes; none if the server does not know the game at all, or if the bridge
/// ends before.
pub async fn settle_history(shared: &Shared, id: &str) -> Option<History> {
    let mut backoff = Backoff::default();
    let mut stop = shared.stop.subscribe();
    loop {
        match shared.server.get(&format!("/games/{id}/history"), shared.waits.answer_most).await {
            Ok(answered) if answered.status == 200 => {
                if let Some(history) = answered.read::<History>("history") {
                    return Some(history);
                }
            }
            Ok(answered) if answered.status == 404 && backoff.failures() > 12 => return None,
            _ => {}
        }
        tokio::select! {
            () = sleep(backoff.fail(&shared.waits, None, jitter())) => {}
            _ = stop.wait_for(|stop| *stop == super::Stop::Now) => return None,
        }
    }
}

/// Verifies and keeps a finished game, once, and forgets it.
pub async fn finish(shared: &Arc<Shared>, history: &History, witness: Witness) {
    let id = history.game_id.clone();
    let in_play = shared.state.look(|state| state.games.get(&id).cloned()).unwrap_or_default();
    let seat = witness.seat.or(in_play.seat).or_else(|| seat_of(shared, history));
    let witness =
        Witness { seat, since_ms: if witness.since_ms > 0 { witness.since_ms } else { in_play.since_ms }, ..witness };
    let ours = seat.zip(in_play.seed.as_deref());
    match verify_history(history, in_play.commit.as_deref(), ours) {
        Ok(rolls) => {
            shared.metrics.count("dice_total", "verified");
            tracing::info!(event = "dice", game = %id, "dice verified: {rolls} rolls");
        }
        Err(Unfair::OurSeed) => {
            // The rolls hold; our seed came too late, and our id stands in for it.
            shared.metrics.count("dice_total", "verified, our seed too late");
            tracing::info!(event = "dice", game = %id, "dice verified; our own seed came too late to be used");
        }
        Err(Unfair::Missing(what)) => {
            shared.metrics.count("dice_total", "not told");
            tracing::warn!(event = "dice", game = %id, "the dice cannot be verified: the server has not told {what}");
        }
        Err(error) => {
            shared.metrics.count("dice_total", "foul");
            shared.alarm("dice", &format!("game {id}: {}", astragal_client::escaped(&error.to_string(), 300)));
        }
    }
    let result = match (history.result, history.winner()) {
        (None, _) => "none",
        (_, None) => "draw",
        (_, winner) if winner == seat => "win",
        _ => "loss",
    };
    let termination = history.termination.as_deref().unwrap_or("unknown").escape_default().to_string();
    let keeper = Arc::clone(shared);
    let copy = history.clone();
    let written = tokio::task::spawn_blocking(move || keeper.keeper.write(&copy, &witness)).await;
    match written {
        Ok(Ok(is_new)) => {
            if is_new {
                shared.metrics.count("games_total", result);
                shared.metrics.count("ends_total", &termination);
                let opponent = seat.and_then(|seat| history.players.of(seat.other()).name.clone()).unwrap_or_default();
                tracing::info!(
                    event = "end", game = %id, result, termination, turns = history.turns.len(),
                    "game over: {result} against {} ({termination})", opponent.escape_default()
                );
            }
            shared.state.change(|state| state.games.remove(&id));
        }
        Ok(Err(error)) => {
            // It stays in the state, so that the next start writes it.
            shared.alarm("journal", &format!("game {id} cannot be written: {error}"));
        }
        Err(error) => shared.alarm("journal", &format!("game {id} cannot be written: {error}")),
    }
    let lost_on_time = result == "loss" && termination == "timeout";
    if lost_on_time {
        shared.alarm("time", &format!("game {id} was lost on time"));
    }
    let _ = shared.notices.send(Notice::Finished { id, lost_on_time, ladder: is_of_ladder(history) });
}

/// Whether a game was one of the ladder's: a newer server tells where it came from; of an older one the ladder's time control
/// and that it is rated say so.
fn is_of_ladder(history: &History) -> bool {
    match &history.origin {
        Some(origin) => origin.to_string().to_ascii_lowercase().contains("ladder"),
        None => {
            history.rated == Some(true)
                && history.time_control == Some(TimeControl::Fischer { initial: 300, increment: 3 })
        }
    }
}

fn seat_of(shared: &Shared, history: &History) -> Option<Seat> {
    let shown = shared.account.shown();
    let is = |seat| history.players.of(seat).name.as_deref() == Some(shown.as_str());
    match (is(Seat::White), is(Seat::Black)) {
        (true, false) => Some(Seat::White),
        (false, true) => Some(Seat::Black),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_of_the_ladder_are_told_from_others() {
        let game = |rated: bool, control: &str, origin: &str| {
            let text = format!(r#"{{"gameId":"g","rated":{rated},"timeControl":{control},"turns":[]{origin}}}"#);
            is_of_ladder(&serde_json::from_str(&text).expect("a history"))
        };
        let (ladder, other) = (
            r#"{"Fischer":{"initialSeconds":300,"incrementSeconds":3}}"#,
            r#"{"Fischer":{"initialSeconds":60,"incrementSeconds":1}}"#,
        );
        assert!(game(true, ladder, "") && !game(false, ladder, "") && !game(true, other, ""));
        assert!(game(true, ladder, r#","origin":"ladder""#) && !game(true, ladder, r#","origin":"challenge""#));
        assert!(game(true, ladder, r#","origin":{"Ladder":{}}"#) && game(true, ladder, r#","origin":null"#));
    }
}
