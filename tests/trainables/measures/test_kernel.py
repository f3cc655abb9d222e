"""KID: parity with scikit-learn's kernel, unbiasedness, blocks and subsets."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel

from trainables.measures import kernel
from trainables.measures.kernel import kernel_distance, kernel_distance_blocks, kernel_estimate


def _reference(x, y):
    kxx, kyy, kxy = (polynomial_kernel(a, b, degree=3, coef0=1) for a, b in ((x, x), (y, y), (x, y)))
    n, m = len(x), len(y)
    within = (kxx.sum() - np.trace(kxx)) / (n * (n - 1)) + (kyy.sum() - np.trace(kyy)) / (m * (m - 1))
    return within - 2 * kxy.mean()


@pytest.mark.parametrize(("n", "m", "d"), [(40, 60, 3), (1500, 1100, 17), (90, 30, 300)])
def test_matches_the_formula_with_sklearns_kernel(n, m, d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(n, d)), 1.2 * rng.normal(size=(m, d)) + 0.1
    assert kernel_distance(x, y) == pytest.approx(_reference(x, y), rel=1e-9)


def test_variance_against_its_formula_with_whole_matrices(monkeypatch):
    """Row means and doubly centred squares, from matrices that are held; tiles that do not divide the sets."""
    monkeypatch.setattr(kernel, "_STEP", 16)
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(50, 3)), 1.3 * rng.normal(size=(41, 3)) + 0.8
    n, m = len(x), len(y)
    kxx, kyy, kxy = (polynomial_kernel(a, b, degree=3, coef0=1) for a, b in ((x, x), (y, y), (x, y)))

    def without_diagonal(k):
        size, off = len(k), ~np.eye(len(k), dtype=bool)
        rows = np.where(off, k, 0).sum(1) / (size - 1)
        centred = k - rows[:, None] - rows[None] + k[off].mean()
        return rows, np.square(centred[off]).mean()

    (of_x, zeta_x), (of_y, zeta_y) = without_diagonal(kxx), without_diagonal(kyy)
    centred = kxy - kxy.mean(1)[:, None] - kxy.mean(0)[None] + kxy.mean()
    pairs = 2 * zeta_x / (n * (n - 1)) + 2 * zeta_y / (m * (m - 1)) + 4 * np.square(centred).mean() / (n * m)
    noisy = 4 * (of_x - kxy.mean(1)).var(ddof=1) / n + 4 * (of_y - kxy.mean(0)).var(ddof=1) / m
    seen = []
    found = kernel_estimate(x, y, progress=lambda done, total: seen.append((done, total)))
    assert found.value == pytest.approx(_reference(x, y), rel=1e-9)
    assert found.pairs == pytest.approx(pairs, rel=1e-9)
    assert found.linear == pytest.approx(noisy - 2 * pairs, rel=1e-9)
    assert seen[-1] == (10 + 6 + 12, 10 + 6 + 12)


@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_variance_is_that_of_fresh_sets(shift):
    rng = np.random.default_rng(9)
    found = [kernel_estimate(rng.normal(size=(80, 4)), rng.normal(size=(100, 4)) + shift) for _ in range(250)]
    spread = np.std([one.value for one in found])
    told = np.sqrt(np.mean([one.linear + one.pairs for one in found]))
    assert (
        0.85 < told / spread < 1.4
    )  # for equal laws somewhat too large: what is left of single samples is cut off at 0


def test_unbiased_when_the_laws_agree():
    """Means near zero with both signs; the biased estimate would be about 2k/n > 0.05."""
    rng = np.random.default_rng(1)
    values = [kernel_distance(rng.normal(size=(60, 5)), rng.normal(size=(60, 5))) for _ in range(100)]
    assert abs(np.mean(values)) < 4 * np.std(values) / 10
    assert min(values) < 0 < max(values)


def test_blocks_are_disjoint_and_cover():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(230, 4)), rng.normal(size=(500, 4)) + 0.5
    values = kernel_distance_blocks(x, y, size=1000, seed=3)
    assert len(values) == 10  # a tenth of the smaller set each
    assert np.mean(values) == pytest.approx(kernel_distance(x, y), rel=0.3)
    np.testing.assert_array_equal(values, kernel_distance_blocks(x, y, size=1000, seed=3))
    seen = []
    kernel_distance_blocks(x, y, size=5, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (46, 46)


def test_subsets_by_convention():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(120, 4)), rng.normal(size=(120, 4)) + 1
    values = kernel_distance_blocks(x, y, size=100, subsets=30)
    assert values.shape == (30,)
    assert values.mean() == pytest.approx(kernel_distance(x, y), rel=0.2)
    with pytest.raises(ValueError, match="subsets of 200"):
        kernel_distance_blocks(x, y, size=200, subsets=3)
    with pytest.raises(ValueError, match="at least 4 samples"):
        kernel_distance_blocks(x[:3], y)


def test_overflow_is_a_sentence():
    x = np.random.default_rng(0).normal(size=(20, 3)) * 1e60
    with pytest.raises(ValueError, match="overflows float64"):
        kernel_distance(x, x)


@pytest.mark.parametrize("scale", [1e-8, 1e-12, 1e-30])
def test_small_features_keep_their_digits(scale: float) -> None:
    # s ≪ 1: (1 + s)³ - 1 = 3s up to s², and the distance is three times that of the linear kernel.
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(40, 5)), rng.normal(0.5, 1.0, size=(30, 5))
    within = sum(((z @ z.T).sum() - np.square(z).sum()) / (len(z) * (len(z) - 1)) for z in (x, y))
    linear = (within - 2 * (x @ y.T).mean()) / 5
    assert kernel_distance(scale * x, scale * y) == pytest.approx(3 * scale**2 * linear, rel=1e-6, abs=0)
