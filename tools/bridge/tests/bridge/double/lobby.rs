//! Everything of the double that is no game: who calls, challenges, seeks, the ladder, standings, the registration of webhooks.

use super::{Inner, TOKEN};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const RIVAL_TOKEN: &str = "t0ken-of-the-rival";
pub const STRANGER_TOKEN: &str = "t0ken-of-a-stranger";
pub const ANONYMOUS_TOKEN: &str = "t0ken-of-nobody";

struct Seek {
    id: String,
    control: Value,
    secret: String,
    /// The game and the seat, once it is taken.
    game: Option<(String, &'static str)>,
}

#[derive(Default)]
pub struct Lobby {
    registered: BTreeSet<(String, String)>,
    /// Challenges of the client's.
    outgoing: Vec<Value>,
    next_challenge: u64,
    seeks: Vec<Seek>,
    next_seek: u64,
    /// How often seeks were asked for.
    pub seeks_asked: u32,
    pub refuses_seeks: bool,
    open_to_humans: Option<String>,
    description: Option<String>,
    webhook: Option<String>,
    /// Whether addresses of this machine are taken, for tests.
    pub takes_loopback: bool,
    /// Whether an address must answer a verification before it is taken.
    pub verifies: bool,
    /// Whether a proxy keeps the client out.
    pub forbids: bool,
    /// Whether the ladder is closed to the client.
    pub no_ladder: bool,
}

/// A bot as the double knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    Client,
    Rival,
    Stranger,
    Anonymous,
}

impl Caller {
    const fn slugs(self) -> (&'static str, &'static str) {
        match self {
            Self::Client => ("dragons", "astragal"),
            Self::Rival => ("knights", "rival"),
            Self::Stranger => ("crows", "other"),
            Self::Anonymous => ("anon", "mybot-91ed2904"),
        }
    }

    fn bot(self) -> Value {
        let (team, name) = self.slugs();
        json!({"Bot": {"team": team, "name": name}})
    }
}

/// Whose token that is.
pub fn caller(inner: &Inner, token: &str) -> Option<Caller> {
    match token {
        RIVAL_TOKEN => Some(Caller::Rival),
        STRANGER_TOKEN => Some(Caller::Stranger),
        ANONYMOUS_TOKEN => Some(Caller::Anonymous),
        _ => inner.token.as_deref().is_some_and(|known| known == token).then_some(Caller::Client),
    }
}

type Answer = (u16, Value);

/// The answer to what is no game; none if it is about something else.
pub fn answer(
    inner: &mut Inner,
    caller: Option<Caller>,
    method: &str,
    parts: &[&str],
    query: &str,
    body: Option<&Value>,
) -> Option<Answer> {
    if let Some(answer) = public(inner, method, parts, query, body) {
        return Some(answer);
    }
    let caller = caller?;
    let is_registered = caller != Caller::Anonymous;
    let nothing = Value::Null;
    let field = |name: &str| body.map_or(&nothing, |body| &body[name]);
    Some(match (method, parts) {
        ("GET", ["bot", "account"]) if inner.lobby.forbids => (403, json!("1010")),
        ("GET", ["bot", "account"]) => {
            let (team, name) = caller.slugs();
            (200, json!({"team": team, "name": name, "id": format!("bot:team:{team}:{name}")}))
        }
        ("POST", ["bot", "token"]) if !is_registered => (403, json!("only a registered bot can rotate its token")),
        ("POST", ["bot", "token"]) => {
            let token = format!("{TOKEN}-{}", inner.next_id + 1);
            inner.token = Some(token.clone());
            (200, json!({"token": token}))
        }
        ("POST" | "GET", ["bot", "capacity"]) if !is_registered => {
            (403, json!("only a registered bot can declare a concurrent-game limit"))
        }
        ("POST" | "GET", ["bot", "capacity"]) => {
            if let Some(most) = field("maxConcurrentGames").as_u64() {
                if !(1..=32).contains(&most) {
                    return Some((400, json!("maxConcurrentGames must be between 1 and 32")));
                }
                inner.capacity = u32::try_from(most).expect("small");
            }
            let body = json!({
                "maxConcurrentGames": inner.capacity, "openToHumans": inner.lobby.open_to_humans.is_some(),
                "ladderAllowance": inner.capacity, "activeGames": inner.games.len(),
            });
            (200, body)
        }
        ("POST", ["bot", "ladder", _]) if !is_registered || inner.lobby.no_ladder => {
            (403, json!("only a registered bot can join the rating ladder"))
        }
        ("POST", ["bot", "ladder", what @ ("join" | "leave")]) => {
            inner.on_ladder = *what == "join";
            inner.ladder_moves.push(if inner.on_ladder { "join" } else { "leave" });
            (200, json!({"onLadder": inner.on_ladder, "glickoRating": 1500.0, "glickoRd": 350.0}))
        }
        ("POST", ["bot", "open-to-humans"]) => {
            let text = field("description").as_str().map(str::to_owned);
            (inner.lobby.open_to_humans, inner.lobby.description) = (text.clone(), text.clone());
            (200, json!({"openToHumans": true, "description": text}))
        }
        ("POST", ["bot", "open-to-humans", "leave"]) => {
            inner.lobby.open_to_humans = None;
            (200, json!({"openToHumans": false, "description": inner.lobby.description}))
        }
        (_, ["bot", "challenge" | "challenges", ..]) => challenges(inner, caller, method, parts, body)?,
        ("POST", ["bot", "seeks"]) => {
            inner.lobby.seeks_asked += 1;
            let open = inner.lobby.seeks.iter().filter(|seek| seek.game.is_none()).count();
            if open >= 3 || inner.lobby.refuses_seeks {
                return Some((429, json!("too many open seeks — cancel one or let them expire")));
            }
            let id = format!("seek-{}", inner.lobby.next_seek);
            inner.lobby.next_seek += 1;
            let secret = format!("s3cret+of/{id}==");
            let control = field("timeControl").clone();
            let control = if control.is_null() {
                json!({"Fischer": {"initialSeconds": 600, "incrementSeconds": 10}})
            } else {
                control
            };
            inner.lobby.seeks.push(Seek { id: id.clone(), control, secret: secret.clone(), game: None });
            (201, json!({"seekId": id, "secret": secret}))
        }
        ("POST", ["bot", "seeks", id, "accept"]) => {
            let place = inner.lobby.seeks.iter().position(|seek| seek.id == *id);
            let Some(place) = place else { return Some((404, Value::Null)) };
            if caller == Caller::Client {
                return Some((400, json!("cannot accept your own seek")));
            }
            if inner.lobby.seeks[place].game.is_some() {
                return Some((409, Value::Null));
            }
            let game = inner.take_seek(place);
            (201, json!({"gameId": game}))
        }
        ("POST", ["bot", "webhook"]) => {
            let url = field("url").as_str().unwrap_or_default().to_owned();
            if !url.starts_with("https://") && !inner.lobby.takes_loopback {
                return Some((422, json!("webhook URL must use https")));
            }
            if url.contains("127.0.0.1") && !inner.lobby.takes_loopback {
                return Some((422, json!("host resolves to a non-public address")));
            }
            inner.lobby.webhook = Some(url.clone());
            (201, json!({"url": url, "secret": "ba449f956ad4c3506aa0a1a42bbea139dea2ce7080b245ba81373f329ff02e71"}))
        }
        ("GET", ["bot", "webhook"]) => match &inner.lobby.webhook {
            None => (404, Value::Null),
            Some(url) => (200, json!({"url": url, "verifiedAt": "2026-12-01T04:21:00.267Z"})),
        },
        ("DELETE", ["bot", "webhook"]) => {
            inner.lobby.webhook = None;
            (204, Value::Null)
        }
        ("GET", ["bot", "webhook", "stats"]) => {
            let window = json!({"totalDeliveries": 0, "outcomes": [], "p50Ms": null, "p90Ms": null, "p99Ms": null});
            (200, json!({"last24h": window, "last7d": window, "lastFailure": null}))
        }
        _ => return None,
    })
}

/// What needs no token.
fn public(inner: &mut Inner, method: &str, parts: &[&str], query: &str, body: Option<&Value>) -> Option<Answer> {
    Some(match (method, parts) {
        ("POST", ["bot", "anon"]) => {
            let (team, name) = Caller::Anonymous.slugs();
            (
                201,
                json!({"token": ANONYMOUS_TOKEN, "team": team, "name": name, "id": format!("bot:team:{team}:{name}")}),
            )
        }
        ("POST", ["bot", "register"]) => {
            let Some(body) = body else { return Some((400, json!("Malformed message body: Invalid JSON"))) };
            let (Some(team), Some(name)) = (body["team"].as_str(), body["name"].as_str()) else {
                return Some((400, json!("Invalid message body")));
            };
            if !bridge::api::is_slug(team) || !bridge::api::is_slug(name) || ["anon", "house"].contains(&team) {
                let text = "team and name must be lowercase slugs: [a-z0-9][a-z0-9-]*, at most 32 chars";
                return Some((400, json!(text)));
            }
            if !inner.lobby.registered.insert((team.to_owned(), name.to_owned())) {
                return Some((409, json!("this bot identity is already taken")));
            }
            (201, json!({"token": TOKEN, "team": team, "name": name, "id": format!("bot:team:{team}:{name}")}))
        }
        ("GET", ["lobby", "seeks"]) => {
            let open = inner.lobby.seeks.iter().filter(|seek| seek.game.is_none());
            let shown = |seek: &Seek| json!({"id": seek.id, "timeControl": seek.control, "kind": "Bot", "name": super::game::US});
            (200, open.map(shown).collect())
        }
        (method @ ("GET" | "DELETE"), ["lobby", "seeks", id]) => {
            let secret = query
                .strip_prefix("secret=")
                .unwrap_or_default()
                .replace("%2B", "+")
                .replace("%2F", "/")
                .replace("%3D", "=");
            let place = inner.lobby.seeks.iter().position(|seek| seek.id == *id && seek.secret == secret);
            let Some(place) = place else { return Some((404, Value::Null)) };
            if method == "DELETE" {
                inner.lobby.seeks.remove(place);
                return Some((204, Value::Null));
            }
            let game = inner.lobby.seeks[place].game.clone();
            let token = game.as_ref().map(|_| "t0ken-of-the-seat");
            let (id, seat) = game.unzip();
            (200, json!({"matched": id.is_some(), "gameId": id, "token": token, "seat": seat}))
        }
        ("GET", ["lobby", "bots"]) => (200, json!({"bots": []})),
        ("GET", ["leaderboard"]) => (200, json!({"leaders": []})),
        ("GET", ["bots", team, name]) => {
            let body = json!({
                "team": team, "name": name, "rating": 1500.0, "rd": 350.0, "provisional": true, "onLadder": inner.on_ladder,
                "games": 0, "wins": 0, "draws": 0, "losses": 0, "opponents": [], "recent": [],
            });
            (200, body)
        }
        ("GET", ["strength"]) => {
            (200, json!({"pairwise": [], "ranking": [], "completePairs": 0, "singles": 0, "excludedRows": 0}))
        }
        ("GET", ["health"]) => (200, json!({"status": "ok", "version": "dev"})),
        ("GET", ["version"]) => (200, json!("dev")),
        _ => return None,
    })
}

fn challenges(inner: &mut Inner, caller: Caller, method: &str, parts: &[&str], body: Option<&Value>) -> Option<Answer> {
    Some(match (method, parts) {
        ("GET", ["bot", "challenges"]) => {
            let of = |list: &[Value], key: &str| -> Vec<Value> {
                list.iter().filter(|challenge| challenge[key] == caller.bot()).cloned().collect()
            };
            let mut incoming = of(&inner.lobby.outgoing, "target");
            let mut outgoing = of(&inner.lobby.outgoing, "challenger");
            incoming.extend(of(&inner.challenges, "target"));
            outgoing.extend(of(&inner.challenges, "challenger"));
            (200, json!({"in": incoming, "out": outgoing}))
        }
        ("POST", ["bot", "challenge"]) => {
            let body = body?;
            let (team, name) = (body["team"].as_str()?, body["name"].as_str()?);
            if (team, name) == caller.slugs() {
                return Some((400, json!("a bot cannot challenge itself")));
            }
            if inner.lobby.outgoing.len() >= 10 {
                return Some((429, json!("too many pending challenges — accept, decline, or let them expire")));
            }
            let control = body.get("timeControl").cloned().unwrap_or(json!({"Unlimited": {}}));
            let id = format!("challenge-{}", inner.lobby.next_challenge);
            inner.lobby.next_challenge += 1;
            let mut challenge = json!({
                "id": id, "challenger": caller.bot(), "target": {"Bot": {"team": team, "name": name}}, "timeControl": control,
            });
            inner.lobby.outgoing.push(challenge.clone());
            challenge["targetOnline"] = json!((team, name) == Caller::Rival.slugs());
            (201, challenge)
        }
        ("POST", ["bot", "challenge", id, what @ ("accept" | "decline")]) => {
            if let Some(place) = inner.lobby.outgoing.iter().position(|challenge| challenge["id"] == *id) {
                if inner.lobby.outgoing[place]["target"] != caller.bot() {
                    return Some((403, Value::Null));
                }
                let challenge = inner.lobby.outgoing.remove(place);
                if *what == "decline" {
                    return Some((200, Value::Null));
                }
                // The challenger plays White.
                let game = inner.begin_as(&challenge["timeControl"], false, true);
                inner.tell_start(&game);
                return Some((201, json!({"gameId": game})));
            }
            let Some(place) = inner.challenges.iter().position(|challenge| challenge["id"] == *id) else {
                return Some((404, Value::Null));
            };
            if *what == "decline" {
                inner.challenges.remove(place);
                inner.declined += 1;
                return Some((200, Value::Null));
            }
            if inner.games.len() >= inner.capacity as usize {
                return Some((409, json!("at capacity")));
            }
            let challenge = inner.challenges.remove(place);
            let game = inner.begin(&challenge["timeControl"], false);
            (201, json!({"gameId": game}))
        }
        _ => return None,
    })
}

impl Inner {
    /// Somebody takes a seek of the client's: a game begins of which no stream tells.
    pub fn take_seek(&mut self, place: usize) -> String {
        let control = self.lobby.seeks[place].control.clone();
        let client_is_white = self.chance(500);
        let game = self.begin_as(&control, false, client_is_white);
        self.lobby.seeks[place].game = Some((game.clone(), if client_is_white { "White" } else { "Black" }));
        game
    }

    /// The seeks that nobody has taken.
    pub fn open_seeks(&self) -> Vec<usize> {
        (0..self.lobby.seeks.len()).filter(|&place| self.lobby.seeks[place].game.is_none()).collect()
    }

    /// The client's challenges that wait for an answer.
    pub fn challenged(&self) -> Vec<Value> {
        self.lobby.outgoing.clone()
    }

    /// The rival says no to all of them.
    pub fn decline_all(&mut self) {
        self.lobby.outgoing.clear();
    }
}
