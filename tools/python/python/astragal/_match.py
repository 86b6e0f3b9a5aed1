"""Games and matches in process, by the library's referee, who is the arena's: its dice, its clocks, its luck.

What is here is who is asked and how: an engine of the library, or a bot written in Python.
"""

import inspect
import math
import os
import time as wall
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol, Union

from ._astragal import (
    STARTPOS,
    Budget,
    Clock,
    Engine,
    Game,
    JournalWriter,
    Position,
    Referee,
    __version__,
    bot_seed,
    default_header,
)


class Player(Protocol):
    """A bot written in Python: anything with this method. It may have a ``name``, and a method ``new_game(seed: int)``."""

    def choose(self, position: Position, /) -> str:
        """The turn to play in a position with its dice; there is at least one micro-move. Or ``"resign"``."""


class ClockPlayer(Protocol):
    """A bot written in Python that is told of the clocks: a ``Player`` whose ``choose`` has a parameter ``clock``."""

    def choose(self, position: Position, /, clock: Optional[Clock]) -> str:
        """The turn to play. ``clock`` says what the clocks stand at; ``None`` under a control without clocks."""


PlayerLike = Union[Engine, Player, ClockPlayer, Callable[..., str]]


@dataclass(frozen=True)
class _Answer:
    turn: str
    score: Optional[tuple[str, int]] = None
    depth: Optional[int] = None
    nodes: Optional[int] = None
    engine_time_ms: Optional[int] = None


_Ask = Callable[[Position, Optional[Clock]], _Answer]


def _control(depth: Optional[int], time: Optional[float], nodes: Optional[int], tc: Optional[str]) -> str:
    """The time control that was asked for, as the arena writes it. Raises ``ValueError`` if it is none."""
    given = {"depth": depth, "st": None if time is None else f"{time:g}", "nodes": nodes}
    texts = [f"{name}={value}" for name, value in given.items() if value is not None]
    texts += [] if tc is None else [tc]
    if len(texts) > 1:
        raise ValueError("give one of depth, time, nodes and tc")
    return Referee(control=texts[0] if texts else "untimed").control


def _name(player: PlayerLike) -> str:
    name = getattr(player, "name", None) or getattr(player, "__name__", None)
    return str(name or type(player).__name__)


def _budget(engine: Engine, position: Position, clock: Optional[Clock], movetime: Optional[int]) -> Optional[Budget]:
    """What a turn may spend by the engine's own time manager."""
    if movetime is not None:
        return engine.budget(position, movetime=movetime)
    if clock is None:
        return None
    return engine.budget(
        position,
        wtime=clock.left[0],
        btime=clock.left[1],
        winc=clock.increment[0],
        binc=clock.increment[1],
        wdelay=clock.delay[0],
        bdelay=clock.delay[1],
        movestogo=clock.turns_to_go,
    )


def _asker(player: PlayerLike, referee: Referee) -> _Ask:
    """How that player is asked under the control of that game."""
    if isinstance(player, Engine):
        engine, (depth, nodes, movetime) = player, referee.limits

        def search(position: Position, clock: Optional[Clock]) -> _Answer:
            found = engine.search(position, depth=depth, nodes=nodes, budget=_budget(engine, position, clock, movetime))
            score = None
            if found.captures:
                score = ("mate", 1)
            elif found.centipawns is not None:
                score = ("cp", found.centipawns)
            heard = found.nodes if score else None
            return _Answer(found.turn or "0000", score, found.depth, heard, int(found.time * 1000))

        return search
    choose: Any = getattr(player, "choose", player)
    try:
        wants_clock = "clock" in inspect.signature(choose).parameters
    except ValueError:  # Some functions written in C do not tell.
        wants_clock = False
    if wants_clock:
        return lambda position, clock: _Answer(str(choose(position, clock=clock)))
    return lambda position, _: _Answer(str(choose(position)))


def _new_game(player: PlayerLike, seed: int) -> None:
    if isinstance(player, Engine):
        # As in the arena: a bot whose seed is not given has the same one in both games of a pair.
        player.new_game(None if player.has_seed else seed)
    else:
        new_game = getattr(player, "new_game", None)
        if new_game is not None:
            new_game(seed)


def _play(
    players: tuple[PlayerLike, PlayerLike], places: tuple[int, int], seed: int, referee: Referee, luck: bool
) -> Game:
    for player, bot in zip(players, places):
        _new_game(player, bot_seed(seed, referee.pair, bot))
    white, black = (_asker(player, referee) for player in players)
    while (position := referee.throw()) is not None:
        ask, clock = white if position.side == "white" else black, referee.clock
        begun = wall.perf_counter_ns()
        answer = ask(position, clock)
        took = (wall.perf_counter_ns() - begun) // 1000
        referee.answer(
            answer.turn,
            took,
            score=answer.score,
            depth=answer.depth,
            nodes=answer.nodes,
            engine_time_ms=answer.engine_time_ms,
        )
    return referee.game(luck=luck)


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
    tc: Optional[str] = None,
    margin: int = 0,
    luck: bool = True,
) -> Game:
    """Plays a game and returns it.

    A player is an ``Engine``, an object with a method ``choose(position) -> turn``, or such a function. ``opening`` is a DFEN
    without dice. With ``luck`` the luck of every roll is measured after the game.

    ``depth`` (whole turns) and ``nodes`` bound the engines. ``tc`` is a time control of the arena: ``"2+0.02"``, ``"40/60"``,
    ``"60+0d2"`` (delay), ``"st=0.2"`` (a turn, as ``time=0.2``), …; times in seconds. Engines share their time out by their
    own time manager, and a bot with a parameter ``clock`` is told what the clocks say. Whoever takes more than its clock holds
    and ``margin`` (ms) forgives has lost, but nobody is interrupted: a bot that does not come back is waited for. Passes
    cost nothing.

    A player that answers with an illegal turn loses, and so does one that answers ``"resign"``. An exception of a player
    goes through to the caller.
    """
    control, names = _control(depth, time, nodes, tc), (_name(white), _name(black))
    referee = Referee(opening, control=control, margin=margin, seed=seed, pair=pair, names=names)
    return _play((white, black), (0, 1), seed, referee, luck)


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
    tc: Optional[str] = None,
    margin: int = 0,
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
    control = _control(depth, time, nodes, tc)
    players = (one, two)
    called = names or (_name(one), _name(two))
    header = _header(players, called, games, seed, openings, control, margin, luck)
    writer = None if journal is None else JournalWriter(journal, header, resume=resume)
    match = Match(called)
    try:
        there = set() if writer is None else set(writer.numbers)
        for number in range(games):
            if number in there:
                continue
            pair, half = divmod(number, 2)
            white, black = half, 1 - half
            referee = Referee(
                openings[pair % len(openings)],
                control=control,
                margin=margin,
                seed=seed,
                pair=pair,
                number=number,
                half=half,
                names=(called[white], called[black]),
                places=(white, black),
            )
            game = _play((players[white], players[black]), (white, black), seed, referee, luck)
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
    control: str,
    margin: int,
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

    timed = Referee(control=control).timed
    header: dict[str, Any] = default_header(f"astragal-python {__version__}")
    header.update(
        event="match",
        players=[record(player, name) for player, name in zip(players, names)],
        seed=seed,
        control=control,
        timed=timed,
        margin_ms=margin,
        games_per_pairing=games,
        mirrored=True,
        openings=[Position.from_dfen(opening).to_dfen() for opening in openings],
        luck=luck,
        concurrency=1 if timed else None,
    )
    return header
