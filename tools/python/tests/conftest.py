"""What the tests share."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Optional

import pytest

ROOT = Path(__file__).resolve().parents[3]
"""The root of the repository."""


def find(name: str) -> Optional[Path]:
    """A program: the one that ASTRAGAL_ARENA (or so) names, or the one that was built last."""
    named = [Path(os.environ[key])] if (key := f"ASTRAGAL_{name.upper()}") in os.environ else []
    built = [path for kind in ("release", "debug") if (path := ROOT / "target" / kind / name).is_file()]
    return next(iter(named or sorted(built, key=lambda path: -path.stat().st_mtime)), None)


def vectors(name: str) -> list[Any]:
    """The cases of a file of the rules' test vectors."""
    cases: list[Any] = json.loads((ROOT / "tests" / "vectors" / f"{name}.json").read_text(encoding="utf-8"))
    assert cases, name
    return cases


@pytest.fixture
def root() -> Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture
def arena() -> Path:
    """The arena."""
    path = find("arena")
    if path is None:
        pytest.skip("there is no arena: cargo build -p arena, or set ASTRAGAL_ARENA")
    return path


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
