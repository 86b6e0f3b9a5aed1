"""The bots in process."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import astragal
from astragal import BOTS, Engine, Position

MIDDLE = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4 PNB"
NEEDS_MODEL = {bot for bot in BOTS if "onnx" in bot}


@pytest.mark.parametrize("bot", BOTS)
def test_every_bot_gives_a_legal_turn(bot: str) -> None:
    position = Position(MIDDLE)
    with warnings.catch_warnings():
        # Bots over a model say that they have none.
        warnings.simplefilter("ignore" if bot in NEEDS_MODEL else "error", RuntimeWarning)
        found = Engine(bot, seed=1, rollouts=8).search(position, depth=1, nodes=2000)
    assert found.turn is not None and position.play(found.turn) is not None
    assert found.equity is None or -1 <= found.equity <= 1


def test_a_bot_of_a_model_reads_it(root: "os.PathLike[str]") -> None:
    if not astragal.HAS_ONNX:
        pytest.skip("built without the model runtime")
    model = os.path.join(root, "tests", "models", "kcp.onnx")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Engine("onnx-eval", eval_file=model).search(Position(MIDDLE), depth=1)
    assert found.turn is not None
    with pytest.warns(RuntimeWarning):
        Engine("onnx-eval", eval_file="no-such-file.onnx").search(Position(MIDDLE), depth=1)


def test_a_search_repeats() -> None:
    answers = []
    for _ in range(2):
        found = Engine("expectimax", multi_pv=3).search(Position(MIDDLE), depth=2)
        answers.append((found.turn, found.equity, found.nodes, [(line.turn, line.equity) for line in found.lines]))
        assert found.depth == 2 and len(found.lines) == 3 and found.lines[0].turn == found.turn
        assert found.lines[0].equity >= found.lines[1].equity >= found.lines[2].equity
        assert found.centipawns is not None and not found.captures and not found.from_book
    assert answers[0] == answers[1]


def test_a_roll_can_be_given() -> None:
    engine, position = Engine(), Position(MIDDLE)
    assert engine.search(position, "QQR", depth=1).turn == engine.search(position.with_roll("RQQ"), depth=1).turn
    passed = engine.search(Position(), "QQQ", depth=1)
    assert passed.turn == "0000"


def test_a_position_without_dice_is_valued() -> None:
    found = Engine().search(Position(), depth=2)
    assert found.turn is None and found.equity is not None and found.lines[0].turn is None


def test_a_king_capture_is_seen() -> None:
    position = Position("3k4/8/2P5/8/8/8/8/K7 w - - 0 1 -")
    found = Engine().search(position, position.winning_rolls()[0], depth=1)
    assert found.captures and found.equity == 1.0


def test_the_book_is_read(root: "os.PathLike[str]") -> None:
    book = os.path.join(root, "tests", "books", "small.tsv")
    # The file has a bad line, on purpose.
    with pytest.warns(RuntimeWarning, match="line 9"):
        found = Engine(own_book=True, book_file=book).search(Position(), "PNB", depth=1)
    assert found.from_book and found.turn in ("g1f3,e2e4,f1c4", "e2e4,f1b5,b1c3")


def test_roll_values_are_those_of_the_static_evaluation_at_depth_1() -> None:
    values = Engine(leaf_eval="full", pre_ranker="full").roll_values(Position(), depth=1)
    assert values.shape == (56,) and values.dtype == np.float64
    assert values == pytest.approx(Position().roll_values(), abs=1e-9)
    with pytest.raises(ValueError):
        Engine("random").roll_values(Position())


def test_what_is_wrong_is_told() -> None:
    with pytest.raises(ValueError):
        Engine("no-such-bot")
    with pytest.raises(ValueError, match="nonsense"):
        Engine(nonsense=1)
    with pytest.raises(ValueError, match="(?i)threads"):
        Engine(threads="many")
    engine = Engine()
    for seconds in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            engine.search(Position(MIDDLE), time=seconds)
    with pytest.raises(ValueError):
        engine.search(Position(), "PNX")


def test_time_is_kept() -> None:
    begun = time.perf_counter()
    found = Engine().search(Position(MIDDLE), time=0.3)
    # Far more than it takes, for a busy machine.
    assert found.turn is not None and 0.1 < time.perf_counter() - begun < 10
    assert Engine().search(Position(MIDDLE), time=0.0).turn is not None


def test_other_threads_run_meanwhile() -> None:
    counted, over = [0], threading.Event()

    def count() -> None:
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    try:
        before = counted[0]
        Engine().search(Position(MIDDLE), time=0.5)
        assert counted[0] - before > 10
    finally:
        over.set()
        counter.join()


def test_a_busy_engine_says_so() -> None:
    engine, errors = Engine(), list[Exception]()

    def ask() -> None:
        try:
            engine.search(Position(MIDDLE), depth=1)
        except RuntimeError as error:
            errors.append(error)

    asker = threading.Timer(0.2, ask)
    asker.start()
    engine.search(Position(MIDDLE), time=1.0)
    asker.join()
    assert len(errors) == 1
    engine.search(Position(MIDDLE), depth=1)


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_a_search(threads: int, ctrl_c: None) -> None:
    engine = Engine(threads=threads)
    presser = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    begun = time.perf_counter()
    presser.start()
    with pytest.raises(KeyboardInterrupt):
        engine.search(Position(MIDDLE), time=120.0)
    presser.join()
    assert time.perf_counter() - begun < 20
    # It is as good as before.
    assert engine.search(Position(MIDDLE), depth=1).turn is not None


def test_budgets() -> None:
    engine, start = Engine(move_overhead=20, time_use="fixed"), Position()
    budget = engine.budget(start, wtime=60_000, btime=1, winc=0)
    assert budget == astragal.budget(60_000, time_use="fixed", overhead=20)
    assert budget.deadline == budget.target - 20 and budget.soft is None
    assert engine.budget(start, movetime=500).deadline == 480
    adaptive = astragal.budget(60_000, 600, time_use="adaptive")
    assert adaptive.soft is not None and adaptive.soft <= adaptive.deadline <= adaptive.hard_cap
    with pytest.raises(ValueError):
        engine.budget(start, btime=60_000)
    with pytest.raises(ValueError):
        astragal.budget(60_000, policy="nonsense")


def test_a_new_game_with_a_seed_repeats() -> None:
    engine = Engine("random")
    played = []
    for seed in (5, 6, 5):
        engine.new_game(seed)
        played.append([engine.search(Position(MIDDLE)).turn for _ in range(8)])
    assert played[0] == played[2] != played[1]
