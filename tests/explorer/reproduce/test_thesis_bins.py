"""Six pairs of laws on two bins have the largest precision and recall that the thesis prints."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.thesis_bins import CASES
from tests.explorer.reproduce.built import built, traces

LARGEST = {"A": (0, 0), "B": (0.5, 1), "C": (1, 1), "D": (1, 1), "E": (1, 0.5), "F": (1, 1)}


@pytest.mark.parametrize("name", CASES)
def test_the_largest_precision_and_recall_are_the_printed_ones(name):
    line = traces("thesis-3.10")[f"curve of {name}"]
    assert (max(line.x), max(line.y)) == pytest.approx(LARGEST[name])
    (number,) = [n for n in built("thesis-3.10")[0].numbers if n.what.startswith(name)]
    assert number.computed == ", ".join(f"{value:g}" for value in LARGEST[name])
    for printed, computed in zip(number.printed.split(", "), number.computed.split(", "), strict=True):
        assert printed in (computed, "not given")


@pytest.mark.parametrize("name", CASES)
def test_every_point_of_a_curve_is_the_sum_of_minima(name):
    line, (p, q) = traces("thesis-3.10")[f"curve of {name}"], CASES[name]
    for alpha, beta in zip(line.x[1:-1:10], line.y[1:-1:10], strict=True):
        if alpha > 0.01 and beta > 0.01:
            lam = alpha / beta
            expected = sum(min(lam * a, b) for a, b in zip(p, q, strict=True))
            assert alpha == pytest.approx(expected, rel=2e-3)


def test_swapping_the_laws_swaps_the_axes():
    lines = traces("thesis-3.10")
    for first, second in (("B", "E"), ("C", "D")):
        assert CASES[first] == CASES[second][::-1]
        np.testing.assert_allclose(
            lines[f"curve of {first}"].x, lines[f"curve of {second}"].y[::-1], atol=1e-5
        )


def test_bars_show_the_laws():
    bars = [t for t in built("thesis-3.10")[0].figure.data if t.type == "bar"]
    drawn = [tuple(bar.y) for bar in bars]
    assert drawn == [law for pair in CASES.values() for law in pair]
    assert all(sum(law) == pytest.approx(1.0) for law in drawn)
