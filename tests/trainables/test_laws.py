"""A list of numbers is a law, up to rounding, or is refused with what it is instead."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainables.laws import probabilities


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=20))
def test_what_sums_to_one_is_a_law_and_normalised(weights: list[float]) -> None:
    law = probabilities(np.array(weights) / sum(weights))
    assert law.dtype == np.float64
    assert law.sum() == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([], r"must be a list of probabilities, got shape \(0,\)"),
        ([[1.0]], r"got shape \(1, 1\)"),
        ([1.5, -0.5], "must be ≥ 0, got -0.5"),
        ([float("nan"), 1.0], "must be ≥ 0, got nan"),
        ([float("inf"), 0.0], "must sum to 1, got inf"),
        ([0.5, 0.6], "must sum to 1, got 1.1"),
        ([0.0, 0.0], "must sum to 1, got 0"),
    ],
)
def test_what_is_no_law_is_told(values: list[float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        probabilities(values, "--real")
