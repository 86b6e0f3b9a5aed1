//! A position as a small SVG image. The pieces are characters of Unicode's chess block.

use astragal::board::{Color, PieceType, Rolled, Square};
use std::fmt::Write;

/// The width of a square in units of the image.
const WIDTH: u32 = 40;

const fn symbol(kind: PieceType) -> char {
    match kind {
        PieceType::Pawn => '♟',
        PieceType::Knight => '♞',
        PieceType::Bishop => '♝',
        PieceType::Rook => '♜',
        PieceType::Queen => '♛',
        PieceType::King => '♚',
    }
}

/// The board seen from White's side, and below it who is to move and the dice.
pub fn board(rolled: &Rolled) -> String {
    let (side, height) = (8 * WIDTH, 8 * WIDTH + 24);
    let mut image = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {height}\" width=\"{side}\" height=\"{height}\" \
         font-family=\"sans-serif\" text-anchor=\"middle\">"
    );
    for square in Square::all() {
        let (x, y) = (u32::from(square.file()) * WIDTH, u32::from(7 - square.rank()) * WIDTH);
        let dark = (square.file() + square.rank()) % 2 == 0;
        let fill = if dark { "#b58863" } else { "#f0d9b5" };
        // Writing to a string cannot fail.
        let _ = write!(image, "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{WIDTH}\" fill=\"{fill}\"/>");
        if let Some((color, kind)) = rolled.position.piece_at(square) {
            let (fill, stroke) = if color == Color::White { ("#fff", "#000") } else { ("#000", "#fff") };
            let (x, y) = (x + WIDTH / 2, y + 33);
            let symbol = symbol(kind);
            let _ = write!(
                image,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"36\" fill=\"{fill}\" stroke=\"{stroke}\" \
                 stroke-width=\"0.8\">{symbol}</text>"
            );
        }
    }
    let below = match rolled.dice.is_empty() {
        true => format!("{} to roll", rolled.position.side()),
        false => format!("{} to play {}", rolled.position.side(), rolled.dice),
    };
    let _ = write!(image, "<text x=\"{}\" y=\"{}\" font-size=\"16\">{below}</text></svg>", side / 2, height - 6);
    image
}
