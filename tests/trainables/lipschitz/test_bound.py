"""The product of norms is an upper bound, and is not given where it would be none."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from trainables.lipschitz.bound import product_bound
from trainables.lipschitz.matrices import norm_from_above, spectral_norm
from trainables.models.layers.perceptron import MLPCritic
from trainables.training.stack import Stack


def test_bound_is_the_product_of_exact_norms() -> None:
    net = Stack(lambda: MLPCritic((2,), (8, 8)))
    parameters = net.unflatten(torch.randn(4, net.size, generator=torch.Generator().manual_seed(3)))
    expected = torch.ones(4, dtype=torch.float64)
    for name in ("0.weight", "2.weight", "4.weight"):
        expected *= torch.stack([torch.linalg.svdvals(row.double())[0] for row in parameters[name]])
    bound = product_bound(net, parameters)
    assert bound is not None
    torch.testing.assert_close(bound.double(), expected, rtol=1e-5, atol=0)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 10**6), width=st.integers(1, 6))
def test_no_slope_exceeds_the_bound(seed: int, width: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    net = Stack(lambda: MLPCritic((2,), (width,)))
    parameters = net.unflatten(torch.randn(3, net.size, generator=generator))
    x, y = torch.randn(2, 3, 50, 2, generator=generator)
    slope = (net(parameters, {}, x) - net(parameters, {}, y)).abs().squeeze(-1) / (x - y).norm(dim=-1)
    bound = product_bound(net, parameters)
    assert bound is not None
    assert bool((slope <= bound[:, None] * (1 + 1e-4)).all())


def test_what_is_not_layers_in_a_row_has_no_bound() -> None:
    net = Stack(lambda: nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.Linear(4, 1)))
    assert product_bound(net, net.unflatten(torch.ones(2, net.size))) is None


def test_a_norm_is_the_largest_singular_value_and_a_diverged_one_stops_nobody() -> None:
    weight = torch.stack((torch.diag(torch.tensor([3.0, -5.0])), torch.eye(2)))
    torch.testing.assert_close(spectral_norm(weight), torch.tensor([5.0, 1.0]))
    weight[0] = torch.nan
    assert float(spectral_norm(weight)[1]) == 1.0
    weight[0] = torch.inf
    assert float(spectral_norm(weight)[1]) == 1.0


@settings(deadline=None, max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(1, 40),
    columns=st.integers(1, 40),
    scale=st.sampled_from([1e-18, 1e-3, 1.0, 1e15]),
    rank=st.integers(0, 3),
)
def test_by_products_the_norm_is_met_from_above(
    seed: int, rows: int, columns: int, scale: float, rank: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    full = torch.randn(3, rows, columns, generator=generator, dtype=torch.float64)
    thin = torch.randn(3, rows, rank, generator=generator, dtype=torch.float64) @ torch.randn(
        3, rank, columns, generator=generator, dtype=torch.float64
    )
    weight = scale * torch.cat((full, thin, torch.ones(1, rows, columns, dtype=torch.float64)))
    exact = torch.linalg.matrix_norm(weight, ord=2)
    found = norm_from_above(weight)
    torch.testing.assert_close(found, exact, rtol=1e-7, atol=0)
    assert bool((found >= exact * (1 - 1e-12)).all())
