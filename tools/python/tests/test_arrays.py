"""All outcomes of all rolls as one array."""

import numpy as np
import numpy.typing as npt
import pytest

import astragal
from astragal import OUTCOME_DTYPE, ROLLS, Position

POSITIONS = [
    astragal.STARTPOS,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 7 9 -",
    "8/P1k5/8/3pP3/8/8/2p5/4K2R w K d6 99 70 -",
    "7k/8/8/8/8/8/8/K7 b - - 3 40 -",
]


def board(row: "np.void") -> str:
    """The placement of a row as in a DFEN."""
    ranks = []
    for rank in range(7, -1, -1):
        text = ""
        for file in range(8):
            bit = 1 << 8 * rank + file
            kind = [letter for letter, kinds in zip("PNBRQK", row["kinds"]) if int(kinds) & bit]
            white, black = (bool(int(colors) & bit) for colors in row["colors"])
            assert len(kind) == white + black <= 1
            text += (kind[0] if white else kind[0].lower()) if kind else "1"
        ranks.append(text)
    placement = "/".join(ranks)
    for length in range(8, 1, -1):
        placement = placement.replace("1" * length, str(length))
    return placement


def check(position: Position, rows: npt.NDArray[np.void]) -> None:
    """Holds the rows against the outcomes roll by roll."""
    place = 0
    for number, roll in enumerate(ROLLS):
        of_roll = rows[rows["roll"] == number]
        assert (rows["roll"][place : place + len(of_roll)] == number).all(), "ordered by roll"
        place += len(of_roll)
        after = {}
        for row in of_roll:
            turn = astragal.turn_text(row["moves"], row["length"])
            there = position.play(turn, roll)
            assert there is not None and there.key == row["key"]
            assert board(row) == there.to_dfen().split(" ")[0]
            rights = there.to_dfen().split(" ")[2]
            assert int(row["castling"]) == sum(1 << bit for bit, letter in enumerate("KQkq") if letter in rights)
            targets = there.to_dfen().split(" ")[3]
            count = 0 if targets == "-" else len(targets) // 2
            assert bin(int(row["targets"])).count("1") == count
            assert row["halfmove"] == there.halfmove
            after[int(row["key"])] = there
        found = position.outcomes(roll)
        if len(found) or found.king_capture:
            assert set(after) == {outcome.position.key for outcome in found}
        else:
            assert [int(length) for length in of_roll["length"]] == [0]
    assert place == len(rows)


@pytest.mark.parametrize("dfen", POSITIONS)
def test_the_rows_are_the_outcomes(dfen: str) -> None:
    position = Position(dfen)
    rows = position.all_outcomes()
    assert rows.dtype == OUTCOME_DTYPE and rows.ndim == 1 and OUTCOME_DTYPE.itemsize == 96
    check(position, rows)


def test_a_buffer_is_used_again() -> None:
    out = np.empty(30_000, OUTCOME_DTYPE)
    for dfen in POSITIONS:
        rows = Position(dfen).all_outcomes(out=out)
        assert np.shares_memory(rows, out)
        assert (rows == Position(dfen).all_outcomes()).all()


def test_bad_buffers_are_told() -> None:
    position = Position()
    needed = len(position.all_outcomes())
    with pytest.raises(ValueError, match=str(needed)):
        position.all_outcomes(out=np.empty(10, OUTCOME_DTYPE))
    readonly = np.empty(needed, OUTCOME_DTYPE)
    readonly.setflags(write=False)
    for bad in (
        np.empty(96 * needed, np.uint8),
        np.empty((2, needed), OUTCOME_DTYPE),
        np.empty(2 * needed, OUTCOME_DTYPE)[::2],
        readonly,
    ):
        with pytest.raises(ValueError):
            position.all_outcomes(out=bad)  # type: ignore[arg-type]
    assert len(position.all_outcomes(out=np.empty(needed, OUTCOME_DTYPE))) == needed
