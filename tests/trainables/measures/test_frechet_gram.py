"""The Fréchet distance by products of samples is the one by covariances, and loses no digits where these do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.frechet import (
    frechet_distance,
    gaussian_statistics,
    nuclear_norm_polar,
)
from trainables.measures.frechet_gram import gram_distance


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two sets of few samples in more or fewer dimensions: some repeated, some of low rank, far from zero or not."""
    n, m, d = draw(st.integers(2, 12)), draw(st.integers(2, 12)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rank = draw(st.integers(1, d))
    basis, offset = rng.normal(size=(rank, d)), draw(st.sampled_from([0.0, 1.0, 100.0]))
    x, y = rng.normal(size=(n, rank)) @ basis + offset, 1.5 * rng.normal(size=(m, rank)) @ basis + offset
    if draw(st.booleans()):
        x[1:] = x[rng.integers(n, size=n - 1)]
    if draw(st.booleans()):
        y[: min(n, m)] = x[: min(n, m)]
    return x, y


@given(pairs())
@settings(max_examples=150)
def test_the_dense_form_says_the_same(sets: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = sets
    own, other = gaussian_statistics(x), gaussian_statistics(y)
    # The dense form takes roots of eigenvalues that are squares: a zero comes out as √1e-16 of the largest.
    size = float(own[1].trace() + other[1].trace())
    assert gram_distance(x, y) == pytest.approx(frechet_distance(*own, *other), rel=1e-9, abs=1e-6 * size)


@given(pairs())
@settings(max_examples=100)
def test_the_order_of_the_sets_does_not_matter(sets: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = sets
    size = float(np.square(x - x.mean(0)).sum() + np.square(y - y.mean(0)).sum())
    assert gram_distance(x, y) == pytest.approx(gram_distance(y, x), rel=1e-12, abs=1e-13 * size)


@given(pairs())
@settings(max_examples=100)
def test_a_set_has_no_distance_to_itself(sets: tuple[np.ndarray, np.ndarray]) -> None:
    for x in sets:
        assert gram_distance(x, x.copy()) == 0.0


@pytest.mark.parametrize("scale", [1e-30, 1e-8, 1e30])
def test_the_unit_of_the_features_is_squared(scale: float) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 40)), rng.normal(size=(9, 40))
    expected = scale**2 * gram_distance(x, y)
    assert gram_distance(scale * x, scale * y) == pytest.approx(expected, rel=1e-12, abs=0)


def test_a_difference_that_covariances_lose() -> None:
    """(1 - s)² tr Σ for Y = sX, s = 1 + 1e-6: its 1e-12 stands where the dense form has lost half its digits."""
    x = np.random.default_rng(1).normal(size=(10, 50))
    x -= x.mean(0)
    trace = float(np.square(x).sum() / 9)
    assert gram_distance(x, (1 + 1e-6) * x) == pytest.approx(1e-12 * trace, rel=1e-2, abs=0)


def test_float32_far_from_zero_is_centred_in_float64() -> None:
    rng = np.random.default_rng(2)
    x, y = ((1000 + rng.normal(size=(8, 64))).astype(np.float32) for _ in range(2))
    wide = gram_distance(x.astype(np.float64), y.astype(np.float64))
    assert gram_distance(x, y) == pytest.approx(wide, rel=1e-14)


@pytest.mark.parametrize("shape", [(5, 40), (40, 5), (12, 12)])
def test_products_alone_give_the_sum_of_singular_values(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    matrix[:, -1] = 0
    expected = float(torch.linalg.svdvals(matrix).sum())
    assert float(nuclear_norm_polar(matrix)) == pytest.approx(expected, rel=1e-10)


def test_one_sample_has_no_covariance() -> None:
    with pytest.raises(ValueError, match="a covariance needs at least 2 samples, got 1"):
        gram_distance(np.zeros((1, 4)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="same dimension"):
        gram_distance(np.zeros((2, 4)), np.zeros((3, 5)))
