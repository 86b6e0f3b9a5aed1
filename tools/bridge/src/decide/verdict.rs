//! What an answer to a request means for the game.

use std::time::Duration;

/// What came back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// An answer.
    Answer {
        /// The HTTP status.
        status: u16,
        /// The verdict, if the body is one: whether it counts, and the reason if not.
        verdict: Option<(bool, Option<String>)>,
        /// Whether the body is empty.
        empty: bool,
        /// The header `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// None: the connection was cut, or it took too long. It may have been heard all the same.
    Cut,
    /// The server could not even be reached: it has certainly not been heard.
    Unreached,
}

/// What to do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It counts.
    Done,
    /// Fetch the state and decide anew.
    Fetch,
    /// The same, and this turn is not to be sent again for this roll.
    Refused,
    /// Watch the stream, and fetch the state a while later.
    Watch,
    /// Wait so long (at most as the clock allows) or, without a time, a growing while; then fetch the state.
    Pause(Option<Duration>),
    /// It may have been heard: wait a moment, fetch the state, and never send blindly.
    Unsure,
    /// The game is over and put away: read its history.
    Over,
    /// The server does not know this kind of request.
    NoRoute,
    /// The token does not hold any more: stop everything.
    Stop,
}

/// What to do after the answer to a turn, a resignation, or an answer to a draw offer.
pub fn next_step(reply: &Reply) -> Next {
    let Reply::Answer { status, verdict, empty, retry_after } = reply else {
        return if *reply == Reply::Unreached { Next::Pause(None) } else { Next::Unsure };
    };
    let reason = verdict.as_ref().and_then(|(_, reason)| reason.as_deref()).unwrap_or_default();
    match status {
        200 if verdict.as_ref().is_some_and(|(applied, _)| !applied) => refusal(reason),
        200 | 201 | 204 => Next::Done,
        202 => Next::Watch,
        400 | 422 => Next::Refused,
        401 => Next::Stop,
        404 if *empty => Next::Over,
        404 | 405 | 501 => Next::NoRoute,
        409 => refusal(reason),
        408 | 425 => Next::Unsure,
        429 => Next::Pause(*retry_after),
        503 if retry_after.is_some() => Next::Pause(*retry_after),
        // A proxy's 5xx says nothing about whether the server behind it has heard.
        500..=599 => Next::Unsure,
        _ => Next::Pause(*retry_after),
    }
}

fn refusal(reason: &str) -> Next {
    if reason.contains("illegal turn") {
        Next::Refused
    } else if reason.contains("game is over") {
        Next::Over
    } else {
        // Not our turn, no draw offer pending, dice not rolled yet, or something newer.
        Next::Fetch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_verdict_has_its_answer() {
        let said = |status, applied, reason: &str| {
            let reason = (!reason.is_empty()).then(|| reason.to_owned());
            Reply::Answer { status, verdict: Some((applied, reason)), empty: false, retry_after: None }
        };
        let bare = |status, empty| Reply::Answer { status, verdict: None, empty, retry_after: None };
        let later = |status| {
            let retry_after = Some(Duration::from_secs(7));
            Reply::Answer { status, verdict: None, empty: true, retry_after }
        };
        let table = [
            (said(200, true, ""), Next::Done),
            (said(200, false, "something newer"), Next::Fetch),
            (said(409, false, "not your turn"), Next::Fetch),
            (said(409, false, "illegal turn"), Next::Refused),
            (said(409, false, "game is over"), Next::Over),
            (said(409, false, "no draw offer pending"), Next::Fetch),
            (said(409, false, "dice not rolled yet: a draw offer waits"), Next::Fetch),
            (said(409, false, ""), Next::Fetch),
            (bare(409, true), Next::Fetch),
            (bare(202, true), Next::Watch),
            (bare(400, false), Next::Refused),
            (bare(401, true), Next::Stop),
            (bare(403, true), Next::Pause(None)),
            (bare(404, true), Next::Over),
            (bare(404, false), Next::NoRoute),
            (later(429), Next::Pause(Some(Duration::from_secs(7)))),
            (bare(429, true), Next::Pause(None)),
            (bare(500, true), Next::Unsure),
            (bare(502, false), Next::Unsure),
            (bare(504, false), Next::Unsure),
            (later(503), Next::Pause(Some(Duration::from_secs(7)))),
            (bare(301, true), Next::Pause(None)),
            (Reply::Cut, Next::Unsure),
            (Reply::Unreached, Next::Pause(None)),
        ];
        for (reply, next) in table {
            assert_eq!(next_step(&reply), next, "{reply:?}");
        }
    }
}
