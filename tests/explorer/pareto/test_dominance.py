"""Fronts, ranks and ties against their definitions, on points with ties and gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from explorer.pareto.dominance import front_mask, hypervolume, is_long, ranks, ties

SOME = st.integers(1, 4).flatmap(
    lambda goals: arrays(
        np.float64,
        st.tuples(st.integers(0, 14), st.just(goals)),
        elements=st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, -1e300, math.nan, math.inf]),
    )
)


def dominates(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((a <= b).all() and (a < b).any())


def by_definition(points: np.ndarray) -> list[int]:
    """1 + the greatest rank among the dominators, in the order of their sums, which dominators come first in."""
    finite = [i for i in range(len(points)) if np.isfinite(points[i]).all()]
    found = [-1] * len(points)
    for i in sorted(finite, key=lambda i: tuple(points[i])):
        found[i] = 1 + max((found[j] for j in finite if dominates(points[j], points[i])), default=-1)
    return found


@settings(max_examples=150)
@given(SOME)
def test_ranks_and_front_are_those_of_the_definition(points: np.ndarray) -> None:
    expected = by_definition(points)
    assert ranks(points).tolist() == expected
    assert front_mask(points).tolist() == [rank == 0 for rank in expected]


def test_many_fronts_and_large_ones_of_three_objectives() -> None:
    rng = np.random.default_rng(0)
    layers = rng.integers(0, 30, size=(400, 1))
    simplex = rng.dirichlet(np.ones(3), size=400)
    points = simplex + layers * 2.0
    assert ranks(points).tolist() == np.unique(layers, return_inverse=True)[1].reshape(-1).tolist()


def test_the_order_and_layout_of_rows_do_not_matter() -> None:
    points = np.random.default_rng(1).integers(0, 6, size=(60, 3)).astype(float)
    order = np.random.default_rng(2).permutation(60)
    assert (ranks(points)[order] == ranks(np.asfortranarray(points[order]))).all()


@settings(max_examples=100)
@given(SOME)
def test_ties_are_rows_equal_in_everything(points: np.ndarray) -> None:
    codes = ties(points)
    whole = ~np.isnan(points).any(axis=1)
    assert (codes[~whole] == -1).all()
    for i in np.flatnonzero(whole):
        assert (codes == codes[i]).tolist() == [bool((points[i] == other).all()) for other in points]
    _, first = np.unique(codes[whole], return_index=True)
    assert sorted(first) == first.tolist(), "codes come by first appearance"
    assert set(codes[whole]) == set(range(len(first)))


def test_a_hypervolume_counts_what_lies_before_the_corner() -> None:
    points = np.array([[0.0, 2.0], [1.0, 1.0], [1.5, 1.5], [9.0, 0.0], [math.nan, 0.0], [-math.inf, 0.0]])
    assert hypervolume(points, np.array([3.0, 3.0])) == pytest.approx(3 * 1 + 2 * 1)
    assert hypervolume(points[:0], np.array([math.nan, 3.0])) == 0
    assert hypervolume(points[4:], np.array([3.0, 3.0])) == 0
    assert math.isnan(hypervolume(points, np.array([3.0, math.nan])))


def test_what_would_take_too_long_is_decided_by_the_front_alone() -> None:
    rng = np.random.default_rng(0)
    sphere = np.abs(rng.normal(size=(400, 8)))
    sphere = -sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    assert is_long(400, 8)
    assert not is_long(40, 8)
    assert not is_long(10**6, 3)
    assert math.isnan(hypervolume(sphere, np.zeros(8)))
    assert hypervolume(np.vstack((sphere, np.full(8, -1.0))), np.zeros(8)) == pytest.approx(1)
