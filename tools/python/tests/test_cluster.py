"""Matches by Ray, on this machine as two nodes. Skipped, and said so, where there is no Ray or no arena."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable, Optional

import numpy as np
import pytest
from conftest import ROOT, find

import astragal
from astragal.cluster._journal import Prefix, cut, header_line
from astragal.cluster._parts import Lines, PartFile, Records

ARENA, TRAIN, ENGINE = find("arena"), find("train"), find("astragal")
MATCH = ["builtin:greedy-v2", "builtin:expectimax", "--tc", "depth=1", "--seed", "3"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of two cores each, or what they are called."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'astragal[cluster]'")
    if ARENA is None:
        pytest.skip("there is no arena: cargo build -p arena, or set ASTRAGAL_ARENA")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
    cluster.add_node(num_cpus=2)
    yield cluster
    cluster.shutdown()


def begin(cluster: Any, out: Path, program: Optional[Path], *words: str) -> "subprocess.Popen[str]":
    """Starts the driver of an event."""
    command = [sys.executable, "-m", "astragal.cluster", *words, "--out", str(out), "--program", str(program)]
    command += ["--address", cluster.address, "--every", "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start(cluster: Any, out: Path, games: int, *words: str) -> "subprocess.Popen[str]":
    """Starts the driver of a match of eight shards."""
    return begin(cluster, out, ARENA, "match", *MATCH, "--games", str(games), "--shards", "8", *words)


def finish(driver: "subprocess.Popen[str]") -> str:
    """Waits until it is over; what it has said."""
    said, errors = driver.communicate(timeout=300)
    assert driver.returncode == 0, errors
    return said + errors


def whole(tmp_path: Path, games: int, *words: str, event: Sequence[str] = ("match", *MATCH)) -> bytes:
    """The journal of the same event on one machine."""
    path = tmp_path / "one.jsonl"
    command = [str(ARENA), *event, "--games", str(games), "--journal", str(path), *words]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return path.read_bytes()


def wait_for(happened: Callable[[], bool]) -> None:
    """Waits until something has happened, such as that games have arrived."""
    for _ in range(1200):
        if happened():
            return
        time.sleep(0.1)
    raise AssertionError("it has not happened")


def wait_for_games(out: Path, least: int) -> None:
    """Waits until so many games have arrived."""
    wait_for(lambda: sum(path.read_bytes().count(b"\n") for path in out.glob("part-*.jsonl")) >= least)


def test_eight_shards_are_the_event_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    said = finish(start(cluster, out, 40))
    assert (out / "whole.jsonl").read_bytes() == whole(tmp_path, 40)
    assert re.search(r"\d+ messages, \d+ bytes", said)
    # Again: nothing is left to be played. Another event has no place there.
    assert "0 messages, 0 bytes" in finish(start(cluster, out, 40))
    other = start(cluster, out, 42)
    assert "another event" in other.communicate(timeout=300)[1] and other.returncode == 1


def test_the_sequential_test_stops_at_the_pair_where_one_machine_does(cluster: Any, tmp_path: Path) -> None:
    finish(start(cluster, tmp_path / "out", 400, "--sprt=-200,0"))
    expected = whole(tmp_path, 400, "--sprt=-200,0")
    assert 1 < expected.count(b"\n") < 401, "it is decided before the end"
    assert (tmp_path / "out" / "whole.jsonl").read_bytes() == expected


def test_a_driver_that_was_killed_goes_on(cluster: Any, tmp_path: Path) -> None:
    out = tmp_path / "out"
    driver = start(cluster, out, 400)
    wait_for_games(out, 40)
    driver.send_signal(signal.SIGKILL)
    driver.wait(timeout=60)
    # What a kill in the middle of a write leaves.
    part = next(path for path in sorted(out.glob("part-*.jsonl")) if path.stat().st_size)
    arrived = part.read_bytes()
    part.write_bytes(arrived[:-7])
    finish(start(cluster, out, 400))
    assert (out / "whole.jsonl").read_bytes() == whole(tmp_path, 400)


def test_a_node_that_is_lost_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    out, node = tmp_path / "out", cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    driver = start(cluster, out, 800)
    wait_for_games(out, 100)
    cluster.remove_node(node, allow_graceful=False)
    said = finish(driver)
    assert "is lost after" in said, "the node had shards"
    assert (out / "whole.jsonl").read_bytes() == whole(tmp_path, 800)


def test_a_round_robin_is_the_event_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    event = ["round-robin", "builtin:greedy-v2", "builtin:greedy", "builtin:random", "--tc", "depth=1", "--seed", "4"]
    said = finish(begin(cluster, tmp_path / "out", ARENA, *event, "--games", "6", "--shards", "2"))
    assert (tmp_path / "out" / "whole.jsonl").read_bytes() == whole(tmp_path, 6, event=event)
    assert "greedy-v2" in said


@pytest.mark.skipif(sys.platform != "linux", reason="cores are pinned on Linux only")
def test_a_timed_event_has_cores_of_its_own_and_names_its_machine(cluster: Any, tmp_path: Path) -> None:
    if ENGINE is None:
        pytest.skip("there is no engine: cargo build, or set ASTRAGAL_ASTRAGAL")
    # A program that notes where it may run, and is the engine then.
    player, notes, out = tmp_path / "player", tmp_path / "notes", tmp_path / "out"
    notes.mkdir()
    player.write_text(
        f"#!{sys.executable}\nimport os\n"
        f"open(f'{notes}/{{os.getpid()}}', 'w').write(repr(sorted(os.sched_getaffinity(0))))\n"
        f"os.execv({str(ENGINE)!r}, [{str(ENGINE)!r}])\n"
    )
    players = ["cmd:./player", "builtin:greedy"]
    words = ["match", *players, "--tc", "1+0.1", "--margin", "60000", "--games", "4", "--seed", "1"]
    finish(begin(cluster, out, ARENA, *words, "--shards", "2", "--file", str(player)))
    cores = [json.loads(path.read_text()) for path in notes.iterdir()]
    assert cores and all(len(own) == 1 for own in cores), cores
    for name in ("part-0001", "part-0002", "whole"):
        header = json.loads((out / f"{name}.jsonl").read_bytes().splitlines()[0])
        assert header["timed"] and header["concurrency"] == 1 and header["cpu"] and header["os"]
    games = [json.loads(line) for line in (out / "whole.jsonl").read_bytes().splitlines()[1:]]
    assert sorted(game["number"] for game in games) == [0, 1, 2, 3]
    assert all(ply["clock_left_ms"] is not None for game in games for ply in game["plies"])


def self_play(cluster: Any, out: Path) -> "subprocess.Popen[str]":
    """Starts the driver of games of the trainer."""
    return begin(cluster, out, TRAIN, "play", *SELF_PLAY, "--shards", "5")


SELF_PLAY = ["--games", "1500", "--seed", "5"]


def test_self_play_is_that_of_one_machine_whatever_is_lost(cluster: Any, tmp_path: Path) -> None:
    if TRAIN is None:
        pytest.skip("there is no trainer: cargo build -p train, or set ASTRAGAL_TRAIN")
    subprocess.run([TRAIN, "play", *SELF_PLAY, "--out", tmp_path / "one.bin"], check=True, timeout=300)
    out, node = tmp_path / "out", cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    driver = self_play(cluster, out)
    wait_for(lambda: sum(path.stat().st_size for path in out.glob("part-*.bin")) > 20_000)
    cluster.remove_node(node, allow_graceful=False)
    wait_for(lambda: sum(path.stat().st_size for path in out.glob("part-*.bin")) > 100_000)
    driver.send_signal(signal.SIGKILL)
    driver.wait(timeout=60)
    # What a kill in the middle of a write leaves: no whole record, and no whole game.
    part = max(out.glob("part-*.bin"), key=lambda path: path.stat().st_size)
    part.write_bytes(part.read_bytes()[:-60])
    finish(self_play(cluster, out))
    assert (out / "whole.bin").read_bytes() == (tmp_path / "one.bin").read_bytes()


DECISIONS = ["--count", "5", "--seed", "6", "--error", "1", "--turns", "1"]


def test_decisions_are_those_of_one_machine_whatever_is_lost(cluster: Any, tmp_path: Path) -> None:
    if TRAIN is None:
        pytest.skip("there is no trainer: cargo build -p train, or set ASTRAGAL_TRAIN")
    one, out = tmp_path / "one.jsonl", tmp_path / "out"
    subprocess.run([TRAIN, "decisions", *DECISIONS, "--out", one], check=True, timeout=600)
    words = ["decisions", *DECISIONS, "--shards", "3"]
    driver = begin(cluster, out, TRAIN, *words)
    # The headers and a decision.
    wait_for_games(out, 4)
    driver.send_signal(signal.SIGKILL)
    driver.wait(timeout=60)
    # What a kill in the middle of a write leaves; the shard goes on after its last whole line.
    part = max(out.glob("part-*.jsonl"), key=lambda path: path.stat().st_size)
    part.write_bytes(part.read_bytes()[:-7])
    said = finish(begin(cluster, out, TRAIN, *words))
    assert (out / "whole.jsonl").read_bytes() == one.read_bytes()
    assert re.search(r"\d+ messages, \d+ bytes of decisions", said)
    assert [len(path.read_bytes().splitlines()) for path in sorted(out.glob("part-*"))] == [3, 3, 2]
    # Other decisions are another event.
    other = begin(cluster, out, TRAIN, *words, "--turns", "2")
    assert "another event" in other.communicate(timeout=300)[1] and other.returncode == 1


def test_decisions_are_merged_by_their_numbers(tmp_path: Path) -> None:
    from astragal.cluster._records import merge_decisions
    from astragal.cluster._task import Refused

    def decision(number: int) -> bytes:
        return json.dumps({"number": number}).encode() + b"\n"

    parts = [tmp_path / name for name in "abc"]
    for path, numbers in zip(parts, ([0, 3, 12], [1, 4], [])):
        path.write_bytes(b"header\n" + b"".join(map(decision, numbers)))
    merge_decisions(parts, tmp_path / "whole")
    expected = b"header\n" + b"".join(map(decision, [0, 1, 3, 4, 12]))
    assert (tmp_path / "whole").read_bytes() == expected
    parts[1].write_bytes(b"another header\n")
    with pytest.raises(Refused, match="not shards"):
        merge_decisions(parts, tmp_path / "whole")
    assert (tmp_path / "whole").read_bytes() == expected


def test_reviews_are_those_of_one_machine(cluster: Any, tmp_path: Path) -> None:
    if ENGINE is None:
        pytest.skip("there is no engine: cargo build, or set ASTRAGAL_ASTRAGAL")
    games, out = tmp_path / "games.jsonl", tmp_path / "out"
    games.write_bytes(whole(tmp_path, 10))
    command = [str(ENGINE), "review", str(games), "--depth", "1", "--seed", "2", "--json"]
    expected = subprocess.run(command, check=True, capture_output=True, timeout=300).stdout
    words = ["review", str(games), "--depth", "1", "--seed", "2", "--shards", "3"]
    finish(begin(cluster, out, ENGINE, *words))
    assert (out / "whole.jsonl").read_bytes() == expected
    # What a kill in the middle of a write leaves; the shard goes on after its last whole line.
    part = out / "part-0002.jsonl"
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(lines[0] + lines[1][:-7])
    finish(begin(cluster, out, ENGINE, *words))
    assert part.read_bytes() == b"".join(lines)
    assert (out / "whole.jsonl").read_bytes() == expected
    # Another file is another event.
    games.write_bytes(b"".join(games.read_bytes().splitlines(keepends=True)[:-1]))
    other = begin(cluster, out, ENGINE, *words)
    assert "another event" in other.communicate(timeout=300)[1] and other.returncode == 1


def test_what_the_arena_does_not_want_is_told(cluster: Any, tmp_path: Path) -> None:
    driver = start(cluster, tmp_path / "out", 40, "--nonsense")
    assert "--nonsense" in driver.communicate(timeout=300)[1] and driver.returncode == 1


def test_a_program_that_was_changed_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from astragal.cluster._task import Refused, Work, play

    monkeypatch.chdir(tmp_path)
    (tmp_path / "arena").write_text("#!/bin/sh\ntouch was-run\n")
    with pytest.raises(Refused, match="another program"):
        list(play(Work("1/1", "arena", ["match"], Lines(), {"arena": "0" * 64}, 0), b""))
    assert not (tmp_path / "was-run").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="cores are pinned on Linux only")
def test_the_cores_of_a_timed_shard_are_its_own() -> None:
    from astragal.cluster._task import own_cores

    there = len(os.sched_getaffinity(0))
    cores, locks = own_cores(there)
    assert sorted(cores) == sorted(os.sched_getaffinity(0))
    with pytest.raises(RuntimeError, match="only 0 cores"):
        own_cores(1)
    locks.close()
    own_cores(1)[1].close()


def test_which_commands_are_timed() -> None:
    from astragal.cluster.__main__ import is_timed

    for words in (["A", "B", "--tc", "60+0.6"], ["A", "B", "--tc", "st=0.1"], ["cmd:x?tc=40/60&a=1", "B", "--untimed"]):
        assert is_timed(words)
    for words in (["A", "B", "--tc", "depth=2", "--games", "40"], ["A?tc=nodes=10", "B", "--untimed", "--seed", "1"]):
        assert not is_timed(words)


def lines() -> list[bytes]:
    """A journal of two games."""
    return (ROOT / "tests" / "records" / "format1.jsonl").read_bytes().splitlines(keepends=True)


def game(number: int) -> bytes:
    """The line of a game of that number."""
    return json.dumps({"type": "game", "number": number, "pair": number // 2}).encode() + b"\n"


def test_the_prefix_has_whole_pairs_in_order(tmp_path: Path) -> None:
    header, prefix = lines()[0], Prefix(tmp_path / "prefix.jsonl")
    assert not prefix.add(header, game(3) + game(1)) and prefix.games == 0
    assert not prefix.add(header, game(2)), "the first pair is not complete"
    assert prefix.add(header, game(0)) and prefix.games == 4
    assert not prefix.add(header, game(6) + game(7))
    numbers = [json.loads(line)["number"] for line in prefix.path.read_bytes().splitlines()[1:]]
    assert numbers == [0, 1, 2, 3]


def test_a_torn_line_of_a_part_is_cut_away(tmp_path: Path) -> None:
    path = tmp_path / "part.jsonl"
    path.write_bytes(b"".join(lines()[:2]) + lines()[2][:40])
    part = PartFile(path, Lines())
    assert part.read() == b"".join(lines()[:2]) and part.header == lines()[0] and part.games == 1
    assert part.add(lines()[2]) == lines()[2] and part.games == 2
    part.close()
    assert path.read_bytes() == b"".join(lines())
    new = PartFile(tmp_path / "new.jsonl", Lines())
    assert new.header == b"" and new.add(lines()[0] + lines()[1]) == lines()[1] and new.header == lines()[0]
    new.close()


def record(number: int, last: bool) -> bytes:
    """A record of a game of that number."""
    row = np.zeros(1, astragal.POSITION_DTYPE)
    row["game"], row["kind"] = number, last
    return row.tobytes()


def test_records_are_cut_to_whole_games(tmp_path: Path) -> None:
    path, form = tmp_path / "part.bin", Records()
    header = bytes([65] * 17 + [0] * 31)
    games = record(1, False) + record(1, True) + record(3, True)
    assert form.whole(header) == 0 and form.whole(header + games) == 48 * 4
    for torn in (record(5, False), record(5, True)[:30]):
        path.write_bytes(header + games + torn)
        part = PartFile(path, form)
        assert part.header == header and part.games == 2 and part.played() == games
        assert form.last_game(part.played()) == record(3, True)
        assert part.add(record(5, True)) == record(5, True) and part.games == 3
        part.close()
        assert path.read_bytes() == header + games + record(5, True)
    path.write_bytes(header + games[:48])
    part = PartFile(path, form)
    assert part.games == 0 and part.read() == b"" and part.header == b""
    part.close()


def test_records_are_merged_in_the_order_of_the_games(tmp_path: Path) -> None:
    from astragal.cluster._records import STEP, merge_records
    from astragal.cluster._task import Refused

    rows = [b"".join(record(number, True) for number in numbers) for numbers in ([0, 2 * STEP, 2 * STEP], [1, 5])]
    parts = [tmp_path / "1.bin", tmp_path / "2.bin"]
    for number, (path, part) in enumerate(zip(parts, rows)):
        astragal.write_packed(path, np.frombuffer(part, astragal.POSITION_DTYPE), seed=3, share=(number, 2))
    merge_records(parts, tmp_path / "whole.bin")
    merged = astragal.read_packed(tmp_path / "whole.bin")
    assert merged.rows["game"].tolist() == [0, 1, 5, 2 * STEP, 2 * STEP]
    assert (merged.seed, merged.share) == (3, (0, 1))
    astragal.write_packed(parts[1], merged.rows, seed=4, share=(1, 2))
    with pytest.raises(Refused, match="not shards"):
        merge_records(parts, tmp_path / "whole.bin")


def test_headers_keep_their_text_and_games_after_the_end_are_cut(tmp_path: Path) -> None:
    header = lines()[0]
    assert header_line(header) == header
    path = tmp_path / "whole.jsonl"
    path.write_bytes(header + b"".join(map(game, range(8))))
    cut(path, 2, "0,10,0.05,0.05")
    cut_lines = path.read_bytes().splitlines(keepends=True)
    assert json.loads(cut_lines[0])["sprt"] == "0,10,0.05,0.05" and cut_lines[1:] == [game(place) for place in range(6)]
