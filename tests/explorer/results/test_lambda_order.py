"""How λ orders a metric, group by group: seeds pooled, seed by seed, and against luck."""

from __future__ import annotations

import math

import numpy as np
import pytest

from explorer.results.lambda_order import lambda_order

LAMBDAS = np.tile([0.1, 1.0, 10.0, 30.0], 4)
SEEDS = np.tile(np.repeat([0, 1], 4), 2)
GROUP = np.repeat([0, 1], 8)


def test_groups_and_seeds_have_their_own() -> None:
    values = np.concatenate([np.tile([1.0, 2.0, 3.0, 4.0], 2), [1, 2, 3, 4], [4, 3, 2, 1]]).astype(float)
    found = lambda_order(LAMBDAS, values, SEEDS, GROUP, 2, 1.0)
    assert found.rho == [pytest.approx(1), pytest.approx(0)]
    assert found.by_seed == [{0: 1, 1: 1}, {0: pytest.approx(1), 1: pytest.approx(-1)}]
    assert found.chance(0) == pytest.approx(1 / 576, abs=0.01)  # one order of 4! · 4!
    assert found.chance(1) == pytest.approx(0.5, abs=0.1)


def test_the_promised_side_is_the_one_that_luck_is_asked_of() -> None:
    values = np.tile([4.0, 3.0, 2.0, 1.0], 4)
    assert (lambda_order(LAMBDAS, values, SEEDS, GROUP, 2, -1.0).chance(0) or 1) < 0.02
    assert lambda_order(LAMBDAS, values, SEEDS, GROUP, 2, 1.0).chance(0) == 1.0


def test_what_is_not_there_does_not_count() -> None:
    values = np.where(np.isin(LAMBDAS, [10.0, 30.0]) & (GROUP == 1), math.nan, LAMBDAS)
    found = lambda_order(LAMBDAS, values, SEEDS, GROUP, 3, 1.0)
    assert found.rho == [pytest.approx(1), None, None]  # two values of λ, and none
    assert (found.chance(1), found.chance(2)) == (None, None)
    assert found.by_seed == [{0: 1, 1: 1}, {0: None, 1: None}, {}]
