"""Additive couplings move one half by the other."""

from __future__ import annotations

import pytest
import torch

from trainables.models.layers.additive import AdditiveCoupling, Scaling


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("dim", [2, 5])
def test_one_half_stays(dim: int, odd: bool) -> None:
    part = AdditiveCoupling(dim, 8, 2, odd)
    x = torch.randn(6, dim, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(part(x, inverse=False)[0], x)  # at the start
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.add_(0.5)
    y, log_det = part(x, inverse=False)
    moved = (y != x).any(0)
    assert moved.tolist() == [(i % 2 == 1) != odd for i in range(dim)]
    assert log_det.tolist() == [0.0] * 6


def test_scales_are_one_per_coordinate() -> None:
    part = Scaling((2, 3))
    assert sum(p.numel() for p in part.parameters()) == 6
    assert part(torch.ones(4, 2, 3), inverse=True)[1].shape == (4,)


def test_one_coordinate_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="needs at least 2, got 1"):
        AdditiveCoupling(1, 8, 2, odd=False)
