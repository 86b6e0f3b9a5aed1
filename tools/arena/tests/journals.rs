//! Journals survive whatever happens, and do not depend on how many games are played at the same time.
#![cfg(unix)]

mod common;

use arena::record::EndKind;
use common::{all_gone, arena, double, fail, folder, lines, read, run, succeed, wait_until};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

const GREEDY: [&str; 3] = ["match", "builtin:greedy", "builtin:greedy"];

fn play(journal: &Path, more: &[&str]) -> String {
    let path = journal.display().to_string();
    let mut arguments = GREEDY.to_vec();
    arguments.extend(["--untimed", "--journal", &path]);
    arguments.extend(more);
    succeed(&arguments)
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("the journal can be read")
}

#[test]
fn a_thousand_untimed_games_are_the_same_at_any_concurrency() {
    let folder = folder();
    let (one, two) = (folder.join("one.jsonl"), folder.join("two.jsonl"));
    let games = ["--games", "1000", "--no-luck", "--seed", "5"];
    let first = play(&one, &[&games[..], &["--concurrency", "1"]].concat());
    let second = play(&two, &[&games[..], &["--concurrency", "2", "--force-concurrency"]].concat());
    assert!(bytes(&one) == bytes(&two), "the journals differ");
    assert_eq!(first, second, "the reports differ");
    let (_, games) = read(&one);
    assert_eq!(games.len(), 1000);
    assert!(games.windows(2).all(|games| games[0].number < games[1].number));
    for pair in games.chunks(2) {
        let shared = pair[0].plies.len().min(pair[1].plies.len());
        let rolls = |half: usize| pair[half].plies[..shared].iter().map(|ply| ply.roll.as_str()).collect::<Vec<_>>();
        assert_eq!(rolls(0), rolls(1), "both halves have the same dice");
        assert_eq!((pair[0].white, pair[0].black), (pair[1].black, pair[1].white));
    }
}

#[test]
fn killed_in_the_middle_and_resumed_it_ends_as_if_nothing_had_happened() {
    let folder = folder();
    let (whole, killed) = (folder.join("whole.jsonl"), folder.join("killed.jsonl"));
    let expected = play(&whole, &["--games", "80"]);
    let path = killed.display().to_string();
    let arguments =
        [&GREEDY[..], &["--untimed", "--games", "80", "--journal", &path, "--concurrency", "2", "--force-concurrency"]]
            .concat();
    let mut child = arena(&arguments).spawn().expect("the arena can be started");
    wait_until("some games", || lines(&killed) > 15);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    let kept = lines(&killed) - 1;
    assert!((15..80).contains(&kept), "{kept} games");
    // Worse: the last line is torn.
    let mut torn = bytes(&killed);
    torn.truncate(torn.len() - 20);
    std::fs::write(&killed, torn).expect("the journal can be written");
    let refused = fail(2, &arguments);
    assert!(refused.contains("--resume"), "{refused}");
    let resumed = run(&[&arguments[..], &["--resume"]].concat());
    let told = String::from_utf8_lossy(&resumed.stderr);
    assert!(told.contains("torn"), "{told}");
    assert!(told.contains(&format!("{} of them played before", kept - 1)), "{told}");
    assert!(bytes(&whole) == bytes(&killed), "the journals differ");
    assert_eq!(String::from_utf8_lossy(&resumed.stdout), expected);
    // Once more there is nothing to do.
    assert_eq!(succeed(&[&arguments[..], &["--resume"]].concat()), expected);
}

#[test]
fn another_event_is_not_resumed_and_a_broken_journal_is_told() {
    let journal = folder().join("games.jsonl");
    play(&journal, &["--games", "4", "--no-luck"]);
    let path = journal.display().to_string();
    let resume = |more: &[&str]| {
        fail(2, &[&GREEDY[..], &["--untimed", "--journal", &path, "--resume", "--no-luck"], more].concat())
    };
    assert!(resume(&["--games", "4", "--seed", "1"]).contains("the seed differs"));
    assert!(resume(&["--games", "6", "--seed", "1"]).contains("the seed differs"));
    assert!(resume(&["--games", "2"]).contains("of 4 games of each pairing; it can be made longer, not shorter"));
    let text = String::from_utf8(bytes(&journal)).expect("text");
    std::fs::write(&journal, text.replacen("\"pair\":0", "\"pair\":x", 1)).expect("the journal can be written");
    assert!(resume(&["--games", "4"]).contains("line 2"));
    let header = text.lines().next().expect("a header");
    for part in [0, 30, header.len() - 1] {
        std::fs::write(&journal, &header[..part]).expect("the journal can be written");
        let resumed =
            [&GREEDY[..], &["--untimed", "--journal", &path, "--resume", "--no-luck", "--games", "4"]].concat();
        succeed(&resumed);
        assert_eq!(bytes(&journal), text.as_bytes(), "killed at byte {part}");
    }
    std::fs::write(&journal, "hello\n").expect("the journal can be written");
    assert!(resume(&["--games", "4"]).contains("no header"));
    let device = ["--untimed", "--journal", "/dev/zero", "--resume"];
    assert!(fail(2, &[&GREEDY[..], &device].concat()).contains("is no file"));
}

#[test]
fn a_line_without_end_is_refused() {
    let journal = folder().join("games.jsonl");
    let path = journal.display().to_string();
    play(&journal, &["--games", "2", "--no-luck"]);
    let before = bytes(&journal);
    let endless = vec![b'x'; (16 << 20) + 1];
    // As the first line, and in the place of a torn one.
    for (kept, number) in [(0, 1), (before.len(), 4)] {
        std::fs::write(&journal, [&before[..kept], &endless].concat()).expect("the journal can be written");
        let what = format!("line {number} has more than 16 MiB");
        assert!(fail(2, &["stats", &path]).contains(&what));
        assert!(fail(2, &["replay", &path, "--game", "1"]).contains(&what));
        assert!(fail(2, &["clocks", &path]).contains(&what));
        let resumed = ["--untimed", "--games", "4", "--no-luck", "--journal", &path, "--resume"];
        assert!(fail(2, &[&GREEDY[..], &resumed].concat()).contains(&what));
        assert_eq!(bytes(&journal).len(), kept + endless.len(), "it is left as it was");
    }
    assert!(fail(2, &["stats", "/dev/zero"]).contains("line 1 has more than 16 MiB"));
}

#[test]
fn bad_reports_and_missing_controls_are_told_before_any_game() {
    let folder = folder();
    let path = |name: &str| folder.join(name).display().to_string();
    let (journal, missing) = (path("games.jsonl"), path("missing/report"));
    let refused = |more: &[&str], what: &str| {
        let text = fail(2, &[&GREEDY[..], &["--journal", &journal], more].concat());
        assert!(text.contains(what) && !text.contains("played"), "{more:?}: {text}");
    };
    refused(&[], "--untimed");
    refused(&["--untimed", "--json", &missing], "No such file");
    refused(&["--untimed", "--html", &missing], "No such file");
    refused(&["--untimed", "--html", &journal], "a file of its own");
    refused(&["--untimed", "--html", &path("one"), "--json", &path("./one")], "a file of its own");
    assert!(!Path::new(&journal).exists() && !folder.join("one").exists());

    play(Path::new(&journal), &["--games", "4", "--no-luck", "--sprt", "-10,10,0.05,0.05"]);
    let before = bytes(Path::new(&journal));
    assert!(fail(2, &["stats", &journal, "--json", &journal]).contains("a file of its own"));
    assert_eq!(bytes(Path::new(&journal)), before);
}

#[test]
fn shards_are_merged_to_what_one_machine_would_have_played() {
    let folder = folder();
    let whole = folder.join("whole.jsonl");
    let expected = play(&whole, &["--games", "20"]);
    let mut files = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let path = folder.join(format!("{}.jsonl", &part[..1])).display().to_string();
        let event = [&["shard", part], &GREEDY[..], &["--untimed", "--games", "20", "--journal", &path]].concat();
        succeed(&event);
        files.push(path);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert_eq!(succeed(&[&["stats"], &files[..]].concat()), expected);
    let merged = folder.join("merged.jsonl").display().to_string();
    let told = succeed(&[&["merge", "--out", &merged], &files[..]].concat());
    assert!(told.contains("20 games from 3 journals"), "{told}");
    assert!(bytes(Path::new(&merged)) == bytes(&whole), "the merged journal differs from that of one machine");
    assert!(fail(2, &["merge", files[0], "--out", &merged]).contains("exists"));
    let foreign = folder.join("foreign.jsonl").display().to_string();
    assert!(fail(2, &["merge", files[0], files[0], "--out", &foreign]).contains("game 1 is in journal"));
    let event = [&["shard", "1/3"], &GREEDY[..], &["--untimed", "--games", "20", "--seed", "9", "--journal", &foreign]]
        .concat();
    succeed(&event);
    let mixed = folder.join("mixed.jsonl").display().to_string();
    assert!(fail(2, &["merge", files[1], &foreign, "--out", &mixed]).contains("the seed differs"));
    assert!(!Path::new(&mixed).exists() && !folder.join("mixed.jsonl.part").exists());
    let two = succeed(&["stats", files[0], files[1]]);
    assert!(two.contains("14 of 20 games: the event is not complete"), "{two}");
    let json = folder.join("report.json");
    let html = folder.join("report.html");
    let (json_path, html_path) = (json.display().to_string(), html.display().to_string());
    succeed(&[&["stats", "--json", &json_path, "--html", &html_path], &files[..]].concat());
    let report: serde_json::Value = serde_json::from_slice(&bytes(&json)).expect("JSON");
    assert_eq!(report["games"], 20);
    let page = String::from_utf8(bytes(&html)).expect("text");
    assert!(page.contains("<svg") && page.contains("The command that made this page"), "it plays nothing");
    let twice = fail(2, &["stats", files[0], files[0]]);
    assert!(twice.contains("game 1 is in journal") && twice.contains("1.jsonl too"), "{twice}");
    assert!(two.contains("Parts 1, 2 of 3 of the event"), "{two}");
    // Another event has games of the same numbers, and that is not what is wrong with it.
    let other = folder.join("elsewhere.jsonl");
    play(&other, &["--games", "20", "--seed", "9"]);
    let different = fail(2, &["stats", files[0], &other.display().to_string()]);
    assert!(different.contains("is of another event than") && different.contains("the seed differs"), "{different}");
    assert!(!different.contains("game "), "{different}");
    let longer = ["--untimed", "--games", "40", "--journal", files[0], "--resume"];
    let longer = fail(2, &[&["shard", "1/3"], &GREEDY[..], &longer].concat());
    assert!(longer.contains("is a part of an event of 20 games"), "{longer}");
}

#[test]
fn all_machines_of_merged_journals_are_told() {
    let folder = folder();
    let mut files = Vec::new();
    // Three parts on two machines of one processor, as if there had been a clock.
    for (part, os) in [("1/3", "One 1.0"), ("2/3", "Other 2.0"), ("3/3", "One 1.0")] {
        let journal = folder.join(format!("{}.jsonl", &part[..1]));
        let path = journal.display().to_string();
        succeed(
            &[&["shard", part], &GREEDY[..], &["--untimed", "--no-luck", "--games", "12", "--journal", &path]].concat(),
        );
        let text = String::from_utf8(bytes(&journal)).expect("text");
        let (header, games) = text.split_once('\n').expect("a header");
        let mut header: serde_json::Value = serde_json::from_str(header).expect("JSON");
        for (name, value) in
            [("timed", true.into()), ("concurrency", 2.into()), ("cpu", "CPU".into()), ("os", os.into())]
        {
            header[name] = value;
        }
        std::fs::write(&journal, format!("{header}\n{games}")).expect("the journal can be written");
        files.push(path);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let (json, html) = (folder.join("report.json"), folder.join("report.html"));
    let outputs = [json.display().to_string(), html.display().to_string()];
    let outputs = ["stats", "--json", &outputs[0], "--html", &outputs[1]];
    let both = "CPU; One 1.0; 2 games at a time | CPU; Other 2.0; 2 games at a time";
    let text = succeed(&[&outputs, &files[..]].concat());
    assert!(text.contains("played on 2 machines") && text.contains(both), "{text}");
    assert!(String::from_utf8(bytes(&html)).expect("text").contains(both));
    let report: serde_json::Value = serde_json::from_slice(&bytes(&json)).expect("JSON");
    assert_eq!(
        (&report["machines"][1]["os"], report["machines"].as_array().map(Vec::len)),
        (&"Other 2.0".into(), Some(2))
    );
    let one = succeed(&["stats", files[0], files[2]]);
    assert!(one.contains("this session only (CPU; One 1.0; 2 games at a time)"), "{one}");
}

#[test]
fn a_sequential_test_stops_at_the_same_pair_at_any_concurrency() {
    let folder = folder();
    let play = |name: &str, test: &str, concurrency: &str| {
        let journal = folder.join(name);
        let path = journal.display().to_string();
        let text = succeed(&[
            "match",
            "builtin:expectimax",
            "builtin:greedy",
            "--tc",
            "depth=1",
            "--games",
            "2000",
            "--sprt",
            test,
            "--journal",
            &path,
            "--concurrency",
            concurrency,
            "--force-concurrency",
        ]);
        (text, bytes(&journal), lines(&journal))
    };
    for (name, test) in [("raw", "0,60,0.05,0.05"), ("luck", "0,60,luck")] {
        let (text, one, lines) = play(&format!("{name}-1.jsonl"), test, "1");
        assert!(text.contains("H1 accepted"), "{text}");
        assert!(lines < 1000, "{lines}");
        let (other, two, _) = play(&format!("{name}-2.jsonl"), test, "3");
        assert!(one == two, "the journals differ");
        assert_eq!(text, other);
        // What stopped the match is the last thing that it was waiting for.
        let pairs = format!("H1 accepted after {} pairs", (lines - 1) / 2);
        assert!(text.contains(&format!("Stopped by the sequential test after {} pairs.", (lines - 1) / 2)), "{text}");
        let idle = "(does not stop the match)";
        let stopped = text.lines().find(|line| line.contains("LLR") && !line.contains(idle)).expect("a line");
        assert!(stopped.contains(&pairs) && stopped.contains("luck-adjusted") == (name == "luck"), "{text}");
        assert_eq!(text.matches(idle).count(), 1, "{text}");
    }
    // A journal is told by another test, too, and one of raw results goes not on as one of luck-adjusted ones.
    let path = folder.join("raw-1.jsonl").display().to_string();
    let told = succeed(&["stats", &path, "--sprt", "0,60,luck"]);
    assert!(told.contains("H1 accepted") && told.contains("luck-adjusted: LLR"), "{told}");
    let resumed = ["match", "builtin:expectimax", "builtin:greedy", "--tc", "depth=1", "--games", "2000", "--resume"];
    let resumed = [&resumed[..], &["--journal", &path, "--sprt", "0,60,luck"]].concat();
    assert!(fail(2, &resumed).contains("the sequential test differs"));
    // Nor does a match that its test has decided get more games.
    let longer = ["match", "builtin:expectimax", "builtin:greedy", "--tc", "depth=1", "--games", "4000", "--resume"];
    let longer = fail(2, &[&longer[..], &["--journal", &path, "--sprt", "0,60,0.05,0.05"]].concat());
    assert!(longer.contains("the sequential test was decided after") && longer.contains("not count"), "{longer}");
}

#[test]
fn an_event_made_longer_is_what_the_longer_one_would_have_been() {
    let folder = folder();
    let (whole, grown) = (folder.join("whole.jsonl"), folder.join("grown.jsonl"));
    let expected = play(&whole, &["--games", "12", "--no-luck", "--event-name", "spring"]);
    play(&grown, &["--games", "4", "--no-luck", "--event-name", "spring"]);
    let path = grown.display().to_string();
    let longer = ["--untimed", "--no-luck", "--games", "12", "--journal", &path, "--resume"];
    let output = run(&[&GREEDY[..], &longer].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.contains("12 games of each pairing instead of 4"), "{told}");
    assert!(told.contains("12 games, 4 of them played before"), "{told}");
    assert!(bytes(&whole) == bytes(&grown), "the journals differ");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(expected.starts_with("spring\n12 games, untimed"), "{expected}");
}

#[test]
fn names_options_and_controls_are_given_to_players() {
    let folder = folder();
    let journal = folder.join("games.jsonl");
    let (path, html) = (journal.display().to_string(), folder.join("page.html").display().to_string());
    let (one, two) =
        (format!("cmd:{} honest?name=the new one&Level=5", double()), "builtin:greedy?tc=depth=1&name=old");
    let event = ["match", &one, two, "--games", "1", "--no-mirror", "--tc", "5+0.1", "--event-name", "Trial <b>"];
    let refused = fail(2, &[&event[..], &["--each", "TimePolicy=basic-v1&Nonsense=1"]].concat());
    assert!(refused.contains("no option 'Nonsense'"), "{refused}");
    let log = folder.join("log").display().to_string();
    let more = ["--each", "TimePolicy=basic-v1", "--journal", &path, "--html", &html, "--log", &log];
    let text = succeed(&[&event[..], &more].concat());
    assert!(text.starts_with("Trial <b>\n1 game, 5+0.1,") && text.contains("A: the new one 1.0 (cmd), time"), "{text}");
    assert!(text.contains("B: old (builtin) at depth=1,") && text.contains("A the new one against B old"), "{text}");
    let (header, games) = read(&journal);
    let option = |player: usize, name: &str| header.players[player].options.get(name).cloned();
    assert_eq!(option(0, "Level").as_deref(), Some("5"));
    assert_eq!(
        [0, 1].map(|player| option(player, "TimePolicy")),
        [Some("basic-v1".to_owned()), Some("basic-v1".to_owned())]
    );
    assert_eq!([0, 1].map(|player| header.control_of(player)), ["5+0.1", "depth=1"]);
    // The clock is the first player's alone.
    let clocks =
        |side: usize| games[0].plies.iter().skip(side).step_by(2).filter(|ply| ply.clock_left_ms.is_some()).count();
    assert!(clocks(0) > 0 && clocks(1) == 0, "{games:?}");
    let page = String::from_utf8(bytes(Path::new(&html))).expect("text");
    assert!(page.contains("Trial &lt;b&gt;: A the new one against B old") && page.contains("depth=1"));
    let list = succeed(&["games", &path]);
    let row = list.lines().nth(2).expect("a head and a game");
    assert!(row.trim_start().starts_with("1  A the new one  B old"), "{list}");
    let log = std::fs::read_to_string(&log).expect("a log");
    for line in
        [" A the new one > setoption name Level value 5\n", " A the new one < bestmove ", " A the new one > go wtime "]
    {
        assert!(log.contains(line), "{line}: {log}");
    }
    // Nobody is A where there are more than two.
    let text = fail(2, &["gauntlet", &one, two, "--untimed", "--a-time-policy", "basic-v1"]);
    assert!(text.contains("unexpected argument"), "{text}");
    // With a control each no other is needed.
    succeed(&["match", "builtin:greedy?tc=depth=1", "builtin:random?tc=untimed", "--games", "2"]);
}

#[test]
fn a_book_is_made_of_journals_and_bad_lines_are_told() {
    let journal = folder().join("games.jsonl");
    play(&journal, &["--games", "40", "--no-luck"]);
    let path = journal.display().to_string();
    let book = journal.with_extension("tsv");
    let told = succeed(&["book", &path, "--turns", "1", "--games", "1", "--out", &book.display().to_string()]);
    assert!(told.contains(" turns from 40 games"), "{told}");
    let lines = std::fs::read_to_string(&book).expect("the book was written");
    let (_, bad) = astragal::bots::Book::parse(&lines);
    assert!(bad.count == 0 && lines.contains(" w KQkq - "), "{lines}");
    let text = String::from_utf8(bytes(&journal)).expect("text");
    std::fs::write(&journal, text.replacen("\"pair\":0", "\"pair\":x", 1)).expect("the journal can be written");
    let output = run(&["book", &path, "--turns", "1"]);
    assert!(output.status.success() && String::from_utf8_lossy(&output.stderr).contains("line 2"), "{output:?}");
    assert!(fail(2, &["book", "/no/such/journal"]).contains("/no/such/journal"));
}

#[test]
fn games_that_cannot_be_put_together_are_refused() {
    let journal = folder().join("games.jsonl");
    play(&journal, &["--games", "4", "--no-luck"]);
    let path = journal.display().to_string();
    let text = String::from_utf8(bytes(&journal)).expect("text");
    let other = text.replacen("\"seed\":0,\"pair\":1", "\"seed\":8,\"pair\":1", 1);
    assert_ne!(text, other);
    std::fs::write(&journal, other).expect("the journal can be written");
    assert!(fail(2, &["stats", &path]).contains("are not those of the event's seed"));
    assert!(fail(2, &["replay", &path, "--game", "3"]).contains("and the seed gives"));
    // One that was broken off does not count.
    let aborted = text.replacen("\"kind\":\"king-capture\"", "\"kind\":\"aborted\"", 1);
    std::fs::write(&journal, aborted).expect("the journal can be written");
    let told = succeed(&["stats", &path]);
    assert!(told.contains("3 of 4 games"), "{told}");
}

#[test]
fn without_luck_no_test_is_made_of_it() {
    let journal = folder().join("games.jsonl");
    let path = journal.display().to_string();
    let test = ["--untimed", "--games", "4", "--no-luck", "--sprt", "0,10,luck"];
    assert!(fail(2, &[&GREEDY[..], &test].concat()).contains("none of with --no-luck"));
    play(&journal, &["--games", "4", "--no-luck"]);
    assert!(fail(2, &["stats", &path, "--sprt", "0,10,luck"]).contains("luck was not computed"));
    assert!(succeed(&["stats", &path, "--sprt", "0,10"]).contains("SPRT"));
    assert!(succeed(&["stats", &path]).contains("luck-adjusted    none, for the luck was not computed"));
    let few = folder().join("few.jsonl");
    assert!(play(&few, &["--games", "4"]).contains("luck-adjusted    none, for it takes 3 complete pairs"));
}

/// A long match of two slow engines that sign in.
fn slow_match(folder: &Path, how: &str) -> (Child, Vec<String>) {
    let (journal, pids) = (folder.join("games.jsonl").display().to_string(), folder.join("pids").display().to_string());
    let player = format!("cmd:{} {how} --pids {pids}", double());
    let arguments = [
        "match",
        &player,
        &player,
        "--games",
        "6",
        "--tc",
        "20+0",
        "--no-luck",
        "--journal",
        &journal,
        "--concurrency",
        "2",
        "--force-concurrency",
    ];
    let child = arena(&arguments).spawn().expect("the arena can be started");
    (child, arguments.map(str::to_owned).to_vec())
}

fn signal(child: &Child, signal: Signal) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, signal).expect("it still runs");
}

#[test]
fn ctrl_c_stops_cleanly_with_engines_gone_and_the_journal_whole() {
    for how in ["slow", "immortal"] {
        let folder = folder();
        let journal = folder.join("games.jsonl");
        let (child, arguments) = slow_match(&folder, how);
        wait_until("a game", || lines(&journal) > 1);
        signal(&child, Signal::INT);
        let told = Instant::now();
        if how == "slow" {
            // As `timeout` does, which signals the program and then its group.
            std::thread::sleep(Duration::from_millis(20));
            signal(&child, Signal::INT);
        }
        let output = child.wait_with_output().expect("it ends");
        if how == "slow" {
            assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
            assert!(String::from_utf8_lossy(&output.stdout).contains("Interrupted"));
        }
        assert!(told.elapsed() < Duration::from_secs(5), "{:?}", told.elapsed());
        assert!(all_gone(&folder.join("pids")) >= 4);
        let (_, games) = read(&journal);
        assert!(!games.is_empty() && games.iter().all(|game| game.end.kind == EndKind::KingCapture));
        if how == "slow" {
            let resumed: Vec<&str> = arguments.iter().map(String::as_str).chain(["--resume"]).collect();
            assert!(succeed(&resumed).contains("6 games"));
        }
    }
}

#[test]
fn engines_end_with_a_match_and_with_a_killed_arena() {
    let folder = folder();
    let (child, _) = slow_match(&folder, "honest");
    assert!(child.wait_with_output().expect("it ends").status.success());
    all_gone(&folder.join("pids"));
    let folder = common::folder();
    let (mut child, _) = slow_match(&folder, "slow");
    wait_until("a game", || lines(&folder.join("games.jsonl")) > 1);
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    all_gone(&folder.join("pids"));
}
