"""What can be played: the commands of its shards, and what becomes of what they write.

Knows nothing of Ray.
"""

import hashlib
import json
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from ._journal import Prefix, cut
from ._parts import Form, Lines, PartFile, Records
from ._records import merge_decisions, merge_records
from ._task import FILE, Refused


@dataclass(frozen=True)
class Command:
    """What is to be played, in how many shards."""

    name: str
    """The command of the program."""
    program: Path
    words: Sequence[str]
    """The words after the name: what is played."""
    shards: int
    out: Path
    """The folder of the parts and of the whole."""
    threads: Sequence[str]
    """The words that say how many cores a shard has, which changes nothing of what is played."""


class Event(ABC):
    """An event that is played in shards by a program of the project."""

    form: Form = Lines()
    """What the shards write."""
    suffix = "jsonl"
    good: Sequence[int] = (0,)
    """The exit codes of a shard that is done."""
    unit = "games"
    """What the lines or records of a part are counted as."""
    decided = False
    """Whether nothing more need be played."""

    def __init__(self, command: Command) -> None:
        self.name, self.program, self.given = command.name, command.program, list(command.words)
        self.shards, self.out, self.threads = command.shards, command.out, list(command.threads)
        self.whole = self.out / f"whole.{self.suffix}"
        """Where the whole event is in the end."""

    def identity(self) -> dict[str, Any]:
        """What makes it this event and no other: a folder is of one."""
        return {"arguments": [self.name, *self.given], "shards": self.shards}

    def files(self) -> dict[str, Path]:
        """What the nodes need besides the program, by the name that it has there."""
        return {}

    @abstractmethod
    def words(self, number: int, part: PartFile) -> list[str]:
        """The command of a shard, counted from 1, without the program, when so much of it is there."""

    def before(self, part: PartFile) -> bytes:
        """What the program must have of the part to go on with it."""
        return part.read()

    def begin(self, parts: Sequence[PartFile]) -> None:  # noqa: B027 (most events remember nothing)
        """Looks at what is there."""

    def hear(self, part: PartFile, games: bytes) -> None:  # noqa: B027
        """Hears of new games of a part."""

    def look(self, parts: Sequence[PartFile], tell: bool) -> None:
        """Sees whether it is decided, and prints how it stands if it is to ``tell``: how much there is."""
        if tell:
            begun = sum(part.games > 0 for part in parts)
            print(f"{sum(part.games for part in parts)} {self.unit} of {begun} shards", flush=True)

    @abstractmethod
    def merge(self, parts: Sequence[PartFile]) -> None:
        """Makes the whole of the parts."""

    def end(self) -> None:  # noqa: B027
        """Tells of the whole."""

    def run(self, *words: str) -> str:
        """Runs the program here, and returns what it says. Raises ``Refused`` with its words if it fails."""
        done = subprocess.run([str(self.program.resolve()), *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
        return done.stdout


class Games(Event):
    """A match, a gauntlet or a round-robin of the arena."""

    def __init__(self, command: Command, *, sprt: Optional[str], timed: bool) -> None:
        super().__init__(command)
        self.sprt, self.timed = sprt, timed
        self.last_pair: Optional[int] = None
        """The pair at which the sequential test was decided."""
        self.sprt_text: Optional[str] = None
        self._grown = False

    def words(self, number: int, part: PartFile) -> list[str]:
        """Resumed from the lines of the journal."""
        return [
            "shard",
            f"{number}/{self.shards}",
            self.name,
            *self.given,
            *self.threads,
            "--journal",
            FILE,
            "--resume",
        ]

    def begin(self, parts: Sequence[PartFile]) -> None:
        """Finds the prefix of what is there."""
        self.prefix = Prefix(self.out / "prefix.jsonl")
        for part in parts:
            if part.header:
                self._grown |= self.prefix.add(part.header, part.played())

    def hear(self, part: PartFile, games: bytes) -> None:
        """Adds to the prefix."""
        self._grown |= self.prefix.add(part.header, games)

    def look(self, parts: Sequence[PartFile], tell: bool) -> None:
        """Tells the standings of the pairs that are there in order, and looks whether the test is decided."""
        if not self._grown or not (tell or self.sprt is not None):
            return
        self._grown = False
        report = self.out / "prefix.json"
        test = [] if self.sprt is None else ["--sprt", self.sprt]
        said = self.run("stats", str(self.prefix.path), *test, "--json", str(report))
        if tell:
            print(f"{self.prefix.games} games in order\n{said}", flush=True)
        if self.sprt is not None:
            told = json.loads(report.read_text(encoding="utf-8"))
            self.sprt_text = told["header"]["sprt"]
            summary = told["statistics"]["meetings"][0]["summary"]["sprt"]
            counts = summary["raw" if summary["parameters"]["on"] == "raw" else "adjusted"]
            if counts is not None and counts["verdict"] != "continue":
                self.last_pair = counts["decided_after_units"] - 1
                self.decided = True

    def merge(self, parts: Sequence[PartFile]) -> None:
        """By ``arena merge``, up to the pair at which the sequential test was decided."""
        self.whole.unlink(missing_ok=True)
        self.run("merge", *(str(part.path) for part in parts if part.header), "--out", str(self.whole))
        if self.sprt is not None:
            # Under a clock nothing repeats anyway, and every game that was played is told, as the arena does.
            most = self.last_pair if self.last_pair is not None and not self.timed else sys.maxsize
            cut(self.whole, most, self.sprt_text)

    def end(self) -> None:
        """The report of the whole journal."""
        print(self.run("stats", str(self.whole)), end="")


class SelfPlay(Event):
    """The games of ``train play``: packed records."""

    form: Form = Records()
    suffix = "bin"

    def words(self, number: int, part: PartFile) -> list[str]:
        """The trainer counts its shards from 0."""
        return ["play", *self.given, *self.threads, "--shard", f"{number - 1}/{self.shards}", "--out", FILE]

    def before(self, part: PartFile) -> bytes:
        """It goes on after the last game, and looks at no other."""
        return part.header + Records().last_game(part.played()) if part.games else b""

    def merge(self, parts: Sequence[PartFile]) -> None:
        """In the order of the games."""
        merge_records([part.path for part in parts if part.games], self.whole)


class Decisions(Event):
    """The decisions of ``train decisions``: a header, and a line each."""

    unit = "decisions"

    def words(self, number: int, part: PartFile) -> list[str]:
        """The trainer counts its shards from 0, and goes on with the file that is there."""
        return ["decisions", *self.given, *self.threads, "--shard", f"{number - 1}/{self.shards}", "--out", FILE]

    def merge(self, parts: Sequence[PartFile]) -> None:
        """By their numbers."""
        merge_decisions([part.path for part in parts if part.header], self.whole)


class Reviews(Event):
    """The reviews of the games of a file, by ``astragal review --json``: a line a game, and a line of players."""

    form = Lines(header=False)
    good = (0, 3)  # 3: some games cannot be read, which is told by whoever reviews them on one machine, too.

    def __init__(self, command: Command, *, games: Path, player: Optional[str]) -> None:
        super().__init__(command)
        self.games, self.player = games, player

    def identity(self) -> dict[str, Any]:
        """The file that is reviewed is part of it."""
        return {**super().identity(), "sha256": hashlib.sha256(self.games.read_bytes()).hexdigest()}

    def files(self) -> dict[str, Path]:
        """The games."""
        return {"games": self.games}

    def words(self, number: int, part: PartFile) -> list[str]:
        """Goes on after the last game that is there."""
        lines = part.read().splitlines()
        after = ["--after", str(json.loads(lines[-1])["place"])] if lines else []
        return ["review", "games", "--json", *self.given, *self.threads, "--shard", f"{number}/{self.shards}", *after]

    def before(self, part: PartFile) -> bytes:
        """The place of the last game is enough, and that is among the words."""
        return b""

    def merge(self, parts: Sequence[PartFile]) -> None:
        """By ``astragal merge``."""
        only = [] if self.player is None else ["--player", self.player]
        said = self.run("merge", *only, *(str(part.path) for part in parts if part.games))
        self.whole.write_text(said, encoding="utf-8")
