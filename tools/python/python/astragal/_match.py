"""Games and matches in process, by the arena's rules: its dice, its pairs of games, its luck.

The roll of a ply is ``seeded_roll(seed, pair, ply)``, so both games of a pair have the same dice; the luck of every roll is
measured after the game by the library's evaluation, which knows nothing of the players.
"""

import json
import math
import os
import time as clock
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol, Union

from ._astragal import (
    STARTPOS,
    Engine,
    Game,
    JournalWriter,
    Position,
    __version__,
    bot_seed,
    default_header,
    seeded_roll,
)

LUCK_BY = "linear-v1"
"""The evaluator that luck is measured by."""

MOST_PLIES = 20_000
"""The most rolls of a game: only positions in which nothing can move get near."""


class Player(Protocol):
    """A bot written in Python: anything with this method. It may have a ``name``, and a method ``new_game(seed: int)``."""

    def choose(self, position: Position, /) -> str:
        """The turn to play in a position with its dice; there is at least one micro-move."""


PlayerLike = Union[Engine, Player, Callable[[Position], str]]


@dataclass(frozen=True)
class _Limits:
    depth: Optional[int]
    time: Optional[float]
    nodes: Optional[int]

    def control(self) -> str:
        given = [value for value in (self.depth, self.time, self.nodes) if value is not None]
        if len(given) > 1:
            raise ValueError("give one of depth, time and nodes")
        if self.depth is not None:
            return f"depth={self.depth}"
        if self.time is not None:
            return f"st={self.time:g}"
        return "untimed" if self.nodes is None else f"nodes={self.nodes}"


@dataclass(frozen=True)
class _Answer:
    turn: str
    score: Optional[dict[str, int]] = None
    depth: Optional[int] = None
    nodes: Optional[int] = None
    engine_time: Optional[float] = None


def _name(player: PlayerLike) -> str:
    name = getattr(player, "name", None) or getattr(player, "__name__", None)
    return str(name or type(player).__name__)


def _ask(player: PlayerLike, position: Position, limits: _Limits) -> _Answer:
    if isinstance(player, Engine):
        found = player.search(position, depth=limits.depth, time=limits.time, nodes=limits.nodes)
        score = None
        if found.captures:
            score = {"mate": 1}
        elif found.centipawns is not None:
            score = {"cp": found.centipawns}
        return _Answer(found.turn or "0000", score, found.depth, found.nodes if score else None, found.time)
    choose: Any = getattr(player, "choose", player)
    return _Answer(str(choose(position)))


def _new_game(player: PlayerLike, seed: int) -> None:
    if isinstance(player, Engine):
        # As in the arena: a bot whose seed is not given has the same one in both games of a pair.
        player.new_game(None if player.has_seed else seed)
    else:
        new_game = getattr(player, "new_game", None)
        if new_game is not None:
            new_game(seed)


def _play(
    players: tuple[PlayerLike, PlayerLike],
    seats: tuple[int, int],
    names: tuple[str, str],
    limits: _Limits,
    seed: int,
    number: int,
    pair: int,
    half: int,
    opening: str,
    luck: bool,
) -> Game:
    control = limits.control()
    timed = limits.time is not None
    started = int(clock.time() * 1000) if timed else None
    for player, seat in zip(players, seats):
        _new_game(player, bot_seed(seed, pair, seat))
    position = Position.from_dfen(opening)
    if position.dice is not None:
        raise ValueError("an opening has no dice")
    plies: list[dict[str, Any]] = []
    before: list[Position] = []
    result = 0.5
    end: dict[str, Any] = {"kind": "adjudicated", "player": None, "detail": f"no end after {MOST_PLIES} rolls"}
    while True:
        roll = seeded_roll(seed, pair, len(plies))
        before.append(position)
        ply: dict[str, Any] = {"roll": roll, "turn": None}
        ply.update(dict.fromkeys(("score", "depth", "nodes", "time_ms", "engine_time_ms", "clock_left_ms", "luck")))
        plies.append(ply)
        rolled = position.with_roll(roll)
        last = rolled
        if len(plies) > MOST_PLIES:
            break
        if rolled.must_pass():
            ply.update(turn="0000", passed=True)
            passed = rolled.play("0000")
            assert passed is not None
            position = passed
            continue
        mover = 0 if position.side == "white" else 1
        begun = clock.perf_counter()
        answer = _ask(players[mover], rolled, limits)
        ply.update(score=answer.score, depth=answer.depth, nodes=answer.nodes)
        if timed:
            ply["time_ms"] = round((clock.perf_counter() - begun) * 1000, 3)
            ply["engine_time_ms"] = None if answer.engine_time is None else int(answer.engine_time * 1000)
        try:
            after = rolled.play(answer.turn)
        except ValueError as error:
            detail = f"{answer.turn} at {rolled}: {error}"
            result, end = float(mover), {"kind": "illegal-turn", "player": seats[mover], "detail": detail}
            break
        ply["turn"] = answer.turn
        if after is None:
            result, end = 1.0 - mover, {"kind": "king-capture", "player": seats[mover]}
            break
        last = after
        if after.is_drawn:
            result, end = 0.5, {"kind": "halfmove-clock", "player": None}
            break
        position = after
    if luck:
        for ply, there in zip(plies, before):
            value = there.luck(ply["roll"])
            ply["luck"] = value if there.side == "white" else -value
    return Game.from_json(
        json.dumps(
            {
                "type": "game",
                "number": number,
                "pair": pair,
                "half": half,
                "white": seats[0],
                "black": seats[1],
                "seats": [{"name": name, "control": control} for name in names],
                "started_ms": started,
                "dice": {"source": "seed", "seed": seed, "pair": pair},
                "luck_by": LUCK_BY if luck else None,
                "opening": Position.from_dfen(opening).to_dfen(),
                "plies": plies,
                "result": result,
                "end": end,
                "final_dfen": last.to_dfen(),
            }
        )
    )


def play_game(
    white: PlayerLike,
    black: PlayerLike,
    *,
    seed: int = 0,
    pair: int = 0,
    opening: str = STARTPOS,
    depth: Optional[int] = None,
    time: Optional[float] = None,
    nodes: Optional[int] = None,
    luck: bool = True,
) -> Game:
    """Plays a game and returns it.

    A player is an ``Engine``, an object with a method ``choose(position) -> turn``, or such a function. ``depth`` (whole turns),
    ``time`` (seconds a turn) or ``nodes`` bound the engines. ``opening`` is a DFEN without dice. With ``luck`` the luck of every
    roll is measured after the game.

    A player that answers with an illegal turn loses. An exception of a player goes through to the caller.
    """
    limits = _Limits(depth, time, nodes)
    names = (_name(white), _name(black))
    return _play((white, black), (0, 1), names, limits, seed, 2 * pair, pair, 0, opening, luck)


def _by_pair(games: Sequence[Game], values: Sequence[float]) -> list[float]:
    """The mean of the values of each pair of games."""
    pairs: dict[int, list[float]] = {}
    for game, value in zip(games, values):
        pairs.setdefault(game.pair, []).append(value)
    return [sum(pair) / len(pair) for pair in pairs.values()]


def _mean(units: Sequence[float]) -> tuple[float, float]:
    if not units:
        raise ValueError("there are no games")
    mean = sum(units) / len(units)
    if len(units) < 2:
        return mean, math.inf
    variance = sum((unit - mean) ** 2 for unit in units) / (len(units) - 1)
    return mean, math.sqrt(variance / len(units))


def _intercept(lucks: Sequence[float], scores: Sequence[float]) -> tuple[float, float]:
    """What the scores would be at no luck, by the line of least squares, and the standard error of that."""
    score, error = _mean(scores)
    luck, _ = _mean(lucks)
    count, deviations = len(lucks), [one - luck for one in lucks]
    squares = sum(one**2 for one in deviations)
    if squares <= 0:
        return score, error
    slope = sum(one * (other - score) for one, other in zip(deviations, scores)) / squares
    mean = score - slope * luck
    if count < 3:
        return mean, math.inf
    squared = 0.0
    for one, other in zip(deviations, scores):
        others = 1 - 1 / count - one**2 / squares
        # The line passes through a pair without which it had no slope: there is nothing to tell its error by.
        if others > 1e-9:
            weight = 1 / count - luck * one / squares
            squared += (weight * (other - score - slope * one) / others) ** 2
    effective = squares**2 / sum(one**4 for one in deviations)
    return mean, math.sqrt(squared * (1 + 1 / effective))


@dataclass
class Match:
    """What a match came to, from the view of the first player."""

    names: tuple[str, str]
    """The players."""
    games: list[Game] = field(default_factory=list)
    """The games, in order. Games that a resumed journal held are not among them."""

    def points(self) -> list[float]:
        """The first player's points a game: 1, 0.5 or 0."""
        return [game.result if game.places[0] == 0 else 1 - game.result for game in self.games]

    def lucks(self) -> list[float]:
        """The first player's luck a game, in equity. Raises ``ValueError`` if luck was not measured."""
        lucks = []
        for game in self.games:
            if game.luck is None:
                raise ValueError("luck was not measured")
            lucks.append(game.luck if game.places[0] == 0 else -game.luck)
        return lucks

    def score(self) -> tuple[float, float]:
        """The mean of the first player's points a game, 0 to 1, and its standard error by pairs of games; that is infinite
        with fewer than two pairs. Raises ``ValueError`` without games."""
        return _mean(_by_pair(self.games, self.points()))

    def adjusted_score(self) -> tuple[float, float]:
        """The same with the luck of the dice taken out, and its standard error; the error is infinite with fewer than three
        pairs.

        It is the intercept of the line of score on luck through the pairs: the mean that ``arena stats`` tells, too. With few
        pairs trust the error of that rather than this one (HC3, enlarged for the pairs that the line rests on). Raises
        ``ValueError`` without games, or if luck was not measured.
        """
        return _intercept(_by_pair(self.games, self.lucks()), _by_pair(self.games, self.points()))

    def __str__(self) -> str:
        one, two = self.names
        if not self.games:
            return f"{one} - {two}: no games"
        mean, error = self.score()
        text = f"{one} - {two}: {sum(self.points()):g} of {len(self.games)} ({mean:.3f} ± {error:.3f}"
        if all(game.luck is not None for game in self.games):
            mean, error = self.adjusted_score()
            text += f"; without luck {mean:.3f} ± {error:.3f}"
        return text + ")"


def play_match(
    one: PlayerLike,
    two: PlayerLike,
    *,
    games: int,
    seed: int = 0,
    openings: Sequence[str] = (STARTPOS,),
    names: Optional[tuple[str, str]] = None,
    depth: Optional[int] = None,
    time: Optional[float] = None,
    nodes: Optional[int] = None,
    luck: bool = True,
    journal: Optional[Union[str, "os.PathLike[str]"]] = None,
    resume: bool = False,
    progress: Optional[Callable[[Game], None]] = None,
) -> Match:
    """Plays a match: pairs of games with the same dice and opening and the colours swapped.

    ``games`` is even; ``openings`` are DFENs without dice, played in turn. With ``journal`` every game is written to that file
    as it ends, as the arena does (``arena stats`` reads it); with ``resume`` a journal of the same match is continued, and
    only what is missing is played. ``progress`` is called with each game. See ``play_game`` for the rest.
    """
    if games < 1 or games % 2:
        raise ValueError("games must be even and at least 2")
    if not openings:
        raise ValueError("there must be an opening")
    limits = _Limits(depth, time, nodes)
    players = (one, two)
    called = names or (_name(one), _name(two))
    header = _header(players, called, games, seed, openings, limits, luck)
    writer = None if journal is None else JournalWriter(journal, header, resume=resume)
    match = Match(called)
    try:
        there = set() if writer is None else set(writer.numbers)
        for number in range(games):
            if number in there:
                continue
            pair, half = divmod(number, 2)
            seats = (half, 1 - half)
            game = _play(
                (players[seats[0]], players[seats[1]]),
                seats,
                (called[seats[0]], called[seats[1]]),
                limits,
                seed,
                number,
                pair,
                half,
                openings[pair % len(openings)],
                luck,
            )
            if writer is not None:
                writer.append(game)
            match.games.append(game)
            if progress is not None:
                progress(game)
    finally:
        if writer is not None:
            writer.close()
    return match


def _header(
    players: tuple[PlayerLike, PlayerLike],
    names: tuple[str, str],
    games: int,
    seed: int,
    openings: Sequence[str],
    limits: _Limits,
    luck: bool,
) -> dict[str, Any]:
    def record(player: PlayerLike, name: str) -> dict[str, Any]:
        options = dict(player.options) if isinstance(player, Engine) else {}
        return {
            "spec": f"builtin:{player.name}" if isinstance(player, Engine) else f"python:{_name(player)}",
            "name": name,
            "version": None,
            "kind": "builtin",
            "time_policy": player.time_policy if isinstance(player, Engine) else "own",
            "options": options,
        }

    header: dict[str, Any] = default_header(f"astragal-python {__version__}")
    header.update(
        event="match",
        players=[record(player, name) for player, name in zip(players, names)],
        seed=seed,
        control=limits.control(),
        timed=limits.time is not None,
        games_per_pairing=games,
        mirrored=True,
        openings=[Position.from_dfen(opening).to_dfen() for opening in openings],
        luck=luck,
        concurrency=1 if limits.time is not None else None,
    )
    return header
