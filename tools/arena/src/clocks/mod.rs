//! `arena clocks`: how the players of journals spent their clocks.
//!
//! What is left on a clock when the game ends was of no use to anybody; what is missing in the middle was spent too
//! early. Shares are of the time that the clock began with.

mod plot;

use crate::journal;
use crate::record::{Game, Header};
use crate::report::align;
use crate::text::{count, shown};
use astragal::record::Control;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The own turns after which the clocks are told.
const TURNS: [usize; 8] = [1, 5, 10, 15, 20, 30, 40, 50];

/// The bars of a histogram: tenths of the clock, and one for what is more than it was at the beginning.
const BARS: usize = 11;

/// The longest bar, in characters.
const WIDTH: usize = 40;

/// What one player left under one control.
#[derive(Debug, Default)]
struct Use {
    /// Shares left at the end of games.
    at_end: Vec<f64>,
    /// Shares left after each of [`TURNS`], of the games that lasted so long.
    after: [Vec<f64>; TURNS.len()],
    /// Games in which it ran out of time.
    flagged: usize,
}

/// Players by control and spec.
type Uses = BTreeMap<(String, String), Use>;

/// Tells the use of the clocks in these journals, and draws the histograms into the file `svg` if one is given.
///
/// # Errors
/// A journal cannot be read, there is no clock in any of them, or the file cannot be written.
pub fn clocks(files: &[PathBuf], svg: Option<&Path>) -> Result<String, String> {
    let mut uses = Uses::new();
    for path in files {
        let mut games = Vec::new();
        let contents = journal::read(path, |game| games.push(game)).map_err(|error| error.to_string())?;
        add(&mut uses, &contents.header, &games);
    }
    if uses.is_empty() {
        return Err("no game with a clock".to_owned());
    }
    if let Some(path) = svg {
        let lines: Vec<plot::Line> = uses.iter().map(|((control, player), used)| line(control, player, used)).collect();
        let text = plot::draw(&lines).map_err(|error| format!("the plot: {error}"))?;
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(uses.iter().map(|((control, player), used)| tell(control, player, used)).collect::<Vec<_>>().join("\n"))
}

fn add(uses: &mut Uses, header: &Header, games: &[Game]) {
    for game in games {
        for (seat, player) in [game.white, game.black].into_iter().enumerate() {
            let control = header.control_of(player);
            let Ok(Control::Clock(clock)) = control.parse::<Control>() else { continue };
            let base_ms = clock.base.as_secs_f64() * 1000.0;
            let left = clocks_of(game, seat);
            let Some(&last) = left.last() else { continue };
            // The journal's reader has seen to it that the header names all players.
            let Some(record) = header.players.get(player) else { continue };
            let used = uses.entry((control.to_owned(), record.spec.clone())).or_default();
            used.at_end.push(last as f64 / base_ms);
            used.flagged += usize::from(last < 0);
            for (place, turn) in used.after.iter_mut().zip(TURNS) {
                place.extend(left.get(turn - 1).map(|&ms| ms as f64 / base_ms));
            }
        }
    }
}

/// What was left after each own turn: of White (seat 0) or of Black (seat 1).
fn clocks_of(game: &Game, seat: usize) -> Vec<i64> {
    let black_begins = game.opening.split(' ').nth(1) == Some("b");
    let first = usize::from(black_begins != (seat == 1));
    game.plies.iter().skip(first).step_by(2).filter_map(|ply| ply.clock_left_ms).collect()
}

/// The share that this part of the sorted numbers does not exceed.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = (sorted.len().saturating_sub(1) as f64 * part).round() as usize;
    sorted.get(place).copied().unwrap_or_default()
}

fn sorted(numbers: &[f64]) -> Vec<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn tell(control: &str, player: &str, used: &Use) -> String {
    let heads = ["left", "games", "10 %", "median", "90 %"].map(str::to_owned).to_vec();
    let row = |name: String, numbers: &[f64]| {
        let sorted = sorted(numbers);
        let parts = [0.1, 0.5, 0.9].map(|part| format!("{:.1} %", quantile(&sorted, part) * 100.0));
        [name, sorted.len().to_string()].into_iter().chain(parts).collect::<Vec<String>>()
    };
    let mut rows = vec![heads, row("at the end".to_owned(), &used.at_end)];
    let after = used.after.iter().zip(TURNS).filter(|(shares, _)| !shares.is_empty());
    rows.extend(after.map(|(shares, turn)| row(format!("after turn {turn}"), shares)));
    let (player, control) = (shown(player), shown(control));
    let games = count(used.at_end.len() as u64, "game");
    let mut text = format!("{player} at {control}, out of time in {} of {games}\n", used.flagged);
    text.push_str(&align(&rows, &[0]));
    text.push_str(&histogram(&used.at_end));
    text
}

/// How many games ended with how much left, by tenths of the clock.
fn counts(shares: &[f64]) -> [usize; BARS] {
    let mut counts = [0; BARS];
    for share in shares {
        // The conversion cuts towards zero and saturates: what is below nothing is nothing.
        counts[((share * 10.0) as usize).min(BARS - 1)] += 1;
    }
    counts
}

/// The line of a player in the plot.
fn line(control: &str, player: &str, used: &Use) -> plot::Line {
    let games = used.at_end.len().max(1) as f64;
    // Where a program lies is of no interest to the reader of a plot.
    let player = player.rsplit('/').next().unwrap_or(player);
    let shares = counts(&used.at_end).iter().map(|&count| count as f64 / games).collect();
    plot::Line { name: format!("{}: {}", shown(control), shown(player)), shares }
}

fn histogram(shares: &[f64]) -> String {
    let counts = counts(shares);
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let mut text = "left at the end\n".to_owned();
    for (bar, &count) in counts.iter().enumerate() {
        let name =
            if bar == BARS - 1 { "100 % or more".to_owned() } else { format!("{}–{} %", bar * 10, bar * 10 + 10) };
        // Whoever is there at all is to be seen.
        let length = (count * WIDTH).div_ceil(most);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", format!("{name:>13} {count:>6}  {}", "#".repeat(length)).trim_end());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn player(spec: &str) -> Value {
        json!({ "spec": spec, "name": "bot", "version": null, "kind": "builtin", "time_policy": "basic-v1", "options": {} })
    }

    fn header(control: &str) -> Value {
        json!({
            "type": "header", "format": 1, "event": "match", "players": [player("builtin:one"), player("builtin:two")],
            "seed": 0, "control": control, "timed": true, "margin_ms": 0, "games_per_pairing": 2, "mirrored": true,
            "openings": [], "adjudication": { "resign": null, "draw": null }, "luck": false, "shard": null,
            "concurrency": 1, "arena": "", "engine": "", "cpu": "", "os": ""
        })
    }

    /// A game in which these times are left after each ply.
    fn game(number: u64, white: usize, side: &str, left: &[i64]) -> Value {
        let ply = |left: &i64| {
            json!({
                "roll": "PNB", "turn": "0000", "score": null, "depth": null, "nodes": null, "time_ms": null,
                "engine_time_ms": null, "clock_left_ms": left, "luck": null
            })
        };
        json!({
            "type": "game", "number": number, "pair": 0, "half": 0, "white": white, "black": 1 - white,
            "opening": format!("4k3/8/8/8/8/8/8/4K3 {side} - - 0 1 -"), "plies": left.iter().map(ply).collect::<Vec<_>>(),
            "result": 0.5, "end": { "kind": "agreed-draw", "player": null }, "final_dfen": ""
        })
    }

    fn told(lines: &[Value]) -> Result<String, String> {
        static NUMBER: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("arena-clocks-{}-{number}.jsonl", std::process::id()));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(&path, text).expect("the journal can be written");
        let svg = path.with_extension("svg");
        let told = clocks(std::slice::from_ref(&path), Some(&svg));
        if told.is_ok() {
            let drawn = std::fs::read_to_string(&svg).expect("the plot was written");
            assert!(drawn.starts_with("<svg") && drawn.contains("10+0.1: builtin:one"), "{drawn}");
            std::fs::remove_file(&svg).expect("the plot can be removed");
        }
        std::fs::remove_file(&path).expect("the journal can be removed");
        told
    }

    #[test]
    fn each_player_is_told_by_its_own_turns() {
        let text = told(&[
            header("10+0.1"),
            game(0, 0, "w", &[9000, 8000, 7000, 6000, 5000]),
            game(1, 1, "w", &[9500, 8500]),
            game(2, 0, "b", &[10_500, 4000, -30]),
        ])
        .expect("a journal with clocks");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        let at = |text: &str| {
            rows.iter().position(|row| row.join(" ") == text).unwrap_or_else(|| panic!("{text}: {rows:?}"))
        };
        // White began with 9, 7, 5 of 10 s; then Black was it, with 8.5; then White moved second, with 4.
        let one = at("builtin:one at 10+0.1, out of time in 0 of 3 games");
        let two = at("builtin:two at 10+0.1, out of time in 1 of 3 games");
        assert_eq!(rows[one + 2].join(" "), "at the end 3 40.0 % 50.0 % 85.0 %");
        assert_eq!(rows[one + 3].join(" "), "after turn 1 3 40.0 % 85.0 % 90.0 %");
        assert_eq!(rows[two + 2].join(" "), "at the end 3 -0.3 % 60.0 % 95.0 %");
        assert_eq!(rows[two + 3].join(" "), "after turn 1 3 80.0 % 95.0 % 105.0 %");
        assert!(one < two && text.contains("0–10 %      1  ##"), "{text}");
    }

    #[test]
    fn without_clocks_there_is_nothing_to_tell() {
        for control in ["untimed", "st=0.2", "depth=2"] {
            assert_eq!(told(&[header(control), game(0, 0, "w", &[5])]), Err("no game with a clock".to_owned()));
        }
        assert!(told(&[header("10+0.1")]).is_err());
    }
}
