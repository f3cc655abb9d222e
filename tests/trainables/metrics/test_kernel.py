"""KID of a block is the unbiased squared MMD with a cubic kernel."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from trainables.metrics.kernel import Kernel
from trainables.metrics.pair import Pair


def squared_mmd(x: torch.Tensor, y: torch.Tensor) -> float:
    n = len(x)

    def kernel(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a @ b.T / 4 + 1) ** 3

    def off(matrix: torch.Tensor) -> torch.Tensor:
        return (matrix.sum() - matrix.trace()) / (n * (n - 1))

    return float(off(kernel(x, x)) + off(kernel(y, y)) - 2 * kernel(x, y).mean())


def test_it_is_the_mean_over_blocks_of_a_shuffle() -> None:
    generator = torch.Generator().manual_seed(0)
    x, y = torch.randn(2, 60, 4, generator=generator).double()
    rng = np.random.default_rng(7)
    i, j = rng.permutation(60), rng.permutation(60)
    blocks = [squared_mmd(x[i[s : s + 5]], y[j[s : s + 5]]) for s in range(0, 60, 5)]
    found = Kernel(block=5).measure(Pair(x, y, seed=7)).values["kid"]
    assert found == pytest.approx(float(np.mean(blocks)), rel=1e-5)


@pytest.mark.parametrize("block", [1, 0, -4])
def test_a_block_has_pairs(block: int) -> None:
    with pytest.raises(ValueError, match=f"^block of metric kernel must be ≥ 2, got {block}$"):
        Kernel(block=block)
