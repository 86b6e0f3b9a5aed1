//! The curve of a game: White's equity before each roll, with the luck of the rolls and the losses of the turns as bars.

use crate::review::GameReview;
use maud::{Markup, html};
use std::fmt::Write;

/// The width of a turn in the units of the picture.
const STEP: usize = 10;

/// From the middle to an equity of 1.
const HEIGHT: f64 = 95.0;

/// The y of an equity.
fn y(equity: f64) -> f64 {
    100.0 - HEIGHT * equity.clamp(-1.0, 1.0)
}

/// The curve, every turn of it a link to its board.
pub(super) fn curve(review: &GameReview, place: u64) -> Markup {
    let width = STEP * review.turns.len().max(1);
    let mut points = String::new();
    let (mut luck, mut loss) = (String::new(), String::new());
    for (number, turn) in review.turns.iter().enumerate() {
        let left = STEP * number;
        // Writing to a string cannot fail.
        let _ = write!(points, "{},{:.1} ", left + STEP / 2, y(turn.sign() * turn.equity));
        bar(&mut luck, left + 1, turn.sign() * turn.luck);
        if let Some(decision) = &turn.decision {
            bar(&mut loss, left + 6, -turn.sign() * decision.loss());
        }
    }
    if let Some(result) = review.result {
        let _ = write!(points, "{width},{:.1}", y(result));
    }
    html! {
        svg class="curve" viewBox={ "0 0 " (width) " 200" } preserveAspectRatio="none" role="img"
            aria-label="equity for White over the game" {
            line class="zero" x1="0" y1="100" x2=(width) y2="100" {}
            path class="luck" d=(luck) {}
            path class="loss" d=(loss) {}
            polyline class="equity" points=(points.trim_end()) {}
            @for number in 0..review.turns.len().min(super::MOST_BOARDS) {
                a href={ "#g" (place) "t" (number + 1) } {
                    rect class="hit" x=(STEP * number) width=(STEP) height="200" {}
                }
            }
        }
    }
}

/// Adds a bar from the middle to a value.
fn bar(path: &mut String, left: usize, value: f64) {
    if value.abs() >= 0.001 {
        let _ = write!(path, "M{left} 100h3V{:.1}h-3z", y(value));
    }
}
