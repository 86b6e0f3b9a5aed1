//! Driving programs: small shell scripts that behave in one way each.
#![cfg(unix)]

use astragal::board::Rolled;
use astragal_client::{Action, Cancel, Direction, Engine, EngineError, Event, Go, Score, Setup};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const ROLLED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 NBP";

/// A program that answers `uci` and `isready`, and in the way of `more` (branches of a `case`) everything else.
fn program(more: &str) -> Setup {
    let script = format!(
        "while read -r line; do case \"$line\" in
           uci) printf 'id name Script 1\\nid author A\\noption name Hash type spin default 16 min 1 max 64\\nuciok\\n';;
           isready) echo readyok;;
           quit) exit 0;;
           {more}
         esac; done"
    );
    let mut setup = Setup::new(["/bin/sh", "-c", &script]);
    setup.handshake = Duration::from_secs(20);
    setup
}

fn start(more: &str) -> Engine {
    Engine::start(&program(more)).unwrap_or_else(|error| panic!("{error}: {:?}", error.last_lines))
}

fn rolled() -> Rolled {
    Rolled::from_dfen(ROLLED).expect("a position")
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

const GRACE: Duration = Duration::from_secs(20);

/// Answers at once.
const PROMPT: &str =
    "'go depth 1') printf 'info depth 1 score cp 7 pv e2e4,f1c4,g1f3\\nbestmove e2e4,f1c4,g1f3 draw\\n';;";

/// Searches until it is told to stop.
const PATIENT: &str = "go*) echo 'info depth 1 multipv 2 score mate 1';; stop) echo 'bestmove e2e4,f1c4,g1f3';;";

#[test]
fn a_program_introduces_itself_and_answers() {
    let mut engine = Engine::start(&program(PROMPT).option("hash", "32")).expect("it starts");
    assert_eq!(engine.introduction().name.as_deref(), Some("Script 1"));
    assert_eq!(engine.introduction().author.as_deref(), Some("A"));
    assert_eq!(engine.options().get("Hash").map(String::as_str), Some("32"));
    assert!(matches!(engine.set_option("Hash", "65"), Err(EngineError::Option(_))));
    engine.set_option("Hash", "5").expect("a sound value");
    assert_eq!(engine.options().get("Hash").map(String::as_str), Some("5"));
    engine.new_game().expect("it is ready");
    let mut infos = Vec::new();
    let began = engine.go(&rolled(), &Go::depth(1)).expect("it reads");
    let (answer, at) = engine.wait(soon(), GRACE, &mut |info| infos.push(info.clone())).expect("an answer");
    assert!(answer.offers_draw && at >= began && !engine.is_searching());
    assert_eq!(answer.action, Action::Play("e2e4,f1c4,g1f3".parse().expect("a turn")));
    assert_eq!(infos.iter().map(|info| info.score).collect::<Vec<_>>(), [Some(Score::Cp(7))]);
    assert_eq!(engine.quit(GRACE).last().map(String::as_str), Some("bestmove e2e4,f1c4,g1f3 draw"));
}

#[test]
fn a_search_ends_at_its_deadline_by_another_thread_and_before_the_next() {
    let mut engine = start(PATIENT);
    let turn = Action::Play("e2e4,f1c4,g1f3".parse().expect("a turn"));
    engine.go(&rolled(), &Go::infinite()).expect("it reads");
    let (answer, _) = engine.wait(Instant::now(), GRACE, &mut |_| ()).expect("it stops at the deadline");
    assert_eq!(answer.action, turn);

    engine.go(&rolled(), &Go::infinite()).expect("it reads");
    let remote = engine.remote();
    let stopping = std::thread::spawn(move || remote.stop());
    let (answer, _) = engine.wait(soon() + GRACE, GRACE, &mut |_| ()).expect("it is stopped");
    assert_eq!(answer.action, turn);
    stopping.join().expect("no panic").expect("it reads");

    engine.go(&rolled(), &Go::infinite()).expect("it reads");
    assert!(engine.is_searching());
    engine.go(&rolled(), &Go::infinite()).expect("the search before is ended");
    let event = engine.next(soon()).expect("it goes on");
    assert!(matches!(event, Some(Event::Info(info)) if info.multipv == Some(2)));
    assert_eq!(engine.next(Instant::now() + Duration::from_millis(50)), Ok(None));
    engine.halt().expect("it stops");
    assert!(!engine.is_searching());
    engine.ready().expect("nothing is left over");
}

#[test]
fn failures_are_told_apart() {
    let error = Engine::start(&Setup::new(["/no/such/program"])).err().expect("there is none").error;
    assert!(matches!(&error, EngineError::Gone(what) if what.contains("/no/such/program")), "{error}");

    let died = Engine::start(&Setup::new(["/bin/sh", "-c", "echo sorry >&2; exit 3"])).err().expect("it ends");
    assert!(matches!(died.error, EngineError::Gone(_)), "{died}");
    assert_eq!(died.last_lines, ["stderr: sorry"]);

    let unsuited = Engine::start(&program(PROMPT).option("Contempt", "1")).err().expect("no such option").error;
    assert!(unsuited.to_string().contains("Hash"), "{unsuited}");

    let mut setup = Setup::new(["/bin/sh", "-c", "while read -r line; do :; done"]);
    setup.handshake = Duration::from_millis(100);
    let silent = Engine::start(&setup).err().expect("it says nothing").error;
    assert_eq!(silent.to_string(), "no answer to uci within 0.1 s");

    let mut engine = start("go*) echo 'bestmove 0000'; exit 0;;");
    engine.go(&rolled(), &Go::default()).expect("it reads");
    engine.wait(soon(), GRACE, &mut |_| ()).expect("an answer");
    let error = engine.ready().expect_err("it has ended");
    assert!(matches!(error, EngineError::Gone(_)), "{error}");

    let mut engine = start("go*) while echo flood; do :; done;;");
    engine.go(&rolled(), &Go::default()).expect("it reads");
    let error = engine.wait(soon() + GRACE, GRACE, &mut |_| ()).expect_err("a flood");
    assert!(error.to_string().contains("flood"), "{error}");

    let mut engine = start("go*) :;;");
    engine.go(&rolled(), &Go::default()).expect("it reads");
    let error = engine.wait(Instant::now(), Duration::from_millis(50), &mut |_| ()).expect_err("no answer");
    assert_eq!(error, EngineError::NoAnswer { asked: "stop", within: Duration::from_millis(50) });
}

#[test]
fn a_wait_is_given_up() {
    let setup = Setup { cancel: Cancel::new(), ..program("go*) :;;") };
    let mut engine = Engine::start(&setup).expect("it starts");
    engine.go(&rolled(), &Go::default()).expect("it reads");
    setup.cancel.raise();
    assert_eq!(engine.wait(soon(), GRACE, &mut |_| ()), Err(EngineError::Cancelled));
}

#[test]
fn every_line_is_told() {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&lines);
    let setup = program("go*) echo trouble >&2; echo 'bestmove 0000';;").hook(Arc::new(move |traffic| {
        told.lock().expect("no panic").push((traffic.direction, traffic.text.to_owned()));
    }));
    let mut engine = Engine::start(&setup).expect("it starts");
    engine.go(&rolled(), &Go::depth(2)).expect("it reads");
    engine.wait(soon(), GRACE, &mut |_| ()).expect("an answer");
    engine.quit(GRACE);
    let lines = lines.lock().expect("no panic");
    for (direction, text) in [
        (Direction::Sent, "uci"),
        (Direction::Heard, "uciok"),
        (Direction::Sent, &format!("position dfen {}", rolled())),
        (Direction::Sent, "go depth 2"),
        (Direction::Heard, "bestmove 0000"),
        (Direction::Errors, "trouble"),
        (Direction::Sent, "quit"),
    ] {
        assert!(lines.contains(&(direction, text.to_owned())), "{text}: {lines:?}");
    }
}
