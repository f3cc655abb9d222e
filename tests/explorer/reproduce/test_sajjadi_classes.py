"""Inception Score and Fréchet distance as classes go and come, on the images themselves."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.explorer.reproduce.built import built, traces

PLACES = [("sajjadi-5-left", 0), ("sajjadi-11", 0), ("sajjadi-11", 1)]


def _heights(figure: str, panel: int, name: str) -> np.ndarray:
    trace = traces(figure, panel)[f"{name} of the first i classes"]
    assert list(trace.x) == list(range(1, 11))
    return np.asarray(trace.y)


@pytest.mark.parametrize(("figure", "panel"), PLACES)
def test_the_distance_is_least_at_five_classes(figure: str, panel: int) -> None:
    """The caption in print: FID is sensitive to both the addition and the removal of classes."""
    distance = _heights(figure, panel, "Fréchet distance")
    assert distance.argmin() == 4
    assert distance[0] > distance[1] > distance[2:4].max()
    assert min(distance[3], distance[5]) > 2 * distance[4]
    assert distance[9] > distance[5]


@pytest.mark.parametrize(("figure", "panel"), PLACES)
def test_the_inception_score_generally_only_rises(figure: str, panel: int) -> None:
    score = _heights(figure, panel, "Inception Score")
    assert 1 <= score[0] < 1.7
    assert (np.diff(score) > 0).sum() >= 8
    assert score[9] > score[4] + 2


@pytest.mark.parametrize("panel", [0, 1])
def test_the_curves_tell_what_the_distance_does_not(panel: int) -> None:
    """Dropping leads to a loss in recall (i = 1…4), adding to a loss in precision (i = 6…10)."""
    curves = {name: t for name, t in traces("sajjadi-11", panel).items() if name.startswith("i = ")}
    assert len(curves) == 10

    points = {int(name[4:]): (np.asarray(t.x), np.asarray(t.y)) for name, t in curves.items()}
    precision = {i: x[y >= 0.5].max() for i, (x, y) in points.items() if i >= 5}
    assert precision[10] < precision[6] < precision[5]
    assert min(y[x >= 0.3].max() for i, (x, y) in points.items() if i >= 5) > 0.85
    recall = [y[x >= 0.5].max() for i, (x, y) in points.items() if i <= 5]
    assert recall == sorted(recall)
    assert recall[0] < 0.5


def test_the_caption_names_values_that_are_drawn() -> None:
    (panel,) = built("sajjadi-5-left")
    distance = _heights("sajjadi-5-left", 0, "Fréchet distance")
    told = re.search(r"it is (\d+) at i = (\d+) and (\d+) at i = (\d+)", panel.caption)
    assert told is not None
    numbers = [int(number) for number in told.groups()]
    for value, i in zip(numbers[::2], numbers[1::2], strict=True):
        assert value == pytest.approx(distance[i - 1], abs=0.51)
    assert numbers[1] < 5 < numbers[3]
    assert numbers[0] == pytest.approx(numbers[2], rel=0.3)
    assert "stand in for MNIST" in built("sajjadi-11")[0].caption
