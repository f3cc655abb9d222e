"""Laws that differ much, with supports that do not: perfect scores beside a poor curve."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.djolonga_supports import WEIGHTS
from tests.explorer.reproduce.built import built, traces


def test_supports_give_essentially_perfect_scores_where_the_curve_is_poor() -> None:
    drawn = traces("djolonga-5")
    star = drawn["k-nearest-neighbour precision and recall"]
    assert min(star.x[0], star.y[0]) > 0.97
    curve = drawn["PR curve, exact"]
    x, y = np.asarray(curve.x), np.asarray(curve.y)
    middle = np.abs(x - y).argmin()
    # Modes that do not overlap share min(0.93, 0.07) of each side.
    assert x[middle] == pytest.approx(2 * WEIGHTS[1], abs=0.01)
    assert np.trapezoid(y, x) < 0.2


def test_the_numbers_are_those_drawn() -> None:
    (panel,) = built("djolonga-5")
    star = traces("djolonga-5")["k-nearest-neighbour precision and recall"]
    assert [number.computed for number in panel.numbers] == [f"{star.x[0]:.3f}", f"{star.y[0]:.3f}"]
