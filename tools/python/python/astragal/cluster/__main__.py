"""``python -m astragal.cluster``: a match over many machines."""

import argparse
import subprocess
import sys
from pathlib import Path

USAGE = """\
python -m astragal.cluster match A B [options of the arena] --shards 64 --out DIR

A and B are players as the arena knows them, and every option that is not listed below is the arena's: --tc, --games,
--seed, … The same command again goes on with what is missing, whatever was killed. The journal of all is DIR/whole.jsonl.
"""


def main() -> int:
    """Reads the words of the command and plays."""
    parser = argparse.ArgumentParser(prog="python -m astragal.cluster", usage=USAGE, allow_abbrev=False)
    parser.add_argument("command", choices=["match"])
    parser.add_argument("--shards", type=int, required=True, help="parts, each a task of Ray")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the journals")
    parser.add_argument("--arena", help="the arena's program [default: the one on the search path]")
    parser.add_argument(
        "--file",
        type=Path,
        action="append",
        default=[],
        help="a program that a player needs, sent to the nodes: with --file build/engine the player is cmd:./engine",
    )
    parser.add_argument("--cores", type=int, default=1, help="cores of a shard; a clock's are its own [default: 1]")
    parser.add_argument(
        "--sprt", help="stop when this sequential test of the pairs in order is decided, as arena match"
    )
    parser.add_argument("--address", help="of the Ray cluster [default: the one of the environment, or this machine]")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two standings [default: 10]")
    known, words = parser.parse_known_args()
    if known.shards < 1 or known.cores < 1:
        parser.error("--shards and --cores must be at least 1")
    try:
        from ._driver import Driver, Settings, find_arena
    except ImportError as error:
        print(f"{error}; pip install 'astragal[cluster]'", file=sys.stderr)
        return 1
    from ._task import Refused

    timed = is_timed(words)
    # The cores of a clock are for the players' threads, those of others for games at the same time.
    games = ["--concurrency", "1"] if timed else ["--concurrency", str(known.cores), "--force-concurrency"]
    arguments = ["match", *words, *games]
    try:
        arena = find_arena(known.arena)
        driver = Driver(
            Settings(
                arguments,
                known.shards,
                known.out,
                arena,
                known.file,
                known.cores,
                timed,
                known.sprt,
                known.address,
                known.every,
            )
        )
        whole = driver.run()
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; the same command goes on", file=sys.stderr)
        return 130
    subprocess.run([str(arena.resolve()), "stats", str(whole)], check=True)
    print(f"{driver.messages} messages, {driver.bytes} bytes of journals; {whole}")
    return 0


def is_timed(words: list[str]) -> bool:
    """Whether the words of a command have a control under which the clock counts, of the event or of a player."""
    controls = [word for before, word in zip(words, words[1:]) if before == "--tc"]
    controls += [part.split("&")[0] for word in words for part in word.split("tc=")[1:]]
    return any(control[:1].isdigit() or control.startswith("st=") for control in controls)


if __name__ == "__main__":
    sys.exit(main())
