"""Networks for points and for images: one logit a sample, of scaled samples, by themselves, smooth, by a seed."""

from __future__ import annotations

import pytest
import torch

from trainables.samplers.mixing import mixes
from trainables.samplers.ratio_networks import ratio_network

SHAPES = [(1,), (7,), (2, 3), (1, 8, 8), (3, 16, 9)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_sample_has_a_logit_of_its_own_with_a_gradient(shape: tuple[int, ...]) -> None:
    network = ratio_network(shape, 0)
    x = torch.randn(32, *shape, generator=torch.Generator().manual_seed(0)).requires_grad_()
    found = network(x)
    assert found.shape == (32,)
    assert not mixes(lambda few: (network(x[:few]),), 16)
    (slope,) = torch.autograd.grad(found.sum(), x)
    assert (slope.flatten(1) != 0).any(dim=1).all()


def test_equal_seeds_give_equal_networks_and_nobody_else_notices() -> None:
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one, same, other = (list(ratio_network((4,), seed).parameters()) for seed in (1, 1, 2))
    assert torch.rand(1) == expected
    assert all(torch.equal(a, b) for a, b in zip(one, same, strict=True))
    assert not torch.equal(one[0], other[0])


@pytest.mark.parametrize("shape", [(3,), (3, 4, 4)], ids=str)
def test_units_make_no_difference(shape: tuple[int, ...]) -> None:
    points = torch.randn(500, *shape, generator=torch.Generator().manual_seed(0))
    points[:, 0] = 0.5  # a number that never varies
    plain, scaled = ratio_network(shape, 1), ratio_network(shape, 1)
    plain.standardise(points)
    scaled.standardise(100 * points + 7)
    torch.testing.assert_close(plain(points), scaled(100 * points + 7), rtol=1e-3, atol=1e-3)
