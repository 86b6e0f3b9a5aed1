//! Games against the double, with every trouble.

use crate::double::{Double, TOKEN, Trouble};
use crate::running::{Bridge, children, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

pub fn fischer(initial: f64, increment: f64) -> Value {
    json!({"Fischer": {"initialSeconds": initial, "incrementSeconds": increment}})
}

/// Small times for small clocks.
pub const SMALL: &str = "overhead_floor_ms = 400\ntime_scale = 0.05";

pub fn concurrency(games: usize) -> String {
    format!("concurrency = {games}\n{SMALL}")
}

pub const INSTANT: &str = "[engine.options]\nBot = \"greedy-v2\"";

/// How long no game may end before a test gives up. A game at the clocks used here takes half a minute on a busy machine
/// with two cores, so the length of the whole test says nothing about a game that hangs; this does.
const STALLED: Duration = Duration::from_secs(180);

/// Plays so many games, so many at once.
pub fn play_games(
    double: &Double,
    bridge: &mut Bridge,
    games: usize,
    at_once: usize,
    control: &Value,
    mut each: impl FnMut(&mut Bridge, usize),
) {
    let (mut started, mut ended, mut last) = (0, 0, Instant::now());
    loop {
        let finished = {
            let mut inner = double.lock();
            while started < games && inner.games.len() < at_once {
                inner.begin(control, true);
                started += 1;
            }
            inner.histories.len()
        };
        each(bridge, finished);
        if finished >= games {
            break;
        }
        if finished > ended {
            (ended, last) = (finished, Instant::now());
        }
        assert!(last.elapsed() < STALLED, "{finished} of {games} games, then none in {STALLED:?}: {:?}", double.ends());
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn assert_all_kept(double: &Double, bridge: &Bridge) {
    let wanted: BTreeSet<String> = double.lock().histories.keys().cloned().collect();
    until(Duration::from_secs(20), "every game is in the journal", || bridge.kept().len() >= wanted.len());
    let kept = bridge.kept();
    assert_eq!(kept.iter().cloned().collect::<BTreeSet<_>>(), wanted);
    assert_eq!(kept.len(), wanted.len(), "no game twice");
    let check = |game: astragal::record::Game| {
        astragal::record::replay(&game, |_, _, _| ()).expect("every turn is legal");
        game.dice.check(&game).expect("the dice are fair");
    };
    astragal::record::read(&bridge.journal(), check).expect("the journal is read");
}

pub fn assert_not_lost_by_the_bridge(double: &Double) {
    let ends = double.ends();
    let bad: Vec<_> = ends.iter().filter(|(end, _)| end.starts_with("loss") && *end != "loss king_captured").collect();
    let offences = double.lock().offences;
    assert!(bad.is_empty(), "{ends:?} {offences:?}");
    assert_eq!((offences.illegal, offences.double), (0, 0), "{offences:?}");
}

#[test]
fn without_trouble_everything_is_as_it_should_be() {
    let double = Double::start(1, Trouble::default());
    let mut bridge = Bridge::new(&double, &concurrency(2), INSTANT);
    bridge.start();
    play_games(&double, &mut bridge, 6, 2, &fischer(3.0, 0.05), |_, _| ());
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    bridge.signal("-TERM");
    assert_eq!(bridge.wait(Duration::from_secs(10)), Some(0), "{}", bridge.log());
    let log = bridge.log();
    assert_eq!(log.matches("dice verified").count(), 6, "{log}");
    assert!(!log.contains("ALARM") && !log.contains("too late"), "{log}");
    assert!(!log.contains(TOKEN), "the token is nowhere");
    assert_eq!(double.lock().offences.not_ours, 0);
    assert!(double.lock().seeds >= 6, "a seed for each game");
    double.end();
}

#[test]
fn with_every_trouble_no_game_is_lost_but_by_being_beaten() {
    games_with_every_trouble(10, &fischer(4.0, 0.05), SMALL);
}

#[test]
#[ignore = "takes minutes"]
fn with_every_trouble_none_of_300_games_is_lost_but_by_being_beaten() {
    games_with_every_trouble(300, &fischer(1.0, 0.01), "overhead_floor_ms = 60\ntime_scale = 0.02");
}

fn games_with_every_trouble(games: usize, control: &Value, waits: &str) {
    let double = Double::start(7, Trouble::ALL);
    let mut bridge = Bridge::new(&double, &format!("concurrency = 4\n{waits}"), INSTANT);
    bridge.start();
    let began = Instant::now();
    play_games(&double, &mut bridge, games, 4, control, |_, _| ());
    println!("{games} games in {:?}: {:?} {:?}", began.elapsed(), double.ends(), double.lock().offences);
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    assert!(bridge.is_running(), "{}", bridge.log());
    assert!(!bridge.log().contains("panic"), "{}", bridge.log());
    double.end();
}

/// When something is killed in the middle of games: so often at most, so long after the time before, and only while every
/// clock of ours has more milliseconds than that.
struct Kills {
    most: u32,
    pause: Duration,
    clock: i64,
}

impl Kills {
    /// Plays games, two at once, and calls `kill` when it is time, with the kills that are left. It returns how many it
    /// was; so does this, of all.
    fn in_games(
        &self,
        double: &Double,
        bridge: &mut Bridge,
        games: usize,
        control: &Value,
        mut kill: impl FnMut(&mut Bridge, u32) -> u32,
    ) -> u32 {
        let (mut killed, mut last) = (0, Instant::now());
        play_games(double, bridge, games, 2, control, |bridge, _| {
            let enough = double.lock().games.values().all(|game| game.clocks[game.client()] > self.clock);
            if killed < self.most && last.elapsed() > self.pause && enough {
                killed += kill(bridge, self.most - killed);
                last = Instant::now();
            }
        });
        println!("{killed} kills: {:?}", double.ends());
        killed
    }
}

#[test]
fn a_killed_bridge_takes_its_games_up_again() {
    // A few short games may be over before all the kills could be used.
    games_with_kills(3, 1, 3, INSTANT, Duration::from_millis(400));
}

#[test]
#[ignore = "takes minutes"]
fn a_bridge_that_is_killed_20_times_loses_no_game_on_time() {
    games_with_kills(20, 20, 12, "", Duration::from_millis(900));
}

fn games_with_kills(most: u32, least: u32, games: usize, engine: &str, pause: Duration) {
    let trouble = Trouble { drop: 20, cut_after: 30, pace_ms: 150, ..Trouble::default() };
    let double = Double::start(11, trouble);
    let mut bridge = Bridge::new(&double, &concurrency(2), engine);
    bridge.start();
    let kills = Kills { most, pause, clock: 7000 };
    let killed = kills.in_games(&double, &mut bridge, games, &fischer(10.0, 5.0), |bridge, _| {
        bridge.kill();
        bridge.start();
        1
    });
    assert!(killed >= least, "{killed}");
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    double.end();
}

#[test]
fn a_killed_engine_costs_no_game() {
    let kills = Kills { most: 10, pause: Duration::from_millis(300), clock: 0 };
    games_with_killed_engines(&kills, 4, 3, &fischer(4.0, 0.1), Trouble::default());
}

#[test]
#[ignore = "takes minutes"]
fn twenty_killed_engines_cost_no_game() {
    let kills = Kills { most: 20, pause: Duration::from_millis(900), clock: 7000 };
    let paced = Trouble { pace_ms: 150, ..Trouble::default() };
    games_with_killed_engines(&kills, 20, 12, &fischer(10.0, 5.0), paced);
}

fn games_with_killed_engines(kills: &Kills, least: u32, games: usize, control: &Value, trouble: Trouble) {
    let double = Double::start(13, trouble);
    let mut bridge = Bridge::new(&double, &concurrency(2), "");
    bridge.start();
    let killed = kills.in_games(&double, &mut bridge, games, control, |bridge, left| {
        let engines: Vec<String> = children(bridge.pid()).iter().take(left as usize).map(ToString::to_string).collect();
        if !engines.is_empty() {
            let _ = std::process::Command::new("kill").arg("-KILL").args(&engines).status();
        }
        engines.len() as u32
    });
    assert!(killed >= least, "{killed}");
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    assert!(
        bridge.log().contains("the instant bot plays") || bridge.log().contains("has ended between"),
        "{}",
        bridge.log()
    );
    let pid = bridge.pid();
    let engines = children(pid);
    bridge.signal("-TERM");
    bridge.wait(Duration::from_secs(10));
    until(Duration::from_secs(5), "no engine is left", || !engines.iter().any(is_alive));
    double.end();
}

#[test]
fn a_server_that_forgets_the_token_ends_the_bridge_with_a_clear_message() {
    let double = Double::start(17, Trouble::default());
    let mut bridge = Bridge::new(&double, &concurrency(1), INSTANT);
    bridge.start();
    until(Duration::from_secs(30), "a game is played", || {
        let mut inner = double.lock();
        if inner.games.is_empty() && inner.histories.is_empty() {
            inner.begin(&fischer(60.0, 1.0), true);
        }
        inner.games.values().any(|game| game.turns.len() > 2) || !inner.histories.is_empty()
    });
    double.lock().token = None;
    double.set_down(true);
    std::thread::sleep(Duration::from_millis(200));
    double.set_down(false);
    assert_eq!(bridge.wait(Duration::from_secs(30)), Some(2));
    let log = bridge.log();
    assert!(log.contains("does not accept the token (401)") && !log.contains(TOKEN), "{log}");
    double.end();
}

#[test]
fn a_server_that_is_down_for_a_while_costs_nothing() {
    let double = Double::start(19, Trouble::default());
    let mut bridge = Bridge::new(&double, &concurrency(2), INSTANT);
    bridge.start();
    let (mut downs, mut last) = (0, Instant::now());
    play_games(&double, &mut bridge, 6, 2, &fischer(4.0, 0.1), |_, _| {
        if downs < 5 && last.elapsed() > Duration::from_millis(500) {
            double.set_down(true);
            std::thread::sleep(Duration::from_millis(150));
            double.set_down(false);
            (downs, last) = (downs + 1, Instant::now());
        }
    });
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    double.end();
}

#[test]
fn challenges_are_filtered_and_the_ladder_is_joined_and_left() {
    let double = Double::start(23, Trouble::default());
    let top = format!("ladder = true\n{}", concurrency(1));
    let mut bridge = Bridge::new(&double, &top, INSTANT);
    let challenge = |id: usize, control: Value| {
        json!({
            "id": format!("challenge-{id}"), "challenger": {"Bot": {"team": "knights", "name": "rival"}},
            "target": {"Bot": {"team": "dragons", "name": "astragal"}}, "timeControl": control,
        })
    };
    double.lock().challenges =
        vec![challenge(0, fischer(-1.0, 1.0)), challenge(1, json!({"Unlimited": {}})), challenge(2, fischer(5.0, 0.0))];
    bridge.start();
    until(Duration::from_secs(60), "the game is over", || double.lock().histories.len() == 1);
    assert_eq!(double.lock().declined, 2);
    until(Duration::from_secs(5), "on the ladder", || double.lock().on_ladder);
    // The bridge counts a game until it has put it away.
    until(Duration::from_secs(5), "the first game is put away", || bridge.kept().len() == 1);
    std::thread::sleep(Duration::from_millis(300));
    // A server that has been restarted gives the same ids again.
    double.lock().challenges = vec![challenge(2, fischer(5.0, 0.0))];
    let told = json!({"ChallengeReceived": {"id": "challenge-2"}}).to_string();
    let _ = double.lock().account.send(told);
    until(Duration::from_secs(60), "the second game begins", || double.lock().next_id == 2);
    // It is played to its end, and nothing new begins.
    bridge.signal("-INT");
    until(Duration::from_secs(10), "off the ladder", || !double.lock().on_ladder);
    double.lock().challenges = vec![challenge(3, fischer(5.0, 0.0))];
    assert_eq!(bridge.wait(Duration::from_secs(60)), Some(0));
    assert_eq!(double.lock().next_id, 2);
    assert_eq!(double.lock().ladder_moves, ["join", "leave"]);
    assert_all_kept(&double, &bridge);
    double.end();
}

#[test]
fn draw_offers_are_answered_at_once() {
    let double = Double::start(29, Trouble::default());
    let mut bridge = Bridge::new(&double, &concurrency(1), INSTANT);
    bridge.start();
    // A game may be over before the double has a turn after which to offer; then another one is played.
    let asked = |double: &Double| double.lock().requests.iter().filter(|request| request.contains("/draw/")).count();
    for games in 1..=20 {
        {
            let mut inner = double.lock();
            let id = inner.begin(&fischer(20.0, 0.1), true);
            if let Some(game) = inner.games.get_mut(&id) {
                game.wants_draw_offer = true;
            }
        }
        until(Duration::from_secs(60), "the game is over", || double.lock().histories.len() == games);
        if asked(&double) > 0 {
            break;
        }
    }
    assert!(asked(&double) >= 1);
    assert_not_lost_by_the_bridge(&double);
    double.end();
}

#[test]
fn poll_mode_plays_as_well() {
    let double = Double::start(31, Trouble { cut_after: 40, odd: 40, late: 50, late_ms: 40, ..Trouble::default() });
    let top = format!("mode = \"poll\"\n{}", concurrency(2));
    let mut bridge = Bridge::new(&double, &top, INSTANT);
    bridge.start();
    play_games(&double, &mut bridge, 4, 2, &fischer(6.0, 0.2), |_, _| ());
    assert_not_lost_by_the_bridge(&double);
    assert_all_kept(&double, &bridge);
    double.end();
}

/// Whether there is a process of that number that is no zombie.
fn is_alive(pid: &u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

/// What a process holds: kB of memory, open files, threads.
fn held(pid: u32) -> (f64, usize, usize) {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).expect("Linux");
        line.split_whitespace().nth(1).and_then(|number| number.parse::<f64>().ok()).expect("a number")
    };
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs").count();
    (field("VmRSS"), files, field("Threads") as usize)
}

#[test]
#[ignore = "takes three minutes"]
fn eight_games_at_once_leave_everything_as_it_is() {
    let double = Double::start(43, Trouble { drop: 5, pace_ms: 100, ..Trouble::default() });
    let mut bridge = Bridge::new(&double, &concurrency(8), INSTANT);
    bridge.start();
    let (began, mut first) = (Instant::now(), None);
    while began.elapsed() < Duration::from_secs(180) {
        {
            let mut inner = double.lock();
            while inner.games.len() < 8 {
                inner.begin(&fischer(20.0, 0.5), true);
            }
        }
        if first.is_none() && began.elapsed() > Duration::from_secs(60) {
            first = Some(held(bridge.pid()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let (first, last) = (first.expect("a minute is over"), held(bridge.pid()));
    println!("{} games; {first:?} after a minute, {last:?} after three", double.lock().histories.len());
    assert!(last.0 < first.0 * 1.05, "memory: {first:?} {last:?}");
    // Threads of the pool for what blocks come and go, and so do connections.
    assert!(last.1 < first.1 + 20 && last.2 < first.2 + 12, "files and threads: {first:?} {last:?}");
    let engines = children(bridge.pid());
    assert!((8..=16).contains(&engines.len()), "{engines:?}");
    bridge.signal("-TERM");
    assert_eq!(bridge.wait(Duration::from_secs(30)), Some(0));
    until(Duration::from_secs(5), "no engine is left", || !engines.iter().any(is_alive));
    assert_not_lost_by_the_bridge(&double);
    double.end();
}
