//! Finished games: one line each in a journal (format 2, which the arena's `stats` and `replay` read), and one JSON file each
//! if wished. No game is written twice.

use crate::api::{ClocksMs, History, Seat, TimeControl};
use astragal::board::{Dice, PieceType, Rolled, STARTPOS};
use astragal::rules::{Turn, TurnEnd, apply_roll};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// What we know of a turn of ours that the platform does not keep.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct OwnTurn {
    /// The engine's score in centipawns.
    pub score: Option<i64>,
    /// The depth it told.
    pub depth: Option<u32>,
    /// The nodes it told.
    pub nodes: Option<u64>,
    /// How long it thought, in milliseconds.
    pub time_ms: Option<f64>,
    /// The time it told, in milliseconds.
    pub engine_time_ms: Option<u64>,
}

/// What we know of a game besides its history.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Witness {
    /// Our side.
    pub seat: Option<Seat>,
    /// When we first saw it, in milliseconds since 1970.
    pub since_ms: u64,
    /// Our turns, by the position with dice that they were played in.
    pub turns: BTreeMap<String, OwnTurn>,
    /// The clocks told with each roll, by the position with dice.
    pub clocks: BTreeMap<String, ClocksMs>,
    /// What our engine calls itself.
    pub engine: Option<String>,
}

/// The journal and the folder.
pub struct Keeper {
    journal: PathBuf,
    json_dir: Option<PathBuf>,
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    /// What stands for the ids of the games in it: over years there are many.
    written: BTreeSet<[u8; 16]>,
    number: u64,
}

impl Keeper {
    /// Opens the journal, or makes it, and locks it against other writers. A last line that was torn by a crash is dropped:
    /// its game will be written anew.
    ///
    /// # Errors
    /// The system's word, that the file is no journal, or that another program writes to it.
    pub fn open(journal: &Path, json_dir: Option<&Path>) -> io::Result<Self> {
        if let Some(folder) = journal.parent() {
            std::fs::create_dir_all(folder)?;
        }
        if let Some(folder) = json_dir {
            std::fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(journal)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::Error::other("another bridge writes to it")),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut reader = BufReader::new(&file);
        let (mut whole, mut line, mut written, mut number) = (0, Vec::new(), BTreeSet::new(), 0);
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line)?;
            if length == 0 || !line.ends_with(b"\n") {
                break;
            }
            #[derive(Deserialize)]
            struct Line {
                r#type: String,
                #[serde(default)]
                format: Option<u32>,
                #[serde(default)]
                number: Option<u64>,
                #[serde(default)]
                id: Option<String>,
            }
            let bad = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
            let read: Line = serde_json::from_slice(&line).map_err(|_| bad("it holds a line that is no game"))?;
            if whole == 0 && (read.r#type != "header" || read.format != Some(2)) {
                return Err(bad("it is no journal of format 2"));
            }
            number = read.number.map_or(number, |last| last + 1);
            written.extend(read.id.as_deref().map(mark));
            whole += length as u64;
        }
        if whole < file.metadata()?.len() {
            tracing::warn!(event = "journal", "{}: a torn last line is dropped", journal.display());
            file.set_len(whole)?;
        }
        let keeper = Self {
            journal: journal.to_owned(),
            json_dir: json_dir.map(Path::to_owned),
            inner: Mutex::new(Inner { file, written, number }),
        };
        if whole == 0 {
            append(&mut keeper.inner.lock().file, &header())?;
        }
        Ok(keeper)
    }

    /// Where the journal is.
    pub fn path(&self) -> &Path {
        &self.journal
    }

    /// Whether a game is in the journal.
    pub fn has(&self, id: &str) -> bool {
        self.inner.lock().written.contains(&mark(id))
    }

    /// Writes a game, unless it is written already. Returns whether it was.
    ///
    /// # Errors
    /// The system cannot write it.
    pub fn write(&self, history: &History, witness: &Witness) -> io::Result<bool> {
        let mut inner = self.inner.lock();
        if inner.written.contains(&mark(&history.game_id)) {
            return Ok(false);
        }
        if let Some(folder) = &self.json_dir {
            let name: String = history.game_id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            let beside = folder.join(format!("{name}.json.new"));
            std::fs::write(&beside, serde_json::to_vec_pretty(history)?)?;
            std::fs::rename(&beside, folder.join(format!("{name}.json")))?;
        }
        let line = game_line(history, witness, inner.number);
        append(&mut inner.file, &line)?;
        inner.number += 1;
        inner.written.insert(mark(&history.game_id));
        Ok(true)
    }
}

/// What stands for an id.
fn mark(id: &str) -> [u8; 16] {
    let digest = Sha256::digest(id);
    std::array::from_fn(|index| digest[index])
}

/// Writes a line with one call, and has the system put it on the disk.
fn append(file: &mut File, line: &Value) -> io::Result<()> {
    let before = file.metadata()?.len();
    let mut text = serde_json::to_string(line)?;
    text.push('\n');
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_data());
    if written.is_err() {
        // Half a line would spoil the next one.
        let _ = file.set_len(before);
    }
    written
}

fn header() -> Value {
    json!({
        "type": "header", "format": 2, "event": "free", "players": [], "seed": 0, "control": "", "timed": true,
        "margin_ms": 0, "games_per_pairing": 0, "mirrored": false, "openings": [],
        "adjudication": {"resign": null, "draw": null}, "sprt": null, "luck": false, "shard": null, "concurrency": null,
        "arena": concat!("bridge ", env!("CARGO_PKG_VERSION")), "engine": astragal::VERSION, "cpu": "", "os": "",
    })
}

fn letters(thrown: &[u8]) -> Option<(String, String)> {
    let faces: Vec<PieceType> = thrown
        .iter()
        .map(|&face| PieceType::ALL.get(usize::from(face).checked_sub(1)?).copied())
        .collect::<Option<_>>()?;
    let dice = Dice::new(&faces).ok()?;
    Some((dice.to_string(), faces.iter().map(|face| face.letter()).collect()))
}

fn control_text(control: Option<&TimeControl>) -> String {
    match control {
        None | Some(TimeControl::Unknown(_)) => String::new(),
        Some(control) => control.to_string(),
    }
}

/// A finished game as a line of the journal.
pub fn game_line(history: &History, witness: &Witness, number: u64) -> Value {
    let opening = history.initial_dfen.clone().unwrap_or_else(|| STARTPOS.to_owned());
    let mut at = Rolled::from_dfen(&opening).ok();
    let mut final_dfen = opening.clone();
    let mut plies = Vec::new();
    for (index, turn) in history.turns.iter().enumerate() {
        let (roll, thrown) = letters(&turn.dice).unwrap_or_default();
        let text = if turn.moves.is_empty() { "0000".to_owned() } else { turn.moves.join(",") };
        let rolled = at.and_then(|at| Some(Rolled { position: at.position, dice: Dice::parse(&roll).ok()? }));
        let key = rolled.map(|rolled| rolled.to_string()).unwrap_or_default();
        let own = witness.turns.get(&key).filter(|_| Some(turn.active_color) == witness.seat);
        // The clock after a turn is told with the next roll.
        let parsed: Option<Turn> = text.parse().ok();
        let end = rolled.zip(parsed).map(|(rolled, parsed)| apply_roll(&rolled, parsed));
        at = match end {
            Some(Ok(TurnEnd::Position(position))) => Some(Rolled { position, dice: Dice::NONE }),
            Some(Ok(TurnEnd::KingCaptured)) => None,
            // Rules that differ: the platform's position is the one that counts.
            _ => Rolled::from_dfen(&turn.fen_after).ok(),
        };
        final_dfen = match (&end, &at) {
            (Some(Ok(TurnEnd::KingCaptured)), _) | (_, None) => {
                if key.is_empty() {
                    final_dfen
                } else {
                    key.clone()
                }
            }
            (_, Some(at)) => at.to_string(),
        };
        let clock = history.turns.get(index + 1).zip(at).and_then(|(next, at)| {
            let (roll, _) = letters(&next.dice)?;
            let next = Rolled { position: at.position, dice: Dice::parse(&roll).ok()? };
            Some(witness.clocks.get(&next.to_string())?.of(turn.active_color))
        });
        let own = own.cloned().unwrap_or_default();
        let mut ply = json!({
            "roll": roll, "thrown": thrown, "turn": text, "score": own.score.map(|score| json!({"cp": score})),
            "depth": own.depth, "nodes": own.nodes, "time_ms": own.time_ms, "engine_time_ms": own.engine_time_ms,
            "clock_left_ms": clock, "luck": null,
        });
        if turn.moves.is_empty() {
            ply["passed"] = json!(true);
        }
        plies.push(ply);
    }
    let result = history.result.map_or(0.5, |result| (result.clamp(-1, 1) as f64 + 1.0) / 2.0);
    json!({
        "type": "game", "number": number, "pair": number, "half": 0, "id": history.game_id,
        "seats": seats(history), "started_ms": (witness.since_ms > 0).then_some(witness.since_ms),
        "dice": dice_source(history), "luck_by": null, "opening": opening, "plies": plies, "result": result,
        "end": end_record(history, &final_dfen), "final_dfen": final_dfen,
    })
}

fn seats(history: &History) -> Value {
    let control = control_text(history.time_control.as_ref());
    let seat = |seat: Seat| {
        let name = history.players.of(seat).name.clone().unwrap_or_else(|| seat.to_string());
        // Two of one name would be one player.
        json!({"name": name, "control": control})
    };
    json!([seat(Seat::White), seat(Seat::Black)])
}

fn dice_source(history: &History) -> Value {
    let fairness = history.fairness.as_ref();
    match fairness.and_then(|fairness| fairness.commit.as_ref()) {
        None => json!({"source": "given"}),
        Some(commit) => {
            let seeds = fairness.and_then(|fairness| fairness.client_seeds.as_ref());
            json!({
                "source": "fair", "commit": commit, "seed": fairness.and_then(|fairness| fairness.seed.as_ref()),
                "client_seeds": seeds.map(|seeds| json!([seeds.white, seeds.black])),
            })
        }
    }
}

fn end_record(history: &History, final_dfen: &str) -> Value {
    let word = history.termination.as_deref().unwrap_or("unknown");
    let halfmoves: u32 = final_dfen.split(' ').nth(4).and_then(|count| count.parse().ok()).unwrap_or(0);
    let kind = match word {
        "king_captured" => "king-capture",
        "timeout" => "time",
        "resign" => "resignation",
        "draw_agreement" if halfmoves >= 100 => "halfmove-clock",
        "draw_agreement" => "agreed-draw",
        "aborted" => "aborted",
        _ if history.result.is_none() => "aborted",
        _ => "adjudicated",
    };
    // Who brought it about: the winner by a capture, the loser otherwise. Players have no places in this journal: White is
    // 0 and Black 1.
    let player = history.winner().and_then(|winner| match kind {
        "king-capture" => Some(winner.index()),
        "time" | "resignation" => Some(winner.other().index()),
        _ => None,
    });
    let mut end = json!({"kind": kind, "player": player});
    if !["king_captured", "timeout", "resign", "draw_agreement", "aborted"].contains(&word) {
        end["detail"] = json!(format!("the platform says {}", word.escape_default()));
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        let text = include_str!("../tests/recordings/games.json");
        let exchanges: Vec<Value> = serde_json::from_str(text).expect("JSON");
        let found = exchanges.into_iter().find(|exchange| exchange["name"] == "history").expect("a history");
        serde_json::from_value(found["body"].clone()).expect("a history")
    }

    #[test]
    fn a_game_is_written_once_whatever_happens() {
        let folder = std::env::temp_dir().join(format!("bridge-keep-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let (path, json_dir) = (folder.join("games.jsonl"), folder.join("json"));
        let mut history = history();
        let keeper = Keeper::open(&path, Some(&json_dir)).expect("a new one");
        assert_eq!(keeper.write(&history, &Witness::default()).ok(), Some(true));
        assert_eq!(keeper.write(&history, &Witness::default()).ok(), Some(false));
        let error = Keeper::open(&path, None).map(|_| ()).expect_err("it is in use").to_string();
        assert!(error.contains("another"), "{error}");
        drop(keeper);
        let whole = std::fs::read(&path).expect("it is there");
        let mut torn = whole.clone();
        torn.extend_from_slice(br#"{"type":"game","number":1,"id":"torn"#);
        std::fs::write(&path, torn).expect("ours");
        let keeper = Keeper::open(&path, Some(&json_dir)).expect("it is mended");
        assert!(keeper.has(&history.game_id) && !keeper.has("torn"), "a game that was torn is written anew");
        assert_eq!(keeper.write(&history, &Witness::default()).ok(), Some(false));
        history.game_id = "another".to_owned();
        assert_eq!(keeper.write(&history, &Witness::default()).ok(), Some(true));
        let text = std::fs::read_to_string(&path).expect("it is there");
        assert!(text.as_bytes().starts_with(&whole) && text.lines().count() == 3);
        let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
        assert_eq!((&last["number"], &last["id"]), (&json!(1), &json!("another")));
        assert_eq!(std::fs::read_dir(&json_dir).expect("it is there").count(), 2);
        let mut games = 0;
        let read = |game: astragal::record::Game| {
            astragal::record::replay(&game, |_, _, _| ()).expect("every turn is legal");
            game.dice.check(&game).expect("the dice are fair");
            games += 1;
        };
        astragal::record::read(&path, read).expect("others read it");
        assert_eq!(games, 2);
        drop(keeper);
        std::fs::write(&path, "no journal\n").expect("ours");
        assert!(Keeper::open(&path, None).is_err());
        std::fs::remove_dir_all(&folder).expect("ours");
    }

    #[test]
    fn a_line_says_what_the_platform_keeps() {
        let history = history();
        let line = game_line(&history, &Witness::default(), 7);
        assert_eq!(line["end"], json!({"kind": "king-capture", "player": 0}));
        assert_eq!(line["result"], json!(1.0));
        assert_eq!(line["plies"].as_array().map(Vec::len), Some(history.turns.len()));
        assert_eq!(line["plies"][0]["roll"], "NNB");
        assert_eq!(line["plies"][0]["thrown"], "BNN");
        assert_eq!(line["plies"][0]["turn"], "b1c3,g1f3");
        assert_eq!(line["final_dfen"], "rnb3k1/p4p2/3N2Qp/1p1n4/3P2PP/2P5/PPR1BP2/2K2R2 w - - 0 10 QQQ");
        assert_eq!(line["seats"][0], json!({"name": "dragons astragal", "control": "60+1"}));
        assert_eq!(line["dice"]["source"], "fair");
    }
}
