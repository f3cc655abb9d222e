"""RowAdam is torch's Adam on every row, with that row's own settings."""

from __future__ import annotations

import pytest
import torch

from trainables.training.adam import RowAdam

SETTINGS = [(1e-3, 0.5, 0.99), (1e-2, 0.9, 0.999), (0.3, 0.0, 0.9), (2e-4, 0.1, 0.0)]


def run(gradients: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """Apply gradients (S, T, P) one after another."""
    adam = RowAdam(*(torch.tensor(column) for column in zip(*SETTINGS, strict=True)))
    parameters, first, second = start.clone(), torch.zeros_like(start), torch.zeros_like(start)
    for count, gradient in enumerate(gradients, start=1):
        adam.step(parameters, gradient, first, second, torch.tensor(count), torch.ones(4))
    return parameters


@pytest.mark.parametrize("scale", [1.0, 1e-7, 100.0])
def test_equals_torch_row_by_row(scale: float) -> None:
    generator = torch.Generator().manual_seed(0)
    start = torch.randn(4, 6, generator=generator)
    gradients = scale * torch.randn(40, 4, 6, generator=generator)
    moved = run(gradients, start)
    for row, (lr, beta1, beta2) in enumerate(SETTINGS):
        parameter = torch.nn.Parameter(start[row].clone())
        adam = torch.optim.Adam([parameter], lr=lr, betas=(beta1, beta2), eps=1e-8)
        for gradient in gradients:
            parameter.grad = gradient[row].clone()
            adam.step()
        torch.testing.assert_close(moved[row], parameter.detach(), rtol=1e-4, atol=2e-4 * lr * 40)


def test_a_spike_is_scaled_down_as_a_whole() -> None:
    generator = torch.Generator().manual_seed(1)
    start = torch.randn(4, 6, generator=generator)
    gradients = torch.randn(3, 4, 6, generator=generator)
    spiked = gradients.clone()
    spiked[1, 0] *= 1e30
    tamed = gradients.clone()
    tamed[1, 0] *= 1e3 / gradients[1, 0].abs().max()
    torch.testing.assert_close(run(spiked, start), run(tamed, start))


def test_a_zero_gradient_moves_nothing() -> None:
    start = torch.ones(4, 3)
    torch.testing.assert_close(run(torch.zeros(5, 4, 3), start), start, rtol=0, atol=0)


def test_a_row_of_nan_stays_alone() -> None:
    generator = torch.Generator().manual_seed(2)
    start = torch.randn(4, 6, generator=generator)
    gradients = torch.randn(5, 4, 6, generator=generator)
    spoilt = gradients.clone()
    spoilt[2, 1, 3] = torch.nan
    spoilt[2, 3, 0] = torch.inf
    clean, out = run(gradients, start), run(spoilt, start)
    torch.testing.assert_close(out[[0, 2]], clean[[0, 2]], rtol=0, atol=0)
    assert torch.isnan(out[1, 3])


def test_a_share_of_the_rate_is_a_share_of_the_step() -> None:
    adam = RowAdam(*(torch.tensor(column) for column in zip(*SETTINGS, strict=True)))
    gradient = torch.ones(4, 6)
    moved = []
    for share in (torch.ones(4), torch.tensor([1.0, 0.5, 0.25, 0.0])):
        parameters = torch.zeros(4, 6)
        moments = torch.zeros(4, 6), torch.zeros(4, 6)
        adam.step(parameters, gradient, *moments, torch.tensor(1), share)
        moved.append(parameters)
    torch.testing.assert_close(moved[1], moved[0] * torch.tensor([1.0, 0.5, 0.25, 0.0])[:, None])
