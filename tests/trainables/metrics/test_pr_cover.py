"""PR cover looks at the k′-th neighbour, k′ = factor · k."""

from __future__ import annotations

import pytest
import torch

from trainables.metrics.pair import Pair
from trainables.metrics.pr_cover import PRCover


def test_equal_sets_cover_each_other_and_distant_ones_do_not() -> None:
    x = torch.randn(60, 2, generator=torch.Generator().manual_seed(0))
    assert PRCover().orders(2) == (6,)
    same = PRCover().measure(Pair(x, x.clone(), k=2)).values
    assert set(same.values()) == {1.0}
    apart = PRCover().measure(Pair(x, x + 50, k=2)).values
    assert set(apart.values()) == {0.0}


def test_half_of_the_generated_far_away() -> None:
    x = torch.randn(80, 2, generator=torch.Generator().manual_seed(1))
    fake = torch.cat((x[:40] + 1e-3, x[:40] + 100))
    values = PRCover(factor=2).measure(Pair(x, fake, k=2)).values
    assert values["pr_cover.precision"] == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("factor", [0, -1])
def test_refusal(factor: int) -> None:
    with pytest.raises(
        ValueError, match=f"^factor of metric pr_cover must be positive and finite, got {factor}$"
    ):
        PRCover(factor=factor)
