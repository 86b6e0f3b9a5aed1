//! The report for programs.

use super::{Report, Statistics, caveat, labels};
use crate::runner::Finish;
use crate::tally::PlayerTally;
use serde_json::{Map, Value, json};

/// The whole report as JSON.
pub fn to_json(report: &Report, statistics: &Statistics) -> Value {
    let header = &report.header;
    let tallies = PlayerTally::of_all(&report.games, header.players.len());
    let players: Vec<Value> = labels(header)
        .into_iter()
        .zip(&header.players)
        .zip(&tallies)
        .map(|((label, player), tally)| {
            let sums = &tally.sums;
            let ends: Map<String, Value> =
                tally.ends.iter().map(|(end, count)| (end.name().to_owned(), json!(count))).collect();
            let [wins, draws, losses] = tally.results;
            json!({
                "label": label,
                "player": player,
                "games": tally.games(),
                "wins": wins,
                "draws": draws,
                "losses": losses,
                "points": tally.points(),
                "ends": ends,
                "rolls": sums.rolls,
                "forced_passes": sums.passes,
                "timed_turns": sums.timed_turns,
                "time_ms": sums.time_ms,
                "longest_ms": sums.longest_ms,
                "lowest_clock_ms": sums.lowest_clock_ms,
                "nodes": sums.nodes,
                "luck_per_game": (sums.luck_rolls > 0).then(|| sums.luck / tally.games().max(1) as f64),
            })
        })
        .collect();
    let finish = match &report.finish {
        None => Value::Null,
        Some(Finish::Complete) => json!("complete"),
        Some(Finish::Stopped(pair)) => json!({"stopped_after_pairs": pair + 1}),
        Some(Finish::Interrupted) => json!("interrupted"),
        Some(Finish::NotRecovered(what)) => json!({"not_recovered": what}),
    };
    json!({
        "header": header,
        "caveat": caveat(header, &report.machines),
        "machines": report.machines,
        "shards": report.shards,
        "games": report.games.len(),
        "finish": finish,
        "players": players,
        "statistics": statistics,
    })
}
