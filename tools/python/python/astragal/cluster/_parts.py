"""The parts of an event on disk, as they arrive: what of them is whole, and how much there is.

Knows nothing of Ray, and nothing of what the parts are of.
"""

import os
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from .._packed import POSITION_DTYPE

RECORD = POSITION_DTYPE.itemsize
"""Bytes of a packed record, and of the header before the first, which does not look like the last of a game."""


class Form(Protocol):
    """What a part is made of: a header perhaps, and games after it."""

    def whole(self, data: bytes) -> int:
        """How many bytes from the beginning on are of whole games (and of the header before them)."""

    def header(self, data: bytes) -> int:
        """How many bytes the header at the beginning of a part has; 0 if there is none."""

    def games(self, data: bytes) -> int:
        """How many games there are in bytes without a header."""


class Lines:
    """Lines of text, a game each."""

    def __init__(self, header: bool = True) -> None:
        self.has_header = header

    def whole(self, data: bytes) -> int:
        """Up to the end of the last line."""
        return data.rfind(b"\n") + 1

    def header(self, data: bytes) -> int:
        """The first line."""
        return data.find(b"\n") + 1 if self.has_header else 0

    def games(self, data: bytes) -> int:
        """The lines."""
        return data.count(b"\n")


class Records:
    """Packed records of positions, as ``train play`` writes them: a header and whole games."""

    def whole(self, data: bytes) -> int:
        """Up to the last record that ends a game."""
        ends = np.flatnonzero(self._ends(data))
        return (int(ends[-1]) + 1) * RECORD if len(ends) else 0

    def header(self, data: bytes) -> int:
        """The first 48 bytes."""
        return min(len(data), RECORD)

    def games(self, data: bytes) -> int:
        """The records that end games."""
        return int(self._ends(data).sum())

    def last_game(self, data: bytes) -> bytes:
        """The last of whole games, without a header before them."""
        ends = np.flatnonzero(self._ends(data))
        return data[(int(ends[-2]) + 1) * RECORD if len(ends) > 1 else 0 :]

    @staticmethod
    def _ends(data: bytes) -> npt.NDArray[np.bool_]:
        kinds: npt.NDArray[np.uint8] = np.frombuffer(data, POSITION_DTYPE, len(data) // RECORD)["kind"]
        ends: npt.NDArray[np.bool_] = kinds % 2 == 1
        return ends


class PartFile:
    """A part as it arrives. What a kill has torn off at its end is cut away when it is opened."""

    def __init__(self, path: Path, form: Form) -> None:
        self.path, self.form = path, form
        self.header = b""
        """What stands before the first game, once it is there."""
        self.games = 0
        """How many games follow it."""
        if path.exists():
            data = path.read_bytes()
            data = data[: form.whole(data)]
            os.truncate(path, len(data))
            self._count(data)
        self._file = open(path, "ab")

    def read(self) -> bytes:
        """All that is there."""
        return self.path.read_bytes()

    def played(self) -> bytes:
        """All games that are there."""
        return self.read()[len(self.header) :]

    def add(self, data: bytes) -> bytes:
        """Appends whole games (and the header before them) at once, and returns them without the header."""
        self._file.write(data)
        self._file.flush()
        return self._count(data)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def _count(self, data: bytes) -> bytes:
        if not self.header:
            length = self.form.header(data)
            self.header, data = data[:length], data[length:]
        self.games += self.form.games(data)
        return data
