"""KID of whole sets, or of blocks, is the unbiased squared MMD with a cubic kernel."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import t as student

from trainables.metrics.kernel import Kernel
from trainables.metrics.pair import Pair

X, Y = torch.randn(2, 60, 4, generator=torch.Generator().manual_seed(0)).double()


def squared_mmd(x: torch.Tensor, y: torch.Tensor) -> float:
    def kernel(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b.T / 4 + 1) ** 3

    def off(matrix: torch.Tensor) -> torch.Tensor:
        return (matrix.sum() - matrix.trace()) / (len(matrix) * (len(matrix) - 1))

    return float(off(kernel(x, x)) + off(kernel(y, y)) - 2 * kernel(x, y).mean())


def test_it_is_that_of_the_whole_sets_whatever_the_seed() -> None:
    for seed in (0, 7):
        found = Kernel().measure(Pair(X, Y[:41], seed=seed)).values["kid"]
        assert found == pytest.approx(squared_mmd(X, Y[:41]), rel=1e-9)


def test_with_a_block_it_is_the_mean_over_blocks_of_a_shuffle() -> None:
    rng = np.random.default_rng(7)
    i, j = rng.permutation(60), rng.permutation(60)
    blocks = [squared_mmd(X[i[s : s + 5]], Y[j[s : s + 5]]) for s in range(0, 60, 5)]
    scores = Kernel(block=5).measure(Pair(X, Y, seed=7, draws=1))
    assert scores.values["kid"] == pytest.approx(float(np.mean(blocks)), rel=1e-5)
    reach = student.ppf(0.975, 11) * np.std(blocks, ddof=1) / np.sqrt(12)
    assert scores.intervals["kid"] == pytest.approx((np.mean(blocks) - reach, np.mean(blocks) + reach))
    assert scores.kinds["kid"] == "Student, blocks"


def test_its_interval_reaches_what_cannot_be_below_zero() -> None:
    """The same samples twice: pairs of copies make the estimate negative, beyond its error."""
    scores = Kernel().measure(Pair(X, X.clone(), draws=1))
    low, high = scores.intervals["kid"]
    assert scores.values["kid"] < 0 < high
    assert low < scores.values["kid"]


def test_its_interval_leans_up_where_the_laws_differ() -> None:
    scores = Kernel().measure(Pair(X, Y + 1, draws=1))
    low, high = scores.intervals["kid"]
    value = scores.values["kid"]
    assert 0 < low < value < high
    assert high - value > value - low


@pytest.mark.parametrize("block", [1, -4])
def test_a_block_has_pairs(block: int) -> None:
    with pytest.raises(
        ValueError, match=f"^block of metric kernel must be ≥ 2, or 0 for the whole sets, got {block}$"
    ):
        Kernel(block=block)
