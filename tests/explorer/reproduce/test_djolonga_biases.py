"""Quantising flatters, few samples do not, Gaussian fits may look worse: on the drawn frontiers."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.reproduce.djolonga_biases import BUCKETS, DRAWS, SAMPLES
from tests.explorer.reproduce.built import built
from trainables.precision_recall import frontier_gaussian

AT = np.array([0.6, 0.75, 0.9])


def _lines(figure: str, name: str, axis: str):
    return [t for t in built(figure)[0].figure.data if t.name == name and t.xaxis == axis]


def _recall(trace) -> np.ndarray:
    order = np.argsort(trace.x)
    return np.interp(AT, np.asarray(trace.x)[order], np.asarray(trace.y)[order])


def test_fewer_buckets_flatter_more() -> None:
    (truth,) = _lines("djolonga-6", "exact frontier", "x2")
    heights = [_recall(_lines("djolonga-6", f"{n} buckets", "x2")[0]) for n in BUCKETS] + [_recall(truth)]
    # The buckets are nested: data processing orders all of them.
    assert (np.diff(heights, axis=0) < 1e-6).all()
    assert (heights[0] > heights[-1] + 0.01).all()


def test_few_samples_lie_below_and_fluctuate() -> None:
    (truth,) = _lines("djolonga-6", "exact frontier", "x3")
    gaps, spreads = [], []
    for samples in SAMPLES:
        draws = np.array([_recall(trace) for trace in _lines("djolonga-6", f"{samples} samples", "x3")])
        assert len(draws) == DRAWS
        gaps.append((_recall(truth) - draws.mean(axis=0)).mean())
        spreads.append(draws.std(axis=0).mean())
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert spreads[0] > spreads[2]


def test_the_exclusive_frontier_of_the_fits_is_more_pessimistic_than_the_truth() -> None:
    (truth,), (fitted,) = (_lines("djolonga-7", name, "x2") for name in ("exact frontier", "P and Q fitted"))
    assert (_recall(fitted) < _recall(truth) - 0.05).all()


def test_a_gaussian_r_makes_the_inclusive_frontier_worse() -> None:
    truth, fitted, inside = (
        _recall(_lines("djolonga-7", name, "x3")[0])
        for name in ("exact frontier", "P and Q fitted", "P and Q fitted, R a Gaussian too")
    )
    assert (inside < fitted - 0.05).all()
    assert (inside < truth - 0.05).all()


def test_between_gaussians_the_best_exclusive_r_is_one() -> None:
    """Proposition 4: the curve drawn for any R is that of the closed form for Gaussian R."""
    (fitted,) = _lines("djolonga-7", "P and Q fitted", "x2")
    variance_p, variance_q = 0.25 + 0.2 * 16, 0.25 + 0.04
    tilts = np.exp(np.linspace(-7, 7, len(fitted.x)))
    closed = frontier_gaussian([0.0], [[variance_p]], [0.5], [[variance_q]], "exclusive", tilts)
    np.testing.assert_allclose(fitted.x, np.exp(-closed.to_model), atol=1e-4)
    np.testing.assert_allclose(fitted.y, np.exp(-closed.to_real), atol=1e-4)


@pytest.mark.parametrize("figure", ["djolonga-6", "djolonga-7"])
def test_laws_and_fits_are_densities(figure: str) -> None:
    shapes = [t for t in built(figure)[0].figure.data if t.xaxis == "x"]
    assert len(shapes) == {"djolonga-6": 2, "djolonga-7": 4}[figure]
    for shape in shapes:
        assert np.trapezoid(shape.y, shape.x) == pytest.approx(1, abs=0.02), shape.name
