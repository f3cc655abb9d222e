"""Rescaled weights have the norm they were asked for, exactly or tracked, with the right gradient."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import nn

from trainables.lipschitz.bound import product_bound
from trainables.lipschitz.spectral import (
    Target,
    normalise_exactly,
    normalise_tracked,
    starting_vectors,
    targets,
)
from trainables.models.layers.branches import Branches
from trainables.models.layers.perceptron import MLPCritic
from trainables.training.stack import Stack


def stack() -> Stack:
    return Stack(lambda: MLPCritic((2,), (8, 8)))


def random_parameters(rows: int, seed: int = 0) -> dict[str, torch.Tensor]:
    net = stack()
    return net.unflatten(torch.randn(rows, net.size, generator=torch.Generator().manual_seed(seed)))


def norms(parameters: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """(T,) the largest singular value of every weight matrix, from a decomposition of each alone."""
    return [
        torch.stack([torch.linalg.svdvals(row.double())[0] for row in weight])
        for weight in parameters.values()
        if weight.ndim == 3
    ]


def vectors(rows: int) -> torch.Tensor:
    return starting_vectors(stack()).expand(rows, -1).clone()


def test_starting_vectors_are_the_same_every_time_and_one_per_layer() -> None:
    before = torch.get_rng_state()
    assert starting_vectors(stack()).shape == (8 + 8 + 1,)
    assert torch.equal(starting_vectors(stack()), starting_vectors(stack()))
    assert torch.equal(torch.get_rng_state(), before)


def test_every_layer_gets_an_equal_share() -> None:
    lipschitz = torch.tensor([8.0, 0.5])
    constrained = normalise_exactly(stack(), random_parameters(2), lipschitz)
    for layer in norms(constrained):
        torch.testing.assert_close(layer, lipschitz.double().pow(1 / 3), rtol=1e-5, atol=0)


def test_biases_are_untouched() -> None:
    parameters = random_parameters(2)
    lipschitz = torch.tensor([2.0, 3.0])
    for after in (
        normalise_exactly(stack(), parameters, lipschitz),
        normalise_tracked(stack(), parameters, lipschitz, vectors(2), update=True),
    ):
        assert after.keys() == parameters.keys()
        for name, value in parameters.items():
            assert torch.equal(after[name], value) is (value.ndim == 2)


def test_power_iteration_converges_to_the_exact_norm() -> None:
    parameters, lipschitz, tracking = random_parameters(2, seed=1), torch.tensor([1.0, 3.0]), vectors(2)
    for _ in range(300):
        tracked = normalise_tracked(stack(), parameters, lipschitz, tracking, update=True)
    exact = normalise_exactly(stack(), parameters, lipschitz)
    for name in parameters:
        torch.testing.assert_close(tracked[name], exact[name], rtol=1e-4, atol=1e-5)


def test_gradient_is_that_of_the_normalised_weight() -> None:
    # d(W/σ)/dW with σ = uᵀWv: after convergence it is the gradient through the exact norm.
    net = stack()
    flat = torch.randn(1, net.size, generator=torch.Generator().manual_seed(5)).requires_grad_()
    lipschitz, tracking = torch.tensor([2.0]), vectors(1)
    for _ in range(300):
        normalise_tracked(net, net.unflatten(flat.detach()), lipschitz, tracking, update=True)
    x = torch.randn(1, 6, 2, generator=torch.Generator().manual_seed(6))

    def gradient(parameters: dict[str, torch.Tensor]) -> torch.Tensor:
        return torch.autograd.grad(net(parameters, {}, x).square().sum(), flat)[0]

    tracked = gradient(normalise_tracked(net, net.unflatten(flat), lipschitz, tracking, update=False))
    exact = gradient(normalise_exactly(net, net.unflatten(flat), lipschitz))
    torch.testing.assert_close(tracked, exact, rtol=1e-3, atol=1e-5)


def test_a_diverged_row_does_not_stop_the_others() -> None:
    lipschitz = torch.tensor([1.0, 1.0])
    parameters = random_parameters(2)
    clean = normalise_exactly(stack(), parameters, lipschitz)
    spoilt = {name: value.clone() for name, value in parameters.items()}
    for value in spoilt.values():
        value[0] = torch.nan
    after = normalise_exactly(stack(), spoilt, lipschitz)
    for name, value in after.items():
        torch.testing.assert_close(value[1], clean[name][1], rtol=0, atol=0)
    bound = product_bound(stack(), after)
    assert bound is not None
    assert float(bound[1]) == pytest.approx(1.0, rel=1e-4)


def image_critic(skip: nn.Module) -> nn.Module:
    """A convolution, a residual block, pooling and a linear layer."""
    block = Branches(nn.Sequential(nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.AvgPool2d(2)), skip)
    return nn.Sequential(
        nn.Conv2d(1, 4, 4, 2, 1), nn.LeakyReLU(0.2), block, nn.Flatten(), nn.Linear(4 * 2 * 2, 1)
    )


SKIPS = {
    "weights": lambda: nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(4, 4, 1)),
    "fixed": lambda: nn.AvgPool2d(2),
}


@pytest.mark.parametrize("skip", SKIPS)
@pytest.mark.parametrize("unrolled", [512, 1])
def test_convolutions_and_blocks_share_the_constant_out(
    skip: str, unrolled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainables.lipschitz.convolution.UNROLLED", unrolled)
    net = Stack(lambda: image_critic(SKIPS[skip]()), torch.zeros(2, 1, 8, 8))
    generator = torch.Generator().manual_seed(3)
    parameters = net.unflatten(torch.randn(2, net.size, generator=generator))
    lipschitz = torch.tensor([7.0, 0.3])
    exact = normalise_exactly(net, parameters, lipschitz)
    bound = product_bound(net, exact)
    assert bound is not None
    torch.testing.assert_close(bound, lipschitz, rtol=1e-5, atol=0)
    tracking = starting_vectors(net).expand(2, -1).clone()
    for _ in range(400):
        tracked = normalise_tracked(net, parameters, lipschitz, tracking, update=True)
    for name in parameters:
        torch.testing.assert_close(tracked[name], exact[name], rtol=2e-3, atol=1e-4)


def test_targets_follow_the_rule_of_rows_and_sums() -> None:
    net = Stack(lambda: image_critic(SKIPS["weights"]()), torch.zeros(2, 1, 8, 8))
    found = targets(net)
    assert found is not None
    # Three factors in a row; the block halves its budget; pooling halves what its branch and skip would be.
    assert found["0.weight"] == Target(1.0, 1 / 3)
    assert found["2.branch.1.weight"] == Target(1.0, 1 / 3)
    assert found["2.skip.1.weight"] == Target(1.0, 1 / 3)
    fixed = targets(Stack(lambda: image_critic(SKIPS["fixed"]()), torch.zeros(2, 1, 8, 8)))
    # The skip has norm 1/2 and so has the branch, whose convolution is pooled: together 1, two factors remain.
    assert fixed == {
        "0.weight": Target(1.0, 0.5),
        "2.branch.1.weight": Target(1.0, 0.0),
        "4.weight": Target(1.0, 0.5),
    }


@pytest.mark.parametrize(
    "build",
    [
        lambda: Branches(nn.Linear(2, 2), nn.Identity()),
        lambda: nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)),
        lambda: nn.Sequential(nn.Linear(2, 2), Branches(nn.BatchNorm1d(2), nn.Identity())),
        lambda: nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2)),
    ],
)
def test_what_weights_cannot_bring_to_a_constant_has_no_targets(build: Callable[[], nn.Module]) -> None:
    assert targets(Stack(build)) is None


def test_a_weight_of_zeros_stays_one() -> None:
    parameters = {name: torch.zeros_like(values) for name, values in random_parameters(2).items()}
    lipschitz = torch.tensor([1.0, 2.0])
    for after in (
        normalise_exactly(stack(), parameters, lipschitz),
        normalise_tracked(stack(), parameters, lipschitz, vectors(2), update=False),
    ):
        assert all(bool((values == 0).all()) for values in after.values())
