"""A trial that does nothing tells numbers of the kind that a real one tells."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from benchmarks import idle_work
from tests.explorer.launch.packs import order
from tests.explorer.launch.small import configs, small_sweep


def test_every_trial_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_work, "SECONDS", 0.0)
    sweep = small_sweep(tmp_path)
    result = idle_work.IdleWork(order(sweep)).step()
    assert (result["done"], result["reached"]) == (True, 16)
    told = pickle.loads(result["payload"])
    assert set(told) == set(configs(sweep))
    assert all(evaluation.final and evaluation.metrics for evaluation, _ in told.values())
