//! The one board: as SVG for pages, and as letters for terminals.

use crate::board::{Color, MicroMove, PieceType, Position, Square};
use crate::rules::Turn;
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// The shape of a piece in a square of 40 by 40: our own drawings, of straight lines and arcs.
const fn shape(kind: PieceType) -> &'static str {
    match kind {
        PieceType::Pawn => "M20 9a5.5 5.5 0 0 1 3.6 9.7L26 29h3v4H11v-4h3l2.4-10.3A5.5 5.5 0 0 1 20 9z",
        PieceType::Knight => "M12 33v-4l4-4c-1-4 1-6 3-8l-7 3-3-3 7-9 2-4 3 3c7 1 10 8 9 15l-2 7h2v4z",
        PieceType::Bishop => {
            "M20 5l2 3c5 4 6 9 2 14l2 7h4v4H10v-4h4l2-7c-4-5-3-10 2-14zM19 12v3h-3v2h3v4h2v-4h3v-2h-3v-3z"
        }
        PieceType::Rook => "M10 7h5v4h3V7h4v4h3V7h5v9l-4 3v9l4 2v3H10v-3l4-2v-9l-4-3z",
        PieceType::Queen => "M8 11l6 7 2-11 4 10 4-10 2 11 6-7-4 18h2v4H10v-4h2z",
        PieceType::King => "M18.500 4h3v3h3v3h-3v3c6-2 11 1 10 7l-3 9h2v4H9.500v-4h2l-3-9c-1-6 4-9 10-7v-3h-3V7h3z",
    }
}

/// The names of the shapes that [`pieces_svg`] defines.
fn symbol(color: Color, kind: PieceType) -> String {
    let side = match color {
        Color::White => 'w',
        Color::Black => 'b',
    };
    format!("{side}{}", kind.letter())
}

/// Defines pieces and squares, once a page, for the boards on it.
pub fn pieces_svg() -> Markup {
    let mut dark = String::new();
    for square in Square::all().filter(|square| (square.file() + square.rank()) % 2 == 0) {
        // Writing to a string cannot fail.
        let _ = write!(dark, "M{} {}h40v40h-40z", x(square), y(square));
    }
    html! {
        svg width="0" height="0" style="position:absolute" aria-hidden="true" {
            defs {
                @for color in [Color::White, Color::Black] {
                    @for kind in PieceType::ALL {
                        g id=(symbol(color, kind)) {
                            path class=(if color == Color::White { "pw" } else { "pb" }) d=(shape(kind)) fill-rule="evenodd" {}
                        }
                    }
                }
                g id="squares" {
                    rect class="light" width="320" height="320" {}
                    path class="dark" d=(dark) {}
                }
                @for (name, class) in [("head-played", "played"), ("head-best", "best")] {
                    marker id=(name) viewBox="0 0 10 10" refX="7" refY="5" markerWidth="4" markerHeight="4" orient="auto" {
                        path class=(format!("head {class}")) d="M0 0L10 5L0 10z" {}
                    }
                }
            }
        }
    }
}

fn x(square: Square) -> u32 {
    40 * u32::from(square.file())
}

fn y(square: Square) -> u32 {
    40 * (7 - u32::from(square.rank()))
}

/// A board, White below, with arrows for the micro-moves of the turn played and of the best one. [`pieces_svg`] must be on
/// the page.
pub fn board_svg(position: &Position, played: Option<&Turn>, best: Option<&Turn>) -> Markup {
    let pieces = Square::all().filter_map(|square| Some((square, position.piece_at(square)?)));
    html! {
        svg class="board" viewBox="-14 0 334 334" role="img" aria-label=(label(position)) {
            use href="#squares" {}
            g class="names" {
                @for place in 0..8_u32 {
                    text x=(40 * place + 20) y="331" { (char::from(b'a' + place as u8)) }
                    text x="-7" y=(40 * place + 24) { (8 - place) }
                }
            }
            @for (square, (color, kind)) in pieces {
                use href={ "#" (symbol(color, kind)) } x=(x(square)) y=(y(square)) {}
            }
            @for (class, turn) in [("best", best), ("played", played)] {
                @if let Some(turn) = turn {
                    @for mv in turn.moves() { (arrow(*mv, class)) }
                }
            }
        }
    }
}

fn arrow(mv: MicroMove, class: &str) -> Markup {
    html! {
        line class={ "arrow " (class) } marker-end={ "url(#head-" (class) ")" }
            x1=(x(mv.from()) + 20) y1=(y(mv.from()) + 20) x2=(x(mv.to()) + 20) y2=(y(mv.to()) + 20) {}
    }
}

fn label(position: &Position) -> String {
    format!("board, {} to move", position.side())
}

/// Dice as small pictures of the side's pieces.
pub(super) fn dice_svg(side: Color, dice: impl Iterator<Item = PieceType>) -> Markup {
    html! {
        @for face in dice {
            svg class="die" viewBox="0 0 40 40" role="img" aria-label=(face.letter()) {
                rect class="face" x="1" y="1" width="38" height="38" rx="7" {}
                use href={ "#" (symbol(side, face)) } {}
            }
        }
    }
}

/// The board as eight lines of letters and one of files, capitals White's, White below.
///
/// # Examples
/// ```
/// use astragal::board::{Rolled, STARTPOS};
///
/// let text = astragal::report::board_text(&Rolled::from_dfen(STARTPOS)?.position);
/// assert!(text.starts_with("8  r n b q k b n r\n") && text.ends_with("\n   a b c d e f g h\n"));
/// # Ok::<(), astragal::board::DfenError>(())
/// ```
pub fn board_text(position: &Position) -> String {
    // The drawing has an empty line between the ranks and the files.
    position.diagram().to_string().replace("\n\n", "\n") + "\n"
}

/// Markup that is known to be sound, such as our own style.
pub(super) const fn raw(text: &'static str) -> PreEscaped<&'static str> {
    PreEscaped(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Rolled, STARTPOS};

    #[test]
    fn every_piece_has_its_place_and_every_micro_move_an_arrow() {
        let position = Rolled::from_dfen(STARTPOS).expect("sound").position;
        let (played, best): (Turn, Turn) = ("b1c3,e2e4,f1c4".parse().expect("sound"), "0000".parse().expect("a pass"));
        let text = board_svg(&position, Some(&played), Some(&best)).into_string();
        assert_eq!(text.matches("<use").count(), 1 + 32);
        assert_eq!(text.matches("<line").count(), 3);
        // The white king on e1: the fifth file, the lowest rank.
        assert!(text.contains("<use href=\"#wK\" x=\"160\" y=\"280\">"), "{text}");
        let shapes = pieces_svg().into_string();
        assert!(Color::ALL.iter().all(|&color| {
            PieceType::ALL.iter().all(|&kind| shapes.contains(&format!("id=\"{}\"", symbol(color, kind))))
        }));
        // a1 is dark.
        assert!(shapes.contains("M0 280h40v40h-40z") && !shapes.contains("M0 0h40v40h-40z"));
    }

    #[test]
    fn letters_stand_where_the_pieces_do() {
        let text = board_text(&Rolled::from_dfen("7k/8/8/8/8/8/8/K6R w - - 0 1").expect("sound").position);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines[0], lines[7]), ("8  . . . . . . . k", "1  K . . . . . . R"));
    }
}
