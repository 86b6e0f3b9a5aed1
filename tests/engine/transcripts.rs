//! `protocol.md` against the program: its transcripts are replayed over pipes, its table of options is compared.
//!
//! The page is the only source of what is expected here; how it writes transcripts is told in its last section.

use crate::common::engine::{Engine, PATIENCE};

const PAGE: &str = include_str!("../../protocol.md");

/// A line of a transcript.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Send(&'static str),
    Receive(&'static str),
    /// Any number of `info` lines that are no errors.
    AnyInfo,
}

struct Transcript {
    /// The heading above it, `1. Handshake`.
    title: &'static str,
    steps: Vec<Step>,
}

/// All transcripts of the page, in order.
fn transcripts() -> Vec<Transcript> {
    let mut found: Vec<Transcript> = Vec::new();
    let mut title = "";
    let mut inside = false;
    for line in PAGE.lines() {
        match line {
            "```transcript" => {
                found.push(Transcript { title, steps: Vec::new() });
                inside = true;
            }
            "```" => inside = false,
            _ if inside => {
                let steps = &mut found.last_mut().expect("a block has begun").steps;
                steps.push(step(line).unwrap_or_else(|| panic!("{title}: no line of a transcript: {line:?}")));
            }
            _ => title = line.strip_prefix("### ").unwrap_or(title),
        }
    }
    found
}

fn step(line: &'static str) -> Option<Step> {
    match line {
        "<" => Some(Step::Receive("")),
        "< ..." => Some(Step::AnyInfo),
        _ => line.strip_prefix("> ").map(Step::Send).or_else(|| line.strip_prefix("< ").map(Step::Receive)),
    }
}

/// Whether a received line is the expected one, in which the numbers after `time` and `nps` may be masked.
fn is_expected(expected: &str, received: &str) -> bool {
    let (mut wanted, mut words) = (expected.split(' '), received.split(' '));
    let mut before = "";
    loop {
        match (wanted.next(), words.next()) {
            (None, None) => return true,
            (Some("*"), Some(word)) if matches!(before, "time" | "nps") && word.parse::<u64>().is_ok() => {}
            (Some(wanted), Some(word)) if wanted == word => before = word,
            _ => return false,
        }
    }
}

fn is_skipped_by_any_info(line: &str) -> bool {
    line.starts_with("info ") && !line.starts_with("info string error ")
}

fn replay(transcript: &Transcript) {
    let mut engine = Engine::start();
    let mut any_info = false;
    for (number, &step) in (1..).zip(&transcript.steps) {
        let place = format!("{}, line {number} of the block", transcript.title);
        match step {
            Step::Send(line) => {
                assert!(!any_info, "{place}: '< ...' stands before a received line");
                engine.send(line);
            }
            Step::AnyInfo => any_info = true,
            Step::Receive(expected) => loop {
                match engine.next(PATIENCE).map(|line| line.text) {
                    Some(line) if is_expected(expected, &line) => {
                        any_info = false;
                        break;
                    }
                    Some(line) if any_info && is_skipped_by_any_info(&line) => {}
                    other => panic!("{place}\n expected {expected:?}\n received {other:?}"),
                }
            },
        }
    }
    engine.close_input();
    let status = engine.ended(PATIENCE).unwrap_or_else(|| panic!("{}: it does not end", transcript.title));
    assert_eq!(status.code(), Some(0), "{}", transcript.title);
    let more = engine.next(PATIENCE).map(|line| line.text);
    assert_eq!(more, None, "{}: a line more than expected", transcript.title);
}

#[test]
fn every_transcript_is_what_the_program_does() {
    for transcript in transcripts() {
        replay(&transcript);
    }
}

#[test]
fn transcripts_are_numbered_and_at_least_ten() {
    let found = transcripts();
    assert!(found.len() >= 10, "only {}", found.len());
    for (number, transcript) in (1..).zip(&found) {
        assert!(transcript.title.starts_with(&format!("{number}. ")), "{} is number {number}", transcript.title);
        assert!(matches!(transcript.steps.first(), Some(Step::Send(_))), "{}", transcript.title);
    }
}

#[test]
fn only_times_and_speeds_are_masked() {
    assert!(is_expected("info nodes 7 nps * time * pv e2e4", "info nodes 7 nps 0 time 12 pv e2e4"));
    assert!(!is_expected("info nodes * nps 0", "info nodes 7 nps 0"));
    assert!(!is_expected("info time * pv e2e4", "info time -1 pv e2e4"));
    assert!(!is_expected("8  r n", "8 r n"));
    assert!(!is_expected("bestmove e2e4", "bestmove e2e4 ponder e7e5"));
    for transcript in transcripts() {
        for step in transcript.steps {
            let Step::Receive(line) = step else { continue };
            let words: Vec<&str> = line.split(' ').collect();
            let masked = words.windows(2).filter(|pair| pair[1] == "*");
            for pair in masked {
                assert!(matches!(pair[0], "time" | "nps"), "{}: {line}", transcript.title);
            }
        }
    }
}

#[test]
fn every_command_of_the_page_is_in_a_transcript() {
    let commands = section("Commands").filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`'));
    let commands: Vec<&str> = commands.collect();
    assert!(commands.contains(&"go"), "{commands:?}");
    let steps: Vec<Step> = transcripts().into_iter().flat_map(|transcript| transcript.steps).collect();
    for command in commands {
        let sent = |step: &Step| matches!(step, Step::Send(line) if line.split(' ').next() == Some(command));
        assert!(steps.iter().any(sent), "{command}");
    }
}

/// The lines below a heading of the second level, up to the next one.
fn section(title: &str) -> impl Iterator<Item = &'static str> {
    let heading = format!("## {title}");
    PAGE.lines().skip_while(move |line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "))
}

/// The `option` line that a row of the page's table of options describes.
fn option_line(row: &str) -> String {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let &[name, kind, default, range, meaning] = &cells[..] else { panic!("not five cells: {row}") };
    assert!(!meaning.is_empty(), "{row}");
    let word = |cell: &str| {
        let inner = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
        inner.unwrap_or_else(|| panic!("'{cell}' is not quoted: {row}")).to_owned()
    };
    let known = match kind {
        "spin" => {
            let (min, max) = range.split_once(" to ").unwrap_or_else(|| panic!("no range: {row}"));
            format!(" min {min} max {max}")
        }
        "check" => {
            assert_eq!(range, "`true`, `false`", "{row}");
            String::new()
        }
        "string" => String::new(),
        "combo" => range.split(", ").map(|choice| format!(" var {}", word(choice))).collect(),
        _ => panic!("no type of option: {row}"),
    };
    format!("option name {} type {kind} default {}{known}", word(name), word(default))
}

/// The rows of a table that begin with the name of something, as cells.
fn rows(page: &'static str, heading: &str) -> Vec<Vec<&'static str>> {
    let heading = format!("## {heading}");
    let section = page.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "));
    let rows = section.filter(|line| line.starts_with("| `"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn the_readme_has_the_options_of_the_page() {
    let told: Vec<String> = rows(include_str!("../../README.md"), "Options")
        .iter()
        .map(|row| {
            let &[name, kind, default, meaning] = &row[..] else { panic!("not four cells: {row:?}") };
            assert!(!meaning.is_empty(), "{row:?}");
            format!("{name} {kind} {default}")
        })
        .collect();
    let page: Vec<String> = rows(PAGE, "Options")
        .iter()
        .map(|row| {
            let (name, kind, default, range) = (row[0], row[1], row[2], row[3]);
            let kind = if kind == "spin" { format!("spin, {range}") } else { kind.to_owned() };
            format!("{name} {kind} {default}")
        })
        .collect();
    assert_eq!(told, page);
}

#[test]
fn the_help_names_every_command_of_the_page() {
    let commands: Vec<&str> =
        section("Commands").filter_map(|line| line.strip_prefix("### `")?.strip_suffix('`')).collect();
    let mut lines = Engine::start().ask("help\nisready", "readyok");
    lines.pop();
    assert!(lines.iter().all(|line| line.starts_with("info string ")), "{lines:?}");
    let text = lines.join(" ");
    let words: Vec<&str> = text.split(|letter: char| !letter.is_ascii_alphanumeric()).collect();
    for command in commands {
        assert!(words.contains(&command), "help does not name {command}");
    }
    // Every word of go, too.
    let of_go =
        section("Commands").skip_while(|line| *line != "### `go`").skip(1).take_while(|line| !line.starts_with("### "));
    for row in of_go.filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).unwrap_or_default();
        for word in cell.split(',').map(|word| word.trim().trim_matches('`')) {
            assert!(words.contains(&word), "help does not name go {word}");
        }
    }
}

#[test]
fn the_contents_name_every_section() {
    let named: Vec<&str> = PAGE
        .lines()
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("- [")?.split(']').next())
        .collect();
    let sections: Vec<&str> = PAGE.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(named, sections);
}

#[test]
fn the_table_of_options_is_what_uci_prints() {
    let rows = section("Options").filter(|line| line.starts_with("| `"));
    let told: Vec<String> = rows.map(option_line).collect();
    let lines = Engine::start().ask("uci", "uciok").into_iter();
    let printed: Vec<String> = lines.filter(|line| line.starts_with("option ")).collect();
    assert!(!printed.is_empty());
    assert_eq!(told, printed);
}
