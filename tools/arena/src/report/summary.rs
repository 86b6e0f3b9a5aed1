//! Where the statistics join the reports.

use super::results::tournament_game;
use super::{Report, labels};
use crate::record::Header;
use crate::stats::elo::{format_elo, format_elo_interval, format_score};
use crate::stats::sprt::{Basis, SprtParameters, SprtState, SprtSummary, Verdict};
use crate::stats::standings::{Meeting, RatingSettings, Standings, TournamentGame, standings};
use crate::stats::summary::{MatchSummary, Settings};
use crate::stats::units::Pairing;
use crate::text::count;
use serde::Serialize;

/// The statistics of an event, as lines for people and as fields for programs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Statistics {
    /// Lines for people.
    #[serde(skip)]
    pub lines: Vec<String>,
    /// Ratings and meetings, for programs.
    #[serde(flatten)]
    pub standings: Standings,
}

/// The sequential test of an event, if there is one.
pub fn sprt_of(header: &Header) -> Option<SprtParameters> {
    header.sprt.as_ref().and_then(|text| text.parse().ok())
}

/// Computes the statistics of a report.
pub fn summary(report: &Report) -> Statistics {
    let header = &report.header;
    let pairing = if header.mirrored { Pairing::Mirrored } else { Pairing::Single };
    let settings = Settings { pairing, sprt: sprt_of(header) };
    let ratings = RatingSettings { bootstrap_seed: header.seed, ..RatingSettings::default() };
    let games: Vec<TournamentGame> = report.games.iter().map(tournament_game).collect();
    let standings = standings(header.players.len(), &games, &settings, &ratings);
    let names = labels(header);
    let mut lines = Vec::new();
    if names.len() > 2 {
        lines.extend(ratings_table(&standings, &names));
        lines.push(String::new());
        lines.extend(super::align(&super::cross::cross_table(&standings, &names), &[0]).lines().map(str::to_owned));
    }
    for meeting in &standings.meetings {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.extend(meeting_lines(meeting, &names));
    }
    Statistics { lines, standings }
}

fn ratings_table(standings: &Standings, names: &[String]) -> Vec<String> {
    let mut rows = vec![["rank", "player", "rating", "95 %", "games", "score"].map(str::to_owned).to_vec()];
    for row in &standings.table {
        rows.push(vec![
            row.rank.to_string(),
            names.get(row.player).cloned().unwrap_or_default(),
            format_elo(row.rating.elo),
            format!("[{}, {}]", format_elo(row.rating.low), format_elo(row.rating.high)),
            row.games.games().to_string(),
            row.score.map_or_else(|| "–".to_owned(), |score| format!("{:.1} %", 100.0 * score)),
        ]);
    }
    let table = super::align(&rows, &[1]);
    let mut lines =
        vec!["Bradley–Terry ratings (mean 0, one virtual draw between opponents), intervals by bootstrap".to_owned()];
    lines.extend(table.lines().map(str::to_owned));
    if standings.table.iter().any(|row| row.rating.low.is_infinite() || row.rating.high.is_infinite()) {
        lines.push(
            "An interval is open where all games were won or lost; such a rating rests on the virtual draw".to_owned(),
        );
    }
    lines
}

fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(
        || "n/a".to_owned(),
        |value| {
            let text = format!("{value:.digits$}");
            // A rounded zero has no sign of its own.
            if text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.')) { text.replace('-', "") } else { text }
        },
    )
}

/// "1 forced pass", "2 forced passes".
fn passes(number: u64) -> String {
    if number == 1 { "1 forced pass".to_owned() } else { format!("{number} forced passes") }
}

/// What a meeting proves, from the first player's view.
fn meeting_lines(meeting: &Meeting, names: &[String]) -> Vec<String> {
    let MatchSummary { total, units, score, elo, luck_adjustment, .. } = &meeting.summary;
    let summary = &meeting.summary;
    let name = |player: usize| names.get(player).map_or("?", String::as_str);
    let mut lines = vec![format!(
        "{} against {}: +{} ={} −{}, {}{}",
        name(meeting.first),
        name(meeting.second),
        total.wins,
        total.draws,
        total.losses,
        count(*units, summary.pairing.whole_unit()),
        match summary.games_of_incomplete_pairs {
            0 => String::new(),
            games => format!(" ({} of incomplete pairs not counted)", count(games, "game")),
        }
    )];
    let Some(score) = score else { return lines };
    lines.push(format!("  score            {}", format_score(score)));
    lines.push(format!("  Elo              {} (95 %)", format_elo_interval(elo.as_ref())));
    if let Some(normalised) = &summary.normalised_elo {
        let (low, high) = (format_elo(normalised.low), format_elo(normalised.high));
        lines.push(format!("  normalised Elo   {} [{low}, {high}]", format_elo(normalised.elo)));
    }
    let superiority = summary.likelihood_of_superiority.map(|chance| 100.0 * chance);
    lines.push(format!("  LOS              {} %", number(superiority, 2)));
    if let Some(pentanomial) = &summary.pentanomial {
        let [none, half, one, more, two] = pentanomial.counts;
        lines.push(format!(
            "  pentanomial      [{none}, {half}, {one}, {more}, {two}] (pairs with 0, ½, 1, 1½, 2 points)"
        ));
        lines.push(format!("  pair ratio       {}", number(summary.pair_ratio, 3)));
        lines.push(format!("  correlation      {} between the halves of pairs", number(summary.half_correlation, 3)));
    }
    let (white, black) = (&summary.white_dice, &summary.black_dice);
    lines.push(format!(
        "  White and Black  {} and {}, {} and {}{}",
        white.rolls,
        count(black.rolls, "roll"),
        white.forced_passes,
        passes(black.forced_passes),
        match white.luck_per_game.zip(black.luck_per_game) {
            Some((white, black)) => format!(", luck {white:+.3} and {black:+.3} a game"),
            None => String::new(),
        }
    ));
    if let Some(luck) = luck_adjustment {
        lines.push(format!("  luck-adjusted    {}", format_score(&luck.adjusted_score)));
        lines.push(format!("                   {} Elo (95 %)", format_elo_interval(Some(&luck.adjusted_elo))));
        lines.push(format!(
            "                   variance ratio {}, correlation {}, coefficient {:.3}, luck {:+.3} ± {:.3} a game ({:+.1} σ)",
            number(luck.variance_ratio, 3),
            number(luck.correlation, 3),
            luck.coefficient,
            luck.mean_luck.mean,
            luck.mean_luck.standard_error,
            luck.luck_z_score,
        ));
        lines.push(format!("                   rests on {}", luck.rests_on(summary.pairing)));
    }
    lines.extend(summary.why_no_luck_adjustment().map(|why| format!("  luck-adjusted    {why}")));
    if let Some(sprt) = &summary.sprt {
        lines.extend(sprt_lines(sprt, summary.pairing));
    }
    lines
}

fn sprt_lines(sprt: &SprtSummary, pairing: Pairing) -> Vec<String> {
    let parameters = &sprt.parameters;
    let state = |state: &SprtState| {
        let verdict = match state.verdict {
            Verdict::Continue => "undecided",
            Verdict::AcceptH0 => "H0 accepted",
            Verdict::AcceptH1 => "H1 accepted",
        };
        let after = state
            .decided_after_units
            .map_or_else(String::new, |units| format!(" after {}", count(units, pairing.unit())));
        let slowed = if state.at_least_variance { ", variance at its least" } else { "" };
        format!("LLR {:+.3}, {verdict}{after}{slowed}", state.llr)
    };
    let mut lines = vec![format!(
        "  SPRT             H0 {} Elo, H1 {} Elo, α {}, β {}, bounds {:.3} and {:.3}",
        parameters.elo0, parameters.elo1, parameters.alpha, parameters.beta, sprt.lower_bound, sprt.upper_bound
    )];
    let idle = |basis| if parameters.on == basis { "" } else { " (does not stop the match)" };
    lines.push(format!("                   {}{}", state(&sprt.raw), idle(Basis::Raw)));
    match &sprt.adjusted {
        Some(adjusted) => {
            lines.push(format!("                   luck-adjusted: {}{}", state(adjusted), idle(Basis::Luck)));
        }
        None if parameters.on == Basis::Luck => {
            lines.push("                   luck-adjusted: none, so that nothing stops the match".to_owned());
        }
        None => {}
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequential_test_counts_what_it_was_given() {
        let decided =
            SprtState { llr: 3.0, verdict: Verdict::AcceptH1, decided_after_units: Some(7), ..SprtState::default() };
        let parameters = "0,10,0.05,0.05".parse().expect("parameters");
        let (lower_bound, upper_bound) = (-2.944, 2.944);
        let sprt = SprtSummary { parameters, lower_bound, upper_bound, units: 7, raw: decided, adjusted: None };
        assert!(sprt_lines(&sprt, Pairing::Mirrored).concat().contains("after 7 pairs"));
        assert!(sprt_lines(&sprt, Pairing::Single).concat().contains("after 7 games"));
        assert!(!sprt_lines(&sprt, Pairing::Single).concat().contains("does not stop"));
        let sprt = SprtSummary { parameters: "0,10,luck".parse().expect("parameters"), ..sprt };
        let lines = sprt_lines(&sprt, Pairing::Mirrored);
        assert!(lines[1].ends_with("(does not stop the match)") && lines[2].contains("none"), "{lines:?}");
        let adjusted = SprtState { at_least_variance: true, ..decided };
        let lines = sprt_lines(&SprtSummary { adjusted: Some(adjusted), ..sprt }, Pairing::Mirrored);
        assert!(lines[2].ends_with("H1 accepted after 7 pairs, variance at its least"), "{lines:?}");
    }
}
