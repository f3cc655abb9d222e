"""Ranks and ρ of many segments at once are those of each by itself."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from explorer.results.correlation import ranked, spearman_within

few = st.integers(-3, 3).map(float)
rows = st.lists(st.tuples(st.integers(0, 3), few, few), min_size=1, max_size=40)


@given(rows)
def test_segments_are_ranked_one_by_one(found: list[tuple[int, float, float]]) -> None:
    segment, x, _ = (np.array(column) for column in zip(*found, strict=True))
    ranks, distinct = ranked(x, segment, 5)
    for number in range(5):
        own = x[segment == number]
        expected = rankdata(own) - (len(own) + 1) / 2 if len(own) else []
        np.testing.assert_array_equal(ranks[segment == number], expected)
        assert distinct[number] == len(set(own.tolist()))


@given(rows)
def test_every_segment_has_its_own_correlation(found: list[tuple[int, float, float]]) -> None:
    segment, x, y = (np.array(column) for column in zip(*found, strict=True))
    for number, rho in enumerate(spearman_within(x, y, segment, 5)):
        own = segment == number
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = spearmanr(x[own], y[own]).statistic if own.sum() > 1 else math.nan
        assert rho == pytest.approx(expected, abs=1e-12, nan_ok=True)
