"""The driver: begins the shards as tasks of Ray, keeps what they yield, and stops when all is played or decided."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import ray

from ._parts import PartFile, Prefix, cut
from ._task import Refused, Work, play

MOST_LOSSES = 20
"""So often a shard may be lost before it is given up."""


@dataclass
class Settings:
    """What is to be played, and where."""

    arguments: Sequence[str]
    """The words of ``arena shard``, from ``match`` on."""
    shards: int
    out: Path
    """The folder of the journals."""
    arena: Path
    files: Sequence[Path] = ()
    """Programs and other files that the players need; they lie in the folder where the arena runs."""
    cores: int = 1
    """Cores a shard."""
    timed: bool = False
    """Whether clocks count, so that the cores of a shard must be its own."""
    sprt: Optional[str] = None
    address: Optional[str] = None
    every: float = 10.0
    """Seconds between two standings."""


@dataclass
class _Shard:
    number: int
    file: PartFile
    stream: Any = None
    losses: int = 0
    over: bool = False


@dataclass
class Driver:
    """Plays one event."""

    settings: Settings
    shards: list[_Shard] = field(default_factory=list)
    last_pair: Optional[int] = None
    """The pair at which the sequential test was decided."""
    sprt_text: Optional[str] = None
    messages: int = 0
    bytes: int = 0

    def run(self) -> Path:
        """Plays what is missing and returns the journal of the whole event.

        Raises ``Refused`` if the arena does not want to, or if there is another event in the folder.
        """
        settings, job = self.settings, self.settings.out / "job"
        settings.out.mkdir(parents=True, exist_ok=True)
        self._keep_command()
        hashes = self._collect_programs(job)
        prefix = Prefix(settings.out / "prefix.jsonl")
        self.shards = [
            _Shard(number, PartFile(settings.out / f"part-{number:04}.jsonl"))
            for number in range(1, settings.shards + 1)
        ]
        for shard in self.shards:
            if shard.file.header:
                prefix.add(shard.file.header, shard.file.lines()[1:])
        self._look(prefix, stand=prefix.games > 0)
        if self.last_pair is None:
            self._play(job, hashes, prefix)
        for shard in self.shards:
            shard.file.close()
        return self._merge()

    def _keep_command(self) -> None:
        """A folder is of one event."""
        settings = self.settings
        text = json.dumps({"arguments": list(settings.arguments), "shards": settings.shards}, indent=1) + "\n"
        path = settings.out / "event.json"
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise Refused(f"{settings.out} holds another event, or another number of shards of it; see {path}")
        path.write_text(text, encoding="utf-8")

    def _collect_programs(self, job: Path) -> dict[str, str]:
        """Puts what the nodes need into the folder of the job; returns their hashes."""
        shutil.rmtree(job, ignore_errors=True)
        job.mkdir()
        hashes = {}
        for name, path in [("arena", self.settings.arena), *((path.name, path) for path in self.settings.files)]:
            if name in hashes:
                raise Refused(f"two files are called {name}")
            shutil.copy2(path, job / name)
            hashes[name] = hashlib.sha256((job / name).read_bytes()).hexdigest()
        return hashes

    def _play(self, job: Path, hashes: dict[str, str], prefix: Prefix) -> None:
        settings = self.settings
        ray.init(
            address=settings.address,
            runtime_env={"working_dir": str(job)},
            log_to_driver=False,
            logging_level="WARNING",
        )
        # One lost shard is begun anew from the lines that arrived, which Ray knows nothing of.
        remote = ray.remote(num_cpus=settings.cores, max_retries=0, num_returns="streaming")(play)

        def begin(shard: _Shard) -> None:
            part = f"{shard.number}/{settings.shards}"
            work = Work(part, settings.arguments, hashes, settings.cores if settings.timed else 0)
            shard.stream = remote.remote(work, shard.file.path.read_bytes())

        for shard in self.shards:
            begin(shard)
        told = time.monotonic()
        try:
            while self.last_pair is None:
                going = {shard.stream: shard for shard in self.shards if not shard.over}
                if not going:
                    break
                ready, _ = ray.wait(list(going), num_returns=1, timeout=1.0)
                grown = False
                for stream in ready:
                    shard = going[stream]
                    try:
                        lines = ray.get(next(stream))
                    except StopIteration:
                        shard.over = True
                        continue
                    except ray.exceptions.RayTaskError as error:
                        if isinstance(error.cause, Refused):
                            raise Refused(str(error.cause)) from None
                        self._lost(shard, error, begin)
                        continue
                    except ray.exceptions.RayError as error:
                        self._lost(shard, error, begin)
                        continue
                    self.messages += 1
                    self.bytes += sum(map(len, lines))
                    games = shard.file.add(lines)
                    grown |= prefix.add(shard.file.header, games)
                stand = time.monotonic() - told >= settings.every
                if grown and (settings.sprt is not None or stand):
                    self._look(prefix, stand)
                if stand:
                    told = time.monotonic()
        finally:
            for shard in self.shards:
                if not shard.over and shard.stream is not None:
                    ray.cancel(shard.stream, force=True)
            ray.shutdown()

    def _lost(self, shard: _Shard, error: Exception, begin: Any) -> None:
        shard.losses += 1
        what = str(error).strip().splitlines()[-1][:300]
        print(f"shard {shard.number} is lost after {shard.file.games} games, and goes on: {what}", file=sys.stderr)
        if shard.losses > MOST_LOSSES:
            raise Refused(f"shard {shard.number} was lost {shard.losses} times, at last: {what}")
        begin(shard)

    def _look(self, prefix: Prefix, stand: bool) -> None:
        """Tells the standings of the pairs that are there in order, and looks whether the test is decided."""
        if not prefix.games:
            return
        settings, report = self.settings, self.settings.out / "prefix.json"
        test = [] if settings.sprt is None else ["--sprt", settings.sprt]
        command = [str(settings.arena.resolve()), "stats", str(prefix.path), *test, "--json", str(report)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
        if stand:
            print(f"{prefix.games} games in order\n{done.stdout}", flush=True)
        if settings.sprt is not None:
            told = json.loads(report.read_text(encoding="utf-8"))
            self.sprt_text = told["header"]["sprt"]
            summary = told["statistics"]["meetings"][0]["summary"]["sprt"]
            counts = summary["raw" if summary["parameters"]["on"] == "raw" else "adjusted"]
            if counts is not None and counts["verdict"] != "continue":
                self.last_pair = counts["decided_after_units"] - 1

    def _merge(self) -> Path:
        settings = self.settings
        whole = settings.out / "whole.jsonl"
        whole.unlink(missing_ok=True)
        parts = [str(shard.file.path) for shard in self.shards if shard.file.header]
        command = [str(settings.arena.resolve()), "merge", *parts, "--out", str(whole)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refused(done.stderr.strip())
        if settings.sprt is not None:
            # Under a clock nothing repeats anyway, and every game that was played is told, as the arena does.
            most = self.last_pair if self.last_pair is not None and not settings.timed else sys.maxsize
            cut(whole, most, self.sprt_text)
        return whole


def find_arena(given: Optional[str]) -> Path:
    """The arena: the one given, or the one on the search path."""
    found = given or shutil.which("arena")
    if found is None or not os.path.isfile(found):
        raise Refused("there is no arena; say where it is with --arena")
    return Path(found)
