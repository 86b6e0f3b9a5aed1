"""What runs on a node: a shard of an event by one of the project's programs, whose games are yielded as they are written."""

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

from ._parts import Form

LOOK = 0.2
"""Seconds between two looks at the file."""

FILE = "{file}"
"""Stands for the file of the shard among the words of its command. Where it does not stand, standard output is the file."""


@dataclass(frozen=True)
class Work:
    """A shard to be played."""

    part: str
    """Which of how many, such as ``3/64``; for messages."""
    program: str
    """The name of the program in the folder of the job."""
    words: Sequence[str]
    """The words after it."""
    form: Form
    """What it writes."""
    hashes: dict[str, str]
    """The SHA-256 of each file of the job, by its name in its folder."""
    pinned: int
    """So many cores are the shard's own; 0 if its clocks do not count."""
    good: Sequence[int] = (0,)
    """The exit codes of a shard that is done."""


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


def play(work: Work, before: bytes) -> Iterator[bytes]:
    """Plays a shard on from what has arrived before, and yields the games that are new, some at a time.

    Raises ``Refused`` with the program's last words if the program does not want to.
    """
    check(work.hashes)
    with contextlib.ExitStack() as stack:
        cores: Optional[list[int]] = None
        if work.pinned:
            cores, locks = own_cores(work.pinned)
            stack.enter_context(locks)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="astragal-shard-")))
        path = folder / "part"
        path.write_bytes(before)
        said = stack.enter_context(open(folder / "words.txt", "w+b"))
        output = said if FILE in work.words else stack.enter_context(open(path, "ab"))

        def prepare() -> None:
            end_with_parent()
            if cores is not None:
                os.sched_setaffinity(0, cores)

        command = [f"./{work.program}", *(str(path) if word == FILE else word for word in work.words)]
        # The fork's child does two system calls before it becomes the program.
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=said, preexec_fn=prepare)
        try:
            # The same file to the end: at the end of a shard the arena may put another in its place, in another order.
            file = stack.enter_context(open(path, "rb"))
            file.seek(len(before))
            over = False
            while not over:
                over = program.poll() is not None
                place = file.tell()
                new = file.read()
                whole = work.form.whole(new)
                file.seek(place + whole)
                if whole:
                    yield new[:whole]
                if not over:
                    time.sleep(LOOK)
            if program.returncode not in work.good:
                said.seek(0)
                told = said.read().decode(errors="replace")[-2000:].strip()
                if program.returncode < 0:
                    raise RuntimeError(f"{work.program} was ended by signal {-program.returncode}: {told}")
                raise Refused(f"shard {work.part}: {told}")
        finally:
            program.kill()
            program.wait()
