//! The histograms of what was left on clocks, drawn as one SVG file that needs no page around it.

use crate::report::html::{COLOURS, colour};
use plotters::prelude::*;
use std::error::Error;

/// Width and height in pixels.
const SIZE: (u32, u32) = (860, 420);

/// A line of the plot.
pub struct Line {
    /// What the legend calls it.
    pub name: String,
    /// The share of games, 0..=1, in each equal part of the clock, the emptiest first.
    pub shares: Vec<f64>,
}

/// Draws the lines; each point stands in the middle of its part of the clock.
///
/// # Errors
/// Something could not be drawn; a bug, since nothing but memory is written to.
pub fn draw(lines: &[Line]) -> Result<String, Box<dyn Error>> {
    let highest = lines.iter().flat_map(|line| line.shares.iter().copied()).fold(0.1, f64::max);
    let parts = lines.iter().map(|line| line.shares.len()).max().unwrap_or(1);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .margin(12)
            .x_label_area_size(48)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..10.0 * parts as f64, 0.0..highest * 105.0)?;
        chart
            .configure_mesh()
            .x_desc("left on the clock at the end of the game, % of what it began with")
            .y_desc("games, %")
            .x_label_formatter(&|x| format!("{x:.0}"))
            .y_label_formatter(&|y| format!("{y:.0}"))
            .label_style(("sans-serif", 15))
            .axis_desc_style(("sans-serif", 16))
            .light_line_style(TRANSPARENT)
            .draw()?;
        for (number, line) in lines.iter().enumerate() {
            let style = colour(number).stroke_width(if number < COLOURS.len() { 2 } else { 4 });
            let points = line.shares.iter().enumerate().map(|(at, share)| (10.0 * at as f64 + 5.0, share * 100.0));
            chart
                .draw_series([PathElement::new(points.collect::<Vec<_>>(), style)])?
                .label(line.name.as_str())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE.mix(0.85))
            .label_font(("sans-serif", 14))
            .draw()?;
        root.present()?;
    }
    Ok(svg)
}
