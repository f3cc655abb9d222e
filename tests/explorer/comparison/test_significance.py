"""Tests over seeds: those of scipy where it has them, and no claim where there is nothing to claim it by."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from explorer.comparison.significance import ALPHA, Difference, difference, holm


def by_seed(values: list[float], first: int = 0) -> dict[object, float]:
    return {first + seed: value for seed, value in enumerate(values)}


RNG = np.random.default_rng(0)
X, Y = RNG.normal(1.0, 0.2, 5).tolist(), RNG.normal(0.6, 0.5, 5).tolist()


def test_seeds_that_both_have_are_paired() -> None:
    found, peer = difference(by_seed(X), by_seed(Y)), stats.ttest_rel(X, Y)
    assert (found.test, found.pairs, found.seeds) == ("paired", 5, (5, 5))
    assert found.p == pytest.approx(peer.pvalue)
    low, high = peer.confidence_interval(1 - ALPHA)
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize("first", [2, 100])
def test_other_seeds_are_compared_by_their_means(first: int) -> None:
    found, peer = difference(by_seed(X), by_seed(Y, first)), stats.ttest_ind(X, Y, equal_var=False)
    assert (found.test, found.pairs) == ("welch", 0)
    assert found.p == pytest.approx(peer.pvalue)
    low, high = peer.confidence_interval(1 - ALPHA)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_keys_that_are_no_seeds_pair_nothing() -> None:
    assert difference(by_seed(X), by_seed(Y), seeded=False).test == "welch"


def test_fewer_seeds_than_the_other_has_are_paired_where_they_are_among_them() -> None:
    found = difference(by_seed(X), by_seed(Y[:3]))
    assert (found.test, found.pairs, found.seeds) == ("paired", 3, (5, 3))
    assert found.value == pytest.approx(np.mean(X[:3]) - np.mean(Y[:3]))


@pytest.mark.parametrize(
    ("of", "to"), [(X[:1], Y[:1]), (X[:2], Y[:2]), (X[:1], Y), (X, Y[:2]), (X[:2], by_seed(Y[:2], 9))]
)
def test_of_fewer_than_three_seeds_nothing_is_significant(of: list[float], to: list[float] | dict) -> None:
    found = difference(by_seed(of), to if isinstance(to, dict) else by_seed(to))
    assert found.is_known
    assert found.p is None
    assert not holm([found])[0].is_significant


def test_what_one_side_lacks_is_not_known() -> None:
    found = difference({}, by_seed(Y))
    assert not found.is_known
    assert not found.is_significant


def test_values_that_do_not_spread_claim_no_more_than_their_order_does() -> None:
    eight, seven = [8.0, 8.0, 8.0], [7.0, 7.0, 7.0]
    assert difference(by_seed(eight), by_seed(seven)).p == 0.25, "2 of 2³ signs"
    assert difference(by_seed(eight), by_seed(seven, 10)).p == pytest.approx(2 / 20)
    assert difference(by_seed(eight), by_seed(eight)).p == 1.0
    rounded = [0.1 + 0.2, 0.3, 0.3]
    assert difference(by_seed(rounded), by_seed([0.3, 0.3, 0.3])).p == 1.0, "rounding is no difference"


def made(p: float | None) -> Difference:
    return Difference(1.0, 0.5, 1.5, p, p, "welch", (5, 5))


def test_holm_is_that_of_the_text_book_and_passes_over_what_was_not_tested() -> None:
    found = holm([made(p) for p in (0.01, 0.04, None, 0.03, 0.005)])
    assert [one.corrected for one in found] == pytest.approx([0.03, 0.06, None, 0.06, 0.02])
    assert [one.is_significant for one in found] == [True, False, False, False, True]
    assert [one.p for one in found] == [0.01, 0.04, None, 0.03, 0.005]
    assert holm([]) == []
    assert holm([made(0.9), made(0.8)])[0].corrected == 1.0


def test_of_equal_laws_hardly_any_comparison_is_called_different() -> None:
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(400):
        values = rng.normal(size=(6, 2, 4))
        found = holm([difference(by_seed(a.tolist()), by_seed(b.tolist())) for a, b in values])
        wrong += any(one.is_significant for one in found)
    # Binomial: 20 expected of 400 if the bound is met exactly; 34 are beyond three standard deviations.
    assert wrong <= 34


def test_a_difference_is_its_own_mirror_image() -> None:
    there, back = difference(by_seed(X), by_seed(Y)), difference(by_seed(Y), by_seed(X))
    mirrored = replace(back, value=-back.value, low=-back.high, high=-back.low, seeds=back.seeds)
    assert math.isclose(there.low, mirrored.low)
    assert (there.value, there.p) == pytest.approx((mirrored.value, mirrored.p))


@pytest.mark.parametrize("unit", [1e-300, 1e-90, 1e90, 1e200, 1e307])
@pytest.mark.parametrize("first", [0, 100])
def test_values_of_any_size_are_tested(unit: float, first: int) -> None:
    near = difference(by_seed(X), by_seed(Y, first))
    far = difference(by_seed([unit * x for x in X]), by_seed([unit * y for y in Y], first))
    assert (far.test, far.p) == (near.test, pytest.approx(near.p))
    assert [far.value / unit, far.low / unit, far.high / unit] == pytest.approx(
        [near.value, near.low, near.high]
    )
