"""What the tests share."""

import json
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
