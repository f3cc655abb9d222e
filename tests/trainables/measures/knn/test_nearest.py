"""Distances to the k-th nearest of other points, by trees and by blocks, as brute force has them."""

from __future__ import annotations

import pytest
import torch

from trainables.measures.knn import nearest
from trainables.measures.knn.nearest import nearest_distances


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e6])
def test_distances_are_those_of_brute_force(d: int, scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_CPU_PAIRS", 1 << 10)  # several blocks
    generator = torch.Generator().manual_seed(d)
    x = scale * torch.randn(57, d, generator=generator, dtype=torch.float64)
    y = scale * torch.randn(40, d, generator=generator, dtype=torch.float64)
    expected = (x[:, None] - y[None]).square().sum(-1).sqrt().sort(dim=1).values[:, [0, 4, 39]]
    found = nearest_distances(x, y, (1, 5, 40))
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(nearest._by_blocks(x, y, (1, 5, 40)), expected, rtol=1e-12, atol=0)


def test_a_point_counts_as_often_as_it_is_there() -> None:
    reference = torch.tensor([[0.0, 0.0]] * 3 + [[3.0, 4.0]])
    assert nearest_distances(torch.zeros(1, 2), reference, (3, 4)).tolist() == [[0.0, 5.0]]


@pytest.mark.parametrize("ks", [(0,), (1, 5)])
def test_orders_that_are_not_there_are_refused(ks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"the k-th of 4 points needs 1 ≤ k ≤ 4, got"):
        nearest_distances(torch.zeros(2, 2), torch.zeros(4, 2), ks)


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("m", [64, 200, 6401])
def test_the_smallest_are_found_through_the_minima_of_groups(m: int, count: int) -> None:
    generator = torch.Generator().manual_seed(m)
    values = torch.randint(0, 50, (9, m), generator=generator).double()  # with ties
    values[0] = torch.arange(m)  # all in one group, and the other way round
    values[1] = torch.arange(m).flip(0)
    expected = values.sort(dim=1).values[:, :count]
    for through_groups in (True, False):
        assert torch.equal(nearest._smallest(values, count, through_groups), expected)
