"""Journals of games: of all parts together the pairs that are there without a gap, and their end at a sequential test.

Knows nothing of Ray.
"""

import json
import os
from pathlib import Path
from typing import Any, Optional


def header_line(line: bytes, **changes: Any) -> bytes:
    """A header of a journal with some of its fields changed."""
    header = json.loads(line)
    header.update(changes)
    return json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def pair_of(line: bytes) -> int:
    """The number of the pair of a game."""
    return int(json.loads(line)["pair"])


class Prefix:
    """The journal of the games from the first on, up to the first pair that is not complete.

    Short games end sooner, so that the games that happen to be there are no fair sample; those of the prefix are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games = 0
        self._waiting: dict[int, bytes] = {}
        self._in_a_pair = 0
        path.unlink(missing_ok=True)

    def add(self, header: bytes, games: bytes) -> bool:
        """Takes games of a shard, whose header is given; says whether the prefix has grown."""
        for line in games.splitlines(keepends=True):
            self._waiting[int(json.loads(line)["number"])] = line
        if not self._in_a_pair:
            self._in_a_pair = 2 if json.loads(header)["mirrored"] else 1
            self.path.write_bytes(header_line(header, shard=None))
        ready: list[bytes] = []
        while all(number in self._waiting for number in self._next_pair(len(ready))):
            ready += [self._waiting.pop(number) for number in self._next_pair(len(ready))]
        if ready:
            with open(self.path, "ab") as file:
                file.write(b"".join(ready))
            self.games += len(ready)
        return bool(ready)

    def _next_pair(self, ready: int) -> range:
        first = self.games + ready
        return range(first, first + self._in_a_pair)


def cut(journal: Path, last_pair: int, sprt: Optional[str]) -> None:
    """Leaves out of a merged journal what comes after the pair at which its sequential test was decided, and writes down the
    test: what a match on one machine would have left. The file is replaced at once."""
    lines = journal.read_bytes().splitlines(keepends=True)
    kept = [header_line(lines[0], sprt=sprt), *(line for line in lines[1:] if pair_of(line) <= last_pair)]
    beside = journal.with_name(journal.name + ".new")
    beside.write_bytes(b"".join(kept))
    os.replace(beside, journal)
