//! What a game sends to the server, what comes back, and what is fetched when there is a doubt.

use super::*;

/// How often in a row a game and its history are missing before it is given up.
const MOST_MISSING: u32 = 30;

impl Game {
    /// Sends what was decided; the verdict comes later.
    pub(super) fn send(&mut self) {
        let Some(Decided { key, action }) = &self.decided else { return };
        let (what, body): (&str, Option<Value>) = match action {
            // An offer is no field of an old server's turn; it is sent only if there is one.
            Action::Turn { moves, offers_draw: true } => ("move", Some(json!({"moves": moves, "offerDraw": true}))),
            Action::Turn { moves, .. } => ("move", Some(json!({"moves": moves}))),
            Action::Draw { accept: true } => ("draw/accept", None),
            Action::Draw { accept: false } => ("draw/decline", None),
            Action::Resign => ("resign", None),
        };
        let path = format!("/bot/game/{}/{what}", self.id);
        let (shared, wait) = (Arc::clone(&self.shared), self.shared.waits.answer(self.running()));
        let handle = tokio::spawn(async move {
            let began = Instant::now();
            let answered = shared.server.post(&path, body.as_ref(), wait).await;
            Sent { answered, round_trip: began.elapsed() }
        });
        self.sending = Some((key.clone(), handle));
    }

    pub(super) fn replied(&mut self, key: &str, sent: Option<Sent>) {
        let Some(Sent { answered, round_trip }) = sent else {
            self.hold_for(key, self.shared.waits.settle);
            return;
        };
        let reply = reply_of(&answered);
        let next = next_step(&reply);
        self.count_verdict(&answered);
        let clock = self.running();
        match next {
            Next::Done => {
                self.failures.reset();
                self.shared.learn(round_trip);
                self.answered = Some((key.to_owned(), Instant::now()));
                self.alarm = Instant::now() + self.shared.waits.silence(self.clock_shown());
                if let Ok(Answered { body, .. }) = &answered
                    && serde_json::from_slice::<Verdict>(body).is_ok_and(|verdict| verdict.draw_offered == Some(true))
                {
                    // Only an offer of the opponent's gives the right back.
                    self.has_offered = true;
                }
                if let Some(Decided { action: Action::Turn { moves, .. }, .. }) = &self.decided {
                    tracing::debug!(event = "turn", game = %self.id, ms = round_trip.as_millis(), "played {}", moves.join(","));
                }
            }
            Next::Fetch | Next::Over => {
                let wait = self.failures.fail(&self.shared.waits, clock, jitter());
                self.hold_for(key, wait);
            }
            Next::Refused => {
                if let Some(Decided { action: Action::Turn { moves, .. }, .. }) = self.decided.take() {
                    self.shared.alarm(
                        "refused",
                        &format!(
                            "game {}: the server refuses {} in {}",
                            self.id,
                            moves.join(",").escape_default(),
                            key.escape_default()
                        ),
                    );
                    if self.refused.0 == key {
                        self.refused.1.push(moves);
                    } else {
                        self.refused = (key.to_owned(), vec![moves]);
                    }
                }
                let wait = self.failures.fail(&self.shared.waits, clock, jitter());
                self.hold_for(key, wait);
            }
            Next::Watch => self.hold_for(key, self.shared.waits.verdict(clock)),
            Next::Unsure => {
                let settle = self.shared.waits.settle;
                let wait = self.failures.fail(&self.shared.waits, clock, jitter()).max(settle);
                self.hold_for(key, clock.map_or(wait, |left| wait.min((left / 20).max(settle / 10))));
            }
            Next::Pause(asked) => {
                let grown = self.failures.fail(&self.shared.waits, clock, jitter());
                let wait = asked.unwrap_or(grown).max(self.shared.waits.retry_first / 10);
                self.hold_for(key, clock.map_or(wait, |left| wait.min(left / 10)));
            }
            Next::NoRoute => {
                tracing::warn!(event = "verdict", game = %self.id, "the server has no such route");
                let grown = self.failures.fail(&self.shared.waits, clock, jitter());
                self.hold_for(key, grown.max(self.shared.waits.retry_first));
            }
            Next::Stop => {
                let _ = self.shared.notices.send(Notice::Unauthorized);
                self.hold_for(key, self.shared.waits.retry_most);
            }
        }
    }

    pub(super) fn count_verdict(&self, answered: &Result<Answered, CallError>) {
        let label = match answered {
            Err(CallError::Unreached(_)) => "unreached".to_owned(),
            Err(CallError::Cut(_)) => "cut".to_owned(),
            Ok(answered) => {
                let verdict: Option<Verdict> = serde_json::from_slice(&answered.body).ok();
                match verdict.and_then(|verdict| verdict.reason) {
                    Some(reason) => format!("{} {reason}", answered.status),
                    None => answered.status.to_string(),
                }
            }
        };
        if !label.starts_with("200") {
            tracing::info!(event = "verdict", game = %self.id, "the server's verdict: {}", label.escape_default());
        }
        self.shared.metrics.count("verdicts_total", &label);
    }

    /// Sends nothing for this key before the state was fetched, which is done after the wait.
    pub(super) fn hold_for(&mut self, key: &str, wait: Duration) {
        self.hold = Some((key.to_owned(), Instant::now()));
        self.alarm = Instant::now() + wait;
        if wait.is_zero() {
            self.fetch(false);
        }
    }

    /// It has been silent, or a wait is over.
    pub(super) fn ring(&mut self) {
        let silence = self.shared.waits.silence(self.running());
        self.alarm = Instant::now() + silence;
        if self.thinking.is_some() || self.sending.is_some() || self.fetching.is_some() {
            return;
        }
        let is_pass = self.due().is_some_and(|(due, _)| due == Due::Pass);
        if is_pass {
            self.passes.1 += 1;
        }
        self.fetch(self.view.is_some() && self.hold.is_none() && !is_pass);
    }

    /// Fetches the state; `look` looks at the list of games first, and fetches only what that shows to be newer.
    pub(super) fn fetch(&mut self, look: bool) {
        if self.fetching.is_some() {
            self.fetch_again |= !look;
            return;
        }
        self.fetch_again = false;
        let (shared, id) = (Arc::clone(&self.shared), self.id.clone());
        let wait = self.shared.waits.answer(self.running());
        let known = self.view.as_ref().map(|view| (view.version, view.active, view.dice_pending, view.draw_offered));
        let handle = tokio::spawn(async move {
            let mut seat = None;
            if look {
                match shared.server.get("/bot/games", wait).await {
                    Ok(answered) if answered.status == 200 => {
                        if let Some(list) = answered.read::<GameList>("games") {
                            let mine = list.games.iter().find(|game| game.game_id == id).cloned();
                            let _ = shared.notices.send(Notice::Games(list));
                            if let Some(mine) = mine {
                                seat = Some(mine.seat);
                                let asked = mine.decision.as_ref().map(|decision| decision.kind.as_str());
                                let same = known.is_some_and(|(version, active, pending, offered)| {
                                    mine.version <= version
                                        && (asked != Some("drawResponse") || offered)
                                        && mine.active_seat.is_none_or(|seat| seat == active)
                                        && mine.dice_pending == pending
                                });
                                if same {
                                    return Fetched::Same(Box::new(mine));
                                }
                            }
                        }
                    }
                    Ok(answered) if answered.status == 401 => return Fetched::Unauthorized,
                    Ok(answered) => return Fetched::Failed(answered.retry_after),
                    Err(_) => return Fetched::Failed(None),
                }
            }
            match shared.server.get(&format!("/games/{id}"), wait).await {
                Ok(answered) if answered.status == 200 => match answered.read::<GameState>("state") {
                    Some(state) => Fetched::State(Box::new(state), seat),
                    None => Fetched::Failed(None),
                },
                Ok(answered) if answered.status == 404 => {
                    // Over, or a server that does not know its games yet.
                    match shared.server.get(&format!("/games/{id}/history"), wait).await {
                        Ok(history) if history.status == 200 => Fetched::Gone,
                        Ok(history) if history.status == 404 => Fetched::Missing,
                        _ => Fetched::Failed(None),
                    }
                }
                Ok(answered) => Fetched::Failed(answered.retry_after),
                Err(_) => Fetched::Failed(None),
            }
        });
        self.fetching = Some((Instant::now(), handle));
    }

    pub(super) fn fetched(&mut self, began: Instant, fetched: Option<Fetched>) {
        let now = Instant::now();
        let fetched = fetched.unwrap_or(Fetched::Failed(None));
        self.missing = if matches!(fetched, Fetched::Missing) { self.missing + 1 } else { 0 };
        match fetched {
            Fetched::State(state, seat) => {
                self.seat = self.seat.or(seat);
                if let Some(view) = &self.view
                    && state.version < view.version
                    && self.heard_at > began
                {
                    // The stream was faster; what it said is not to be taken back.
                    self.alarm = now + self.shared.waits.settle;
                    return;
                }
                let newer = self.view.as_ref().is_some_and(|view| state.version > view.version);
                if newer && self.heard_at + self.shared.waits.silence_least < began {
                    // The stream should have told.
                    self.reopen.notify_one();
                }
                self.view = Some(View::of(*state));
                self.fetched_at = Some(began);
                if self.fetch_again {
                    self.changed(now);
                    self.fetch(false);
                    return;
                }
                if self.hold.as_ref().is_some_and(|(_, since)| began < *since) {
                    self.changed(now);
                    self.alarm = now + self.shared.waits.settle / 4;
                    return;
                }
                self.hold = None;
                self.changed(now);
            }
            Fetched::Same(mine) => {
                self.tell_of_doubles(&mine);
                self.seat = self.seat.or(Some(mine.seat));
                self.heard_at = now;
                if let (Some(view), Some(clocks)) = (&mut self.view, mine.clocks) {
                    view.clocks = Some(clocks);
                    self.changed(now);
                } else {
                    self.changed(self.read_at);
                }
            }
            Fetched::Gone => self.over = true,
            Fetched::Failed(asked) => self.fetch_later(asked),
            Fetched::Missing => {
                self.fetch_later(None);
                // Neither a game nor a history, again and again: a server that forgot it. While our clock may run it is
                // looked for.
                if self.missing > MOST_MISSING && self.left().is_none_or(|left| left.is_zero()) {
                    self.over = true;
                }
            }
            Fetched::Unauthorized => {
                let _ = self.shared.notices.send(Notice::Unauthorized);
            }
        }
    }
    /// Doubles are answered with no. The platform has told how for webhooks only, so that here nothing can be sent.
    fn tell_of_doubles(&mut self, mine: &MyGame) {
        let Some(decision) = mine.decision.as_ref().filter(|decision| decision.kind.starts_with("double")) else {
            return;
        };
        let which = format!("{} {:?}", decision.kind, decision.id);
        if self.double_told.as_ref() != Some(&which) {
            let kind: String = decision.kind.chars().take(40).collect();
            let text =
                format!("game {}: {} is asked for, which only webhooks can answer", self.id, kind.escape_default());
            self.shared.alarm("double", &text);
            self.double_told = Some(which);
        }
    }

    /// Fetches the state a while later, or when the server says; but a clock of ours may run.
    fn fetch_later(&mut self, asked: Option<Duration>) {
        let (waits, clock) = (self.shared.waits, self.running());
        let least = waits.retry_first / 10;
        let wait = self.failures.fail(&waits, clock, jitter()).max(least);
        // Of a game that has not been seen yet no clock is known.
        let most = clock.map_or(waits.silence_most, |left| (left / 10).max(least));
        self.alarm = Instant::now() + asked.unwrap_or(wait).min(most);
    }
}
