//! The report as one HTML file: tables and plots, nothing loaded from anywhere.
//!
//! The template engine escapes whatever it is given, so that the name of an engine cannot become markup, and the page
//! forbids itself scripts and outside resources. It reads no clock: the same games make the same page.

mod data;
mod plots;
mod tables;

pub use data::Data;

use super::{caveat, labels, missing_parts};
use crate::machine::Machine;
use crate::record::{EventKind, Header, PlayerKind, Shard};
use crate::stats::elo::format_elo_interval;
use crate::stats::sprt::SprtParameters;
use crate::stats::standings::{Meeting, RatingSettings, standings};
use crate::stats::summary::{Settings, sprt_run};
use crate::stats::units::{GameResult, Pairing, Units};
use crate::text::{count, plural, shown, shown_lines};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plots::Plot;
pub(crate) use plots::{COLOURS, colour};
use plotters::style::RGBColor;

const STYLE: &str = include_str!("style.css");

/// Meetings beyond this get a table but no plots: nobody looks through more, and the page would grow without end.
const MOST_PLOTTED_MEETINGS: usize = 12;

/// More players than this in one plot are not to be told apart.
const MOST_PLAYERS_IN_A_PLOT: usize = COLOURS.len();

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[error("a plot could not be drawn: {0}")]
pub struct HtmlError(#[from] Box<dyn std::error::Error>);

/// What the games themselves do not tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The command line, with secrets left out.
    pub command: &'a str,
    /// Whether that command would play the event again; otherwise it only reports of it.
    pub is_replayable: bool,
    /// The parts of the event that are reported, if they are parts.
    pub shards: &'a [Shard],
    /// The sequential test, if there was one.
    pub sprt: Option<SprtParameters>,
    /// What the event was played on, each once.
    pub machines: &'a [Machine],
}

/// The page.
///
/// # Errors
/// A plot could not be drawn; this would be a bug, since nothing but memory is written to.
pub fn render(header: &Header, data: &Data, context: &Context) -> Result<String, HtmlError> {
    let names = labels(header);
    let pairing = if header.mirrored { Pairing::Mirrored } else { Pairing::Single };
    let settings = Settings { pairing, sprt: context.sprt };
    let ratings = RatingSettings { bootstrap_seed: header.seed, ..RatingSettings::default() };
    // A match of two shows no ratings.
    let ratings = if names.len() == 2 { RatingSettings { bootstrap_samples: 0, ..ratings } } else { ratings };
    let table = standings(names.len(), &data.games, &settings, &ratings);
    let mut sections = Vec::new();
    for (number, meeting) in table.meetings.iter().enumerate() {
        let plotted = (number < MOST_PLOTTED_MEETINGS).then_some(context.sprt);
        sections.push(section(data, &names, meeting, plotted)?);
    }
    let title = title(header, &names);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                @if names.len() == 2 && let Some(meeting) = table.meetings.first() {
                    (verdict(meeting, &names))
                }
                (believability(header, context.machines))
                @if names.len() > 2 {
                    h2 { "Standings" }
                    (tables::standings(&table, &names))
                    h3 { "Points against each other" }
                    (tables::cross(&table, &names))
                    p class="small" {
                        "Bradley–Terry ratings around a mean of 0, one virtual draw between every two opponents; \
                         intervals by bootstrap over " (if header.mirrored { "pairs" } else { "games" })
                        ", open where all games were won or lost."
                    }
                }
                @for section in &sections { (section) }
                h2 { "Ends" }
                (tables::ends(data, &names))
                p class="small" {
                    "Through whom a game ended: who captured the king wins; who resigned, ran out of time or failed \
                     loses."
                }
                (time_section(data, &names)?)
                h2 { "Players" }
                (tables::players(header, &names))
                h2 { "Event" }
                (tables::facts(&event(header, context)))
                h3 { @if context.is_replayable { "The command that plays it again" } @else { "The command that made this page" } }
                pre { (shown(context.command)) }
            }
        }
    };
    let page = page.into_string();
    Ok(shown_lines(&page).into_owned())
}

fn title(header: &Header, names: &[String]) -> String {
    let players = players(header, names);
    match &header.name {
        Some(name) => format!("{}: {players}", shown(name)),
        None => players,
    }
}

fn players(header: &Header, names: &[String]) -> String {
    match (header.event, names) {
        (EventKind::Match, [first, second]) => format!("{first} against {second}"),
        (EventKind::Gauntlet, [first, ..]) => format!("Gauntlet of {first}"),
        (EventKind::RoundRobin, _) => format!("Round-robin of {} players", names.len()),
        (EventKind::Free, _) => format!("Games of {}", count(names.len() as u64, "player")),
        (EventKind::Match | EventKind::Gauntlet, _) => "Match".to_owned(),
    }
}

/// The result in one line.
fn verdict(meeting: &Meeting, names: &[String]) -> Markup {
    let summary = &meeting.summary;
    html! {
        p class="verdict" {
            b { (names[meeting.first]) } " scored " b { (summary.total.points()) " of " (summary.total.games()) }
            " " (plural(summary.total.games(), "point")) " against " b { (names[meeting.second]) } ": "
            b { (format_elo_interval(summary.elo.as_ref())) } " Elo"
            @if let Some(likelihood) = summary.likelihood_of_superiority {
                ", stronger with a likelihood of " (format!("{:.1}", likelihood * 100.0)) " %"
            }
            "."
        }
    }
}

/// What the numbers hold for.
fn believability(header: &Header, machines: &[Machine]) -> Markup {
    html! {
        @if let Some(caveat) = caveat(header, machines) {
            p class="note" { (caveat) }
        } @else {
            p class="note" {
                "Not timed: where the players repeat themselves, the same command gives the same games, on any machine \
                 and at any concurrency."
            }
        }
        @if header.players.iter().any(|player| player.kind == PlayerKind::WebhookManaged) {
            p class="note" { "A webhook player minds its clock itself (webhook-managed), the network included." }
        }
    }
}

/// One pairing: its numbers, and its plots where they are asked for.
fn section(
    data: &Data,
    names: &[String],
    meeting: &Meeting,
    plotted: Option<Option<SprtParameters>>,
) -> Result<Markup, HtmlError> {
    let (first, second) = (&names[meeting.first], &names[meeting.second]);
    let heading = if names.len() == 2 { "Result".to_owned() } else { format!("{first} against {second}") };
    let mut figures = Vec::new();
    if let Some(sprt) = plotted {
        let of_meeting = |game: &&_| (meeting.first, meeting.second) == opponents(game);
        let games: Vec<GameResult> = data.games.iter().filter(of_meeting).map(|game| game.result).collect();
        let units = Units::new(&games, meeting.summary.pairing);
        let history = units.history();
        if !history.is_empty() {
            let label = format!("The score of {first} over the games, with its 95 % interval.");
            figures.push(figure(plots::score(&history, colour(meeting.first)), &label, &[])?);
        }
        if let Some(parameters) = sprt.filter(|_| !history.is_empty()) {
            let run = sprt_run(&units, parameters);
            let unit = format!("{}s", meeting.summary.pairing.unit());
            let (raw, adjusted) = (COLOURS[0], COLOURS[1]);
            let label = format!(
                "The sequential test: H0 ({} Elo) is accepted at the lower dashed line, {:.2}, H1 ({} Elo) at the \
                 upper one, {:.2}. Beyond three times the bounds nothing is shown.",
                parameters.elo0,
                parameters.lower_bound(),
                parameters.elo1,
                parameters.upper_bound(),
            );
            let mut key = vec![(raw, "results as they are")];
            if run.path().iter().any(|point| point.adjusted_llr.is_some()) {
                key.push((adjusted, "luck-adjusted"));
            }
            figures.push(figure(plots::sprt(run.path(), &parameters, &unit, raw, adjusted), &label, &key)?);
        }
    }
    Ok(html! {
        h2 { (heading) }
        (tables::summary(&meeting.summary))
        @for figure in &figures { (figure) }
        h3 { "Dice" }
        (tables::dice(&meeting.summary, first, second))
    })
}

fn opponents(game: &crate::stats::standings::TournamentGame) -> (usize, usize) {
    (game.first, game.second)
}

/// How the players used their time, where it was measured.
fn time_section(data: &Data, names: &[String]) -> Result<Markup, HtmlError> {
    if !data.is_timed() {
        return Ok(html! { h2 { "Time" } p { "Times are not recorded under a control that is not timed." } });
    }
    let shown = || data.times.iter().take(MOST_PLAYERS_IN_A_PLOT).enumerate();
    let key: Vec<_> =
        names.iter().take(MOST_PLAYERS_IN_A_PLOT).enumerate().map(|(i, name)| (colour(i), name.as_str())).collect();
    let times: Vec<_> = shown().map(|(i, times)| (colour(i), times)).collect();
    let used: Vec<_> = shown().map(|(i, times)| (colour(i), times.used())).collect();
    let left: Vec<_> = shown().map(|(i, times)| (colour(i), times.left())).collect();
    let by_turn = "median, and the middle half of the games around it, by the number of the own turn, while at least a \
                   tenth of the games lasts";
    let mut figures = vec![
        figure(
            plots::move_times(&times),
            "How long turns took: the share of turns by time, in steps of equal ratio.",
            &key,
        )?,
        figure(plots::by_turn("time per turn", &used), &format!("Time per turn: {by_turn}."), &key)?,
    ];
    if left.iter().any(|(_, points)| !points.is_empty()) {
        figures.push(figure(
            plots::by_turn("clock left", &left),
            &format!("Clock left after the turn: {by_turn}."),
            &key,
        )?);
    }
    Ok(html! {
        h2 { "Time" }
        (tables::times(data, names))
        @if names.len() > MOST_PLAYERS_IN_A_PLOT {
            p class="small" { "The plots show the first " (MOST_PLAYERS_IN_A_PLOT) " players." }
        }
        @for figure in &figures { (figure) }
    })
}

/// A plot with its caption and its key.
fn figure(plot: Plot, caption: &str, key: &[(RGBColor, &str)]) -> Result<Markup, HtmlError> {
    let svg = plot?;
    Ok(html! {
        figure {
            div role="img" aria-label=(caption) { (PreEscaped(svg)) }
            figcaption {
                @for (RGBColor(red, green, blue), name) in key {
                    span class="key" { i style=(format!("background:rgb({red},{green},{blue})")) {} (name) }
                }
                @if !key.is_empty() { br; }
                (caption)
            }
        }
    })
}

/// How the event was played.
fn event(header: &Header, context: &Context) -> Vec<(&'static str, String)> {
    let mut facts: Vec<_> = header.name.iter().map(|name| ("Name", shown(name).into_owned())).collect();
    facts.extend([
        ("Control", shown(&header.control).into_owned()),
        ("Seed", header.seed.to_string()),
        ("Games of each pairing", header.games_per_pairing.to_string()),
        (
            "Dice",
            if header.mirrored { "mirrored pairs: the same dice, colours swapped" } else { "not mirrored" }.to_owned(),
        ),
        (
            "Openings",
            match &header.openings[..] {
                [one] => shown(one).into_owned(),
                many => count(many.len() as u64, "position"),
            },
        ),
        ("Adjudication", adjudication(header)),
        ("Luck", if header.luck { "computed for every roll" } else { "not computed" }.to_owned()),
        ("Engine library", shown(&header.engine).into_owned()),
    ]);
    for machine in context.machines {
        facts.push(("Machine", machine.to_string()));
        facts.push(("Arena", shown(&machine.arena).into_owned()));
    }
    if header.timed {
        facts.push(("Margin", plots::format_ms(header.margin_ms as f64)));
    }
    facts.extend(missing_parts(context.shards).map(|parts| ("Not the whole event", parts)));
    facts
}

fn adjudication(header: &Header) -> String {
    let resign = header.adjudication.resign.map(|rule| {
        format!("lost at {} centipawns for {} of both players", rule.centipawns, count(rule.turns.into(), "turn"))
    });
    let draw = header.adjudication.draw.map(|rule| {
        let (cp, turns, from) = (rule.centipawns, count(rule.turns.into(), "turn"), rule.move_number);
        format!("drawn within {cp} centipawns for {turns} of both players from move {from}")
    });
    match [resign, draw].into_iter().flatten().collect::<Vec<_>>() {
        rules if rules.is_empty() => "none".to_owned(),
        rules => rules.join("; "),
    }
}

#[cfg(test)]
mod tests;
