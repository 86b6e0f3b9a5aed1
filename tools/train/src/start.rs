//! What games begin with: the start, or made endings, positions with few pieces, of which games from the start see too
//! little.

use crate::packed::Source;
use crate::placement::placement;
use astragal::board::{Position, Rolled, STARTPOS};
use astragal::rules::below;
use rand_chacha::ChaCha8Rng;

/// One game in this number begins with a made ending.
const ENDINGS: u64 = 4;

/// The position that a game begins with.
pub fn beginning(rng: &mut ChaCha8Rng) -> (Source, Position) {
    if below(rng, ENDINGS) == 0 { (Source::Ending, ending(rng)) } else { (Source::Start, start_position()) }
}

fn start_position() -> Position {
    // The start position is a DFEN.
    Rolled::from_dfen(STARTPOS).map(|rolled| rolled.position).unwrap_or_else(|error| panic!("{error}"))
}

/// Pieces besides the kings, at most.
const MOST_PIECES: u64 = 12;

/// A position of two kings and one to twelve other pieces anywhere, with pawns the likeliest.
fn ending(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let mut board = [None; 64];
        let mut put = |rng: &mut ChaCha8Rng, letter: u8| {
            let square = below(rng, 64) as usize;
            let pawn = letter.eq_ignore_ascii_case(&b'p');
            if board[square].is_none() && (!pawn || (8..56).contains(&square)) {
                board[square] = Some(letter);
            }
        };
        put(rng, b'K');
        put(rng, b'k');
        for _ in 0..=below(rng, MOST_PIECES) {
            let letter = b"PPPPNNBBRRQ"[below(rng, 11) as usize];
            let letter = if below(rng, 2) == 0 { letter } else { letter.to_ascii_lowercase() };
            put(rng, letter);
        }
        let placement = placement(&board);
        let side = if below(rng, 2) == 0 { 'w' } else { 'b' };
        // What the rules do not allow (a king that did not find a free square, nine pawns) is thrown again.
        if let Ok(rolled) = Rolled::from_dfen(&format!("{placement} {side} - - 0 1 -")) {
            return rolled.position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    #[test]
    fn endings_have_few_pieces_and_differ() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let found: Vec<Position> = (0..300).map(|_| ending(&mut rng)).collect();
        assert!(found.iter().all(|position| position.occupied().count() as u64 <= 2 + MOST_PIECES));
        let mut keys: Vec<u64> = found.iter().map(Position::key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() > 290);
    }
}
