"""Games and matches in process: the arena's dice and luck."""

from pathlib import Path

import pytest

import astragal
from astragal import Engine, Game, Position, play_game, play_match


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
    timed = play_game(Engine("expectimax"), Engine("random"), opening=opening, time=0.01)
    assert timed.started_ms is not None and any(ply.time_ms for ply in timed.plies)
    for bad in ({"games": 3}, {"games": 0}, {"games": 2, "depth": 1, "nodes": 1}, {"games": 2, "openings": []}):
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
