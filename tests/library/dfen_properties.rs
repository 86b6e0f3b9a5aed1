//! The DFEN reader on texts that nobody would write: it must not panic, and what it accepts must be sound.

use crate::common::naive::Naive;
use crate::common::positions::{scattered, varied_positions};
use crate::common::{any_dice, below, chance, few_dice, pick, roll, seeded};
use astragal::board::{CastlingSide, Dice, Rolled, Square};
use astragal::rules::{Roll, TurnEnd, apply_roll, legal_turns, winning_rolls};
use rand_chacha::ChaCha8Rng;
use rand_core::Rng;

/// What may come next in a text: letters that mean something, then some that should not be there.
const PIECES: &str = "pnbrqkPNBRQK12345678/ -wbKQkqacefh36019\t\u{a0}é王🎲\0\u{7f}x+,";

fn random_char(rng: &mut ChaCha8Rng) -> char {
    let letters: Vec<char> = PIECES.chars().collect();
    match below(rng, 8) {
        0 => char::from_u32(rng.next_u32() % 0x11_0000).unwrap_or('?'),
        1 => below(rng, 128) as u8 as char,
        _ => pick(rng, &letters),
    }
}

/// Reads a text; what is accepted must be written in one canonical form, and be what the text says.
fn read(text: &str) -> bool {
    match Rolled::from_dfen(text) {
        Ok(read) => {
            check_accepted(text, &read);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty() && !error.field().to_string().is_empty());
            false
        }
    }
}

fn check_accepted(text: &str, read: &Rolled) {
    let canonical = read.to_string();
    assert_eq!(Rolled::from_dfen(&canonical).as_ref(), Ok(read), "{text:?}");
    assert_eq!(read.position.key(), read.position.key_from_scratch(), "{text:?}");
    let naive = Naive::read(&canonical);
    for [king, pawn] in [*b"KP", *b"kp"] {
        let count = |letter| naive.board.iter().filter(|piece| **piece == letter).count();
        let own = naive.board.iter().filter(|piece| piece.is_ascii_uppercase() == king.is_ascii_uppercase());
        assert!(count(king) == 1 && count(pawn) <= 8, "{text:?}");
        assert!(own.filter(|piece| piece.is_ascii_alphabetic()).count() <= 16, "{text:?}");
    }
    let last_ranks = naive.board[..8].iter().chain(&naive.board[56..]);
    assert!(!last_ranks.copied().any(|piece| piece.eq_ignore_ascii_case(&b'p')), "{text:?}");

    let mut given: Vec<&str> = text.split_ascii_whitespace().collect();
    given.extend(["0", "1", "-"].iter().skip(given.len() - 4));
    let written: Vec<&str> = canonical.split(' ').collect();
    assert_eq!(written.len(), 7, "{text:?}");
    assert_eq!(written[..2], given[..2], "placement and side have one form only");
    let rights_kept = written[2].chars().all(|right| right == '-' || given[2].contains(right));
    assert!(rights_kept, "{text:?}");
    let names: Vec<&[u8]> = given[3].as_bytes().chunks(2).collect();
    assert!(written[3] == "-" || written[3].as_bytes().chunks(2).all(|name| names.contains(&name)), "{text:?}");
    let without_zeros = |number: &str, least: u64| -> String {
        assert!(number.bytes().all(|byte| byte.is_ascii_digit()), "{text:?}");
        number.parse::<u64>().unwrap_or_default().max(least).to_string()
    };
    assert_eq!(written[4], without_zeros(given[4], 0), "{text:?}");
    assert_eq!(written[5], without_zeros(given[5], 1), "{text:?}");
    let cased = if given[1] == "w" { str::to_ascii_uppercase } else { str::to_ascii_lowercase };
    let mut dice: Vec<char> = given[6].chars().collect();
    dice.sort_by_key(|die| "PNBRQK".find(die.to_ascii_uppercase()));
    assert_eq!(written[6], cased(&dice.into_iter().collect::<String>()), "{text:?}");
}

#[test]
fn garbage_is_read_without_a_panic() {
    let rng = &mut seeded(21);
    for _ in 0..20_000 {
        let length = below(rng, 90);
        read(&(0..length).map(|_| random_char(rng)).collect::<String>());
        let bytes: Vec<u8> = (0..length).map(|_| below(rng, 256) as u8).collect();
        read(&String::from_utf8_lossy(&bytes));
        // Fields that are each a little likely, so that more than the first is looked at.
        let fields = ["4k3/8/8/8/8/8/8/4K3", "w", "KQ", "a3", "0", "1", "PNB"];
        let mut text = String::new();
        for field in fields.iter().take(4 + below(rng, 5)) {
            // Errors repeat the beginning of a long field.
            let length = pick(rng, &[1, 2, 3, 4, 40, 70]);
            text +=
                &if chance(rng, 1, 4) { (0..length).map(|_| random_char(rng)).collect() } else { field.to_string() };
            text.push(' ');
        }
        read(&text);
    }
}

/// Damages a text in one place.
fn damage(rng: &mut ChaCha8Rng, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = below(rng, letters.len());
    let end = at + below(rng, letters.len() - at);
    match below(rng, 7) {
        0 => letters[at] = random_char(rng),
        1 => letters.insert(at, random_char(rng)),
        2 => drop(letters.remove(at)),
        3 => drop(letters.drain(at..end)),
        4 => letters.splice(at..at, letters[at..end].to_vec()).for_each(drop),
        5 => letters.swap(at, end),
        _ => {
            let mut bytes = text.as_bytes().to_vec();
            let at = below(rng, bytes.len());
            bytes[at] ^= 1 << below(rng, 8);
            return String::from_utf8_lossy(&bytes).into_owned();
        }
    }
    letters.into_iter().collect()
}

#[test]
fn damaged_texts_are_read_without_a_panic() {
    let rng = &mut seeded(22);
    let mut texts: Vec<String> = varied_positions(rng, 300).iter().map(ToString::to_string).collect();
    for _ in 0..300 {
        let dice = any_dice(rng);
        texts.push(scattered(rng, dice).to_string());
    }
    let (mut accepted, mut refused) = (0, 0);
    for text in &texts {
        for _ in 0..200 {
            let mut other = text.clone();
            for _ in 0..=below(rng, 3) {
                if !other.is_empty() {
                    other = damage(rng, &other);
                }
            }
            if read(&other) { accepted += 1 } else { refused += 1 }
        }
    }
    assert!(accepted > 3000 && refused > 3000, "{accepted} accepted, {refused} refused");
}

/// Whether a double step could have left that target, by the rules' own words.
fn target_is_possible(naive: &Naive, target: usize, in_mid_turn: bool) -> bool {
    let (white, pawn, ahead, start) = match target / 8 {
        2 => (true, b'P', target + 8, target - 8),
        5 => (false, b'p', target - 8, target + 8),
        _ => return false,
    };
    // The pawn has left its start square, and nobody but its own side has moved since: except in mid-turn.
    let start = naive.board[start];
    let other_side_moved = in_mid_turn && white != naive.white;
    let start_is_possible = match start {
        b'.' => true,
        piece => piece != pawn && (piece.is_ascii_uppercase() == white || other_side_moved),
    };
    let may_be_there = white != naive.white || in_mid_turn;
    may_be_there && naive.board[target] == b'.' && naive.board[ahead] == pawn && start_is_possible
}

#[test]
fn rights_and_targets_are_dropped_if_and_only_if_they_make_no_sense() {
    let rng = &mut seeded(24);
    let every_name: String = Square::all().map(|square| square.to_string()).collect();
    let (mut kept, mut both_sides) = (0, 0);
    for number in 0..8000 {
        let dice = match number % 4 {
            0 => Dice::NONE,
            1 => roll(rng).dice(),
            _ => few_dice(rng),
        };
        let text = scattered(rng, dice).to_string();
        let fields: Vec<&str> = text.split(' ').collect();
        let full = format!("{} {} qkQK {every_name} 0 1 {dice}", fields[0], fields[1]);
        let found = Rolled::from_dfen(&full).unwrap_or_else(|error| panic!("{full}: {error}")).position;
        let naive = Naive::read(&text);
        let in_mid_turn = matches!(dice.len(), 1 | 2);
        for square in Square::all() {
            let expected = target_is_possible(&naive, square.index(), in_mid_turn);
            assert_eq!(found.targets().has(square), expected, "{full}: {square}");
        }
        kept += usize::from(found.targets().any());
        both_sides += usize::from(found.targets() != found.enemy_targets() && found.enemy_targets().any());
        let homes = [(b'K', b'R', 4, 7), (b'K', b'R', 4, 0), (b'k', b'r', 60, 63), (b'k', b'r', 60, 56)];
        for (side, (king, rook, king_home, rook_home)) in CastlingSide::ALL.iter().zip(homes) {
            let expected = naive.board[king_home] == king && naive.board[rook_home] == rook;
            assert_eq!(found.castling().has(side), expected, "{full}");
        }
    }
    assert!(kept > 1000 && both_sides > 100, "{kept} with targets, {both_sides} with those of both sides");
}

#[test]
fn whatever_is_accepted_can_be_played_on() {
    let rng = &mut seeded(23);
    let mut accepted = 0;
    for _ in 0..30 {
        // A walk from one accepted text to the next, ever further from anything sensible.
        let dice = few_dice(rng);
        let mut here = scattered(rng, dice).to_string();
        for _ in 0..500 {
            let other = damage(rng, &here);
            if let Ok(read) = Rolled::from_dfen(&other) {
                here = read.to_string();
                accepted += 1;
                let won = winning_rolls(&read.position);
                let turns = legal_turns(&read);
                if let Some(roll) = Roll::from_dice(read.dice) {
                    let captures = turns.iter().any(|&turn| apply_roll(&read, turn) == Ok(TurnEnd::KingCaptured));
                    assert_eq!(captures, won.has(roll), "{read}");
                }
            }
        }
    }
    assert!(accepted > 1000, "{accepted} accepted");
}
