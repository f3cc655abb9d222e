"""The Fréchet distance by products of samples is the one by covariances, and loses no digits where these do."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trainables.measures.frechet import (
    frechet_distance,
    frechet_influence,
    gaussian_statistics,
    nuclear_norm_polar,
)
from trainables.measures.frechet_gram import gram_fit


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
@settings(max_examples=150, deadline=None)
def test_the_dense_form_says_the_same(sets: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = sets
    own, other = gaussian_statistics(x), gaussian_statistics(y)
    # The dense form takes roots of eigenvalues that are squares: a zero comes out as √1e-16 of the largest.
    size = float(own[1].trace() + other[1].trace())
    assert gram_fit(x, y).distance == pytest.approx(frechet_distance(*own, *other), rel=1e-9, abs=1e-6 * size)


@given(pairs())
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_sets_does_not_matter(sets: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = sets
    size = float(np.square(x - x.mean(0)).sum() + np.square(y - y.mean(0)).sum())
    assert gram_fit(x, y).distance == pytest.approx(gram_fit(y, x).distance, rel=1e-12, abs=1e-13 * size)


@given(pairs())
@settings(max_examples=100, deadline=None)
def test_a_set_has_no_distance_to_itself(sets: tuple[np.ndarray, np.ndarray]) -> None:
    for x in sets:
        assert gram_fit(x, x.copy()).distance == 0.0


@pytest.mark.parametrize("scale", [1e-30, 1e-8, 1e30])
def test_the_unit_of_the_features_is_squared(scale: float) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 40)), rng.normal(size=(9, 40))
    expected = scale**2 * gram_fit(x, y).distance
    assert gram_fit(scale * x, scale * y).distance == pytest.approx(expected, rel=1e-12, abs=0)


def test_a_difference_that_covariances_lose() -> None:
    """(1 - s)² tr Σ for Y = sX, s = 1 + 1e-6: its 1e-12 stands where the dense form has lost half its digits."""
    x = np.random.default_rng(1).normal(size=(10, 50))
    x -= x.mean(0)
    trace = float(np.square(x).sum() / 9)
    assert gram_fit(x, (1 + 1e-6) * x).distance == pytest.approx(1e-12 * trace, rel=1e-2, abs=0)


def test_float32_far_from_zero_is_centred_in_float64() -> None:
    rng = np.random.default_rng(2)
    x, y = ((1000 + rng.normal(size=(8, 64))).astype(np.float32) for _ in range(2))
    wide = gram_fit(x.astype(np.float64), y.astype(np.float64))
    assert gram_fit(x, y).distance == pytest.approx(wide.distance, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "m", "d"), [(2, 2, 5), (2, 9, 4), (20, 15, 100), (40, 300, 100), (300, 40, 100)]
)
def test_influences_are_those_of_the_dense_form(n: int, m: int, d: int) -> None:
    rng = np.random.default_rng(n * m)
    x, y = rng.normal(size=(n, d)), 1.2 * rng.normal(size=(m, d)) + 0.1
    own, other = gaussian_statistics(x), gaussian_statistics(y)
    of_x, of_y = gram_fit(x, y).influences()
    expected = frechet_influence(torch.from_numpy(x), own, other)
    torch.testing.assert_close(of_x, expected, rtol=1e-9, atol=1e-10)
    expected = frechet_influence(torch.from_numpy(y), other, own)
    torch.testing.assert_close(of_y, expected, rtol=1e-9, atol=1e-10)


def test_influences_are_the_derivative() -> None:
    """A sample that moves the mean by ε(x-μ) and the covariance by ε((x-μ)(x-μ)ᵀ-Σ) moves the distance so much."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(7, 30)), rng.normal(size=(9, 30)) + 0.3
    xc, yc, gap = (x - x.mean(0)), (y - y.mean(0)) / np.sqrt(8), x.mean(0) - y.mean(0)

    def distance(row: np.ndarray, step: float) -> float:
        factor = np.concatenate([np.sqrt((1 - step) / 6) * xc, np.sqrt(step) * row[None]])
        nuclear = np.linalg.svd(factor @ yc.T, compute_uv=False).sum()
        return float(
            np.square(gap + step * row).sum() + np.square(factor).sum() + np.square(yc).sum() - 2 * nuclear
        )

    slopes = np.array([(distance(row, 1e-7) - distance(row, 0.0)) / 1e-7 for row in xc])
    found, _ = gram_fit(x, y).influences()
    np.testing.assert_allclose(found, slopes - slopes.mean(), atol=1e-4)


@pytest.mark.parametrize("shape", [(5, 40), (40, 5), (12, 12)])
def test_products_alone_give_the_sum_of_singular_values(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    matrix[:, -1] = 0
    expected = float(torch.linalg.svdvals(matrix).sum())
    assert float(nuclear_norm_polar(matrix)) == pytest.approx(expected, rel=1e-10)


def test_one_sample_has_no_covariance() -> None:
    with pytest.raises(ValueError, match="a covariance needs at least 2 samples, got 1"):
        gram_fit(np.zeros((1, 4)), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="same dimension"):
        gram_fit(np.zeros((2, 4)), np.zeros((3, 5)))
