//! What games begin with: the start, or made endings, positions with few pieces, of which games from the start see too
//! little.

use crate::packed::Source;
use crate::placement::placement;
use astragal::board::{Position, Rolled, STARTPOS};
use astragal::rules::below;
use rand_chacha::ChaCha8Rng;

/// One game in this number begins with a made ending.
const ENDINGS: u64 = 4;

/// The games, in percent, that begin or are played otherwise than [`beginning`] has it.
#[derive(Clone, Copy, Default)]
pub struct Shares {
    /// Those from the opening book.
    pub book: u8,
    /// Those two turns deep.
    pub two_turns: u8,
}

/// What a game is, and the position that it begins with.
pub fn beginning_of(shares: Shares, rng: &mut ChaCha8Rng) -> (Source, Position) {
    let (book, two_turns) = (u64::from(shares.book), u64::from(shares.two_turns));
    if book + two_turns > 0 {
        match below(rng, 100) {
            number if number < book => return (Source::Book, start_position()),
            number if number < book + two_turns => return (Source::TwoTurns, start_position()),
            _ => {}
        }
    }
    beginning(rng)
}

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
    fn games_have_their_shares() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut counts = [0; 4];
        for _ in 0..10_000 {
            counts[beginning_of(Shares { book: 20, two_turns: 5 }, &mut rng).0 as usize] += 1;
        }
        let expected = [5_625, 1_875, 2_000, 500];
        // Four standard deviations are some 200 of them.
        assert!(
            counts.iter().zip(expected).all(|(count, wanted): (&i32, i32)| (count - wanted).abs() < 200),
            "{counts:?}"
        );
        let mut rngs = [1, 1].map(ChaCha8Rng::seed_from_u64);
        let [first, second] = &mut rngs;
        assert_eq!(beginning_of(Shares::default(), first), beginning(second), "nothing is drawn without shares");
    }

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
