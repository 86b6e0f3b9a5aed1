//! Requests of the account, one after the other, so that games never wait for them.

use super::ladder::Ladder;
use super::seeks::Seeks;
use crate::api::{Challenges, Leaderboard, is_slug, is_sound_id};
use crate::config::Mode;
use crate::decide::Answer;
use crate::play::{Notice, Shared, Stop, now};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// Something to do.
#[derive(Clone, Debug)]
pub enum Errand {
    /// The account's stream was opened: see what was missed.
    Connected,
    /// Look at the challenges.
    Challenges,
    /// A game has ended: there is a place.
    Finished {
        /// Whether we lost it on time.
        lost_on_time: bool,
        /// Whether it was a game of the ladder.
        ladder: bool,
    },
}

#[derive(Deserialize)]
struct Accepted {
    #[serde(rename = "gameId")]
    game_id: String,
}

struct Account {
    shared: Arc<Shared>,
    seeks: Seeks,
    ladder: Ladder,
    /// Whom we have challenged and wait for: `team/name`, and since when.
    pending: BTreeMap<String, Instant>,
    declared: bool,
    /// Whether people have been invited, or the server will not have it.
    invited: bool,
    looked_at_games: Instant,
    looked_at_challenges: Instant,
}

/// Runs errands until the bridge ends, and says goodbye.
pub async fn errands(shared: Arc<Shared>, mut inbox: UnboundedReceiver<Errand>) {
    let long_ago = Instant::now();
    let mut account = Account {
        seeks: Seeks::new(&shared),
        ladder: Ladder::new(&shared),
        shared: Arc::clone(&shared),
        pending: BTreeMap::new(),
        declared: false,
        invited: false,
        looked_at_games: long_ago,
        looked_at_challenges: long_ago,
    };
    let mut stop = shared.stop.subscribe();
    account.connected().await;
    let tick = match shared.config.mode {
        Mode::Poll => shared.waits.poll,
        _ => shared.waits.poll.max(shared.waits.retry_first),
    };
    loop {
        tokio::select! {
            errand = inbox.recv() => match errand {
                None => break,
                Some(Errand::Connected) => account.connected().await,
                Some(Errand::Challenges) => account.challenges().await,
                Some(Errand::Finished { lost_on_time, ladder }) => {
                    if ladder {
                        account.ladder.ended(&shared, lost_on_time);
                    }
                    account.challenges().await;
                }
            },
            () = tokio::time::sleep(tick) => account.tick().await,
            () = async { let _ = stop.wait_for(|stop| *stop != Stop::Running).await; } => break,
        }
    }
    let farewell = async {
        account.ladder.leave(&shared).await;
        account.seeks.cancel(&shared).await;
        if shared.config.open_to_humans.is_some() {
            let _ = shared.server.post("/bot/open-to-humans/leave", None, shared.waits.answer_most).await;
        }
        // The least that can be declared.
        let _ = declare(&shared, 1).await;
    };
    if timeout(shared.waits.farewell, farewell).await.is_err() {
        tracing::warn!(event = "farewell", "the server did not take all goodbyes in time");
    }
    // Challenges that come while the last games are played are declined.
    while *shared.stop.borrow() != Stop::Now {
        tokio::select! {
            errand = inbox.recv() => match errand {
                None => break,
                Some(_) => account.challenges().await,
            },
            () = tokio::time::sleep(shared.waits.challenges / 4) => account.challenges().await,
            () = async { let _ = stop.wait_for(|stop| *stop == Stop::Now).await; } => break,
        }
    }
}

async fn declare(shared: &Shared, games: u32) -> bool {
    let body = json!({"maxConcurrentGames": games});
    match shared.server.post("/bot/capacity", Some(&body), shared.waits.answer_most).await {
        Ok(answered) if answered.is_success() => {
            tracing::info!(event = "capacity", "capacity declared: {games}");
            true
        }
        // Anonymous bots have no limit.
        Ok(answered) if answered.status == 403 || answered.status == 404 => true,
        Ok(answered) => {
            tracing::warn!(event = "capacity", "the capacity was not taken: {}", answered.shown());
            false
        }
        Err(_) => false,
    }
}

impl Account {
    async fn connected(&mut self) {
        self.games().await;
        if *self.shared.stop.borrow() != Stop::Running {
            return;
        }
        if !self.declared {
            self.declared = declare(&self.shared, self.shared.config.concurrency).await;
        }
        if !self.invited
            && let Some(text) = &self.shared.config.open_to_humans
        {
            let body = json!({"description": text});
            match self.shared.server.post("/bot/open-to-humans", Some(&body), self.shared.waits.answer_most).await {
                Ok(answered) if answered.is_success() => {
                    self.invited = true;
                    tracing::info!(event = "open", "open to humans");
                }
                Ok(answered) => {
                    // What is refused once is refused again; what failed may not be.
                    self.invited = answered.status < 500 && answered.status != 429;
                    tracing::warn!(event = "open", "not open to humans: {}", answered.shown());
                }
                Err(_) => {}
            }
        }
        self.challenges().await;
    }

    async fn tick(&mut self) {
        let shared = Arc::clone(&self.shared);
        let games = match shared.config.mode {
            Mode::Poll => shared.waits.poll,
            Mode::Webhook => shared.waits.games / 3,
            // Games out of seeks and of people come without a word.
            Mode::Stream if shared.config.open_to_humans.is_some() || !shared.config.seeks.is_empty() => {
                shared.waits.games / 6
            }
            Mode::Stream => shared.waits.games,
        };
        if self.looked_at_games.elapsed() >= games {
            self.games().await;
        }
        let challenges =
            if shared.config.mode == Mode::Stream { shared.waits.challenges } else { shared.waits.challenges / 12 };
        if self.looked_at_challenges.elapsed() >= challenges {
            self.challenges().await;
        }
        if *shared.stop.borrow() != Stop::Running {
            return;
        }
        if !self.declared {
            self.connected().await;
        }
        let free = shared.free().saturating_sub(self.pending.len());
        self.seeks.tend(&shared, free).await;
        self.ladder.tend(&shared).await;
        if free > 0 {
            self.challenge_somebody().await;
        }
    }

    async fn games(&mut self) {
        self.looked_at_games = Instant::now();
        match self.shared.server.get("/bot/games", self.shared.waits.answer_most).await {
            Ok(answered) if answered.status == 200 => {
                if let Some(list) = answered.read("games") {
                    let _ = self.shared.notices.send(Notice::Games(list));
                }
            }
            Ok(answered) if answered.status == 401 => {
                let _ = self.shared.notices.send(Notice::Unauthorized);
            }
            _ => {}
        }
    }

    async fn challenges(&mut self) {
        self.looked_at_challenges = Instant::now();
        let shared = Arc::clone(&self.shared);
        let Ok(answered) = shared.server.get("/bot/challenges", shared.waits.answer_most).await else { return };
        if answered.status == 401 {
            let _ = shared.notices.send(Notice::Unauthorized);
        }
        if answered.status != 200 {
            return;
        }
        let Some(challenges) = answered.read::<Challenges>("challenges") else { return };
        for challenge in &challenges.incoming {
            let name = challenge.challenger.as_ref().map(|(team, name)| format!("{team} {name}"));
            let against = name.as_ref().map_or(0, |name| shared.games_against(name));
            let answer = if *shared.stop.borrow() == Stop::Running {
                shared.config.challenges.answer(challenge, against, shared.free())
            } else {
                Answer::Decline("no new games now".to_owned())
            };
            let shown = name.as_deref().unwrap_or("somebody").escape_default().to_string();
            let control = challenge.time_control.as_ref().map_or("unlimited".to_owned(), ToString::to_string);
            let id = &challenge.id;
            if !is_sound_id(id) {
                tracing::warn!(event = "challenge", "the challenge of {shown} has an id that is none: left alone");
                continue;
            }
            match answer {
                Answer::Later => tracing::debug!(event = "challenge", "no place for the challenge of {shown} now"),
                Answer::Decline(why) => {
                    shared.metrics.count("challenges_total", "declined");
                    tracing::info!(event = "challenge", "declined {shown}, {control}: {why}");
                    let _ = shared
                        .server
                        .post(&format!("/bot/challenge/{id}/decline"), None, shared.waits.answer_most)
                        .await;
                }
                Answer::Accept => {
                    let path = format!("/bot/challenge/{id}/accept");
                    match shared.server.post(&path, None, shared.waits.answer_most).await {
                        Ok(answered) if answered.is_success() => {
                            shared.metrics.count("challenges_total", "accepted");
                            tracing::info!(event = "challenge", "accepted {shown}, {control}");
                            let accepted = answered.read::<Accepted>("accepted");
                            if let Some(accepted) = accepted.filter(|accepted| is_sound_id(&accepted.game_id)) {
                                shared.reserve(&accepted.game_id, name.as_deref());
                                let _ = shared.notices.send(Notice::Start(accepted.game_id));
                            }
                        }
                        Ok(answered) => {
                            shared.metrics.count("challenges_total", "not accepted");
                            tracing::info!(
                                event = "challenge",
                                "the server did not let us accept {shown}: {}",
                                answered.shown()
                            );
                        }
                        // The list of games will show it.
                        Err(error) => tracing::warn!(event = "challenge", "accepting {shown}: {error}"),
                    }
                }
            }
        }
        self.settle_pending(&challenges);
    }

    /// What became of the challenges that we sent.
    fn settle_pending(&mut self, challenges: &Challenges) {
        let waiting: Vec<String> = challenges
            .outgoing
            .iter()
            .filter_map(|challenge| challenge.target.as_ref().map(|(team, name)| format!("{team}/{name}")))
            .collect();
        for name in &waiting {
            // One of before we were started anew.
            self.pending.entry(name.clone()).or_insert_with(Instant::now);
        }
        let shared = &self.shared;
        self.pending.retain(|name, since| {
            if waiting.contains(name) {
                return true;
            }
            if shared.games_against(&name.replace('/', " ")) > 0 {
                shared.state.change(|state| state.matchmaker.accepted(name));
                return false;
            }
            // The game of an accepted challenge may show a moment later.
            if since.elapsed() < shared.waits.poll * 3 {
                return true;
            }
            let rules = &shared.config.matchmaker;
            tracing::info!(event = "matchmaker", "{name} did not take our challenge");
            shared.state.change(|state| state.matchmaker.declined(rules, name, now().as_secs()));
            false
        });
    }

    async fn challenge_somebody(&mut self) {
        let shared = Arc::clone(&self.shared);
        let rules = &shared.config.matchmaker;
        if !rules.enabled {
            return;
        }
        let time = now().as_secs();
        // Asked first with everybody allowed, so that the leaderboard is read only when somebody can be challenged.
        let due = shared.state.change(|state| state.matchmaker.next(rules, &["*/*".to_owned()], time)).is_some();
        if !due {
            return;
        }
        let mut candidates = rules.opponents.clone();
        if rules.neighbours > 0 {
            candidates.extend(self.neighbours(rules.neighbours).await);
        }
        candidates
            .retain(|name| !self.pending.contains_key(name) && shared.games_against(&name.replace('/', " ")) == 0);
        let Some((target, control)) = shared.state.change(|state| state.matchmaker.next(rules, &candidates, time))
        else {
            return;
        };
        let Some((team, name)) = target.split_once('/') else { return };
        let body = json!({"team": team, "name": name, "timeControl": control, "rated": rules.rated});
        shared.state.change(|state| state.matchmaker.sent(&target, time));
        match shared.server.post("/bot/challenge", Some(&body), shared.waits.answer_most).await {
            Ok(answered) if answered.is_success() => {
                tracing::info!(event = "matchmaker", "challenged {target}, {control}");
                shared.metrics.count("challenges_total", "sent");
                self.pending.insert(target, Instant::now());
            }
            Ok(answered) => {
                tracing::info!(event = "matchmaker", "{target} cannot be challenged: {}", answered.shown());
                if answered.status != 429 {
                    shared.state.change(|state| state.matchmaker.declined(rules, &target, time));
                }
            }
            Err(_) => {}
        }
    }

    /// The bots around us on the leaderboard.
    async fn neighbours(&self, places: u32) -> Vec<String> {
        let answered = self.shared.server.get("/leaderboard", self.shared.waits.answer_most).await;
        let board =
            answered.ok().filter(|answered| answered.status == 200).and_then(|answered| answered.read("leaderboard"));
        let Some(Leaderboard { leaders }) = board else { return Vec::new() };
        let names: Vec<String> = leaders
            .iter()
            .filter(|leader| leader.kind.as_deref().is_none_or(|kind| kind.eq_ignore_ascii_case("bot")))
            .filter_map(|leader| Some((leader.team.as_ref()?, leader.name.as_ref()?)))
            .filter(|(team, name)| is_slug(team) && is_slug(name))
            .map(|(team, name)| format!("{team}/{name}"))
            .collect();
        let us = format!("{}/{}", self.shared.account.team, self.shared.account.name);
        let places = places as usize;
        // Those who are not on it yet begin at its end.
        let place = names.iter().position(|name| *name == us).unwrap_or(names.len());
        let range = place.saturating_sub(places)..(place + places + 1).min(names.len());
        names[range].iter().filter(|name| **name != us).cloned().collect()
    }
}

/// Names come from outside: nothing in them may change a path.
pub(super) fn path_safe(id: &str) -> String {
    let plain: String = id.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.~".contains(*c)).take(100).collect();
    if plain.bytes().all(|byte| byte == b'.') { "_".to_owned() } else { plain }
}
