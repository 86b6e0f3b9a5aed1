"""Games and matches in process: the arena's dice and luck."""

import subprocess
import time
from pathlib import Path
from typing import Optional

import pytest

import astragal
from astragal import Clock, Engine, Game, Position, Referee, play_game, play_match


class First:
    """Plays the first turn of the list."""

    name = "first"

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def new_game(self, seed: int) -> None:
        self.seeds.append(seed)

    def choose(self, position: Position) -> str:
        return position.turns()[0]


def test_a_match_is_that_of_the_arena(root: Path) -> None:
    """The journal was written by the arena, in a version whose luck had its sums in another order."""
    expected = list(astragal.read(root / "tests" / "records" / "format1.jsonl"))
    match = play_match(Engine("greedy-v2"), Engine("greedy"), games=2, seed=7)
    assert len(match.games) == len(expected) == 2
    for game, other in zip(match.games, expected):
        mine, arenas = game.to_dict(), other.to_dict()
        for ply, arena_ply in zip(mine["plies"], arenas["plies"]):
            assert ply.pop("luck") == pytest.approx(arena_ply.pop("luck"), abs=1e-9)
        assert mine == arenas


def test_a_bot_of_python_plays() -> None:
    bot = First()
    match = play_match(Engine("random"), bot, games=4, seed=3)
    assert match.names == ("random", "first") and len(match.points()) == 4
    assert bot.seeds == [astragal.bot_seed(3, pair, 1) for pair in (0, 0, 1, 1)]
    for game in match.games:
        game.check_dice()
        assert game.dice == {"source": "seed", "seed": 3, "pair": game.pair} and game.luck_by == "linear-v1"
        positions = game.positions()
        assert len(positions) == len(game.plies)
        for place, (ply, position) in enumerate(zip(game.plies, positions)):
            assert ply.roll == astragal.seeded_roll(3, game.pair, place)
            luck = position.luck() if position.side == "white" else -position.luck()
            assert ply.luck == luck and ply.time_ms is None
            mover = game.white if position.side == "white" else game.black
            assert ply.passed == position.must_pass()
            if mover == "first" and not ply.passed:
                assert ply.turn == position.turns()[0]
    assert "random - first: " in str(match)


def test_a_match_repeats_and_goes_on_after_a_break(tmp_path: Path) -> None:
    def play(name: str, games: int, resume: bool = False) -> int:
        path = tmp_path / name
        return len(play_match(Engine("random"), First(), games=games, seed=9, journal=path, resume=resume).games)

    assert play("whole.jsonl", 6) == 6
    whole = (tmp_path / "whole.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    # Killed in the middle of the fourth game's line.
    (tmp_path / "part.jsonl").write_bytes(b"".join(lines[:4]) + lines[4][:100])
    assert play("part.jsonl", 6, resume=True) == 3
    assert (tmp_path / "part.jsonl").read_bytes() == whole
    with pytest.raises(FileExistsError):
        play("whole.jsonl", 6)
    with pytest.raises(ValueError):
        play("whole.jsonl", 8, resume=True)


def test_an_illegal_turn_loses_and_an_exception_goes_through() -> None:
    game = play_game(Engine("random"), lambda position: "a1a8", seed=1)
    assert (game.end, game.result, game.ended_by) == ("illegal-turn", 1.0, "black")
    game = play_game(lambda position: "no turn", Engine("random"), seed=1)
    assert (game.end, game.result, game.ended_by) == ("illegal-turn", 0.0, "white")
    assert game.plies[-1].turn is None and "no turn" in game.end_detail

    def fails(position: Position) -> str:
        raise ZeroDivisionError("a bug of the bot")

    with pytest.raises(ZeroDivisionError):
        play_game(Engine("random"), fails)


def test_limits_and_openings() -> None:
    opening = "4k3/8/8/8/8/8/4P3/4K2R w K - 0 1 -"
    match = play_match(
        Engine("expectimax"), Engine("random", seed=4), games=4, depth=1, openings=[astragal.STARTPOS, opening]
    )
    assert [game.opening for game in match.games] == [astragal.STARTPOS] * 2 + [opening] * 2
    assert all(game.controls == ("depth=1", "depth=1") for game in match.games)
    timed = play_game(Engine("expectimax"), Engine("random"), opening=opening, time=0.05, margin=10_000)
    assert timed.started_ms is not None and any(ply.time_ms for ply in timed.plies)
    assert timed.controls == ("st=0.05",) * 2 and timed.end != "time"
    for bad in (
        {"games": 3},
        {"games": 0},
        {"games": 2, "depth": 1, "nodes": 1},
        {"games": 2, "depth": 1, "tc": "1+1"},
        {"games": 2, "tc": "soon"},
        {"games": 2, "openings": []},
    ):
        with pytest.raises(ValueError):
            play_match(Engine("random"), Engine("random"), **bad)
    with pytest.raises(ValueError):
        play_game(Engine("random"), Engine("random"), opening=astragal.STARTPOS[:-1] + "PNB")


def test_the_luck_is_taken_out_by_the_line_through_the_pairs() -> None:
    played: list[Game] = []
    match = play_match(Engine("greedy-v2"), Engine("random"), games=10, seed=2, progress=played.append)
    assert [game.number for game in played] == list(range(10))
    score, error = match.score()
    assert score == sum(match.points()) / 10 and 0 <= error < 0.5
    adjusted, _ = match.adjusted_score()
    # By numpy's line of least squares.
    np = pytest.importorskip("numpy")
    lucks, scores = (np.array(values).reshape(5, 2).mean(axis=1) for values in (match.lucks(), match.points()))
    if lucks.std() > 0:
        assert adjusted == pytest.approx(np.polyfit(lucks, scores, 1)[1], abs=1e-9)
    assert play_match(Engine("random"), First(), games=2, luck=False).games[0].luck is None


def test_a_clock_changes_no_dice_and_no_pairs() -> None:
    """Bots that no clock makes think longer play the same games by the clock, times apart."""
    untimed = play_match(Engine("greedy-v2"), First(), games=4, seed=5)
    timed = play_match(Engine("greedy-v2"), First(), games=4, seed=5, tc="60+0.5", margin=60_000)
    own = ("time_ms", "engine_time_ms", "clock_left_ms")
    for game, other in zip(untimed.games, timed.games):
        assert other.controls == ("60+0.5",) * 2 and game.controls == ("untimed",) * 2
        one, two = game.to_dict(), other.to_dict()
        assert two.pop("started_ms") > 0 and one.pop("started_ms") is None
        assert [seat.pop("control") for seat in two["seats"]] and [seat.pop("control") for seat in one["seats"]]
        clocks = {"white": 60_000, "black": 60_000}
        for ply, position in zip(two["plies"], other.positions()):
            left = ply["clock_left_ms"]
            if ply.get("passed"):
                assert left == clocks[position.side] and ply["time_ms"] is None
            else:
                # The increment is credited, and what was taken is taken off; whole milliseconds are told, rounded down.
                assert -1.01 <= left - (clocks[position.side] - ply["time_ms"] + 500) <= 1.01
            clocks[position.side] = left
        for ply in one["plies"] + two["plies"]:
            for name in own:
                ply.pop(name)
        assert one == two


class Slow:
    """Takes so many seconds over every turn, and notes what it is told."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.told: list[Optional[Clock]] = []

    def choose(self, position: Position, clock: Optional[Clock]) -> str:
        self.told.append(clock)
        time.sleep(self.seconds)
        return position.turns()[0]


def test_a_slow_bot_loses_on_time() -> None:
    bot = Slow(0.12)
    game = play_game(Engine("greedy"), bot, seed=3, tc="0.3+0.01d0.02", luck=False)
    assert (game.end, game.ended_by, game.result) == ("time", "black", 1.0)
    # 300 - 100 + 10, 210 - 100 + 10, 120 - 100 + 10, and then 100 of 30; more if the machine is busy.
    assert 1 <= len(bot.told) <= 4 and bot.told[0] is not None
    first = bot.told[0]
    assert (
        first.left[1] == 300 and first.increment == (10, 10) and first.delay == (20, 20) and first.turns_to_go is None
    )
    asked = [ply for ply, position in zip(game.plies, game.positions()) if position.side == "black" and not ply.passed]
    assert len(asked) == len(bot.told) and all((ply.time_ms or 0) >= 120 for ply in asked)
    left = asked[-1].clock_left_ms
    assert asked[-1].turn is None and left is not None and left < 0
    assert game.end_detail == f"{-left} ms too late"
    for ply, told in zip(asked[:-1], bot.told[1:]):
        assert told is not None and told.left[1] == ply.clock_left_ms

    assert play_game(bot, Engine("greedy"), seed=3, time=0.05, luck=False).end == "time"
    assert play_game(bot, Engine("greedy"), seed=3, time=0.05, margin=60_000, luck=False).end != "time"
    bot.told.clear()
    play_game(bot, Engine("greedy"), opening="4k3/8/8/8/8/8/8/4K2R w K - 99 60 -", depth=1)
    assert set(bot.told) <= {None}


def test_engines_share_their_clocks_out() -> None:
    """An engine plays a whole game within its clock, and by no more than its own time manager gives."""
    # A clock that the search would use up many times, if it did not look at it.
    engine = Engine("expectimax", hash=16, move_overhead=20)
    game = play_game(engine, Engine("random"), seed=2, tc="2+0.05", luck=False)
    assert game.end in ("king-capture", "halfmove-clock"), game.end_detail
    left = 2000
    for ply, position in zip(game.plies, game.positions()):
        if position.side == "white" and not ply.passed:
            budget = engine.budget(position, wtime=left, btime=2000, winc=50, binc=50)
            # The search polls between two dice rolls; a busy machine wakes it late.
            assert ply.time_ms is not None and ply.time_ms <= budget.deadline + 400
            assert ply.clock_left_ms is not None and ply.depth is not None
            left = ply.clock_left_ms


def test_the_overhead_of_a_turn_is_small() -> None:
    """What the match adds to a turn on the clock: some microseconds, not milliseconds."""

    class Timer:
        def __init__(self) -> None:
            self.own: list[float] = []

        def choose(self, position: Position, clock: Optional[Clock]) -> str:
            begun = time.perf_counter()
            turn = position.turns()[0]
            self.own.append((time.perf_counter() - begun) * 1000)
            return turn

    bot = Timer()
    game = play_game(bot, bot, seed=4, tc="60+1", luck=False)
    asked = [ply.time_ms for ply in game.plies if not ply.passed]
    over = sorted(taken - own for taken, own in zip(asked, bot.own) if taken is not None)
    assert len(asked) == len(bot.own) and over[len(over) // 2] < 1.0


def test_a_journal_by_the_clock_is_read_by_the_arena(tmp_path: Path, arena: Path) -> None:
    path = tmp_path / "clock.jsonl"
    play_match(Engine("greedy"), Slow(0.0), games=4, seed=6, tc="10+0.1", margin=5000, journal=path)
    header = astragal.Records(path).header
    assert (
        header["timed"] and header["control"] == "10+0.1" and header["margin_ms"] == 5000 and header["concurrency"] == 1
    )
    for words in (["replay", str(path), "--game", "3"], ["stats", str(path)]):
        done = subprocess.run([arena, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_referee_by_hand() -> None:
    """Two who resign, and what the referee refuses."""
    referee = Referee(control="1+0", seed=1, names=("a", "b"))
    with pytest.raises(ValueError):
        referee.answer("e2e4")
    with pytest.raises(ValueError):
        referee.game()
    position = referee.throw()
    assert position is not None and position.dice and referee.throw() == position
    assert referee.clock == Referee(control="1+0").clock and "1000" in repr(referee.clock)
    assert not referee.answer(position.turns()[0], 400_000, score=("cp", 31), depth=2, nodes=9, engine_time_ms=399)
    with pytest.raises(ValueError):
        referee.answer(position.turns()[0])
    assert referee.throw() is not None
    with pytest.raises(ValueError):
        referee.answer("0000", score=("points", 1))
    assert referee.answer("resign", 1_000_000)
    assert referee.throw() is None
    game = referee.game()
    assert (game.end, game.ended_by) == ("resignation", "black" if position.side == "white" else "white")
    assert [ply.score for ply in game.plies if ply.turn] == [("cp", 31)] and game.plies[0].clock_left_ms == 600
    with pytest.raises(ValueError, match="time control"):
        Referee(control="x")
    for opening in ("x", position.to_dfen()):
        with pytest.raises(ValueError):
            Referee(opening)
