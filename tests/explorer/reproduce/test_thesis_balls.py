"""Balls hold the mass of a chi distribution, and less of it the more dimensions there are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi

from explorer.reproduce.thesis_balls import DIMENSIONS
from tests.explorer.reproduce.built import traces


def test_the_printed_dimensions_are_drawn():
    drawn = traces("thesis-4.13")
    assert list(drawn) == list(DIMENSIONS)
    assert {784, 3072, 116412} <= set(DIMENSIONS.values())


@pytest.mark.parametrize("title", DIMENSIONS)
def test_masses_are_those_of_a_chi_distribution(title):
    trace = traces("thesis-4.13")[title]
    np.testing.assert_allclose(trace.y, chi(DIMENSIONS[title]).cdf(np.asarray(trace.x)), atol=2e-3)


def test_mass_falls_with_the_dimension_and_jumps_at_its_root():
    drawn = list(traces("thesis-4.13").values())
    for low, high in pairwise(drawn):
        assert (np.asarray(low.y) >= np.asarray(high.y) - 1e-6).all()
    for trace, m in zip(drawn, DIMENSIONS.values(), strict=True):
        x, y = np.asarray(trace.x), np.asarray(trace.y)
        if m >= 784:
            assert y[x < 0.9 * m**0.5].max() < 1e-4
            assert y[x > 1.1 * m**0.5].min() > 1 - 1e-4
