//! DFEN, the seven-field text of a position: reading it, and writing it in canonical form.

use super::position::Parts;
use super::{
    Bitboard, CastlingRights, CastlingSide, Color, Dice, DiceError, PieceType, Position, Rolled, Square, targets,
};
use std::fmt::{self, Write};
use std::str::FromStr;
use thiserror::Error;

/// The starting position, without dice.
pub const STARTPOS: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 -";

/// The field of a DFEN that an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DfenField {
    /// The number of fields.
    Fields,
    /// Field 1.
    Placement,
    /// Field 2.
    Side,
    /// Field 3.
    Castling,
    /// Field 4.
    EnPassant,
    /// Field 5.
    Halfmove,
    /// Field 6.
    Fullmove,
    /// Field 7.
    Dice,
}

impl fmt::Display for DfenField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fields => "fields",
            Self::Placement => "placement",
            Self::Side => "side",
            Self::Castling => "castling",
            Self::EnPassant => "en passant",
            Self::Halfmove => "halfmove",
            Self::Fullmove => "fullmove",
            Self::Dice => "dice",
        })
    }
}

/// Why a text is no DFEN.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DfenError {
    /// The wrong number of fields.
    #[error("a DFEN has 4, 6 or 7 fields, not {0}")]
    FieldCount(usize),
    /// Not eight ranks.
    #[error("must have 8 ranks, not {0}")]
    RankCount(usize),
    /// A character in the placement that is neither a piece nor a digit 1 to 8.
    #[error("'{}' in rank {rank} is neither a piece nor a digit 1 to 8", .found.escape_default())]
    PlacementCharacter {
        /// The character.
        found: char,
        /// The rank, 1..=8.
        rank: u8,
    },
    /// Two digits side by side in a rank.
    #[error("two digits in a row in rank {0}")]
    TwoDigits(u8),
    /// A rank that is not eight squares long.
    #[error("rank {rank} has {squares} squares, not 8")]
    RankLength {
        /// The rank, 1..=8.
        rank: u8,
        /// How many squares it describes.
        squares: usize,
    },
    /// Not exactly one king.
    #[error("{color} must have exactly one king, not {kings}")]
    Kings {
        /// Whose kings.
        color: Color,
        /// How many.
        kings: u32,
    },
    /// More than 16 pieces of one colour.
    #[error("{color} has {pieces} pieces, more than 16")]
    TooManyPieces {
        /// Whose pieces.
        color: Color,
        /// How many.
        pieces: u32,
    },
    /// More than 8 pawns of one colour.
    #[error("{color} has {pawns} pawns, more than 8")]
    TooManyPawns {
        /// Whose pawns.
        color: Color,
        /// How many.
        pawns: u32,
    },
    /// A pawn on the first or the last rank.
    #[error("a pawn on the first or last rank ({0})")]
    PawnRank(Square),
    /// A side other than `w` and `b`.
    #[error("must be w or b, not '{}'", .0.escape_default())]
    Side(String),
    /// Castling rights that are not some of KQkq, each once, or `-`.
    #[error("must be - or some of KQkq, each once, not '{}'", .0.escape_default())]
    Castling(String),
    /// An en passant field that is not squares, each once, or `-`.
    #[error("must be - or squares such as a3c3, each once, not '{}'", .0.escape_default())]
    EnPassant(String),
    /// A half-move clock that is no whole number from 0 to 4294967295.
    #[error("must be a whole number from 0 to 4294967295, not '{}'", .0.escape_default())]
    Halfmove(String),
    /// A full-move number that is no whole number from 0 to 4294967295.
    #[error("must be a whole number from 0 to 4294967295, not '{}'", .0.escape_default())]
    Fullmove(String),
    /// Something other than at most three dice.
    #[error(transparent)]
    Dice(#[from] DiceError),
}

impl DfenError {
    /// The field that is at fault.
    pub const fn field(&self) -> DfenField {
        match self {
            Self::FieldCount(_) => DfenField::Fields,
            Self::RankCount(_)
            | Self::PlacementCharacter { .. }
            | Self::TwoDigits(_)
            | Self::RankLength { .. }
            | Self::Kings { .. }
            | Self::TooManyPieces { .. }
            | Self::TooManyPawns { .. }
            | Self::PawnRank(_) => DfenField::Placement,
            Self::Side(_) => DfenField::Side,
            Self::Castling(_) => DfenField::Castling,
            Self::EnPassant(_) => DfenField::EnPassant,
            Self::Halfmove(_) => DfenField::Halfmove,
            Self::Fullmove(_) => DfenField::Fullmove,
            Self::Dice(_) => DfenField::Dice,
        }
    }
}

/// At most so much of a bad field is repeated in an error.
fn excerpt(text: &str) -> String {
    text.chars().take(30).collect()
}

impl Rolled {
    /// Reads a DFEN of four, six or seven fields. Rights to castle that have lost their king or rook, and targets
    /// that no double step could have left, are dropped.
    ///
    /// # Errors
    /// Anything else that breaks the form; [`DfenError::field`] names the field.
    pub fn from_dfen(text: &str) -> Result<Self, DfenError> {
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let (&[placement, side, castling, en_passant], rest) = match fields.split_first_chunk() {
            Some(split) if matches!(fields.len(), 4 | 6 | 7) => split,
            _ => return Err(DfenError::FieldCount(fields.len())),
        };
        let (kinds, colors) = parse_placement(placement)?;
        let side = match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err(DfenError::Side(excerpt(side))),
        };
        let castling = parse_castling(castling, &kinds, &colors)?;
        let named = parse_targets(en_passant)?;
        let halfmove = parse_number(rest.first(), 0, DfenError::Halfmove)?;
        let fullmove = parse_number(rest.get(1), 1, DfenError::Fullmove)?.max(1);
        let dice = Dice::parse(rest.get(2).unwrap_or(&"-"))?;
        let targets = named.filter(|&target| target_is_possible(target, &kinds, &colors, side, dice));
        let targets = targets.fold(Bitboard::EMPTY, |set, target| set | Bitboard::of(target));
        let parts = Parts { kinds, colors, targets, castling, side, halfmove, fullmove };
        Ok(Self { position: Position::from_parts(parts), dice })
    }
}

impl FromStr for Rolled {
    type Err = DfenError;

    fn from_str(text: &str) -> Result<Self, DfenError> {
        Self::from_dfen(text)
    }
}

fn parse_placement(text: &str) -> Result<([Bitboard; 6], [Bitboard; 2]), DfenError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        return Err(DfenError::RankCount(rows.len()));
    }
    let mut kinds = [Bitboard::EMPTY; 6];
    let mut colors = [Bitboard::EMPTY; 2];
    for (rank, row) in (0..8u8).rev().zip(rows) {
        let mut file = 0;
        let mut after_digit = false;
        for letter in row.chars() {
            match u8::try_from(letter).unwrap_or(0) {
                digit @ b'1'..=b'8' => {
                    if after_digit {
                        return Err(DfenError::TwoDigits(rank + 1));
                    }
                    after_digit = true;
                    file += usize::from(digit - b'0');
                }
                byte => {
                    let kind = PieceType::from_letter(byte)
                        .ok_or(DfenError::PlacementCharacter { found: letter, rank: rank + 1 })?;
                    let color = if byte.is_ascii_uppercase() { Color::White } else { Color::Black };
                    if file < 8 {
                        let square = Bitboard::of(Square::at(file as u8, rank));
                        kinds[kind.index()] |= square;
                        colors[color.index()] |= square;
                    }
                    after_digit = false;
                    file += 1;
                }
            }
        }
        if file != 8 {
            return Err(DfenError::RankLength { rank: rank + 1, squares: file });
        }
    }
    check_pieces(&kinds, &colors)?;
    Ok((kinds, colors))
}

fn check_pieces(kinds: &[Bitboard; 6], colors: &[Bitboard; 2]) -> Result<(), DfenError> {
    for color in Color::ALL {
        let own = colors[color.index()];
        let kings = (kinds[PieceType::King.index()] & own).count();
        let pawns = (kinds[PieceType::Pawn.index()] & own).count();
        let pieces = own.count();
        if kings != 1 {
            return Err(DfenError::Kings { color, kings });
        }
        if pieces > 16 {
            return Err(DfenError::TooManyPieces { color, pieces });
        }
        if pawns > 8 {
            return Err(DfenError::TooManyPawns { color, pawns });
        }
    }
    let misplaced = kinds[PieceType::Pawn.index()] & Bitboard::LAST_RANKS;
    if misplaced.any() { Err(DfenError::PawnRank(misplaced.first())) } else { Ok(()) }
}

fn parse_castling(text: &str, kinds: &[Bitboard; 6], colors: &[Bitboard; 2]) -> Result<CastlingRights, DfenError> {
    let mut rights = CastlingRights::default();
    if text == "-" {
        return Ok(rights);
    }
    let mut seen = CastlingRights::default();
    for letter in text.bytes() {
        let side = CastlingSide::ALL.iter().find(|side| side.letter == letter && !seen.has(side));
        let side = side.ok_or_else(|| DfenError::Castling(excerpt(text)))?;
        seen.add(side);
        let own = colors[side.color.index()];
        let king = (kinds[PieceType::King.index()] & own).has(side.king_from);
        let rook = (kinds[PieceType::Rook.index()] & own).has(side.rook_from);
        if king && rook {
            rights.add(side);
        }
    }
    Ok(rights)
}

/// The squares that field 4 names, in a set.
fn parse_targets(text: &str) -> Result<Bitboard, DfenError> {
    let mut named = Bitboard::EMPTY;
    if text == "-" {
        return Ok(named);
    }
    for pair in text.as_bytes().chunks(2) {
        let square = match *pair {
            [file, rank] => Square::parse(file, rank),
            _ => None,
        };
        match square {
            Some(square) if !named.has(square) => named |= Bitboard::of(square),
            _ => return Err(DfenError::EnPassant(excerpt(text))),
        }
    }
    Ok(named)
}

/// Whether a double step could have left that target.
///
/// The pawn stands beyond the target and the target is empty. The start square is empty or holds a piece (no pawn)
/// that the same side put there later in its turn; in mid-turn (some dice played, some left) also a piece of the side
/// to move. The side to move has targets of its own in mid-turn only.
fn target_is_possible(target: Square, kinds: &[Bitboard; 6], colors: &[Bitboard; 2], side: Color, dice: Dice) -> bool {
    let Some(owner) = Color::ALL.into_iter().find(|&owner| targets::rank_of(owner).has(target)) else {
        return false;
    };
    let in_mid_turn = !dice.is_empty() && dice.len() < Dice::MOST;
    if owner == side && !in_mid_turn {
        return false;
    }
    let occupied = colors[0] | colors[1];
    let start = targets::start_of(target);
    let own_pawns = kinds[PieceType::Pawn.index()] & colors[owner.index()];
    if occupied.has(target) || !own_pawns.has(targets::pawn_of(target)) || own_pawns.has(start) {
        return false;
    }
    !colors[(!owner).index()].has(start) || (in_mid_turn && side != owner)
}

fn parse_number(text: Option<&&str>, missing: u32, error: fn(String) -> DfenError) -> Result<u32, DfenError> {
    let Some(text) = text else { return Ok(missing) };
    // `u32::from_str` would also read a plus sign.
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(error(excerpt(text)));
    }
    text.parse().map_err(|_| error(excerpt(text)))
}

/// The canonical seven-field DFEN without dice.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Rolled { position: *self, dice: Dice::NONE }.fmt(f)
    }
}

/// The canonical seven-field DFEN.
impl fmt::Display for Rolled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = &self.position;
        write_placement(f, position)?;
        write!(f, " {} {} ", position.side().letter(), position.castling())?;
        if position.targets().is_empty() {
            f.write_char('-')?;
        }
        for file in 0..8 {
            for rank in [2, 5] {
                let square = Square::at(file, rank);
                if position.targets().has(square) {
                    write!(f, "{square}")?;
                }
            }
        }
        write!(f, " {} {} ", position.halfmove(), position.fullmove())?;
        self.dice.to_string().chars().try_for_each(|letter| f.write_char(position.side().cased(letter)))
    }
}

fn write_placement(f: &mut fmt::Formatter<'_>, position: &Position) -> fmt::Result {
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match position.piece_at(Square::at(file, rank)) {
                None => empty += 1,
                Some((color, kind)) => {
                    if empty > 0 {
                        write!(f, "{empty}")?;
                    }
                    empty = 0;
                    f.write_char(color.cased(kind.letter()))?;
                }
            }
        }
        if empty > 0 {
            write!(f, "{empty}")?;
        }
        if rank > 0 {
            f.write_char('/')?;
        }
    }
    Ok(())
}
