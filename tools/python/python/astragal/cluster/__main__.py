"""``python -m astragal.cluster``: an event over many machines."""

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Optional

from ._events import Command, Decisions, Event, Games, Reviews, SelfPlay
from ._task import Refused

GAMES = ("match", "gauntlet", "round-robin")


def parser() -> argparse.ArgumentParser:
    """What the words of the command are."""
    common = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    common.add_argument("--shards", type=int, required=True, help="parts, each a task of Ray")
    common.add_argument("--out", type=Path, required=True, help="the folder of the parts and of the whole")
    common.add_argument("--program", help="the program that plays [default: the one on the search path]")
    common.add_argument("--cores", type=int, default=1, help="cores of a shard; a clock's are its own [default: 1]")
    common.add_argument("--address", help="of the Ray cluster [default: the one of the environment, or this machine]")
    common.add_argument("--every", type=float, default=10.0, help="seconds between two standings [default: 10]")
    words = argparse.ArgumentParser(
        prog="python -m astragal.cluster",
        allow_abbrev=False,
        description="Plays an event in shards. The same command again goes on with what is missing, whatever was killed.",
    )
    commands = words.add_subparsers(dest="command", required=True)
    for name in GAMES:
        games = commands.add_parser(
            name,
            parents=[common],
            allow_abbrev=False,
            usage=f"python -m astragal.cluster {name} PLAYER… [options of the arena] --shards 64 --out DIR",
            description="Players and every option that is not listed are the arena's: --tc, --games, --seed, …",
        )
        games.add_argument(
            "--file",
            type=Path,
            action="append",
            default=[],
            help="a program that a player needs, sent to the nodes: with --file build/engine the player is cmd:./engine",
        )
        games.add_argument("--sprt", help="stop when this sequential test of the pairs in order is decided (match)")
    commands.add_parser(
        "play",
        parents=[common],
        allow_abbrev=False,
        usage="python -m astragal.cluster play [options of train play] --shards 64 --out DIR",
        description="Games of an evaluation against itself, as packed records. Every option that is not listed is the "
        "trainer's: --games, --seed, --eval.",
    )
    commands.add_parser(
        "decisions",
        parents=[common],
        allow_abbrev=False,
        usage="python -m astragal.cluster decisions [options of train decisions] --shards 64 --out DIR",
        description="Decisions whose best turns are rolled out, JSON lines. Every option that is not listed is the "
        "trainer's: --count, --seed, --error, --turns.",
    )
    review = commands.add_parser(
        "review",
        parents=[common],
        allow_abbrev=False,
        usage="python -m astragal.cluster review FILE [options of astragal review] --shards 64 --out DIR",
        description="Reviews of the games of a file. Every option that is not listed is the engine's: --depth, --rollout, "
        "--seed, --time.",
    )
    review.add_argument("games", type=Path, help="a journal, a text record, or histories of the platform")
    review.add_argument("--player", help="only games of this player")
    return words


def event_of(known: argparse.Namespace, words: list[str]) -> tuple[Event, bool]:
    """The event that is asked for, and whether its clocks count."""
    name = known.command
    threads = ["--threads", str(known.cores)]

    def command(program: str, given: list[str], threads: list[str]) -> Command:
        return Command(name, find(program, known.program), given, known.shards, known.out, threads)

    if name == "play":
        return SelfPlay(command("train", words, threads)), False
    if name == "decisions":
        return Decisions(command("train", words, threads)), False
    if name == "review":
        player = [] if known.player is None else ["--player", known.player]
        timed = any(word.split("=")[0] == "--time" for word in words)
        reviewed = command("astragal", [*words, *player], threads)
        return Reviews(reviewed, games=known.games, player=known.player), timed
    if known.sprt is not None and name != "match":
        raise Refused("--sprt is of a match")
    timed = is_timed(words)
    # The cores of a clock are for the players' threads, those of others for games at the same time.
    many = ["--concurrency", "1" if timed else str(known.cores), "--force-concurrency"]
    return Games(command("arena", words, many), sprt=known.sprt, timed=timed), timed


def main() -> int:
    """Reads the words of the command and plays."""
    reader = parser()
    known, words = reader.parse_known_args()
    if known.shards < 1 or known.cores < 1:
        reader.error("--shards and --cores must be at least 1")
    try:
        from ._driver import Driver, Settings
    except ImportError as error:
        print(f"{error}; pip install 'astragal[cluster]'", file=sys.stderr)
        return 1
    try:
        event, timed = event_of(known, words)
        files = getattr(known, "file", [])
        driver = Driver(event, Settings(files, known.cores, timed, known.address, known.every))
        driver.run()
        event.end()
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    print(f"{driver.messages} messages, {driver.bytes} bytes of {event.unit}; {event.whole}")
    return 0


def is_timed(words: list[str]) -> bool:
    """Whether the words of a command have a control under which the clock counts, of the event or of a player."""
    controls = [word for before, word in zip(words, words[1:]) if before == "--tc"]
    controls += [part.split("&")[0] for word in words for part in word.split("tc=")[1:]]
    return any(control[:1].isdigit() or control.startswith("st=") for control in controls)


def find(name: str, given: Optional[str]) -> Path:
    """A program: the one given, or the one of that name on the search path."""
    found = given or shutil.which(name)
    if found is None or not os.path.isfile(found):
        raise Refused(f"there is no program {given or name}; say where it is with --program")
    return Path(found)


if __name__ == "__main__":
    sys.exit(main())
