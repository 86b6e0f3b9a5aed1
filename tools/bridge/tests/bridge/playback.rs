//! The recorded games once more: with an engine that gives the recorded turns, the bridge sends exactly those that are due.

use crate::double::playback::{ID, Playback};
use crate::recordings::{exchanges, text};
use crate::running::{Bridge, until};
use astragal::board::Rolled;
use bridge::api::{GameEvent, Seat};
use serde_json::Value;
use std::fmt::Write;
use std::time::Duration;

/// An engine that gives the turns of a script: a case of the shell for each position, so that it is quick on a busy machine.
fn engine(script: &[(String, String)]) -> String {
    let mut text = "while IFS= read -r line; do\n    case \"$line\" in\n".to_owned();
    for (at, turn) in script {
        let _ = writeln!(text, "        \"position dfen {at}\") turn={turn} ;;");
    }
    text + r#"        position*) turn=0000 ;;
        uci) echo "id name Scripted"; echo uciok ;;
        isready) echo readyok ;;
        go*) echo "bestmove $turn" ;;
        quit) exit 0 ;;
    esac
done
"#
}

struct Recorded {
    lines: Vec<String>,
    /// White's turns that are no passes.
    due: Vec<Vec<String>>,
    /// Every turn of White's with its position, as the engine is told of it.
    script: Vec<(String, String)>,
}

fn recorded(name: &str) -> Recorded {
    let lines: Vec<String> = text(name).lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    let (mut due, mut script, mut at) = (Vec::new(), Vec::new(), String::new());
    for line in &lines {
        match GameEvent::read(line.as_bytes()).expect(line).1 {
            GameEvent::DiceRolled { dfen, .. } => at = Rolled::from_dfen(&dfen).expect("a position").to_string(),
            GameEvent::TurnPlayed { seat: Seat::White, moves, .. } if !moves.is_empty() => {
                script.push((at.clone(), moves.join(",")));
                due.push(moves);
            }
            _ => {}
        }
    }
    Recorded { lines, due, script }
}

fn play(name: &str, history: Value, account: Vec<String>) -> (Playback, Bridge, Vec<Vec<String>>) {
    let recorded = recorded(name);
    let playback = Playback::start(recorded.lines, Seat::White, history, account);
    let settings = "concurrency = 1\ntime_scale = 0.05\noverhead_floor_ms = 50";
    let mut bridge = Bridge::at(&playback.address, settings, "[engine]\ncommand = [\"sh\", \"engine.sh\"]");
    std::fs::write(bridge.folder.join("engine.sh"), engine(&recorded.script)).expect("ours");
    bridge.start();
    (playback, bridge, recorded.due)
}

fn recorded_history(id: &str) -> Value {
    let found = exchanges("games.json")
        .into_iter()
        .find(|exchange| exchange["body"]["turns"].is_array() && exchange["body"]["gameId"] == id);
    found.expect("it was recorded")["body"].clone()
}

#[test]
fn a_recorded_game_is_played_to_the_capture_of_the_king() {
    // Before it, what another day's stream of the account told: five games that are over, and challenges.
    let account = text("stream-account-a.ndjson").lines().map(str::to_owned).collect();
    let (playback, bridge, due) = play("stream-game-king-captured.ndjson", recorded_history(ID), account);
    until(Duration::from_secs(40), "the game is kept", || bridge.kept() == [ID]);
    let sent = playback.lock().sent.clone();
    assert_eq!(sent, due);
    assert_eq!(due.len(), 10);
    let log = bridge.log();
    assert!(log.contains("dice verified") && !log.contains("ALARM: game") && !log.contains("panic"), "{log}");
    let refused = playback.lock().refused.clone();
    assert!(refused.iter().all(|request| !request.contains("POST /bot/game")), "{refused:?}");
}

#[test]
fn passes_are_not_answered_and_games_end_as_they_did() {
    for (name, ended) in [
        ("stream-game-per-move.ndjson", true),
        ("stream-game-timeout.ndjson", true),
        ("stream-game-resigned.ndjson", true),
        ("stream-game-reconnected.ndjson", false),
        ("stream-game-after-restart.ndjson", false),
    ] {
        let (playback, bridge, due) = play(name, Value::Null, Vec::new());
        if ended {
            until(Duration::from_secs(30), name, || bridge.kept() == [ID]);
        } else {
            until(Duration::from_secs(30), name, || !playback.lock().sent.is_empty());
            std::thread::sleep(Duration::from_millis(300));
        }
        let sent = playback.lock().sent.clone();
        // Where the recording ends with a roll of ours, a turn for it is due, too: the engine has none, so the instant bot's.
        assert!(sent.starts_with(&due) && sent.len() <= due.len() + 1, "{name}: {sent:?}");
        assert!(ended || sent.len() == 1, "{name}: {sent:?}");
        assert!(!bridge.log().contains("panic"), "{}", bridge.log());
    }
}
