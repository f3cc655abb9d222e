"""Sweeps from Python: loaded and planned like those of the command, refused in the same sentences."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import explorer.api as te
from explorer.launch.run import Outcome
from explorer.sweep import list_presets


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRADEOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path / "home"


def test_presets_are_those_that_can_be_loaded() -> None:
    assert te.presets() == list_presets()
    assert all(te.load_sweep(name).name == name for name in te.presets())


def test_a_plan_takes_whatever_a_sweep_comes_from_and_starts_nothing(tmp_path: Path, home: Path) -> None:
    given = {"name": "given", "space": {"objective.lam": [1, 5]}, "training": {"iterations": 10}}
    file = tmp_path / "given.yaml"
    file.write_text(str(given))
    plans = [te.plan(source) for source in (given, file, str(file), te.load_sweep(given))]
    assert {(plan.sweep, plan.trials, plan.iterations) for plan in plans} == {("given", 2, 20)}
    assert te.plan(te.load_sweep("demo", trials=6, seeds=[7, 9])).trials == 6
    assert not (home / "mlflow.db").exists()


def test_a_sweep_that_cannot_run_is_one_sentence() -> None:
    with pytest.raises(te.UserError, match="did you mean 'pr'"):
        te.load_sweep("demo", {"space": {"objective.name": ["prr"]}})
    with pytest.raises(te.UserError, match=r"no Ray cluster answers at '127.0.0.1:1'"):
        te.run_sweep("demo", address="127.0.0.1:1", progress=False)


@pytest.mark.parametrize("source", [None, 5, [], b"demo", object(), np.ones(2), np.array("demo")])
def test_what_no_sweep_comes_from_is_told(source: Any) -> None:
    for use in (te.load_sweep, te.plan, te.run_sweep):
        with pytest.raises(te.UserError, match=r"a sweep comes from a file, .*, got "):
            use(source)


@pytest.mark.parametrize("changes", [5, [], "name=quick", ["name=quick"], np.ones(2), object()])
def test_changes_that_are_no_mapping_are_told(changes: Any) -> None:
    with pytest.raises(te.UserError, match=r"changes must be a mapping such as .*, got "):
        te.load_sweep("demo", changes)


def test_options_of_a_run_that_are_none_are_told() -> None:
    wrong: Any
    for wrong in (5, b"auto", object(), np.ones(2)):
        with pytest.raises(te.UserError, match="the address must be text, got "):
            te.run_sweep("demo", address=wrong, progress=False)
    for wrong in (None, "no", np.ones(2)):
        with pytest.raises(te.UserError, match="progress must be True or False, got "):
            te.run_sweep("demo", address="127.0.0.1:1", progress=wrong)


@pytest.mark.parametrize("progress", [False, True])
def test_nothing_is_printed_but_progress(capsys: pytest.CaptureFixture[str], progress: bool) -> None:
    with pytest.raises(te.UserError):
        te.run_sweep("demo", address="127.0.0.1:1", progress=progress)
    told = capsys.readouterr()
    assert told.out == ""
    assert ("sweep demo: 28 trials" in told.err) == progress


def test_an_interrupted_sweep_raises_and_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    left = Outcome("demo", 36, 20, 0, 0, 8, interrupted=True)
    monkeypatch.setattr("explorer.launch.run.run_sweep", lambda *_: left)
    with pytest.raises(KeyboardInterrupt, match=r"20 of 36 trials finished; .* continues with the other 16"):
        te.run_sweep("demo")


def test_planning_loads_neither_ray_nor_torch() -> None:
    code = (
        "import sys, explorer.api as te\n"
        "assert te.plan('demo').trials == 28\n"
        "print([m for m in ('ray', 'torch', 'optuna', 'mlflow', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
