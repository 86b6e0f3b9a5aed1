"""The trainer's packed records of positions, as structured arrays.

A file is a header of 48 bytes and records of 48 bytes; ``POSITION_DTYPE`` is a record:

=========  ===========  =====================================================================================
field      dtype        what
=========  ===========  =====================================================================================
occupied   uint64       the occupied squares as a bit board; bit 0 is a1, 7 h1, 63 h8
pieces     uint8 (16,)  their pieces in that order, a nibble each, the low one first: 0 to 5 for P N B R Q K,
                        and 8 more for Black's
flags      uint8        bit 0: Black rolls; bits 1 to 4: castling rights K Q k q
targets    uint8        the files of the living en passant targets, bit 0 the a-file
halfmove   uint8        the half-move clock
captures   uint8        throws of 216 that capture the king
result     int8         the result of the game for the side to roll: -1, 0 or 1; 0 if it was broken off
kind       uint8        bit 0: the last record of its game; bits 1 and up: 0 a game from the start, 1 an ending
turn       uint16       the number of the turn in its game, from 0
value      float32      what the evaluation that played says of the position, as an equity
deeper     float32      what it says one turn deeper: the mean over all rolls of the best turn
game       uint32       the number of the game
=========  ===========  =====================================================================================
"""

import os
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np
import numpy.typing as npt

from ._astragal import Position

POSITION_DTYPE = np.dtype(
    {
        "names": [
            "occupied",
            "pieces",
            "flags",
            "targets",
            "halfmove",
            "captures",
            "result",
            "kind",
            "turn",
            "value",
            "deeper",
            "game",
        ],
        "formats": ["<u8", "(16,)u1", "u1", "u1", "u1", "u1", "i1", "u1", "<u2", "<f4", "<f4", "<u4"],
        "offsets": [0, 8, 24, 25, 26, 27, 28, 29, 30, 32, 36, 40],
        "itemsize": 48,
    }
)
"""The dtype of a packed record, 48 bytes; see the head of the module ``astragal._packed``."""

_HEADER = struct.Struct("<32sIQHH")
_MAGIC = b"ASTRAGAL POSITION"
_VERSION = 1
_LETTERS = "PNBRQK"


class Packed(NamedTuple):
    """A file of packed records."""

    rows: npt.NDArray[np.void]
    """The records: shape ``(n,)``, dtype ``POSITION_DTYPE``."""
    seed: int
    """The seed of the games."""
    share: tuple[int, int]
    """Which share of them, from 0, and of how many."""


def read_packed(path: Union[str, "os.PathLike[str]"], *, mapped: bool = False) -> Packed:
    """Reads a file of the trainer's packed records. A record that is cut off at the end is left out.

    With ``mapped`` the rows are a read-only map of the file, which takes no memory. The numbers are believed;
    ``unpack_position`` checks what it reads. Raises ``OSError``, or ``ValueError`` if it is no such file.
    """
    size = _HEADER.size
    with open(path, "rb") as file:
        header = file.read(size)
        if len(header) < size or not header.startswith(_MAGIC):
            raise ValueError(f"{os.fspath(path)!r} is no file of packed positions")
        _, version, seed, number, count = _HEADER.unpack(header)
        if version != _VERSION:
            raise ValueError(f"{os.fspath(path)!r} has version {version}; version {_VERSION} can be read")
        length = (os.fstat(file.fileno()).st_size - size) // POSITION_DTYPE.itemsize
        rows: npt.NDArray[np.void]
        if mapped and length > 0:
            rows = np.memmap(path, POSITION_DTYPE, "r", size, (length,))
        else:
            rows = np.fromfile(file, POSITION_DTYPE, length)
    return Packed(rows, seed, (number, count))


def write_packed(
    path: Union[str, "os.PathLike[str]"], rows: npt.NDArray[np.void], *, seed: int = 0, share: tuple[int, int] = (0, 1)
) -> None:
    """Writes a file of packed records that the trainer reads; an existing one is replaced.

    ``rows`` has shape ``(n,)`` and dtype ``POSITION_DTYPE``. Raises ``ValueError`` if it has not, or ``OSError``.
    """
    if rows.dtype != POSITION_DTYPE or rows.ndim != 1:
        raise ValueError("rows must be a one-dimensional array of POSITION_DTYPE")
    # The bytes between the fields are zero.
    clean = np.zeros(rows.shape, POSITION_DTYPE)
    for name in POSITION_DTYPE.names or ():
        clean[name] = rows[name]
    with open(path, "wb") as file:
        file.write(_HEADER.pack(_MAGIC, _VERSION, seed, *share))
        clean.tofile(file)


def unpack_position(row: Any) -> Position:
    """The position of a packed record, before the roll; its full-move number, which is not recorded, is 1.

    Raises ``ValueError`` if it is none.
    """
    occupied, pieces = int(row["occupied"]), row["pieces"]
    board = ["1"] * 64
    squares = [square for square in range(64) if occupied >> square & 1]
    if len(squares) > 32:
        raise ValueError("more than 32 pieces")
    for place, square in enumerate(squares):
        code = int(pieces[place // 2]) >> 4 * (place % 2) & 15
        if code & 7 > 5:
            raise ValueError(f"{code} is no piece")
        letter = _LETTERS[code & 7]
        board[square] = letter.lower() if code & 8 else letter
    ranks = "/".join("".join(board[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1))
    for length in range(8, 1, -1):
        ranks = ranks.replace("1" * length, str(length))
    flags, files = int(row["flags"]), int(row["targets"])
    side, behind = ("b", "3") if flags & 1 else ("w", "6")
    rights = "".join(letter for bit, letter in enumerate("KQkq") if flags >> bit + 1 & 1)
    targets = "".join(letter + behind for bit, letter in enumerate("abcdefgh") if files >> bit & 1)
    return Position.from_dfen(f"{ranks} {side} {rights or '-'} {targets or '-'} {int(row['halfmove'])} 1 -")


def pack_positions(positions: Sequence[Position]) -> npt.NDArray[np.void]:
    """Positions as packed records, with the chance to capture the king and the static evaluation (``value``) filled in; of
    the game, which is not known, every field is 0."""
    rows = np.zeros(len(positions), POSITION_DTYPE)
    for row, position in zip(rows, positions):
        placement, side, rights, targets = position.to_dfen().split(" ")[:4]
        occupied, pieces = 0, np.zeros(32, np.uint8)
        count = 0
        for rank, text in enumerate(reversed(placement.split("/"))):
            file = 0
            for letter in text:
                if letter.isdigit():
                    file += int(letter)
                    continue
                occupied |= 1 << 8 * rank + file
                pieces[count] = _LETTERS.index(letter.upper()) | (8 if letter.islower() else 0)
                count += 1
                file += 1
        row["occupied"] = occupied
        row["pieces"] = pieces[::2] | pieces[1::2] << 4
        row["flags"] = (side == "b") + sum(2 << bit for bit, letter in enumerate("KQkq") if letter in rights)
        row["targets"] = sum(1 << bit for bit, letter in enumerate("abcdefgh") if letter in targets)
        row["halfmove"] = min(position.halfmove, 255)
        row["captures"] = round(216 * position.king_capture())
        row["value"] = position.evaluate()
    return rows
