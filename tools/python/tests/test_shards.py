"""Events in shards without Python: what `examples/shards` says is tried, each on four shards."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

SHARDS = ROOT / "tools" / "python" / "examples" / "shards"
PLAYERS = ["builtin:expectimax", "builtin:greedy"]
OPTIONS = ["--tc", "depth=1", "--games", "12", "--seed", "1"]


def run(words: Sequence[object], where: Path, **environment: str) -> None:
    """Runs a command in a folder, and tells what it says if it fails."""
    command = [str(word) for word in words]
    variables = {**os.environ, **environment}
    done = subprocess.run(command, cwd=where, env=variables, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def check(arena: Path, where: Path) -> None:
    """Merges four parts, and holds them against the journal of one machine."""
    found = sorted((where / "parts").glob("*.jsonl"))
    assert [path.name for path in found] == ["1.jsonl", "2.jsonl", "3.jsonl", "4.jsonl"]
    run([arena, "merge", *found, "--out", where / "whole.jsonl"], where)
    run([arena, "match", *PLAYERS, *OPTIONS, "--journal", where / "one.jsonl"], where)
    assert (where / "whole.jsonl").read_bytes() == (where / "one.jsonl").read_bytes()


def tear(path: Path) -> None:
    """What a kill in the middle of a write leaves."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:-7])


def test_slurm(arena: Path, tmp_path: Path) -> None:
    """With the variables that Slurm sets, as there is no Slurm here."""
    for number in (4, 1, 2, 3, 2):
        if (part := tmp_path / "parts" / f"{number}.jsonl").exists():
            tear(part)
        variables = {"SLURM_ARRAY_TASK_ID": str(number), "SLURM_ARRAY_TASK_COUNT": "4", "ARENA": str(arena)}
        run(["bash", SHARDS / "slurm.sh", *PLAYERS, *OPTIONS], tmp_path, **variables)
    check(arena, tmp_path)
    # Some shards of a larger event, submitted by themselves.
    (tmp_path / "parts" / "3.jsonl").unlink()
    variables = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "1", "SHARDS": "4", "ARENA": str(arena)}
    run(["bash", SHARDS / "slurm.sh", *PLAYERS, *OPTIONS], tmp_path, **variables)
    (tmp_path / "whole.jsonl").unlink()
    (tmp_path / "one.jsonl").unlink()
    check(arena, tmp_path)


def test_gnu_parallel(arena: Path, tmp_path: Path) -> None:
    if shutil.which("parallel") is None:
        pytest.skip("there is no GNU parallel")
    command = ["bash", SHARDS / "parallel.sh", "4", *PLAYERS, *OPTIONS]
    run(command, tmp_path, ARENA=str(arena))
    tear(tmp_path / "parts" / "2.jsonl")
    run(command, tmp_path, ARENA=str(arena))
    check(arena, tmp_path)


def job() -> Any:
    """The manifest."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    return yaml.safe_load((SHARDS / "job.yaml").read_text(encoding="utf-8"))


def test_kubernetes_by_its_schema() -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    manifest = job()
    for version in ("1.31", validate.latest_version()):
        validate.validate(manifest, version, strict=True)
    # What its documentation says beyond the schema: a limit for each index is for pods that are not started again.
    spec = manifest["spec"]
    assert spec["completionMode"] == "Indexed" and "backoffLimitPerIndex" in spec
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    mounted = {mount["name"] for mount in spec["template"]["spec"]["containers"][0]["volumeMounts"]}
    assert mounted == {volume["name"] for volume in spec["template"]["spec"]["volumes"]}
    with pytest.raises(validate.ValidationError):
        validate.validate({**manifest, "spec": {**spec, "completions": "many"}}, "1.31", strict=True)


def test_what_a_pod_runs(arena: Path, tmp_path: Path) -> None:
    """The command of the container, with the variable that Kubernetes sets, for fewer games and shards."""
    manifest = job()
    container = manifest["spec"]["template"]["spec"]["containers"][0]
    (text,) = container["args"]
    for name, other in (
        (f'/{manifest["spec"]["completions"]}" ', '/4" '),
        ("--games 10000", "--games 12"),
        ("/match/", f"{tmp_path}/"),
    ):
        assert name in text
        text = text.replace(name, other)
    path = os.pathsep.join([str(arena.parent), os.environ["PATH"]])
    for index in (0, 1, 2, 3, 1):
        if index == 1 and (tmp_path / "parts" / "2.jsonl").exists():
            tear(tmp_path / "parts" / "2.jsonl")
        run([*container["command"], text], tmp_path, JOB_COMPLETION_INDEX=str(index), PATH=path)
    check(arena, tmp_path)
