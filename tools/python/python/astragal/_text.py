"""Reading games, and writing what is for people."""

import os
from collections.abc import Iterable, Sequence
from typing import Union

from ._astragal import Game, Records

PathLike = Union[str, "os.PathLike[str]"]


def read(path: PathLike) -> Records:
    """The games of a file, one after another: of a journal, a text record, or histories of the platform.

    Iterating gives ``Game``; a game that cannot be read raises ``ValueError``, and asking for the next one goes on after it.
    Raises ``OSError`` if the file cannot be read.
    """
    return Records(path)


def write_text(path: PathLike, games: Iterable[Game]) -> int:
    """Writes games as text records, and returns how many. An existing file is replaced."""
    count = 0
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for game in games:
            file.write(game.to_text())
            count += 1
    return count


def _square(number: int) -> str:
    return "abcdefgh"[number & 7] + "12345678"[number >> 3 & 7]


def turn_text(moves: Sequence[int], length: int) -> str:
    """The text of a turn of ``Position.all_outcomes``: the fields ``moves`` and ``length`` of a row.

    >>> turn_text([12 | 28 << 6, 6 | 21 << 6, 0], 2)
    'e2e4,g1f3'
    """
    if not length:
        return "0000"
    texts = []
    for packed in moves[:length]:
        move = int(packed)
        texts.append(_square(move & 63) + _square(move >> 6 & 63) + " nbrq"[move >> 12].strip())
    return ",".join(texts)
