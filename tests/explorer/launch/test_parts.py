"""Trials in parts: where it is worth measuring, once, and as measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from explorer.launch.packing import PlannedTrial
from explorer.launch.parts import Parts
from tests.explorer.launch.small import configs, small_sweep
from trainables.training.sizing import Measured

TOLD: dict[str, Any] = {"gpus": 0.0, "cpus": 1.0, "measured": True}


@pytest.fixture
def trials(tmp_path: Path) -> list[PlannedTrial]:
    sweep = small_sweep(tmp_path, seeds=5, training={"iterations": 200, "batch_size": 8})
    return [PlannedTrial(name, config, 0, 200) for name, config in configs(sweep).items()]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str, int]]:
    """Trials, device and room of every measurement; larger populations are made up to be slow."""
    asked: list[tuple[int, str, int]] = []

    def measured(configs: list[Any], device: str, room: int) -> list[Measured]:
        asked.append((len(configs), device, room))
        return [Measured(1, 0.1, 0), Measured(4, 0.1, 0), Measured(10, 1.0, 0)]

    monkeypatch.setattr("trainables.training.sizing.measured_sizes", measured)
    return asked


def test_trials_are_cut_once_as_measured(
    trials: list[PlannedTrial], asked: list[tuple[int, str, int]]
) -> None:
    parts = Parts(TOLD)
    cut, reason = parts.of(trials)
    assert cut == [trials[:4], trials[4:8], trials[8:]]
    assert reason == (
        "10 trials of a pack train 4 at a time: 10 at a time are 4.0 times slower, each for itself"
    )
    assert parts.of(trials)[0] == [trials], "not measured again"
    ((count, device, room),) = asked
    assert (count, device) == (10, "cpu")
    assert 0 < room < 2**50


@pytest.mark.parametrize("spared", ["the user's choice", "few trials", "little work"])
def test_what_is_not_worth_it_is_not_measured(
    trials: list[PlannedTrial], asked: list[tuple[int, str, int]], spared: str
) -> None:
    parts = Parts({**TOLD, "measured": spared != "the user's choice"})
    if spared == "few trials":
        trials = trials[:3]
    if spared == "little work":
        trials = [PlannedTrial(t.id, t.config, 1, 200) for t in trials]
    assert parts.of(trials) == ([trials], "")
    assert asked == []
