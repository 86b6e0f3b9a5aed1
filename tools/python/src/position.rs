//! `Position`: a position, with its dice if it has some.

use crate::outcomes::Outcomes;
use crate::{arrays, evaluation, svg, words};
use astragal::board::{Dice, Rolled, STARTPOS, Square};
use astragal::bots::{book_key, book_line};
use astragal::eval::king_capture_probability;
use astragal::rules::{
    Roll, TurnEnd, apply_roll, apply_unrolled, first_legal_turn, outcomes, visit_legal_turns, winning_rolls,
};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::hash::{Hash, Hasher};

/// A position: board, side to move, castling rights, en passant targets, counters, and the dice to play if a roll was made.
///
/// Immutable, hashable, and to be pickled. Two are equal if all of their DFENs are.
///
/// ``Position()`` is the starting position; ``Position(dfen)`` is ``Position.from_dfen(dfen)``.
#[pyclass(frozen, eq, hash, module = "astragal")]
pub struct Position {
    /// The position and its dice.
    pub rolled: Rolled,
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.rolled == other.rolled
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let position = &self.rolled.position;
        (position.key(), position.halfmove(), position.fullmove(), self.rolled.dice).hash(state);
    }
}

impl From<Rolled> for Position {
    fn from(rolled: Rolled) -> Self {
        Self { rolled }
    }
}

/// How many turns are listed between two looks whether somebody has pressed Ctrl-C.
const LOOK_EVERY: usize = 1 << 16;

impl Position {
    /// The position with the dice given, or with its own.
    pub fn with_dice(&self, dice: Option<&str>) -> PyResult<Rolled> {
        match dice {
            Some(dice) => Ok(Rolled { dice: words::some_dice(dice)?, ..self.rolled }),
            None if self.rolled.dice.is_empty() => Err(words::value_error("the position has no dice; give a roll")),
            None => Ok(self.rolled),
        }
    }
}

#[pymethods]
impl Position {
    #[new]
    #[pyo3(signature = (dfen = STARTPOS))]
    fn new(dfen: &str) -> PyResult<Self> {
        Self::from_dfen(dfen)
    }

    /// Reads a DFEN of 7 fields (or the 6 of a FEN, or its first 4).
    ///
    /// Raises ``ValueError`` with the field at fault and what is wrong with it.
    #[staticmethod]
    pub fn from_dfen(dfen: &str) -> PyResult<Self> {
        let rolled = Rolled::from_dfen(dfen);
        rolled.map(Self::from).map_err(|error| words::value_error(format!("{}: {error}", error.field())))
    }

    /// The canonical DFEN; it reads back to an equal position.
    fn to_dfen(&self) -> String {
        self.rolled.to_string()
    }

    /// Who is to move: ``"white"`` or ``"black"``.
    #[getter]
    fn side(&self) -> &'static str {
        words::side_name(self.rolled.position.side())
    }

    /// The dice to play as letters in the order P N B R Q K, or ``None`` if no roll was made.
    #[getter]
    fn dice(&self) -> Option<String> {
        (!self.rolled.dice.is_empty()).then(|| self.rolled.dice.to_string())
    }

    /// Micro-moves since the last capture or pawn move; at 100, when a turn ends, the game is drawn.
    #[getter]
    fn halfmove(&self) -> u32 {
        self.rolled.position.halfmove()
    }

    /// The number of the move, from 1; it goes up after Black's turn.
    #[getter]
    fn fullmove(&self) -> u32 {
        self.rolled.position.fullmove()
    }

    /// The 64-bit key of placement, side, castling rights and en passant targets; counters and dice are not in it.
    #[getter]
    fn key(&self) -> u64 {
        self.rolled.position.key()
    }

    /// Whether the game is drawn by the half-move clock.
    #[getter]
    fn is_drawn(&self) -> bool {
        self.rolled.position.is_drawn()
    }

    /// The piece on a square such as ``"e4"``: one of ``PNBRQK``, in lower case if it is Black's, or ``None``.
    fn piece_at(&self, square: &str) -> PyResult<Option<char>> {
        let found = match square.as_bytes() {
            &[file, rank] => Square::parse(file, rank),
            _ => None,
        };
        let square = found.ok_or_else(|| words::value_error(format!("'{}' is no square", square.escape_debug())))?;
        Ok(self.rolled.position.piece_at(square).map(|(color, kind)| color.cased(kind.letter())))
    }

    /// The board as text of ten lines, White's pieces in upper case.
    fn diagram(&self) -> String {
        self.rolled.position.diagram().to_string()
    }

    /// The same position with other dice, one to three letters in any order and case.
    fn with_roll(&self, roll: &str) -> PyResult<Self> {
        self.with_dice(Some(roll)).map(Self::from)
    }

    /// The same position before the roll.
    fn without_roll(&self) -> Self {
        Rolled { dice: Dice::NONE, ..self.rolled }.into()
    }

    /// The same position with the colours exchanged and the board turned upside down.
    fn flip_colors(&self) -> Self {
        Rolled { position: self.rolled.position.flip_colors(), ..self.rolled }.into()
    }

    /// All legal turns of a roll (by default the dice of the position), every order of micro-moves counted, sorted: fewer
    /// micro-moves first, then in ASCII order.
    ///
    /// A turn is a text such as ``"e2e4,g1f3"``. Without any micro-move the list is empty: the player must pass. There may
    /// be millions of turns; Ctrl-C ends it.
    #[pyo3(signature = (roll = None))]
    fn turns(&self, py: Python<'_>, roll: Option<&str>) -> PyResult<Vec<String>> {
        let rolled = self.with_dice(roll)?;
        let mut turns = Vec::new();
        let mut problem = None;
        visit_legal_turns(&rolled, |turn, _| {
            turns.push(turn);
            if turns.len() % LOOK_EVERY == 0 {
                problem = py.check_signals().err();
            }
            problem.is_none()
        });
        if let Some(error) = problem {
            return Err(error);
        }
        turns.sort_unstable();
        Ok(turns.iter().map(ToString::to_string).collect())
    }

    /// The distinct positions that a roll (by default the dice of the position) can lead to.
    #[pyo3(signature = (roll = None))]
    fn outcomes(&self, py: Python<'_>, roll: Option<&str>) -> PyResult<Outcomes> {
        let rolled = self.with_dice(roll)?;
        Ok(py.detach(|| outcomes(&rolled)).into())
    }

    /// Whether a roll (by default the dice of the position) allows no micro-move, so that the player must pass.
    #[pyo3(signature = (roll = None))]
    fn must_pass(&self, roll: Option<&str>) -> PyResult<bool> {
        Ok(first_legal_turn(&self.with_dice(roll)?).is_empty())
    }

    /// The position after a turn, which is checked in full against the roll (by default the dice of the position);
    /// ``None`` if it captures the king and ends the game. ``"0000"`` is a pass.
    ///
    /// Without any roll every micro-move must be possible, and three dice must suffice. Raises ``ValueError`` if the turn
    /// is not legal.
    #[pyo3(signature = (turn, roll = None))]
    fn play(&self, turn: &str, roll: Option<&str>) -> PyResult<Option<Self>> {
        let played = words::turn(turn)?;
        let end = if roll.is_none() && self.rolled.dice.is_empty() {
            apply_unrolled(&self.rolled.position, played)
        } else {
            apply_roll(&self.with_dice(roll)?, played)
        };
        match end.map_err(|error| words::value_error(format!("{played}: {error}")))? {
            TurnEnd::Position(position) => Ok(Some(Rolled { position, dice: Dice::NONE }.into())),
            TurnEnd::KingCaptured => Ok(None),
        }
    }

    /// All distinct outcomes of all 56 rolls (the dice of the position do not matter), as a structured array.
    ///
    /// Returns an array of shape ``(n,)`` and dtype ``OUTCOME_DTYPE``, 96 bytes a row, ordered by roll. A row is a position
    /// in which the opponent is to roll:
    ///
    /// ==========  ============  ==============================================================================
    /// field       dtype         what
    /// ==========  ============  ==============================================================================
    /// key         uint64        the position's key, as ``Position.key``
    /// kinds       uint64 (6,)   bit boards of the pieces P N B R Q K of both sides; bit 0 is a1, 7 h1, 63 h8
    /// colors      uint64 (2,)   bit boards of White's and of Black's pieces
    /// targets     uint64        bit board of the living en passant targets
    /// halfmove    uint32        the half-move clock of one of the turns that lead there
    /// moves       uint16 (3,)   a turn that leads there: from | to << 6 | promotion << 12 a micro-move, unused ones
    ///                           0; promotion is 1 N, 2 B, 3 R, 4 Q, 0 none (``turn_text`` writes it as text)
    /// roll        uint8         the place of the roll in ``ROLLS``
    /// length      uint8         micro-moves of the turn, 0 for a pass
    /// castling    uint8         castling rights: 1 White's king side, 2 queen side, 4 and 8 Black's
    /// ==========  ============  ==============================================================================
    ///
    /// Captures of the king lead to no position and have no rows (``winning_rolls`` tells of them).
    ///
    /// ``out`` is an array of that dtype, one-dimensional and contiguous, to be filled; a view of its first ``n`` rows is
    /// returned. Raises ``ValueError`` if it is too small, with the number of rows that are needed.
    #[pyo3(signature = (out = None))]
    fn all_outcomes<'py>(&self, py: Python<'py>, out: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        arrays::all_outcomes(py, &self.rolled.position, out)
    }

    /// The exact probability, 0 to 1, that the side to move can capture the king with its next roll.
    fn king_capture(&self) -> f64 {
        king_capture_probability(&self.rolled.position)
    }

    /// The rolls with which the side to move can capture the king, in the order of ``ROLLS``.
    fn winning_rolls(&self) -> Vec<String> {
        let won = winning_rolls(&self.rolled.position);
        Roll::all().filter(|&roll| won.has(roll)).map(|roll| roll.to_string()).collect()
    }

    /// The static evaluation before the roll, as an equity: the expected result for the side to move, -1 to 1; a drawn game is 0.
    ///
    /// ``by`` is a value of the option LeafEval: ``"full"`` is the linear evaluation (``linear-v1``, by which luck is measured)
    /// with the exact chance to capture the king with the next roll, ``"network"`` is what ``Engine`` plays by, ``"quiet"``
    /// and ``"material"`` leave that chance out. Raises ``ValueError`` if there is no such evaluation.
    #[pyo3(signature = (by = "full"))]
    fn evaluate(&self, by: &str) -> PyResult<f64> {
        evaluation::equity(&self.rolled.position, by)
    }

    /// The terms of the linear evaluation: ``material``, ``placement``, ``attack``, ``openness`` and ``threats`` as pairs
    /// (White, Black) in centipawns, ``tempo`` and ``quiet`` (all together) in centipawns for the side to move, and
    /// ``capturing``, the throws of 216 that capture the king.
    fn evaluation_terms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        evaluation::terms(py, &self.rolled.position)
    }

    /// The position as the inputs of a model, from the mover's view: an array of float32 of shape ``(width,)``.
    ///
    /// ``kind`` is ``"material"`` (7 numbers), ``"rich"`` (9), ``"kcp"`` (13), ``"rawboard"`` (768) or
    /// ``"network"`` (769); protocol.md of the engine says what each is.
    #[pyo3(signature = (kind = "kcp"))]
    fn features<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Bound<'py, PyArray1<f32>>> {
        evaluation::features(py, &self.rolled.position, kind)
    }

    /// What each of the 56 rolls is worth to the side to move one turn deep by the linear evaluation: an array of float64 of shape ``(56,)`` in the
    /// order of ``ROLLS``, equities from -1 to 1, 1 if the roll captures the king.
    ///
    /// ``WEIGHTS @ values / 216`` is their mean.
    fn roll_values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        evaluation::roll_values(py, &self.rolled.position)
    }

    /// How lucky a roll (by default the dice of the position) is for the side to move: its value one turn deep less the mean
    /// over all rolls, an equity from -2 to 2. This is the luck of the arena.
    #[pyo3(signature = (roll = None))]
    fn luck(&self, py: Python<'_>, roll: Option<&str>) -> PyResult<f64> {
        let dice = self.with_dice(roll)?.dice;
        let roll = Roll::from_dice(dice).ok_or_else(|| words::value_error("a roll has three dice"))?;
        Ok(evaluation::luck(py, &self.rolled.position, roll))
    }

    /// The key of the position and its dice in an opening book.
    fn book_key(&self) -> PyResult<String> {
        Ok(book_key(&self.with_dice(None)?))
    }

    /// A line of an opening book: this turn for the position and its dice, with a weight from 0 to 2**32 - 1.
    #[pyo3(signature = (turn, weight = 1))]
    fn book_line(&self, turn: &str, weight: u32) -> PyResult<String> {
        let (rolled, turn) = (self.with_dice(None)?, words::turn(turn)?);
        apply_roll(&rolled, turn).map_err(|error| words::value_error(format!("{turn}: {error}")))?;
        Ok(book_line(&rolled, turn, weight))
    }

    /// The board as a small SVG image, which notebooks show.
    fn _repr_svg_(&self) -> String {
        svg::board(&self.rolled)
    }

    fn __str__(&self) -> String {
        self.to_dfen()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.rolled)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let arguments = PyTuple::new(py, [slf.get().to_dfen()])?;
        PyTuple::new(py, [slf.get_type().into_any(), arguments.into_any()])
    }
}
