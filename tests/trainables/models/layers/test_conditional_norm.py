"""Conditional normalisation: mean 0 and deviation 1 of the batch, then gain and shift of the condition."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from trainables.models.layers.conditional_norm import ClassNorm, CodeNorm, ConditionalNorm, PlainNorm

NORMS: list[tuple[ConditionalNorm, Tensor | None]] = [
    (PlainNorm(3), None),
    (ClassNorm(3, 2), torch.tensor([0, 1, 1, 0])),
    (CodeNorm(3, 5), torch.randn(4, 5, generator=torch.Generator().manual_seed(0))),
]


@pytest.mark.parametrize(("norm", "condition"), NORMS, ids=["plain", "class", "code"])
def test_without_gain_and_shift_it_is_batch_normalisation(
    norm: ConditionalNorm, condition: Tensor | None
) -> None:
    for layer in norm.children():
        if not isinstance(layer, nn.BatchNorm2d):
            nn.init.zeros_(layer.weight)  # type: ignore[arg-type]
    x = 3 + 2 * torch.randn(4, 3, 6, 6)
    torch.testing.assert_close(norm(x, condition), nn.BatchNorm2d(3)(x))


def test_classes_have_gains_and_shifts_of_their_own() -> None:
    norm, x = ClassNorm(3, 2), torch.randn(4, 3, 6, 6)
    with torch.no_grad():
        norm.gain_embedding.weight.copy_(torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]))
        norm.shift_embedding.weight.copy_(torch.tensor([[0.0, 0.0, 0.0], [0.5, 0.5, 0.5]]))
    plain, found = nn.BatchNorm2d(3)(x), norm(x, torch.tensor([0, 0, 1, 0]))
    torch.testing.assert_close(found[:2], plain[:2])
    torch.testing.assert_close(found[2], plain[2] * torch.tensor([2.0, 3.0, 4.0])[:, None, None] + 0.5)


def test_codes_act_linearly() -> None:
    norm, x, code = CodeNorm(3, 5).eval(), torch.randn(4, 3, 6, 6), torch.randn(4, 5)
    base = norm(x, torch.zeros(4, 5))
    torch.testing.assert_close(norm(x, 2 * code) - base, 2 * (norm(x, code) - base), rtol=1e-4, atol=1e-5)
