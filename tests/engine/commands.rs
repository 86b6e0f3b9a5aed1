//! The commands that work on files: `review`, `convert`, `analyse`, `quiz`.

use crate::common::engine::spawn;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Two games of the platform.
const HISTORIES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/records/histories.json");

/// A name that would be markup, or act on a terminal, if it were let.
const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(2)> \u{1b}[2J\u{202e}";

/// A folder of this test, empty.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("astragal-commands-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder for temporary use");
        Self(path)
    }

    /// Writes a file and tells its path.
    fn file(&self, name: &str, text: &[u8]) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file for temporary use");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the program to its end, with that input.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(Command::new(env!("CARGO_BIN_EXE_astragal")).args(arguments));
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let input = input.to_vec();
    // Who does not read its input to the end may close it.
    let writer = std::thread::spawn(move || _ = stdin.write_all(&input));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("it only writes");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// Runs it and checks the exit code; standard output and error.
fn said(code: i32, arguments: &[&str], input: &str) -> (String, String) {
    let output = run(arguments, input.as_bytes());
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}\n{err}");
    (out, err)
}

fn lines(json: &str) -> Vec<Value> {
    json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_review_has_four_forms_of_the_same() {
    let folder = Folder::new("forms");
    let (shown, _) = said(0, &["review", HISTORIES, "--depth", "1"], "");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert!(shown.contains("game 1: dragons astragal – knights rival") && shown.contains("without luck"));
    let (json, _) = said(0, &["review", HISTORIES, "--depth", "1", "--json"], "");
    let games = lines(&json);
    assert_eq!(
        games.iter().map(|line| line["type"].as_str()).collect::<Vec<_>>(),
        [Some("game"), Some("game"), Some("players")]
    );
    for game in &games[..2] {
        let number = |name: &str| game["account"][name].as_f64().expect("a number");
        let result = game["result"].as_f64().expect("a number");
        assert!((number("sum") - result).abs() < 1e-9);
        let parts = ["start", "luck", "play", "revaluation", "last"].map(number);
        assert!((parts.iter().sum::<f64>() - result).abs() < 1e-9);
        assert_eq!((game["schema"].as_u64(), game["basis"]["depth"].as_u64()), (Some(1), Some(1)));
    }
    let (page, _) = said(0, &["review", HISTORIES, "--depth", "1", "--html"], "");
    assert!(page.starts_with("<!DOCTYPE html><html") && page.ends_with("</html>\n"));
    // The record with remarks is the same game, and its review the same review.
    let (record, _) = said(0, &["review", HISTORIES, "--record"], "");
    assert!(record.contains("{? loss 0.073, best c3d5; luck -0.073, equity -0.078}"), "{record}");
    let again = said(0, &["review", &folder.file("a.txt", record.as_bytes()), "--depth", "1", "--json"], "").0;
    assert_eq!(again, json);
    // And by standard input, at another number of threads.
    let output = said(0, &["review", "-", "--depth", "1", "--json", "--threads", "3"], &record).0;
    assert_eq!(output, json);
}

#[test]
fn games_can_be_chosen_and_what_is_wrong_is_told_at_its_place() {
    let (one, _) = said(0, &["review", HISTORIES, "--depth", "1", "--game", "2", "--json"], "");
    assert_eq!(lines(&one).len(), 1);
    assert_eq!(lines(&one)[0]["number"].as_u64(), Some(2));
    let (_, error) = said(1, &["review", HISTORIES, "--player", "nobody"], "");
    assert!(error.contains("no game to review"), "{error}");
    let record =
        "[White \"A\"]\n\n1. PNB b1c3,e2e4,f1c4 *\n\n[White \"B\"]\n\n1. PNB b1c3,e2e4,f1c5 *\n\n[White \"C\"]\n\n*\n";
    let (json, error) = said(3, &["review", "-", "--depth", "1", "--json"], record);
    assert_eq!(lines(&json).len(), 3, "two games and the players");
    assert!(error.contains("line 7") && error.contains("f1c5"), "{error}");
    assert_eq!(lines(&json)[0]["result"], Value::Null);
    said(1, &["review", "/nowhere/at-all"], "");
    said(1, &["review", "/"], "");
    said(2, &["review", HISTORIES, "--json", "--html"], "");
    said(2, &["review", HISTORIES, "--time", "5 weeks"], "");
    said(2, &["review", HISTORIES, "--depth", "2", "--time", "5s"], "");
}

#[test]
fn the_reviews_of_parts_are_that_of_the_whole() {
    let folder = Folder::new("parts");
    let record = said(0, &["convert", HISTORIES, "--to", "text"], "").0.replace("[White \"", "[White \"x");
    let games = said(0, &["convert", HISTORIES, "--to", "text"], "").0.trim_end().to_owned() + "\n\n" + &record;
    let games = folder.file("games.txt", games.as_bytes());
    let review = ["review", &games, "--depth", "1", "--seed", "3", "--json"];
    let (whole, _) = said(0, &review, "");
    assert_eq!(lines(&whole).len(), 5, "four games and the players");
    let part = |words: &[&str]| said(0, &[&review[..], words].concat(), "").0;
    let parts = ["1/3", "2/3", "3/3"].map(|shard| part(&["--shard", shard]));
    assert_eq!(parts.each_ref().map(|part| lines(part).len()), [2, 1, 1]);
    // A part is gone on with after the last game that is there; one that is done has no more.
    assert_eq!(parts[0].lines().nth(1), part(&["--shard", "1/3", "--after", "1"]).lines().next());
    assert_eq!(part(&["--shard", "1/3", "--after", "4"]), "");
    let files: Vec<String> =
        parts.iter().enumerate().map(|(number, part)| folder.file(&format!("{number}"), part.as_bytes())).collect();
    let merge = |code: i32, files: &[&str]| said(code, &[&["merge"], files].concat(), "");
    assert_eq!(merge(0, &[&files[2], &files[0], &files[1]]).0, whole);
    let player = ["--player", "xdragons astragal"];
    let of_player = merge(0, &[&files[0], &files[1], &files[2], player[0], player[1]]).0;
    let expected = said(0, &[&review[..], &player].concat(), "").0;
    assert_eq!(of_player.lines().last(), expected.lines().last(), "the table is of the player alone");
    // What does not belong together is not put together.
    assert!(merge(1, &[&files[0], &files[0]]).1.contains("in another part, too"));
    let other = said(0, &["review", &games, "--depth", "1", "--json", "--shard", "2/3"], "").0;
    let other = folder.file("other", other.as_bytes());
    assert!(merge(1, &[&files[0], &other]).1.contains("another way"));
    assert!(merge(1, &[&folder.file("text", b"1. PNB\n")]).1.contains("line 1: no review"));
    said(2, &["review", &games, "--json", "--shard", "4/3"], "");
    said(2, &["review", &games, "--shard", "1/3"], "");
}

#[test]
fn turns_near_a_mark_are_rolled_out_and_turns_have_their_time() {
    let game = ["review", HISTORIES, "--game", "1"];
    let (json, _) = said(0, &[&game[..], &["--rollout=4", "--json"]].concat(), "");
    let review = &lines(&json)[0];
    assert_eq!(review["basis"]["rollout_games"].as_u64(), Some(4));
    let rolled_out: Vec<&Value> = review["turns"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|turn| !turn["decision"]["rollout"].is_null())
        .collect();
    assert!(!rolled_out.is_empty(), "{json}");
    for turn in rolled_out {
        let look = &turn["decision"]["rollout"];
        assert_eq!(look["games"].as_u64(), Some(4));
        let before = look["loss_before"].as_f64().expect("a number");
        assert!([0.03, 0.06, 0.12].iter().any(|mark| (before - mark).abs() <= 0.015), "{turn}");
    }
    let (shown, _) = said(0, &[&game[..], &["--rollout=4"]].concat(), "");
    assert!(shown.contains("rolled out: loss "), "{shown}");
    let (json, _) = said(0, &[&game[..], &["--time", "2ms", "--json"]].concat(), "");
    assert_eq!(lines(&json)[0]["basis"]["time_ms"].as_u64(), Some(2));
    assert_eq!(lines(&json)[0]["turns"].as_array().map(Vec::len), Some(19));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_review_with_what_is_done() {
    let folder = Folder::new("interrupted");
    let (games, _) = said(0, &["convert", HISTORIES, "--to", "text"], "");
    let path = folder.file("games.txt", format!("1. PNB b1c3,e2e4,f1c4 *\n\n{games}").as_bytes());
    let mut child = Command::new(env!("CARGO_BIN_EXE_astragal"))
        .args(["review", &path, "--time", "500ms", "--threads", "1", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut output = BufReader::new(child.stdout.take().expect("it is a pipe")).lines();
    // With the first game written it is at work on the next one, which takes nine seconds.
    let first = output.next().expect("a line").expect("text");
    assert!(first.contains("\"complete\":true"), "{first}");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is a kill");
    assert!(killed.success());
    let rest: Vec<Value> = output.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(rest.len(), 2, "the game that was begun, and the players: {rest:?}");
    assert_eq!((&rest[0]["number"], &rest[0]["complete"]), (&Value::from(1), &Value::Bool(false)));
    assert!(rest[0]["turns"].as_array().is_some_and(|turns| turns.len() < 19));
}

#[test]
fn a_closed_output_ends_a_review_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_astragal"))
        .args(["review", HISTORIES, "--depth", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn games_go_between_all_forms_and_come_back_the_same() {
    let folder = Folder::new("convert");
    let forms = ["history", "text", "journal"];
    let first: Vec<String> = forms.iter().map(|form| said(0, &["convert", HISTORIES, "--to", form], "").0).collect();
    for (from, written) in forms.iter().zip(&first) {
        let path = folder.file(from, written.as_bytes());
        for (to, expected) in forms.iter().zip(&first) {
            let (again, _) = said(0, &["convert", &path, "--to", to], "");
            if (*from, *to) == ("journal", "text") {
                // It has the header of the journal besides.
                let back = said(0, &["convert", "-", "--to", "journal"], &again).0;
                assert_eq!(back, first[2]);
            } else {
                assert_eq!(&again, expected, "{from} to {to}");
            }
        }
    }
    let (_, error) = said(0, &["convert", HISTORIES, "--to", "text"], "");
    assert!(["finishedAt", "rated", "kind"].iter().all(|field| error.contains(&format!("field {field}"))), "{error}");
    let record = "[Event \"x\"]\n\n1. PNB b1c3,e2e4,f1c4 ! {a remark} {[%score cp 3] [%eval 2]} *\n";
    let (_, error) = said(0, &["convert", "-", "--to", "history"], record);
    for what in ["tag Event", "mark !", "command eval", "1 comments", "scores, depths and nodes"] {
        assert!(error.contains(what), "{what}: {error}");
    }
}

#[test]
fn bad_records_are_told_and_the_others_converted() {
    let record = "1. PNB b1c3,e2e4,f1c5 *\n\n[White \"B\"]\n\n1. PNB b1c3,e2e4,f1c4 1-0\n";
    let (out, error) = said(3, &["convert", "-", "--to", "text"], record);
    assert!(out.contains("[White \"B\"]") && error.contains("line 1: "), "{out}\n{error}");
    said(1, &["convert", "-", "--to", "text"], "nonsense\n");
    said(2, &["convert", "-", "--to", "pgn"], "");
    // Nothing is a journal with nothing but its header.
    let (journal, _) = said(0, &["convert", "-", "--to", "journal"], "");
    assert_eq!(journal.lines().count(), 1);
    assert!(journal.starts_with("{\"type\":\"header\""));
}

#[test]
fn positions_are_analysed_line_by_line_and_bad_ones_are_numbered() {
    let positions = "7k/8/8/8/8/8/8/K6R w - - 0 1 RKK\nnonsense\n\n# a remark\n7k/8/8/8/8/8/8/K6R w - - 0 1 R\n\
        7k/8/8/8/8/8/8/K6R w - - 100 1 -\n7k/8/8/8/8/8/8/K6R w - - 0 1 -\n\u{1b}[2J\n";
    let long = format!("{positions}{}\n7k/8/8/8/8/8/8/K7 b - - 0 1 kkk\n", "x".repeat(1 << 20));
    let (json, error) = said(3, &["analyse", "--file", "-", "--depth", "1", "--json"], &long);
    let found = lines(&json);
    assert_eq!(found.iter().map(|line| line["line"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(7), Some(10)]);
    assert_eq!(found[0]["turns"][0]["captures"], Value::Bool(true));
    assert_eq!(found[1]["rolls"].as_array().map(Vec::len), Some(56));
    assert_eq!(found[1]["cube"]["take_point"].as_f64(), Some(0.25));
    for line in [2, 5, 6, 8, 9] {
        assert!(error.contains(&format!("line {line}: ")), "{line}: {error}");
    }
    assert_eq!(error.lines().count(), 5, "{error}");
    assert!(!error.contains('\u{1b}'));
    let cube = ["--cube", "mine", "--stake", "4", "--efficiency", "1"];
    let (json, _) =
        said(0, &[&["analyse", "7k/8/8/8/8/8/8/K6R w - - 0 1 -", "--depth", "1", "--json"][..], &cube].concat(), "");
    let cube = &lines(&json)[0]["cube"];
    assert!((cube["take_point"].as_f64().expect("a number") - 0.2).abs() < 1e-12);
    assert_eq!((cube["owner"].as_str(), cube["double_drop"].as_f64()), (Some("mine"), Some(4.0)));
    for wrong in [
        &["analyse"][..],
        &["analyse", "--file", "-", "7k/8/8/8/8/8/8/K6R w - - 0 1 -"],
        &["analyse", "--file", "-", "--efficiency", "2"],
        &["analyse", "--file", "-", "--stake", "nan"],
        &["analyse", "--file", "-", "--cube", "ours"],
    ] {
        said(2, wrong, "");
    }
    said(1, &["analyse", "--file", "/nowhere/at-all"], "");
}

#[test]
fn a_quiz_asks_for_mistakes_and_keeps_the_score() {
    let folder = Folder::new("quiz");
    let record = "[White \"A\"]\n[DFEN \"7k/8/8/8/8/8/8/K6R w - - 0 1\"]\n\n1. RKK h1g1,a1a2,a2a1 *\n";
    let (json, _) = said(0, &["review", "-", "--json"], record);
    let path = folder.file("review.jsonl", json.as_bytes());
    let score = folder.path("score.jsonl").display().to_string();
    let (asked, _) = said(0, &["quiz", &path, "--score", &score], "nonsense\nh1a1\nh1g1 a1a2 a2a1\n");
    assert!(asked.contains("White to move, roll RKK") && asked.contains("8  . . . . . . . k"), "{asked}");
    assert!(asked.contains("it loses ") && asked.contains("best   h1h8") && asked.contains("0 of 1 right"), "{asked}");
    let (asked, _) = said(0, &["quiz", &path, "--score", &score], "h1h8\n");
    assert!(asked.contains("right\n") && asked.contains("all together: 1 of 2 right"), "{asked}");
    // It was answered well.
    let (asked, _) = said(0, &["quiz", &path, "--score", &score], "");
    assert!(asked.starts_with("no question"), "{asked}");
    assert!(said(0, &["quiz", &path, "--score", &score, "--again"], "").0.contains("question 1 of 1"));
    // A file that is something else is left as it is.
    let (_, error) = said(1, &["quiz", &path, "--score", &path], "h1h8\n");
    assert!(error.contains("no score file"), "{error}");
    assert_eq!(fs::read_to_string(&path).expect("it is there"), json);
    said(1, &["quiz", &folder.file("text", record.as_bytes())], "");
    let bad = format!("{json}{{\"type\":\"game\"}}\nnonsense\n{}", json.replace("h1h8", "h1a8"));
    said(3, &["quiz", &folder.file("bad", bad.as_bytes())], "quit\n");
}

#[test]
fn hostile_names_and_records_cost_a_message_at_most() {
    let folder = Folder::new("hostile");
    let name = HOSTILE.replace('\u{1b}', "\\u{1b}");
    let long = "y".repeat(1 << 20);
    let record = format!(
        "[White \"{name}\"]\n[Black \"{long}\"]\n\n1. PNB b1c3,e2e4,f1c4 {{<script>alert(3)</script> {long}}} qqq 0000 1-0\n"
    );
    let path = folder.file("hostile.txt", record.as_bytes());
    for form in [&[][..], &["--json"], &["--html"], &["--record"]] {
        let (out, error) = said(0, &[&["review", &path, "--depth", "1"][..], form].concat(), "");
        assert!(!out.contains('\u{1b}') && !error.contains('\u{1b}'), "{form:?}");
        if form == ["--html"] {
            assert!(!out.contains("<script>alert") && !out.contains("<img"), "{form:?}");
            assert!(out.len() < 200_000, "{}", out.len());
        }
    }
    // A game of 100,000 turns.
    let endless = format!("[DFEN \"7k/8/8/8/8/8/8/K7 w - - 0 1\"]\n\n{}*\n", "PPP 0000 ppp 0000\n".repeat(50_000));
    let path = folder.file("endless.txt", endless.as_bytes());
    for form in ["--json", "--html"] {
        let output = run(&["review", &path, "--depth", "1", form], b"");
        assert!(output.status.success() && output.stdout.len() < 100 << 20, "{}", text(&output.stderr));
    }
    // A line without an end, and bytes that are no text.
    let (_, error) = said(1, &["review", &folder.file("line", &vec![b'z'; 17 << 20])], "");
    assert!(error.contains("more than 16 MiB"), "{error}");
    let noise: Vec<u8> = (0..100_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let output = run(&["review", &folder.file("noise", &noise)], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.len() < 100_000 && !output.stderr.contains(&0x1b));
}

/// The text that a review of each of these games has been; the numbers are those of the evaluation `linear-v1`.
#[test]
fn the_texts_of_three_games_are_what_they_were() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/reviews");
    for game in ["won.txt", "time.txt", "missed.txt"] {
        let path = folder.join(game).display().to_string();
        let (found, _) = said(0, &["review", &path], "");
        let golden = folder.join(game).with_extension("review");
        if std::env::var_os("ASTRAGAL_WRITE_GOLDEN").is_some() {
            fs::write(&golden, &found).expect("it can be written");
        }
        assert_eq!(found, fs::read_to_string(&golden).expect("it is there"), "{game}");
    }
}
