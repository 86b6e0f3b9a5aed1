//! Every recording of the platform's server, read through the types; dice and signatures that must hold.

use bridge::api::{
    Account, AccountEvent, Capacity, Challenge, Challenges, GameEvent, GameList, GameState, History, Leaderboard,
    MoveList, Registered, SeekPoll, SeekPosted, TimeControl, Tree, Verdict, novelties, read, read_value,
};
use bridge::fair::{FairDice, commitment, verify_history};
use bridge::sign;
use serde_json::Value;
use std::path::PathBuf;

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name)
}

pub fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect(name)
}

/// The exchanges of a file.
pub fn exchanges(name: &str) -> Vec<Value> {
    serde_json::from_str(&text(name)).expect(name)
}

/// Every file of exchanges.
pub fn exchange_files() -> Vec<String> {
    let folder = std::fs::read_dir(path("")).expect("the recordings");
    let mut names: Vec<String> =
        folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".json") && name != "webhook-deliveries.json");
    names.sort();
    assert!(names.len() >= 13, "{names:?}");
    names
}

fn reads<T: serde::de::DeserializeOwned>(body: &Value, what: &'static str) -> T {
    read_value(what, body.clone()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[test]
fn every_answer_is_read() {
    let mut count = 0;
    for name in exchange_files() {
        for exchange in exchanges(&name) {
            let method = exchange["request"]["method"].as_str().expect("a method");
            let path = exchange["request"]["path"].as_str().expect("a path");
            let status = exchange["status"].as_u64().expect("a status");
            let body = &exchange["body"];
            count += 1;
            if let Some(control) = exchange["request"].pointer("/body/timeControl") {
                assert_ne!(reads::<TimeControl>(control, "control").kind(), "unknown");
            }
            if path.ends_with("/move") && body.is_object() {
                assert_eq!(reads::<Verdict>(body, "verdict").applied, status == 200);
                continue;
            }
            if !(200..300).contains(&status) {
                assert!(body.is_null() || body.is_string(), "{name} {path}: {body}");
                continue;
            }
            let parts: Vec<&str> = path.split('?').next().unwrap_or(path).split('/').skip(1).collect();
            match (method, parts.as_slice()) {
                ("POST", ["bot", "anon" | "register"]) => {
                    assert!(!reads::<Registered>(body, "registered").name.is_empty());
                }
                ("GET", ["bot", "account"]) => {
                    assert!(reads::<Account>(body, "account").id.is_some());
                }
                (_, ["bot", "capacity"]) => {
                    assert!(reads::<Capacity>(body, "capacity").ladder_allowance.is_some());
                }
                ("POST", ["bot", "challenge"]) => {
                    let challenge: Challenge = reads(body, "challenge");
                    assert!(challenge.challenger.is_some() && challenge.target.is_some());
                }
                ("GET", ["bot", "challenges"]) => {
                    let challenges: Challenges = reads(body, "challenges");
                    assert!(challenges.incoming.iter().all(|challenge| challenge.time_control.is_some()));
                }
                ("GET", ["bot", "games"]) => {
                    assert!(reads::<GameList>(body, "games").games.iter().all(|game| game.clocks.is_some()));
                }
                ("GET", ["games", _]) => {
                    let state: GameState = reads(body, "state");
                    assert!(state.commit.is_some() && state.players.white.name.is_some());
                }
                ("GET", ["games", _, "moves"]) => {
                    assert!(reads::<MoveList>(body, "moves").legal_moves.is_some());
                }
                ("GET", ["games", _, "history"]) => {
                    let history: History = reads(body, "history");
                    assert!(history.termination.is_some() && history.result.is_some());
                    verify_history(&history, None, None).expect("the dice are fair");
                }
                ("GET", ["leaderboard"]) => {
                    let board: Leaderboard = reads(body, "leaderboard");
                    assert!(board.leaders.iter().all(|leader| leader.team.is_some() && leader.rating.is_some()));
                }
                ("POST", ["bot", "seeks"]) => {
                    assert!(!reads::<SeekPosted>(body, "seek").secret.is_empty());
                }
                ("GET", ["lobby", "seeks", _]) => {
                    let poll: SeekPoll = reads(body, "seek poll");
                    assert_eq!(poll.matched, poll.game_id.is_some());
                }
                ("POST", ["bot", "challenge" | "seeks", _, "accept"]) => {
                    assert!(body["gameId"].is_string());
                }
                ("POST", ["bot", "token"]) => assert!(body["token"].is_string()),
                ("POST", ["bot", "ladder", _]) => assert!(body["onLadder"].is_boolean()),
                ("POST", ["bot", "open-to-humans"] | ["bot", "open-to-humans", "leave"]) => {
                    assert!(body["openToHumans"].is_boolean());
                }
                ("POST" | "GET", ["bot", "webhook"]) => assert!(body["url"].is_string()),
                ("GET", ["bot", "webhook", "stats"]) => assert!(body["last24h"].is_object()),
                ("POST", ["bot", "game", _, "seed" | "resign"])
                | ("POST", ["bot", "challenge", _, "decline"])
                | ("DELETE", _) => assert!(body.is_null()),
                ("GET", ["games"] | ["bots", ..] | ["strength"] | ["lobby", ..] | ["health"] | ["version"]) => {}
                other => panic!("{name}: {other:?} is not read by any type"),
            }
        }
    }
    assert!(count > 90, "{count}");
}

#[test]
fn every_line_of_every_stream_is_read_and_nothing_in_it_is_new() {
    let mut files = 0;
    for entry in std::fs::read_dir(path("")).expect("the recordings") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !name.ends_with(".ndjson") {
            continue;
        }
        files += 1;
        for line in text(&name).lines().filter(|line| !line.is_empty()) {
            if name.starts_with("stream-account") {
                let event = AccountEvent::read(line.as_bytes()).expect(line);
                assert!(!matches!(event, AccountEvent::Unknown(_)), "{line}");
            } else {
                let (version, event) = GameEvent::read(line.as_bytes()).expect(line);
                assert!(version.is_some() && !matches!(event, GameEvent::Unknown(_)), "{line}");
            }
        }
    }
    assert_eq!(files, 9);
    let recorded = ["Snapshot.", "DiceRolled.", "TurnPlayed.", "GameEnded.", "Rejected."];
    let new: Vec<String> =
        novelties().into_iter().filter(|name| recorded.iter().any(|event| name.contains(event))).collect();
    assert!(new.is_empty(), "{new:?}");
}

#[test]
fn what_is_new_is_skipped() {
    let line =
        br#"{"DiceRolled":{"v":2,"seat":"White","dice":[1,1,1],"dfen":"x","clocks":7,"legalMoves":[],"mood":1}}"#;
    let (_, event) = GameEvent::read(line).expect("it is read");
    let GameEvent::DiceRolled { clocks: None, legal_moves: None, .. } = event else { panic!("{event:?}") };
    assert!(novelties().iter().any(|name| name.contains("DiceRolled.mood")), "{:?}", novelties());
    let state =
        br#"{"version":1,"dfen":"x","activeSeat":"Black","players":{"white":{"rating":{"x":1},"hat":2}},"moon":3}"#;
    let state: GameState = read("state", state).expect("it is read");
    assert!(!state.dice_pending && state.legal_moves.is_none());
    assert!(matches!(GameEvent::read(br#"{"Firework":{"v":3}}"#), Ok((Some(3), GameEvent::Unknown(_)))));
    assert!(matches!(AccountEvent::read(br#"{"Firework":{}}"#), Ok(AccountEvent::Unknown(_))));
    for broken in ["", "{", "[]", "7", "{}", r#"{"DiceRolled":{"v":1}}"#, r#"{"Snapshot":null}"#] {
        assert!(GameEvent::read(broken.as_bytes()).is_err(), "{broken}");
    }
}

#[test]
fn the_dice_of_every_recorded_game_are_fair() {
    let mut games = 0;
    for entry in std::fs::read_dir(path("")).expect("the recordings") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !name.starts_with("stream-game") || !name.ends_with(".ndjson") {
            continue;
        }
        let (mut rolls, mut commit, mut end) = (Vec::new(), None, None);
        let mut first_version = None;
        for line in text(&name).lines().filter(|line| !line.is_empty()) {
            match GameEvent::read(line.as_bytes()).expect(line).1 {
                GameEvent::Snapshot(state) => {
                    first_version = Some(state.version);
                    commit = state.commit;
                }
                GameEvent::DiceRolled { dice, .. } => rolls.push(dice),
                GameEvent::GameEnded(ended) => end = Some(ended),
                _ => {}
            }
        }
        let Some(end) = end else { continue };
        let (seed, seeds) = (end.seed.expect("a seed"), end.client_seeds.expect("the seeds"));
        assert_eq!(Some(commitment(&hex::decode(&seed).expect("hex"))), commit);
        let dice = FairDice::new(&seed, &seeds.white, &seeds.black).expect("sound seeds");
        assert!(first_version.is_some_and(|version| version <= 1), "from the first roll on");
        for (number, roll) in rolls.iter().enumerate() {
            assert_eq!(roll[..], dice.roll(number as u64), "{name}: roll {number}");
        }
        games += 1;
    }
    assert_eq!(games, 4);
}

#[test]
fn foul_dice_are_found() {
    let exchanges = exchanges("games.json");
    let exchange = exchanges.iter().find(|exchange| exchange["name"] == "history").expect("a history");
    let history: History = read_value("history", exchange["body"].clone()).expect("a history");
    let fairness = history.fairness.clone().expect("it is told");
    let commit = fairness.commit.clone().expect("it is told");
    let rolls = history.turns.len();
    assert_eq!(verify_history(&history, Some(&commit), None), Ok(rolls));
    assert!(verify_history(&history, Some(&"0".repeat(64)), None).is_err(), "another commitment before");
    let mut foul = history.clone();
    foul.turns[5].dice.swap(0, 1);
    let swapped = history.turns[5].dice[0] != history.turns[5].dice[1];
    assert_eq!(verify_history(&foul, None, None).is_err(), swapped);
    let mut foul = history.clone();
    foul.fairness = Some(bridge::api::Fairness { seed: Some("00".repeat(32)), ..fairness });
    assert!(verify_history(&foul, None, None).is_err(), "another seed");
    let white = "00112233445566778899aabbccddeeff";
    assert_eq!(verify_history(&history, None, Some((bridge::api::Seat::White, white))), Ok(rolls));
    assert!(verify_history(&history, None, Some((bridge::api::Seat::Black, white))).is_err(), "not our seed");
}

#[test]
fn recorded_signatures_hold() {
    let recorded: Value = serde_json::from_str(&text("webhook-deliveries.json")).expect("JSON");
    let secret = recorded["secret"].as_str().expect("a secret");
    let mut checked = 0;
    for delivery in recorded["deliveries"].as_array().expect("deliveries") {
        let header = |name: &str| delivery["request_headers"][name].as_str().expect("a header");
        let body = delivery["request_body_text"].as_str().expect("a body").as_bytes();
        let (stamp, signed) = (header("X-DiceChess-Timestamp"), header("X-DiceChess-Signature"));
        let now: u64 = stamp.parse().expect("seconds");
        let result = sign::check(&[secret], stamp, signed, body, now);
        if delivery["signature_checked"] == true {
            assert_eq!(result, Ok(0));
            assert!(sign::check(&[secret], stamp, signed, &body[1..], now).is_err());
            checked += 1;
        }
    }
    assert_eq!(checked, 2);
}

#[test]
fn our_rules_agree_with_every_recorded_tree() {
    use astragal::board::Rolled;
    use astragal::rules::legal_turns;
    let mut trees = 0;
    let mut compare = |dfen: &str, tree: Option<&Tree>| {
        let Some(tree) = tree else { return };
        let rolled = Rolled::from_dfen(dfen).expect(dfen);
        let mut ours: Vec<Vec<String>> =
            legal_turns(&rolled).iter().map(|turn| turn.moves().iter().map(ToString::to_string).collect()).collect();
        ours.sort();
        let mut theirs = tree.turns(usize::MAX);
        theirs.sort();
        assert_eq!(ours, theirs, "{dfen}");
        for turn in &ours {
            assert!(tree.holds(turn.iter().map(String::as_str)));
            assert!(
                turn.len() == 1
                    || !tree.holds(turn[..1].iter().map(String::as_str))
                    || ours.contains(&turn[..1].to_vec())
            );
        }
        trees += 1;
    };
    for entry in std::fs::read_dir(path("")).expect("the recordings") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        if !name.starts_with("stream-game") {
            continue;
        }
        for line in text(&name).lines().filter(|line| !line.is_empty()) {
            match GameEvent::read(line.as_bytes()).expect(line).1 {
                GameEvent::DiceRolled { dfen, legal_moves, .. } => compare(&dfen, legal_moves.as_ref()),
                GameEvent::Snapshot(state) if state.dice_pending => compare(&state.dfen, state.legal_moves.as_ref()),
                _ => {}
            }
        }
    }
    assert!(trees > 20, "{trees}");
}
