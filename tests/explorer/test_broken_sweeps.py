"""Sweep files that are broken for sure: each is refused in one sentence with exit code 2, and nothing is begun.

``benchmarks/mangled_sweeps.py`` runs thousands.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from explorer.launch import run
from tests.explorer.broken_sweeps import KINDS, broken_sweeps, fault_of

SAMPLE = list(broken_sweeps(seed=4, count=22 * len(KINDS)))


@pytest.fixture(autouse=True)
def nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("a broken sweep was begun")

    monkeypatch.setattr(run, "run_sweep", begun)
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


@pytest.mark.parametrize("kind", sorted({case.kind for case in SAMPLE}))
def test_every_one_is_refused_in_one_sentence(kind: str, tmp_path: Path) -> None:
    faults = {}
    for number, case in enumerate(case for case in SAMPLE if case.kind == kind):
        with TemporaryDirectory(dir=tmp_path) as folder:
            if fault := fault_of(case, Path(folder), whole=number == 0):
                faults[case.name] = fault
    assert not faults
    assert not (tmp_path / "home" / "mlflow.db").exists()


@pytest.mark.parametrize("number", [2, 9, 13])
def test_the_command_itself_ends_with_code_two(number: int, tmp_path: Path) -> None:
    case = SAMPLE[number]
    for name, text in case.beside.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "broken.yaml").write_bytes(case.file)
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "sweep", "broken.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert done.stderr.startswith("tradeoff: ")


def test_the_sample_is_large_and_equal_seeds_break_equally() -> None:
    assert len(SAMPLE) >= 300
    assert min(Counter(case.kind for case in SAMPLE).values()) >= 22
    assert list(broken_sweeps(seed=4, count=60)) == SAMPLE[:60]
    assert [case.file for case in broken_sweeps(5, 60)] != [case.file for case in SAMPLE[:60]]
