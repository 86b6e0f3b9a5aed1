//! `position`: a position from its text and the turns played from there.

use super::excerpt;
use crate::board::{DfenError, Dice, DiceError, Position, Rolled, STARTPOS};
use crate::rules::{Turn, TurnEnd, TurnError, TurnTextError, apply_roll, apply_unrolled};
use thiserror::Error;

/// Why a `position` command is not understood. The text begins with the field at fault.
#[derive(Clone, PartialEq, Debug, Error)]
pub(super) enum SetupError {
    #[error("position: say startpos, dfen or fen")]
    NoBase,
    #[error("position: after the position say moves or dice, not '{}'", .0.escape_default())]
    Trailing(String),
    #[error("position: nothing may follow the dice, not '{}' either (moves come before)", .0.escape_default())]
    AfterDice(String),
    #[error("{}: {}", .0.field(), .0)]
    Dfen(DfenError),
    #[error("moves: turn {number} ('{text}'): {error}", text = .text.escape_default())]
    Text { number: usize, text: String, error: TurnTextError },
    #[error("moves: turn {number} ('{text}'): {error}", text = .text.escape_default())]
    Turn { number: usize, text: String, error: TurnError },
    #[error("moves: turn {number}: its roll '{roll}': {what}", roll = .roll.escape_default())]
    Roll { number: usize, roll: String, what: String },
    #[error("moves: turn {number} ('{text}') captures the king, which ends the game", text = .text.escape_default())]
    GameOver { number: usize, text: String },
    #[error("dice: {0}")]
    Dice(#[from] DiceError),
    #[error("dice: say which (such as PNB), or - for none")]
    NoDice,
}

/// Reads the words after `position`.
pub(super) fn parse(words: &[String]) -> Result<Rolled, SetupError> {
    let (base, rest) = words.split_first().ok_or(SetupError::NoBase)?;
    let (mut rolled, rest) = match base.as_str() {
        "startpos" => (read_dfen(STARTPOS)?, rest),
        "dfen" | "fen" => {
            let end = rest.iter().position(|word| word == "moves" || word == "dice").unwrap_or(rest.len());
            let (fields, rest) = rest.split_at(end);
            (read_dfen(&fields.join(" "))?, rest)
        }
        _ => return Err(SetupError::NoBase),
    };
    let rest = match rest.split_first() {
        Some((word, rest)) if word == "moves" => {
            let end = rest.iter().position(|word| word == "dice").unwrap_or(rest.len());
            let (turns, rest) = rest.split_at(end);
            for (number, text) in (1..).zip(turns) {
                rolled = Rolled { position: play(&rolled, number, text)?, dice: Dice::NONE };
            }
            rest
        }
        _ => rest,
    };
    match rest.split_first() {
        None => {}
        Some((word, rest)) if word == "dice" => {
            let (letters, rest) = rest.split_first().ok_or(SetupError::NoDice)?;
            rolled.dice = Dice::parse(letters)?;
            if let Some(word) = rest.first() {
                return Err(SetupError::AfterDice(excerpt(word)));
            }
        }
        Some((word, _)) => return Err(SetupError::Trailing(excerpt(word))),
    }
    Ok(rolled)
}

fn read_dfen(text: &str) -> Result<Rolled, SetupError> {
    Rolled::from_dfen(text).map_err(SetupError::Dfen)
}

/// Plays one turn of `moves`: `e2e4,g1f3`, or with its roll `NP:e2e4,g1f3`.
fn play(rolled: &Rolled, number: usize, text: &str) -> Result<Position, SetupError> {
    let (roll, moves) = match text.split_once(':') {
        Some((roll, moves)) => (Some(roll), moves),
        None => (None, text),
    };
    let text = excerpt(text);
    let turn: Turn = match moves.parse() {
        Ok(turn) => turn,
        Err(error) => return Err(SetupError::Text { number, text, error }),
    };
    let dice = match roll {
        None => rolled.dice,
        Some(roll) => roll_of(rolled, number, roll)?,
    };
    let played = if dice.is_empty() {
        apply_unrolled(&rolled.position, turn)
    } else {
        apply_roll(&Rolled { position: rolled.position, dice }, turn)
    };
    match played {
        Ok(TurnEnd::Position(position)) => Ok(position),
        Ok(TurnEnd::KingCaptured) => Err(SetupError::GameOver { number, text }),
        Err(error) => Err(SetupError::Turn { number, text, error }),
    }
}

/// The dice that a turn carries; they may not contradict those on the board.
fn roll_of(rolled: &Rolled, number: usize, letters: &str) -> Result<Dice, SetupError> {
    let error = |what: String| SetupError::Roll { number, roll: excerpt(letters), what };
    let dice = Dice::parse(letters).map_err(|problem| error(problem.to_string()))?;
    if dice.is_empty() {
        return Err(error("there are no dice in it".to_owned()));
    }
    if !rolled.dice.is_empty() && rolled.dice != dice {
        return Err(error(format!("the dice on the board are {}", rolled.dice)));
    }
    Ok(dice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, String> {
        let words: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
        parse(&words).map(|rolled| rolled.to_string()).map_err(|error| error.to_string())
    }

    const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";

    #[test]
    fn turns_with_and_without_rolls_are_played() {
        let both = "rnbqkbnr/pppppppp/8/8/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq e3 1 1 -";
        assert_eq!(read("startpos moves e2e4,g1f3").as_deref(), Ok(both));
        assert_eq!(read("startpos moves NP:e2e4,g1f3").as_deref(), Ok(both));
        assert_eq!(read("startpos moves e2e4 dice knp"), Ok(format!("{AFTER_E4} pnk")));
        assert_eq!(read("startpos moves 0000 0000").as_deref(), Ok(&STARTPOS.replace("0 1", "0 2")[..]));
        assert_eq!(read("startpos dice -").as_deref(), Ok(STARTPOS));
    }

    #[test]
    fn the_dice_on_the_board_are_those_of_the_first_turn() {
        let base = "dfen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 PKK";
        assert_eq!(
            read(&format!("{base} moves e2e4")).unwrap_err().split(':').nth(2),
            Some(" the turn uses 1 dice, and 3 can be used")
        );
        assert!(read(&format!("{base} moves e2e4,e1e2,e2e1")).is_ok());
        assert!(read(&format!("{base} moves PP:e2e4,d2d4")).unwrap_err().contains("the dice on the board are PKK"));
        assert!(read(&format!("{base} moves e2e4,e1e2,e2e1 dice PPP")).unwrap().ends_with(" ppp"));
    }

    #[test]
    fn errors_name_the_field() {
        for (text, start) in [
            ("", "position: "),
            ("here", "position: "),
            ("startpos dice", "dice: "),
            ("startpos dice PNBR", "dice: at most 3"),
            ("startpos dice PNB x", "position: "),
            ("startpos e2e4", "position: "),
            ("startpos dice PNB moves e2e4", "position: "),
            ("dfen 8/8 w - - 0 1 -", "placement: "),
            ("dfen", "fields: "),
            ("fen x w", "fields: "),
            ("startpos moves e2e5", "moves: turn 1 ('e2e5'): "),
            ("startpos moves e2e4 e2e4", "moves: turn 2 "),
            ("startpos moves KKK:e2e4", "moves: turn 1 "),
            ("startpos moves XX:e2e4", "moves: turn 1: its roll "),
            ("startpos moves :e2e4", "moves: turn 1: its roll "),
            ("startpos moves e2e4,x", "moves: turn 1 "),
            ("fen 8/8/8/3kK3/8/8/8/8 w - - 0 1 moves e5d5", "moves: turn 1 ('e5d5') captures the king"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }
}
