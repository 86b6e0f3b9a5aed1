//! The report for people.

use super::{Report, Statistics, caveat, kind_name, labels, letter, missing_parts};
use crate::record::EndKind;
use crate::runner::Finish;
use crate::tally::PlayerTally;
use crate::text::{count, shown};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Rows of cells as text, the columns aligned: those named to the left, all others to the right.
pub fn align(rows: &[Vec<String>], left: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(
                |(column, (cell, &width))| {
                    if left.contains(&column) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
                },
            )
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn heads(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A number, or a dash where there is none.
fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), show)
}

/// The whole report as text.
pub fn to_text(report: &Report, statistics: &Statistics) -> String {
    let header = &report.header;
    let labels = labels(header);
    let tallies = PlayerTally::of_all(&report.games, labels.len());
    let mut text = String::new();
    // Writing to a string cannot fail.
    if let Some(name) = &header.name {
        let _ = writeln!(text, "{}", shown(name));
    }
    let _ = writeln!(
        text,
        "{}, {}, seed {}, {}",
        count(report.games.len() as u64, "game"),
        shown(&header.control),
        header.seed,
        if header.mirrored { "mirrored pairs" } else { "no mirrored pairs" }
    );
    for (place, player) in header.players.iter().enumerate() {
        let version = player.version.as_ref().map_or_else(String::new, |version| format!(" {}", shown(version)));
        let kind = kind_name(player.kind);
        let [name, policy, spec] = [&player.name, &player.time_policy, &player.spec].map(|text| shown(text));
        let control = player.control.as_ref().map_or_else(String::new, |control| format!(" at {}", shown(control)));
        let _ = writeln!(text, "{}: {name}{version} ({kind}){control}, time policy {policy}, {spec}", letter(place));
    }
    text.push('\n');
    text.push_str(&align(&results(&labels, &tallies), &[0]));
    if !statistics.lines.is_empty() {
        let _ = write!(text, "\n{}\n", statistics.lines.join("\n"));
    }
    let _ = write!(text, "\n{}", align(&ends(report, &labels, &tallies), &[0]));
    let _ = write!(text, "\n{}", align(&usage(&labels, &tallies), &[0]));
    if let Some(caveat) = caveat(header, &report.machines) {
        let _ = write!(text, "\n{caveat}\n");
    }
    if let Some(parts) = missing_parts(&report.shards) {
        let _ = write!(text, "\n{parts}.\n");
    }
    match &report.finish {
        Some(Finish::Interrupted) => text.push_str("\nInterrupted: not all games are played.\n"),
        Some(Finish::Stopped(pair)) => {
            let _ = write!(text, "\nStopped by the sequential test after {}.\n", count(pair + 1, "pair"));
        }
        Some(Finish::NotRecovered(what)) => {
            let _ = write!(text, "\nStopped by a failure: {}\n", shown(what));
        }
        None if (report.games.len() as u64) < report.total() && !is_decided(statistics) => {
            let _ = write!(
                text,
                "\n{} of {}: the event is not complete.\n",
                report.games.len(),
                count(report.total(), "game")
            );
        }
        Some(Finish::Complete) | None => {}
    }
    text
}

/// Whether a sequential test has ended the event.
fn is_decided(statistics: &Statistics) -> bool {
    let mut tests = statistics.standings.meetings.iter().filter_map(|meeting| meeting.summary.sprt.as_ref());
    tests.any(|sprt| sprt.deciding().is_some_and(|state| state.decided_after_units.is_some()))
}

fn results(labels: &[String], tallies: &[PlayerTally]) -> Vec<Vec<String>> {
    let mut rows = vec![heads(&["player", "games", "won", "drawn", "lost", "points", "%"])];
    for (label, tally) in labels.iter().zip(tallies) {
        let [wins, draws, losses] = tally.results;
        let mut row = vec![label.clone()];
        row.extend([tally.games(), wins, draws, losses].map(|number| number.to_string()));
        row.push(format!("{:.1}", tally.points()));
        row.push(format!("{:.1}", 100.0 * tally.points() / tally.games().max(1) as f64));
        rows.push(row);
    }
    rows
}

/// How games ended, by the player through whom: who captured the king, and whose fault the others were.
fn ends(report: &Report, labels: &[String], tallies: &[PlayerTally]) -> Vec<Vec<String>> {
    let mut nobody: BTreeMap<EndKind, u64> = BTreeMap::new();
    for game in report.games.iter().filter(|game| game.end_player.is_none()) {
        *nobody.entry(game.end).or_default() += 1;
    }
    let by_player = || tallies.iter().map(|tally| &tally.ends).chain([&nobody]);
    let kinds: Vec<EndKind> =
        EndKind::ALL.into_iter().filter(|kind| by_player().any(|ends| ends.contains_key(kind))).collect();
    let mut rows = vec![vec!["games ended by".to_owned()]];
    rows[0].extend(kinds.iter().map(|kind| kind.name().to_owned()));
    for (label, ends) in labels.iter().map(String::as_str).chain(["both"]).zip(by_player()) {
        let mut row = vec![label.to_owned()];
        row.extend(kinds.iter().map(|kind| ends.get(kind).copied().unwrap_or(0).to_string()));
        rows.push(row);
    }
    rows
}

fn usage(labels: &[String], tallies: &[PlayerTally]) -> Vec<Vec<String>> {
    let mut rows = vec![heads(&[
        "player",
        "rolls",
        "forced passes",
        "ms/turn",
        "longest ms",
        "lowest clock ms",
        "nodes/turn",
        "luck/game",
    ])];
    for (label, tally) in labels.iter().zip(tallies) {
        let sums = &tally.sums;
        let timed = (sums.timed_turns > 0).then_some(sums.timed_turns as f64);
        let asked = sums.rolls.saturating_sub(sums.passes);
        rows.push(vec![
            label.clone(),
            sums.rolls.to_string(),
            sums.passes.to_string(),
            or_dash(timed, |turns| format!("{:.2}", sums.time_ms / turns)),
            or_dash(timed, |_| format!("{:.1}", sums.longest_ms)),
            or_dash(sums.lowest_clock_ms, |ms| ms.to_string()),
            or_dash((asked > 0).then_some(asked), |turns| format!("{:.0}", sums.nodes as f64 / turns as f64)),
            or_dash((sums.luck_rolls > 0).then_some(()), |()| format!("{:+.3}", sums.luck / tally.games() as f64)),
        ]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::report::summary;
    use crate::report::testing::{header, summary as game};
    use crate::tally::GameSummary;

    fn text(games: Vec<GameSummary>, finish: Option<Finish>) -> String {
        let header = header(&["one", "two"]);
        let machines = vec![Machine::of(&header)];
        let report = Report { header, machines, shards: Vec::new(), games, finish };
        to_text(&report, &summary(&report))
    }

    /// Games of mirrored pairs, which the first player loses.
    fn lost(games: u64) -> Vec<GameSummary> {
        (0..games)
            .map(|number| game(number, if number % 2 == 0 { [0, 1] } else { [1, 0] }, (number % 2) as f64))
            .collect()
    }

    #[test]
    fn no_point_of_forty_still_has_an_interval() {
        let text = text(lost(40), None);
        // 1 − 0.025^(1/20) of 20 pairs.
        assert!(text.contains("score            0.00 % [0.00, 16.84] (95 %)\n"), "{text}");
        assert!(text.contains("Elo              -inf [-inf, -277.4]"), "{text}");
    }

    #[test]
    fn one_is_no_plural_and_a_test_stops_after_as_many_pairs_as_it_saw() {
        let text = text(lost(3), Some(Finish::Stopped(0)));
        assert!(text.starts_with("3 games, "), "{text}");
        assert!(text.contains("+0 =0 −2, 1 complete pair (1 game of incomplete pairs not counted)"), "{text}");
        assert!(text.contains("Stopped by the sequential test after 1 pair."), "{text}");
    }
}
