"""The examples run, and do what they say."""

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name: str, *arguments: object) -> str:
    command = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
    # Warnings are faults: an engine warns of a book that it cannot read.
    done = subprocess.run([command[0], "-W", "error", *command[1:]], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tried() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "how_good_is_a_roll.py",
        "who_blundered.py",
        "book_from_journals.py",
    }


def test_how_good_is_a_roll() -> None:
    text = run("how_good_is_a_roll.py", "8/8/8/3kK3/8/8/8/8 w - - 0 1 -")
    assert "a chance of 42.1%" in text and "+1.000" in text


def test_who_blundered(root: Path) -> None:
    text = run("who_blundered.py", root / "tests" / "records" / "format1.jsonl", 1)
    assert "greedy - greedy-v2: 0 by king-capture" in text and ": -1.00" in text
    assert "greedy - random" in run("who_blundered.py")


def test_book_from_journals(root: Path, tmp_path: Path) -> None:
    text = run("book_from_journals.py", tmp_path / "book.tsv", root / "tests" / "records" / "format1.jsonl")
    assert "2 games" in text and "(from the book)" in text
    assert run("book_from_journals.py", tmp_path / "own.tsv").count("(from the book)") == 1


def test_what_the_readme_and_the_docstrings_show() -> None:
    for text, name in ((EXAMPLES.parent / "README.md", None), (None, "astragal"), (None, "astragal._text")):
        if text is not None:
            found = doctest.testfile(str(text), module_relative=False)
        else:
            assert name is not None
            found = doctest.testmod(importlib.import_module(name))
        assert found.attempted and not found.failed, (text, name)
