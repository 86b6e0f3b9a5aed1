"""Reviews of games."""

import os
import signal
import threading
from pathlib import Path

import pytest

import astragal
from astragal import Engine, play_game


def test_a_review_adds_up(root: Path) -> None:
    for game in astragal.read(root / "tests" / "records" / "format1.jsonl"):
        review = astragal.review(game, depth=1)
        assert review.names == (game.white, game.black) and review.end == game.end
        assert len(review.turns) == len(game.plies)
        assert review.result == 2 * game.result - 1 == pytest.approx(review.account.sum, abs=1e-9)
        for turn, ply, position in zip(review.turns, game.plies, game.positions()):
            assert turn.position == position and turn.turn == ply.turn
            assert turn.loss is not None and turn.loss >= 0
            assert turn.value is not None and turn.best_value is not None and turn.value <= turn.best_value + 1e-12
            # By the same evaluation, one turn deep, as the luck of the arena.
            assert turn.luck == pytest.approx(position.luck(), abs=1e-9)
        for side in ("white", "black"):
            summary = review.summary(side)
            own = [turn for turn in review.turns if turn.side == side]
            assert summary.turns == len(own) and summary.luck == pytest.approx(sum(turn.luck for turn in own))
            marks = [turn.mark for turn in own if turn.mark]
            assert sum(summary.marks.values()) == len(marks)
        with pytest.raises(ValueError):
            review.summary("green")  # type: ignore[arg-type]
        assert game.white in review.to_text()


def test_threads_change_nothing() -> None:
    game = play_game(Engine("random"), Engine("greedy"), seed=5)
    one, two = (astragal.review(game, depth=1, threads=threads, rollouts=4, seed=1) for threads in (1, 2))
    assert one.to_text() == two.to_text()
    for bad in ({"depth": 0}, {"threads": 0}):
        with pytest.raises(ValueError):
            astragal.review(game, **bad)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_review(ctrl_c: None) -> None:
    game = play_game(Engine("greedy"), Engine("greedy"), seed=5)
    presser = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        astragal.review(game, depth=5)
    presser.join()
