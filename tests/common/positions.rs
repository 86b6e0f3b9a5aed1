//! Positions to try properties on: out of random games, and scattered at random.

use super::naive::{Naive, shifted};
use super::{below, chance, few_dice, pick, roll};
use astragal::board::{Dice, PieceType, Position, Rolled, STARTPOS};
use astragal::rules::outcomes;
use rand_chacha::ChaCha8Rng;

/// Positions so small that slow definitions see the end of them, all of different kinds; some with a half-move clock
/// about to run out.
pub const SMALL: [&str; 6] = [
    "8/5k2/1p2p3/4P3/5K2/5R2/8/2r5 w - - 0 45 PKK",
    "8/P6k/8/8/3K4/8/p7/8 b - - 0 60 pkk",
    "4k3/8/8/2p1p3/1P1P1P2/8/8/4K3 w - c6e6 0 30 PPK",
    "4k2r/8/8/8/8/8/8/R3K3 w Qk - 98 30 RKK",
    "8/8/3k4/8/2N5/8/8/4K3 b - - 96 70 kkk",
    "3k4/8/8/8/8/8/4P3/4K3 w - - 3 30 PPK",
];

/// One with minor pieces, not quite as small.
pub const MINOR_PIECES: &str = "3k4/2n5/8/8/8/5B2/4P3/4K3 w - - 3 30 PBB";

/// The positions of a random game in which nobody takes the king, the starting position first.
pub fn game_positions(rng: &mut ChaCha8Rng, turns: usize) -> Vec<Position> {
    let mut positions = vec![Rolled::from_dfen(STARTPOS).expect("sound").position];
    for turn in 0..turns {
        let distinct = outcomes(&Rolled { position: positions[turn], dice: roll(rng).dice() }).distinct;
        if distinct.is_empty() {
            break;
        }
        positions.push(distinct[below(rng, distinct.len())].position);
    }
    positions
}

/// Pieces at random, many or few: homes of kings and rooks, pawns that have just made a double step beside pawns that
/// can take them, and pawns near promotion are all frequent. The dice matter to the reader only: with some dice
/// played and some left both sides have targets.
pub fn scattered(rng: &mut ChaCha8Rng, dice: Dice) -> Rolled {
    loop {
        let mut board = [b'.'; 64];
        let letters = pick(rng, &["PNBRQ", "PPPPNBRQ", "QQR", "P", "PPQ", "NB", "BRQ", "PR"]).as_bytes();
        let most = pick(rng, &[1, 3, 6, 15]);
        for white in [true, false] {
            let cased = |letter: u8| if white { letter } else { letter.to_ascii_lowercase() };
            for _ in 0..below(rng, most + 1) {
                let letter = pick(rng, letters);
                let rank = match (letter, below(rng, 3)) {
                    (b'P', 0) => 3,
                    (b'P', 1) => pick(rng, &[4, 5, 6, 6]),
                    (b'P', _) => 1 + below(rng, 6),
                    _ => below(rng, 8),
                };
                board[below(rng, 8) + 8 * if white { rank } else { 7 - rank }] = cased(letter);
            }
            let home = if white { 0 } else { 56 };
            if chance(rng, 1, 2) {
                let corners = [home, home + 7].into_iter().filter(|_| chance(rng, 3, 4));
                corners.for_each(|corner| board[corner] = cased(b'R'));
                board[home + 4] = cased(b'K');
                // Pieces that can step out of the way of castling.
                let way = [1, 2, 3, 5, 6].into_iter().filter(|_| chance(rng, 1, 8)).collect::<Vec<usize>>();
                way.into_iter().for_each(|file| board[home + file] = cased(pick(rng, b"NBQ")));
            } else {
                board[below(rng, 64)] = cased(b'K');
            }
        }
        // Rights and targets that make no sense here are dropped by the reader.
        let naive = Naive {
            board,
            white: chance(rng, 1, 2),
            castling: [(); 4].map(|()| chance(rng, 3, 4)),
            targets: [(); 64].map(|()| chance(rng, 3, 4)),
            halfmove: pick(rng, &[0, 1, 98, 99, 100, u32::MAX]),
            fullmove: pick(rng, &[1, 2, 60, u32::MAX]),
        };
        let text = naive.text();
        let text = text.trim_end_matches('-');
        // What breaks the form (a king overwritten, too many pawns) is thrown again.
        if let Ok(rolled) = Rolled::from_dfen(&format!("{text}{dice}")) {
            return rolled;
        }
    }
}

/// A position with dice in which every micro-move that they allow captures the king.
pub fn only_captures(rng: &mut ChaCha8Rng) -> Rolled {
    loop {
        let mut board = [b'.'; 64];
        board[below(rng, 64)] = b'K';
        for _ in 0..=below(rng, 3) {
            let pawn = 8 + below(rng, 40);
            (board[pawn], board[pawn + 8]) = (b'P', pick(rng, b"pnbrq"));
            if let Some(king) = shifted(pawn, pick(rng, &[-1, 1]), 1).filter(|_| !board.contains(&b'k')) {
                board[king] = b'k';
            }
        }
        let dice = few_dice(rng).with(PieceType::Pawn);
        let naive = Naive { board, white: true, castling: [false; 4], targets: [false; 64], halfmove: 0, fullmove: 1 };
        if let Some(rolled) = either_side(rng, &naive, dice)
            && Naive::read(&rolled.to_string()).legal(dice).iter().all(|line| line.end.is_none())
        {
            return rolled;
        }
    }
}

/// What White can do there, or, as often, Black with the colours exchanged; none if it is no position.
fn either_side(rng: &mut ChaCha8Rng, naive: &Naive, dice: Dice) -> Option<Rolled> {
    let position = Rolled::from_dfen(&naive.text()).ok()?.position;
    let flipped = position.flip_colors();
    Some(Rolled { position: pick(rng, &[position, flipped]), dice })
}

/// An enemy king and a slider that looks at it along a line on which a pawn stands that can be taken in passing.
pub fn lines_through_en_passant(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let mut board = [b'.'; 64];
        let (file, direction) = (below(rng, 8), pick(rng, &[(1, 0), (1, 1), (1, -1)]));
        let away = |steps: i32| shifted(32 + file, direction.0 * steps, direction.1 * steps);
        let way = pick(rng, &[1, -1]);
        let (king, slider) = (way * (1 + below(rng, 3) as i32), -way * (1 + below(rng, 4) as i32));
        let hand = pick(rng, &[-1, 1]);
        let beside = shifted(32 + file, hand, 0);
        let (Some(king), Some(slider), Some(beside)) = (away(king), away(slider), beside) else { continue };
        for _ in 0..below(rng, 3) {
            board[below(rng, 64)] = pick(rng, b"NBRQnbrq");
        }
        board[below(rng, 64)] = b'K';
        for (square, letter) in [(king, b'k'), (slider, if direction.1 == 0 { b'R' } else { b'B' }), (beside, b'P')] {
            board[square] = letter;
        }
        if let Some(pawn) = shifted(beside, hand, -1).filter(|_| chance(rng, 1, 3)) {
            // The taking pawn must first get there by taking something else, with a die of its own.
            (board[beside], board[pawn]) = (b'n', b'P');
        }
        board[32 + file] = b'p';
        let mut targets = [false; 64];
        targets[40 + file] = true;
        let naive = Naive { board, white: true, castling: [false; 4], targets, halfmove: 0, fullmove: 1 };
        if let Some(rolled) = either_side(rng, &naive, Dice::NONE) {
            return rolled.position;
        }
    }
}

/// Positions without dice, half of them out of games.
pub fn varied_positions(rng: &mut ChaCha8Rng, count: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    while positions.len() < count {
        let game = game_positions(rng, 40);
        // Neighbours in a game are much alike.
        for position in game.into_iter().step_by(4) {
            positions.push(position);
            positions.push(scattered(rng, Dice::NONE).position);
        }
    }
    positions.truncate(count);
    positions
}
