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
    assert (np.diff(distance[:5]) < 0).all()
    assert distance[9] > distance[5] > 2 * distance[4]


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

    def reach(i: int, level: float) -> tuple[float, float]:
        """(largest precision, largest recall) among pairs whose other entry is at least ``level``."""
        x, y = (np.asarray(values) for values in (curves[f"i = {i}"].x, curves[f"i = {i}"].y))
        return float(x[y >= level].max()), float(y[x >= level].max())

    precision = [reach(i, 0.5)[0] for i in range(5, 11)]
    assert precision[5] < precision[1] < precision[0]
    assert min(reach(i, 0.3)[1] for i in range(5, 11)) > 0.85
    recalls = [reach(i, 0.5)[1] for i in range(1, 6)]
    assert recalls == sorted(recalls)
    assert recalls[0] < 0.5


def test_the_caption_names_values_that_are_drawn() -> None:
    (panel,) = built("sajjadi-5-left")
    distance = _heights("sajjadi-5-left", 0, "Fréchet distance")
    told = re.search(
        r"(\d+) at i = (\d+) lies between (\d+) at i = (\d+) and (\d+) at i = (\d+)", panel.caption
    )
    assert told is not None
    numbers = [int(number) for number in told.groups()]
    for value, i in zip(numbers[::2], numbers[1::2], strict=True):
        assert value == pytest.approx(distance[i - 1], abs=0.51)
    assert numbers[1] > 5 > numbers[5]
    assert "stand in for MNIST" in built("sajjadi-11")[0].caption
