"""What the tests share."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
"""The root of the repository."""


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
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
