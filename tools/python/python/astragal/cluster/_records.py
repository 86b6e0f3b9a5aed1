"""Packed records of shards put together, and decisions. Knows nothing of Ray."""

import heapq
import json
import os
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .._packed import POSITION_DTYPE, read_packed, write_packed
from ._task import Refused

STEP = 1 << 16
"""So many numbers of games are put in order at a time."""

WHOLE = np.dtype((np.void, POSITION_DTYPE.itemsize))
"""A record as bytes."""


def merge_records(paths: Sequence[Path], out: Path) -> None:
    """Writes the records of all files, in the order of the games, as the one file that ``train play`` would have written without
    shards. The file is replaced at once. Raises ``Refused`` if they are not shards of the same games."""
    parts = [read_packed(path, mapped=True) for path in paths]
    if not parts:
        raise Refused("no game has a result, so that there is nothing to write")
    seed, of = parts[0].seed, parts[0].share[1]
    if any(part.seed != seed or part.share[1] != of for part in parts):
        raise Refused("the files are not shards of the same games")
    beside = out.with_name(out.name + ".new")
    last = max(int(part.rows["game"][-1]) for part in parts)
    write_packed(beside, parts[0].rows[:0], seed=seed)
    with open(beside, "ab") as file:
        for first in range(0, last + 1, STEP):
            # In every file the games are in order.
            slices = [
                part.rows[slice(*(bisect_left(part.rows["game"], at) for at in (first, first + STEP)))]
                for part in parts
            ]
            order = np.argsort(np.concatenate([rows["game"] for rows in slices]), kind="stable")
            # Whole records are copied, what is between their fields, too.
            file.write(np.concatenate([rows.view(WHOLE) for rows in slices])[order].tobytes())
    os.replace(beside, out)


def merge_decisions(paths: Sequence[Path], out: Path) -> None:
    """Writes the decisions of all files by their numbers, as the one file that ``train decisions`` would have written without
    shards. The file is replaced at once. Raises ``Refused`` if they are not shards of the same decisions."""
    parts = [path.read_bytes().splitlines(keepends=True) for path in paths]
    if not parts:
        raise Refused("there are no decisions")
    header = parts[0][0]
    if any(part[0] != header for part in parts):
        raise Refused("the files are not shards of the same decisions")
    # In every file they are in order.
    lines = heapq.merge(*(part[1:] for part in parts), key=lambda line: int(json.loads(line)["number"]))
    beside = out.with_name(out.name + ".new")
    beside.write_bytes(header + b"".join(lines))
    os.replace(beside, out)
