"""What runs on a node: a shard of a match, whose lines are yielded as they are written."""

import contextlib
import ctypes
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

LOOK = 0.2
"""Seconds between two looks at the journal."""


@dataclass(frozen=True)
class Work:
    """A shard to be played."""

    part: str
    """Which of how many, such as ``3/64``."""
    arguments: Sequence[str]
    """The words of the command, from ``match`` on."""
    hashes: dict[str, str]
    """The SHA-256 of each program, by its name in the folder of the job; the arena is ``arena``."""
    pinned: int
    """So many cores are the shard's own; 0 if its clocks do not count."""


class Refused(Exception):
    """It cannot be played anywhere, so that it is of no use to try again."""


def check(hashes: dict[str, str]) -> None:
    """Checks that the programs are those that the driver meant, and lets them be run."""
    for name, expected in hashes.items():
        found = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        if found != expected:
            raise Refused(f"{name} is another program than the driver's: SHA-256 {found}, not {expected}")
        os.chmod(name, 0o755)


def own_cores(count: int) -> tuple[list[int], contextlib.ExitStack]:
    """Cores that no other shard of this machine has, locked as long as the stack is open or this process lives."""
    import fcntl

    stack = contextlib.ExitStack()
    cores: list[int] = []
    for core in sorted(os.sched_getaffinity(0)):
        if len(cores) == count:
            break
        file = open(Path(tempfile.gettempdir()) / f"astragal-core-{core}.lock", "a")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            continue
        stack.enter_context(file)
        cores.append(core)
    if len(cores) < count:
        stack.close()
        raise RuntimeError(f"only {len(cores)} cores of this machine are free, and {count} are needed")
    return cores, stack


def end_with_parent() -> None:
    """Has the system end this process when the one that started it ends; Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)


def play(work: Work, before: bytes) -> Iterator[list[bytes]]:
    """Plays a shard on from the lines that have arrived before, and yields those that are new, some at a time.

    Raises ``Refused`` with the arena's last words if the arena does not want to.
    """
    check(work.hashes)
    with contextlib.ExitStack() as stack:
        cores: Optional[list[int]] = None
        if work.pinned:
            cores, locks = own_cores(work.pinned)
            stack.enter_context(locks)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="astragal-shard-")))
        journal = folder / "part.jsonl"
        journal.write_bytes(before)

        def prepare() -> None:
            end_with_parent()
            if cores is not None:
                os.sched_setaffinity(0, cores)

        command = ["./arena", "shard", work.part, *work.arguments, "--journal", str(journal), "--resume"]
        words = open(folder / "words.txt", "w+b")
        stack.enter_context(words)
        # The fork's child does two system calls before it becomes the arena.
        arena = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=words, stderr=subprocess.STDOUT, preexec_fn=prepare
        )
        try:
            # The same file to the end: at the end of a shard the arena may put another in its place, in another order.
            lines = stack.enter_context(open(journal, "rb"))
            lines.seek(len(before))
            over = False
            while not over:
                over = arena.poll() is not None
                place = lines.tell()
                new = lines.read()
                whole = new.rfind(b"\n") + 1
                lines.seek(place + whole)
                if whole:
                    yield new[:whole].splitlines(keepends=True)
                if not over:
                    time.sleep(LOOK)
            if arena.returncode != 0:
                words.seek(0)
                said = words.read().decode(errors="replace")[-2000:].strip()
                if arena.returncode < 0:
                    raise RuntimeError(f"the arena was ended by signal {-arena.returncode}: {said}")
                raise Refused(f"shard {work.part}: {said}")
        finally:
            arena.kill()
            arena.wait()
