"""Levels of λ, and how models compare at them: means over seeds, the best of every column, what seeds would do."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.results.promise import BINS, MOST_LEVELS, levels_of, own_lambda
from explorer.store.schema import TRADE_OFFS
from tests.explorer.results.peaked import peaked


def test_few_values_are_levels_and_many_are_neighbourhoods() -> None:
    levels, which = levels_of([3.0, 1.0, 3.0, 0.5])
    assert levels == (0.5, 1.0, 3.0)
    assert which.tolist() == [2, 1, 2, 0]
    many = np.geomspace(0.01, 100, 10 * (MOST_LEVELS + 1))
    levels, which = levels_of(many.tolist())
    assert len(levels) == BINS
    assert np.bincount(which).max() - np.bincount(which).min() <= 1
    assert (np.diff(which) >= 0).all()
    assert levels[0] == pytest.approx(float(np.exp(np.log(many[which == 0]).mean())))


def test_shares_are_means_of_what_is_read_between_trade_offs() -> None:
    flat = tuple(min(1.0, t) * 0.5 for t in TRADE_OFFS)
    steep = tuple(min(1.0, t) * 0.7 for t in TRADE_OFFS)
    found = own_lambda([0.2, 0.2, 2.0], [flat, steep, flat], [0, 1, 0])
    assert found is not None
    np.testing.assert_allclose(found.shares, [[0.6, 0.6], [0.5, 0.5]], rtol=1e-9)
    assert found.best == (0.2, 0.2)
    assert found.regret == pytest.approx((0.0, 0.1))
    assert found.within == (True, None)  # of one seed that both have, nothing can be told
    assert found.worst == (pytest.approx(0.1), 2.0, 0.2)


def test_a_difference_is_held_against_that_of_seeds() -> None:
    def models(apart: list[float]) -> list[tuple[float, ...]]:
        return [tuple(min(1.0, t) * (0.5 + d) for t in TRADE_OFFS) for d in apart]

    steady = own_lambda([1.0] * 4 + [5.0] * 4, models([0.0] * 4 + [0.1, 0.11, 0.1, 0.09]), [0, 1, 2, 3] * 2)
    unsteady = own_lambda([1.0] * 4 + [5.0] * 4, models([0.0] * 4 + [0.3, -0.2, 0.3, 0.0]), [0, 1, 2, 3] * 2)
    assert steady is not None
    assert unsteady is not None
    assert (steady.regret[0], unsteady.regret[0]) == (pytest.approx(0.1), pytest.approx(0.1))
    assert (steady.within[0], unsteady.within[0]) == (False, True)


@pytest.mark.parametrize("lambdas", [[], [1.0], [1.0, 1.0], [1e-9, 1.0], [1.0, 1e9]])
def test_there_is_nothing_to_compare_below_two_levels(lambdas: list[float]) -> None:
    assert own_lambda(lambdas, [peaked(1.0) for _ in lambdas], [0 for _ in lambdas]) is None


def test_plain_data_have_all_of_it() -> None:
    found = own_lambda([0.1, 1.0, 10.0], [peaked(lam) for lam in (0.1, 1.0, 10.0)], [None] * 3)
    assert found is not None
    plain = found.as_dict()
    assert plain["own_best"] == 3
    assert set(plain) == {"levels", "shares", "best", "regret", "within_noise", "own_best", "gain", "p"}
