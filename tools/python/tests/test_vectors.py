"""Every file of ``tests/vectors``, which an independent program has made, through the Python package."""

import hashlib

import numpy as np
import pytest
from conftest import ROOT, vectors

import astragal
from astragal import ROLLS, WEIGHTS, Position


def test_every_file_has_a_test_here() -> None:
    names = {path.stem for path in (ROOT / "tests" / "vectors").glob("*.json")}
    assert names == {"turns", "apply", "kcp", "chance", "good_dfen", "bad_dfen", "time"}


def test_turns() -> None:
    for case in vectors("turns"):
        position = Position.from_dfen(case["dfen"])
        turns, found = position.turns(), position.outcomes()
        assert len(turns) == case["turns"], case
        assert hashlib.sha256("\n".join(sorted(turns)).encode()).hexdigest() == case["sha256"], case
        assert sorted({turn.split(",")[0] for turn in turns}) == case["first"], case
        # A pass leads to a position, and is no turn.
        assert len(found) == (case["distinct"] if case["turns"] else 1), case
        assert found.capturing_turns == case["king_captures"], case
        assert found.legal_turns == case["turns"], case
        assert sorted(turns) == case.get("list", sorted(turns)), case
        assert set(case.get("must_include", [])) <= set(turns), case
        assert position.must_pass() == (case["turns"] == 0), case


def test_apply() -> None:
    for case in vectors("apply"):
        after = Position.from_dfen(case["dfen"]).play(case["turn"])
        assert after is not None and after.to_dfen() == case["result"], case


def test_king_capture() -> None:
    for case in vectors("kcp"):
        position = Position.from_dfen(case["dfen"])
        assert position.king_capture() == pytest.approx(case["weight"] / 216, abs=1e-12), case
        weight = sum(int(WEIGHTS[astragal.roll_index(roll)]) for roll in position.winning_rolls())
        assert weight == case["weight"], case


def test_chance_nodes_roll_by_roll_and_all_at_once() -> None:
    for case in vectors("chance"):
        position = Position.from_dfen(case["dfen"])
        rows = position.all_outcomes()
        counts = np.bincount(rows["roll"], minlength=len(ROLLS))
        assert list(case["rolls"]) == list(ROLLS)
        for roll, count, (turns, distinct) in zip(ROLLS, counts, case["rolls"].values()):
            found = position.outcomes(roll)
            # A pass leads to a position, and is no turn.
            positions = distinct if turns else 1
            assert (found.legal_turns, len(found), count) == (turns, positions, positions), (case["dfen"], roll)


def test_good_dfens() -> None:
    for case in vectors("good_dfen"):
        position = Position.from_dfen(case["dfen"])
        assert position.to_dfen() == case["canonical"], case
        assert Position(case["canonical"]) == position and hash(Position(case["canonical"])) == hash(position), case


def test_bad_dfens() -> None:
    for case in vectors("bad_dfen"):
        with pytest.raises(ValueError) as caught:
            Position.from_dfen(case["dfen"])
        assert str(caught.value).startswith(case["field"] + ": "), (case, str(caught.value))


def test_time() -> None:
    for case in vectors("time"):
        for overhead in (50, 150):
            budget = astragal.budget(
                case["remaining"],
                case["increment"],
                case["delay"],
                move_number=case["move_number"],
                moves_to_go=case["moves_to_go"],
                turns_out_of_book=case["out_of_book"],
                policy=case["policy"],
                time_use="fixed",
                overhead=overhead,
            )
            assert (budget.target, budget.hard_cap) == (case["target"], case["hard_cap"]), case
            if case["remaining"] >= 2 * overhead:
                assert budget.deadline == case[f"budget_{overhead}"], case
            else:
                # The bottom of the clock, of which the vectors know nothing.
                assert budget.deadline <= case[f"budget_{overhead}"], case
