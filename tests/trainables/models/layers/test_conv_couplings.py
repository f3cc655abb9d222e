"""Couplings of images move one half and read the other."""

from __future__ import annotations

from typing import Literal

import pytest
import torch

from trainables.models.layers.conv_couplings import ConvCoupling, conv_network

HALVES: tuple[Literal["checkerboard", "channels"], ...] = ("checkerboard", "channels")


def image() -> torch.Tensor:
    return torch.randn(2, 4, 4, 4, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("halves", HALVES)
def test_one_half_moves(halves: Literal["checkerboard", "channels"], flip: bool) -> None:
    part, x = ConvCoupling(4, 8, halves, flip), image()
    torch.testing.assert_close(part(x, inverse=False)[0], x)  # at the start
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.add_(0.1)
    moved = (part(x, inverse=False)[0] != x).all(0)  # (4, 4, 4)
    if halves == "channels":
        assert moved.flatten(1).all(1).tolist() == (
            [True, True, False, False] if flip else [False, False, True, True]
        )
    else:
        due = (torch.arange(4)[:, None] + torch.arange(4)) % 2 == int(flip)
        assert torch.equal(moved, due.expand(4, 4, 4))


@pytest.mark.parametrize("halves", HALVES)
def test_neither_direction_overflows(halves: Literal["checkerboard", "channels"]) -> None:
    part = ConvCoupling(4, 8, halves, flip=False)
    with torch.no_grad():
        for parameter in part.parameters():
            parameter.fill_(50.0)
    for inverse in (False, True):
        y, log_det = part(image(), inverse)
        assert torch.isfinite(y).all()
        assert bool((log_det.abs() <= 2 * 32 + 1e-3).all())


def test_the_network_begins_at_zero() -> None:
    assert conv_network(2, 5, 3)(torch.ones(1, 2, 4, 4)).abs().max() == 0
