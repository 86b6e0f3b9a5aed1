//! A position as a small SVG image that stands by itself: the board of the library's reports with a style of its own.

use astragal::board::Rolled;
use astragal::report::{board_svg, pieces_svg};

/// For notebooks, which put the image into their page: nothing else there may be meant.
const STYLE: &str = ".astragal .light{fill:#f0d9b5}.astragal .dark{fill:#b58863}.astragal text{font:13px sans-serif;\
    text-anchor:middle;fill:#777}.astragal .pw{fill:#fff;stroke:#000;stroke-width:1.2}\
    .astragal .pb{fill:#000;stroke:#fff;stroke-width:.8}";

/// The board seen from White's side, and below it who is to move and the dice.
pub fn board(rolled: &Rolled) -> String {
    let below = match rolled.dice.is_empty() {
        true => format!("{} to roll", rolled.position.side()),
        false => format!("{} to play {}", rolled.position.side(), rolled.dice),
    };
    let (pieces, board) = (pieces_svg().into_string(), board_svg(&rolled.position, None, None).into_string());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"astragal\" viewBox=\"0 0 334 360\" width=\"334\" height=\"360\">\
         <style>{STYLE}</style>{pieces}<svg width=\"334\" height=\"334\">{board}</svg>\
         <text x=\"174\" y=\"352\">{below}</text></svg>"
    )
}
