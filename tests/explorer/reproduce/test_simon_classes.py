"""Two estimates of the curves of dropped and added classes, over the rectangles that are expected."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explorer.reproduce.built import built


def _lines(prefix: str, axis: str) -> dict[int, object]:
    figure = built("simon-2")[0].figure
    found = {
        int(t.name.rpartition("= ")[2]): t
        for t in figure.data
        if t.name.startswith(prefix) and t.xaxis == axis
    }
    assert list(found) == list(range(1, 10))
    return found


@pytest.mark.parametrize("axis", ["x", "x2"])
def test_expected_rectangles_have_the_printed_corners(axis: str) -> None:
    """Section 6: precision 1 and recall q/5 for q ≤ 5, precision 5/q and recall 1 beyond."""
    for q, line in _lines("expected", axis).items():
        corner = (1, q / 5) if q <= 5 else (5 / q, 1)
        assert (line.x[1], line.y[1]) == pytest.approx(corner, abs=1e-4)
        assert line.line.dash == "dot"


@pytest.mark.parametrize("axis", ["x", "x2"])
def test_both_estimates_capture_the_intended_behaviour(axis: str) -> None:
    curves = _lines("q = ", axis)
    points = {q: (np.asarray(line.x), np.asarray(line.y)) for q, line in curves.items()}
    recall = [y[x >= 0.5].max() for x, y in (points[q] for q in range(1, 6))]
    precision = [x[y >= 0.5].max() for x, y in (points[q] for q in range(5, 10))]
    assert recall == sorted(recall)
    assert precision[-1] < precision[1] < precision[0]


def test_the_classifier_overestimates_up_to_noise() -> None:
    """Theorem 5: what a classifier gives is an upper bound, here of the curve of classes that do not overlap."""
    for q, line in _lines("q = ", "x2").items():
        x, y = np.asarray(line.x), np.asarray(line.y)
        precision, recall = min(1, 5 / q), min(1, q / 5)
        on_the_diagonal = np.abs(np.arctan2(y, x) - np.arctan2(recall, precision)).argmin()
        assert x[on_the_diagonal] > precision - 0.08
        assert y[on_the_diagonal] > recall - 0.08
