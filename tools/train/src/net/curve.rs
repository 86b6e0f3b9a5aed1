//! The errors of all epochs as a drawing.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;

/// Draws the errors on what was learned from and on what was kept out, by epoch.
pub fn draw(path: &Path, errors: &[(f64, f64)]) -> Result<(), Box<dyn Error>> {
    let all = || errors.iter().flat_map(|&(fitted, kept_out)| [fitted, kept_out]);
    let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let room = ((most - least) * 0.1).max(1e-5);
    let root = SVGBackend::new(path, (640, 400)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(32)
        .y_label_area_size(64)
        .build_cartesian_2d(1.0..errors.len().max(2) as f64, least - room..most + room)?;
    chart.configure_mesh().x_desc("epoch").y_desc("root of the mean square error").draw()?;
    for (name, color, of) in [
        ("learned from", BLUE, (|error: &(f64, f64)| error.0) as fn(&(f64, f64)) -> f64),
        ("kept out", RED, |error| error.1),
    ] {
        let points = errors.iter().enumerate().map(|(epoch, error)| (epoch as f64 + 1.0, of(error)));
        let line = chart.draw_series(LineSeries::new(points, color))?;
        line.label(name).legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color));
    }
    chart.configure_series_labels().border_style(BLACK).draw()?;
    root.present()?;
    Ok(())
}
