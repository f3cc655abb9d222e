"""Log-determinants of I + J: exact ones, and an estimator whose mean they are."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from trainables.models.layers import log_det
from trainables.models.layers.contractive import Contractive
from trainables.models.layers.log_det import (
    exact_log_det,
    factorised_log_det,
    jacobian,
    series_log_det,
    series_terms,
    shares_of_terms,
    solved,
)
from trainables.training.stack import Stack

CONSTANT, DIM, COUNT = 0.9, 3, 8


class Estimated(nn.Module):
    """A network and the estimates of its log-determinants, as a stack maps it."""

    def __init__(self) -> None:
        super().__init__()
        self.net = Contractive((DIM,), 6, CONSTANT)

    def forward(self, x: Tensor) -> Tensor:
        terms = series_terms(CONSTANT, 1e-4)
        return series_log_det(self.net.function(), x, shares_of_terms(len(x), terms, 1, 0.7))

    def exact(self, x: Tensor) -> Tensor:
        return exact_log_det(self.net.function(), x)


def network(seed: int = 0) -> Contractive:
    net = Contractive((DIM,), 6, CONSTANT).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return net


def points(count: int) -> Tensor:
    return torch.randn(count, DIM, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_the_exact_determinant_is_torchs() -> None:
    g, x = network().function(), points(5)
    matrix = jacobian(g, x)
    whole = torch.autograd.functional.jacobian(g, x)
    torch.testing.assert_close(matrix, torch.stack([whole[i, :, i] for i in range(5)]))
    one_plus = torch.eye(DIM, dtype=torch.float64) + matrix
    torch.testing.assert_close(exact_log_det(g, x), torch.linalg.slogdet(one_plus).logabsdet)
    torch.testing.assert_close(solved(matrix, x), torch.linalg.solve(one_plus, x))


@pytest.mark.parametrize("numbers", [1, 2 * DIM**2, 1000])
def test_a_factorisation_of_some_samples_at_a_time_finds_the_same(
    numbers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_det, "_NUMBERS", numbers)
    g, x = network().function(), points(5).requires_grad_()
    found, due = factorised_log_det(g, x), exact_log_det(g, x)
    torch.testing.assert_close(found, due)
    torch.testing.assert_close(
        *(torch.autograd.grad(of.sum(), x, retain_graph=True)[0] for of in (found, due))
    )


def test_the_roulette_is_unbiased_and_so_is_its_gradient() -> None:
    trials = 10_000
    stack = Stack(Estimated, torch.zeros(2, DIM), methods={"exact": [torch.zeros(2, DIM)]})
    assert stack.random
    flat, buffers = stack.initial([0], torch.device("cpu"))
    # Positive weights: their singular vectors agree, so that the Jacobian is not far from the constant.
    flat = torch.rand(flat.shape, generator=torch.Generator().manual_seed(2))
    x = (1 + points(COUNT).abs()).float().expand(trials, COUNT, DIM)
    rows = flat.expand(trials, -1).clone().requires_grad_()
    keys = 1000 * torch.arange(trials)
    estimates = stack(stack.unflatten(rows), buffers, x, keys=keys, training=True)  # (T, n)
    (gradients,) = torch.autograd.grad(estimates.sum(), rows)
    one = flat.clone().requires_grad_()
    exact = stack(stack.unflatten(one), buffers, x[:1], keys=keys[:1], method="exact")
    (gradient,) = torch.autograd.grad(exact.sum(), one)
    assert float(exact.detach().abs().mean()) > 0.4

    def deviations(found: Tensor, due: Tensor) -> Tensor:
        error = found.std(0) / len(found) ** 0.5
        return ((found.mean(0) - due).abs() - 3e-4).clamp(min=0) / error

    assert float(deviations(estimates.detach(), exact.detach()[0]).max()) < 4
    assert float(deviations(estimates.detach().mean(1), exact.detach().mean())) < 4
    along = gradients @ (gradient[0] / gradient.norm())
    assert float(deviations(along, gradient.norm())) < 4
    assert float(along.std() / len(along) ** 0.5) < 0.1 * float(gradient.norm())


def test_the_series_to_its_end_is_exact_where_every_probe_sees_the_trace() -> None:
    # In one dimension v = ±1 and vᵀJ^k v is J^k itself.
    net = Contractive((1,), 6, CONSTANT).double()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.5)
    g, x = net.function(), torch.linspace(-2, 2, 7, dtype=torch.float64)[:, None]
    terms = series_terms(CONSTANT, 1e-9)
    torch.testing.assert_close(series_log_det(g, x, [7] * terms), exact_log_det(g, x), rtol=0, atol=1e-8)


def test_terms_leave_no_more_than_they_may() -> None:
    for constant in (0.3, 0.9):
        terms = series_terms(constant, 1e-3)
        k = torch.arange(1, 400, dtype=torch.float64)
        left = (constant**k / k)[terms:].sum()
        assert float(left) <= 1e-3


def test_shares_are_whole_at_first_then_fall_and_never_end() -> None:
    assert shares_of_terms(8, 6, 2, 0.5) == [8, 8, 4, 2, 1, 1]


@pytest.mark.parametrize("count", [1, 2, 5])
def test_small_batches_will_do(count: int) -> None:
    g = network().function()
    value = series_log_det(g, points(count), shares_of_terms(count, 5, 1, 0.5))
    assert value.shape == (count,)
    assert torch.isfinite(value).all()
