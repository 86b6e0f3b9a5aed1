//! The report's tables.

use super::data::Data;
use super::plots::format_ms;
use crate::record::{EndKind, Header, PlayerRecord};
use crate::report::cross::cross_table;
use crate::stats::elo::{format_elo, format_elo_interval, format_score};
use crate::stats::sprt::{Basis, SprtState, Verdict};
use crate::stats::standings::Standings;
use crate::stats::summary::{DiceSummary, MatchSummary};
use crate::text::{count, shown};
use maud::{Markup, html};

/// "n/a" for what is not known.
const UNKNOWN: &str = "n/a";

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or(UNKNOWN.to_owned(), |value| format!("{value:.decimals$}"))
}

fn percent(share: Option<f64>) -> String {
    share.map_or(UNKNOWN.to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// Facts in two columns.
pub fn facts(rows: &[(&str, String)]) -> Markup {
    html! {
        table class="facts" {
            tbody { @for (name, value) in rows { tr { th scope="row" { (name) } td { (value) } } } }
        }
    }
}

/// A table with a head, whose first column names the rows.
fn grid(head: &[String], rows: &[Vec<String>]) -> Markup {
    html! {
        div class="scroll" {
            table {
                thead { tr { @for cell in head { th scope="col" { (cell) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn head(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

/// Everything about a match of two, from the first player's view.
pub fn summary(summary: &MatchSummary) -> Markup {
    let total = &summary.total;
    let counts =
        |wdl: &crate::stats::outcome::Wdl| format!("{} won, {} drawn, {} lost", wdl.wins, wdl.draws, wdl.losses);
    let mut rows = vec![
        ("Games", format!("{} ({})", total.games(), counts(total))),
        ("With White", counts(&summary.with_white)),
        ("With Black", counts(&summary.with_black)),
        (
            "White against Black",
            format!("{} of {}", summary.white_against_black.points(), count(total.games(), "point")),
        ),
        ("Score", summary.score.as_ref().map_or(UNKNOWN.to_owned(), format_score)),
        ("Elo, 95 % interval", format_elo_interval(summary.elo.as_ref())),
    ];
    if let Some(elo) = summary.normalised_elo {
        rows.push(("Normalised Elo", format!("{} ± {:.1}", format_elo(elo.elo), (elo.high - elo.low) / 2.0)));
    }
    rows.push(("Likelihood of superiority", percent(summary.likelihood_of_superiority)));
    if let Some(pairs) = &summary.pentanomial {
        rows.push(("Pairs with 0, ½, 1, 1½, 2 points", pairs.counts.map(|count| count.to_string()).join(", ")));
        rows.push(("Pairs won for each lost", number(summary.pair_ratio, 2)));
        rows.push(("Correlation of a pair's halves", number(summary.half_correlation, 3)));
    }
    if summary.games_of_incomplete_pairs > 0 {
        rows.push(("Games of incomplete pairs (not counted)", summary.games_of_incomplete_pairs.to_string()));
    }
    if let Some(luck) = &summary.luck_adjustment {
        rows.push(("Luck-adjusted score", format_score(&luck.adjusted_score)));
        rows.push(("Luck-adjusted Elo, 95 % interval", format_elo_interval(Some(&luck.adjusted_elo))));
        rows.push(("The luck adjustment rests on", luck.rests_on(summary.pairing)));
        rows.push(("Variance, adjusted to raw", number(luck.variance_ratio, 3)));
        rows.push(("Luck in standard errors", format!("{:+.2}", luck.luck_z_score)));
    }
    rows.extend(summary.why_no_luck_adjustment().map(|why| ("Luck-adjusted score", why)));
    if let Some(test) = &summary.sprt {
        let of = &test.parameters;
        let on = if of.on == Basis::Luck { ", of luck-adjusted results" } else { "" };
        let hypotheses = format!("{} against {} Elo, α {}, β {}{on}", of.elo0, of.elo1, of.alpha, of.beta);
        let state = |state: &SprtState| {
            let verdict = match state.verdict {
                Verdict::Continue => "undecided",
                Verdict::AcceptH0 => "H0 accepted",
                Verdict::AcceptH1 => "H1 accepted",
            };
            let after = state
                .decided_after_units
                .map_or(String::new(), |units| format!(" after {}", count(units, summary.pairing.unit())));
            format!("{:.2} ({:.2}, {:.2}): {verdict}{after}", state.llr, test.lower_bound, test.upper_bound)
        };
        rows.push(("Sequential test", hypotheses));
        rows.push(("Log-likelihood ratio", state(&test.raw)));
        if let Some(adjusted) = &test.adjusted {
            rows.push(("The same, luck-adjusted", state(adjusted)));
        }
    }
    facts(&rows)
}

/// The table of a tournament.
pub fn standings(standings: &Standings, names: &[String]) -> Markup {
    let rows: Vec<_> = standings
        .table
        .iter()
        .map(|row| {
            let rating = row.rating;
            vec![
                names[row.player].clone(),
                row.rank.to_string(),
                format_elo(rating.elo),
                format!("{} to {}", format_elo(rating.low), format_elo(rating.high)),
                row.games.games().to_string(),
                format!("{} / {} / {}", row.games.wins, row.games.draws, row.games.losses),
                percent(row.score),
            ]
        })
        .collect();
    grid(&head(&["Player", "Rank", "Rating", "95 % interval", "Games", "Won / drawn / lost", "Score"]), &rows)
}

/// Who scored how much against whom.
pub fn cross(standings: &Standings, names: &[String]) -> Markup {
    let mut rows = cross_table(standings, names);
    let head = rows.remove(0);
    grid(&head, &rows)
}

/// How games ended, through whom.
pub fn ends(data: &Data, names: &[String]) -> Markup {
    let count = |ends: &std::collections::BTreeMap<EndKind, u64>, kind| ends.get(&kind).copied().unwrap_or(0);
    let total = |kind| {
        let of_players: u64 = data.ends.iter().map(|ends| count(ends, kind)).sum();
        of_players + count(&data.ends_of_nobody, kind)
    };
    let columns = names.iter().map(|name| format!("through {name}"));
    let head: Vec<_> = head(&["End"]).into_iter().chain(columns).chain(head(&["through nobody", "all"])).collect();
    let rows: Vec<_> = EndKind::ALL
        .into_iter()
        .filter(|&kind| total(kind) > 0)
        .map(|kind| {
            let mut row = vec![kind.name().to_owned()];
            row.extend(data.ends.iter().map(|ends| count(ends, kind).to_string()));
            row.extend([count(&data.ends_of_nobody, kind).to_string(), total(kind).to_string()]);
            row
        })
        .collect();
    grid(&head, &rows)
}

/// How players used their time.
pub fn times(data: &Data, names: &[String]) -> Markup {
    let rows: Vec<_> = names
        .iter()
        .zip(&data.times)
        .map(|(name, times)| {
            let mut row = vec![name.clone()];
            match times.totals() {
                Some(all) => {
                    row.push(all.turns.to_string());
                    row.extend([all.mean, all.median, all.percentile_95, all.longest].map(format_ms));
                }
                None => row.extend(["0".to_owned()].into_iter().chain(vec![UNKNOWN.to_owned(); 4])),
            }
            row.push(times.lowest_clock_ms.map_or(UNKNOWN.to_owned(), |ms| format_ms(ms as f64)));
            row
        })
        .collect();
    grid(&head(&["Player", "Turns", "Mean", "Median", "95 of 100 within", "Longest", "Lowest clock"]), &rows)
}

/// Rolls, forced passes and luck of both players and both colours.
pub fn dice(summary: &MatchSummary, first: &str, second: &str) -> Markup {
    let row = |name: &str, dice: &DiceSummary| {
        vec![
            name.to_owned(),
            dice.rolls.to_string(),
            dice.forced_passes.to_string(),
            dice.luck_per_game.map_or(UNKNOWN.to_owned(), |luck| format!("{luck:+.4}")),
            dice.luck_per_roll.map_or(UNKNOWN.to_owned(), |luck| format!("{luck:+.5}")),
        ]
    };
    let rows = [
        row(first, &summary.first_player_dice),
        row(second, &summary.second_player_dice),
        row("White", &summary.white_dice),
        row("Black", &summary.black_dice),
    ];
    grid(&head(&["Side", "Rolls", "Forced passes", "Luck per game", "Luck per roll"]), &rows)
}

/// The players with their options.
pub fn players(header: &Header, names: &[String]) -> Markup {
    html! {
        @for (name, player) in names.iter().zip(&header.players) {
            h3 { (name) }
            (facts(&[
                ("Spec", shown(&player.spec).into_owned()),
                ("Version", player.version.as_deref().map_or(UNKNOWN.to_owned(), |text| shown(text).into_owned())),
                ("Control", shown(player.control.as_deref().unwrap_or(&header.control)).into_owned()),
                ("Time policy", shown(&player.time_policy).into_owned()),
                ("Options", options(player)),
            ]))
        }
    }
}

fn options(player: &PlayerRecord) -> String {
    match player
        .options
        .iter()
        .map(|(option, value)| shown(&format!("{option}={value}")).into_owned())
        .collect::<Vec<_>>()
    {
        options if options.is_empty() => "none".to_owned(),
        options => options.join(", "),
    }
}
