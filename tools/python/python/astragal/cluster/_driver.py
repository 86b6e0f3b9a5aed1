"""The driver: begins the shards of an event as tasks of Ray, keeps what they yield, and stops when all is played or decided."""

import hashlib
import json
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import ray

from ._events import Event
from ._parts import PartFile
from ._task import Refused, Work, play

MOST_LOSSES = 20
"""So often a shard may be lost before it is given up."""


@dataclass
class Settings:
    """How it is to be played, and where; none of it changes what comes out."""

    files: Sequence[Path] = ()
    """Programs and other files that the players need; they lie in the folder where the event's program runs."""
    cores: int = 1
    """Cores a shard."""
    timed: bool = False
    """Whether clocks count, so that the cores of a shard must be its own."""
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

    event: Event
    settings: Settings
    shards: list[_Shard] = field(default_factory=list)
    messages: int = 0
    bytes: int = 0

    def run(self) -> None:
        """Plays what is missing and makes the whole event of the parts.

        Raises ``Refused`` if the program does not want to, or if there is another event in the folder.
        """
        event = self.event
        job = event.out / "job"
        event.out.mkdir(parents=True, exist_ok=True)
        self._keep_command()
        hashes = self._collect_programs(job)
        self.shards = [
            _Shard(number, PartFile(event.out / f"part-{number:04}.{event.suffix}", event.form))
            for number in range(1, event.shards + 1)
        ]
        event.begin(self._parts())
        event.look(self._parts(), tell=any(part.games for part in self._parts()))
        if not event.decided:
            self._play(job, hashes)
        for shard in self.shards:
            shard.file.close()
        event.merge(self._parts())

    def _parts(self) -> list[PartFile]:
        return [shard.file for shard in self.shards]

    def _keep_command(self) -> None:
        """A folder is of one event."""
        out = self.event.out
        text = json.dumps(self.event.identity(), indent=1) + "\n"
        path = out / "event.json"
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise Refused(f"{out} holds another event, or another number of shards of it; see {path}")
        path.write_text(text, encoding="utf-8")

    def _collect_programs(self, job: Path) -> dict[str, str]:
        """Puts what the nodes need into the folder of the job; returns their hashes."""
        shutil.rmtree(job, ignore_errors=True)
        job.mkdir()
        hashes: dict[str, str] = {}
        event = self.event
        own = {event.program.name: event.program, **event.files()}
        for name, path in [*own.items(), *((path.name, path) for path in self.settings.files)]:
            if name in hashes:
                raise Refused(f"two files are called {name}")
            shutil.copy2(path, job / name)
            hashes[name] = hashlib.sha256((job / name).read_bytes()).hexdigest()
        return hashes

    def _play(self, job: Path, hashes: dict[str, str]) -> None:
        event, settings = self.event, self.settings
        ray.init(
            address=settings.address,
            runtime_env={"working_dir": str(job)},
            log_to_driver=False,
            logging_level="WARNING",
        )
        # One lost shard is begun anew from the lines that arrived, which Ray knows nothing of.
        remote = ray.remote(num_cpus=settings.cores, max_retries=0, num_returns="streaming")(play)

        def begin(shard: _Shard) -> None:
            work = Work(
                part=f"{shard.number}/{event.shards}",
                program=event.program.name,
                words=event.words(shard.number, shard.file),
                form=event.form,
                hashes=hashes,
                pinned=settings.cores if settings.timed else 0,
                good=event.good,
            )
            shard.stream = remote.remote(work, event.before(shard.file))

        for shard in self.shards:
            begin(shard)
        told = time.monotonic()
        try:
            while not event.decided:
                going = {shard.stream: shard for shard in self.shards if not shard.over}
                if not going:
                    break
                ready, _ = ray.wait(list(going), num_returns=1, timeout=1.0)
                for stream in ready:
                    shard = going[stream]
                    try:
                        data = ray.get(next(stream))
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
                    self.bytes += len(data)
                    event.hear(shard.file, shard.file.add(data))
                tell = time.monotonic() - told >= settings.every
                event.look(self._parts(), tell)
                if tell:
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
