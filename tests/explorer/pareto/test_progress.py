"""Hypervolume over time against the hypervolume of what had finished by then."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.pareto import progress as module
from explorer.pareto.dominance import front_mask, hypervolume
from explorer.pareto.progress import MOST_MOMENTS, Progress

CORNER = np.array([4.0, 4.0, 4.0])


@pytest.mark.parametrize("goals", [1, 2, 3, 4])
@settings(max_examples=60)
@given(data=st.data())
def test_every_step_of_the_volume_is_there(goals: int, data: st.DataObject) -> None:
    row = st.tuples(st.integers(0, 5), *[st.integers(0, 5)] * goals)
    table = np.array(data.draw(st.lists(row, max_size=25)), dtype=np.float64).reshape(-1, goals + 1)
    moments, points, corner = table[:, 0], table[:, 1:], np.full(goals, 4.0)
    grown = Progress.of(moments, points, corner)
    assert len(grown) == len(table)
    assert (np.diff(moments[grown.order]) >= 0).all()
    volumes = [hypervolume(points[grown.order[:k]], corner) for k in range(1, len(table) + 1)]
    steps = dict(zip(grown.finished.tolist(), grown.volumes.tolist(), strict=True))
    held = 0.0
    for k, volume in enumerate(volumes, 1):
        held = steps.get(k, held)
        assert held == pytest.approx(volume)
    assert grown.moments.tolist() == moments[grown.order[grown.finished - 1]].tolist()
    if len(table):
        assert grown.finished[-1] == len(table)
    for k in range(len(table) + 2):
        expected = np.zeros(len(table), dtype=bool)
        expected[grown.order[:k]] = front_mask(points[grown.order[:k]])
        assert grown.front_at(k).tolist() == expected.tolist()


def test_rows_without_a_moment_or_an_objective_take_no_part() -> None:
    points = np.array([[1.0, 1.0], [0.0, 0.0], [math.nan, 0.0], [2.0, 0.5]])
    grown = Progress.of([5.0, math.nan, 1.0, 3.0], points, [3.0, 3.0])
    assert grown.order.tolist() == [3, 0]
    assert grown.finished.tolist() == [1, 2]
    assert grown.moments.tolist() == [3.0, 5.0]
    assert grown.volumes.tolist() == pytest.approx([2.5, 2.5 + 4 - 2])
    assert grown.front_at(1).tolist() == [False, False, False, True]
    assert grown.front_at(2).tolist() == [True, False, False, True]
    nothing = Progress.of([math.nan], points[:1], [3.0, 3.0])
    assert (len(nothing), len(nothing.volumes), nothing.front_at(3).tolist()) == (0, 0, [False])


def test_of_many_steps_some_are_taken_the_first_and_the_last_among_them() -> None:
    """Points that get better one after the other: every one is a step."""
    rng = np.random.default_rng(0)
    points = rng.random((3000, 3)) * 0.01 + np.linspace(3, 0, 3000)[:, None]
    grown = Progress.of(np.arange(3000.0), points, CORNER)
    assert len(grown.volumes) <= MOST_MOMENTS + 1
    assert (grown.finished[0], grown.finished[-1]) == (1, 3000)
    assert (np.diff(grown.volumes) > 0).all()
    assert grown.volumes[-1] == pytest.approx(hypervolume(points, CORNER))
    middle = int(grown.finished[200])
    assert grown.volumes[200] == pytest.approx(hypervolume(points[:middle], CORNER))


def test_large_fronts_have_fewer_moments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 3000)
    sphere = np.abs(np.random.default_rng(0).normal(size=(300, 3)))
    sphere = 3 - sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    grown = Progress.of(np.arange(300.0), sphere, CORNER)
    assert len(grown.volumes) == 10
    assert grown.volumes[-1] == pytest.approx(hypervolume(sphere, CORNER))


def test_a_volume_that_would_take_too_long_is_none() -> None:
    sphere = np.abs(np.random.default_rng(0).normal(size=(400, 8)))
    sphere = -sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    grown = Progress.of(np.arange(400.0), sphere, np.zeros(8))
    assert grown.volumes[0] > 0
    assert math.isnan(grown.volumes[-1])
