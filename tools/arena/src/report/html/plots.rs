//! The report's plots, as SVG text for a page that is light or dark.
//!
//! They have no background, their lines are of middling brightness, and the page's style gives their text its colour.
//! Legends are the page's: it can break lines and escape names.

use super::data::{BUCKETS_PER_DECADE, Quartiles, TimeUse};
use crate::stats::sprt::{SprtParameters, SprtPoint};
use crate::stats::units::ScorePoint;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::ops::Range;

/// Width and height in pixels; the page scales it to fit.
const SIZE: (u32, u32) = (760, 320);

/// More points than this are not to be told apart.
const MOST_POINTS: usize = 800;

/// Lines that serve as a frame.
const GREY: RGBColor = RGBColor(128, 128, 128);

/// A colour for each player, as the page names it, at 3 : 1 or more against both white and near-black.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0x3b, 0x82, 0xf6),
    RGBColor(0xdd, 0x6b, 0x20),
    RGBColor(0x2f, 0x9e, 0x5f),
    RGBColor(0xb0, 0x5c, 0xd6),
    RGBColor(0xd6, 0x45, 0x65),
    RGBColor(0x8a, 0x82, 0x2c),
];

/// The colour of a player.
pub fn colour(player: usize) -> RGBColor {
    COLOURS[player % COLOURS.len()]
}

/// A plot as text, or why there is none.
pub type Plot = Result<String, Box<dyn std::error::Error>>;

/// Milliseconds as people say them.
pub fn format_ms(ms: f64) -> String {
    if ms.abs() >= 60_000.0 {
        format!("{} min", round(ms / 60_000.0))
    } else if ms.abs() >= 1000.0 {
        format!("{} s", round(ms / 1000.0))
    } else {
        format!("{} ms", round(ms))
    }
}

/// At most two decimals, fewer for larger numbers, and no zeros at the end.
fn round(number: f64) -> String {
    let decimals = if number.abs() >= 99.5 {
        0
    } else if number.abs() >= 9.95 {
        1
    } else {
        2
    };
    let text = format!("{number:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Axis descriptions and the plot's contents.
struct Frame<'a> {
    x: &'a str,
    y: &'a str,
    x_format: &'a dyn Fn(&f64) -> String,
    y_format: &'a dyn Fn(&f64) -> String,
}

/// A line with a band around it. The line has gaps where it leaves the frame, the band is cut at the frame's edges.
struct Curve {
    colour: RGBColor,
    line: Vec<(f64, f64)>,
    /// Lower and upper end at each x.
    band: Vec<(f64, f64, f64)>,
    dashed: bool,
}

impl Curve {
    fn line(colour: RGBColor, line: Vec<(f64, f64)>) -> Self {
        Self { colour, line, band: Vec::new(), dashed: false }
    }

    fn dashed(self) -> Self {
        Self { dashed: true, ..self }
    }

    fn level(colour: RGBColor, x: &Range<f64>, y: f64) -> Self {
        Self::line(colour, vec![(x.start, y), (x.end, y)]).dashed()
    }
}

fn draw<X>(frame: &Frame, x: X, y: Range<f64>, curves: &[Curve]) -> Plot
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut builder = ChartBuilder::on(&root);
        builder.margin(8).margin_right(24).x_label_area_size(50).y_label_area_size(84);
        let mut chart = builder.build_cartesian_2d(x, y.clone())?;
        chart
            .configure_mesh()
            .x_desc(frame.x)
            .y_desc(frame.y)
            .x_label_formatter(frame.x_format)
            .y_label_formatter(frame.y_format)
            .label_style(("sans-serif", 16))
            .axis_desc_style(("sans-serif", 17))
            .axis_style(GREY)
            .bold_line_style(GREY.mix(0.3))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let inside = |value: f64| value.clamp(y.start, y.end);
        for curve in curves.iter().filter(|curve| curve.band.len() > 1) {
            let upper = curve.band.iter().map(|&(x, _, high)| (x, inside(high)));
            let lower = curve.band.iter().rev().map(|&(x, low, _)| (x, inside(low)));
            let outline: Vec<_> = upper.chain(lower).collect();
            chart.draw_series([Polygon::new(outline, curve.colour.mix(0.2).filled())])?;
        }
        for curve in curves {
            let style = curve.colour.stroke_width(2);
            if let [point] = curve.line[..] {
                chart.draw_series([Circle::new(point, 3, curve.colour.filled())])?;
            }
            for points in curve.line.split(|&(_, value)| inside(value) != value).filter(|points| points.len() > 1) {
                if curve.dashed {
                    chart.draw_series([DashedPathElement::new(points.iter().copied(), 6, 5, style)])?;
                } else {
                    chart.draw_series([PathElement::new(points, style)])?;
                }
            }
        }
        root.present()?;
    }
    Ok(svg)
}

/// Every n-th point, the last one always.
fn thinned<T: Copy>(points: &[T]) -> Vec<T> {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let mut thin: Vec<T> = points.iter().copied().step_by(step).collect();
    if let (Some(last), true) = (points.last(), step > 1 && !(points.len() - 1).is_multiple_of(step)) {
        thin.push(*last);
    }
    thin
}

/// Nothing where the axis has a line between whole numbers, as it has when they are few.
fn whole(number: &f64) -> String {
    if (number - number.round()).abs() < 1e-9 { format!("{number:.0}") } else { String::new() }
}

/// The score over the games, with its 95 % interval.
pub fn score(history: &[ScorePoint], colour: RGBColor) -> Plot {
    let points = thinned(history);
    let last = history.last().map_or(1, |point| point.games) as f64;
    // The interval of the first few games is as wide as the plot: the later ones set the scale.
    let settled = &points[points.len() / 8..];
    let low = settled.iter().map(|point| point.low).fold(0.5, f64::min);
    let high = settled.iter().map(|point| point.high).fold(0.5, f64::max);
    let air = ((high - low) * 0.06).max(0.005);
    let x = 0.0..last;
    let curve = Curve {
        colour,
        line: points.iter().map(|point| (point.games as f64, point.score)).collect(),
        band: points.iter().map(|point| (point.games as f64, point.low, point.high)).collect(),
        dashed: false,
    };
    let percent = |score: &f64| format!("{} %", round(score * 100.0));
    let frame = Frame { x: "games", y: "score", x_format: &whole, y_format: &percent };
    let y = (low - air).max(-0.01)..(high + air).min(1.01);
    draw(&frame, x.clone(), y, &[Curve::level(GREY, &x, 0.5), curve])
}

/// The sequential test's path, raw and adjusted, between its bounds.
pub fn sprt(path: &[SprtPoint], parameters: &SprtParameters, unit: &str, raw: RGBColor, adjusted: RGBColor) -> Plot {
    let points = thinned(path);
    let (lower, upper) = (parameters.lower_bound(), parameters.upper_bound());
    let all = || points.iter().flat_map(|point| [Some(point.llr), point.adjusted_llr]).flatten();
    // A path that runs far on after the verdict would flatten what came before.
    let low = all().fold(lower, f64::min).max(lower * 3.0);
    let high = all().fold(upper, f64::max).min(upper * 3.0);
    let air = (high - low) * 0.06;
    let x = 0.0..path.last().map_or(1, |point| point.units) as f64;
    let raw_line = points.iter().map(|point| (point.units as f64, point.llr)).collect();
    let adjusted_line =
        points.iter().filter_map(|point| Some((point.units as f64, point.adjusted_llr?))).collect::<Vec<_>>();
    let mut curves = vec![Curve::level(GREY, &x, lower), Curve::level(GREY, &x, upper)];
    if !adjusted_line.is_empty() {
        curves.push(Curve::line(adjusted, adjusted_line));
    }
    curves.push(Curve::line(raw, raw_line));
    let format = |llr: &f64| round(*llr);
    let frame = Frame { x: unit, y: "log-likelihood ratio", x_format: &whole, y_format: &format };
    draw(&frame, x.clone(), low - air..high + air, &curves)
}

/// How long turns took: the share of each player's turns in buckets of equal ratio.
pub fn move_times(times: &[(RGBColor, &TimeUse)]) -> Plot {
    let buckets = || times.iter().flat_map(|(_, times)| times.histogram.keys());
    let (first, last) = (buckets().min().copied().unwrap_or(0), buckets().max().copied().unwrap_or(0));
    let edge = |bucket: i32| 10_f64.powf(f64::from(bucket) / BUCKETS_PER_DECADE);
    let mut most: f64 = 0.0;
    let mut curves = Vec::new();
    for &(colour, times) in times {
        let turns: u64 = times.histogram.values().sum();
        let mut line = vec![(edge(first), 0.0)];
        for bucket in first..=last {
            let share = times.histogram.get(&bucket).copied().unwrap_or(0) as f64 / turns.max(1) as f64;
            most = most.max(share);
            line.extend([(edge(bucket), share), (edge(bucket + 1), share)]);
        }
        line.push((edge(last + 1), 0.0));
        let band = line.iter().map(|&(x, y)| (x, 0.0, y)).collect();
        curves.push(Curve { colour, line, band, dashed: false });
    }
    let percent = |share: &f64| format!("{} %", round(share * 100.0));
    let frame = Frame { x: "time per turn", y: "turns", x_format: &|ms| format_ms(*ms), y_format: &percent };
    // One decade more, where all times are within a few buckets, so that the axis has labels.
    let decades = f64::from(last + 1 - first) / BUCKETS_PER_DECADE;
    let x = if decades < 1.0 { edge(first) / 3.0..edge(last + 1) * 3.0 } else { edge(first)..edge(last + 1) };
    draw(&frame, x.log_scale(), 0.0..most * 1.06, &curves)
}

/// A time by the number of the own turn: medians with the middle half of the games around them.
pub fn by_turn(y: &str, players: &[(RGBColor, Vec<Quartiles>)]) -> Plot {
    let all = || players.iter().flat_map(|(_, points)| points);
    let last = all().map(|point| point.turn).max().unwrap_or(1).max(2) as f64;
    let values = || all().flat_map(|point| point.values);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(1.0, f64::max));
    let curves: Vec<_> = players
        .iter()
        .map(|(colour, points)| Curve {
            colour: *colour,
            line: points.iter().map(|point| (point.turn as f64, point.values[1])).collect(),
            band: points.iter().map(|point| (point.turn as f64, point.values[0], point.values[2])).collect(),
            dashed: false,
        })
        .collect();
    let frame = Frame { x: "own turn", y, x_format: &whole, y_format: &|ms| format_ms(*ms) };
    draw(&frame, 1.0..last, low..high * 1.06, &curves)
}
