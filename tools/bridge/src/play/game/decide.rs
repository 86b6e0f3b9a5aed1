//! What a game decides: whether something is due, the turn for it, offers and resignation.

use super::*;

impl Game {
    /// Does what is due.
    pub(super) fn act(&mut self) {
        if self.over || self.shared.config.mode == Mode::Webhook {
            return;
        }
        if self.view.is_some() && self.seat.is_none() && !std::mem::replace(&mut self.asked_for_seat, true) {
            self.fetch(true);
        }
        let Some((due, key)) = self.due() else { return };
        let wanted = matches!(due, Due::Turn | Due::DrawAnswer | Due::Pass);
        let is_stale = self.thinking.as_ref().is_some_and(|(other, _)| *other != key || !wanted);
        if is_stale && let Some((_, handle)) = self.thinking.take() {
            handle.abort();
            self.worker.stop();
        }
        // What the verdict was to say, the view has said.
        if wanted && self.sending.as_ref().is_some_and(|(other, _)| *other != key) {
            self.sending = None;
        }
        let (due, tree) = match due {
            Due::Over => {
                self.over = true;
                return;
            }
            Due::Nothing => return,
            Due::DrawAnswer => (due, None),
            Due::Turn => (due, self.view.as_ref().and_then(|view| view.tree.clone())),
            Due::Pass => {
                if self.passes.0 != key {
                    self.passes = (key.clone(), 0);
                    self.alarm = self.read_at + self.pass_wait();
                }
                let lies = self.passes.1 > 0
                    && Rolled::from_dfen(&key).is_ok_and(|rolled| !first_legal_turn(&rolled).is_empty());
                if !lies {
                    return;
                }
                (Due::Turn, None)
            }
        };
        if self.hold.as_ref().is_some_and(|(held, _)| *held == key) || self.sending.is_some() {
            return;
        }
        if let Some((answered, at)) = &self.answered
            && *answered == key
            && self.fetched_at.is_none_or(|fetched| fetched < *at)
        {
            // The server said that it counts. Only a state fetched since may say otherwise.
            self.hold = Some((key, Instant::now()));
            self.fetch(false);
            return;
        }
        match &self.decided {
            Some(decided) if decided.key == key => self.send(),
            _ if self.thinking.is_some() => {}
            _ if due == Due::DrawAnswer => {
                let accept = self.shared.config.draws.accepts(&self.outlook);
                self.has_offered = false;
                tracing::info!(event = "draw", game = %self.id, "a draw is offered: {}", if accept { "accepted" } else { "declined" });
                self.decided = Some(Decided { key, action: Action::Draw { accept } });
                self.send();
            }
            _ => self.think(key, tree),
        }
    }

    fn pass_wait(&self) -> Duration {
        let most = self.shared.waits.pass;
        self.running().map_or(most, |left| most.min((left / 10).max(self.shared.waits.silence_least)))
    }

    fn think(&mut self, key: String, tree: Option<Tree>) {
        let (Some(view), Some(seat)) = (&self.view, self.seat) else { return };
        if self.refused.0 != key {
            self.refused = (key.clone(), Vec::new());
        }
        let overhead = self.shared.overhead.lock().current();
        let age = self.read_at.elapsed();
        let unlimited = self.shared.config.unlimited();
        let time = engine_time(&view.control, view.clocks, seat, age, overhead, unlimited);
        let (shared, worker, id) = (Arc::clone(&self.shared), Arc::clone(&self.worker), self.id.clone());
        let (dfen, refused) = (key.clone(), self.refused.1.clone());
        let handle =
            tokio::spawn(async move { choose(&shared, &id, &worker, &dfen, tree.as_ref(), &refused, time).await });
        self.thinking = Some((key, handle));
    }

    pub(super) fn chosen(&mut self, key: String, choice: Option<Choice>) {
        let choice = choice.unwrap_or_else(|| {
            // The task panicked: the turn is still to be played.
            let text = format!("game {}: thinking about {} failed", self.id, key.escape_default());
            self.shared.alarm("panic", &text);
            let turn = Rolled::from_dfen(&key).map(|rolled| first_legal_turn(&rolled));
            let moves = turn.map(|turn| turn.moves().iter().map(ToString::to_string).collect());
            Choice { moves: moves.unwrap_or_default(), fallback: Some("panic"), ..Choice::default() }
        });
        if let Some(thought) = &choice.thought {
            self.outlook.add(thought.score, &self.shared.config.draws, &self.shared.config.resign);
            if let Ok(rolled) = Rolled::from_dfen(&key) {
                let own = OwnTurn {
                    score: thought.score,
                    depth: thought.depth,
                    nodes: thought.nodes,
                    time_ms: Some(thought.time.as_micros() as f64 / 1000.0),
                    engine_time_ms: thought.engine_time_ms,
                };
                self.witness.turns.insert(rolled.to_string(), own);
            }
        }
        let resign = self.shared.config.resign;
        let action = if resign.resigns(&self.outlook) || (choice.resigns && resign.enabled) {
            tracing::info!(event = "resign", game = %self.id, "the game is given up at {}", key.escape_default());
            Action::Resign
        } else if choice.moves.is_empty() {
            if choice.resigns {
                // It may not: it goes on with turns of the instant bot.
                let turn = Rolled::from_dfen(&key).map(|rolled| crate::engine::instant_turn(&rolled));
                let moves: Vec<String> =
                    turn.map(|turn| turn.moves().iter().map(ToString::to_string).collect()).unwrap_or_default();
                Action::Turn { moves, offers_draw: false }
            } else {
                // Neither we nor the server sees a turn: a pass, which the server plays.
                self.hold = Some((key, Instant::now()));
                self.alarm = Instant::now() + self.pass_wait();
                return;
            }
        } else {
            let may = !self.has_offered && self.view.as_ref().and_then(|view| view.may_offer_draw) != Some(false);
            let wants = self.shared.config.draws.offers(&self.outlook)
                || (self.shared.config.draws.offer
                    && choice.thought.as_ref().is_some_and(|thought| thought.offers_draw));
            Action::Turn { moves: choice.moves, offers_draw: may && wants }
        };
        self.decided = Some(Decided { key, action });
    }
}
