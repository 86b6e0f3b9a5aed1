//! What is no game: seeks, the matchmaker, the ladder, secrets, locks, servers that talk nonsense, restarts.

use crate::double::{Double, TOKEN, Trouble, game};
use crate::play::{INSTANT, assert_all_kept, assert_not_lost_by_the_bridge, concurrency, fischer, play_games};
use crate::running::{Bridge, children, program, until};
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;

fn asked(double: &Double, what: &str) -> usize {
    double.lock().requests.iter().filter(|request| request.contains(what)).count()
}

#[test]
fn seeks_are_kept_open_and_their_games_found() {
    let double = Double::start(71, Trouble::default());
    let top = format!("seeks = [\"5+1\"]\n{}", concurrency(1));
    let mut bridge = Bridge::new(&double, &top, INSTANT);
    bridge.start();
    for games in 1..=2 {
        until(Duration::from_secs(20), "a seek is open", || !double.lock().open_seeks().is_empty());
        // No stream tells of this game.
        let place = double.lock().open_seeks()[0];
        double.lock().take_seek(place);
        until(Duration::from_secs(30), "the game is kept", || bridge.kept().len() == games);
    }
    assert_not_lost_by_the_bridge(&double);
    until(Duration::from_secs(20), "a seek is open", || !double.lock().open_seeks().is_empty());
    bridge.signal("-TERM");
    assert_eq!(bridge.wait(Duration::from_secs(10)), Some(0));
    assert!(double.lock().open_seeks().is_empty(), "it is taken back");
    // A server that will not have it is not asked again and again.
    double.lock().lobby.refuses_seeks = true;
    double.lock().lobby.seeks_asked = 0;
    bridge.start();
    until(Duration::from_secs(20), "it is asked", || double.lock().lobby.seeks_asked > 0);
    std::thread::sleep(Duration::from_secs(1));
    let asked = double.lock().lobby.seeks_asked;
    // The waits are scaled: a second is twenty, and every wait is at least one.
    assert!(asked <= 8, "{asked}");
    double.end();
}

#[test]
fn the_matchmaker_challenges_and_lets_those_who_decline_be() {
    let double = Double::start(73, Trouble::default());
    let tables =
        "[matchmaker]\nenabled = true\nopponents = [\"knights/rival\"]\ntime_controls = [\"5+1\"]\npause_s = 0";
    let mut bridge = Bridge::new(&double, &concurrency(1), &format!("{tables}\n{INSTANT}"));
    bridge.start();
    until(Duration::from_secs(20), "a challenge", || double.lock().challenged().len() == 1);
    let challenge = double.lock().challenged().remove(0);
    assert_eq!(challenge["timeControl"], json!({"Fischer": {"initialSeconds": 5, "incrementSeconds": 1}}));
    // A bridge that was killed meanwhile does not challenge twice.
    bridge.kill();
    bridge.start();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(asked(&double, "POST /bot/challenge"), 1, "it waits for the answer");
    double.lock().decline_all();
    let _ = double.lock().account.send(json!({"ChallengeDeclined": {"id": "challenge-0"}}).to_string());
    until(Duration::from_secs(20), "the decline is noticed", || bridge.log().contains("did not take our challenge"));
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(asked(&double, "POST /bot/challenge"), 1, "one who declines is left alone for an hour");
    // Not even after a restart.
    bridge.kill();
    bridge.start();
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(asked(&double, "POST /bot/challenge"), 1);
    double.end();
}

#[test]
fn a_bot_that_may_not_climb_the_ladder_asks_once() {
    let double = Double::start(79, Trouble::default());
    double.lock().lobby.no_ladder = true;
    let mut bridge = Bridge::new(&double, &format!("ladder = true\n{}", concurrency(1)), INSTANT);
    bridge.start();
    until(Duration::from_secs(20), "it asks", || asked(&double, "/bot/ladder/join") == 1);
    // The next attempt would come after 30 s, scaled.
    std::thread::sleep(Duration::from_millis(1700));
    assert_eq!(asked(&double, "/bot/ladder/join"), 1);
    assert!(bridge.log().contains("does not let this bot on the ladder"), "{}", bridge.log());
    double.end();
}

#[test]
fn the_ladder_is_left_by_a_bridge_that_was_killed_and_is_not_to_climb_any_more() {
    let double = Double::start(83, Trouble::default());
    let mut bridge = Bridge::new(&double, &format!("ladder = true\n{}", concurrency(1)), INSTANT);
    bridge.start();
    until(Duration::from_secs(20), "on the ladder", || double.lock().on_ladder);
    until(Duration::from_secs(5), "it is remembered", || {
        std::fs::read_to_string(bridge.folder.join("state/state.json"))
            .is_ok_and(|text| text.contains("\"on_ladder\": true"))
    });
    bridge.kill();
    let settings = std::fs::read_to_string(bridge.folder.join("bridge.toml")).expect("ours");
    std::fs::write(bridge.folder.join("bridge.toml"), settings.replace("ladder = true", "ladder = false"))
        .expect("ours");
    bridge.start();
    until(Duration::from_secs(20), "off the ladder", || !double.lock().on_ladder);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(double.lock().ladder_moves, ["join", "leave"]);
    double.end();
}

#[test]
fn nobody_is_shown_the_token_and_there_is_only_one_bridge() {
    let double = Double::start(89, Trouble::default());
    let line = format!("env > heard; exec {} engine", program());
    let engine = format!("[engine]\ncommand = [\"sh\", \"-c\", {line:?}]\n[engine.environment]\nMINE = \"here\"\n");
    let mut bridge = Bridge::new(&double, &concurrency(1), &engine);
    bridge.start();
    let heard = || std::fs::read_to_string(bridge.folder.join("heard")).unwrap_or_default();
    until(Duration::from_secs(20), "the engine has started", || heard().contains("MINE=here"));
    assert!(heard().contains("PATH=") && !heard().contains(TOKEN) && !heard().contains("BRIDGE_TOKEN"), "{}", heard());
    for pid in children(bridge.pid()).into_iter().chain([bridge.pid()]) {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&words).contains(TOKEN));
    }
    // Another one with the same token, in another folder.
    let other = ["run", "--insecure-http", "--config", "other.toml"];
    let settings = format!("server = \"{}\"\nstate_dir = \"other\"", double.address);
    std::fs::write(bridge.folder.join("other.toml"), settings).expect("ours");
    let output = bridge.command(&other).stdin(Stdio::null()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("another bridge") && !said.contains(TOKEN), "{output:?}");
    // But one may look, and the journal is not written by two.
    let output = bridge.command(&["check", "--insecure-http"]).output().expect("it runs");
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("clock     as the server's"),
        "{output:?}"
    );
    let words =
        ["fetch", "some-game", "--journal", "state/games.jsonl", "--server", &double.address, "--insecure-http"];
    let output = bridge.command(&words).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("another bridge writes to it"), "{output:?}");
    double.end();
}

#[test]
fn a_server_that_talks_nonsense_is_not_followed() {
    let double = Double::start(97, Trouble::default());
    let mut bridge = Bridge::new(&double, &concurrency(2), INSTANT);
    let name = "ev\u{1b}[31mil";
    double.lock().challenges = vec![json!({
        "id": "../../bot/token", "challenger": {"Bot": {"team": "knights", "name": name}},
        "target": {"Bot": {"team": "dragons", "name": "astragal"}}, "timeControl": fischer(5.0, 0.0),
    })];
    bridge.start();
    until(Duration::from_secs(20), "it listens", || asked(&double, "/bot/stream/event") > 0);
    std::thread::sleep(Duration::from_millis(200));
    for line in [
        "",
        "{",
        "null",
        r#"{"GameStart":{"gameId":"../../bot/token"}}"#,
        r#"{"GameStart":{"gameId":".."}}"#,
        r#"{"GameStart":{"gameId":""}}"#,
        r#"{"GameStart":{"gameId":"a\u001b[2Jb"}}"#,
        r#"{"GameStart":7}"#,
        r#"{"GameStart":{}}"#,
        r#"{"ChallengeReceived":{"id":7}}"#,
        r#"{"ChallengeDeclined":null}"#,
        r#"{"\u001b[31mred":{}}"#,
    ] {
        let _ = double.lock().account.send(line.to_owned());
    }
    let _ = double.lock().account.send("[".repeat(100_000));
    play_games(&double, &mut bridge, 2, 1, &fischer(5.0, 0.1), |_, _| ());
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    let requests = double.lock().requests.clone();
    assert!(!requests.iter().any(|request| request.contains("..") || request.contains("/bot/token")), "{requests:?}");
    let log = bridge.log();
    assert!(!log.contains("panic") && !log.contains('\u{1b}'), "{log}");
    double.end();
}

#[test]
fn a_proxy_that_keeps_us_out_for_a_while_does_not_end_the_bridge() {
    let double = Double::start(127, Trouble::default());
    double.lock().lobby.forbids = true;
    let mut bridge = Bridge::new(&double, &concurrency(1), INSTANT);
    bridge.start();
    until(Duration::from_secs(20), "it is told", || bridge.log().contains("the server refuses us: 403"));
    let output = bridge.command(&["account", "--insecure-http"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "one who looks is told at once");
    double.lock().lobby.forbids = false;
    play_games(&double, &mut bridge, 1, 1, &fischer(5.0, 0.1), |_, _| ());
    assert_all_kept(&double, &bridge);
    double.end();
}

#[test]
#[ignore = "waits long"]
fn a_game_that_the_server_does_not_know_is_given_up() {
    let double = Double::start(113, Trouble::default());
    let mut bridge = Bridge::new(&double, "concurrency = 1\noverhead_floor_ms = 400\ntime_scale = 0.01", INSTANT);
    bridge.start();
    until(Duration::from_secs(20), "it listens", || asked(&double, "/bot/stream/event") > 0);
    std::thread::sleep(Duration::from_millis(200));
    let _ = double.lock().account.send(json!({"GameStart": {"gameId": "phantom-1"}}).to_string());
    until(Duration::from_secs(60), "it is given up", || bridge.log().contains("does not know this game any more"));
    // Its place is free again.
    play_games(&double, &mut bridge, 1, 1, &fischer(5.0, 0.1), |_, _| ());
    assert_all_kept(&double, &bridge);
    double.end();
}

#[test]
fn a_restart_takes_up_what_goes_on_and_writes_what_has_ended() {
    let double = Double::start(101, Trouble::default());
    double.lock().sleeps = true;
    let mut bridge = Bridge::new(&double, &concurrency(2), INSTANT);
    bridge.start();
    let (first, second) = {
        let mut inner = double.lock();
        (inner.begin(&fischer(60.0, 1.0), true), inner.begin(&fischer(60.0, 1.0), true))
    };
    let is_streamed = |id: &str| asked(&double, &format!("/stream/{id}"));
    until(Duration::from_secs(20), "both are played", || is_streamed(&first) > 0 && is_streamed(&second) > 0);
    until(Duration::from_secs(5), "both have begun", || double.lock().games.values().all(|game| game.version > 0));
    bridge.kill();
    let over = game::Over { result: 1, termination: "Resign", word: "resign" };
    double.lock().games.get_mut(&first).expect("it goes on").finish(over);
    until(Duration::from_secs(5), "it has ended", || double.lock().histories.contains_key(&first));
    double.lock().requests.clear();
    bridge.start();
    until(Duration::from_secs(5), "the other is taken up again", || is_streamed(&second) > 0);
    // The other one may end meanwhile, too.
    let times_kept = |bridge: &Bridge| bridge.kept().iter().filter(|kept| **kept == first).count();
    until(Duration::from_secs(10), "the first is kept", || times_kept(&bridge) == 1);
    bridge.kill();
    bridge.start();
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(times_kept(&bridge), 1, "once");
    double.end();
}

#[test]
fn a_draw_is_offered_once_until_the_other_side_offers_one() {
    let double = Double::start(103, Trouble::default());
    let rules = "[draws]\noffer = true\noffer_after = 0\noffer_turns = 1\noffer_within = 1000000\naccept = false";
    // The instant bot tells no score; the default engine does.
    let mut bridge = Bridge::new(&double, &concurrency(2), rules);
    bridge.start();
    play_games(&double, &mut bridge, 2, 2, &fischer(3.0, 0.1), |_, _| ());
    assert_not_lost_by_the_bridge(&double);
    assert_eq!(double.lock().most_offers, 1);
    double.end();
}

#[test]
fn a_webhook_is_registered_while_its_window_is_open() {
    let double = Double::start(107, Trouble::default());
    {
        let mut inner = double.lock();
        (inner.lobby.takes_loopback, inner.lobby.verifies) = (true, true);
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let hook = format!("[webhook]\nlisten = \"127.0.0.1:{port}\"\nurl = \"http://127.0.0.1:{port}/hook\"");
    let bridge = Bridge::new(&double, &concurrency(1), &hook);
    let words = ["register-webhook", "--insecure-http"];
    let output = bridge.command(&words).output().expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let path = bridge.folder.join("webhook-secret");
    let secret = std::fs::read_to_string(&path).expect("it is there");
    assert!(secret.trim().len() == 64 && !String::from_utf8_lossy(&output.stdout).contains(secret.trim()));
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    assert!(!bridge.command(&words).output().expect("it runs").status.success(), "the file is not overwritten");
    double.end();
}

#[test]
fn a_log_that_nobody_reads_any_more_costs_no_game() {
    use std::io::{BufRead, BufReader};
    let double = Double::start(109, Trouble { pace_ms: 40, ..Trouble::default() });
    let bridge = Bridge::new(&double, &concurrency(1), INSTANT);
    let mut command = bridge.command(&["run", "--insecure-http"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("capacity declared") {
        line.clear();
        assert!(log.read_line(&mut line).expect("a line") > 0, "it ended");
    }
    // As `bridge run 2>&1 | tee log` does when Ctrl-C ends both.
    drop(log);
    for games in 1..=2 {
        double.lock().begin(&fischer(5.0, 0.1), true);
        until(Duration::from_secs(20), "the game is kept", || bridge.kept().len() == games);
    }
    assert_not_lost_by_the_bridge(&double);
    // The terminal has gone, too.
    let terminated = std::process::Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(terminated.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it is ours").code(), Some(0));
    double.end();
}
